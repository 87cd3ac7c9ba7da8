// The list of mechanisms: what each can promise, and the function that it is.
#pragma once

#include "dpcov/methods.hpp"
#include "dpcov/release.hpp"
#include "mechanism/mechanism.hpp"

namespace dpcov::detail {

/// A method, and what runs it.
struct Entry {
    Method method;
    Mechanism mechanism = nullptr;
    /// It keeps its noisy statistics in variants paper and published, too.
    bool keeps_statistics_in_all_variants = false;
};

/// The entry of one of methods().
[[nodiscard]] const Entry& entry_of(const Method& method);

/// Whether the release is of a method whose strata may end anywhere. Its statistics, if it has any,
/// are estimated from stratum by stratum, and those in which nothing is detected are left out.
[[nodiscard]] bool is_of_strata(const Release& release);

/// Whether what is derived from the release has intervals, had its noisy statistics been kept:
/// those of methods with intervals, in variant best or where statistics are kept in all variants.
[[nodiscard]] bool could_have_intervals(const Release& release);

}  // namespace dpcov::detail
