// Tables as they are known to their owners, and releases of them without a budget: for tests of
// what is derived.
#pragma once

#include <Eigen/Core>
#include <random>

#include "dpcov/release.hpp"
#include "dpcov/statistics.hpp"

namespace dpcov::test {

/// Independent normal numbers.
class Normals {
public:
    explicit Normals(unsigned seed) : generator_(seed) {}

    Eigen::VectorXd vector(Eigen::Index size);

    /// Deviation s on the diagonal, s / sqrt(2) off it; Wishart noise with so many degrees of
    /// freedom.
    Eigen::MatrixXd noise(NoiseShape shape, Eigen::Index d, double s, Eigen::Index degrees);

private:
    std::mt19937_64 generator_;
    std::normal_distribution<double> law_;
};

/// What is true of a table.
struct Truth {
    Eigen::MatrixXd covariance;  ///< mapped units
    Eigen::VectorXd mean;
    Eigen::VectorXd units;
    bool centered = false;

    [[nodiscard]] Eigen::MatrixXd in_table() const {
        return units.asDiagonal() * covariance * units.asDiagonal();
    }
};

[[nodiscard]] Truth truth_of(Eigen::Index d, bool centered, Normals& normals);

/// The same table and noise, in bounds that are so many times as wide.
[[nodiscard]] Truth in_wide_bounds(Truth truth, double times);

[[nodiscard]] Release released(const Truth& truth, NoiseShape shape, double s, Normals& normals);

/// Coefficients of the last column by the others.
[[nodiscard]] Eigen::VectorXd least_squares(const Eigen::MatrixXd& covariance);

}  // namespace dpcov::test
