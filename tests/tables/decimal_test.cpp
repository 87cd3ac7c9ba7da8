#include "tables/decimal.hpp"

#include <gtest/gtest.h>

#include <charconv>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "support/test_size.hpp"
#include "tables/parse_number.hpp"

namespace dpcov::test {
namespace {

/// What std::from_chars makes of the same front; length 0 where it reads none.
NumberInFront standard_front(std::string_view text) {
    double value = 0.0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} ? NumberInFront{value, static_cast<std::size_t>(end - text.data())}
                                : NumberInFront{};
}

bool same_bits(double a, double b) {
    return std::memcmp(&a, &b, sizeof a) == 0;
}

/// Expects the same number as the standard's; returns whether it was taken at all.
bool expect_same(const std::string& text) {
    // On the heap, exactly as long, so that a sanitizer sees what is read behind it.
    const std::vector<char> exact(text.begin(), text.end());
    const std::string_view view(exact.data(), exact.size());
    const NumberInFront found = decimal_in_front(view);
    if (found.length > 0) {
        const NumberInFront expected = standard_front(view.substr(0, found.length));
        EXPECT_EQ(found.length, expected.length) << text;
        EXPECT_TRUE(same_bits(found.value, expected.value)) << text;
    }
    const NumberInFront any = number_in_front(view);
    if (any.length > 0) {
        const ParsedNumber parsed = parse_number(view.substr(0, any.length));
        EXPECT_FALSE(parsed.problem.has_value()) << text;
        EXPECT_TRUE(same_bits(any.value, parsed.value)) << text;
    }
    return found.length > 0;
}

TEST(Decimal, TakesWhatTablesHold) {
    for (const std::string text : {"0",
                                   "-0",
                                   "7",
                                   "-1",
                                   "42",
                                   "1.5",
                                   "5.",
                                   "0.1",
                                   "-0.0",
                                   "99999999",
                                   "123456789012345678",
                                   "0.123456789012345678",
                                   "0.000000000000000001",
                                   "-3.141592653589793",
                                   "007",
                                   "0000.5",
                                   "1.,",
                                   "1.5;",
                                   "2\r",
                                   "3\n",
                                   "12345678.12345678,9"}) {
        EXPECT_TRUE(expect_same(text)) << text;
    }
    EXPECT_EQ(decimal_in_front("1.25,7").length, 4U);
    EXPECT_EQ(decimal_in_front("1.2.3").length, 3U);
    EXPECT_EQ(decimal_in_front("1e5").length, 1U);
    EXPECT_EQ(number_in_front("1e5,").length, 3U);
    EXPECT_EQ(number_in_front("1e5,").value, 1e5);
}

TEST(Decimal, LeavesTheRestToTheStandard) {
    using namespace std::string_literals;
    for (const std::string& text : {""s,
                                    "-"s,
                                    "."s,
                                    "-."s,
                                    ".5"s,
                                    "+1"s,
                                    "--1"s,
                                    " 1"s,
                                    "e5"s,
                                    "nan"s,
                                    "inf"s,
                                    "\"1\""s,
                                    "x"s,
                                    "\0001"s,
                                    "1234567890123456789"s,
                                    "0.1234567890123456789"s,
                                    "1.123456789012345678"s,
                                    "0000000000000000000"s,
                                    std::string(500, '1'),
                                    "0." + std::string(500, '0') + "1"}) {
        EXPECT_FALSE(expect_same(text)) << text;
    }
    for (const std::string_view text : {"", "-", "+1", " 1", "nan", "-inf", "1e999", "x"}) {
        EXPECT_EQ(number_in_front(text).length, 0U) << text;
    }
}

TEST(Decimal, EndsAtAnyByteThatIsNoDigit) {
    for (int byte = 0; byte < 256; ++byte) {
        const auto c = static_cast<char>(byte);
        if (c >= '0' && c <= '9') {
            continue;
        }
        for (std::size_t place = 0; place <= 18; ++place) {
            std::string text = "0." + std::string(18, '9');
            text[2 + (place < 18 ? place : 17)] = c;
            const NumberInFront found = decimal_in_front(text);
            ASSERT_EQ(found.length, 2 + (place < 18 ? place : 17)) << byte;
            ASSERT_TRUE(expect_same(text)) << byte;
        }
    }
}

// Every length of digits and decimals, values next to halfway between two doubles among them.
TEST(Decimal, RoundsAsTheStandardDoes) {
    std::mt19937_64 random(11);
    const int numbers = test_size(25'000, 100'000);
    int taken = 0;
    for (int i = 0; i < 4 * numbers; ++i) {
        std::string text = random() % 2 == 0 ? "-" : "";
        const std::size_t before = 1 + random() % (random() % 4 == 0 ? 18 : 3);
        const std::size_t places = random() % 19;
        for (std::size_t k = 0; k < before; ++k) {
            text += static_cast<char>('0' + (before == 1 && i % 2 == 0 ? 0 : random() % 10));
        }
        text += '.';
        for (std::size_t k = 0; k < places; ++k) {
            text += static_cast<char>('0' + random() % 10);
        }
        taken += expect_same(text + (i % 3 == 0 ? ",4" : "")) ? 1 : 0;
    }
    EXPECT_GT(taken, numbers / 2 * 5);
    // Halves of the last place of doubles in [2^53, 2^57) are decimals without places or with few.
    for (int i = 0; i < numbers; ++i) {
        const int bits = 54 + static_cast<int>(random() % 5);
        const std::uint64_t unit = std::uint64_t{1} << (bits - 53);
        const std::uint64_t value =
            ((std::uint64_t{1} << (bits - 1)) | (random() >> (65 - bits))) / unit * unit + unit / 2;
        for (const std::uint64_t near : {value - 1, value, value + 1}) {
            expect_same(std::to_string(near));
            std::string tenth = std::to_string(near / 8) + "." + std::to_string(near % 8 * 125);
            expect_same(tenth);
        }
    }
}

/// The text with a point so many digits before its end; with zeros where there are too few.
std::string with_point(std::string digits, int places) {
    if (places <= 0) {
        return digits + std::string(static_cast<std::size_t>(-places), '0');
    }
    const auto behind = static_cast<std::size_t>(places);
    if (digits.size() <= behind) {
        digits.insert(0, behind + 1 - digits.size(), '0');
    }
    return digits.insert(digits.size() - behind, ".");
}

// Whole numbers of up to 38 digits, and of 128 bits, on both sides of where their text is needed.
TEST(Decimal, DividesWholeNumbersAsTheirTextIsRead) {
    std::mt19937_64 random(12);
    for (int i = 0; i < test_size(20'000, 200'000); ++i) {
        const std::size_t count = 1 + random() % 38;
        const int places = static_cast<int>(random() % 81) - 40;
        std::string digits(1, static_cast<char>('1' + random() % 9));
        while (digits.size() < count) {
            digits += static_cast<char>('0' + random() % 10);
        }
        Int128 number = 0;
        for (const char digit : digits) {
            number = 10 * number + (digit - '0');
        }
        const double expected = parse_number(with_point(digits, places)).value;
        ASSERT_TRUE(same_bits(decimal::signed_quotient(number, places), expected)) << digits;
        ASSERT_TRUE(same_bits(decimal::signed_quotient(-number, places), -expected)) << digits;
    }
    EXPECT_EQ(decimal::signed_quotient(0, 3), 0.0);
    const Int128 least = static_cast<Int128>(UInt128{1} << 127U);
    EXPECT_EQ(decimal::signed_quotient(least, 0), -0x1p127);
    EXPECT_EQ(decimal::signed_quotient(1, -decimal::most_places), 1e200);
    EXPECT_EQ(decimal::signed_quotient(1, decimal::most_places), 1e-200);
}

}  // namespace
}  // namespace dpcov::test
