// Parts of a table: none is counted twice, however it comes in.
#include "moment/parts.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "dpcov/error.hpp"
#include "dpcov/second_moment.hpp"
#include "moment/secret_moment.hpp"
#include "tables/table_support.hpp"

namespace dpcov::test {
namespace {

detail::SecretMoment moment_of_rows(double value, const std::string& part = "") {
    detail::SecretMoment moment({.columns = 2, .norm_bound = 1.0});
    if (!part.empty()) {
        moment.declare_part(part);
    }
    moment.add(std::vector<double>{value, 0.25, 0.0, value});
    return moment;
}

// Refused, and all is as it was.
void expect_not_merged(detail::SecretMoment& into, const detail::SecretMoment& other,
                       const std::vector<std::string>& told) {
    const detail::SecretMoment before = into;
    expect_error<UsageError>([&] { into.merge(other); }, told);
    EXPECT_TRUE(into == before);
    EXPECT_EQ(into.parts(), before.parts());
}

// Control: a moment of the same rows that is no copy is another part.
TEST(Parts, ACopyIsNotMerged) {
    detail::SecretMoment moment = moment_of_rows(0.5);
    expect_not_merged(moment, moment, {"would count twice"});
    const detail::SecretMoment copy = moment;
    expect_not_merged(moment, copy, {"would count twice"});
    detail::SecretMoment assigned = moment_of_rows(0.1);
    assigned = moment;
    expect_not_merged(moment, assigned, {"would count twice"});
    detail::SecretMoment longer = moment;
    longer.add(std::vector<double>{0.1, 0.2});
    expect_not_merged(moment, longer, {"would count twice"});

    const detail::SecretMoment other = moment_of_rows(0.5);
    EXPECT_TRUE(other == moment);
    moment.merge(other);
    EXPECT_EQ(moment.rows(), 4U);
    EXPECT_EQ(moment.parts().size(), 2U);
    // Nor is what was merged before, or a copy of the whole.
    expect_not_merged(moment, other, {"would count twice"});
    expect_not_merged(moment, copy, {"would count twice"});
    detail::SecretMoment third = moment_of_rows(0.3);
    third.merge(other);
    expect_not_merged(moment, third, {"would count twice"});
}

TEST(Parts, ACopyInAFileIsNotMerged) {
    const TemporaryFolder folder;
    detail::SecretMoment moment = moment_of_rows(0.5);
    moment.save(folder / "moment");
    detail::SecretMoment loaded = detail::SecretMoment::load(folder / "moment");
    EXPECT_EQ(loaded.parts(), moment.parts());
    expect_not_merged(loaded, moment, {"would count twice"});
    loaded.merge(moment_of_rows(0.5));
    EXPECT_EQ(loaded.rows(), 4U);
}

// Control: another name merges.
TEST(Parts, ADeclaredPartIsNotMergedTwice) {
    detail::SecretMoment moment = moment_of_rows(0.5, "january");
    expect_not_merged(moment, moment_of_rows(0.7, "january"), {"part 'january'", "count twice"});
    moment.merge(moment_of_rows(0.7, "february"));
    EXPECT_EQ(moment.rows(), 4U);
    EXPECT_EQ(moment.parts(), (detail::Parts{"name:february", "name:january"}));
    expect_not_merged(moment, moment_of_rows(0.2, "february"), {"part 'february'"});
    moment.merge(moment_of_rows(0.2));
    EXPECT_EQ(moment.rows(), 6U);
}

// No part is known by its rows: one without any has an identity too.
TEST(Parts, WithoutRowsAreKnown) {
    detail::SecretMoment moment({.columns = 2, .norm_bound = 1.0});
    EXPECT_TRUE(moment.parts().empty());
    EXPECT_NO_THROW(moment.merge(moment)) << "nothing was added yet";
    moment.add({});
    EXPECT_EQ(moment.parts().size(), 1U);
    const detail::SecretMoment copy = moment;
    expect_not_merged(moment, copy, {"would count twice"});
    moment.clear();  // as new, and so another part than before
    EXPECT_TRUE(moment.parts().empty());
}

// What was refused left nothing behind that copies would share, or that forbids a name.
TEST(Parts, ARefusedRowIsNoPart) {
    SecondMoment moment({.columns = 2, .norm_bound = 1.0});
    const std::vector<double> bad = {0.5, std::numeric_limits<double>::quiet_NaN()};
    EXPECT_THROW(moment.add_row_major(bad), DataError);
    SecondMoment copy = moment;
    moment.add_row_major(std::vector{0.5, 0.5});
    copy.declare_part("others");
    copy.add_row_major(std::vector{0.5, 0.5});
    EXPECT_NO_THROW(moment.merge(copy));
}

TEST(Parts, NamesAreChecked) {
    EXPECT_EQ(detail::declared_part(std::string(200, 'x')), "name:" + std::string(200, 'x'));
    for (const std::string& bad : {std::string(), std::string(201, 'x'), std::string("a\nb")}) {
        EXPECT_THROW(static_cast<void>(detail::declared_part(bad)), UsageError) << bad.size();
    }
    // No declared name is taken for a drawn one.
    const std::string drawn = detail::random_part();
    EXPECT_EQ(drawn.size(), 35U);
    EXPECT_NE(drawn, detail::random_part());  // false alarm: 2^-128
    EXPECT_NO_THROW(detail::check_disjoint({drawn}, {detail::declared_part(drawn)}));
}

}  // namespace
}  // namespace dpcov::test
