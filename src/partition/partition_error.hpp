// What a partition of norms is expected to cost: the models by which one is chosen. Derivation:
// docs/algorithms.md#partition.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <optional>
#include <vector>

#include "partition/partition.hpp"

namespace dpcov::detail {

/// Last bins of strata, ascending; the first begins at bin 0.
using Ends = std::vector<std::size_t>;

/// A factor of two between radii, for edges inside octaves are not exact.
inline constexpr double octave = 2.0 * (1.0 + 1e-3);

/// A matrix of trace 1 with eigenvalues in proportion to 1, 1/2, ..., 1/d, which stands for the
/// shape of a stratum.
class ReferenceShape {
public:
    explicit ReferenceShape(Eigen::Index d);

    [[nodiscard]] double squared_norm() const noexcept { return squared_norm_; }

    /// In noise of variance u: of each eigenvalue either its own square or the noise along its
    /// vector, and one coordinate for the trace.
    [[nodiscard]] double squared_error(double u) const;

private:
    std::vector<double> squares_;
    double squared_norm_ = 0.0;
};

/// Expected squared errors by what a histogram of norms says, in units of the norm bound's fourth
/// power. Keeps references to both of its arguments.
class PartitionError {
public:
    PartitionError(const NoisyHistogram& histogram, const PartitionFacts& facts);

    /// Variance of the noise in a stratum that ends at bin `end`.
    [[nodiscard]] double variance(std::size_t end) const { return variances_[end]; }

    /// Were the strata of one shape but for the sampling of rows, which is weighed against the
    /// noise as in a Gaussian hierarchy.
    [[nodiscard]] double if_alike(const Ends& ends) const;
    /// Were their shapes not alike at all: each is estimated by itself, and the last may be lost.
    [[nodiscard]] double if_unlike(const Ends& ends) const;
    /// Were they alike but for a part, with one stratum, if any, in which all longer rows count in
    /// part. Infinite unless that has the greatest trace, and at least a quarter of it of its own.
    [[nodiscard]] double if_somewhat_alike(const Ends& ends,
                                           std::optional<std::size_t> extended) const;
    /// if_alike(), and a little for each stratum.
    [[nodiscard]] double cost(const Ends& ends) const;
    /// The same of a weighted geometric mean of if_alike() and if_somewhat_alike(): what is far
    /// worse by one of them is seldom chosen.
    [[nodiscard]] double cost(const Ends& ends, std::optional<std::size_t> extended) const;

    /// Trace of the second moment by the histogram, 0 to 1.
    [[nodiscard]] double trace() const;
    /// Of that, what the bins above this one have.
    [[nodiscard]] double trace_above(std::size_t bin) const;
    /// The square of its norm, by the same.
    [[nodiscard]] double squared_norm() const;
    /// Of the stratum of the greatest trace.
    [[nodiscard]] double main_radius(const Ends& ends) const;
    /// Of the mean, at most, in units of that radius squared.
    [[nodiscard]] double squared_mean(double radius) const;

private:
    // What the bins below each place hold together. A stratum is a difference of two.
    struct Held {
        double trace = 0.0;    // squared norms over n
        double squares = 0.0;  // fourth powers of norms over n^2
    };

    [[nodiscard]] Held held(std::size_t first, std::size_t last) const;
    // Of each stratum; none where `extended` may not be.
    [[nodiscard]] std::vector<double> traces(const Ends& ends,
                                             std::optional<std::size_t> extended) const;
    [[nodiscard]] double if_like(std::size_t main, const std::vector<double>& trace,
                                 const Ends& ends) const;
    // What the errors of these strata are multiplied by.
    [[nodiscard]] double price_of(const Ends& ends) const;
    [[nodiscard]] double part_of(std::size_t bin, std::size_t inner, std::size_t own) const;
    [[nodiscard]] bool is_detected(double trace, double variance) const;

    const std::vector<double>& radii_;
    const PartitionFacts& facts_;
    std::vector<Held> below_ = {{}};
    std::vector<double> variances_;  // of the noise of a stratum that ends at each bin
    ReferenceShape shape_;
    double coordinates_;  // that the sampling of rows fills
};

}  // namespace dpcov::detail
