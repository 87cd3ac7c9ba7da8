// What a call that is refused has to say.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "dpcov/error.hpp"

namespace dpcov::test {

/// Expects `action` to throw an `Expected` with a text that holds every part, and none of the
/// secrets. Fails where nothing is thrown.
template <class Expected>
void expect_error(const std::function<void()>& action, const std::vector<std::string>& parts,
                  const std::vector<std::string>& secrets = {}) {
    try {
        action();
        ADD_FAILURE() << "nothing was thrown";
    } catch (const Error& error) {
        const std::string text = error.what();
        EXPECT_NE(dynamic_cast<const Expected*>(&error), nullptr) << "wrong kind: " << text;
        for (const std::string& part : parts) {
            EXPECT_NE(text.find(part), std::string::npos) << "no '" << part << "' in: " << text;
        }
        for (const std::string& secret : secrets) {
            EXPECT_EQ(text.find(secret), std::string::npos) << "'" << secret << "' in: " << text;
        }
    }
}

}  // namespace dpcov::test
