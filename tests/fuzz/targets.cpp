#include "fuzz/targets.hpp"

#include <sodium.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "dpcov/error.hpp"
#include "dpcov/release_file.hpp"
#include "dpcov/table.hpp"
#include "files/byte_stream.hpp"
#include "files/gzip_stream.hpp"
#include "moment/secret_moment.hpp"
#include "report/zip_archive.hpp"
#include "support/row_by_row.hpp"
#include "tables/array_reader.hpp"
#include "tables/csv_reader.hpp"
#include "tables/sparse_block.hpp"
#include "tables/svm_reader.hpp"
#include "tables/taken_lines.hpp"
#include "tables/text_reader.hpp"

namespace dpcov::test {
namespace {

using Input = std::span<const std::uint8_t>;
using OpenTable =
    std::function<std::unique_ptr<TableReader>(std::unique_ptr<ByteStream>, const TableOptions&)>;

/// Less than the longest inputs, so that lines that are too long are among them; and less memory to
/// take than by default, which under a sanitizer is most of the time that an input takes.
constexpr std::size_t longest_line = 1024;

void require(bool promise) {
    if (!promise) {
        std::abort();
    }
}

/// Reads all of a table. The first byte of the input chooses how.
void read_table(Input input, const OpenTable& open, TableOptions options = {}) {
    const unsigned choice = input.empty() ? 0 : input.front();
    const Input content = input.empty() ? input : input.subspan(1);
    options.bad_rows = (choice & 1U) != 0 ? BadRows::zero : BadRows::error;
    options.header = (choice & 2U) != 0 ? Header::yes : Header::no;
    if (choice >> 5U == 7U) {
        options.delimiter = ';';
        options.decimal = ',';
    }
    if ((choice & 4U) != 0) {
        options.bounds = {{.name = "1", .bounds = {{0, 9}}, .fill = 4.5, .missing = {-99, 7}},
                          {.name = "0", .bounds = {{-1, 1}}, .missing = {9}}};
    } else {
        options.scale = (choice & 8U) != 0 ? 255.0 : 1.0;
        if ((choice & 16U) != 0) {
            options.columns = {"1", "0"};
        }
    }
    try {
        const auto table =
            open(open_memory_stream("input", {content.begin(), content.end()}), options);
        const std::size_t columns = table->columns();
        require(columns >= 1);
        require(column_names(table->schema()).empty() ||
                column_names(table->schema()).size() == columns);
        constexpr std::size_t largest = 1U << 22U;  // a table may be wider than it is worth reading
        if (columns > largest) {
            return;
        }
        std::vector<double> rows(columns * (1 + (choice >> 5U)));
        for (std::size_t count = 1; count > 0;) {
            count = table->read(rows);
            require(count * columns <= rows.size());
            for (std::size_t i = 0; i < count * columns; ++i) {
                require(std::isfinite(rows[i]));
            }
        }
    } catch (const Error&) {  // the right answer
    }
}

/// Requires that bad rows as zeros are a map of each line by itself, which no bytes can stop.
void require_row_by_row(Input input, const OpenTable& open, bool has_indicators) {
    constexpr std::size_t most_alone = 1;  // a sanitizer makes opening a table dear
    TableOptions options;
    options.bad_rows = BadRows::zero;
    options.header = Header::no;
    options.dimension = 3;
    const std::string_view text(reinterpret_cast<const char*>(input.data()), input.size());
    const auto read = [&](std::string_view bytes) {
        const auto table = open(open_memory_stream("input", {bytes.begin(), bytes.end()}), options);
        std::vector<double> all;
        std::vector<double> rows(table->columns() * 5);
        while (const std::size_t count = table->read(rows)) {
            all.insert(all.end(), rows.begin(),
                       rows.begin() + static_cast<std::ptrdiff_t>(count * table->columns()));
        }
        return all;
    };
    if (input.size() % 3 == 0) {
        require(row_by_row_violation(text, *options.dimension, read, most_alone).empty());
    } else if (input.size() % 3 == 1 && has_indicators) {
        options.columns = {"0=4", "2=x", "1", "0"};
        require(row_by_row_violation(text, options.columns.size(), read, most_alone).empty());
    } else {
        options.bounds = {{.name = "2", .bounds = {{0, 9}}, .fill = 4.5, .missing = {-99, 7}},
                          {.name = "0", .bounds = {{-1, 1}}, .missing = {9}}};
        require(row_by_row_violation(text, options.bounds.size(), read, most_alone).empty());
    }
}

enum class Way { blocks, taken_lines };

/// What reading a table with short ways or without them gives: all rows, or an error.
std::string read_csv_to_end(Input input, TableOptions options, Shortcuts shortcuts,
                            Way way = Way::blocks) {
    constexpr std::size_t most_rows = 64;
    options.threads = 3;
    std::string seen;
    TakenLines taken(most_rows, 1000);
    const auto read = [&](TableReader& table, std::span<double> rows) {
        if (way == Way::blocks) {
            return table.read(rows);
        }
        auto& text = dynamic_cast<TextReader&>(table);
        const std::size_t count = text.take_lines(taken, rows);
        text.make_rows(taken, rows);
        return count;
    };
    try {
        const auto table = open_csv(open_memory_stream("input", {input.begin(), input.end()}), ',',
                                    options, longest_line, shortcuts);
        std::vector<double> rows(table->columns() * most_rows);
        while (const std::size_t count = read(*table, rows)) {
            const std::size_t bytes = count * table->columns() * sizeof(double);
            seen.append(reinterpret_cast<const char*>(rows.data()), bytes);
        }
    } catch (const Error& error) {
        seen = error.what();  // it may come in another block of rows
    }
    return seen;
}

void require_same_by_shortcuts(Input input) {
    TableOptions options;
    options.header = Header::no;
    options.dimension = 3;
    for (const BadRows bad_rows : {BadRows::error, BadRows::zero}) {
        options.bad_rows = bad_rows;
        options.columns.clear();
        const std::string seen = read_csv_to_end(input, options, Shortcuts::left_out);
        require(read_csv_to_end(input, options, Shortcuts::taken) == seen);
        require(read_csv_to_end(input, options, Shortcuts::taken, Way::taken_lines) == seen);
        options.columns = {"0=1", "1", "1=5", "0"};
        require(read_csv_to_end(input, options, Shortcuts::taken) ==
                read_csv_to_end(input, options, Shortcuts::left_out));
    }
}

void read_csv(Input input) {
    const OpenTable open = [](auto stream, const auto& options) {
        return open_csv(std::move(stream), ',', options, longest_line);
    };
    read_table(input, open);
    require_row_by_row(input, open, true);
    require_same_by_shortcuts(input);
}

void read_npy(Input input) {
    read_table(input, open_npy);
}

void read_idx(Input input) {
    read_table(input, open_idx);
}

/// What reading a LIBSVM table gives, with its zeros or without: all rows, or an error.
std::string read_svm_to_end(Input input, const TableOptions& options, bool sparse) {
    constexpr std::size_t block_rows = 64;
    std::vector<double> values;
    try {
        const auto table = open_svm(open_memory_stream("input", {input.begin(), input.end()}),
                                    options, longest_line);
        const std::size_t d = table->columns();
        std::vector<double> rows(d * block_rows);
        SparseBlock block(block_rows, d);
        auto& reader = dynamic_cast<SparseReader&>(*table);
        while (const std::size_t count = sparse ? reader.read_sparse(block) : table->read(rows)) {
            const auto entries = block.rows(sparse ? count : 0);
            if (sparse) {
                std::fill(rows.begin(), rows.end(), 0.0);
            }
            for (std::size_t i = 0; i < entries.size(); ++i) {
                for (std::size_t k = 0; k < entries[i].columns.size(); ++k) {
                    rows[i * d + entries[i].columns[k]] = entries[i].values[k];
                }
            }
            values.insert(values.end(), rows.begin(),
                          rows.begin() + static_cast<std::ptrdiff_t>(count * d));
        }
    } catch (const Error& error) {
        return error.what();  // it may come in another block of rows
    }
    return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double)};
}

