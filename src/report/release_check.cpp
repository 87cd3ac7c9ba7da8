#include "report/release_check.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "derive/parts_check.hpp"
#include "dpcov/error.hpp"
#include "dpcov/methods.hpp"
#include "moment/moved_rows.hpp"
#include "privacy/budget_for.hpp"
#include "privacy/rows_of_person.hpp"

namespace dpcov::detail {
namespace {

void require_consistent(bool holds, const char* what) {
    if (!holds) {
        throw UsageError(std::string("a release with ") + what);
    }
}

bool is_positive(double value) {
    return std::isfinite(value) && value > 0.0;
}

bool is_size(double value) {
    return std::isfinite(value) && value >= 0.0;
}

// But for the last bits, in which units of columns may have come in another order.
bool is_symmetric(const Eigen::MatrixXd& matrix) {
    constexpr double rounding = 0x1p-44;
    return ((matrix - matrix.transpose()).array().abs() <= rounding * matrix.array().abs()).all();
}

void check_stratum(const NoisyMoment& stratum) {
    require_consistent(is_positive(stratum.radius), "a stratum's radius that is not above zero");
    require_consistent(is_positive(stratum.noise_scale),
                       "a stratum's noise scale that is not above zero");
    require_consistent(stratum.second_moment == stratum.second_moment.transpose(),
                       "a stratum's second moment that is not symmetric");
    const bool has_mean = stratum.mean.size() > 0;
    require_consistent(
        has_mean ? is_positive(stratum.mean_noise_scale) : stratum.mean_noise_scale == 0.0,
        "a stratum's mean without the scale of its noise, or that without the mean");
}

void check_norms(const NoisyHistogram& norms) {
    const std::vector<double>& radii = norms.radii;
    require_consistent(is_positive(norms.deviation),
                       "a histogram of norms whose noise has no deviation above zero");
    require_consistent(!radii.empty() && radii.size() == norms.counts.size(),
                       "a histogram of norms without a radius for each count");
    require_consistent(radii.front() > 0.0 && radii.back() == 1.0 &&
                           std::is_sorted(radii.begin(), radii.end(), std::less_equal<>()),
                       "a histogram of norms whose radii do not rise from above zero to 1");
    require_consistent(std::all_of(norms.counts.begin(), norms.counts.end(),
                                   [](double count) { return std::isfinite(count); }),
                       "a histogram of norms with a count that is not finite");
}

void check_statistics(const Statistics& statistics) {
    if (statistics.norms) {
        require_consistent(!statistics.strata.empty(),
                           "a histogram of norms and no strata that were chosen by it");
        check_norms(*statistics.norms);
    }
    for (const NoisyMoment& stratum : statistics.strata) {
        check_stratum(stratum);
    }
    require_consistent(statistics.mean ? is_positive(statistics.mean_noise_scale)
                                       : statistics.mean_noise_scale == 0.0,
                       "a separate mean without the scale of its noise, or that without the mean");
}

bool spends_nothing(const Release& release) {
    return release.zero && *release.zero != ZeroReason::nothing_seen;
}

// Stages are rounded down, but their sum may be rounded up, by less than this factor.
constexpr double sum_rounding = 1.0 + 0x1p-40;

void check_account(const Release& release) {
    require_rows_per_person(release.rows_per_person);
    const Budget whole = budget_for(release.definition, release.curve);
    const double limit = amount_of(whole);
    double spent = 0.0;
    for (const Stage<Budget>& stage : release.stages) {
        require_consistent(stage.spent.index() == whole.index(),
                           "a stage whose budget is not of its definition");
        spent += amount_of(stage.spent);
    }
    require_consistent(spent <= limit * sum_rounding,
                       "stages that spend more than its definition allows");
    require_consistent(!release.charged || release.charged->index() == whole.index(),
                       "a charge whose budget is not of its definition");
    require_consistent(
        spends_nothing(release) == release.stages.empty(),
        "a matrix for which nothing was spent, or stages of one for which nothing was");
}

}  // namespace

void check_release(const Release& release) {
    check_parts(release);
    require_consistent(is_symmetric(release.covariance), "a covariance that is not symmetric");
    require_consistent(!release.centered || release.mean || spends_nothing(release),
                       "a covariance about a mean, and no mean");
    static_cast<void>(find_method(release.method));
    check_account(release);
    require_consistent(!release.rows || release.neighbours == Neighbours::replace,
                       "a number of rows that its neighbours keep private");
    require_consistent(is_positive(release.norm_bound), "a norm bound that is not above zero");
    require_consistent(!release.noisy_rows || release.neighbours == Neighbours::add_remove,
                       "a noisy number of rows, which its neighbours make public");
    check_movement({.columns = static_cast<std::size_t>(release.covariance.rows()),
                    .schema = release.schema,
                    .origin = {release.origin.begin(), release.origin.end()},
                    .stretch = {release.stretch.begin(), release.stretch.end()}});
    require_consistent(is_size(release.grid), "a grid that is not finite");
    require_consistent(!release.threshold || is_size(*release.threshold),
                       "a threshold that is not finite");
    require_consistent(
        !release.estimated_frobenius_error || is_size(*release.estimated_frobenius_error),
        "an estimated error that is not finite");
    require_consistent(!release.hidden_rows_error || is_size(*release.hidden_rows_error),
                       "an error of hidden rows that is not finite");
    require_consistent(std::isfinite(release.share_of_norm_bound),
                       "a share of the norm bound that is not finite");
    check_statistics(release.statistics);
}

}  // namespace dpcov::detail
