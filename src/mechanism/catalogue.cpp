// The list of mechanisms, and what is the same for all of them.
#include <algorithm>
#include <string>
#include <utility>
#include <variant>

#include "dpcov/error.hpp"
#include "mechanism/adaptive_cov.hpp"
#include "mechanism/automatic.hpp"
#include "mechanism/centered.hpp"
#include "mechanism/coinpress.hpp"
#include "mechanism/em_cov.hpp"
#include "mechanism/gauss_cov.hpp"
#include "mechanism/lap_cov.hpp"
#include "mechanism/mechanism.hpp"
#include "mechanism/noise_scale.hpp"
#include "mechanism/projection_cov.hpp"
#include "mechanism/separate_cov.hpp"
#include "mechanism/stratified.hpp"
#include "mechanism/wishart_cov.hpp"
#include "mechanism/zero.hpp"
#include "privacy/budget_for.hpp"
#include "text/in_quotes.hpp"

namespace dpcov {
namespace {

using detail::SecretMoment;
using Mechanism = Release (*)(const SecretMoment&, const Budget&, const ReleaseOptions&,
                              RandomSource&);

// What a method may be told beside the options of all, or wants to know.
enum class Takes { nothing, clip, full_norms, steps, norm_bins };

// The definitions that a mechanism can meet.
enum class Meets { zcdp, pure_dp, both };

// The catalogue's entry, and what runs it.
struct Entry {
    Method method;
    Mechanism mechanism;
    // It releases the mean with the second moment, or looks at neither. Others are centred from
    // outside, at a share of the budget for the mean.
    bool centres_itself = false;
};

void check(const Method& method, const Budget& budget, const ReleaseOptions& options) {
    const std::string name(method.name);
    const bool pure = std::holds_alternative<Epsilon>(budget);
    if (pure && !method.pure_dp) {
        throw UsageError("method " + name +
                         " cannot meet pure DP, an epsilon without delta; these can: " +
                         methods_where(&Method::pure_dp) + ". Or give rho, or epsilon and delta");
    }
    if (!pure && !method.zcdp) {
        throw UsageError("method " + name +
                         " meets pure DP only, an epsilon without delta; rho, or epsilon and "
                         "delta, are for " +
                         methods_where(&Method::zcdp));
    }
    // Throw for a number that was cast to an enum: what is told apart by it in one place by what it
    // is, and in another by what it is not, would get too little noise.
    static_cast<void>(name_of(options.variant));
    static_cast<void>(name_of(options.neighbours));
    if (options.accountant != nullptr && options.insecure_seed) {
        throw UsageError(
            "a release with a seed is not private at any budget, so nobody can account for it");
    }
    if (!(options.beta > 0.0 && options.beta < 1.0)) {
        throw UsageError("beta must be above 0 and below 1");
    }
    if (method.needs_clip && !options.clip) {
        throw UsageError("method " + name +
                         " needs clip, the public norm to which rows are clipped");
    }
    if (!method.needs_clip && options.clip) {
        throw UsageError("clip is not for method " + name + "; it is for " +
                         methods_where(&Method::needs_clip));
    }
    if (options.full_norms && !method.takes_full_norms) {
        throw UsageError("full norms are not for method " + name + "; they are for " +
                         methods_where(&Method::takes_full_norms));
    }
    if (options.steps && !method.takes_steps) {
        throw UsageError("steps are not for method " + name + "; they are for " +
                         methods_where(&Method::takes_steps));
    }
    if (options.steps && (*options.steps < 1 || *options.steps > detail::most_coinpress_steps)) {
        throw UsageError("method " + name + " takes 1 to " +
                         std::to_string(detail::most_coinpress_steps) + " steps, not " +
                         std::to_string(*options.steps));
    }
    if (options.read_again && !method.reads_twice) {
        throw UsageError("method " + name + " looks at the rows once; these may twice: " +
                         methods_where(&Method::reads_twice));
    }
    if (options.read_again && options.variant != Variant::best) {
        throw UsageError("only variant best looks at the rows twice");
    }
}

bool never(Variant /*variant*/) {
    return false;
}

bool always(Variant /*variant*/) {
    return true;
}

// All that it draws under zCDP is the theorem's of docs/privacy.md#gaussian-curve.
Curve by_gaussian_noise(Variant /*variant*/) {
    return Curve::gaussian;
}

Curve by_zcdp(Variant /*variant*/) {
    return Curve::zcdp;
}

Entry method(std::string_view name, std::string_view summary, std::string_view source,
             Mechanism mechanism, Meets meets, Curve (*curve)(Variant),
             Takes takes = Takes::nothing, bool (*needs_directions)(Variant) = never) {
    return {{.name = name,
             .summary = summary,
             .source = source,
             .zcdp = meets != Meets::pure_dp,
             .pure_dp = meets != Meets::zcdp,
             .curve = curve,
             .needs_clip = takes == Takes::clip,
             .takes_full_norms = takes == Takes::full_norms,
             .takes_steps = takes == Takes::steps,
             .uses_norm_bins = takes == Takes::norm_bins,
             .reads_twice = takes == Takes::norm_bins,
             .needs_directions = needs_directions},
            mechanism};
}

Entry centring_itself(Entry entry) {
    entry.centres_itself = true;
    return entry;
}

Entry with_intervals(Entry entry) {
    entry.method.has_intervals = true;
    return entry;
}

const std::vector<Entry>& entries() {
    static const std::vector<Entry> all = {
        with_intervals(centring_itself(
            method("auto", "the project's choice: stratified; as paper and published adaptive",
                   "this project", &detail::automatic_cov, Meets::both, &detail::automatic_curve,
                   Takes::norm_bins, &detail::automatic_needs_directions))),
        with_intervals(centring_itself(method("gauss", "Gaussian noise on the matrix",
                                              "GaussCov (Dong, Liang, Yi 2022)", &detail::gauss_cov,
                                              Meets::zcdp, by_gaussian_noise))),
        method("laplace", "Laplace noise on the matrix", "LapCov (Dong, Liang, Yi 2022)",
               &detail::lap_cov, Meets::pure_dp, by_zcdp),
        with_intervals(centring_itself(method(
            "wishart", "two-sided Wishart noise on the matrix: less than Laplace from d = 3 on",
            "this project", &detail::wishart_cov, Meets::pure_dp, by_zcdp))),
        method("separate", "eigenvalues and eigenvectors apart; best for a small trace or large d",
               "SeparateCov (Dong, Liang, Yi 2022)", &detail::separate_cov, Meets::both,
               by_gaussian_noise),
        method("adaptive",
               "chooses a clipping norm privately, then gauss (pure: wishart) or separate",
               "AdaptiveCov, Algorithm 3 (Dong, Liang, Yi 2022)", &detail::adaptive_cov,
               Meets::both, by_zcdp, Takes::full_norms, always),
        with_intervals(method("clip-gauss", "gauss on rows clipped to a public norm",
                              "ClipGaussCov (Dong, Liang, Yi 2022)", &detail::gauss_cov,
                              Meets::zcdp, by_gaussian_noise, Takes::clip)),
        method("clip-laplace", "laplace on rows clipped to a public norm",
               "LapCov, clipped (Dong, Liang, Yi 2022)", &detail::lap_cov, Meets::pure_dp, by_zcdp,
               Takes::clip),
        method("clip-separate", "separate on rows clipped to a public norm",
               "ClipSeparateCov (Dong, Liang, Yi 2022)", &detail::separate_cov, Meets::both,
               by_gaussian_noise, Takes::clip),
        method("projection",
               "gauss, then the nearest matrix of trace at most the squared norm bound",
               "projection mechanism (Dong, Liang, Yi 2022, appendix C)", &detail::projection_cov,
               Meets::zcdp, by_gaussian_noise),
        method("em", "eigenvectors one by one by the exponential mechanism",
               "EMCov (Amin, Dick, Kulesza, Munoz Medina, Vassilvitskii 2019)", &detail::em_cov,
               Meets::both, by_zcdp),
        method("coinpress",
               "repeated whitening; for rows far from the norm bound in every direction",
               "CoinPress (Biswas, Dong, Kamath, Ullman 2020)", &detail::coinpress_cov, Meets::zcdp,
               by_gaussian_noise, Takes::steps),
        with_intervals(centring_itself(method(
            "stratified",
            "noise on every norm stratum by its own measure; empirical-Bayes shrinkage across "
            "strata",
            "this project", &detail::stratified_cov, Meets::both, by_gaussian_noise,
            Takes::norm_bins))),
        centring_itself(method("zero", "the zero matrix, which spends nothing: the baseline",
                               "baseline (Dong, Liang, Yi 2022)", &detail::zero_cov, Meets::both,
                               by_gaussian_noise)),
    };
    return all;
}

std::size_t place_of(std::string_view name) {
    std::string known;
    for (std::size_t i = 0; i < entries().size(); ++i) {
        const std::string_view other = entries()[i].method.name;
        if (other == name) {
            return i;
        }
        known += (known.empty() ? "" : ", ") + std::string(other);
    }
    throw UsageError("there is no method " + in_quotes(name) + "; there are " + known);
}

}  // namespace

const std::vector<Method>& methods() {
    static const std::vector<Method> all = [] {
        std::vector<Method> list;
        for (const Entry& entry : entries()) {
            list.push_back(entry.method);
        }
        return list;
    }();
    return all;
}

std::string methods_where(bool Method::*rule) {
    std::string names;
    for (const Method& method : methods()) {
        if (method.*rule) {
            names += (names.empty() ? "" : ", ") + std::string(method.name);
        }
    }
    return names;
}

const Method& find_method(std::string_view name) {
    return methods()[place_of(name)];
}

void check_options(const Definition& definition, const ReleaseOptions& options) {
    const Method& method = find_method(options.method);
    const Budget budget = detail::budget_for(definition, method.curve(options.variant));
    check(method, budget, options);
    detail::require_drawable(budget);
}

namespace detail {

namespace {

// The mean of rows about the origin, as that of the mapped rows: no mean is beyond the bounds.
Eigen::VectorXd within_bounds(Eigen::VectorXd mean, const Release& release) {
    if (release.origin.size() > 0) {
        mean += release.origin;
    }
    for (std::size_t j = 0; j < release.schema.size(); ++j) {
        if (release.schema[j].bounds) {
            double& value = mean[static_cast<Eigen::Index>(j)];
            value = std::clamp(value, -1.0, 1.0);
        }
    }
    return mean;
}

}  // namespace

Release run_method(const Method& method, const SecretMoment& secret, const Budget& budget,
                   const ReleaseOptions& options, RandomSource& random) {
    check(method, budget, options);
    require_drawable(budget);
    const Entry& entry = entries()[place_of(method.name)];
    Release release = options.center && !entry.centres_itself
                          ? centered(secret, budget, options, random, entry.mechanism)
                          : entry.mechanism(secret, budget, options, random);
    release.method = method.name;
    release.variant = options.variant;
    release.curve = method.curve(options.variant);
    release.neighbours = options.neighbours;
    release.centered = options.center;
    const double squared_mean = release.mean ? release.mean->squaredNorm() : 0.0;
    release.share_of_norm_bound =
        (release.covariance.trace() + squared_mean) / (release.norm_bound * release.norm_bound);
    if (release.mean) {
        release.mean = within_bounds(*std::move(release.mean), release);
    }
    release.definition = std::visit([](auto part) { return Definition(part); }, budget);
    release.version = version();
    release.secure_randomness = random.is_secure();
    if (release.covariance.isZero(0.0)) {
        release.zero = entry.mechanism == &zero_cov ? ZeroReason::baseline
                       : release.stages.empty()     ? ZeroReason::undetectable
                                                    : ZeroReason::nothing_seen;
    }
    return release;
}

}  // namespace detail

std::string_view version() {
    return DPCOV_VERSION;
}

}  // namespace dpcov
