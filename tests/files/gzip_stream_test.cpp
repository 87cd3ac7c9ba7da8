#include "files/gzip_stream.hpp"

#include <gtest/gtest.h>

#include "tables/table_support.hpp"

namespace dpcov::test {
namespace {

std::string inflate_all(std::string_view compressed, std::size_t step = 1000) {
    const auto stream = open_gzip_stream(in_memory(compressed));
    std::vector<unsigned char> buffer(step);
    std::string text;
    while (const std::size_t count = stream->read(buffer)) {
        text.append(buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(count));
    }
    EXPECT_EQ(stream->read(buffer), 0U);
    return text;
}

std::string varied_text(std::size_t length) {
    std::string text;
    for (std::size_t i = 0; text.size() < length; ++i) {
        text += std::to_string(i * i) + ",";
    }
    return text;
}

TEST(GzipStream, GivesBackTheText) {
    const std::string text = varied_text(1'000'000);
    for (const std::size_t step : {1000U, 131072U, 2'000'000U}) {
        EXPECT_EQ(inflate_all(gzip(text), step), text);
    }
    EXPECT_EQ(inflate_all(gzip(varied_text(100)), 1), varied_text(100));
    EXPECT_EQ(inflate_all(gzip("")), "");
}

TEST(GzipStream, JoinsMembers) {
    EXPECT_EQ(inflate_all(gzip("one,") + gzip("") + gzip("two")), "one,two");
}

TEST(GzipStream, NoticesEveryTruncation) {
    const std::string one = gzip(varied_text(300));
    for (std::size_t length = 0; length < one.size(); ++length) {
        expect_error<DataError>([&] { inflate_all(one.substr(0, length)); },
                                {"memory", "truncated"});
        if (length > 0) {
            expect_error<DataError>([&] { inflate_all(one + one.substr(0, length)); },
                                    {"memory", "truncated"});
        }
    }
}

TEST(GzipStream, NeverGivesOutAnotherTextForAFlippedBit) {
    constexpr std::size_t header_bytes = 10;  // its time stamp and the like are not protected
    constexpr std::size_t checksum_bytes = 8;
    const std::string text = varied_text(300);
    const std::string good = gzip(text);
    std::size_t harmless = 0;
    for (std::size_t position = header_bytes; position < good.size(); ++position) {
        for (unsigned bit = 0; bit < 8; ++bit) {
            std::string bad = good;
            bad[position] =
                static_cast<char>(static_cast<unsigned char>(bad[position]) ^ 1U << bit);
            try {
                // The bits that fill up the last byte of the compressed data mean nothing.
                EXPECT_EQ(inflate_all(bad), text);
                EXPECT_EQ(position, good.size() - checksum_bytes - 1);
                ++harmless;
            } catch (const DataError&) {
            }
        }
    }
    EXPECT_LT(harmless, 8U);
}

TEST(GzipStream, RefusesWhatFollows) {
    for (const std::string& garbage :
         {std::string("x"), std::string(512, '\0'), std::string("1,2\n")}) {
        expect_error<DataError>([&] { inflate_all(gzip("1,2\n") + garbage); },
                                {"memory", "follows the gzip data"});
    }
}

TEST(GzipStream, RefusesOtherFiles) {
    expect_error<DataError>([] { inflate_all("1,2\n3,4\n"); }, {"not a gzip file"});
    // A zlib stream is no gzip stream.
    expect_error<DataError>([] { inflate_all("\x78\x9c\x03\x01"); }, {"not a gzip file"});
}

TEST(GzipStream, ReadsAnywhereBesideTheForwardPass) {
    const std::string text = varied_text(1'000'000);
    const auto stream =
        open_gzip_stream(in_memory(gzip(text.substr(0, 300'000)) + gzip(text.substr(300'000))));
    EXPECT_TRUE(stream->has_random_access());
    EXPECT_EQ(stream->size(), text.size());
    std::vector<unsigned char> front(1000);
    EXPECT_EQ(read_fully(*stream, front), front.size());
    std::vector<unsigned char> part(200'000);
    for (const std::size_t offset : {0U, 250'000U, 500'000U, 500'001U, 3U, 800'000U, 800'000U}) {
        stream->read_at(offset, part);
        EXPECT_EQ(std::string(part.begin(), part.end()), text.substr(offset, part.size()));
    }
    expect_error<DeviceError>([&] { stream->read_at(text.size() - 10, part); }, {"shorter"});
    std::vector<unsigned char> rest(text.size());
    rest.resize(read_fully(*stream, rest));
    EXPECT_EQ(std::string(front.begin(), front.end()) + std::string(rest.begin(), rest.end()),
              text);
}

TEST(GzipStream, FindsDamageAsItLooksForTheSize) {
    const std::string good = gzip(varied_text(300));
    expect_error<DataError>(
        [&] {
            static_cast<void>(open_gzip_stream(in_memory(good.substr(0, good.size() - 1)))->size());
        },
        {"memory", "truncated"});
}

}  // namespace
}  // namespace dpcov::test
