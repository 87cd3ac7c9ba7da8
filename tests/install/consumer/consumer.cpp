// A program outside the project: everything it knows of dpcov comes from the installed package.
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <iostream>
#include <variant>
#include <vector>

#include "dpcov/budget.hpp"
#include "mechanism/mechanism.hpp"
#include "dpcov/random.hpp"
#include "moment/secret_moment.hpp"

namespace {

void require(bool holds, const char* what) {
    if (!holds) {
        std::cerr << "consumer: " << what << '\n';
        std::exit(EXIT_FAILURE);
    }
}

}  // namespace

int main() {
    // 20,000 rows (0.6, 0, 0.8): the second moment has 0.36, 0.48 and 0.64 in it and zeros.
    constexpr std::size_t row_count = 20'000;
    std::vector<double> rows;
    for (std::size_t i = 0; i < row_count; ++i) {
        rows.insert(rows.end(), {0.6, 0.0, 0.8});
    }
    dpcov::detail::SecretMoment secret({.columns = 3, .norm_bound = 1.0});
    secret.add(rows);
    require(secret.rows() == row_count, "rows were lost");

    dpcov::SeededRandomSource random(1);
    const dpcov::Release release =
        dpcov::detail::run_method(find_method("gauss"), secret, dpcov::Rho(1.0), {}, random);

    require(!release.secure_randomness, "a seeded release calls itself private");
    double spent = 0.0;
    for (const auto& stage : release.stages) {
        spent += std::get<dpcov::Rho>(stage.spent).value();
    }
    require(std::abs(spent - 1.0) < 1e-12, "the stages do not add up to the budget");

    Eigen::Matrix3d exact;
    exact << 0.36, 0.0, 0.48, 0.0, 0.0, 0.0, 0.48, 0.0, 0.64;
    require(release.covariance.rows() == 3 && release.covariance.cols() == 3, "wrong shape");
    require(release.covariance == release.covariance.transpose(), "not symmetric");
    // Noise of deviation 1 / 20,000 an entry; 1e-3 is 20 deviations, and the seed is fixed.
    require((release.covariance - exact).norm() < 1e-3, "far from the exact second moment");
    require(release.covariance != exact, "no noise was added");
    return EXIT_SUCCESS;
}
