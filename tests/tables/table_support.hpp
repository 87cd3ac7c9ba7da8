// What the tests of tables share: scratch folders, files made byte by byte, and reading to the end.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>
#include <zlib.h>

#include <bit>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dpcov/error.hpp"
#include "dpcov/table.hpp"
#include "files/byte_stream.hpp"
#include "support/expected_error.hpp"
#include "support/temporary_folder.hpp"
#include "tables/sparse_block.hpp"

namespace dpcov::test {

inline void write_file(const std::string& path, std::string_view bytes) {
    std::ofstream file(path, std::ios::binary);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    ASSERT_TRUE(file.flush().good());
}

inline std::string read_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// One gzip member.
inline std::string gzip(std::string_view bytes) {
    z_stream zlib{};
    EXPECT_EQ(deflateInit2(&zlib, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
    std::string result(deflateBound(&zlib, bytes.size()), '\0');
    zlib.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    zlib.avail_in = static_cast<uInt>(bytes.size());
    zlib.next_out = reinterpret_cast<Bytef*>(result.data());
    zlib.avail_out = static_cast<uInt>(result.size());
    EXPECT_EQ(deflate(&zlib, Z_FINISH), Z_STREAM_END);
    result.resize(zlib.total_out);
    deflateEnd(&zlib);
    return result;
}

inline std::unique_ptr<ByteStream> in_memory(std::string_view bytes) {
    return open_memory_stream("memory", {bytes.begin(), bytes.end()});
}

/// The bytes of a number, in the given order.
template <class Number>
std::string encode(Number number, bool big_endian) {
    std::string bytes(sizeof(Number), '\0');
    std::memcpy(bytes.data(), &number, sizeof(Number));
    static_assert(std::endian::native == std::endian::little);
    return big_endian ? std::string(bytes.rbegin(), bytes.rend()) : bytes;
}

/// An NPY file with the given dictionary as its header.
inline std::string npy(const std::string& dictionary, const std::string& data,
                       unsigned version = 1) {
    std::string file = "\x93NUMPY";
    file += {static_cast<char>(version), '\0'};
    file += version == 1 ? encode(static_cast<std::uint16_t>(dictionary.size()), false)
                         : encode(static_cast<std::uint32_t>(dictionary.size()), false);
    return file + dictionary + data;
}

inline std::string npy_dictionary(const std::string& descr, bool fortran_order,
                                  const std::string& shape) {
    return "{'descr': '" + descr + "', 'fortran_order': " + (fortran_order ? "True" : "False") +
           ", 'shape': " + shape + ", }\n";
}

/// A whole table, row-major, read in blocks of `block_rows`.
struct Table {
    std::size_t rows = 0;
    std::vector<double> values;
};

inline Table read_all(TableReader& reader, std::size_t block_rows = 100) {
    Table table;
    std::vector<double> block(block_rows * reader.columns());
    while (const std::size_t count = reader.read(block)) {
        table.rows += count;
        table.values.insert(table.values.end(), block.begin(),
                            block.begin() + static_cast<std::ptrdiff_t>(count * reader.columns()));
    }
    EXPECT_EQ(reader.read(block), 0U) << "the end must stay the end";
    return table;
}

/// The same of a table whose zeros are left out, where they may be, read that way.
inline Table read_all_sparse(TableReader& reader, std::size_t block_rows = 100) {
    auto& sparse = dynamic_cast<SparseReader&>(reader);
    if (!sparse.keeps_zeros()) {
        return read_all(reader, block_rows);
    }
    Table table;
    SparseBlock block(block_rows, reader.columns());
    while (const std::size_t count = sparse.read_sparse(block)) {
        for (const SparseRow& row : block.rows(count)) {
            table.values.resize(++table.rows * reader.columns(), 0.0);
            for (std::size_t i = 0; i < row.columns.size(); ++i) {
                table.values[(table.rows - 1) * reader.columns() + row.columns[i]] = row.values[i];
            }
        }
    }
    return table;
}

/// Expects a DataError of this problem, and returns where it is said to be.
inline DataPlace expect_problem(const std::function<void()>& action, DataProblem problem) {
    try {
        action();
        ADD_FAILURE() << "nothing was thrown";
    } catch (const DataError& error) {
        EXPECT_EQ(error.problem(), problem) << error.what();
        EXPECT_EQ(std::string(error.what()).find("--"), std::string::npos)
            << "words of the command line: " << error.what();
        return error.place();
    }
    return {};
}

/// Whether numpy can be run; the interpreter of the system, for another may lack it.
inline bool have_numpy() {
    return std::system("/usr/bin/python3 -c 'import numpy' >/dev/null 2>&1") == 0;
}

/// Runs a Python script; the folder is its first argument.
inline void run_python(const TemporaryFolder& folder, const std::string& script) {
    write_file(folder / "script.py", script);
    const std::string command =
        "/usr/bin/python3 '" + folder / "script.py" + "' '" + folder / "" + "'";
    ASSERT_EQ(std::system(command.c_str()), 0) << script;
}

}  // namespace dpcov::test
