#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "dpcov/error.hpp"
#include "dpcov/table.hpp"
#include "files/byte_stream.hpp"
#include "files/gzip_stream.hpp"
#include "files/read_ahead_stream.hpp"
#include "tables/array_reader.hpp"
#include "tables/csv_reader.hpp"
#include "tables/lower_case.hpp"
#include "tables/svm_reader.hpp"

namespace dpcov {

namespace {

template <char Delimiter>
std::unique_ptr<TableReader> open_separated(std::unique_ptr<ByteStream> stream,
                                            const TableOptions& options) {
    return open_csv(std::move(stream), Delimiter, options);
}

std::unique_ptr<TableReader> open_sparse(std::unique_ptr<ByteStream> stream,
                                         const TableOptions& options) {
    return open_svm(std::move(stream), options);
}

/// What there is to know of a format before it is read, but for its word.
struct FormatFacts {
    Format format = Format::csv;
    std::unique_ptr<TableReader> (*open)(std::unique_ptr<ByteStream>,
                                         const TableOptions&) = nullptr;
    std::array<std::string_view, 6> endings;  ///< of its files' names; the rest is empty
    bool separated = false;    ///< text with delimiters, a decimal mark and, perhaps, a header
    bool tells_width = false;  ///< the file says how many columns it has
};

constexpr std::array<FormatFacts, format_words.size()> formats = {{
    {.format = Format::csv, .open = open_separated<','>, .endings = {".csv"}, .separated = true},
    {.format = Format::tsv, .open = open_separated<'\t'>, .endings = {".tsv"}, .separated = true},
    {.format = Format::npy, .open = open_npy, .endings = {".npy"}, .tells_width = true},
    {.format = Format::idx,
     .open = open_idx,
     .endings = {"-ubyte", "-byte", "-short", "-int", "-float", "-double"},
     .tells_width = true},
    {.format = Format::svm, .open = open_sparse, .endings = {".svm"}},
}};

/// Of what a declared format would make nonsense.
constexpr std::array<std::string_view, 16> foreign_endings = {
    ".parquet", ".feather", ".arrow", ".orc",      ".avro", ".json", ".jsonl", ".ndjson",
    ".dta",     ".sav",     ".por",   ".sas7bdat", ".rds",  ".xls",  ".xlsx",  ".ods"};

const FormatFacts& facts_of(Format format) {
    for (const FormatFacts& facts : formats) {
        if (facts.format == format) {
            return facts;
        }
    }
    throw UsageError("there is no such format of tables");
}

/// What the name without ".gz" tells about the file.
const FormatFacts& facts_by_name(const std::string& path, std::string_view name) {
    const auto ends_name = [name](std::string_view ending) {
        return !ending.empty() && name.ends_with(ending);
    };
    for (const FormatFacts& facts : formats) {
        if (std::any_of(facts.endings.begin(), facts.endings.end(), ends_name)) {
            return facts;
        }
    }
    if (std::error_code error; std::filesystem::is_directory(path, error)) {
        throw DeviceError(path + ": is a folder, not a table");
    }
    const auto foreign = std::find_if(foreign_endings.begin(), foreign_endings.end(), ends_name);
    if (foreign != foreign_endings.end()) {
        throw UsageError(path + ": dpcov reads no " + std::string(*foreign) +
                         " files. It reads CSV, TSV, NPY, LIBSVM and IDX: export it as CSV, or "
                         "give it to the Python package as a data frame");
    }
    if (name.ends_with(".npz")) {
        throw UsageError(path +
                         ": an .npz holds several arrays. Results of a release come from 'dpcov "
                         "derive'; a table is saved as .npy");
    }
    throw UndeclaredError(
        path +
            ": unknown kind of table; the name must end in .npy, .csv, .tsv, .svm or -ubyte (IDX), "
            "each also with .gz behind it, or the format must be declared",
        Undeclared::format);
}

/// Other formats name no columns, so whatever has a '=' is none of their columns.
bool calls_indicator(const TableOptions& options) {
    const auto is_indicator = [](const std::string& column) {
        return column.find('=') != std::string::npos;
    };
    return std::any_of(options.columns.begin(), options.columns.end(), is_indicator) ||
           std::any_of(options.bounds.begin(), options.bounds.end(),
                       [&](const Column& column) { return is_indicator(column.name); }) ||
           std::any_of(options.column_scales.begin(), options.column_scales.end(),
                       [&](const auto& entry) { return is_indicator(entry.first); });
}

void check_options(const std::string& path, const FormatFacts& facts, const TableOptions& options) {
    if (options.delimiter && !facts.separated) {
        throw UsageError(path + ": only a CSV or TSV has a delimiter");
    }
    if (options.decimal != '.' && !facts.separated) {
        throw UsageError(path + ": only a CSV or TSV has a decimal mark");
    }
    if (options.header == Header::yes && !facts.separated) {
        throw UsageError(path + ": only a CSV or TSV has a header");
    }
    if (calls_indicator(options) && !facts.separated) {
        throw UsageError(path +
                         ": only a CSV or TSV has columns NAME=VALUE, which are 1 where a field of "
                         "text is VALUE; write columns of 0 and 1 into the others");
    }
    if (options.dimension && facts.tells_width) {
        throw UsageError(path +
                         ": the file says itself how many columns it has; do not declare them");
    }
}

}  // namespace

std::unique_ptr<TableReader> open_table(const std::string& path, const TableOptions& options) {
    const bool standard_input = path == "-";
    std::string name = in_lower_case(path);
    const bool compressed = name.ends_with(".gz");
    if (compressed) {
        name.resize(name.size() - 3);
    }
    const FormatFacts& facts = options.format   ? facts_of(*options.format)
                               : standard_input ? facts_of(Format::csv)
                                                : facts_by_name(path, name);
    check_options(path, facts, options);
    std::unique_ptr<ByteStream> stream =
        standard_input ? open_standard_input() : open_file_stream(path);
    if (compressed) {
        const bool never_waits = stream->has_random_access();  // as a pipe may, for ever
        stream = open_gzip_stream(std::move(stream));
        if (never_waits) {
            stream = open_read_ahead(std::move(stream));
        }
    }
    return facts.open(std::move(stream), options);
}

}  // namespace dpcov
