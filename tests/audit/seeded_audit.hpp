// An audit that can be repeated.
#pragma once

#include <cstddef>
#include <cstdint>

#include "audit/audit.hpp"
#include "audit/controls.hpp"

namespace dpcov::test {

/// With which each of the tests' audits holds: an honest mechanism is refuted with probability at
/// most 10^-5, all of the tests' audits together (some 500) at most 0.5 %.
inline constexpr double audit_confidence = 1.0 - 1e-5;

/// At audit_confidence, on two threads, with noise from a fixed seed.
[[nodiscard]] inline audit::AuditReport seeded_audit(const audit::Suspect& method,
                                                     const Definition& claim, std::size_t dimension,
                                                     std::uint64_t runs,
                                                     const ReleaseOptions& mechanism = {}) {
    audit::AuditOptions options;
    options.dimension = dimension;
    options.runs = runs;
    options.confidence = audit_confidence;
    options.threads = 2;
    options.mechanism = mechanism;
    options.random = [](std::uint64_t stream) {
        return std::make_unique<SeededRandomSource>(20221128, stream);
    };
    return audit::audit_method(method, claim, options);
}

/// The audit that has to refute it.
[[nodiscard]] inline audit::AuditReport seeded_audit(const Control& control) {
    ReleaseOptions options;
    options.neighbours = control.neighbours;
    options.keep_statistics = control.keep_statistics;
    return seeded_audit(control.method, control.claim, control.dimension, control.runs, options);
}

}  // namespace dpcov::test
