// The short ways of the CSV reader (many lines at a time, by several threads or taken for another
// thread, numbers taken off the front of a line) give the rows, and the errors, that reading line
// by line and field by field does.
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dpcov/error.hpp"
#include "files/byte_stream.hpp"
#include "support/test_size.hpp"
#include "support/text_pieces.hpp"
#include "tables/csv_reader.hpp"
#include "tables/svm_reader.hpp"
#include "tables/table_support.hpp"
#include "tables/taken_lines.hpp"
#include "tables/text_reader.hpp"

namespace dpcov::test {
namespace {

/// All that reading a table shows.
struct Seen {
    std::vector<double> values;
    std::string error;  ///< its text, and where it is said to be
};

bool operator==(const Seen& a, const Seen& b) {
    return a.error == b.error && a.values.size() == b.values.size() &&
           (a.values.empty() ||
            std::memcmp(a.values.data(), b.values.data(), a.values.size() * sizeof(double)) == 0);
}

std::size_t read_block(TableReader& reader, std::span<double> block) {
    return reader.read(block);
}

/// Sees what `read` reads.
template <class Open, class Read>
Seen see(const Open& open, std::size_t block_rows, const Read& read) {
    Seen seen;
    try {
        const std::unique_ptr<TableReader> reader = open();
        std::vector<double> block(block_rows * reader->columns());
        while (const std::size_t count = read(*reader, block)) {
            seen.values.insert(
                seen.values.end(), block.begin(),
                block.begin() + static_cast<std::ptrdiff_t>(count * reader->columns()));
        }
    } catch (const DataError& error) {
        const DataPlace& place = error.place();
        seen.error = std::string(error.what()) + " / " + place.column_name + " " +
                     std::to_string(place.row.value_or(0)) + " " +
                     std::to_string(place.line.value_or(0)) + " " +
                     std::to_string(place.column.value_or(0));
        // The rows of the block that ended so were not handed out, and blocks end elsewhere.
        seen.values.clear();
    } catch (const Error& error) {
        seen.error = error.what();
    }
    return seen;
}

template <class Open>
Seen see(const Open& open, std::size_t block_rows) {
    return see(open, block_rows, read_block);
}

/// In two steps, with room for so many bytes between them.
template <class Open>
Seen see_taken_lines(const Open& open, std::size_t block_rows, std::size_t bytes) {
    TakenLines taken(block_rows, bytes);
    return see(open, block_rows, [&taken](TableReader& reader, std::span<double> block) {
        auto& text = dynamic_cast<TextReader&>(reader);
        EXPECT_TRUE(text.takes_lines());
        const std::size_t count = text.take_lines(taken, block);
        text.make_rows(taken, block);
        return count;
    });
}

constexpr std::size_t short_line = 300;

Seen by_shortcuts(std::string_view text, TableOptions options, char delimiter, unsigned threads,
                  std::size_t block_rows) {
    options.threads = threads;
    return see([&] { return open_csv(in_memory(text), delimiter, options, short_line); },
               block_rows);
}

Seen by_taken_lines(std::string_view text, const TableOptions& options, char delimiter,
                    std::size_t block_rows, std::size_t bytes) {
    return see_taken_lines(
        [&] { return open_csv(in_memory(text), delimiter, options, short_line); }, block_rows,
        bytes);
}

Seen by_line_and_field(std::string_view text, const TableOptions& options, char delimiter) {
    return see(
        [&] {
            return open_csv(in_memory(text), delimiter, options, short_line, Shortcuts::left_out);
        },
        5);
}

std::vector<TableOptions> ways_to_read() {
    std::vector<TableOptions> ways;
    for (const BadRows bad_rows : {BadRows::error, BadRows::zero}) {
        TableOptions plain;
        plain.bad_rows = bad_rows;
        plain.header = Header::no;
        plain.dimension = 3;
        ways.push_back(plain);
        TableOptions chosen = plain;
        chosen.dimension.reset();
        chosen.columns = {"2", "0"};
        chosen.scale = 3.0;
        ways.push_back(chosen);
        TableOptions bounded = plain;
        bounded.bounds = {{.name = "2", .bounds = {{0, 9}}, .fill = 4.5},
                          {.name = "0", .bounds = {{-1, 1}}}};
        ways.push_back(bounded);
        TableOptions indicating = plain;
        indicating.columns = {"0=1", "1", "1=2.5", "2=x", "0"};
        ways.push_back(indicating);
        TableOptions header = plain;
        header.header = Header::yes;
        header.dimension.reset();
        ways.push_back(header);
        TableOptions one = plain;
        one.dimension = 1;
        ways.push_back(one);
    }
    return ways;
}

/// A table mostly of good lines, for otherwise only the first bad one would be seen.
std::string random_table(std::mt19937_64& random, std::uint64_t most_pieces) {
    std::string text = random() % 8 == 0 ? "\xef\xbb\xbf" : "";
    for (std::uint64_t left = random() % most_pieces; left > 0; --left) {
        switch (random() % 16) {
            case 0:
                text += random_piece(random);
                break;
            case 1:
                text += std::to_string(random()) + "." + std::to_string(random()) + "e-19,";
                break;
            case 2:
                text += std::string(random() % 400, random() % 2 == 0 ? ' ' : '7');
                break;
            case 3:
                text += "\"1\n2\",3,4\n";
                break;
            default:
                text += std::to_string(random() % 100) + "." + std::to_string(random() % 100'000) +
                        ",-" + std::to_string(random() % 100) + "," +
                        std::to_string(static_cast<double>(random() % 1000) / 8.0) + "\n";
        }
    }
    return text;
}

TEST(CsvShortcuts, GiveTheSameRowsAndErrors) {
    std::mt19937_64 random(20261122);
    int errors = 0;
    int tables = 0;
    const int texts = test_size(1000, 4000);
    for (int i = 0; i < texts; ++i) {
        const std::string text = random_table(random, i % 100 == 0 ? 200 : 12);
        for (const TableOptions& options : ways_to_read()) {
            const char delimiter = i % 10 == 0 ? '(' : ',';
            const Seen expected = by_line_and_field(text, options, delimiter);
            for (const unsigned threads : {1U, 3U}) {
                ASSERT_EQ(by_shortcuts(text, options, delimiter, threads, 1 + random() % 100),
                          expected)
                    << testing::PrintToString(text);
            }
            // 300 bytes are as many as a line may have here.
            for (const std::size_t bytes : {1U, 40U, 300U, 5000U}) {
                ASSERT_EQ(by_taken_lines(text, options, delimiter, 1 + random() % 100, bytes),
                          expected)
                    << testing::PrintToString(text);
            }
            errors += expected.error.empty() ? 0 : 1;
            ++tables;
        }
    }
    EXPECT_GT(errors, tables / 10);
    EXPECT_GT(tables - errors, tables / 10);
}

// Longer than the reader's buffer is filled at a time, so that lines cross its edges, and so many
// that every thread has some; one bad row, or two, anywhere.
TEST(CsvShortcuts, NameTheFirstBadRowOfALongTable) {
    std::mt19937_64 random(3);
    std::string good;
    std::vector<std::size_t> starts;
    while (good.size() < 1'300'000) {
        starts.push_back(good.size());
        good += std::to_string(random() % 1000) + "." + std::to_string(random()) + ",-0." +
                std::to_string(random()) + "," + std::to_string(random() % 7) + "\n";
    }
    TableOptions options;
    options.header = Header::no;
    for (int i = 0; i < 12; ++i) {
        std::string text = good;
        for (int bad = 0; bad < i % 4; ++bad) {
            text[starts[random() % starts.size()]] = bad % 2 == 0 ? 'x' : '"';
        }
        options.bad_rows = i < 8 ? BadRows::error : BadRows::zero;
        options.dimension = 3;
        const Seen expected = by_line_and_field(text, options, ',');
        ASSERT_EQ(expected.error.empty(), i % 4 == 0 || i >= 8);
        for (const unsigned threads : {1U, 2U, 5U}) {
            ASSERT_EQ(by_shortcuts(text, options, ',', threads, 8192), expected);
        }
        for (const std::size_t bytes : {100'000U, 1U << 20U}) {
            ASSERT_EQ(by_taken_lines(text, options, ',', 50'000, bytes), expected);
        }
    }
}

/// A text behind which the stream breaks, as that of a truncated gzip file does.
class BrokenBehind final : public ByteStream {
public:
    explicit BrokenBehind(std::string_view text) : ByteStream("broken"), rest_(text) {}
    std::size_t read(std::span<unsigned char> into) override {
        if (rest_.empty()) {
            throw DataError("broken");
        }
        const std::size_t count = rest_.copy(reinterpret_cast<char*>(into.data()), into.size());
        rest_.remove_prefix(count);
        return count;
    }

private:
    std::string_view rest_;
};

TEST(CsvShortcuts, NameABadRowBeforeTheStreamBreaks) {
    TableOptions options;
    options.header = Header::no;
    options.dimension = 3;
    const std::string good = "1,2,3\n4,5,6\n7,8,9\n";
    const auto seen = [&](const std::string& text) {
        const auto open = [&] {
            return open_csv(std::make_unique<BrokenBehind>(text), ',', options, short_line);
        };
        const Seen expected = see(open, 1);
        EXPECT_EQ(see(open, 100), expected);
        for (const std::size_t bytes : {10U, 5000U}) {
            EXPECT_EQ(see_taken_lines(open, 100, bytes), expected) << expected.error;
        }
        return expected.error;
    };
    for (const std::string end : {"", "1,2", "1,2,3"}) {
        EXPECT_TRUE(seen(good + end).starts_with("broken /"));
        EXPECT_NE(seen("1,2,x\n" + good + end).find("row 1"), std::string::npos);
        EXPECT_NE(seen(good + "1,2\n" + end).find("row 4"), std::string::npos);
    }
}

TEST(CsvShortcuts, AreAlsoOfSparseText) {
    std::mt19937_64 random(5);
    TableOptions options;
    options.dimension = 5;
    const int texts = test_size(500, 2000);
    for (int i = 0; i < texts; ++i) {
        std::string text;
        for (std::uint64_t left = random() % 200; left > 0; --left) {
            text += random() % 50 == 0 ? random_piece(random)
                                       : "1 1:" + std::to_string(random() % 100) + " 4:0.5\n";
        }
        options.bad_rows = i % 2 == 0 ? BadRows::error : BadRows::zero;
        const auto open_with = [&](unsigned threads) {
            return [&, threads] {
                TableOptions given = options;
                given.threads = threads;
                return open_svm(in_memory(text), given, short_line);
            };
        };
        const Seen expected = see(open_with(1), 3);
        ASSERT_EQ(see(open_with(0), 2), expected) << testing::PrintToString(text);
        ASSERT_EQ(see(open_with(4), 100), expected) << testing::PrintToString(text);
        ASSERT_EQ(see_taken_lines(open_with(4), 100, 1 + random() % 1000), expected)
            << testing::PrintToString(text);
    }
}

}  // namespace
}  // namespace dpcov::test
