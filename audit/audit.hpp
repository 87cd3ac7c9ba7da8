// An empirical lower bound on the privacy loss of a mechanism, which it treats as a black box.
//
// For each pair of neighbouring tables the mechanism runs `runs` times on either, with independent
// noise. On the first half of the runs an event is chosen: a measurement of the release and a
// threshold that it passes. On the second half the event is counted. Clopper-Pearson limits of its
// two probabilities give a bound on the loss, for zCDP also the means of a score
// (docs/privacy.md#audit), that holds for all pairs at once with the confidence asked for: an
// honest mechanism is refuted with probability at most 1 - confidence. A mechanism that is not
// refuted is not thereby proved private.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dpcov/budget.hpp"
#include "mechanism/mechanism.hpp"

namespace dpcov::audit {

/// What is attacked: a mechanism, as a function that nothing is known of.
struct Suspect {
    using Run = std::function<Release(const detail::SecretMoment& secret, const Budget& budget,
                                      const ReleaseOptions& options, RandomSource& random)>;

    Suspect(std::string suspect_name, Run suspect_run)
        : name(std::move(suspect_name)), run(std::move(suspect_run)) {}
    /// One of the catalogue.
    Suspect(const Method& method);  // NOLINT(google-explicit-constructor): a method is a suspect

    /// Row-major tables of so many columns to tables of as many.
    using Prepare = std::function<std::vector<double>(std::vector<double> rows, std::size_t d)>;

    std::string name;
    Run run;
    Prepare prepare = {};  ///< what it does to a table before it adds its rows up; may be empty
    bool needs_clip = false;
    /// How it claims (epsilon, delta)-DP from its rho; none: by zCDP.
    Curve (*curve)(Variant variant) = nullptr;
};

struct AuditOptions {
    std::size_t dimension = 2;  ///< columns of the tables, 1 to 20
    std::uint64_t runs = 2000;  ///< on each table of each pair, at least 4
    double confidence = 0.95;   ///< above 0, below 1
    unsigned threads = 1;       ///< at least 1; the report does not depend on it
    /// Clip is chosen where the method needs one and there is none. Statistics that are kept are
    /// measured, too.
    ReleaseOptions mechanism;
    /// Noise for one block of runs; each stream is asked for once, by any thread. Empty: the
    /// system's own.
    std::function<std::unique_ptr<RandomSource>(std::uint64_t stream)> random;
    /// Called before each pair with its name; may be empty.
    std::function<void(const std::string& pair)> progress;
};

/// What an audit found; all losses in the definition of the claim (rho or epsilon).
struct AuditReport {
    double claimed = 0.0;
    double lower_bound = 0.0;   ///< greatest over the pairs; holds with the confidence asked for
    std::string pair;           ///< on which it was found; empty where the bound is 0
    std::string distinguisher;  ///< by which measurement
    bool refuted = false;       ///< lower_bound > claimed
};

/// Audits `suspect` at the budget that serves `claim` ((epsilon, delta)-DP: the largest rho that
/// implies it by the suspect's curve). Throws UsageError for options out of range, and what the
/// suspect throws.
[[nodiscard]] AuditReport audit_method(const Suspect& suspect, const Definition& claim,
                                       const AuditOptions& options);

}  // namespace dpcov::audit