void require_same_without_zeros(Input input, TableOptions options) {
    for (const BadRows bad_rows : {BadRows::error, BadRows::zero}) {
        options.bad_rows = bad_rows;
        require(read_svm_to_end(input, options, true) == read_svm_to_end(input, options, false));
    }
}

void read_svm(Input input) {
    TableOptions options;
    options.dimension = 5;
    const OpenTable open = [](auto stream, const auto& given) {
        return open_svm(std::move(stream), given, longest_line);
    };
    read_table(input, open, options);
    require_row_by_row(input, open, false);
    require_same_without_zeros(input, options);
}

void read_gzip(Input input) {
    read_table(input,
               [](auto stream, const auto& options) {
                   return open_csv(open_gzip_stream(std::move(stream)), ',', options, longest_line);
               },
               {});
}

/// A file that lies in memory.
class MemoryFile {
public:
    MemoryFile() : descriptor_(::memfd_create("moment", 0)) { require(descriptor_ >= 0); }
    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;
    ~MemoryFile() { ::close(descriptor_); }

    void write(Input bytes) const {
        require(::write(descriptor_, bytes.data(), bytes.size()) ==
                static_cast<ssize_t>(bytes.size()));
    }
    [[nodiscard]] std::string path() const {
        return "/proc/self/fd/" + std::to_string(descriptor_);
    }

private:
    int descriptor_;
};

