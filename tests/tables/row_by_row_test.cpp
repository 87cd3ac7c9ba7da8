// Under BadRows::zero a row is mapped by itself: whatever stands in it, it changes neither n, nor
// d, nor another row, nor whether the table can be read.
#include "support/row_by_row.hpp"

#include <csv.h>
#include <gtest/gtest.h>

#include <random>

#include "files/gzip_stream.hpp"
#include "support/test_size.hpp"
#include "support/text_pieces.hpp"
#include "tables/array_reader.hpp"
#include "tables/csv_reader.hpp"
#include "tables/parse_number.hpp"
#include "tables/svm_reader.hpp"
#include "tables/table_support.hpp"

namespace dpcov::test {
namespace {

using Values = std::vector<double>;

constexpr std::size_t table_columns = 3;

TableOptions zero_options() {
    TableOptions options;
    options.bad_rows = BadRows::zero;
    options.header = Header::no;
    options.dimension = table_columns;
    return options;
}

Schema schema_with_fills() {
    return {{.name = "2", .bounds = {{0, 10}}, .fill = 5.0}, {.name = "0", .bounds = {{-1, 1}}}};
}

/// Reads a table from memory and leaves what it says of itself to the reader.
Values rows_of_csv(std::string_view text, const TableOptions& options, char delimiter = ',') {
    return read_all(*open_csv(in_memory(text), delimiter, options), 7).values;
}

Values rows_of_svm(std::string_view text, const TableOptions& options) {
    Values values = read_all(*open_svm(in_memory(text), options), 7).values;
    EXPECT_EQ(read_all_sparse(*open_svm(in_memory(text), options), 7).values, values);
    return values;
}

/// What a line may hold that no row of three numbers should.
std::vector<std::string> bad_rows() {
    using namespace std::string_literals;
    return {"",
            " \t ",
            "5",
            "5,6",
            "5,6,7,8",
            "5,6,7,",
            ",,",
            "5,,7",
            "a,b,c",
            "5,x,7",
            "nan,1,2",
            "5,inf,7",
            "5,1e999,7",
            "\"5,6,7",
            "5,\"6,7",
            "5,6,\"7",
            "5,\"6\"6,7",
            "5,\"6\"\"",
            "5,6,7\"",
            "\"\"\"",
            "5\r6,7,8",
            "5,6,7\r8",
            "\r",
            "5,\0,7"s,
            "\0\0\0"s,
            "\xff\xfe"
            "5,6,7",
            "\x1f\x8b\x08",
            "\xef\xbb\xbf\xef\xbb\xbf"
            "5,6,7",
            "# comment",
            "5;6;7",
            "5,6,7;",
            "5\t6\t7",
            "\"5\r6\",7,8",
            "1,234,5,6",
            "5,\"6\r\n",
            std::string(200'000, ','),
            std::string(200'000, '"'),
            "5,6,7" + std::string(200'000, ' ') + "x",
            "\x93NUMPY\x01",
            "PK\x03\x04"};
}

/// The table's lines: three good rows, `row` at `place` of them, lines of the given end.
std::string table_with(const std::string& row, std::size_t place, const std::string& end = "\n",
                       bool last_end = true) {
    const std::vector<std::string> good = {"1,2,3", "0.25,-1e1,7", "4,\"5\",6"};
    std::string text;
    for (std::size_t i = 0; i <= good.size(); ++i) {
        text += i == place ? row : good[i - (i > place ? 1 : 0)];
        text += i < good.size() || last_end ? end : "";
    }
    return text;
}

TEST(RowByRow, AnyBadRowOfACsvIsARowOfZerosAtAnyPlace) {
    TableOptions header_options = zero_options();
    header_options.header = Header::yes;
    header_options.dimension.reset();
    TableOptions index_options = zero_options();
    index_options.dimension.reset();
    index_options.columns = {"2", "0", "1"};
    for (const std::string& row : bad_rows()) {
        if (row.find('\n') != std::string::npos) {
            continue;  // two rows
        }
        SCOPED_TRACE(row.substr(0, 20));
        for (std::size_t place = 0; place <= 3; ++place) {
            const std::string bad = table_with(row, place);
            const std::string zeros = table_with("0,0,0", place);
            const Values expected = rows_of_csv(zeros, zero_options());
            EXPECT_EQ(expected.size(), 4 * table_columns);
            EXPECT_EQ(rows_of_csv(bad, zero_options()), expected);
            EXPECT_EQ(rows_of_csv(table_with(row, place, "\r\n"), zero_options()), expected);
            if (!row.empty()) {  // the empty text behind the last line end is no row
                EXPECT_EQ(rows_of_csv(table_with(row, place, "\n", false), zero_options()),
                          expected);
            }
            EXPECT_EQ(rows_of_csv("a,b,c\n" + bad, header_options), expected);
            EXPECT_EQ(
                read_all(*open_csv(open_gzip_stream(in_memory(gzip(bad))), ',', zero_options()))
                    .values,
                expected);
        }
    }
}

TEST(RowByRow, ARowIsGoodByItsChosenFieldsWhereNoWidthIsDeclared) {
    TableOptions options = zero_options();
    options.dimension.reset();
    options.columns = {"1"};
    EXPECT_EQ(rows_of_csv("1,2\n3\n4,5,x,y\n,6,\n\n\"7\",\"8\"\n9,10,\"\n", options),
              (Values{2, 0, 5, 6, 0, 8, 0}));
    EXPECT_EQ(rows_of_csv("", options), Values{});
}

TEST(RowByRow, ALineOfAnyLengthIsARow) {
    const std::string long_field(17U << 20U, '5');
    for (std::size_t place = 0; place <= 3; ++place) {
        const Values expected = rows_of_csv(table_with("0,0,0", place), zero_options());
        for (const std::string& row : {"1,2," + long_field, "1,2,\"" + long_field + "\""}) {
            EXPECT_EQ(rows_of_csv(table_with(row, place), zero_options()), expected);
            EXPECT_EQ(rows_of_csv(table_with(row, place, "\n", false), zero_options()), expected);
        }
    }
    TableOptions options = zero_options();
    EXPECT_EQ(rows_of_svm("1 1:5\n1 1:" + long_field + "\n1 2:5\n", options),
              (Values{5, 0, 0, 0, 0, 0, 0, 5, 0}));
}

TEST(RowByRow, TheEdgesOfBuffersDoNotMatter) {
    // The second row crosses the edge of what is read at a time in every way.
    constexpr std::size_t edge = LineReader::chunk_bytes;
    for (const std::string row : {"5,6,7", "5,\"6\",7", "5,\"6,7", "\r", "5,\"6\"\"\",7"}) {
        const Values one = rows_of_csv(row + "\n", zero_options());
        for (std::size_t pad = edge - 24; pad < edge + 8; ++pad) {
            const std::string front = std::string(pad, ' ') + "1,2,3\r\n";
            Values expected = {1, 2, 3};
            expected.insert(expected.end(), one.begin(), one.end());
            expected.insert(expected.end(), {8, 9, 10});
            ASSERT_EQ(rows_of_csv(front + row + "\r\n8,9,10", zero_options()), expected) << pad;
        }
    }
}

TEST(RowByRow, AnyBadRowOfAnSvmIsARowOfZerosAtAnyPlace) {
    const std::vector<std::string> good = {"1 1:2 3:4", "-1 2:5 # note", "0"};
    for (const std::string& row :
         {std::string(""), std::string("# comment"), std::string("  "), std::string("1 4:1"),
          std::string("1 0:1"), std::string("1 x"), std::string("1:1 2:2"), std::string("1 1:nan"),
          std::string("1 1:"), std::string("1 1:2\r1 1:3"), std::string("1 1:\0", 5),
          std::string("\x1f\x8b 1:1 2"), std::string("\xff\xfe 9:9"), std::string("1 1:1e999")}) {
        for (std::size_t place = 0; place <= good.size(); ++place) {
            std::string bad;
            Values expected;
            for (std::size_t i = 0; i <= good.size(); ++i) {
                const std::string& line = i == place ? row : good[i - (i > place ? 1 : 0)];
                bad += line + "\n";
                const Values values = i == place ? Values(table_columns, 0.0)
                                                 : rows_of_svm(line + "\n", zero_options());
                expected.insert(expected.end(), values.begin(), values.end());
            }
            EXPECT_EQ(rows_of_svm(bad, zero_options()), expected) << row << " at " << place;
        }
    }
}

TEST(RowByRow, TheFirstBytesOfARowAreNotLookedAt) {
    TableOptions options = zero_options();
    EXPECT_EQ(rows_of_csv("\xff\xfe\n1,2,3\n", options), (Values{0, 0, 0, 1, 2, 3}));
    EXPECT_EQ(rows_of_csv("\x1f\x8b,2,3\n1,2,3\n", options), (Values{0, 0, 0, 1, 2, 3}));
    // A header is public, so its bytes may be.
    options.header = Header::yes;
    expect_error<DataError>(
        [&] {
            rows_of_csv(
                "\xff\xfe"
                "a,b,c\n",
                options);
        },
        {"UTF-16"});
}

TEST(RowByRow, WantsAWidthThatNoRowTells) {
    TableOptions options = zero_options();
    options.dimension.reset();
    for (const std::string text : {"", "1,2,3\n", "\n"}) {
        expect_error<UndeclaredError>([&] { rows_of_csv(text, options); }, {"how many columns"});
    }
    EXPECT_EQ(rows_of_csv("", zero_options()), Values{});
}

/// Small texts of everything that has a meaning to some reader.
class RandomTexts {
public:
    std::string next() {
        std::string text;
        for (std::uint64_t left = random_() % 24; left > 0; --left) {
            text += random_piece(random_);
        }
        return text;
    }

private:
    std::mt19937_64 random_{20261122};
};

// Fewer by day: the readers that mix rows are found in one text of a hundred or more often.
const int random_texts = test_size(5'000, 20'000);

/// How many of the random texts violate the property, for a reader.
int violations(std::size_t width, const ReadRows& read, bool report) {
    RandomTexts texts;
    int count = 0;
    for (int i = 0; i < random_texts; ++i) {
        const std::string text = texts.next();
        const std::string violation = row_by_row_violation(text, width, read);
        count += violation.empty() ? 0 : 1;
        if (report && !violation.empty() && count < 5) {
            ADD_FAILURE() << violation << " in: " << testing::PrintToString(text);
        }
    }
    return count;
}

TEST(RowByRow, HoldsForRandomTexts) {
    EXPECT_EQ(violations(
                  table_columns,
                  [](std::string_view text) { return rows_of_csv(text, zero_options()); }, true),
              0);
    EXPECT_EQ(violations(
                  table_columns,
                  [](std::string_view text) { return rows_of_svm(text, zero_options()); }, true),
              0);
    EXPECT_EQ(violations(
                  2,
                  [](std::string_view text) {
                      TableOptions options = zero_options();
                      options.bounds = schema_with_fills();
                      return rows_of_csv(text, options);
                  },
                  true),
              0);
    EXPECT_EQ(violations(
                  1,
                  [](std::string_view text) {
                      TableOptions options = zero_options();
                      options.dimension.reset();
                      options.columns = {"1"};
                      return rows_of_csv(text, options, '\t');
                  },
                  true),
              0);
}

/// libcsv over the whole text: quotes go on over lines, blank lines vanish.
Values read_with_libcsv(std::string_view text) {
    struct Sink {
        Values values;
        std::vector<double> row;
        bool bad = false;
    } sink;
    csv_parser parser{};
    csv_init(&parser, 0);
    const auto on_field = [](void* field, std::size_t length, void* self) {
        const ParsedNumber number = parse_number({static_cast<const char*>(field), length});
        auto& to = *static_cast<Sink*>(self);
        to.row.push_back(number.value);
        to.bad |= number.problem.has_value() || !std::isfinite(number.value);
    };
    const auto on_row = [](int /*terminator*/, void* self) {
        auto& to = *static_cast<Sink*>(self);
        if (to.bad || to.row.size() != table_columns) {
            to.row.assign(table_columns, 0.0);
        }
        to.values.insert(to.values.end(), to.row.begin(), to.row.end());
        to.row.clear();
        to.bad = false;
    };
    csv_parse(&parser, text.data(), text.size(), on_field, on_row, &sink);
    csv_fini(&parser, on_field, on_row, &sink);
    csv_free(&parser);
    return sink.values;
}

// Negative controls: readers that look at more than the row do not pass.
TEST(RowByRow, FindsReadersThatMixRows) {
    EXPECT_GT(violations(table_columns, read_with_libcsv, false), random_texts / 10);
    // Takes the width from the first row.
    const auto first_row_counts = [](std::string_view text) {
        const std::string first = std::string(text.substr(0, text.find('\n')));
        TableOptions options = zero_options();
        options.dimension =
            1 + static_cast<std::size_t>(std::count(first.begin(), first.end(), ','));
        Values values;
        const auto reader = open_csv(in_memory(text), ',', options);
        const Table table = read_all(*reader);
        for (std::size_t i = 0; i < table.rows; ++i) {
            const double value = table.values[i * reader->columns()];
            values.insert(values.end(), {value, value, value});
        }
        return values;
    };
    EXPECT_GT(violations(table_columns, first_row_counts, false), random_texts / 100);
    // Stops at bad rows.
    const auto stops = [](std::string_view text) {
        TableOptions options = zero_options();
        options.bad_rows = BadRows::error;
        return rows_of_csv(text, options);
    };
    EXPECT_GT(violations(table_columns, stops, false), random_texts / 10);
}

// Whatever its category is, on a list or on none: a row changes no other.
TEST(RowByRow, ACategoryIsItsRowsAlone) {
    TableOptions options = zero_options();
    options.columns = {"2", "0=north", "1", "0=south", "1=6"};
    const auto with = [&](const std::string& category, std::size_t place) {
        std::vector<std::string> lines = {"north,6,1", "\"south\",5,2", "east,4,3"};
        lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(place), category + ",5,7");
        std::string text;
        for (const std::string& line : lines) {
            text += line + "\n";
        }
        return rows_of_csv(text, options);
    };
    const std::vector<std::pair<std::string, Values>> rows = {
        {"north", {7, 1, 5, 0, 0}},     {"\" north \"", {7, 1, 5, 0, 0}},
        {"South", {7, 0, 5, 0, 0}},     {"nowhere", {7, 0, 5, 0, 0}},
        {"\xff", {7, 0, 5, 0, 0}},      {"1e999", {7, 0, 5, 0, 0}},
        {"?", {0, 0, 0, 0, 0}},         {"", {0, 0, 0, 0, 0}},
        {"\"no\"rth", {0, 0, 0, 0, 0}}, {"no\rrth", {0, 0, 0, 0, 0}}};
    const Values others = {1, 1, 6, 0, 1, 2, 0, 5, 1, 0, 3, 0, 4, 0, 0};
    for (const auto& [category, row] : rows) {
        for (std::size_t place = 0; place <= 3; ++place) {
            Values expected = others;
            expected.insert(expected.begin() + static_cast<std::ptrdiff_t>(5 * place), row.begin(),
                            row.end());
            EXPECT_EQ(with(category, place), expected) << category << " at " << place;
        }
    }
}

// A table without a bad row is the same table in both modes.
TEST(RowByRow, AgreesWithTheOtherModeOnGoodTables) {
    const std::vector<std::string> cells = {"1", "-2.5", " 3\t", "\"4\"", " \"5e-1\" ", "+6", "07"};
    const std::vector<std::string> odd = {"", "x", "\"\"", "\"1\"\"\"", "\"1\n2\"", "\r"};
    std::mt19937_64 random(11);
    int good = 0;
    for (int i = 0; i < random_texts; ++i) {
        const std::size_t width = 1 + random() % 3;
        std::string text;
        for (std::uint64_t rows = random() % 5; rows > 0; --rows) {
            for (std::size_t j = 0; j < width; ++j) {
                text += j > 0 ? "," : "";
                text +=
                    random() % 20 > 0 ? cells[random() % cells.size()] : odd[random() % odd.size()];
            }
            text += random() % 2 == 0 ? "\n" : "\r\n";
        }
        TableOptions options = zero_options();
        options.bad_rows = BadRows::error;
        options.dimension = width;
        Values strict;
        try {
            strict = rows_of_csv(text, options);
        } catch (const DataError&) {
            continue;
        }
        options.bad_rows = BadRows::zero;
        EXPECT_EQ(rows_of_csv(text, options), strict) << testing::PrintToString(text);
        good += strict.empty() ? 0 : 1;
    }
    EXPECT_GT(good, random_texts / 4);
    EXPECT_LT(good, random_texts * 3 / 4);
}

TEST(RowByRow, NpyAndIdxRowsAreTheirOwn) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double infinity = std::numeric_limits<double>::infinity();
    TableOptions options;
    options.bad_rows = BadRows::zero;
    for (const double bad : {nan, infinity, -infinity}) {
        for (std::size_t place = 0; place < 3; ++place) {
            Values values = {1, 2, 3, 4, 5, 6};
            Values zeros = values;
            values[2 * place + 1] = bad;
            zeros[2 * place] = zeros[2 * place + 1] = 0;
            std::string data;
            std::string big;
            for (const double value : values) {
                data += encode(value, false);
                big += encode(value, true);
            }
            const std::string file = npy(npy_dictionary("<f8", false, "(3, 2)"), data);
            EXPECT_EQ(read_all(*open_npy(in_memory(file), options)).values, zeros);
            const std::string idx = std::string("\0\0\x0e\x02\0\0\0\3\0\0\0\2", 12) + big;
            EXPECT_EQ(read_all(*open_idx(in_memory(idx), options)).values, zeros);
        }
    }
}

}  // namespace
}  // namespace dpcov::test
