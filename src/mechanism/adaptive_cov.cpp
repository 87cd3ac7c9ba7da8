#include "mechanism/adaptive_cov.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "dpcov/error.hpp"
#include "mechanism/clipped_gram.hpp"
#include "mechanism/noise.hpp"
#include "mechanism/noise_levels.hpp"
#include "mechanism/priv_radius.hpp"
#include "mechanism/release_steps.hpp"
#include "mechanism/sensitivity.hpp"
#include "mechanism/separate_cov.hpp"
#include "mechanism/sparse_vector.hpp"
#include "mechanism/whole_matrix.hpp"
#include "privacy/adaptive_split.hpp"
#include "privacy/budget_meter.hpp"

namespace dpcov::detail {
namespace {

constexpr AdaptiveSplit split_of(Variant variant) {
    switch (variant) {
        case Variant::paper:
            return paper_split;
        case Variant::published:
            return {.radius = 0, .trace = 2, .threshold = 2, .release = 12};
        case Variant::best:
            break;
    }
    return {.radius = 0, .trace = 1, .threshold = 2, .release = 13};
}

// An upper bound on the trace of the covariance clipped to the radius, that holds with probability
// 1 - beta / 8, and the noisy trace that it comes from.
struct PrivateTrace {
    double estimate = 0.0;
    double upper = 0.0;
};

template <class Share>
PrivateTrace private_trace(const CountedMoment& moment, int radius_exponent, Share budget,
                           double beta, RandomSource& random) {
    const Noise<Share> noise(Sensitivity::of_number(trace_sensitivity()), budget);
    const Int128 noisy = noise.added_to(clipped_trace(moment.secret, radius_exponent), random);
    const double unit = lattice_unit(moment.secret, radius_exponent) / moment.rows.value;
    PrivateTrace trace;
    trace.estimate = static_cast<double>(noisy) * unit;
    trace.upper = trace.estimate + noise.tail(beta / 8.0) * unit;
    // From here on post-processing: the trace is at most the squared radius, and its root is asked
    // for, so it must not be negative.
    const double squared_radius = full_weight * unit * moment.rows.value;
    trace.upper = std::clamp(trace.upper, least_relative_trace * squared_radius, squared_radius);
    return trace;
}

// The trace of rows that all reach the radius. Public.
PrivateTrace known_trace(const CountedMoment& moment, int radius_exponent) {
    const double squared_radius =
        std::pow(std::ldexp(moment.secret.layout().norm_bound, -radius_exponent), 2);
    return {.estimate = squared_radius, .upper = squared_radius};
}

// A budget, what a release with it is taken to err by, and by which constants.
template <class Share>
struct NoiseModel {
    LevelSetting setting;
    Share release;
    LevelConstants constants;

    [[nodiscard]] NoiseLevels at(double tau) const {
        return noise_levels(setting, release, tau, constants);
    }
    [[nodiscard]] double against_bias(double tau) const {
        return level_against_bias(setting, release, tau, constants);
    }
};

// The exponent of tau~, with `epsilon` spent.
template <class Share>
std::uint64_t private_threshold(const CountedMoment& moment, int radius_exponent,
                                const NoiseModel<Share>& noise, Epsilon epsilon,
                                RandomSource& random) {
    const SecretMoment& secret = moment.secret;
    const double radius = std::ldexp(secret.layout().norm_bound, -radius_exponent);
    const double to_units = std::ldexp(moment.rows.value / (radius * radius), bias_bits);
    const auto bias = [&](int exponent) {
        return noise.setting.variant == Variant::best
                   ? clipping_bias(secret, radius_exponent, exponent)
                   : clipping_bias_at_edges(secret, radius_exponent, exponent);
    };
    const auto first = static_cast<std::uint64_t>(radius_exponent);
    const std::uint64_t finest = std::max(finest_exponent(moment), first);
    constexpr int last = NormBins::octaves - 1;
    std::vector<QueryRun> queries;
    for (std::uint64_t t = first; t <= finest && t <= static_cast<std::uint64_t>(last); ++t) {
        const int exponent = static_cast<int>(t);
        const double level =
            noise.against_bias(std::ldexp(secret.layout().norm_bound, -exponent)) * to_units;
        queries.push_back({bias(exponent) - static_cast<Int128>(std::fmin(level, 0x1p100)), 1});
    }
    // Thresholds below the last octave clip all that there is, and their noise is nothing.
    if (finest > static_cast<std::uint64_t>(last)) {
        queries.push_back({bias(last), finest - static_cast<std::uint64_t>(last)});
    }
    const auto found =
        above_threshold(queries, 0, bias_sensitivity(secret.layout().columns), epsilon, random);
    if (!found) {
        return finest;
    }
    return first + (*found > 0 ? *found - 1 : 0);
}

// What a sparse vector technique, which is pure DP, may spend of a share.
Epsilon pure_part(Rho rho) {
    return epsilon_within(rho);
}
Epsilon pure_part(Epsilon epsilon) {
    return epsilon;
}

// The covariance of rows clipped to the threshold, by the mechanism that is expected to err less
// there. The trace is that of the rows as clipped to the norm bound.
template <class Share>
CovarianceEstimate released_at(const CountedMoment& moment, int exponent,
                               const NoiseModel<Share>& noise, const PrivateTrace& trace,
                               BudgetMeter<Share>& meter, RandomSource& random) {
    const Variant variant = noise.setting.variant;
    const NoiseLevels levels = noise.at(std::ldexp(moment.secret.layout().norm_bound, -exponent));
    const bool separate = levels.separate < levels.whole;
    const std::string name =
        separate ? "SeparateCov"
                 : mechanism_of(matrix_noise(noise.release, moment.neighbours,
                                             moment.secret.layout().columns, variant));
    const Share share = meter.spend("release", noise.release, name + " at the threshold");
    CovarianceEstimate estimate =
        separate ? separate_estimate<Share>(moment, exponent,
                                            {share.share(1, 1), share.share(1, 1)}, variant, random)
                 : matrix_estimate(moment, exponent, share, variant, std::fmax(0.0, trace.estimate),
                                   random);
    if (!estimate.estimated_squared_error) {
        estimate.estimated_squared_norm.reset();
        return estimate;
    }
    // Clipping took away a positive semidefinite matrix, whose Frobenius norm is at most its trace.
    const double lost = std::fmax(0.0, trace.estimate - estimate.noisy_trace);
    estimate.estimated_squared_error =
        std::fmax(0.0, *estimate.estimated_squared_error) + lost * lost;
    return estimate;
}

// What the steps of one release have in common.
template <class Share>
struct AdaptiveRun {
    const CountedMoment& moment;
    const ReleaseOptions& options;
    AdaptiveSplit split;
    Share budget;  // that is split
    BudgetMeter<Share>& meter;
    RandomSource& random;