/// Whether a moment of as many columns as the header says is more than a fuzzer may take (libFuzzer
/// ends at 2 GB) and yet less than a machine may have. An honest file of few bytes says that as
/// well: the moment of no rows. Past 2^20 columns no address space is enough.
bool is_too_wide_to_try(Input input) {
    constexpr std::size_t place = 8;  // after the magic
    std::uint64_t columns = 0;
    if (input.size() < place + sizeof columns) {
        return false;
    }
    std::memcpy(&columns, input.data() + place, sizeof columns);
    return columns > 256 && columns <= std::uint64_t{1} << 20U;
}

/// The input as a moment file, with the checksum that belongs to it, or it would all end there.
void load_moment(Input input) {
    if (is_too_wide_to_try(input)) {
        return;
    }
    std::vector<std::uint8_t> digest(crypto_generichash_BYTES);
    crypto_generichash(digest.data(), digest.size(), input.data(), input.size(), nullptr, 0);
    const MemoryFile file;
    file.write(input);
    file.write(digest);
    try {
        detail::SecretMoment moment = detail::SecretMoment::load(file.path());
        detail::SecretMoment other = moment;
        other.declare_part("not a copy");
        other.merge(moment);
        require(other.layout() == moment.layout());
    } catch (const Error&) {  // the right answer
    }
}

// The first byte chooses: the input is an archive, whose checksums stop most changes; or members of
// one, each a byte for its name, four for its length, and its bytes.
void load_npz(Input input) {
    constexpr std::array names = {"release.json",     "covariance.npy",
                                  "mean.npy",         "radii.npy",
                                  "noise_scales.npy", "second_moments.npy",
                                  "means.npy",        "mean_noise_scales.npy",
                                  "left_out.npy",     "separate_mean.npy",
                                  "columns.npy",      "norm_counts.npy",
                                  "norm_radii.npy",   "another"};
    if (input.empty()) {
        return;
    }
    std::string_view rest(reinterpret_cast<const char*>(input.data()), input.size());
    const bool by_members = rest.front() == 'm';
    rest.remove_prefix(1);
    std::string archive(rest);
    if (by_members) {
        std::vector<ZipMember> members;
        std::set<std::string> taken;
        while (rest.size() >= 5) {
            const std::string name = names[static_cast<unsigned char>(rest[0]) % names.size()];
            std::uint32_t length = 0;
            std::memcpy(&length, rest.data() + 1, sizeof length);
            rest.remove_prefix(5);
            const std::string_view bytes = rest.substr(0, length);
            rest.remove_prefix(bytes.size());
            if (taken.insert(name).second) {
                members.push_back({name, std::string(bytes)});
            }
        }
        if (members.empty()) {
            return;
        }
        archive = zip_archive(members);
    }
    try {
        const Release release = release_of_archive("input", archive);
        // What can be read can be written, and is then the same.
        const std::string again = release_archive(release);
        require(release_archive(release_of_archive("again", again)) == again);
    } catch (const Error&) {  // the right answer
    }
}

}  // namespace

const std::vector<FuzzTarget>& fuzz_targets() {
    static const std::vector<FuzzTarget> targets = {
        {"csv", read_csv},   {"npy", read_npy},       {"idx", read_idx}, {"svm", read_svm},
        {"gzip", read_gzip}, {"moment", load_moment}, {"npz", load_npz}};
    return targets;
}

}  // namespace dpcov::test
