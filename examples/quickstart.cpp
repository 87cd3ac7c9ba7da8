#include <dpcov/dpcov.hpp>
#include <iostream>

int main(int argc, char** argv) try {
    const auto table = dpcov::open_table(argc > 1 ? argv[1] : "table.csv",
                                         {.header = dpcov::Header::yes, .scale = 5000});
    dpcov::SecondMoment rows(
        {.columns = table->columns(), .norm_bound = 1.0, .schema = table->schema()});
    rows.add(*table);
    const dpcov::Release release = dpcov::release(rows, dpcov::Rho(0.5), {.center = true});
    std::cout << release.covariance << '\n';
} catch (const dpcov::Error& error) {
    std::cerr << error.what() << '\n';
    return 1;
}
