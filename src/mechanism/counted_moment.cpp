#include "mechanism/counted_moment.hpp"

#include <algorithm>
#include <cmath>

#include "dpcov/error.hpp"
#include "dpcov/limits.hpp"
#include "mechanism/noise.hpp"
#include "mechanism/sensitivity.hpp"
#include "privacy/budget_cut.hpp"
#include "privacy/budget_meter.hpp"

namespace dpcov::detail {
namespace {

// c of the count's share c / (1 + c). Squared errors fall with rho, or with epsilon^2.
double count_weight(std::size_t d, Rho /*budget*/) {
    const auto order = static_cast<double>(d);
    return std::sqrt(2.0 / (order * (order + 1.0)));
}
double count_weight(std::size_t d, Epsilon /*budget*/) {
    const auto order = static_cast<double>(d);
    return std::cbrt(4.0 / (order * (order + 1.0) * (order + 1.0)));
}

}  // namespace

void require_rows(const SecretMoment& secret) {
    if (secret.rows() == 0) {
        throw DataError("there are no rows; nothing can be estimated");
    }
}

CountedMoment counted_openly(const SecretMoment& secret) {
    const auto rows = static_cast<double>(secret.rows());
    return {secret, Neighbours::replace, {.value = rows, .deviation = 0.0, .at_most = rows}};
}

RowCount row_count(double noisy_rows, double deviation) {
    return {.value = std::clamp(std::round(noisy_rows), 1.0, static_cast<double>(limits::rows)),
            .deviation = deviation};
}

template <class Share>
RowCount noisy_count(const SecretMoment& secret, Share share, RandomSource& random) {
    const Noise<Share> noise(row_count_sensitivity(), share);
    const auto noisy_rows = static_cast<double>(noise.added_to(Int128{secret.rows()}, random));
    RowCount rows = row_count(noisy_rows, noise.deviation());
    rows.at_most = std::fmax(1.0, noisy_rows + noise.limit() + 1.0) * (1.0 + 0x1p-50);
    return rows;
}

template <class Share>
Counted<Share> count_rows(const SecretMoment& secret, const ReleaseOptions& options,
                          BudgetMeter<Share>& meter, RandomSource& random) {
    const Share total = meter.total();
    if (options.neighbours == Neighbours::replace) {
        require_rows(secret);
        return {counted_openly(secret), total};
    }
    const double weight = count_weight(secret.layout().columns, total);
    const auto [for_rows, rest] = cut(total, weight / (1.0 + weight), 32);
    const Share part =
        meter.spend("rows", for_rows, Noise<Share>::name() + " on the number of rows");
    return {{secret, options.neighbours, noisy_count(secret, part, random)}, rest};
}

template RowCount noisy_count(const SecretMoment&, Rho, RandomSource&);
template RowCount noisy_count(const SecretMoment&, Epsilon, RandomSource&);

template Counted<Rho> count_rows(const SecretMoment&, const ReleaseOptions&, RhoMeter&,
                                 RandomSource&);
template Counted<Epsilon> count_rows(const SecretMoment&, const ReleaseOptions&, EpsilonMeter&,
                                     RandomSource&);

}  // namespace dpcov::detail
