// What every step of a stratified release is given, and how its budget is cut.
#pragma once

#include <string>

#include "mechanism/joint_moment.hpp"
#include "mechanism/mechanism.hpp"
#include "mechanism/noise.hpp"
#include "mechanism/strata_draws.hpp"
#include "partition/partition.hpp"
#include "privacy/budget_meter.hpp"

namespace dpcov::detail {

/// Where every step draws its noise, what it tells that it spends, and how strata are chosen.
template <class Share>
struct StrataTask {
    const ReleaseOptions& options;
    RandomSource& random;
    BudgetMeter<Share>& meter;
    const PartitionTuning& tuning;
};

/// `parts` of 256 of a budget.
template <class Share>
[[nodiscard]] Share parts_of(Share budget, unsigned parts) {
    return budget.share(parts, 8);
}

/// The number of rows in each bin of norms, with noise that spends `share` as that stage.
template <class Share>
[[nodiscard]] NoisyHistogram draw_histogram(const StrataTask<Share>& task,
                                            const SecretMoment& secret, Share share,
                                            const char* stage = "norms") {
    const Share spent = task.meter.spend(
        stage, share, Noise<Share>::name() + " on the number of rows in each bin of norms");
    return noisy_histogram(secret, task.options.neighbours, spent, task.random);
}

}  // namespace dpcov::detail
