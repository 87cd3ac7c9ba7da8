#include "tables/split_fields.hpp"

#include <csv.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "tables/blanks.hpp"

namespace dpcov::test {
namespace {

using Fields = std::vector<std::string>;

struct Split {
    SplitEnd end;
    Fields fields;
};

Split split(std::string_view record, char delimiter = ',') {
    Split result{};
    result.end = split_fields(record, delimiter, [&](std::string_view text, bool quoted) {
        result.fields.push_back(quoted ? without_doubled_quotes(text) : std::string(text));
    });
    return result;
}

TEST(SplitFields, Splits) {
    EXPECT_EQ(split("").fields, (Fields{""}));
    EXPECT_EQ(split("a").fields, (Fields{"a"}));
    EXPECT_EQ(split(" a , b").fields, (Fields{" a ", " b"}));
    EXPECT_EQ(split(",").fields, (Fields{"", ""}));
    EXPECT_EQ(split(" \"a\" ,\"b,c\",\"d\"\"e\",\"\"").fields, (Fields{"a", "b,c", "d\"e", ""}));
    EXPECT_EQ(split("a\"b\",c").fields, (Fields{"a\"b\"", "c"}));
    EXPECT_EQ(split("\t1\t\"2\"\t", '\t').fields, (Fields{"", "1", "2", ""}));
    EXPECT_EQ(split(std::string_view("a\0b,c", 5)).fields.size(), 2U);
}

TEST(SplitFields, SaysHowTheRecordEnds) {
    EXPECT_EQ(split("a,b").end, SplitEnd::done);
    EXPECT_EQ(split("a,\"b\"").end, SplitEnd::done);
    EXPECT_EQ(split("a,\"b").end, SplitEnd::open_quote);
    EXPECT_EQ(split("\"").end, SplitEnd::open_quote);
    EXPECT_EQ(split("\"\"\"").end, SplitEnd::open_quote);
    EXPECT_EQ(split("\"a\"b").end, SplitEnd::text_after_quote);
    EXPECT_EQ(split("a\rb").end, SplitEnd::carriage_return);
    EXPECT_EQ(split("\"a\rb\"").end, SplitEnd::done);
    EXPECT_EQ(split("\"a\" \r").end, SplitEnd::text_after_quote);
}

struct Reference {
    Fields fields;
    int records = 0;
    bool good = false;
};

/// What libcsv makes of one line.
Reference libcsv(const std::string& line) {
    Reference reference;
    csv_parser parser{};
    csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI);
    const auto on_field = [](void* text, std::size_t length, void* self) {
        static_cast<Reference*>(self)->fields.emplace_back(static_cast<const char*>(text), length);
    };
    const auto on_record = [](int /*terminator*/, void* self) {
        ++static_cast<Reference*>(self)->records;
    };
    reference.good = csv_parse(&parser, line.data(), line.size(), on_field, on_record,
                               &reference) == line.size() &&
                     csv_fini(&parser, on_field, on_record, &reference) == 0;
    csv_free(&parser);
    return reference;
}

// Where libcsv takes a line for one record without complaint, the fields are the same.
TEST(SplitFields, AgreesWithLibcsv) {
    std::mt19937_64 random(7);
    const std::string letters = "ab1 \t,,,\"\"\"\r";
    int compared = 0;
    for (int i = 0; i < 200'000; ++i) {
        std::string line;
        for (std::uint64_t left = random() % 12; left > 0; --left) {
            line += letters[random() % letters.size()];
        }
        const Reference expected = libcsv(line);
        if (!expected.good || expected.records != 1 || line.find('\r') != std::string::npos) {
            continue;
        }
        const Split found = split(line);
        ASSERT_EQ(found.end, SplitEnd::done) << line;
        ASSERT_EQ(found.fields.size(), expected.fields.size()) << line;
        for (std::size_t k = 0; k < found.fields.size(); ++k) {
            // libcsv drops the blanks around a field that is not quoted.
            ASSERT_EQ(without_blanks(found.fields[k]), without_blanks(expected.fields[k])) << line;
        }
        ++compared;
    }
    EXPECT_GT(compared, 20'000);
}

}  // namespace
}  // namespace dpcov::test
