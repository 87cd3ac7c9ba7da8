// What a call complains of.
#pragma once

#include <string>

#include "dpcov/error.hpp"

namespace dpcov::test {

/// The message of the UsageError that `call` throws, or "no UsageError".
template <class Call>
std::string usage_error_of(const Call& call) {
    try {
        static_cast<void>(call());
    } catch (const UsageError& error) {
        return error.what();
    }
    return "no UsageError";
}

}  // namespace dpcov::test
