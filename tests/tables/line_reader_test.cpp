#include "tables/line_reader.hpp"

#include <gtest/gtest.h>

#include "tables/table_support.hpp"

namespace dpcov::test {
namespace {

using Lines = std::vector<std::string>;

/// Hands out a few bytes at a time, as a pipe may.
class Drip final : public ByteStream {
public:
    Drip(std::unique_ptr<ByteStream> source, std::size_t step)
        : ByteStream("drip"), source_(std::move(source)), step_(step) {}
    std::size_t read(std::span<unsigned char> into) override {
        return source_->read(into.first(std::min(step_, into.size())));
    }

private:
    std::unique_ptr<ByteStream> source_;
    std::size_t step_;
};

/// The lines; one that is too long as "LONG".
Lines lines_of_text(std::string_view text, std::size_t step = 100'000,
                    std::size_t longest = LineReader::longest_by_default,
                    bool front_is_a_row = false) {
    LineReader reader(std::make_unique<Drip>(in_memory(text), step));
    if (!front_is_a_row) {
        reader.settle_encoding();
    }
    reader.set_longest(longest);
    Lines lines;
    while (reader.next()) {
        lines.push_back(reader.too_long() ? "LONG" : std::string(reader.text()));
        EXPECT_EQ(reader.line(), lines.size());
    }
    EXPECT_FALSE(reader.next());
    return lines;
}

TEST(LineReader, HandsOutLines) {
    EXPECT_EQ(lines_of_text(""), Lines{});
    EXPECT_EQ(lines_of_text("\n"), (Lines{""}));
    EXPECT_EQ(lines_of_text("a"), (Lines{"a"}));
    EXPECT_EQ(lines_of_text("a\n"), (Lines{"a"}));
    EXPECT_EQ(lines_of_text("a\n\n"), (Lines{"a", ""}));
    EXPECT_EQ(lines_of_text("a\r\n\r\nb\rc\r\r\nd\r"), (Lines{"a", "", "b\rc\r", "d"}));
}

TEST(LineReader, DropsAByteOrderMarkAtTheFrontOnly) {
    EXPECT_EQ(lines_of_text("\xef\xbb\xbf"), Lines{});
    EXPECT_EQ(lines_of_text("\xef\xbb\xbf"
                            "a\n\xef\xbb\xbf"),
              (Lines{"a", "\xef\xbb\xbf"}));
    EXPECT_EQ(lines_of_text("\xef\xbb"), (Lines{"\xef\xbb"}));
}

TEST(LineReader, KeepsAByteOrderMarkThatBelongsToARow) {
    const std::string marked = "\xef\xbb\xbf";
    for (const std::string& text : {marked, marked + "a\n" + marked, std::string("\xef\xbb")}) {
        const Lines lines = lines_of_text(text, 100'000, LineReader::longest_by_default, true);
        EXPECT_EQ(lines.front(), text.substr(0, text.find('\n')));
    }
}

// It is too long however it goes on: to read on would wait for ever.
TEST(LineReader, SaysThatALineIsTooLongWhereItNeverEnds) {
    class Endless final : public ByteStream {
    public:
        Endless() : ByteStream("endless") {}
        std::size_t read(std::span<unsigned char> into) override {
            bytes_ += into.size();
            EXPECT_LT(bytes_, 10'000'000U);
            std::fill(into.begin(), into.end(), '1');
            return bytes_ < 10'000'000 ? into.size() : 0;
        }

    private:
        std::size_t bytes_ = 0;
    };
    LineReader reader(std::make_unique<Endless>(), 1000);
    ASSERT_TRUE(reader.next());
    EXPECT_TRUE(reader.too_long());
    EXPECT_EQ(reader.text(), "");
    EXPECT_TRUE(reader.next_in_buffer(5).empty());
}

// The way for many lines draws the line where the way for one does.
TEST(LineReader, HandsOutNoLineThatIsTooLong) {
    const std::string longest(40, 'a');
    LineReader reader(in_memory("first\n" + longest + "\n" + longest + "a\nlast\n"));
    reader.set_longest(longest.size());
    ASSERT_TRUE(reader.next());
    const auto lines = reader.next_in_buffer(10);
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_EQ(lines[0], longest);
    ASSERT_TRUE(reader.next());
    EXPECT_TRUE(reader.too_long());
    ASSERT_TRUE(reader.next());
    EXPECT_EQ(reader.text(), "last");
}

TEST(LineReader, PassesOverLongLinesWhereverTheyEnd) {
    for (const std::size_t step : {1U, 3U, 1000U, 100'000U, 131'072U, 1'000'000U}) {
        for (const std::size_t length : {9U, 10U, 11U, 12U, 1000U}) {
            const std::string word(length, 'x');
            const std::string seen = length <= 10 ? word : "LONG";
            EXPECT_EQ(lines_of_text("a\n" + word + "\nb\n" + word, step, 10),
                      (Lines{"a", seen, "b", seen}));
        }
    }
    for (const std::size_t length : {131'071U, 131'072U, 262'144U, 262'145U, 400'000U}) {
        const std::string word(length, 'x');
        EXPECT_EQ(lines_of_text(word + "\nb\n" + word + "\n" + word, 100'000, 262'144),
                  (Lines{length <= 262'144 ? word : "LONG", "b", length <= 262'144 ? word : "LONG",
                         length <= 262'144 ? word : "LONG"}));
    }
}

}  // namespace
}  // namespace dpcov::test
