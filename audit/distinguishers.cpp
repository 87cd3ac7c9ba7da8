#include "audit/distinguishers.hpp"

#include <Eigen/Cholesky>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "arithmetic/eigen_decomposition.hpp"

namespace dpcov::audit {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double not_finite = -1e6;

/// Binary digits of `value` from its first to its last one: 53 for most doubles, few where they
/// were made from something shorter.
int significant_bits(double value) {
    if (value == 0.0 || !std::isfinite(value)) {
        return 0;
    }
    int exponent = 0;
    constexpr int digits = 53;
    const auto mantissa =
        static_cast<std::uint64_t>(std::fabs(std::ldexp(std::frexp(value, &exponent), digits)));
    return digits - std::countr_zero(mantissa);
}

double most_significant_bits(const MatrixXd& matrix) {
    return matrix.unaryExpr([](double value) { return double{1} * significant_bits(value); })
        .maxCoeff();
}

/// How many entries are a multiple of `grid` up to the rounding to doubles.
double entries_on(double grid, const MatrixXd& matrix) {
    if (!(grid > 0.0)) {
        return 0.0;
    }
    return (matrix.array() / grid)
        .unaryExpr([](double steps) { return steps == std::nearbyint(steps) ? 1.0 : 0.0; })
        .sum();
}

/// The l1 norm in the coordinates (A_ii, sqrt(2) A_ij), i < j.
double l1_norm(const MatrixXd& symmetric) {
    const double diagonal = symmetric.diagonal().lpNorm<1>();
    return diagonal + std::sqrt(0.5) * (symmetric.lpNorm<1>() - diagonal);
}

struct Measurement {
    const char* name;
    double number;
};

/// The release with its matrix times the noisy number of rows, where there is one: what the sums
/// with their noise were.
Release of_sums(Release release) {
    if (release.noisy_rows) {
        const auto rows = static_cast<double>(*release.noisy_rows);
        release.covariance *= rows;
        release.grid *= rows;
    }
    return release;
}

/// Of a release whose matrix is of_x or of_y plus noise, or may be.
std::vector<Measurement> measure_noise(const Release& release, const MatrixXd& of_x,
                                       const MatrixXd& of_y) {
    const MatrixXd& z = release.covariance;
    const Index d = z.rows();
    const MatrixXd difference = of_x - of_y;
    const MatrixXd less_x = z - of_x;
    const MatrixXd less_y = z - of_y;
    const VectorXd eigenvalues = detail::eigenvalues(z);
    const VectorXd eigenvalues_less_x = detail::eigenvalues(less_x);
    const VectorXd eigenvalues_less_y = detail::eigenvalues(less_y);
    const double component = z.cwiseProduct(difference).sum();
    const double on_diagonal = z.diagonal().dot(difference.diagonal());
    return {
        {"component along the difference", component},
        {"diagonal part of the component", on_diagonal},
        {"off-diagonal part of the component", component - on_diagonal},
        {"trace", z.trace()},
        {"greatest eigenvalue", eigenvalues(d - 1)},
        {"second eigenvalue", eigenvalues(d > 1 ? d - 2 : 0)},
        {"least eigenvalue", eigenvalues(0)},
        {"distance to the first table", less_x.norm()},
        {"distance to the second table", less_y.norm()},
        // The log-ratio of isotropic Laplace noise, up to its scale; and one for noise whose law
        // is one of eigenvalues.
        {"difference of the distances in l1", l1_norm(less_x) - l1_norm(less_y)},
        {"difference of the distances in the nuclear norm",
         eigenvalues_less_x.lpNorm<1>() - eigenvalues_less_y.lpNorm<1>()},
        {"least eigenvalue less the first table", eigenvalues_less_x(0)},
        {"least eigenvalue less the second table", eigenvalues_less_y(0)},
        {"threshold", release.threshold.value_or(-1.0)},
        {"estimated error", release.estimated_frobenius_error.value_or(-1.0)},
        {"grid", release.grid},
        {"entries on the grid", entries_on(release.grid, z)},
        {"significant bits", most_significant_bits(z)},
        {"significant bits less the first table", most_significant_bits(less_x)},
        {"significant bits less the second table", most_significant_bits(less_y)},
    };
}

/// Everything but the entries of matrix and mean. `of_x`, `of_y`: the moment of either table.
std::vector<Measurement> measure(const Release& release, const MatrixXd& of_x,
                                 const MatrixXd& of_y) {
    std::vector<Measurement> measurements = measure_noise(of_sums(release), of_x, of_y);
    // What else the record says.
    measurements.insert(
        measurements.end(),
        {{"number of rows", release.rows ? static_cast<double>(*release.rows) : -1.0},
         {"share of the norm bound", release.share_of_norm_bound},
         {"worse than zero", release.worse_than_zero ? 1.0 : 0.0},
         {"why it is zero", release.zero ? static_cast<double>(*release.zero) : -1.0},
         {"number of stages", static_cast<double>(release.stages.size())},
         {"norm bound", release.norm_bound},
         {"sum of the origin", release.origin.sum()},
         {"sum of the stretch", release.stretch.sum()}});
    if (release.neighbours == Neighbours::add_remove) {
        // What the division by a noisy number of rows may give away.
        measurements.insert(
            measurements.end(),
            {{"noisy number of rows", static_cast<double>(release.noisy_rows.value_or(0))},
             {"trace as released", release.covariance.trace()},
             {"norm as released", release.covariance.norm()},
             {"grid as released", release.grid}});
    }
    return measurements;
}

/// The noisy sums of `statistics`: of all strata together, and of the one with the longest rows.
/// Zeros where there are none.
struct KeptSums {
    MatrixXd all;
    MatrixXd longest;
    VectorXd mean_of_all;
    VectorXd mean_of_longest;
    double radius = 0.0;            ///< of the one with the longest rows
    double noise_scale = 0.0;       ///< of the same, as the release says it
    double mean_noise_scale = 0.0;  ///< likewise
    double left_out = 0.0;          ///< how many strata are
    double counted = 0.0;           ///< by the histogram of norms: rows,
    double counted_longest = 0.0;   ///< those of its last bin,
    double norms = 0.0;             ///< and the sum of their norms, as long as they may be
};

KeptSums kept_sums(const Statistics& statistics, Index d) {
    KeptSums sums{MatrixXd::Zero(d, d), MatrixXd::Zero(d, d), VectorXd::Zero(d), VectorXd::Zero(d)};
    // Where the number of rows is private, what they were before they were divided by it.
    const double over = statistics.rows_deviation > 0.0 ? statistics.rows : 1.0;
    for (const NoisyMoment& stratum : statistics.strata) {
        sums.all += over * stratum.second_moment;
        if (stratum.mean.size() > 0) {
            sums.mean_of_all += over * stratum.mean;
        }
        sums.left_out += stratum.left_out ? 1.0 : 0.0;
        if (stratum.radius > sums.radius) {
            sums.radius = stratum.radius;
            sums.noise_scale = stratum.noise_scale;
            sums.mean_noise_scale = stratum.mean_noise_scale;
            sums.longest = over * stratum.second_moment;
            sums.mean_of_longest = stratum.mean.size() > 0 ? VectorXd(over * stratum.mean)
                                                           : VectorXd(VectorXd::Zero(d));
        }
    }
    if (statistics.mean) {
        sums.mean_of_all += over * *statistics.mean;
    }
    if (statistics.norms) {
        const auto& [counts, radii, deviation] = *statistics.norms;
        sums.counted = std::accumulate(counts.begin(), counts.end(), 0.0);
        sums.counted_longest = counts.back();
        sums.norms = std::inner_product(counts.begin(), counts.end(), radii.begin(), 0.0);
    }
    return sums;
}

/// What `dpcov estimate --release` hands out besides: nothing was made of it.
std::vector<Measurement> measure_kept(const Statistics& statistics, const KeptSums& sums,
                                      const MatrixXd& of_x, const MatrixXd& of_y) {
    const MatrixXd difference = of_x - of_y;
    return {
        {"kept: rows", statistics.rows},
        {"kept: deviation of the rows", statistics.rows_deviation},
        {"kept: number of strata", static_cast<double>(statistics.strata.size())},
        {"kept: strata left out", sums.left_out},
        {"kept: radius of the longest stratum", sums.radius},
        {"kept: noise of the longest stratum", sums.noise_scale},
        {"kept: rows in all bins of norms", sums.counted},
        {"kept: rows in the bin of the longest", sums.counted_longest},
        {"kept: sum of norms by their bins", sums.norms},
        {"kept: noise of its mean", sums.mean_noise_scale},
        {"kept: noise of a mean apart", statistics.mean_noise_scale},
        {"kept: trace", sums.all.trace()},
        {"kept: component along the difference", sums.all.cwiseProduct(difference).sum()},
        {"kept: trace of the longest stratum", sums.longest.trace()},
        {"kept: component of the longest stratum", sums.longest.cwiseProduct(difference).sum()},
        {"kept: distance to the first table", (sums.all - of_x).norm()},
        {"kept: distance to the second table", (sums.all - of_y).norm()},
        {"kept: sum of the mean", sums.mean_of_all.sum()},
        {"kept: sum of the longest stratum's mean", sums.mean_of_longest.sum()},
        {"kept: significant bits", most_significant_bits(sums.all)},
        {"kept: significant bits of the mean", most_significant_bits(sums.mean_of_all)},
    };
}

std::vector<double> entries_of(const MatrixXd& symmetric) {
    std::vector<double> entries;
    for (Index j = 0; j < symmetric.cols(); ++j) {
        for (Index i = 0; i <= j; ++i) {
            entries.push_back(symmetric(i, j));
        }
    }
    return entries;
}

}  // namespace

