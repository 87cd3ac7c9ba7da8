// The moment file: back as it was, or refused.
#include <gtest/gtest.h>
#include <sodium.h>
#include <sys/stat.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "dpcov/error.hpp"
#include "dpcov/limits.hpp"
#include "moment/secret_moment.hpp"
#include "tables/table_support.hpp"

namespace dpcov::test {
namespace {

detail::SecretMoment sample(std::size_t d, bool keep_directions, std::size_t n) {
    std::mt19937_64 generator(d + n);
    std::uniform_real_distribution<double> exponent(-40, 0);
    std::normal_distribution<double> normal;
    detail::SecretMoment moment(MomentLayout{d, 2.5, keep_directions});
    std::vector<double> row(d);
    for (std::size_t i = 0; i < n; ++i) {
        const double scale = std::exp2(exponent(generator));
        for (double& x : row) {
            x = scale * normal(generator);
        }
        moment.add(row);
    }
    if (n > 0) {
        moment.add(std::vector<double>(d, 0.0));
    }
    return moment;
}

/// Bytes of a file put together by hand.
class Bytes {
public:
    explicit Bytes(const std::string& magic = "dpcovSM4") : bytes_(magic) {}
    Bytes& number(std::uint64_t value) {
        bytes_ += encode(value, false);
        return *this;
    }
    Bytes& number(double value) { return number(std::bit_cast<std::uint64_t>(value)); }
    Bytes& name(const std::string& text) {
        number(std::uint64_t{text.size()});
        bytes_ += text;
        return *this;
    }
    Bytes& integer(std::uint64_t value) { return number(value).number(std::uint64_t{0}); }
    /// Zeros.
    Bytes& integers(std::size_t count) {
        bytes_ += std::string(16 * count, '\0');
        return *this;
    }
    /// No schema, one part, and one bin an octave.
    Bytes& no_schema(const std::string& part = "name:east") {
        return number(std::uint64_t{0})
            .number(std::uint64_t{1})
            .name(part)
            .number(std::uint64_t{1})
            .number(std::uint64_t{0});
    }
    [[nodiscard]] std::string checksum() const {
        std::string digest(crypto_generichash_BYTES, '\0');
        crypto_generichash(reinterpret_cast<unsigned char*>(digest.data()), digest.size(),
                           reinterpret_cast<const unsigned char*>(bytes_.data()), bytes_.size(),
                           nullptr, 0);
        return digest;
    }
    /// With the checksum that belongs to them.
    [[nodiscard]] std::string signed_bytes() const { return bytes_ + checksum(); }

private:
    std::string bytes_;
};

class MomentFile : public testing::Test {
protected:
    [[nodiscard]] std::string path() const { return folder_ / "moment"; }

    detail::SecretMoment load(const std::string& bytes) const {
        write_file(path(), bytes);
        return detail::SecretMoment::load(path());
    }
    void expect_refused(const std::string& bytes, const std::string& what) const {
        write_file(path(), bytes);
        expect_refused(what);
    }
    void expect_refused(const std::string& what) const {
        try {
            const detail::SecretMoment loaded = detail::SecretMoment::load(path());
            ADD_FAILURE() << what << ": accepted";
        } catch (const DataError& error) {
            EXPECT_NE(std::string(error.what()).find(path()), std::string::npos) << error.what();
        } catch (const std::exception& error) {
            ADD_FAILURE() << what << ": " << error.what();
        }
    }

