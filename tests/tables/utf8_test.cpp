#include "text/utf8.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>

#include "dpcov/error.hpp"
#include "dpcov/schema.hpp"
#include "text/in_quotes.hpp"

namespace dpcov::test {
namespace {

using detail::is_utf8;

// What encodes a number the shortest way, by the definition; as many bytes as asked for.
std::string encoded(unsigned long number, int bytes) {
    if (bytes == 1) {
        return {static_cast<char>(number)};
    }
    std::string text(static_cast<std::size_t>(bytes), '\0');
    for (int k = bytes - 1; k > 0; --k, number >>= 6U) {
        text[static_cast<std::size_t>(k)] = static_cast<char>(0x80U | (number & 0x3FU));
    }
    const unsigned long marks[] = {0xC0, 0xE0, 0xF0, 0xF8};
    text[0] = static_cast<char>(marks[bytes - 2] | number);
    return text;
}

int shortest(unsigned long number) {
    return number < 0x80 ? 1 : number < 0x800 ? 2 : number < 0x10000 ? 3 : 4;
}

TEST(Utf8, IsWhatEncodesEveryNumberTheShortestWay) {
    for (unsigned long number = 0; number < 0x140000; ++number) {
        const bool character = number < 0x110000 && (number < 0xD800 || number > 0xDFFF);
        const int least = shortest(number);
        EXPECT_EQ(is_utf8(encoded(number, least)), character) << number;
        if (least < 4 && number % 17 == 0) {
            EXPECT_FALSE(is_utf8(encoded(number, least + 1))) << number;
        }
    }
}

TEST(Utf8, EndsWithAWholeCharacter) {
    const std::string text = "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80";
    const std::size_t ends[] = {0, 1, 3, 6, 10};
    for (std::size_t length = 0; length <= text.size(); ++length) {
        const bool whole = std::find(std::begin(ends), std::end(ends), length) != std::end(ends);
        EXPECT_EQ(is_utf8(std::string_view(text).substr(0, length)), whole) << length;
    }
    for (const char* broken : {"\x80", "a\xBF", "\xC3(", "\xE2\x82(", "\xFF", "\xC3\xC3\xA9"}) {
        EXPECT_FALSE(is_utf8(broken)) << broken;
    }
}

// Latin-1: in a record two such names would be one.
TEST(Utf8, NamesOfColumnsAre) {
    EXPECT_NO_THROW(check_schema({{.name = "\xC3\xA9"}}));
    EXPECT_THROW(check_schema({{.name = "\xE9"}}), UsageError);
}

TEST(Printable, ReplacesWhatATerminalObeysAndWhatIsNoCharacter) {
    EXPECT_EQ(printable("a\tb\x1b[1m\x7f"), "a?b?[1m?");
    EXPECT_EQ(printable("caf\xC3\xA9/caf\xE9/\xE2\x82\xAC"), "caf\xC3\xA9/caf?/\xE2\x82\xAC");
    EXPECT_EQ(printable("\xC2\x9B"
                        "1m\xC2\xA0"),
              "?1m\xC2\xA0");  // a control sequence, in UTF-8; a space that does not break
    EXPECT_EQ(printable("a\xE2\x80\xAE"
                        "b\xE2\x81\xA9\xD8\x9C\xE2\x80\x8F\xE2\x80\xA8"
                        "c"),
              "a?b????c");  // marks of direction, and a line's separator
    EXPECT_EQ(printable("\xE2\x80\x90\xE2\x80\xAF\xE2\x81\xA5\xD8\x9B"),
              "\xE2\x80\x90\xE2\x80\xAF\xE2\x81\xA5\xD8\x9B");  // their neighbours
    EXPECT_EQ(printable("\xE2\x82"), "??");
    EXPECT_EQ(printable(""), "");
}

TEST(InQuotes, AreCutBetweenCharacters) {
    const std::string letters(59, 'x');
    EXPECT_EQ(in_quotes(letters + "\xC3\xA9"), "'" + letters + "...'");
    EXPECT_EQ(in_quotes(letters + "\xF0\x9F\x98\x80"), "'" + letters + "...'");
    EXPECT_EQ(in_quotes(letters.substr(1) + "\xC3\xA9"), "'" + letters.substr(1) + "\xC3\xA9'");
    EXPECT_EQ(in_quotes(letters.substr(1) + "\xC3\xA9!"), "'" + letters.substr(1) + "\xC3\xA9...'");
    EXPECT_EQ(in_quotes(letters + "yz"), "'" + letters + "y...'");
    // What is no UTF-8 has no characters to cut between.
    const std::string others(61, '\x80');
    EXPECT_EQ(in_quotes(others), "'" + std::string(60, '?') + "...'");
}

}  // namespace
}  // namespace dpcov::test
