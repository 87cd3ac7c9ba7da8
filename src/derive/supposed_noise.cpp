#include "derive/supposed_noise.hpp"

#include <cmath>
#include <cstddef>

#include "derive/noise_of_release.hpp"
#include "mechanism/noise_scale.hpp"
#include "mechanism/sensitivity.hpp"
#include "privacy/rows_of_person.hpp"

namespace dpcov::detail {
namespace {

// For one row, from which noise follows. All stages are of one kind.
double spent(const Release& release) {
    double sum = 0.0;
    for (const Stage<Budget>& stage : release.stages) {
        sum += amount_of(row_budget(stage.spent, release.rows_per_person));
    }
    return sum;
}

}  // namespace

double supposed_noise_deviation(const Release& release) {
    const double budget = spent(release);
    if (budget == 0.0) {
        return 0.0;
    }
    const double rows = differing_rows(release.neighbours);
    // The sum of the rows, from which a mean comes, is of rows up to the norm bound.
    const double norm =
        release.centered ? release.norm_bound : release.threshold.value_or(release.norm_bound);
    const auto d = static_cast<std::size_t>(release.covariance.rows());
    const bool pure = std::holds_alternative<Epsilon>(release.stages.front().spent);
    const double deviation = pure ? wishart_deviation(wishart_noise_scale(rows, Epsilon(budget)), d)
                                  : gaussian_deviation(std::sqrt(rows), Rho(budget));
    return deviation * norm * norm / rows_of(release);
}

}  // namespace dpcov::detail