    [[nodiscard]] Share share(unsigned sixteenths) const { return budget.share(sixteenths, 4); }
};

// The t of a radius 2^-t B that nearly every row is within; 0 where no budget is spent on it.
template <class Share>
std::uint64_t radius_exponent_of(const AdaptiveRun<Share>& run) {
    if (run.split.radius == 0) {
        return 0;
    }
    const Share part = run.meter.spend("radius", run.share(run.split.radius),
                                       "sparse vector: smallest ball that holds nearly every row");
    return private_radius(run.moment, pure_part(part), run.options.beta / 8.0, run.random);
}

// Of the rows as clipped to that radius.
template <class Share>
PrivateTrace trace_within(const AdaptiveRun<Share>& run, int radius_exponent) {
    if (run.options.full_norms) {
        return known_trace(run.moment, radius_exponent);
    }
    const Share part = run.meter.spend("trace", run.share(run.split.trace),
                                       Noise<Share>::name() + " on the trace");
    return private_trace(run.moment, radius_exponent, part, run.options.beta, run.random);
}

// An estimate from rows clipped to 2^-exponent B.
struct ClippedEstimate {
    std::uint64_t exponent = 0;
    CovarianceEstimate estimate;
};

// At a threshold within that radius; the zero matrix where it is below all octaves.
template <class Share>
ClippedEstimate clipped_estimate(const AdaptiveRun<Share>& run, std::uint64_t radius_exponent,
                                 const LevelConstants& constants) {
    constexpr auto octaves = static_cast<std::uint64_t>(NormBins::octaves);
    const MomentLayout& layout = run.moment.secret.layout();
    ClippedEstimate clipped{radius_exponent, no_estimate(layout)};
    if (radius_exponent >= octaves) {
        return clipped;
    }
    const auto radius = static_cast<int>(radius_exponent);
    const PrivateTrace trace = trace_within(run, radius);
    const Share part = run.meter.spend("threshold", run.share(run.split.threshold),
                                       "sparse vector: where clipping costs more than noise");
    const NoiseModel<Share> noise{
        .setting = {.variant = run.options.variant,
                    .neighbours = run.moment.neighbours,
                    .d = layout.columns,
                    .n = static_cast<std::uint64_t>(run.moment.rows.value),
                    .trace = trace.upper,
                    .beta = run.options.beta},
        .release = run.share(run.split.release),
        .constants = constants};
    clipped.exponent = private_threshold(run.moment, radius, noise, pure_part(part), run.random);
    if (clipped.exponent >= octaves) {
        return clipped;
    }
    clipped.estimate = released_at(run.moment, static_cast<int>(clipped.exponent), noise, trace,
                                   run.meter, run.random);
    if (run.split.radius > 0 || run.options.full_norms) {
        // Nobody measured what was cut.
        clipped.estimate.estimated_squared_error.reset();
        clipped.estimate.estimated_squared_norm.reset();
    }
    return clipped;
}

template <class Share>
Release adaptive_within(const SecretMoment& secret, Share budget, const ReleaseOptions& options,
                        const LevelConstants& constants, RandomSource& random) {
    if (!secret.layout().keep_directions) {
        throw UsageError(
            "method adaptive clips below the norm bound and needs a second moment that keeps "
            "directions");
    }
    AdaptiveSplit split = split_of(options.variant);
    if (options.full_norms) {
        split.release += split.trace;
        split.trace = 0;
    }
    BudgetMeter<Share> meter(budget);
    const Counted<Share> counted = count_rows(secret, options, meter, random);
    const AdaptiveRun<Share> run{counted.moment, options, split, counted.rest, meter, random};
    ClippedEstimate clipped = clipped_estimate(run, radius_exponent_of(run), constants);
    // Of the rows as cut at a threshold of the release's own.
    clipped.estimate.statistics.strata.clear();
    Release release = make_release(counted.moment, options, meter, std::move(clipped.estimate));
    constexpr std::uint64_t most = 800;  // above zero in doubles for every norm bound
    const auto exponent = static_cast<double>(std::min(clipped.exponent, most));
    release.threshold = secret.layout().norm_bound * std::exp2(-exponent);
    return release;
}

}  // namespace

Release adaptive_cov(const SecretMoment& secret, const Budget& budget,
                     const ReleaseOptions& options, RandomSource& random) {
    return adaptive_cov_with(LevelConstants{}, secret, budget, options, random);
}

Release adaptive_cov_with(const LevelConstants& constants, const SecretMoment& secret,
                          const Budget& budget, const ReleaseOptions& options,
                          RandomSource& random) {
    return std::visit(
        [&](auto share) { return adaptive_within(secret, share, options, constants, random); },
        budget);
}

}  // namespace dpcov::detail
