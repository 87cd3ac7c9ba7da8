// The list of mechanisms: what each can promise, and the function that it is.
#pragma once

#include "dpcov/methods.hpp"
#include "mechanism/mechanism.hpp"

namespace dpcov::detail {

/// A method, and what runs it.
struct Entry {
    Method method;
    Mechanism mechanism = nullptr;
    /// It releases the mean with the second moment, or looks at neither. Others are centred from
    /// outside, at a share of the budget for the mean.
    bool centres_itself = false;
};

/// The entry of one of methods().
[[nodiscard]] const Entry& entry_of(const Method& method);

}  // namespace dpcov::detail
