// The constants of Tuning as a list, for whoever measures what they do or tests that each does
// something. Nothing that estimates includes this.
#pragma once

#include <array>
#include <variant>

#include "estimate/tuning.hpp"

namespace dpcov::detail {

struct TuningConstant {
    const char* name;
    const char* unit;
    const char* origin;  ///< statistical, fitted, safety or grid
    std::variant<double Tuning::*, int Tuning::*> member;
    double lower;  ///< a sensible step: half of it, where nothing else is said
    double higher;

    [[nodiscard]] double value(const Tuning& tuning) const {
        return std::visit([&](auto at) { return static_cast<double>(tuning.*at); }, member);
    }

    /// The tuning with this constant moved.
    [[nodiscard]] Tuning moved(Tuning tuning, double to) const {
        if (const auto* real = std::get_if<double Tuning::*>(&member)) {
            tuning.** real = to;
        } else {
            tuning.*std::get<int Tuning::*>(member) = static_cast<int>(to);
        }
        return tuning;
    }
};

constexpr std::array tuning_constants = {
    TuningConstant{"detection_z", "z-score", "statistical", &Tuning::detection_z, 2.0, 8.0},
    TuningConstant{"first_detection_z", "z-score", "statistical", &Tuning::first_detection_z, 2.25,
                   9.0},
    TuningConstant{"detection_quantile", "scale of the noise's edge", "statistical",
                   &Tuning::detection_quantile, 2.75, 11.0},
    TuningConstant{"wishart_tail", "1 / degrees of freedom", "statistical", &Tuning::wishart_tail,
                   1.5, 6.0},
    TuningConstant{"shape_z", "z-score", "fitted", &Tuning::shape_z, 1.0, 4.0},
    TuningConstant{"pooling_z", "z-score", "fitted", &Tuning::pooling_z, 0.5, 2.0},
    TuningConstant{"undetectable_z", "z-score", "safety", &Tuning::undetectable_z, 0.25, 1.0},
    TuningConstant{"persistence", "probability", "fitted", &Tuning::persistence, 0.9, 0.999},
    TuningConstant{"reach_per_octave", "probability", "fitted", &Tuning::reach_per_octave, 0.5,
                   1.0},
    TuningConstant{"least_presence", "probability", "safety", &Tuning::least_presence, 1e-100,
                   1e-300},
    TuningConstant{"faint_noise_limit", "norm of the estimate", "safety",
                   &Tuning::faint_noise_limit, 0.5, 2.0},
    TuningConstant{"sampling_errors_allowed", "expected sampling error", "fitted",
                   &Tuning::sampling_errors_allowed, 2.0, 8.0},
    TuningConstant{"lack_of_fit_z", "z-score", "statistical", &Tuning::lack_of_fit_z, 1.0, 4.0},
    TuningConstant{"refutation_z", "z-score", "statistical", &Tuning::refutation_z, 2.0, 8.0},
    TuningConstant{"candidate_price", "degrees of freedom", "fitted", &Tuning::candidate_price, 1.5,
                   6.0},
    TuningConstant{"wide_filter_strength", "sampling error of rows drawn alike", "fitted",
                   &Tuning::wide_filter_strength, 4.0, 16.0},
    TuningConstant{"kernel_width", "s √(2d) d^(-1/3)", "statistical", &Tuning::kernel_width, 0.5,
                   2.0},
    TuningConstant{"kernel_span", "ratio", "fitted", &Tuning::kernel_span, 1.5, 4.0},
    TuningConstant{"most_spikes", "eigenvalues", "grid", &Tuning::most_spikes, 8.0, 32.0},
    TuningConstant{"entrywise_candidates", "candidates", "grid", &Tuning::entrywise_candidates, 0.0,
                   1.0},
    TuningConstant{"entry_threshold", "deviations of an entry's noise", "fitted",
                   &Tuning::entry_threshold, 1.0, 4.0},
    TuningConstant{"pooling_gain_z", "z-score", "statistical", &Tuning::pooling_gain_z, 1.0, 4.0},
    TuningConstant{"wishart_square_deviation", "ratio", "statistical",
                   &Tuning::wishart_square_deviation, 0.75, 3.0},
    TuningConstant{"mixture_weights_freedom", "degrees of freedom", "fitted",
                   &Tuning::mixture_weights_freedom, 0.25, 1.0},
    TuningConstant{"model_reach_z", "z-score", "statistical", &Tuning::model_reach_z, 1.0, 4.0},
    TuningConstant{"stein_caution_gaussian", "z-score", "fitted", &Tuning::stein_caution_gaussian,
                   1.5, 6.0},
    TuningConstant{"stein_caution_wishart", "z-score", "fitted", &Tuning::stein_caution_wishart,
                   0.5, 2.0},
    TuningConstant{"strength_steps_gaussian", "steps", "grid", &Tuning::strength_steps_gaussian,
                   5.0, 20.0},
    TuningConstant{"strength_steps_wishart", "steps", "grid", &Tuning::strength_steps_wishart, 1.0,
                   10.0},
    TuningConstant{"strength_odds", "odds", "fitted", &Tuning::strength_odds, 0.125, 0.5},
};

}  // namespace dpcov::detail
