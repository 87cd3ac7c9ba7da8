// A program outside the project: everything it knows of dpcov comes from the installed package.
#include <dpcov/dpcov.hpp>

#include <cmath>
#include <cstdlib>
#include <iostream>
#include <variant>

namespace {

void require(bool holds, const char* what) {
    if (!holds) {
        std::cerr << "consumer: " << what << '\n';
        std::exit(EXIT_FAILURE);
    }
}

}  // namespace

int main() {
    // 20,000 rows (0.6, 0, 0.8): the second moment has 0.36, 0.48 and 0.64 in it and zeros. The
    // matrix is column-major, as Eigen's are by default.
    Eigen::MatrixXd rows(20'000, 3);
    rows.rowwise() = Eigen::RowVector3d(0.6, 0.0, 0.8);
    dpcov::SecondMoment secret({.columns = 3, .norm_bound = 1.0});
    secret.add(rows);

    const dpcov::Release release =
        dpcov::release(secret, dpcov::Rho(1.0), {.method = "gauss", .insecure_seed = 1});

    require(!release.secure_randomness, "a seeded release calls itself private");
    require(release.rows == 20'000U, "rows were lost");
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