Distinguishers::Distinguishers(const NeighbourPair& pair, bool kept)
    : kept_(kept), of_x_(pair.moment_of_x()), of_y_(pair.moment_of_y()) {
    Release any;
    any.neighbours = pair.neighbours;
    any.covariance = MatrixXd::Zero(of_x_.rows(), of_x_.cols());
    for (const Measurement& measurement : measure(any, of_x_, of_y_)) {
        names_.emplace_back(measurement.name);
    }
    const auto add_names = [&](const std::string& front) {
        for (std::size_t j = 0; j < pair.dimension; ++j) {
            for (std::size_t i = 0; i <= j; ++i) {
                names_.push_back(front + "entry (" + std::to_string(i) + ", " + std::to_string(j) +
                                 ")");
            }
        }
        for (std::size_t j = 0; j < pair.dimension; ++j) {
            names_.push_back(front + "entry " + std::to_string(j) + " of the mean");
        }
    };
    add_names("");
    if (kept_) {
        const KeptSums none = kept_sums({}, of_x_.rows());
        for (const Measurement& measurement : measure_kept({}, none, of_x_, of_y_)) {
            names_.emplace_back(measurement.name);
        }
        add_names("kept: ");
    }
}

VectorXd Distinguishers::observe(const Release& release) const {
    const Index d = of_x_.rows();
    std::vector<double> numbers;
    numbers.reserve(names_.size());
    const auto add = [&](const std::vector<Measurement>& measurements) {
        for (const Measurement& measurement : measurements) {
            numbers.push_back(measurement.number);
        }
    };
    const auto add_entries = [&](const MatrixXd& matrix, const VectorXd& mean) {
        const std::vector<double> entries = entries_of(matrix);
        numbers.insert(numbers.end(), entries.begin(), entries.end());
        numbers.insert(numbers.end(), mean.begin(), mean.end());
    };
    add(measure(release, of_x_, of_y_));
    add_entries(release.covariance, release.mean.value_or(VectorXd::Zero(d)));
    if (kept_) {
        const KeptSums sums = kept_sums(release.statistics, d);
        add(measure_kept(release.statistics, sums, of_x_, of_y_));
        add_entries(sums.all, sums.mean_of_all);
    }
    return Eigen::Map<const VectorXd>(numbers.data(), static_cast<Index>(numbers.size()))
        .unaryExpr([](double number) { return std::isfinite(number) ? number : not_finite; });
}