    const TemporaryFolder folder_;  // NOLINT(readability-identifier-naming)
};

TEST_F(MomentFile, ComesBackAsItWas) {
    for (const std::size_t d : {1U, 3U, 20U}) {
        for (const std::size_t n : {0U, 1U, 200U}) {
            for (const bool keep_directions : {false, true}) {
                const detail::SecretMoment moment = sample(d, keep_directions, n);
                moment.save(path());
                detail::SecretMoment loaded = detail::SecretMoment::load(path());
                EXPECT_TRUE(loaded == moment);
                EXPECT_EQ(loaded.layout(), moment.layout());
                EXPECT_EQ(loaded.rows(), moment.rows());
                EXPECT_EQ(loaded.zero_rows(), moment.zero_rows());
                // It goes on as the one that was saved would have.
                detail::SecretMoment longer = moment;
                const std::vector<double> more(d, 0.125);
                longer.add(more);
                loaded.add(more);
                EXPECT_TRUE(loaded == longer);
            }
        }
    }
}

// From elsewhere, checksum and all: sums that no row of norm B has. On the Frobenius norm of a true
// one bounds of rounding rest.
TEST_F(MomentFile, RefusesSumsOfNoRows) {
    detail::SecretMoment moment({.columns = 2, .norm_bound = 1.0});
    moment.add(std::vector<double>{1.0, 0.0});
    moment.save(path());
    std::string bytes = read_file(path());
    bytes.resize(bytes.size() - crypto_generichash_BYTES);
    const auto integer = [](std::uint64_t value) {
        return encode(value, false) + encode(std::uint64_t{0}, false);
    };
    const std::uint64_t most = std::uint64_t{1} << 40U;
    const std::size_t gram = bytes.find(integer(most) + integer(0) + integer(0));
    ASSERT_NE(gram, std::string::npos);
    const auto with = [&](std::uint64_t first, std::uint64_t between, std::uint64_t second) {
        std::string changed = bytes;
        changed.replace(gram, 48, integer(first) + integer(between) + integer(second));
        return Bytes(changed).signed_bytes();
    };
    EXPECT_TRUE(load(with(most, 0, 0)) == moment);
    static_cast<void>(load(with(most / 2, most / 2, most / 2)));  // as (1, 1) / sqrt(2) has
    expect_refused(with(most, most, most), "a trace of two rows");
    expect_refused(with(most, 0, 1), "a trace beyond one row's");
    expect_refused(with(most / 2, most / 2 + 1000, most / 2), "an entry that no two columns have");
}

// Together, too: sums of more could overflow where moments are merged.
TEST_F(MomentFile, HoldsAtMost2To48Rows) {
    const auto with = [](std::uint64_t first, std::uint64_t second, const std::string& part) {
        Bytes bytes;
        bytes.number(std::uint64_t{1})
            .number(1.0)
            .number(std::uint64_t{0})
            .name("")
            .no_schema(part);
        bytes.number(std::uint64_t{0}).number(std::uint64_t{2});
        for (const auto& [bin, rows] : {std::pair(std::uint64_t{0}, first), {1, second}}) {
            bytes.number(bin).number(rows).integers(2);
        }
        return bytes.signed_bytes();
    };
    const std::uint64_t half = limits::rows / 2;
    detail::SecretMoment moment = load(with(half, half, "name:east"));
    EXPECT_EQ(moment.rows(), limits::rows);
    expect_refused(with(half, half + 1, "name:east"), "a row more");
    detail::SecretMoment quarters = load(with(half / 2, half / 2, "name:east"));
    EXPECT_NO_THROW(quarters.merge(load(with(half / 2, half / 2, "name:west"))));
    EXPECT_EQ(quarters.rows(), limits::rows);  // as many as there may be
    const detail::SecretMoment before = moment;
    EXPECT_THROW(moment.merge(load(with(1, 1, "name:west"))), UsageError);
    EXPECT_TRUE(moment == before);
}

// Squares add up to no negative number, whatever else fits; counts that wrap around are none.
TEST_F(MomentFile, RefusesNegativeSquaresAndCountsThatWrap) {
    const auto with = [](std::uint64_t rows, std::uint64_t low, std::uint64_t high) {
        Bytes bytes;
        bytes.number(std::uint64_t{1}).number(1.0).number(std::uint64_t{0}).name("").no_schema();
        bytes.number(std::uint64_t{0}).number(std::uint64_t{2});
        for (const std::uint64_t bin : {0U, 1U}) {
            bytes.number(bin).number(rows).number(low).number(high).integers(1);
        }
        return bytes.signed_bytes();
    };
    EXPECT_EQ(load(with(2, 5, 0)).rows(), 4U);
    expect_refused(with(2, ~std::uint64_t{0}, ~std::uint64_t{0}), "a sum of squares of -1");
    expect_refused(with(std::uint64_t{1} << 63U, 0, 0), "twice 2^63 rows, which is none");
}

// Squares that each fit into 128 bits, and whose sum does not.
TEST_F(MomentFile, RefusesSquaresWhoseSumWraps) {
    const auto with = [](std::uint64_t high) {
        Bytes bytes;
        bytes.number(std::uint64_t{2}).number(1.0).number(std::uint64_t{0}).name("").no_schema();
        bytes.number(std::uint64_t{0}).number(std::uint64_t{1}).number(std::uint64_t{0});
        bytes.number(std::uint64_t{1}).number(std::uint64_t{0}).number(high).integers(1);
        return bytes.number(std::uint64_t{0}).number(high).integers(2).signed_bytes();
    };
    EXPECT_EQ(load(with(0)).rows(), 1U);
    expect_refused(with(std::uint64_t{1} << 62U), "twice 2^126");
}

// A row's values are at most 2^20 in size, either way.
TEST_F(MomentFile, RefusesSumsBeyondTheRows) {
    const auto with = [](std::int64_t sum) {
        Bytes bytes;
        bytes.number(std::uint64_t{1}).number(1.0).number(std::uint64_t{0}).name("").no_schema();
        bytes.number(std::uint64_t{0}).number(std::uint64_t{1}).number(std::uint64_t{0});
        bytes.number(std::uint64_t{2}).integers(1).number(static_cast<std::uint64_t>(sum));
        return bytes.number(sum < 0 ? ~std::uint64_t{0} : 0).signed_bytes();
    };
    constexpr std::int64_t most = std::int64_t{2} << 20U;
    for (const std::int64_t sign : {1, -1}) {
        EXPECT_EQ(load(with(sign * most)).rows(), 2U);
        expect_refused(with(sign * (most + 1)), "a sum that two rows do not have");
    }
}

TEST_F(MomentFile, IsTheDocumentedBytes) {
    const Schema schema = {
        {.name = "age", .bounds = ColumnBounds{-1.0, 100.0}, .fill = 40.0},
        {.name = "income", .bounds = ColumnBounds{0.0, 5.0}},
        {.scale = 0.5},
    };
    detail::SecretMoment moment(
        {.columns = 3, .norm_bound = 2.0, .dataset = "census", .schema = schema});
    moment.declare_part("may");
    moment.add(std::vector<double>(3, 0.0));
    detail::SecretMoment drawn(moment.layout());
    drawn.add(std::vector<double>(3, 0.0));
    moment.merge(drawn);
    moment.save(path());
    ASSERT_EQ(drawn.parts().size(), 1U);
    const std::string expected = Bytes()
                                     .number(std::uint64_t{3})
                                     .number(2.0)
                                     .number(std::uint64_t{0})  // directions
                                     .name("census")
                                     .number(std::uint64_t{3})  // columns of the schema
                                     .name("age")
                                     .number(std::uint64_t{3})  // bounds, fill
                                     .number(-1.0)
                                     .number(100.0)
                                     .number(40.0)
                                     .number(1.0)
                                     .name("income")
                                     .number(std::uint64_t{1})  // bounds
                                     .number(0.0)
                                     .number(5.0)
                                     .number(0.0)
                                     .number(1.0)
                                     .name("")
                                     .number(std::uint64_t{0})
                                     .number(0.0)
                                     .number(0.0)
                                     .number(0.0)
                                     .number(0.5)
                                     .number(std::uint64_t{2})  // parts
                                     .name(*drawn.parts().begin())
                                     .name("name:may")
                                     .number(std::uint64_t{16})  // bins an octave
                                     .number(std::uint64_t{8})   // fine octaves
                                     .number(std::uint64_t{2})   // zero rows
                                     .number(std::uint64_t{1})   // bins
                                     .number(std::uint64_t{0})   // the finest
                                     .number(std::uint64_t{2})   // rows
                                     .integers(6 + 3)
                                     .signed_bytes();
    EXPECT_EQ(read_file(path()), expected);
    const detail::SecretMoment loaded = load(expected);
    EXPECT_TRUE(loaded == moment);
    EXPECT_EQ(loaded.layout().schema, schema);
    EXPECT_EQ(loaded.parts(), moment.parts());
}

// Codes for missing values, which older versions of this library would not look for: they refuse
// the version. Without codes a file is of the version that it was of before.
TEST_F(MomentFile, WithCodesIsOfANewVersion) {
    const Schema schema = {
        {.name = "age", .bounds = {{0.0, 100.0}}, .fill = 40.0, .missing = {-99.0, 999.0}},
        {.name = "trust", .bounds = {{0.0, 10.0}}},
    };
    detail::SecretMoment moment({.columns = 2, .norm_bound = 1.5, .schema = schema});
    moment.declare_part("may");
    moment.save(path());
    const std::string expected = Bytes("dpcovSM7")
                                     .number(std::uint64_t{2})
                                     .number(1.5)
                                     .number(std::uint64_t{0})  // directions
                                     .name("")
                                     .number(std::uint64_t{2})  // columns of the schema
                                     .name("age")
                                     .number(std::uint64_t{3})  // bounds, fill
                                     .number(0.0)
                                     .number(100.0)
                                     .number(40.0)
                                     .number(1.0)
                                     .number(std::uint64_t{2})  // codes
                                     .number(-99.0)
                                     .number(999.0)
                                     .name("trust")
                                     .number(std::uint64_t{1})  // bounds
                                     .number(0.0)
                                     .number(10.0)
                                     .number(0.0)
                                     .number(1.0)
                                     .number(std::uint64_t{0})  // codes
                                     .number(std::uint64_t{1})  // parts
                                     .name("name:may")
                                     .number(0.0)  // no origin
                                     .number(0.0)
                                     .number(0.0)  // no stretch
                                     .number(0.0)
                                     .number(std::uint64_t{16})  // bins an octave
                                     .number(std::uint64_t{8})   // fine octaves
                                     .number(std::uint64_t{0})   // zero rows
                                     .number(std::uint64_t{0})   // bins
                                     .signed_bytes();
    EXPECT_EQ(read_file(path()), expected);
    const detail::SecretMoment loaded = load(expected);
    EXPECT_TRUE(loaded == moment);
    EXPECT_EQ(loaded.layout(), moment.layout());
    for (const bool origin : {false, true}) {
        for (const bool stretch : {false, true}) {
            MomentLayout layout = moment.layout();
            layout.origin = origin ? std::vector<double>{0.5, 0.0} : std::vector<double>();
            layout.stretch = stretch ? std::vector<double>{2.0, 1.0} : std::vector<double>();
            detail::SecretMoment(layout).save(path());
            EXPECT_EQ(detail::SecretMoment::load(path()).layout(), layout);
            EXPECT_EQ(read_file(path()).substr(0, 8), "dpcovSM7");
            layout.schema[0].missing.clear();
            detail::SecretMoment(layout).save(path());
            EXPECT_LT(read_file(path())[7], '7');
        }
    }
    std::string later = expected;
    later[7] = '8';
    write_file(path(), later);
    expect_error<DataError>([&] { (void)detail::SecretMoment::load(path()); },
                            {"a later version of dpcov"});
}

TEST_F(MomentFile, IsRefusedWhereItsCodesMakeNoSense) {
    const auto file = [](std::uint64_t flags, std::uint64_t codes, double code) {
        return Bytes("dpcovSM7")
            .number(std::uint64_t{1})
            .number(1.0)
            .number(std::uint64_t{0})
            .name("")
            .number(std::uint64_t{1})
            .name("age")
            .number(flags)
            .number(0.0)
            .number(flags == 0 ? 0.0 : 9.0)
            .number(0.0)
            .number(1.0)
            .number(codes)
            .number(code)
            .number(std::uint64_t{0})  // parts
            .number(0.0)
            .number(0.0)
            .number(std::uint64_t{1})  // bins an octave
            .number(std::uint64_t{0})
            .number(std::uint64_t{0})
            .number(std::uint64_t{0})
            .signed_bytes();
    };
    EXPECT_NO_THROW((void)load(file(1, 1, -99.0)));
    expect_refused(file(0, 1, -99.0), "codes without bounds");
    expect_refused(file(1, 1, std::numeric_limits<double>::infinity()), "an infinite code");
    expect_refused(file(1, 1, std::numeric_limits<double>::quiet_NaN()), "a code that is NaN");
    expect_refused(file(1, ~std::uint64_t{0}, -99.0), "more codes than bytes");
}

// Files of before there were schemas and parts. Control: another such file is merged.
TEST_F(MomentFile, OfVersion2IsReadAndItsChecksumIsItsPart) {
    const auto file = [](std::uint64_t rows) {
        return Bytes("dpcovSM2")
            .number(std::uint64_t{1})
            .number(2.0)
            .number(std::uint64_t{0})  // directions
            .name("census")
            .number(rows)               // zero rows
            .number(std::uint64_t{1})   // octaves
            .number(std::uint64_t{39})  // k
            .number(rows)
            .integers(2);
    };
    detail::SecretMoment expected({.columns = 1, .norm_bound = 2.0, .dataset = "census"},
                                  detail::NormBins::whole_octaves());
    expected.add(std::vector<double>{0.0});
    detail::SecretMoment moment = load(file(1).signed_bytes());
    EXPECT_TRUE(moment == expected);
    EXPECT_TRUE(moment.layout().schema.empty());
    std::string hex(2 * crypto_generichash_BYTES + 1, '\0');
    const std::string checksum = file(1).checksum();
    sodium_bin2hex(hex.data(), hex.size(), reinterpret_cast<const unsigned char*>(checksum.data()),
                   checksum.size());
    hex.pop_back();
    EXPECT_EQ(moment.parts(), detail::Parts{"file:" + hex});

    EXPECT_THROW(moment.merge(load(file(1).signed_bytes())), UsageError) << "with itself";
    EXPECT_TRUE(moment == expected);
    moment.merge(load(file(2).signed_bytes()));
    EXPECT_EQ(moment.rows(), 3U);
    // Saved, it is of this version, and still the same part.
    moment.save(path());
    EXPECT_EQ(read_file(path()).substr(0, 8), "dpcovSM4");
    detail::SecretMoment again = detail::SecretMoment::load(path());
    EXPECT_THROW(again.merge(load(file(1).signed_bytes())), UsageError);
}

// Files of before there were bins, here with directions. What is read is on octaves, and so is all
// that is merged with it. Control: the same rows on the bins of today are another moment.
TEST_F(MomentFile, OfVersion3IsReadAsOctaves) {
    const auto file = [](std::uint64_t k, std::uint64_t entry) {
        const std::uint64_t none = 0;
        const std::uint64_t one = 1;
        return Bytes("dpcovSM3")
            .number(one)  // column
            .number(2.0)
            .number(one)  // directions
            .name("census")
            .number(none)  // columns of the schema
            .number(one)   // parts
            .name("name:" + std::to_string(k))
            .number(none)  // zero rows
            .number(one)   // octaves
            .number(k)
            .number(one)  // rows
            .number(entry * entry)
            .number(none)
            .number(entry)
            .number(none)
            .number(std::uint64_t{1} << 40U)
            .number(none)
            .signed_bytes();
    };
    const MomentLayout layout{
        .columns = 1, .norm_bound = 2.0, .keep_directions = true, .dataset = "census"};
    const std::vector<double> row = {1.25};
    const std::vector<double> other = {0.1875};
    detail::SecretMoment expected(layout, detail::NormBins::whole_octaves());
    expected.add(row);
    detail::SecretMoment moment = load(file(0, 5U << 17U));
    EXPECT_TRUE(moment == expected);

    detail::SecretMoment today(layout);
    today.add(row);
    EXPECT_FALSE(moment == today);
    detail::SecretMoment more(layout);
    more.add(other);
    expected.add(other);
    moment.merge(more);
    EXPECT_TRUE(moment == expected) << "a moment of today into an old one";
    more.merge(load(file(0, 5U << 17U)));
    EXPECT_TRUE(more == expected) << "and the other way round";
    more.save(path());
    EXPECT_TRUE(detail::SecretMoment::load(path()) == expected);
    expect_refused(file(40, 1), "octave 40");
}

// Of one column and no rows. `moved` is what stands behind the parts.
std::string file_of_moved_rows(const char* magic, const std::vector<double>& moved) {
    Bytes bytes(magic);
    bytes
        .number(std::uint64_t{1})  // column
        .number(2.0)
        .number(std::uint64_t{0})
        .name("")
        .number(std::uint64_t{0})
        .number(std::uint64_t{0});
    for (const double value : moved) {
        bytes.number(value);
    }
    return bytes.number(std::uint64_t{1})
        .number(std::uint64_t{0})
        .number(std::uint64_t{0})
        .number(std::uint64_t{0})
        .signed_bytes();
}

// Without an origin a file is of version 4.
TEST_F(MomentFile, OfVersion5HasAnOrigin) {
    const auto file = [](double origin) { return file_of_moved_rows("dpcovSM5", {origin}); };
    EXPECT_EQ(load(file(0.25)).layout(),
              (MomentLayout{.columns = 1, .norm_bound = 2.0, .origin = {0.25}}));
    expect_refused(file(NAN), "not a number");
    expect_refused(file(-INFINITY), "infinite");
    expect_refused(file(1e300), "too large");
    expect_refused(file(0.25).substr(0, 8 + 6 * 8), "cut before its origin");
}

TEST_F(MomentFile, OfVersion6HasAStretchToo) {
    const auto file = [](double origin, double stretch) {
        return file_of_moved_rows("dpcovSM6", {origin, stretch});
    };
    EXPECT_EQ(load(file(0.25, 3.0)).layout(),
              (MomentLayout{.columns = 1, .norm_bound = 2.0, .origin = {0.25}, .stretch = {3.0}}));
    EXPECT_EQ(load(file(0.0, 3.0)).layout(),
              (MomentLayout{.columns = 1, .norm_bound = 2.0, .stretch = {3.0}}));
    expect_refused(file(0.25, NAN), "not a number");
    expect_refused(file(0.25, 0.0), "zero");
    expect_refused(file(0.25, -1.0), "below zero");
    expect_refused(file(0.25, 1e300), "too large");
    expect_refused(file(0.25, 3.0).substr(0, 8 + 7 * 8), "cut before its stretch");
}

TEST_F(MomentFile, IsRefusedWithBinsThatAreNone) {
    const auto file = [](std::uint64_t per_octave, std::uint64_t fine_octaves) {
        return Bytes()
            .number(std::uint64_t{1})
            .number(1.0)
            .number(std::uint64_t{0})
            .name("")
            .number(std::uint64_t{0})
            .number(std::uint64_t{0})
            .number(per_octave)
            .number(fine_octaves)
            .number(std::uint64_t{0})
            .number(std::uint64_t{0})
            .signed_bytes();
    };
    for (const std::uint64_t per_octave : {2U, 4U, 8U, 16U}) {
        EXPECT_NO_THROW((void)load(file(per_octave, 3)));
        expect_refused(file(per_octave, 0), "in no octave");
        expect_refused(file(per_octave, 9), "in nine octaves");
    }
    EXPECT_NO_THROW((void)load(file(1, 0)));
    for (const std::uint64_t per_octave :
         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{3}, std::uint64_t{32},
          std::uint64_t{1} << 32U, ~std::uint64_t{0}}) {
        expect_refused(file(per_octave, 3), std::to_string(per_octave) + " bins an octave");
    }
    expect_refused(file(4, (std::uint64_t{1} << 32U) + 3), "2^32 + 3 octaves");
}

TEST_F(MomentFile, IsRefusedWithAnyByteChanged) {
    for (const bool keep_directions : {false, true}) {
        sample(2, keep_directions, 2).save(path());
        const std::string good = read_file(path());
        ASSERT_LT(good.size(), 1000U);
        // In place: writing thousands of files anew takes the disk half a minute.
        std::fstream file(path(), std::ios::binary | std::ios::in | std::ios::out);
        const auto put = [&](std::size_t at, char byte) {
            file.seekp(static_cast<std::streamoff>(at)).put(byte).flush();
        };
        for (std::size_t i = 0; i < good.size(); ++i) {
            for (const unsigned flip : {1U, 2U, 4U, 8U, 16U, 32U, 64U, 128U, 255U}) {
                put(i, static_cast<char>(static_cast<unsigned char>(good[i]) ^ flip));
                expect_refused("byte " + std::to_string(i) + " ^ " + std::to_string(flip));
            }
            put(i, good[i]);
        }
        // Control: it is the change that is refused.
        EXPECT_NO_THROW((void)detail::SecretMoment::load(path()));
    }
}

TEST_F(MomentFile, IsRefusedCutOrLengthened) {
    sample(2, true, 2).save(path());
    const std::string good = read_file(path());
    expect_refused(good + '\0', "one byte more");
    expect_refused(good + good, "twice");
    for (std::size_t size = good.size(); size-- > 0;) {
        std::filesystem::resize_file(path(), size);
        expect_refused(std::to_string(size) + " bytes of it");
    }
}

TEST_F(MomentFile, IsRefusedWhereItIsSomethingElse) {
    expect_refused("", "an empty file");
    expect_refused("1,2,3\n4,5,6\n7,8,9\n", "a table");
    expect_refused(std::string(100000, '\0'), "zeros");
    expect_refused("dpcovSM1" + std::string(200, '\0'), "a version too old");
    expect_refused("dpcovSM6" + std::string(200, '\0'), "another version");
}

TEST_F(MomentFile, OfALaterVersionIsNotCalledDamaged) {
    const auto told = [&](const std::string& magic) -> std::string {
        write_file(path(), magic + std::string(200, '\0'));
        try {
            const detail::SecretMoment loaded = detail::SecretMoment::load(path());
            return "accepted";
        } catch (const DataError& error) {
            return error.what();
        }
    };
    EXPECT_NE(told("dpcovSM8").find("later version"), std::string::npos) << told("dpcovSM7");
    for (const char* other : {"dpcovSM6", "dpcovSM1", "dpcovSMa"}) {
        EXPECT_NE(told(other).find("not a whole"), std::string::npos) << told(other);
    }
}

// Whole files, checksum and all, that say what no moment says.
TEST_F(MomentFile, IsRefusedWhereItMakesNoSense) {
    const auto header = [](std::uint64_t d, double bound, std::uint64_t directions,
                           std::uint64_t octaves, const std::string& name = "") {
        return Bytes()
            .number(d)
            .number(bound)
            .number(directions)
            .name(name)
            .no_schema()
            .number(std::uint64_t{0})
            .number(octaves);
    };
    EXPECT_NO_THROW(load(header(1, 1.0, 0, 0).signed_bytes()));
    expect_refused(header(0, 1.0, 0, 0).signed_bytes(), "no columns");
    EXPECT_EQ(load(header(1, 1.0, 0, 0, "census").signed_bytes()).layout().dataset, "census");
    expect_refused(header(1, 1.0, 0, 0, "a\nb").signed_bytes(), "a name of two lines");
    expect_refused(header(1, 1.0, 0, 0, std::string(201, 'x')).signed_bytes(), "a long name");
    expect_refused(header(1, 1.0, 2, 0).signed_bytes(), "directions neither kept nor not");
    for (const double bound : {0.0, -1.0, std::numeric_limits<double>::infinity(),
                               std::numeric_limits<double>::quiet_NaN()}) {
        expect_refused(header(1, bound, 0, 0).signed_bytes(),
                       "norm bound " + std::to_string(bound));
    }
    const std::uint64_t one = 1;
    const std::uint64_t past_the_last = detail::NormBins::octaves;
    expect_refused(
        header(1, 1.0, 0, 1).number(past_the_last).number(one).integers(2).signed_bytes(),
        "octave 40");
    expect_refused(header(1, 1.0, 0, 2)
                       .number(one)
                       .number(one)
                       .integers(2)
                       .number(one)
                       .number(one)
                       .integers(2)
                       .signed_bytes(),
                   "a bin twice");
    const std::uint64_t no_rows = 0;
    expect_refused(header(1, 1.0, 0, 1).number(one).number(no_rows).integers(2).signed_bytes(),
                   "a bin of no rows");
    EXPECT_NO_THROW(load(header(1, 1.0, 0, 1).number(one).number(one).integers(2).signed_bytes()));
    const auto sums = [&](std::uint64_t rows, std::uint64_t low_word, std::uint64_t high_word) {
        return header(1, 1.0, 0, 1)
            .number(one)
            .number(rows)
            .number(low_word)
            .number(high_word)
            .integers(1)
            .signed_bytes();
    };
    const std::uint64_t full_row = std::uint64_t{1} << 40U;
    EXPECT_NO_THROW(load(sums(1, full_row, 0)));
    expect_refused(sums(1, full_row + 1, 0), "a row longer than the bound");
    expect_refused(sums(1, 0, ~std::uint64_t{0}), "a large negative sum");
    expect_refused(sums(~std::uint64_t{0}, 0, 0), "2^64 - 1 rows");
    const auto sum_of_rows = [&](std::uint64_t sum) {
        Bytes bytes = header(1, 1.0, 0, 1).number(one).number(one);
        return bytes.integer(full_row).integer(sum).signed_bytes();
    };
    EXPECT_NO_THROW(load(sum_of_rows(std::uint64_t{1} << 20U)));
    expect_refused(sum_of_rows((std::uint64_t{1} << 20U) + 1), "a sum longer than its row");

    // A row in bin 1, which is octave 38; its directions, and others.
    using Directions = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
    const auto directions = [&](const Directions& given) {
        Bytes bytes = header(1, 1.0, 1, 1).number(one).number(one);
        bytes.integer(full_row).integers(1).number(std::uint64_t{given.size()});
        for (const auto& [k, sum] : given) {
            bytes.number(k).integer(sum);
        }
        return bytes.signed_bytes();
    };
    EXPECT_NO_THROW(load(directions({{38, full_row}})));
    expect_refused(directions({}), "no directions");
    expect_refused(directions({{38, full_row + 1}}), "directions of more than a row");
    expect_refused(directions({{38, full_row}, {37, 0}}), "directions of no rows");
    expect_refused(directions({{38, full_row}, {38, full_row}}), "directions twice");
    expect_refused(directions({{past_the_last, full_row}}), "directions of octave 40");

    // Rows of a part, of which there is none twice; zeros that are rows of the last octave.
    const auto of_parts = [&](const std::vector<std::string>& parts, std::uint64_t zero_rows) {
        Bytes bytes;
        bytes.number(one).number(1.0).number(std::uint64_t{0}).name("").number(std::uint64_t{0});
        bytes.number(std::uint64_t{parts.size()});
        for (const std::string& part : parts) {
            bytes.name(part);
        }
        return bytes.number(one)
            .number(std::uint64_t{0})
            .number(zero_rows)
            .number(one)
            .number(std::uint64_t{0})
            .number(std::uint64_t{3})
            .integers(2)
            .signed_bytes();
    };
    EXPECT_NO_THROW(load(of_parts({"name:east", "id:0123456789abcdef"}, 3)));
    expect_refused(of_parts({}, 3), "rows of no part");
    expect_refused(of_parts({"name:east"}, 4), "more zeros than rows");
    for (const std::vector<std::string>& parts :
         {std::vector<std::string>{"name:east", "name:east"},
          {""},
          {"east"},
          {"name:"},
          {"name:a\nb"},
          {"name:" + std::string(201, 'x')},
          {"id:"},
          {"id:xyz"},
          {"part:0123"}}) {
        expect_refused(of_parts(parts, 0), "part " + parts.front());
    }
}

// As above, for what a schema says.
TEST_F(MomentFile, IsRefusedWhereItsSchemaMakesNoSense) {
    const auto file = [](std::uint64_t columns, std::uint64_t flags, double upper, double fill,
                         double scale) {
        return Bytes()
            .number(std::uint64_t{1})
            .number(1.0)
            .number(std::uint64_t{0})
            .name("")
            .number(columns)
            .name("age")
            .number(flags)
            .number(0.0)
            .number(upper)
            .number(fill)
            .number(scale)
            .number(std::uint64_t{0})  // parts
            .number(std::uint64_t{1})  // bins an octave
            .number(std::uint64_t{0})
            .number(std::uint64_t{0})
            .number(std::uint64_t{0})
            .signed_bytes();
    };
    EXPECT_NO_THROW((void)load(file(1, 3, 9.0, 5.0, 1.0)));
    expect_refused(file(2, 3, 9.0, 5.0, 1.0), "two columns in a table of one");
    expect_refused(file(1, 4, 9.0, 5.0, 1.0), "a flag that is none");
    expect_refused(file(1, 2, 9.0, 5.0, 1.0), "a fill without bounds");
    expect_refused(file(1, 1, -1.0, 0.0, 1.0), "bounds the wrong way");
    expect_refused(file(1, 3, 9.0, 10.0, 1.0), "a fill out of bounds");
    expect_refused(file(1, 0, 0.0, 0.0, 0.0), "a scale of 0");
}

// Whole but for their number: a schema has a column for each of the moment's, or none.
TEST_F(MomentFile, IsRefusedWithASchemaOfAnotherWidth) {
    const auto file = [](std::uint64_t columns, std::uint64_t described) {
        Bytes bytes;
        bytes.number(columns).number(1.0).number(std::uint64_t{0}).name("").number(described);
        for (std::uint64_t j = 0; j < described; ++j) {
            bytes.name("c" + std::to_string(j)).number(std::uint64_t{0});
            bytes.number(0.0).number(0.0).number(0.0).number(1.0);
        }
        return bytes
            .number(std::uint64_t{0})  // parts
            .number(std::uint64_t{1})  // bins an octave
            .number(std::uint64_t{0})
            .number(std::uint64_t{0})
            .number(std::uint64_t{0})
            .signed_bytes();
    };
    EXPECT_NO_THROW((void)load(file(2, 2)));
    EXPECT_NO_THROW((void)load(file(2, 0)));
    expect_refused(file(2, 1), "one column described of two");
    expect_refused(file(1, 2), "two columns described of one");
}

// A moment is as secret as its table, whatever the umask is: only its owner reads a new file.
TEST_F(MomentFile, IsForItsOwnerAlone) {
    const mode_t before = ::umask(0);
    sample(2, false, 2).save(path());
    ::umask(before);
    struct stat status {};
    ASSERT_EQ(::stat(path().c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0600U);
}

// A size in the header is no reason to ask for that much memory; there may be so many columns.
TEST_F(MomentFile, IsRefusedBeforeMemoryIsAskedFor) {
    for (const std::uint64_t d :
         {std::uint64_t{limits::columns}, std::uint64_t{1} << 30U, std::uint64_t{1} << 20U,
          std::uint64_t{1} << 60U, ~std::uint64_t{0}}) {
        const std::string bytes = Bytes()
                                      .number(d)
                                      .number(1.0)
                                      .number(std::uint64_t{1})
                                      .name("")
                                      .no_schema()
                                      .number(std::uint64_t{0})
                                      .number(std::uint64_t{1})
                                      .number(std::uint64_t{0})
                                      .number(std::uint64_t{1})
                                      .integers(4)
                                      .signed_bytes();
        expect_refused(bytes, std::to_string(d) + " columns");
    }
    expect_refused(Bytes()
                       .number(std::uint64_t{1})
                       .number(1.0)
                       .number(std::uint64_t{0})
                       .name("")
                       .no_schema()
                       .number(std::uint64_t{0})
                       .number(~std::uint64_t{0})
                       .signed_bytes(),
                   "2^64 - 1 octaves");
    expect_refused(Bytes()
                       .number(std::uint64_t{1})
                       .number(1.0)
                       .number(std::uint64_t{0})
                       .number(~std::uint64_t{0})
                       .signed_bytes(),
                   "a name of 2^64 - 1 bytes");
    const auto begun = [] {
        return Bytes().number(std::uint64_t{1}).number(1.0).number(std::uint64_t{0}).name("");
    };
    expect_refused(begun().number(~std::uint64_t{0}).signed_bytes(), "2^64 - 1 schema columns");
    expect_refused(begun().number(std::uint64_t{0}).number(~std::uint64_t{0}).signed_bytes(),
                   "2^64 - 1 parts");
}

// A moment of no rows is a short file at any width, and takes memory for all octaves.
TEST_F(MomentFile, OfMoreColumnsThanThereMayBeIsDamaged) {
    const auto no_rows = [](std::uint64_t d) {
        return Bytes()
            .number(d)
            .number(1.0)
            .number(std::uint64_t{1})
            .name("")
            .no_schema()
            .number(std::uint64_t{0})
            .number(std::uint64_t{0})
            .number(std::uint64_t{0})
            .signed_bytes();
    };
    for (const std::uint64_t none : {std::uint64_t{limits::columns} + 1, std::uint64_t{1} << 62U}) {
        EXPECT_THROW((void)load(no_rows(none)), DataError) << none;
    }
    EXPECT_NO_THROW((void)load(no_rows(2)));
}

TEST_F(MomentFile, SaysWhichDeviceFailed) {
    const detail::SecretMoment moment = sample(2, false, 2);
    EXPECT_THROW(moment.save("/dev/full"), DeviceError);
    EXPECT_THROW(moment.save(folder_ / "no folder/moment"), DeviceError);
    EXPECT_THROW((void)detail::SecretMoment::load(folder_ / "nothing"), DeviceError);
    EXPECT_THROW((void)detail::SecretMoment::load(folder_ / "."), DeviceError) << "a folder";
    ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
    EXPECT_THROW((void)detail::SecretMoment::load(folder_ / "pipe"), DeviceError)
        << "and no wait for somebody to write to it";
}

TEST_F(MomentFile, KeepsTheOldFileWhereTheNewOneFails) {
    const detail::SecretMoment moment = sample(2, false, 2);
    moment.save(path());
    moment.save(path());  // over itself
    EXPECT_TRUE(detail::SecretMoment::load(path()) == moment);
    EXPECT_EQ(folder_.names(), std::vector<std::string>{"moment"}) << "and nothing beside it";
}

}  // namespace
}  // namespace dpcov::test
