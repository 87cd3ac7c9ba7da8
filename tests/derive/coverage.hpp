// How often intervals hold the truth.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace dpcov::test {

/// How many of some intervals hold the truth; those that are absent apart.
struct Coverage {
    int inside = 0;
    int intervals = 0;
    int absent = 0;

    void add(double lower, double upper, double truth) {
        if (std::isnan(lower) || std::isnan(upper)) {
            ++absent;
            return;
        }
        ++intervals;
        inside += lower <= truth && truth <= upper ? 1 : 0;
    }
    [[nodiscard]] double share() const { return static_cast<double>(inside) / intervals; }
};

/// How many releases a share is measured on, where they do not take too long.
inline constexpr int releases = 2000;

/// Nominally 0.95, and none absent.
inline void expect_covers(const Coverage& coverage, double error, const std::string& what) {
    EXPECT_EQ(coverage.absent, 0) << what;
    EXPECT_NEAR(coverage.share(), 0.95, error) << what;
}

}  // namespace dpcov::test
