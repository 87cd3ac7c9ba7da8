// SecondMoment from outside: what goes in, and that nothing can be had out of it but by release().
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <Eigen/Core>
#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "dpcov/derive.hpp"
#include "dpcov/error.hpp"
#include "dpcov/record.hpp"
#include "dpcov/release.hpp"
#include "dpcov/second_moment.hpp"
#include "dpcov/table.hpp"
#include "moment/rows_apart.hpp"
#include "moment/secret_door.hpp"
#include "support/octave_sums.hpp"
#include "support/special_numbers.hpp"

namespace dpcov::test {
namespace {

using ColumnMajor = Eigen::MatrixXd;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

ColumnMajor some_matrix() {
    ColumnMajor rows(5, 3);
    rows << 0.1, 0.2, 0.3, -0.4, 0.5, 0.6, 0.7, -0.1, 0.0, 0.2, 0.3, 0.4, 0.0, 0.0, 0.9;
    return rows;
}

bool same(const SecondMoment& a, const SecondMoment& b) {
    return *detail::SecretDoor::open(a) == *detail::SecretDoor::open(b);
}

std::uint64_t rows_in(const SecondMoment& moment) {
    return detail::SecretDoor::open(moment)->rows();
}

SecondMoment with(const auto& rows) {
    SecondMoment moment({.columns = 3, .norm_bound = 1.0});
    moment.add(rows);
    return moment;
}

// A person is a row of the matrix, whatever the order in memory. Control: the same memory read as
// rows one behind another spreads each person over several, and is another moment.
TEST(SecondMomentWall, StorageOrderDoesNotMatter) {
    const ColumnMajor rows = some_matrix();
    const SecondMoment expected = with(RowMajor(rows));
    EXPECT_TRUE(same(with(rows), expected));
    EXPECT_TRUE(same(with(2.0 * (0.5 * rows)), expected)) << "an expression";
    ColumnMajor wider(7, 8);
    wider.setConstant(9.0);
    wider.block(1, 2, 5, 3) = rows;
    EXPECT_TRUE(same(with(wider.block(1, 2, 5, 3)), expected));
    RowMajor wide = wider;
    EXPECT_TRUE(same(with(wide.block(1, 2, 5, 3)), expected));
    EXPECT_TRUE(same(with(Eigen::Map<const ColumnMajor>(rows.data(), 5, 3)), expected));
    SecondMoment one_by_one({.columns = 3, .norm_bound = 1.0});
    for (Eigen::Index i = 0; i < rows.rows(); ++i) {
        one_by_one.add(rows.row(i));
    }
    EXPECT_TRUE(same(one_by_one, expected));

    SecondMoment spread({.columns = 3, .norm_bound = 1.0});
    spread.add_row_major({rows.data(), 15});
    EXPECT_FALSE(same(spread, expected));
}

// Numbers of any type are the doubles that they stand for.
TEST(SecondMomentWall, RowsOfOtherNumbersAreTakenAsDoubles) {
    const ColumnMajor whole = (10.0 * some_matrix()).array().round();
    const auto summed = [](const auto& rows) {
        SecondMoment moment({.columns = 3, .norm_bound = 16.0});
        moment.add(rows);
        return moment;
    };
    const SecondMoment expected = summed(whole);
    EXPECT_TRUE(same(summed(Eigen::MatrixXf(whole.cast<float>())), expected));
    EXPECT_TRUE(same(summed(Eigen::MatrixXi(whole.cast<int>())), expected));
    EXPECT_TRUE(same(summed(whole.cast<std::int64_t>()), expected)) << "an expression";
    EXPECT_TRUE(same(summed(whole.cast<long double>().eval()), expected));
    Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> wide =
        Eigen::MatrixXf::Constant(7, 8, 9.0F);
    wide.block(1, 2, 5, 3) = whole.cast<float>();
    EXPECT_TRUE(same(summed(wide.block(1, 2, 5, 3)), expected));
    const Eigen::MatrixXf parts = some_matrix().cast<float>();
    EXPECT_TRUE(same(summed(parts), summed(ColumnMajor(parts.cast<double>()))));
    const Eigen::Matrix<bool, 2, 3> truths{{true, false, true}, {false, false, true}};
    EXPECT_TRUE(same(summed(truths), summed(ColumnMajor{{1, 0, 1}, {0, 0, 1}})));

    SecondMoment moment({.columns = 3, .norm_bound = 16.0});
    EXPECT_THROW(moment.add(Eigen::MatrixXi::Ones(2, 4)), UsageError);
    Eigen::MatrixXf spoilt = parts;
    spoilt(1, 1) = std::numeric_limits<float>::quiet_NaN();
    EXPECT_THROW(moment.add(spoilt), DataError);
    EXPECT_EQ(rows_in(moment), 0U);
}

TEST(SecondMomentWall, RefusesAnotherWidth) {
    SecondMoment moment({.columns = 3, .norm_bound = 1.0});
    EXPECT_THROW(moment.add(ColumnMajor(some_matrix().transpose())), UsageError);
    EXPECT_THROW(moment.add(Eigen::Vector3d(0.1, 0.2, 0.3)), UsageError) << "three rows of one";
    EXPECT_NO_THROW(moment.add(Eigen::RowVector3d(0.1, 0.2, 0.3)));
    EXPECT_EQ(rows_in(moment), 1U);
}

// Rows would be lost in it, or added twice: what its part was called went with the move.
TEST(SecondMomentWall, MovedFromIsRefusedUntilItIsAssignedTo) {
    SecondMoment moment({.columns = 3, .norm_bound = 1.0}, NormResolution::octaves);
    moment.declare_part("east");
    moment.add(some_matrix());
    const SecondMoment copy = moment;
    SecondMoment taken = std::move(moment);
    EXPECT_TRUE(same(taken, copy));
    // NOLINTBEGIN(bugprone-use-after-move): this is what the test is about
    EXPECT_EQ(moment.layout(), copy.layout());
    const auto refused = [&](SecondMoment& emptied) {
        EXPECT_THROW(emptied.add(some_matrix()), UsageError);
        EXPECT_THROW(emptied.declare_part("east"), UsageError);
        EXPECT_THROW(emptied.merge(copy), UsageError);
        EXPECT_THROW(emptied.merge(SecondMoment({.columns = 3, .norm_bound = 1.0})), UsageError);
        EXPECT_THROW(taken.merge(emptied), UsageError);
        EXPECT_THROW(emptied.write([](std::string_view) {}), UsageError);
        EXPECT_THROW(static_cast<void>(release(emptied, Rho(1.0))), UsageError);
    };
    refused(moment);
    SecondMoment of_nothing = moment;
    refused(of_nothing);
    SecondMoment moved_on = std::move(of_nothing);
    refused(moved_on);
    EXPECT_TRUE(same(taken, copy));

    moment = std::move(taken);
    EXPECT_TRUE(same(moment, copy));
    refused(taken);
    std::swap(moment, taken);
    EXPECT_TRUE(same(taken, copy));
    refused(moment);
    moment = copy;
    const SecondMoment& itself = moment;
    moment = itself;
    EXPECT_TRUE(same(moment, copy));
    EXPECT_THROW(taken.merge(moment), UsageError) << "the part of the same name";
    // NOLINTEND(bugprone-use-after-move)
}

// A moment that nothing came into is no less one when it was moved.
TEST(SecondMomentWall, WhatAnEmptyMomentIsMovedToIsOfUse) {
    SecondMoment moment({.columns = 3, .norm_bound = 1.0});
    SecondMoment taken = std::move(moment);
    taken.add(some_matrix());
    EXPECT_TRUE(same(taken, with(some_matrix())));
}

Schema bounded() {
    return {{.name = "age", .bounds = ColumnBounds{0.0, 100.0}, .fill = 40.0},
            {.name = "temperature", .bounds = ColumnBounds{30.0, 45.0}}};
}

// However many calls there were, rows that were summed apart are of the moment's own part, so that
// a file does not grow, and copies know each other. Control: a merge adds a part.
TEST(SecondMomentWall, RowsSummedApartAreOfTheSamePart) {
    SecondMoment expected({.columns = 3, .norm_bound = 1.0}, NormResolution::octaves);
    SecondMoment moment = expected;
    SecondMoment apart = detail::empty_like(moment);
    for (int call = 0; call < 3; ++call) {
        apart.add(some_matrix());
        detail::move_sums(apart, moment);
        EXPECT_EQ(rows_in(apart), 0U);
        expected.add(some_matrix());
        EXPECT_TRUE(same(moment, expected));
        EXPECT_EQ(detail::SecretDoor::open(moment)->parts().size(), 1U);
    }
    const SecondMoment copy = moment;
    EXPECT_THROW(moment.merge(copy), UsageError);
    moment.merge(with(some_matrix()));
    EXPECT_EQ(detail::SecretDoor::open(moment)->parts().size(), 2U);
    SecondMoment other({.columns = 2, .norm_bound = 1.0});
    EXPECT_THROW(detail::move_sums(apart, other), UsageError);
}

class ThreeColumns : public TableReader {
public:
    [[nodiscard]] std::size_t columns() const noexcept override { return 3; }
    [[nodiscard]] const Schema& schema() const noexcept override { return schema_; }
    [[nodiscard]] std::optional<std::uint64_t> row_count_hint() const noexcept override {
        return std::nullopt;
    }

private:
    Schema schema_;
};

// Rows that a reader says it has.
class Lying final : public ThreeColumns {
public:
    explicit Lying(std::size_t more) : more_(more) {}
    std::size_t read(std::span<double> rows) override {
        std::fill(rows.begin(), rows.end(), 0.5);
        const std::size_t room = rows.size() / 3;
        return std::exchange(blocks_, blocks_ - 1) > 0 ? room + more_ : 0;
    }

private:
    std::size_t more_;
    int blocks_ = 3;
};

// Rows that somebody adds while a table is read into a part do not take its name away.
TEST(SecondMomentWall, ADeclaredPartStaysWhateverIsAddedMeanwhile) {
    const std::vector<double> rows = {0.5, 0.25, 0.0};
    SecondMoment moment({.columns = 3, .norm_bound = 1.0});
    moment.declare_part("east");
    Lying reader(0);  // which does not
    bool added = false;
    moment.add(reader, 1, [&](std::uint64_t) {
        if (!std::exchange(added, true)) {
            moment.add_row_major(rows);
        }
    });
    ASSERT_TRUE(added);
    SecondMoment again({.columns = 3, .norm_bound = 1.0});
    again.declare_part("east");
    again.add_row_major(rows);
    EXPECT_THROW(moment.merge(again), UsageError);
}

TEST(SecondMomentWall, AReaderReadsNoMoreThanItHasRoomFor) {
    for (const std::size_t more : {std::size_t{1}, std::numeric_limits<std::size_t>::max() / 3}) {
        SecondMoment moment({.columns = 3, .norm_bound = 1.0});
        Lying table(more);
        EXPECT_THROW(moment.add(table), UsageError);
        EXPECT_EQ(rows_in(moment), 0U);
    }
    // Control.
    SecondMoment moment({.columns = 3, .norm_bound = 1.0});
    Lying table(0);
    moment.add(table);
    EXPECT_EQ(rows_in(moment), 3U * 8192U);
}

// Three blocks of halves, and an infinity in one of their rows, counted from 0.
class OneBad final : public ThreeColumns {
public:
    explicit OneBad(std::size_t bad_row) : bad_row_(bad_row) {}
    std::size_t read(std::span<double> rows) override {
        const std::size_t count = rows_ < 15 ? 5 : 0;
        std::fill_n(rows.begin(), 3 * count, 0.5);
        if (rows_ <= bad_row_ && bad_row_ < rows_ + count) {
            rows[3 * (bad_row_ - rows_) + 1] = infinity;
        }
        rows_ += count;
        return count;
    }

private:
    std::size_t bad_row_;
    std::size_t rows_ = 0;
};

TEST(SecondMomentWall, ABadRowIsCountedFromTheTablesFirst) {
    for (const std::size_t bad : {0U, 4U, 5U, 11U}) {
        SecondMoment moment({.columns = 3, .norm_bound = 1.0});
        OneBad table(bad);
        try {
            moment.add(table);
            FAIL();
        } catch (const DataError& error) {
            EXPECT_EQ(error.place().row, bad + 1) << error.what();
            EXPECT_EQ(error.place().column, 1U);
            EXPECT_EQ(error.problem(), DataProblem::infinite);
        }
        EXPECT_EQ(rows_in(moment), 0U);
    }
    SecondMoment moment({.columns = 3, .norm_bound = 1.0});
    OneBad table(99);
    moment.add(table);
    EXPECT_EQ(rows_in(moment), 15U);
}

TEST(SecondMomentWall, ABadValueOfAMatrixIsNamedByItsColumn) {
    SecondMoment moment({.norm_bound = 10.0,
                         .schema = {{.name = "age", .bounds = {{0, 100}}}, {.name = "weight"}}});
    Eigen::MatrixXd rows = Eigen::MatrixXd::Constant(3, 2, 1.0);
    const auto told = [&](Eigen::Index row, Eigen::Index column, double bad) {
        Eigen::MatrixXd spoilt = rows;
        spoilt(row, column) = bad;
        try {
            moment.add(spoilt);
        } catch (const DataError& error) {
            EXPECT_EQ(error.place().row, row + 1) << error.what();
            EXPECT_EQ(error.place().column, column);
            return error.place().column_name;
        }
        return std::string("nothing");
    };
    EXPECT_EQ(told(1, 0, std::nan("")), "age");
    EXPECT_EQ(told(2, 1, std::nan("")), "weight");
    EXPECT_EQ(told(0, 1, infinity), "weight");
    EXPECT_EQ(told(0, 0, infinity), "nothing");  // clamped
}

// What the rows are added to may not become another moment's in between.
TEST(SecondMomentWall, RowsDoNotGoIntoAMomentOfAnotherLayout) {
    for (const bool emptied : {false, true}) {
        SecondMoment moment({.columns = 3, .norm_bound = 1.0});
        Lying table(0);
        EXPECT_THROW(moment.add(table, 1,
                                [&](std::uint64_t) {
                                    moment = SecondMoment({.columns = 50, .norm_bound = 1.0});
                                    if (emptied) {
                                        const SecondMoment taken = std::move(moment);
                                    }
                                }),
                     UsageError);
        EXPECT_EQ(moment.layout().columns, 50U);
        if (emptied) {
            EXPECT_THROW(moment.add(ColumnMajor::Zero(1, 50)), UsageError);
        } else {
            EXPECT_EQ(rows_in(moment), 0U);
        }
    }
}

// Who tries again would add what is left of the table for all of it. Of readers of another kind
// than the library's, too.
TEST(SecondMomentWall, AReaderThatWasLeftHalfReadIsNotAddedAgain) {
    struct Failed {};
    SecondMoment moment({.columns = 3, .norm_bound = 1.0});
    Lying left(0);
    EXPECT_THROW(moment.add(left, 1, [](std::uint64_t) { throw Failed(); }), Failed);
    EXPECT_THROW(moment.add(left), UsageError);
    OneBad bad(4);
    EXPECT_THROW(moment.add(bad), DataError);
    EXPECT_THROW(moment.add(bad), UsageError);
    Lying of_another(0);
    EXPECT_THROW(moment.add(of_another, 1,
                            [&](std::uint64_t) {
                                moment = SecondMoment({.columns = 6, .norm_bound = 1.0});
                            }),
                 UsageError);
    EXPECT_THROW(with(some_matrix()).add(of_another), UsageError);
    EXPECT_EQ(rows_in(moment), 0U);
}

// Nor is a table that was opened with other bounds, or none, mapped as the moment says: its values
// would be taken for mapped ones.
TEST(SecondMomentWall, ATableOfOtherBoundsIsRefused) {
    SecondMoment bounded({.schema = Schema(3, {.bounds = ColumnBounds{0.0, 1.0}})});
    Lying without(0);
    EXPECT_THROW(bounded.add(without), UsageError);
    EXPECT_EQ(rows_in(bounded), 0U);
    SecondMoment plain({.columns = 3, .norm_bound = 1.0});
    EXPECT_NO_THROW(plain.add(without));
}

// What is refused before a row was read can be put right. Its rows come once: the end stays the
// end.
TEST(SecondMomentWall, AReaderThatWasRefusedUnreadIsOfUse) {
    SecondMoment moment({.columns = 2, .norm_bound = 1.0});
    Lying table(0);
    EXPECT_THROW(moment.add(table), UsageError);
    moment = SecondMoment({.columns = 3, .norm_bound = 1.0});
    moment.add(table);
    EXPECT_EQ(rows_in(moment), 3U * 8192U);
}

// As it was, whatever was done to it before something else failed.
TEST(SecondMomentWall, AfterAFailureItHasTheLayoutOfItsSums) {
    struct Failed {};
    SecondMoment moment({.columns = 3, .norm_bound = 1.0});
    Lying table(0);
    EXPECT_THROW(moment.add(table, 1,
                            [&](std::uint64_t) {
                                moment = SecondMoment({.columns = 6, .norm_bound = 100.0});
                                const SecondMoment taken = std::move(moment);
                                throw Failed();
                            }),
                 Failed);
    EXPECT_EQ(moment.layout().columns, 3U);
    EXPECT_EQ(moment.layout().norm_bound, 1.0);
    EXPECT_THROW(moment.add(ColumnMajor::Ones(4, 6)), UsageError);
    moment.add(some_matrix());
    EXPECT_TRUE(same(moment, with(some_matrix())));
}

// Rows that were refused are none: what they would have gone to is as new, and can be named.
TEST(SecondMomentWall, AfterRowsWereRefusedItCanStillBeNamed) {
    SecondMoment moment({.columns = 3, .norm_bound = 1.0});
    OneBad bad(4);
    EXPECT_THROW(moment.add(bad), DataError);
    EXPECT_NO_THROW(moment.declare_part("east"));
    moment.add(some_matrix());
    EXPECT_THROW(moment.declare_part("west"), UsageError);
}

// One row in memory, a thousand times.
TEST(SecondMomentWall, ARowThatIsRepeatedByItsStrideIsReadWhereItIs) {
    const double row[] = {0.5, 0.25, -0.5};
    const Eigen::Map<const RowMajor, 0, Eigen::OuterStride<>> rows(row, 1000, 3,
                                                                   Eigen::OuterStride<>(0));
    SecondMoment moment({.columns = 3, .norm_bound = 1.0});
    moment.add(rows);
    SecondMoment expected({.columns = 3, .norm_bound = 1.0});
    expected.add(ColumnMajor(rows));
    EXPECT_TRUE(same(moment, expected));
}

// Eigen 3.4.0 says of such views that they can be read in memory, and has no strides of them.
TEST(SecondMomentWall, RowsAndColumnsThatAreChosenByIndexAreTaken) {
    const RowMajor all = RowMajor::Random(40, 5) * 0.1;
    const ColumnMajor by_column = all;
    const auto every_third = Eigen::seq(0, 36, 3);
    SecondMoment expected({.columns = 5, .norm_bound = 1.0});
    expected.add(ColumnMajor(all(every_third, Eigen::all)));
    SecondMoment by_rows({.columns = 5, .norm_bound = 1.0});
    by_rows.add(all(every_third, Eigen::all));
    EXPECT_TRUE(same(by_rows, expected));
    SecondMoment by_columns({.columns = 5, .norm_bound = 1.0});
    by_columns.add(by_column(every_third, Eigen::all));
    EXPECT_TRUE(same(by_columns, expected));
}

TEST(SecondMomentWall, BytesNeedSomewhereToGo) {
    const SecondMoment moment({.columns = 3, .norm_bound = 1.0});
    EXPECT_THROW(moment.write({}), UsageError);
    EXPECT_THROW(static_cast<void>(SecondMoment::read("x", 10, {})), UsageError);
}

// Whoever is told of rows that come in sees none of them before all are there, and may change the
// moment meanwhile.
TEST(SecondMomentWall, HoldsNoRowsBeforeAllAreThere) {
    for (const bool touched : {false, true}) {
        SecondMoment moment({.columns = 3, .norm_bound = 1.0});
        SecondMoment expected = moment;
        if (touched) {
            moment.add(some_matrix());
            expected.add(some_matrix());
        }
        const SecondMoment before = moment;
        Lying table(0);
        bool added = false;
        moment.add(table, 2, [&](std::uint64_t /*rows*/) {
            if (!added) {
                EXPECT_TRUE(same(moment, before));
                moment.add(some_matrix());
                added = true;
            }
        });
        Lying again(0);
        expected.add(again);
        expected.add(some_matrix());
        EXPECT_TRUE(same(moment, expected));
    }
}

// Neither an accountant nor anybody else who is called from a release changes what is released.
TEST(SecondMomentWall, WhatIsReleasedDoesNotChangeMeanwhile) {
    SecondMoment moment = with(some_matrix());
    ReleaseOptions options{.method = "gauss", .insecure_seed = 1};
    const Release expected = release(moment, Rho(1.0), options);
    int asked = 0;
    options.check_interrupt = [&] {
        EXPECT_THROW(moment.add(some_matrix()), UsageError);
        EXPECT_THROW(moment.merge(with(some_matrix())), UsageError);
        options.neighbours = Neighbours::add_remove;
        moment = SecondMoment({.columns = 2, .norm_bound = 1.0});
        ++asked;
    };
    const Release told = release(moment, Rho(1.0), options);
    EXPECT_GT(asked, 0);
    EXPECT_EQ(told.covariance, expected.covariance);
    EXPECT_EQ(told.neighbours, Neighbours::replace);
    moment.add(Eigen::MatrixXd::Ones(1, 2));  // control: it may be changed again
}

// How the child ends that is forked in a release, which the parent draws to its end: with 2 where
// the release is refused.
int end_of_child(const SecondMoment& moment, const ReleaseOptions& options, const pid_t& child) {
    int code = 0;
    try {
        static_cast<void>(release(moment, Rho(1.0), options));
    } catch (const DeviceError&) {
        code = 2;
    }
    if (child == 0) {
        ::_exit(code);
    }
    EXPECT_EQ(code, 0);
    EXPECT_GT(child, 0) << "nothing was forked";
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    return WEXITSTATUS(status);
}

const ColumnMajor& rows_far_from_midpoints() {
    static const ColumnMajor rows = ColumnMajor::Constant(3000, 2, 0.9);
    return rows;
}

SecondMoment moment_far_from_midpoints() {
    const Column column{.bounds = ColumnBounds{.lower = -1.0, .upper = 1.0}};
    SecondMoment moment({.schema = {column, column}});
    moment.add(rows_far_from_midpoints());
    return moment;
}

// A process that is forked in a release would draw other noise for the same charge.
TEST(SecondMomentWall, AReleaseIsOfOneProcess) {
    pid_t child = -1;
    ReleaseOptions options{.method = "gauss", .insecure_seed = 1};
    options.check_interrupt = [&] {
        if (child < 0) {
            child = ::fork();
        }
    };
    EXPECT_EQ(end_of_child(with(some_matrix()), options, child), 2);
}

// Nor does it see, when it is asked for the rows again, what its parent paid for.
TEST(SecondMomentWall, AProcessThatIsForkedByAnAccountantSeesNothing) {
    struct Forking final : Accountant {
        pid_t child = -1;
        void charge(const Charge& /*charge*/) override { child = ::fork(); }
    };
    Forking accountant;
    bool seen = false;
    ReleaseOptions options{.center = true, .accountant = &accountant};
    options.read_again = [&](SecondMoment& again) {
        if (accountant.child == 0) {
            ::_exit(3);
        }
        seen = true;
        again.add(rows_far_from_midpoints());
    };
    EXPECT_EQ(end_of_child(moment_far_from_midpoints(), options, accountant.child), 2);
    EXPECT_TRUE(seen);  // control: two passes were made
}

// Nor does it release what it draws from then on, few words as it may be.
TEST(SecondMomentWall, AProcessThatIsForkedWhileRowsAreReadAgainReleasesNothing) {
    pid_t child = -1;
    ReleaseOptions options{.center = true};
    options.read_again = [&](SecondMoment& again) {
        again.add(rows_far_from_midpoints());
        child = ::fork();
    };
    EXPECT_EQ(end_of_child(moment_far_from_midpoints(), options, child), 2);
}

TEST(SecondMomentWall, SparseRowsTakeAnyNumberOfThreads) {
    const std::vector<std::uint32_t> places = {0, 2};
    const std::vector<double> values = {0.5, 0.25};
    const std::vector<SparseRow> rows(9, {places, values});
    SecondMoment expected({.columns = 3, .norm_bound = 1.0});
    expected.add_sparse(rows);
    for (const unsigned threads : {0U, 1'000'000U}) {
        SecondMoment moment({.columns = 3, .norm_bound = 1.0});
        moment.add_sparse(rows, threads);
        EXPECT_TRUE(same(moment, expected));
    }
}

TEST(SecondMomentWall, ADeclaredPartStaysTheOnlyOne) {
    SecondMoment moment({.columns = 3, .norm_bound = 1.0});
    moment.declare_part("monday");
    for (int call = 0; call < 2; ++call) {
        SecondMoment apart = detail::empty_like(moment);
        apart.add(some_matrix());
        detail::move_sums(apart, moment);
    }
    EXPECT_EQ(detail::SecretDoor::open(moment)->parts(), detail::Parts{"name:monday"});
    EXPECT_EQ(rows_in(moment), 10U);
    EXPECT_THROW(moment.declare_part("tuesday"), UsageError);
}

TEST(SecondMomentWall, BoundsMapRows) {
    SecondMoment moment({.schema = bounded()});
    EXPECT_EQ(moment.layout().columns, 2U);
    EXPECT_EQ(moment.layout().norm_bound, std::sqrt(2.0));
    ColumnMajor rows(5, 2);
    rows << 75.0, 37.5, nan, 45.0, 1000.0, 0.0, 0.0, infinity, -infinity, 30.0;
    moment.add(rows);
    ColumnMajor mapped(5, 2);
    mapped << 0.5, 0.0, -0.2, 1.0, 1.0, -1.0, -1.0, 1.0, -1.0, -1.0;
    SecondMoment expected({.columns = 2, .norm_bound = std::sqrt(2.0)});
    expected.add(mapped);
    EXPECT_EQ(octave_sums(*detail::SecretDoor::open(moment), 0).gram,
              octave_sums(*detail::SecretDoor::open(expected), 0).gram);

    ColumnMajor missing(1, 2);
    missing << 50.0, nan;  // no fill there
    EXPECT_THROW(moment.add(missing), DataError);
    EXPECT_EQ(rows_in(moment), 5U);
}

// Of a matrix and of sparse rows, whose entries that are not there are 0.
TEST(SecondMomentWall, TakesCodesAsMissingValues) {
    const Schema schema = {
        {.bounds = ColumnBounds{0.0, 10.0}, .fill = 2.5, .missing = {-99.0, 0.0}},
        {.bounds = ColumnBounds{0.0, 10.0}, .missing = {7.0}}};
    const SecondMoment empty({.schema = schema});
    const auto sums = [](const SecondMoment& moment) {
        return octave_sums(*detail::SecretDoor::open(moment), 0).gram;
    };
    SecondMoment coded = empty;
    ColumnMajor rows(2, 2);
    rows << -99.0, 10.0, 0.0, 10.0;
    coded.add(rows);
    SecondMoment filled = empty;
    rows << 2.5, 10.0, 2.5, 10.0;
    filled.add(rows);
    EXPECT_EQ(sums(coded), sums(filled));
    SecondMoment sparse = empty;
    const std::vector<std::uint32_t> second = {1};
    const std::vector<double> ten = {10.0};
    const std::vector<SparseRow> entries(2, {.columns = second, .values = ten});
    sparse.add_sparse(entries);
    EXPECT_EQ(sums(sparse), sums(filled));

    ColumnMajor refused(1, 2);
    refused << 5.0, 7.0;  // no fill there
    try {
        coded.add(refused);
        ADD_FAILURE() << "accepted";
    } catch (const DataError& error) {
        EXPECT_EQ(error.problem(), DataProblem::missing);
        EXPECT_EQ(error.place().column, 1U);
    }
    EXPECT_EQ(rows_in(coded), 2U);
}

TEST(SecondMomentWall, RefusesSchemasThatMakeNoSense) {
    const auto refused = [](Schema schema) {
        EXPECT_THROW(static_cast<void>(SecondMoment({.norm_bound = 1.0, .schema = schema})),
                     UsageError);
    };
    refused({{.bounds = ColumnBounds{1.0, 1.0}}});
    refused({{.bounds = ColumnBounds{2.0, 1.0}}});
    refused({{.bounds = ColumnBounds{0.0, infinity}}});
    refused({{.bounds = ColumnBounds{nan, 1.0}}});
    refused({{.bounds = ColumnBounds{0.0, 1.0}, .fill = 2.0}});
    refused({{.bounds = ColumnBounds{0.0, 1.0}, .scale = 2.0}});
    refused({{.fill = 2.0}});
    refused({{.missing = {2.0}}});
    refused({{.bounds = ColumnBounds{0.0, 1.0}, .missing = {nan}}});
    refused({{.scale = 0.0}});
    EXPECT_THROW(static_cast<void>(SecondMoment({.columns = 3, .schema = bounded()})), UsageError);
    EXPECT_THROW(static_cast<void>(SecondMoment({.columns = 3})), UsageError) << "no norm bound";
    EXPECT_THROW(static_cast<void>(SecondMoment({.norm_bound = 1.0})), UsageError) << "no columns";
    refused({{.bounds = ColumnBounds{-1e308, 1e308}}});
    refused({{.bounds = ColumnBounds{0.0, 1e-61}}});
    EXPECT_NO_THROW(
        static_cast<void>(SecondMoment({.schema = {{.bounds = ColumnBounds{-5e59, 5e59}}}})));
}

TEST(SecondMomentWall, MergesOnlyTheSamePublicFacts) {
    SecondMoment moment({.norm_bound = 1.0, .schema = bounded()});
    Schema other = bounded();
    other[1].bounds->upper = 46.0;
    EXPECT_THROW(moment.merge(SecondMoment({.norm_bound = 1.0, .schema = other})), UsageError);
    other = bounded();
    other[0].name = "years";
    EXPECT_THROW(moment.merge(SecondMoment({.norm_bound = 1.0, .schema = other})), UsageError);
    EXPECT_THROW(moment.merge(SecondMoment({.columns = 2, .norm_bound = 1.0})), UsageError);
    EXPECT_NO_THROW(moment.merge(SecondMoment({.norm_bound = 1.0, .schema = bounded()})));
}

// At a budget at which noise does not matter, the release in the table's units is the table's own
// mean and covariance.
TEST(InTableUnits, AreThoseOfTheTable) {
    ColumnMajor rows(40, 2);
    for (Eigen::Index i = 0; i < rows.rows(); ++i) {
        rows.row(i) << 20.0 + static_cast<double>(i), 36.0 + 0.1 * static_cast<double>(i % 7);
    }
    SecondMoment moment({.schema = bounded()});
    moment.add(rows);
    const Release made = release(moment, Rho(1e12), {.method = "gauss", .center = true});
    const Release plain = in_table_units(made);
    const Eigen::RowVectorXd mean = rows.colwise().mean();
    const ColumnMajor centered = rows.rowwise() - mean;
    const ColumnMajor covariance = centered.transpose() * centered / 40.0;
    EXPECT_LT((plain.covariance - covariance).cwiseAbs().maxCoeff(), 1e-3 * covariance(0, 0));
    EXPECT_NEAR(plain.covariance(1, 1), covariance(1, 1), 1e-3);
    EXPECT_NEAR((*plain.mean)[0], mean[0], 1e-2);
    EXPECT_NEAR((*plain.mean)[1], mean[1], 1e-2);
    EXPECT_EQ(in_table_units(plain).covariance, plain.covariance);
    // Control: in the units of the mapped rows it is another matrix.
    EXPECT_GT((made.covariance - covariance).norm(), 1.0);
}

// A check that releases is not checked itself, or it would never end.
TEST(SecondMomentWall, ACheckMayRelease) {
    const SecondMoment moment = with(some_matrix());
    int checks = 0;
    ReleaseOptions options{.method = "gauss"};
    options.check_interrupt = [&] {
        ++checks;
        EXPECT_TRUE(release(moment, Rho(1.0), {.method = "gauss"}).covariance.allFinite());
    };
    static_cast<void>(release(moment, Rho(1.0), options));
    EXPECT_GT(checks, 0);
}

}  // namespace
}  // namespace dpcov::test
