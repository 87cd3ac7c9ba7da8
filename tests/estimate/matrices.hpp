// Random matrices for the tests of estimate/, and derivatives by differences.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <random>

#include "estimate/candidate.hpp"
#include "estimate/noise_spectrum.hpp"

namespace dpcov::test {

/// Symmetric, independent N(0, s^2) on the diagonal and N(0, s^2 / 2) off it.
Eigen::MatrixXd isotropic_noise(Eigen::Index d, double s, std::mt19937_64& generator);

/// P - Q, each Wishart_d(d + 1, c I), with variance s^2 on the diagonal and s^2 / 2 off it.
Eigen::MatrixXd two_sided_wishart_noise(Eigen::Index d, double s, std::mt19937_64& generator);

/// Either, by the shape of its spectrum.
Eigen::MatrixXd noise_of(NoiseShape shape, Eigen::Index d, double s, std::mt19937_64& generator);

/// Q diag(values) Q^T with Q from the QR factors of a Gaussian matrix.
Eigen::MatrixXd with_spectrum(const Eigen::VectorXd& values, std::mt19937_64& generator);

/// Of a candidate that no spectrum says.
Eigen::MatrixXd matrix_of(const detail::Candidate& candidate);

/// The divergence of a map of symmetric matrices in coordinates orthonormal for the Frobenius
/// product, by central differences.
double divergence_by_differences(const std::function<Eigen::MatrixXd(const Eigen::MatrixXd&)>& map,
                                 const Eigen::MatrixXd& at, double step);

}  // namespace dpcov::test