VectorXd discriminant(const MatrixXd& on_x, const MatrixXd& on_y) {
    const VectorXd mean_x = on_x.rowwise().mean();
    const VectorXd mean_y = on_y.rowwise().mean();
    MatrixXd scatter = MatrixXd::Zero(on_x.rows(), on_x.rows());
    const MatrixXd residual_x = on_x.colwise() - mean_x;
    const MatrixXd residual_y = on_y.colwise() - mean_y;
    scatter.selfadjointView<Eigen::Lower>().rankUpdate(residual_x);
    scatter.selfadjointView<Eigen::Lower>().rankUpdate(residual_y);
    scatter /= static_cast<double>(on_x.cols() + on_y.cols());

    // Every measurement in units of its own deviation, so that one ridge suits all. It is small
    // enough to leave a combination that is free of noise, and large enough to leave out one that
    // is always zero.
    const VectorXd deviations = scatter.diagonal().cwiseSqrt();
    const VectorXd scales = deviations.unaryExpr(
        [](double deviation) { return deviation > 0.0 ? 1.0 / deviation : 0.0; });
    MatrixXd correlation = scales.asDiagonal() * MatrixXd(scatter.selfadjointView<Eigen::Lower>()) *
                           scales.asDiagonal();
    constexpr double ridge = 1e-9;
    correlation.diagonal().array() += ridge;
    return scales.cwiseProduct(correlation.ldlt().solve(scales.cwiseProduct(mean_x - mean_y)));
}

}  // namespace dpcov::audit
