#include "mechanism/run_method.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <variant>

#include "arithmetic/in_units.hpp"
#include "dpcov/version.hpp"
#include "mechanism/catalogue.hpp"
#include "mechanism/centered.hpp"
#include "mechanism/noise_scale.hpp"
#include "mechanism/option_rules.hpp"
#include "mechanism/zero.hpp"

namespace dpcov::detail {

namespace {

// From rows that were moved and stretched to the rows as mapped. No mean is beyond the norm bound,
// nor, by rounding, beyond the columns' bounds, within which it is (mechanism/mean_within_bounds).
Eigen::VectorXd mean_of_mapped(Eigen::VectorXd mean, const Release& release) {
    mean = mean.cwiseMax(-release.norm_bound).cwiseMin(release.norm_bound);
    if (release.stretch.size() > 0) {
        mean.array() /= release.stretch.array();
    }
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

Release run_method(const Method& method, const ReleasedRows& rows, const Budget& budget,
                   const ReleaseOptions& options, RandomSource& random) {
    require_fitting(method, budget, options, static_cast<bool>(options.read_again));
    require_drawable(budget, rows->layout().columns, options.rows_per_person);
    const Entry& entry = entry_of(method);
    Release release = options.center && !method.centres_itself
                          ? centered(*rows, budget, options, random, entry.mechanism)
                          : entry.mechanism(rows, budget, options, random);
    release.method = method.name;
    release.variant = options.variant;
    release.curve = method.curve(options.variant);
    release.neighbours = options.neighbours;
    release.centered = options.center;
    const double squared_mean = release.mean ? release.mean->squaredNorm() : 0.0;
    // In the norm bound's units: before the stretch is undone.
    release.share_of_norm_bound =
        (release.covariance.trace() + squared_mean) / (release.norm_bound * release.norm_bound);
    if (release.mean) {
        release.mean = mean_of_mapped(*std::move(release.mean), release);
    }
    if (release.stretch.size() > 0) {
        release.covariance = in_units(release.covariance, release.stretch.cwiseInverse());
        // They are alike in the stretched columns.
        release.estimated_frobenius_error.reset();
        release.hidden_rows_error.reset();
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

}  // namespace dpcov::detail
