#include "research/text_documents.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "dpcov/error.hpp"
#include "research/xz.hpp"
#include "tables/table_support.hpp"

namespace dpcov::test {
namespace {

using research::DocumentFormat;
using research::TextDocuments;
using Texts = std::vector<std::string>;

class Documents : public testing::Test {
protected:
    Texts read(const std::string& bytes, DocumentFormat format) {
        write_file(path_, bytes);
        TextDocuments documents(path_, format);
        Texts texts;
        while (const auto text = documents.next()) {
            texts.push_back(*text);
        }
        EXPECT_FALSE(documents.next()) << "the end must stay the end";
        return texts;
    }

    Texts json_lines(const std::string& bytes) { return read(bytes, DocumentFormat::json_lines); }
    Texts blank_lines(const std::string& bytes) { return read(bytes, DocumentFormat::blank_lines); }

    TemporaryFolder folder_;
    std::string path_ = folder_ / "documents";
};

TEST_F(Documents, AreSplitAtEmptyLinesAsPythonSplits) {
    EXPECT_EQ(blank_lines("one\ntwo\n\nthree\n"), (Texts{"one\ntwo", "three\n"}));
    EXPECT_EQ(blank_lines("a\n\n\nb"), (Texts{"a", "\nb"}));
    EXPECT_EQ(blank_lines("a\n\n\n\nb\n\n"), (Texts{"a", "", "b", ""}));
    EXPECT_EQ(blank_lines("\n\na"), (Texts{"", "a"}));
    EXPECT_EQ(blank_lines("a\n \nb\r\n\r\nc"), (Texts{"a\n \nb\r\n\r\nc"}));
    EXPECT_EQ(blank_lines(""), Texts{""});
    EXPECT_EQ(blank_lines("a"), Texts{"a"});
}

// Whatever block the file is read in, some of these separators stand astride its edge.
TEST_F(Documents, AreSplitWhereverBlocksEnd) {
    for (std::size_t length = 65533; length <= 65538; ++length) {
        const Texts texts = {std::string(length, 'x'), std::string(3 * length, 'y'), "z"};
        EXPECT_EQ(blank_lines(texts[0] + "\n\n" + texts[1] + "\n\n" + texts[2]), texts);
    }
    std::string bytes;
    Texts expected;
    for (std::size_t length = 0; length < 1000; ++length) {
        expected.emplace_back(length, 'x');
        bytes += (length > 0 ? "\n\n" : "") + expected.back();
    }
    EXPECT_EQ(blank_lines(bytes), expected);
}

TEST_F(Documents, AreReadFromJsonLines) {
    const Texts expected = {"one\ntwo", "", "\u0130 \U0001f600"};
    const std::string bytes =
        "{\"text\": \"one\\ntwo\", \"id\": 1}\n{\"id\": 2, \"text\": \"\"}\r\n"
        "{\"text\": \"\\u0130 \\ud83d\\ude00\"}";
    EXPECT_EQ(json_lines(bytes), expected);
    EXPECT_EQ(json_lines(bytes + "\n"), expected);
    EXPECT_EQ(json_lines(""), Texts{});
}

TEST_F(Documents, AreUnpackedWhateverTheirFilesName) {
    const Texts expected = {"first", "second", std::string(200'000, 'x')};
    const std::string bytes = expected[0] + "\n\n" + expected[1] + "\n\n" + expected[2];
    EXPECT_EQ(blank_lines(gzip(bytes)), expected);
    EXPECT_EQ(blank_lines(xz(bytes)), expected);
    EXPECT_EQ(blank_lines(gzip(bytes.substr(0, 100)) + gzip(bytes.substr(100))), expected);
    EXPECT_EQ(blank_lines(xz(bytes.substr(0, 100)) + xz(bytes.substr(100))), expected);
}

TEST_F(Documents, AreRefusedWhereALineIsNoDocument) {
    const std::string good = "{\"text\": \"fine\"}\n";
    for (const std::string bad :
         {R"({"text": "secret)", R"({"texts": "secret"})", R"({"text": 1})", R"(["secret"])", "",
          "{\"text\": \"\xff\"}", R"({"text": "\ud800"})"}) {
        expect_error<DataError>([&] { json_lines(good + bad + "\n" + good); },
                                {path_, "line 2", "\"text\""}, {"secret"});
    }
}

// Pseudo-random bytes do not pack: what is cut off is data and not only a checksum.
TEST_F(Documents, AreRefusedWhereTheFileIsCutShort) {
    std::string bytes;
    for (std::uint32_t state = 1; bytes.size() < 300'000;) {
        state = state * 1664525U + 1013904223U;
        bytes += static_cast<char>('a' + (state >> 24U) % 26);
    }
    for (const std::string& packed : {gzip(bytes), xz(bytes)}) {
        for (const std::size_t left : {packed.size() - 40, packed.size() / 2, std::size_t{60}}) {
            expect_error<DataError>([&] { blank_lines(packed.substr(0, left)); }, {path_, "again"});
        }
    }
    std::string damaged = xz(bytes);
    damaged[damaged.size() / 2] = static_cast<char>(damaged[damaged.size() / 2] ^ 1);
    expect_error<DataError>([&] { blank_lines(damaged); }, {path_, "again"});
}

TEST_F(Documents, AreRefusedWhereThereIsNoFile) {
    expect_error<DeviceError>([&] { TextDocuments(path_, DocumentFormat::json_lines); },
                              {path_, "cannot open", "No such file"});
    expect_error<DeviceError>([&] { TextDocuments(folder_ / "", DocumentFormat::json_lines); },
                              {folder_ / ""});
}

}  // namespace
}  // namespace dpcov::test
