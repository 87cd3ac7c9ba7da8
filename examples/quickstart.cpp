#include <cstddef>
#include <iostream>
#include <span>
#include <vector>

#include "dpcov/budget.hpp"
#include "dpcov/error.hpp"
#include "dpcov/mechanism.hpp"
#include "dpcov/random.hpp"
#include "dpcov/second_moment.hpp"
#include "dpcov/table.hpp"

int main(int argc, char** argv) try {
    if (argc != 2) {
        throw dpcov::UsageError("usage: quickstart TABLE.csv");
    }
    dpcov::TableOptions options;
    options.columns = {"radius", "texture", "smoothness"};
    options.column_scales = {{"radius", 25.0}, {"texture", 40.0}, {"smoothness", 0.2}};
    const auto table = dpcov::open_table(argv[1], options);

    const dpcov::Method& method = dpcov::find_method("auto");
    const dpcov::Budget budget = dpcov::Rho(0.5);
    // The norm bound is public: it comes from what is known about the columns, not from the rows.
    dpcov::SecondMoment secret({.dimension = table->columns(),
                                .norm_bound = 1.0,
                                .keep_directions = method.needs_directions(dpcov::Variant::best)});
    std::vector<double> rows(1000 * table->columns());
    while (const std::size_t count = table->read(rows)) {
        secret.add(std::span(rows).first(count * table->columns()));
    }

    dpcov::SystemRandomSource random;
    const dpcov::Release release = method.run(secret, budget, {}, random);
    std::cout << release.covariance << '\n';
    return 0;
} catch (const dpcov::Error& error) {
    std::cerr << error.what() << '\n';
    return 1;
}
