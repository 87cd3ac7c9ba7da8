#include "tables/array_reader.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <thread>

#include "files/gzip_stream.hpp"
#include "tables/table_support.hpp"

namespace dpcov::test {
namespace {

using Values = std::vector<double>;

/// rows x columns values, row-major: 1.5, 2.5, 3.5, ...
Values counting(std::size_t rows, std::size_t columns) {
    Values values(rows * columns);
    std::iota(values.begin(), values.end(), 1.5);
    return values;
}

template <class Number>
std::string encode_all(const Values& row_major, std::size_t columns, bool big_endian,
                       bool fortran_order) {
    std::string bytes;
    const std::size_t rows = row_major.size() / columns;
    for (std::size_t k = 0; k < row_major.size(); ++k) {
        const std::size_t i = fortran_order ? (k % rows) * columns + k / rows : k;
        bytes += encode(static_cast<Number>(row_major[i]), big_endian);
    }
    return bytes;
}

std::string npy_of(const Values& values, std::size_t columns, bool fortran_order = false) {
    std::string shape = "(";
    shape.append(std::to_string(values.size() / columns)).append(", ");
    shape.append(std::to_string(columns)).append(")");
    return npy(npy_dictionary("<f8", fortran_order, shape),
               encode_all<double>(values, columns, false, fortran_order));
}

Table read_npy(const std::string& bytes, const TableOptions& options = {},
               std::size_t block_rows = 100) {
    return read_all(*open_npy(in_memory(bytes), options), block_rows);
}

Table read_idx(const std::string& bytes, const TableOptions& options = {}) {
    return read_all(*open_idx(in_memory(bytes), options));
}

TEST(NpyReader, ReadsEveryEncodingOrderAndVersion) {
    const Values values = counting(5, 3);
    for (const unsigned version : {1U, 2U, 3U}) {
        for (const bool big_endian : {false, true}) {
            for (const bool fortran_order : {false, true}) {
                const std::string order = big_endian ? ">" : "<";
                const std::string doubles =
                    npy(npy_dictionary(order + "f8", fortran_order, "(5, 3)"),
                        encode_all<double>(values, 3, big_endian, fortran_order), version);
                const std::string floats =
                    npy(npy_dictionary(order + "f4", fortran_order, "(5, 3)"),
                        encode_all<float>(values, 3, big_endian, fortran_order), version);
                for (const std::string& file : {doubles, floats}) {
                    const auto reader = open_npy(in_memory(file), {});
                    EXPECT_EQ(reader->columns(), 3U);
                    EXPECT_EQ(reader->row_count_hint(), 5U);
                    EXPECT_TRUE(column_names(reader->schema()).empty());
                    EXPECT_EQ(read_all(*reader).values, values);
                }
            }
        }
    }
}

TEST(NpyReader, ReadsHeadersWrittenDifferently) {
    const std::string data = encode_all<double>({1, 2}, 2, false, false);
    for (const std::string dictionary :
         {"{'descr':'<f8','fortran_order':False,'shape':(1,2)}",
          "{\"shape\": (1L, 2L), \"fortran_order\": False, \"descr\": \"<f8\"}   \n",
          "  { 'shape' : ( 1 , 2 , ) , 'descr' : '<f8' , 'fortran_order' : False , } \n"}) {
        EXPECT_EQ(read_npy(npy(dictionary, data)).values, (Values{1, 2})) << dictionary;
    }
}

TEST(NpyReader, SelectsAndScales) {
    for (const bool fortran_order : {false, true}) {
        TableOptions options;
        options.columns = {"2", "0"};
        options.scale = 0.5;
        options.column_scales = {{"0", 4.0}, {"1", 3.0}};
        EXPECT_EQ(read_npy(npy_of({1, 2, 3, 4, 5, 6}, 3, fortran_order), options).values,
                  (Values{6, 0.5, 12, 2}));
    }
}

TEST(NpyReader, DoesNotDependOnBlockSize) {
    // More rows than a batch of the reader holds: 256 KiB / 16 bytes = 16384.
    const Values values = counting(40'000, 2);
    for (const bool fortran_order : {false, true}) {
        const std::string file = npy_of(values, 2, fortran_order);
        for (const std::size_t block_rows : {1U, 3U, 16384U, 39999U, 40000U, 50000U}) {
            const Table table = read_npy(file, {}, block_rows);
            EXPECT_EQ(table.rows, 40'000U);
            EXPECT_EQ(table.values, values) << block_rows;
        }
    }
}

TEST(NpyReader, CrossesTheBlocksOfAFortranOrderFile) {
    // 2^23 values fill a block: 40 columns make blocks of 209715 rows.
    constexpr std::size_t rows = 450'000;
    constexpr std::size_t columns = 40;
    TemporaryFolder folder;
    {
        std::ofstream file(folder / "tall.npy", std::ios::binary);
        file << npy(npy_dictionary("<f4", true, "(450000, 40)"), "");
        std::vector<float> column(rows);
        for (std::size_t j = 0; j < columns; ++j) {
            for (std::size_t i = 0; i < rows; ++i) {
                column[i] = static_cast<float>(i + j);
            }
            file.write(reinterpret_cast<const char*>(column.data()),
                       static_cast<std::streamsize>(rows * sizeof(float)));
        }
    }
    const auto reader = open_table(folder / "tall.npy");
    std::vector<double> block(1000 * columns);
    std::size_t row = 0;
    std::size_t wrong = 0;
    while (const std::size_t count = reader->read(block)) {
        for (std::size_t i = 0; i < count; ++i, ++row) {
            for (std::size_t j = 0; j < columns; ++j) {
                wrong += block[i * columns + j] != static_cast<double>(row + j) ? 1 : 0;
            }
        }
    }
    EXPECT_EQ(row, rows);
    EXPECT_EQ(wrong, 0U);
}

TEST(NpyReader, NamesRowAndColumnOfAValueThatIsNotFinite) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double infinity = std::numeric_limits<double>::infinity();
    for (const bool fortran_order : {false, true}) {
        for (const auto& [value, problem] : {std::pair<double, std::string>{nan, "NaN"},
                                             {infinity, "infinite"},
                                             {-infinity, "infinite"}}) {
            const std::string file = npy_of({1, 2, 3, 4, 5, value, 7, 8, 9}, 3, fortran_order);
            expect_error<DataError>([&] { read_npy(file); },
                                    {"memory: row 2, column 2 (counted from 0)", problem}, {"--"});
            TableOptions options;
            options.bad_rows = BadRows::zero;
            EXPECT_EQ(read_npy(file, options).values, (Values{1, 2, 3, 0, 0, 0, 7, 8, 9}));
            options.bad_rows = BadRows::error;
            options.columns = {"0", "1"};
            EXPECT_EQ(read_npy(file, options).values, (Values{1, 2, 4, 5, 7, 8}));
        }
    }
}

// A row that is too long is clipped, however long; only what is not finite itself is bad.
TEST(NpyReader, TakesADivisionThatOverflowsAsTheGreatestDouble) {
    constexpr double greatest = std::numeric_limits<double>::max();
    TableOptions options;
    options.scale = 1e-10;
    for (const BadRows bad_rows : {BadRows::error, BadRows::zero}) {
        options.bad_rows = bad_rows;
        EXPECT_EQ(read_npy(npy_of({1, 1e300, -greatest}, 1), options).values,
                  (Values{1 / 1e-10, greatest, -greatest}));
    }
    const double infinity = std::numeric_limits<double>::infinity();
    EXPECT_EQ(read_npy(npy_of({infinity}, 1), options).values, (Values{0}));
}

TEST(NpyReader, KeepsExtremesAndOddShapes) {
    const Values extremes = {std::numeric_limits<double>::denorm_min(),
                             std::numeric_limits<double>::max(),
                             std::numeric_limits<double>::lowest(), -0.0};
    for (const bool fortran_order : {false, true}) {
        for (const std::size_t columns : {1U, 2U, 4U}) {
            EXPECT_EQ(read_npy(npy_of(extremes, columns, fortran_order)).values, extremes);
        }
        EXPECT_EQ(read_npy(npy_of(Values(6, 0.0), 3, fortran_order)).values, Values(6, 0.0));
    }
}

TEST(NpyReader, SaysWhatAnotherTypeIsAndHowToConvertIt) {
    for (const auto& [descr, kind] : {std::pair<std::string, std::string>{"<i16", "integers"},
                                      {"<u3", "unsigned integers"},
                                      {"|i2", "integers"},
                                      {"=f8", "another width"},
                                      {"<f2", "another width"},
                                      {"<f16", "another width"},
                                      {"<c16", "complex"},
                                      {"|b2", "truth values"},
                                      {"<U7", "text"},
                                      {"|S3", "text"},
                                      {"|O", "Python objects"},
                                      {"<M8[ns]", "times"},
                                      {"|V8", "another type"},
                                      {"", "another type"}}) {
        const std::string file = npy(npy_dictionary(descr, false, "(1, 1)"), std::string(8, '\0'));
        expect_error<DataError>([&] { read_npy(file); },
                                {"memory", kind, "'" + descr + "'", "astype('float64')"});
    }
    const std::string structured =
        npy("{'descr': [('a', '<f8'), ('b', '<f8')], 'fortran_order': False, 'shape': (1,), }\n",
            std::string(16, '\0'));
    expect_error<DataError>([&] { read_npy(structured); },
                            {"structured", "structured_to_unstructured"});
}

TEST(NpyReader, SaysHowToReshape) {
    for (const auto& [shape, remedy] : {std::pair<std::string, std::string>{"()", "reshape(-1, 1)"},
                                        {"(5,)", "reshape(-1, 1)"},
                                        {"(2, 2, 2)", "reshape(len(array), -1)"}}) {
        const std::string file = npy(npy_dictionary("<f8", false, shape), std::string(64, '\0'));
        expect_error<DataError>([&] { read_npy(file); }, {"-D array, not a table", remedy});
    }
}

template <class Number>
void expect_integers(const std::string& code, const std::vector<Number>& integers) {
    for (const bool fortran_order : {false, true}) {
        for (const bool big_endian : {false, true}) {
            std::string data;
            Values expected;
            for (const Number integer : integers) {
                data += encode(integer, big_endian);
                expected.push_back(static_cast<double>(integer));
            }
            // Two rows; in C order the values stand as they are.
            const std::size_t columns = integers.size() / 2;
            Values row_major = expected;
            if (fortran_order) {
                for (std::size_t k = 0; k < expected.size(); ++k) {
                    row_major[(k % 2) * columns + k / 2] = expected[k];
                }
            }
            const std::string order = sizeof(Number) == 1 ? "|" : big_endian ? ">" : "<";
            const std::string file = npy(
                npy_dictionary(order + code, fortran_order, "(2, " + std::to_string(columns) + ")"),
                data);
            EXPECT_EQ(read_npy(file).values, row_major) << order << code;
        }
    }
}

template <class Number>
std::vector<Number> telling_integers() {
    using Limits = std::numeric_limits<Number>;
    return {Limits::min(), Limits::max(),           Number{0},
            Number{1},     static_cast<Number>(-1), static_cast<Number>(0x0102030405060708LL)};
}

TEST(NpyReader, ReadsIntegersOfEveryWidth) {
    expect_integers("i1", telling_integers<std::int8_t>());
    expect_integers("i2", telling_integers<std::int16_t>());
    expect_integers("i4", telling_integers<std::int32_t>());
    expect_integers("i8", telling_integers<std::int64_t>());
    expect_integers("u1", telling_integers<std::uint8_t>());
    expect_integers("u2", telling_integers<std::uint16_t>());
    expect_integers("u4", telling_integers<std::uint32_t>());
    expect_integers("u8", telling_integers<std::uint64_t>());
    // Beyond 2^53 to the nearest double, ties to even.
    expect_integers<std::int64_t>("i8", {(1LL << 53) + 1, (1LL << 53) + 3, -(1LL << 53) - 1, 0});
    const std::string truths =
        npy(npy_dictionary("|b1", false, "(2, 2)"), std::string("\0\1\1\0", 4));
    EXPECT_EQ(read_npy(truths).values, (Values{0, 1, 1, 0}));
}

TEST(NpyReader, AnArrayWithoutRowsIsATable) {
    for (const bool fortran_order : {false, true}) {
        const std::string file = npy(npy_dictionary("<f8", fortran_order, "(0, 3)"), "");
        EXPECT_EQ(open_npy(in_memory(file), {})->columns(), 3U);
        EXPECT_EQ(read_npy(file).rows, 0U);
        expect_error<DataError>([&] { read_npy(file + "x"); }, {"longer"});
    }
}

TEST(NpyReader, RefusesEmptyAndAbsurdShapes) {
    for (const std::string shape : {"(3, 0)", "(0, 0)"}) {
        expect_error<DataError>([&] { read_npy(npy(npy_dictionary("<f8", false, shape), "")); },
                                {"no columns"});
    }
    for (const bool fortran_order : {false, true}) {
        for (const std::string shape :
             {"(1, 1000001)", "(18446744073709551615, 1)", "(2305843009213693952, 8)",
              "(1152921504606846976, 1000000)", "(1, 18446744073709551615)"}) {
            const std::string dictionary = npy_dictionary("<f8", fortran_order, shape);
            expect_error<DataError>([&] { read_npy(npy(dictionary, "")); }, {"damaged"});
        }
        // Not absurd, but not there: must not allocate for what the header claims.
        const std::string dictionary =
            npy_dictionary("<f8", fortran_order, "(1000000000000, 1000)");
        expect_error<DataError>([&] { read_npy(npy(dictionary, "")); }, {"shorter"});
    }
}

// How many rows there are may be private: no message tells it, whatever is wrong with the file.
TEST(NpyReader, NoMessageTellsTheNumberOfRows) {
    for (const bool fortran_order : {false, true}) {
        for (const auto& [shape, bytes] : {std::pair<std::string, std::size_t>{"(4711, 2)", 16},
                                           {"(4711, 2)", 16 * 4711 + 1},
                                           {"(4711, 0)", 0},
                                           {"(4711,)", 8 * 4711},
                                           {"(4711, 2, 2)", 32 * 4711},
                                           {"(4711, 1000001)", 0}}) {
            const std::string file =
                npy(npy_dictionary("<f8", fortran_order, shape), std::string(bytes, '\0'));
            try {
                read_npy(file);
                FAIL() << shape;
            } catch (const DataError& error) {
                EXPECT_EQ(std::string(error.what()).find("4711"), std::string::npos)
                    << error.what();
            }
        }
    }
}

TEST(NpyReader, RefusesDamagedHeaders) {
    const std::string data(8, '\0');
    for (const std::string dictionary :
         {"", "{", "{}", "[]", "{'descr': '<f8'}", "{'descr': '<f8', 'fortran_order': False}",
          "{'descr': '<f8', 'fortran_order': 0, 'shape': (1, 1)}",
          "{'descr': '<f8', 'fortran_order': False, 'shape': (1, -1)}",
          "{'descr': '<f8', 'fortran_order': False, 'shape': (1 1)}",
          "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1)",
          "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1)} x",
          "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1), 'more': 1}",
          "{'descr': '<f8 , 'fortran_order': False, 'shape': (1, 1)}",
          "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 99999999999999999999)}"}) {
        expect_error<DataError>([&] { read_npy(npy(dictionary, data)); },
                                {"header cannot be read", "numpy.save"});
    }
    expect_error<DataError>([&] { read_npy("PK\x03\x04 this is a zip archive"); },
                            {"not an NPY file"});
    expect_error<DataError>([&] { read_npy(npy("{}", data, 4)); }, {"unknown version"});
    std::string endless = npy("{}", data, 2);
    endless.replace(8, 4, "\xff\xff\xff\xff");
    expect_error<DataError>([&] { read_npy(endless); }, {"4294967295 bytes", "damaged"});
    // A mebibyte is the most, and is not there.
    for (const bool too_long : {false, true}) {
        endless.replace(8, 4,
                        std::string(too_long ? "\x01" : "\x00", 1) + std::string("\0\x10\0", 3));
        expect_error<DataError>([&] { read_npy(endless); },
                                {too_long ? "1048577 bytes" : "truncated in its header"});
    }
    expect_error<DataError>([&] { read_npy(""); }, {"empty"});
}

TEST(NpyReader, NoticesEveryTruncationAndAnythingBehind) {
    for (const bool fortran_order : {false, true}) {
        const std::string file = npy_of(counting(3, 2), 2, fortran_order);
        for (const auto bad_rows : {BadRows::error, BadRows::zero}) {
            TableOptions options;
            options.bad_rows = bad_rows;
            for (std::size_t length = 0; length < file.size(); ++length) {
                expect_error<DataError>([&] { read_npy(file.substr(0, length), options); },
                                        {"memory"});
            }
            EXPECT_EQ(read_npy(file, options).rows, 3U);
            expect_error<DataError>([&] { read_npy(file + "x", options); }, {"longer"});
        }
    }
}

TEST(NpyReader, SurvivesEveryChangedHeaderByte) {
    const std::string file = npy_of(counting(3, 2), 2);
    const std::size_t header = file.size() - 6 * sizeof(double);
    for (std::size_t position = 0; position < header; ++position) {
        for (int value = 0; value < 256; ++value) {
            std::string changed = file;
            changed[position] = static_cast<char>(value);
            try {
                EXPECT_EQ(read_npy(changed).values.size(), 6U);
            } catch (const DataError&) {
            }
        }
    }
}

TEST(NpyReader, ReadsCompressedArrays) {
    TemporaryFolder folder;
    for (const bool fortran_order : {false, true}) {
        const std::string packed = gzip(npy_of(counting(7, 3), 3, fortran_order));
        write_file(folder / "a.npy.gz", packed);
        for (const std::vector<std::string>& columns :
             {std::vector<std::string>{}, {"2", "0"}, {"1"}}) {
            TableOptions options;
            options.columns = columns;
            const Values expected = read_npy(npy_of(counting(7, 3), 3), options).values;
            EXPECT_EQ(read_all(*open_table(folder / "a.npy.gz", options)).values, expected);
            EXPECT_EQ(read_all(*open_table(folder / "a.npy.gz", options), 2).values, expected);
        }
        expect_error<DataError>(
            [&] {
                read_all(*open_npy(open_gzip_stream(in_memory(packed.substr(0, packed.size() - 1))),
                                   {}));
            },
            {"truncated"});
    }
}

TEST(NpyReader, SaysHowToReadAFortranOrderArrayFromAPipe) {
    TemporaryFolder folder;
    write_file(folder / "a.npy", npy_of(counting(3, 2), 2, true));
    const std::string pipe = folder / "pipe.npy";
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    std::jthread writer([&] { std::ofstream(pipe) << npy_of(counting(3, 2), 2, true); });
    expect_error<DataError>([&] { static_cast<void>(open_table(pipe)); },
                            {"Fortran", "pipe", "ascontiguousarray"});
}

TEST(ArrayReaders, SayThatAStreamIsCompressed) {
    expect_error<DataError>([] { read_npy(gzip(npy_of({1, 2}, 2))); }, {"gzip", "gunzip"});
    expect_error<DataError>([] { read_idx(gzip("x")); }, {"gzip", "gunzip"});
}

std::string idx(unsigned char type, const std::vector<std::uint32_t>& shape,
                const std::string& data) {
    std::string file = {'\0', '\0', static_cast<char>(type), static_cast<char>(shape.size())};
    for (const std::uint32_t length : shape) {
        file += encode(length, true);
    }
    return file + data;
}

TEST(IdxReader, ReadsEveryType) {
    const Values values = {1, 2, 3, 4, 5, 100};
    const auto data = [&](auto number) {
        return encode_all<decltype(number)>(values, 1, true, false);
    };
    EXPECT_EQ(read_idx(idx(0x08, {2, 3}, data(std::uint8_t{}))).values, values);
    EXPECT_EQ(read_idx(idx(0x09, {2, 3}, data(std::int8_t{}))).values, values);
    EXPECT_EQ(read_idx(idx(0x0b, {2, 3}, data(std::int16_t{}))).values, values);
    EXPECT_EQ(read_idx(idx(0x0c, {2, 3}, data(std::int32_t{}))).values, values);
    EXPECT_EQ(read_idx(idx(0x0d, {2, 3}, data(float{}))).values, values);
    EXPECT_EQ(read_idx(idx(0x0e, {2, 3}, data(double{}))).values, values);
}

TEST(IdxReader, KnowsSigns) {
    EXPECT_EQ(read_idx(idx(0x08, {1, 1}, "\xff")).values, (Values{255}));
    EXPECT_EQ(read_idx(idx(0x09, {1, 1}, "\xff")).values, (Values{-1}));
    EXPECT_EQ(read_idx(idx(0x0b, {1, 1}, "\xff\xfe")).values, (Values{-2}));
    EXPECT_EQ(read_idx(idx(0x0c, {1, 1}, "\xff\xff\xff\xfd")).values, (Values{-3}));
}

TEST(IdxReader, TakesTheOtherDimensionsTogether) {
    const auto reader =
        open_idx(in_memory(idx(0x08, {3, 2, 2}, "\1\2\3\4\5\6\7\10\11\12\13\14")), {});
    EXPECT_EQ(reader->columns(), 4U);
    EXPECT_EQ(reader->row_count_hint(), 3U);
    EXPECT_EQ(read_all(*reader).values, (Values{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}));
}

TEST(IdxReader, RefusesWhatIsNoTable) {
    expect_error<DataError>([] { read_idx(idx(0x08, {3}, "abc")); }, {"1 dimension", "labels"});
    expect_error<DataError>([] { read_idx(idx(0x07, {1, 1}, "a")); }, {"not an IDX file"});
    expect_error<DataError>([] { read_idx("\x93NUMPY"); }, {"not an IDX file"});
    for (const std::size_t zero : {0U, 1U}) {
        std::string other = idx(0x08, {1, 1}, "a");
        other[zero] = '\1';
        expect_error<DataError>([&] { read_idx(other); }, {"not an IDX file"});
    }
    EXPECT_EQ(read_idx(idx(0x08, {0, 3}, "")).rows, 0U);
    expect_error<DataError>([] { read_idx(idx(0x08, {0, 3}, "x")); }, {"longer"});
    expect_error<DataError>([] { read_idx(idx(0x08, {3, 0, 7}, "")); }, {"no columns"});
    expect_error<DataError>(
        [] {
            read_idx(idx(0x08, {1, 0xffffffff, 0xffffffff}, ""));
        },
        {"damaged"});
    expect_error<DataError>(
        [] {
            read_idx(idx(0x08, {1, 65536, 65536, 65536, 65536}, ""));
        },
        {"damaged"});
}

TEST(IdxReader, NoticesEveryTruncationAndAnythingBehind) {
    const std::string file = idx(0x0d, {2, 1, 2}, std::string(16, '\1'));
    for (std::size_t length = 0; length < file.size(); ++length) {
        expect_error<DataError>([&] { read_idx(file.substr(0, length)); }, {"memory"});
    }
    EXPECT_EQ(read_idx(file).rows, 2U);
    expect_error<DataError>([&] { read_idx(file + '\0'); }, {"longer"});
}

TEST(IdxReader, NamesRowAndColumnOfAValueThatIsNotFinite) {
    const Values values = {1, 2, 3, std::numeric_limits<double>::quiet_NaN()};
    const std::string file = idx(0x0e, {2, 2}, encode_all<double>(values, 2, true, false));
    expect_error<DataError>([&] { read_idx(file); }, {"row 2, column 1", "NaN"});
}

// Blocks are of other sizes on several threads, and the error is the same.
TEST(NpyReader, NamesABadRowBeforeWhatIsWrongWithTheFile) {
    constexpr std::size_t rows = 20;
    TableOptions reversed;
    reversed.columns = {"2", "1", "0"};
    for (const std::size_t bad : {0U, 7U, 19U, 20U}) {
        Values values = counting(rows, 3);
        if (bad < rows) {
            values[3 * bad + 1] = std::nan("");
        }
        const std::string whole = npy_of(values, 3);
        const std::string row = "row " + std::to_string(bad + 1);
        for (const std::size_t left : {0U, 1U, 12U, 13U, 20U}) {
            const std::string cut = whole.substr(0, whole.size() - left * 24 + (left > 0 ? 5 : 0));
            const std::string zipped = gzip(cut).substr(0, gzip(cut).size() - 4);
            for (std::size_t block_rows = 1; block_rows < 25; ++block_rows) {
                for (const TableOptions& options : {TableOptions{}, reversed}) {
                    const bool first = bad < rows - left;
                    expect_error<DataError>(
                        [&] { read_npy(left > 0 ? cut : whole + "x", options, block_rows); },
                        {first      ? row
                         : left > 0 ? "shorter than"
                                    : "longer than"});
                    expect_error<DataError>(
                        [&] {
                            read_all(*open_npy(open_gzip_stream(in_memory(zipped)), options),
                                     block_rows);
                        },
                        {first ? row : "truncated"});
                }
            }
        }
    }
}

}  // namespace
}  // namespace dpcov::test
