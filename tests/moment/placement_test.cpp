// Placement against the rule of docs/privacy.md#placement worked out in 400-bit arithmetic: the
// octave, the integers, and above all |q|^2 <= 2^40, in integers, for rows made to break it.
#include "moment/placement.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "arithmetic/real.hpp"
#include "arithmetic/row_grid.hpp"

namespace dpcov::test {
namespace {

using detail::Real;
using Row = std::vector<double>;

constexpr mpfr_prec_t bits = 400;
constexpr double radius = 0x1p20;
constexpr Int128 radius_squared = Int128{1} << 40U;
constexpr int last = detail::NormBins::octaves - 1;
constexpr double tolerance = 0x1p-17;

// A row's octave, its integers and those of its direction.
struct Placed {
    bool finite = false;
    int octave = -1;
    Row grid;
    Row sphere;

    friend bool operator==(const Placed&, const Placed&) = default;
};

Placed place(const double* row, std::size_t d, double norm_bound) {
    detail::Place place;
    Placed placed;
    placed.finite = detail::find_place(row, d, detail::Grid(norm_bound), place);
    if (placed.finite) {
        placed.octave = place.octave;
        placed.grid.resize(d);
        placed.sphere.resize(d);
        detail::place_on_grid(row, d, place.power_of_two, place.to_grid, placed.grid.data());
        detail::place_on_grid(row, d, place.power_of_two, place.to_sphere, placed.sphere.data());
    }
    return placed;
}

Placed place(const Row& row, double norm_bound) {
    return place(row.data(), row.size(), norm_bound);
}

// The same for rows together, whose integers are asked for in the opposite order.
std::vector<Placed> place_rows(const Row& rows, std::size_t d, double norm_bound) {
    std::vector<detail::Place> places(rows.size() / d);
    places.resize(detail::find_places(rows, d, detail::Grid(norm_bound), places));
    std::vector<std::size_t> chosen;
    for (std::size_t row = places.size(); row-- > 0;) {
        chosen.push_back(row);
    }
    std::vector<Placed> placed(places.size());
    Row squared_norms(places.size());
    Row q(places.size() * d);
    const auto integers = [&](double detail::Place::*factor, Row Placed::*to) {
        detail::place_rows_on_grid(rows, d, places, chosen, factor, q, squared_norms);
        for (std::size_t i = 0; i < chosen.size(); ++i) {
            const auto begin = q.begin() + static_cast<std::ptrdiff_t>(i * d);
            (placed[chosen[i]].*to).assign(begin, begin + static_cast<std::ptrdiff_t>(d));
        }
    };
    integers(&detail::Place::to_grid, &Placed::grid);
    integers(&detail::Place::to_sphere, &Placed::sphere);
    for (std::size_t row = 0; row < places.size(); ++row) {
        placed[row].finite = true;
        placed[row].octave = places[row].octave;
    }
    return placed;
}

Int128 integer_norm_squared(const Row& q) {
    Int128 sum = 0;
    for (const double x : q) {
        EXPECT_EQ(x, std::trunc(x)) << "not an integer";
        sum += static_cast<Int128>(x) * static_cast<Int128>(x);
    }
    return sum;
}

void set_norm(Real& norm, const Row& row) {
    mpfr_set_zero(norm, 1);
    Real square(bits);
    for (const double x : row) {
        mpfr_set_d(square, x, MPFR_RNDN);
        mpfr_sqr(square, square, MPFR_RNDN);
        mpfr_add(norm, norm, square, MPFR_RNDN);
    }
    mpfr_sqrt(norm, norm, MPFR_RNDN);
}

// row * radius / length, each entry rounded to a double only at the end.
Row scaled(const Row& row, const Real& length) {
    Row result;
    Real x(bits);
    for (const double entry : row) {
        mpfr_set_d(x, entry, MPFR_RNDN);
        mpfr_mul_2si(x, x, detail::radius_bits, MPFR_RNDN);
        mpfr_div(x, x, length, MPFR_RNDN);
        result.push_back(mpfr_get_d(x, MPFR_RNDN));
    }
    return result;
}

// The integers are the nearest to `exact`; only where those may be longer than the radius, they may
// be two units and the shortening of the longest conceivable rounding away from it.
void expect_rounding_of(const Row& exact, const Row& q) {
    double longest = 0;
    for (const double x : exact) {
        longest += (std::fabs(x) + 0.5) * (std::fabs(x) + 0.5);
    }
    const double excess = std::max(0.0, std::sqrt(longest) / radius - 1);
    double worst = 0;
    for (std::size_t i = 0; i < q.size(); ++i) {
        double allowed = 0.5 + 1e-6;
        if (excess > 0) {
            // Two units of the row's norm; then trunc(q 2^20 / m), m < |q| + 1.
            allowed += std::fabs(exact[i]) * (0x1p-19 + excess + 0x1p-20) + 1;
        }
        worst = std::max(worst, std::fabs(q[i] - exact[i]) - allowed);
    }
    EXPECT_LE(worst, 0.0);
    EXPECT_TRUE(integer_norm_squared(q) <= radius_squared) << "|q|^2 exceeds 2^40";
}

void expect_follows_the_rule(const Row& row, double norm_bound) {
    const Placed placed = place(row, norm_bound);
    ASSERT_TRUE(placed.finite);
    ASSERT_GE(placed.octave, 0);
    ASSERT_LE(placed.octave, last);
    Real norm(bits);
    set_norm(norm, row);
    if (mpfr_zero_p(norm) != 0) {
        EXPECT_EQ(placed.octave, last);
        EXPECT_EQ(placed.grid, Row(row.size(), 0.0));
        EXPECT_EQ(placed.sphere, Row(row.size(), 0.0));
        return;
    }
    // |x| / (2^-k B)
    Real edge(bits);
    mpfr_set_d(edge, norm_bound, MPFR_RNDN);
    mpfr_div_2si(edge, edge, placed.octave, MPFR_RNDN);
    Real ratio(bits);
    mpfr_div(ratio, norm, edge, MPFR_RNDN);
    // The tolerance is a floating-point product, so known to 2^-32 only.
    if (placed.octave > 0) {
        EXPECT_LE(mpfr_cmp_d(ratio, 1 + tolerance + 0x1p-32), 0) << mpfr_get_d(ratio, MPFR_RNDN);
    }
    if (placed.octave < last) {
        EXPECT_GT(mpfr_cmp_d(ratio, 0.5 * (1 + tolerance - 0x1p-32)), 0)
            << mpfr_get_d(ratio, MPFR_RNDN);
    }
    expect_rounding_of(scaled(row, mpfr_cmp_ui(ratio, 1) > 0 ? norm : edge), placed.grid);
    expect_rounding_of(scaled(row, norm), placed.sphere);
}

// Of rows that are placed together, one behind the other.
void expect_alike_among_others(const Row& row, const Placed& placed, const Row& mirrored,
                               const Placed& other, double norm_bound) {
    Row rows(row.size(), 1e300);
    rows.insert(rows.end(), row.begin(), row.end());
    rows.insert(rows.end(), mirrored.begin(), mirrored.end());
    const std::vector<Placed> together = place_rows(rows, row.size(), norm_bound);
    ASSERT_EQ(together.size(), 3U);
    EXPECT_EQ(together[1], placed);
    EXPECT_EQ(together[2], other);
}

// Every row of this file goes through here: the rule, and that nothing but the row matters.
void check(const Row& row, double norm_bound) {
    SCOPED_TRACE(testing::Message()
                 << "d = " << row.size() << ", B = " << norm_bound << ", x_1 = " << row[0]);
    expect_follows_the_rule(row, norm_bound);
    const Placed placed = place(row, norm_bound);
    // At any alignment, whatever lies beside it.
    for (const std::size_t offset : {1U, 3U}) {
        Row among(row.size() + 8, 1e300);
        std::copy(row.begin(), row.end(), among.begin() + static_cast<std::ptrdiff_t>(offset));
        EXPECT_EQ(place(among.data() + offset, row.size(), norm_bound), placed);
    }
    Row mirrored = row;
    for (double& x : mirrored) {
        x = -x;
    }
    const Placed other = place(mirrored, norm_bound);
    expect_alike_among_others(row, placed, mirrored, other, norm_bound);
    EXPECT_EQ(other.octave, placed.octave);
    for (std::size_t i = 0; i < row.size(); ++i) {
        EXPECT_EQ(other.grid[i], -placed.grid[i]);
        EXPECT_EQ(other.sphere[i], -placed.sphere[i]);
    }
}

Row random_direction(std::mt19937_64& generator, std::size_t d) {
    std::normal_distribution<double> normal;
    Row row(d);
    for (double& x : row) {
        x = normal(generator);
    }
    return row;
}

// The multiple of `row` of norm `length` (up to rounding).
Row with_norm(Row row, double length) {
    long double squares = 0;
    for (const double x : row) {
        squares += static_cast<long double>(x) * x;
    }
    for (double& x : row) {
        x = static_cast<double>(x / std::sqrt(squares) * length);
    }
    return row;
}

std::size_t random_dimension(std::mt19937_64& generator, double largest) {
    const double uniform = static_cast<double>(generator() >> 11U) * 0x1p-53;
    return static_cast<std::size_t>(std::exp(uniform * std::log(largest)));
}

const std::vector<double>& norm_bounds() {
    static const std::vector<double> bounds = {1.0,     0.3,     7140.0,    1e-300, 1e300,
                                               DBL_MAX, DBL_MIN, 0x1p-1060, 5e-324};
    return bounds;
}

TEST(Placement, FollowsTheRuleForRandomRows) {
    std::mt19937_64 generator(23);
    std::uniform_real_distribution<double> uniform;
    for (int trial = 0; trial < 1500; ++trial) {
        const std::size_t d = random_dimension(generator, trial % 10 == 0 ? 2001 : 101);
        const double norm = std::exp2(2.0 - 44.0 * uniform(generator));
        check(with_norm(random_direction(generator, d), norm), 0.7);
    }
}

// At the edge of each octave, a few last bits to either side; at the ends of the tolerance; and
// at float32's rounding, which the tolerance is for.
TEST(Placement, FollowsTheRuleAtEveryEdge) {
    std::mt19937_64 generator(29);
    const double ulp = 0x1p-52;
    for (const double norm_bound : {1.0, 0.3}) {
        for (int k = 0; k <= detail::NormBins::octaves; ++k) {
            for (const double above :
                 {0.0, ulp, 2 * ulp, 5 * ulp, -ulp, -3 * ulp, 0x1p-24, -0x1p-24, tolerance / 2,
                  tolerance * (1 - 0x1p-20), tolerance * (1 + 0x1p-14), 2 * tolerance}) {
                const double norm = std::ldexp(norm_bound, -k) * (1 + above);
                check({norm}, norm_bound);
                check({0.0, -norm, 0.0}, norm_bound);
                for (const double d : {4.0, 60.0}) {
                    const std::size_t size = random_dimension(generator, d);
                    check(with_norm(random_direction(generator, size), norm), norm_bound);
                }
            }
        }
    }
}

TEST(Placement, KeepsNormalisedRowsInTheirOctave) {
    std::mt19937_64 generator(31);
    for (int k = 0; k < detail::NormBins::octaves; ++k) {
        for (const std::size_t d : {1U, 3U, 100U, 784U}) {
            const Row row = with_norm(random_direction(generator, d), std::ldexp(1.0, -k));
            Row narrow = row;
            for (double& x : narrow) {
                x = static_cast<float>(x);
            }
            EXPECT_EQ(place(row, 1.0).octave, k);
            EXPECT_EQ(place(narrow, 1.0).octave, k);
        }
    }
}

TEST(Placement, FollowsTheRuleForStrangeRows) {
    std::mt19937_64 generator(37);
    std::vector<Row> rows = {
        {5e-324},
        {DBL_MAX},
        {1e308, -1e308, 1e308},
        {1e300, 1e-300},
        {1e-300, 0.0, 5e-324, -1e300, 1e-300, 1.0, 2.0, 3.0, 4.0, 1e-310},
        {0x1p400, 0x1p-400},
        {0x1p-401, 0x1p-402, 0x1p-400},
        {0x1p-500, 5e-324},
        Row(2000, DBL_MAX),
        Row(2000, 5e-324),
        Row(17, DBL_MIN),
    };
    for (const double spike : {1.0, 0x1p-400, 1e300}) {
        Row row(101, spike * 1e-9);
        row[77] = spike;
        rows.push_back(row);
    }
    for (std::size_t d = 1; d <= 40; ++d) {  // every magnitude a double has, in one row
        Row row(d);
        for (double& x : row) {
            x = std::ldexp(static_cast<double>(generator() >> 11U) - 0x1p52,
                           static_cast<int>(generator() % 2000U) - 1074);
        }
        rows.push_back(row);
    }
    for (const Row& row : rows) {
        for (const double norm_bound : norm_bounds()) {
            check(row, norm_bound);
        }
    }
}

TEST(Placement, WorksForAnyNormBound) {
    std::mt19937_64 generator(41);
    for (const double norm_bound : norm_bounds()) {
        for (const double share : {1.0, 0.9, 0.5, 0.3, 1e-3, 1e-11}) {
            for (const std::size_t d : {1U, 2U, 9U, 200U}) {
                const Row row = with_norm(random_direction(generator, d), 1.0);
                Row in_units = row;
                for (double& x : in_units) {
                    x *= share * norm_bound;
                }
                check(in_units, norm_bound);
            }
        }
    }
}

TEST(Placement, OfAZeroRowIsZero) {
    for (const std::size_t d : {1U, 7U, 8U, 9U, 100U}) {
        for (const double norm_bound : norm_bounds()) {
            check(Row(d, 0.0), norm_bound);
            check(Row(d, -0.0), norm_bound);
        }
    }
}

// A row that is another one by now than when its place was found: of integers that no double tells
// apart nothing is left, rather than what arithmetic makes of them.
TEST(Placement, OfARowThatGrewBeyondAllIntegersNothingIsLeft) {
    for (const double value : {0x1p40, 0x1p70, 1e300, HUGE_VAL, std::nan("")}) {
        for (const std::size_t d : {1U, 3U, 9U}) {
            Row row(d, 0.25);
            row[d - 1] = value;
            Row q(d, 7.0);
            const double squares = detail::place_on_grid(row.data(), d, 1.0, 0x1p20, q.data());
            EXPECT_EQ(squares, 0.0) << value;
            EXPECT_EQ(q, Row(d, 0.0)) << value;
        }
    }
}

// Rows that rounding lengthens: the reason for the check after it.
class Adversary {
public:
    // |q|^2 of plain rounding of the row shortened by that share.
    static Int128 rounded_norm_squared(const Row& row, double shorter_by) {
        Row q;
        for (const double x : row) {
            q.push_back(std::nearbyint(x * (radius * (1 - shorter_by))));
        }
        return integer_norm_squared(q);
    }

