// Small tables, what is true of them, and mechanisms run on them.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "mechanism/run_method.hpp"
#include "moment/secret_moment.hpp"
#include "support/sphere_rows.hpp"

namespace dpcov::test {

[[nodiscard]] detail::SecretMoment moment_of(const Rows& rows, std::size_t d,
                                             double norm_bound = 1.0, bool keep_directions = true);

/// The moments of the shared rows with one of `others` each: any two are neighbours.
[[nodiscard]] std::vector<detail::SecretMoment> neighbours(const Rows& shared, const Rows& others,
                                                           std::size_t d);

/// The same rows 2^doublings times.
[[nodiscard]] detail::SecretMoment doubled(detail::SecretMoment moment, int doublings);

/// (1 / n) sum x x^T in plain doubles.
[[nodiscard]] Eigen::MatrixXd covariance_of(const Rows& rows, std::size_t d);

/// The same less the outer product of the mean.
[[nodiscard]] Eigen::MatrixXd centred_covariance_of(const Rows& rows, std::size_t d);

/// The rows with those above `norm` scaled down to it.
[[nodiscard]] Rows clipped(Rows rows, std::size_t d, double norm);

/// The value as rho where the method takes it, else as epsilon.
[[nodiscard]] Budget budget_for(const Method& method, double value);

/// The method of that name with a SeededRandomSource and budget_for(method, rho), or pure DP.
[[nodiscard]] Release run(std::string_view method, const detail::SecretMoment& secret, double rho,
                          const ReleaseOptions& options, std::uint64_t seed);
[[nodiscard]] Release run(std::string_view method, const detail::SecretMoment& secret, double rho,
                          Variant variant, std::uint64_t seed);

[[nodiscard]] Release run(std::string_view method, const detail::SecretMoment& secret,
                          Epsilon epsilon, const ReleaseOptions& options, std::uint64_t seed);
[[nodiscard]] Release run(std::string_view method, const detail::SecretMoment& secret,
                          Epsilon epsilon, Variant variant, std::uint64_t seed);

/// The paper's scale of GaussCov's noise for rows of norm at most r: r^2 / (sqrt(rho) n).
/// At d = 1 a replaced row moves a number by no more than an added one: 1 / sqrt(2) of that.
[[nodiscard]] double noise_scale(double r, double rho, std::size_t n, std::size_t d = 2);

/// The sum of what the stages spent, in rho or in epsilon.
[[nodiscard]] double spent(const Release& release);

}  // namespace dpcov::test
