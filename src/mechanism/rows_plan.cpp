#include "mechanism/rows_plan.hpp"

#include <cmath>

#include "mechanism/noise.hpp"
#include "mechanism/sensitivity.hpp"

namespace dpcov::detail {
namespace {

// What a noisy n adds to the squared error is its relative variance times the squared norm of the
// matrix; what it takes from the budget, the strata lack. `power` p: squared errors fall with the
// budget's (p - 1)-th power. Then the best share is as below, and the error (E^(1/p) + V^(1/p))^p.
std::optional<double> share_of_least_error(const Prediction& predicted, double variance_with_strata,
                                           double variance_apart, double power) {
    const double strata = std::pow(predicted.squared_error, 1.0 / power);
    const double rows = std::pow(predicted.squared_norm * variance_apart, 1.0 / power);
    const double with_strata =
        predicted.squared_error + predicted.squared_norm * variance_with_strata;
    if (!(std::pow(strata + rows, power) < with_strata)) {
        return std::nullopt;
    }
    return rows / (strata + rows);
}

double error_power(Rho /*budget*/) {
    return 2.0;
}
double error_power(Epsilon /*budget*/) {
    return 3.0;
}

}  // namespace

template <class Share>
std::optional<double> share_for_rows(const Prediction& prediction, const RowCount& rows,
                                     std::size_t columns, const JointQuery& query,
                                     std::size_t draws, Share strata) {
    const auto relative = [&](double deviation) { return std::pow(deviation / rows.value, 2); };
    const double counted = noise_size(Neighbours::add_remove, columns, query, strata).rows;
    const double apart = Noise<Share>(row_count_sensitivity(), strata).deviation();
    return share_of_least_error(prediction, static_cast<double>(draws) * relative(counted),
                                relative(apart), error_power(strata));
}

template std::optional<double> share_for_rows(const Prediction&, const RowCount&, std::size_t,
                                              const JointQuery&, std::size_t, Rho);
template std::optional<double> share_for_rows(const Prediction&, const RowCount&, std::size_t,
                                              const JointQuery&, std::size_t, Epsilon);

}  // namespace dpcov::detail
