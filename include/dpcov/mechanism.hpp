// The mechanisms: the only place that sees both data and noise. Each spends a budget once and
// returns a Release; everything done to a Release afterwards is post-processing and free.
// Proofs of every privacy claim: docs/privacy.md.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "dpcov/budget.hpp"
#include "dpcov/random.hpp"
#include "dpcov/second_moment.hpp"

namespace dpcov {

/// Which form of a mechanism to run.
enum class Variant {
    best,       ///< the project's best form
    paper,      ///< noise, constants and budget as in the text of Dong, Liang, Yi 2022
    published,  ///< as in the experiments that the paper reports: no radius step, calibrated
                ///< constants
};

/// What a mechanism spends, in the definition that it is proved in. (epsilon, delta)-DP is met by
/// spending rho_for(target).
using Budget = std::variant<Rho, Epsilon>;

/// When two tables count as neighbours.
enum class Neighbours {
    replace,     ///< one row is replaced; n is public
    add_remove,  ///< one row is added or removed; n is private
};

/// How to run a mechanism; all of it public.
struct MechanismOptions {
    Variant variant = Variant::best;
    Neighbours neighbours = Neighbours::replace;
    /// Failure probability that the paper's bounds, and thereby AdaptiveCov's choices, are set for.
    double beta = 0.1;
    /// clip-gauss, clip-separate: the public clipping norm T, 0 < T <= B.
    std::optional<double> clip;
    /// Release the centred covariance; part of the budget then goes to the mean.
    bool center = false;
    /// coinpress: how many times the rows are looked at, 1 to 5.
    int coinpress_steps = 2;
};

/// A private estimate and the account of it. Nothing in it is un-noised.
struct Release {
    Eigen::MatrixXd covariance;  ///< d x d, symmetric; units of the input squared
    std::string method;
    Variant variant = Variant::best;
    Neighbours neighbours = Neighbours::replace;
    std::optional<std::uint64_t> rows;        ///< n where it is public
    std::optional<std::uint64_t> noisy_rows;  ///< where n is private: the noisy count, at least 1,
                                              ///< that the sums were divided by
    std::vector<Stage<Budget>> stages;
    double grid = 0.0;  ///< step of the public grid that the noisy matrix lies on, before
                        ///< post-processing; 0 if none
    std::optional<double> threshold;  ///< clipping norm that was chosen, where one was
    std::optional<double>
        estimated_frobenius_error;   ///< root of an unbiased risk estimate, where known
    bool secure_randomness = false;  ///< false: made with a seeded source; not private
};

/// A mechanism in the catalogue.
struct Method {
    std::string_view name;     ///< as the command line spells it
    std::string_view summary;  ///< one line
    std::string_view source;   ///< theorem or algorithm
    bool zcdp = false;         ///< can meet rho-zCDP (and (epsilon, delta)-DP through it)
    bool pure_dp = false;      ///< can meet pure epsilon-DP
    bool needs_clip = false;   ///< wants MechanismOptions::clip
    /// Whether it wants a moment with keep_directions in such a form.
    bool (*needs_directions)(Variant variant) = nullptr;
    /// Runs it and spends at most `budget`, as the stages say. Throws UsageError for a budget in a
    /// definition, or for options, that it cannot honour; then nothing is spent.
    std::function<Release(const SecondMoment& secret, const Budget& budget,
                          const MechanismOptions& options, RandomSource& random)>
        run;
};

/// Every mechanism there is, in the order in which `dpcov methods` lists them.
[[nodiscard]] const std::vector<Method>& methods();

/// The mechanism of that name. Throws UsageError naming the known ones.
[[nodiscard]] const Method& find_method(std::string_view name);

}  // namespace dpcov
