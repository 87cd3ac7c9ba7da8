// The tables of the audit are neighbours, and between them hard to hide.
#include "audit/neighbour_pairs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "support/decompositions.hpp"

namespace dpcov::audit {
namespace {

constexpr std::size_t dimensions[] = {1, 2, 3, 5, 20};

TEST(NeighbourPairs, DifferInTheLastRow) {
    for (const std::size_t d : dimensions) {
        std::set<std::string> names;
        for (const NeighbourPair& pair : neighbour_pairs(d, Neighbours::replace)) {
            EXPECT_TRUE(names.insert(pair.name).second) << pair.name;
            EXPECT_EQ(pair.dimension, d);
            ASSERT_EQ(pair.x.size(), pair.y.size());
            ASSERT_EQ(pair.x.size() % d, 0U);
            const auto last = static_cast<std::ptrdiff_t>(pair.x.size() - d);
            EXPECT_TRUE(std::equal(pair.x.begin(), pair.x.begin() + last, pair.y.begin()));
            EXPECT_NE(pair.x, pair.y) << pair.name;
        }
        EXPECT_GE(names.size(), d == 1 ? 5U : 10U);
    }
}

// The sensitivities of docs/privacy.md, in units of B^2 / n: sqrt(2) in the Frobenius norm and 2 in
// the nuclear norm from two columns on, 1 in one; and in l1 over the coordinates of the isotropic
// law nearly sqrt(d (d + 1)) for two columns.
TEST(NeighbourPairs, ReachTheSensitivities) {
    for (const std::size_t d : dimensions) {
        double frobenius = 0.0;
        double nuclear = 0.0;
        for (const NeighbourPair& pair : neighbour_pairs(d, Neighbours::replace)) {
            const auto n = static_cast<double>(pair.x.size() / d);
            const Eigen::MatrixXd moved = n * (pair.moment_of_x() - pair.moment_of_y());
            frobenius = std::max(frobenius, moved.norm());
            nuclear = std::max(nuclear, test::spectrum(moved).lpNorm<1>());
        }
        EXPECT_NEAR(frobenius, d == 1 ? 1.0 : std::sqrt(2.0), 1e-12);
        EXPECT_NEAR(nuclear, d == 1 ? 1.0 : 2.0, 1e-12);
    }
}

TEST(NeighbourPairs, DifferByOneRowMore) {
    for (const std::size_t d : dimensions) {
        std::set<std::string> names;
        double frobenius = 0.0;
        for (const NeighbourPair& pair : neighbour_pairs(d, Neighbours::add_remove)) {
            EXPECT_TRUE(names.insert(pair.name).second) << pair.name;
            EXPECT_EQ(pair.x.size() % d, 0U);
            EXPECT_EQ(pair.neighbours, Neighbours::add_remove);
            ASSERT_EQ(pair.x.size() + d, pair.y.size());
            EXPECT_TRUE(std::equal(pair.x.begin(), pair.x.end(), pair.y.begin()));
            frobenius = std::max(frobenius, (pair.moment_of_y() - pair.moment_of_x()).norm());
        }
        EXPECT_GE(names.size(), d == 1 ? 8U : 12U);
        EXPECT_NEAR(frobenius, 1.0, 1e-12);  // of the sums, in units of B^2
    }
}

}  // namespace
}  // namespace dpcov::audit