    void attack(const Row& row) {
        over_ += rounded_norm_squared(row, 0) > radius_squared ? 1 : 0;
        over_twice_ += rounded_norm_squared(row, 0) > radius_squared &&
                               rounded_norm_squared(row, 0x1p-19) > radius_squared
                           ? 1
                           : 0;
        check(row, 1.0);
    }

    // Controls: the attacks do break plain rounding, and rounding two units shorter.
    void expect_to_break_rounding() const { EXPECT_GT(over_, 20); }
    void expect_to_break_shorter_rounding() const { EXPECT_GT(over_twice_, 20); }

private:
    int over_ = 0;
    int over_twice_ = 0;
};

// Equal entries of a row as long as the radius: rounded as they are where that fits, or of a row
// that is half a unit, one, or two shorter.
TEST(Placement, ShortensNoMoreThanNeedBe) {
    struct Case {
        std::size_t d;
        double units;
    };
    for (const auto& [d, units] : {Case{2, 0.0}, Case{3, 0.5}, Case{13, 1.0}, Case{10, 2.0}}) {
        const double entry = 1.0 / std::sqrt(static_cast<double>(d));
        const Placed placed = place(with_norm(Row(d, 1.0), 1.0), 1.0);
        EXPECT_EQ(placed.grid, Row(d, std::nearbyint(entry * (radius - units)))) << d;
    }
}

TEST(Placement, KeepsToTheRadiusForEqualEntries) {
    Adversary adversary;
    for (std::size_t d = 1; d <= 2000; d += d < 300 ? 1 : 23) {
        adversary.attack(with_norm(Row(d, 1.0), 1.0));
        // A few large entries fill what the others' steps of one unit leave.
        Row row(d, 1.0);
        row[d / 2] = 2 * std::sqrt(static_cast<double>(d));
        adversary.attack(with_norm(row, 1.0));
    }
    adversary.expect_to_break_rounding();
    adversary.expect_to_break_shorter_rounding();
}

// Every entry just past half a unit, and still so when the row is two units shorter.
TEST(Placement, KeepsToTheRadiusForHalfUnits) {
    std::mt19937_64 generator(43);
    Adversary adversary;
    for (int trial = 0; trial < 400; ++trial) {
        const std::size_t d = 2 + random_dimension(generator, 1000);
        Row row = with_norm(random_direction(generator, d), 1 - 0x1p-30);
        double squares = 0;
        for (std::size_t i = 0; i + 1 < d; ++i) {
            const double past_half = 0.5 + 1e-6 + 2.1 * std::fabs(row[i]);
            row[i] = (std::trunc(row[i] * radius) + std::copysign(past_half, row[i])) / radius;
            squares += row[i] * row[i];
        }
        row.back() = std::sqrt(std::max(0.0, 1 - squares));
        adversary.attack(row);
    }
    adversary.expect_to_break_rounding();
    adversary.expect_to_break_shorter_rounding();
}

// Rows that are within the radius, and of which the nearest integers are outside by one.
TEST(Placement, KeepsToTheRadiusWhereRoundingGoesOverByOne) {
    const Row row = {1.0 - 0x1.8p-43, 0.6 * 0x1p-20};
    const Row nearest = {std::nearbyint(row[0] * radius), std::nearbyint(row[1] * radius)};
    ASSERT_LE(std::hypot(row[0], row[1]), 1.0);
    ASSERT_TRUE(integer_norm_squared(nearest) == radius_squared + 1) << "the control";
    Row q(2);
    const double squares = detail::place_on_grid(row.data(), 2, 1.0, radius, q.data());
    EXPECT_TRUE(integer_norm_squared(q) <= radius_squared);
    EXPECT_EQ(squares, static_cast<double>(integer_norm_squared(q)));
    Row rows;
    for (int i = 0; i < 3; ++i) {
        rows.insert(rows.end(), row.begin(), row.end());
    }
    for (const Placed& placed : place_rows(rows, 2, 1.0)) {
        EXPECT_TRUE(integer_norm_squared(placed.grid) <= radius_squared);
        EXPECT_TRUE(integer_norm_squared(placed.sphere) <= radius_squared);
    }
}

TEST(Placement, KeepsToTheRadiusUnderLocalSearch) {
    std::mt19937_64 generator(47);
    std::normal_distribution<double> normal;
    Adversary adversary;
    for (int start = 0; start < 60; ++start) {
        const std::size_t d = 2 + generator() % 100U;
        Row best = with_norm(random_direction(generator, d), 1.0);
        Int128 longest = 0;
        for (std::size_t step = 0; step < 30 * d; ++step) {
            Row trial = best;
            trial[generator() % d] += normal(generator) * 0x1p-20;
            trial = with_norm(trial, 1.0);
            const Int128 length = Adversary::rounded_norm_squared(trial, 0);
            if (length > longest) {
                longest = length;
                best = trial;
            }
        }
        adversary.attack(best);
    }
    adversary.expect_to_break_rounding();
}

// More rows than are placed at a time, of every number of columns up to three registers, in
// several octaves.
TEST(Placement, OfManyRowsIsThatOfEach) {
    std::mt19937_64 generator(53);
    for (std::size_t d = 1; d <= 25; ++d) {
        Row rows;
        for (int i = 0; i < 150; ++i) {
            const Row row = with_norm(random_direction(generator, d), std::exp2(-(i % 9)));
            rows.insert(rows.end(), row.begin(), row.end());
        }
        const std::vector<Placed> together = place_rows(rows, d, 0.7);
        ASSERT_EQ(together.size(), 150U);
        for (std::size_t i = 0; i < together.size(); ++i) {
            ASSERT_EQ(together[i], place(rows.data() + i * d, d, 0.7)) << d << ", " << i;
        }
    }
}

TEST(Placement, RefusesWhatIsNotFinite) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const double not_a_number = std::numeric_limits<double>::quiet_NaN();
    for (const std::size_t d : {1U, 8U, 21U}) {
        for (const double others : {0.0, 1.0, 1e300, 1e-300}) {
            for (std::size_t column = 0; column < d; ++column) {
                for (const double bad : {infinity, -infinity, not_a_number, -not_a_number}) {
                    Row row(d, others);
                    row[column] = bad;
                    detail::Place untouched{.octave = 7, .power_of_two = 3, .to_grid = 5};
                    EXPECT_FALSE(detail::find_place(row.data(), d, detail::Grid(1.0), untouched));
                    EXPECT_EQ(untouched.octave, 7);
                    EXPECT_EQ(untouched.power_of_two, 3);
                    EXPECT_EQ(untouched.to_grid, 5);
                    for (const std::size_t before : {0U, 1U, 63U, 64U, 70U}) {
                        Row rows(before * d, 1.0);
                        rows.insert(rows.end(), row.begin(), row.end());
                        rows.insert(rows.end(), d, 1.0);
                        EXPECT_EQ(place_rows(rows, d, 1.0).size(), before);
                    }
                }
            }
        }
    }
}

}  // namespace
}  // namespace dpcov::test
