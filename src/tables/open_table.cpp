#include <array>
#include <filesystem>
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

/// What the name without ".gz" tells about the file.
Format format_of(const std::string& path, std::string_view name) {
    struct Ending {
        std::string_view text;
        Format format;
    };
    constexpr std::array<Ending, 10> endings = {{{".npy", Format::npy},
                                                 {".csv", Format::csv},
                                                 {".tsv", Format::tsv},
                                                 {".svm", Format::svm},
                                                 {"-ubyte", Format::idx},
                                                 {"-byte", Format::idx},
                                                 {"-short", Format::idx},
                                                 {"-int", Format::idx},
                                                 {"-float", Format::idx},
                                                 {"-double", Format::idx}}};
    // Of these a declared format would make nonsense.
    constexpr std::array<std::string_view, 16> foreign = {
        ".parquet", ".feather", ".arrow", ".orc",      ".avro", ".json", ".jsonl", ".ndjson",
        ".dta",     ".sav",     ".por",   ".sas7bdat", ".rds",  ".xls",  ".xlsx",  ".ods"};
    for (const Ending& ending : endings) {
        if (name.ends_with(ending.text)) {
            return ending.format;
        }
    }
    if (std::error_code error; std::filesystem::is_directory(path, error)) {
        throw DeviceError(path + ": is a folder, not a table");
    }
    for (const std::string_view ending : foreign) {
        if (name.ends_with(ending)) {
            throw UsageError(path + ": dpcov reads no " + std::string(ending) +
                             " files. It reads CSV, TSV, NPY, LIBSVM and IDX: export it as CSV, or "
                             "give it to the Python package as a data frame");
        }
    }
    throw UndeclaredError(
        path +
            ": unknown kind of table; the name must end in .npy, .csv, .tsv, .svm or -ubyte (IDX), "
            "each also with .gz behind it, or the format must be declared",
        Undeclared::format);
}

void check_options(const std::string& path, Format format, const TableOptions& options) {
    const bool text = format == Format::csv || format == Format::tsv;
    if (options.delimiter && !text) {
        throw UsageError(path + ": only a CSV or TSV has a delimiter");
    }
    if (options.decimal != '.' && !text) {
        throw UsageError(path + ": only a CSV or TSV has a decimal mark");
    }
    if (options.header == Header::yes && !text) {
        throw UsageError(path + ": only a CSV or TSV has a header");
    }
    if (options.dimension && !text && format != Format::svm) {
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
    const Format format = options.format   ? *options.format
                          : standard_input ? Format::csv
                                           : format_of(path, name);
    check_options(path, format, options);
    std::unique_ptr<ByteStream> stream =
        standard_input ? open_standard_input() : open_file_stream(path);
    if (compressed) {
        const bool never_waits = stream->has_random_access();  // as a pipe may, for ever
        stream = open_gzip_stream(std::move(stream));
        if (never_waits) {
            stream = open_read_ahead(std::move(stream));
        }
    }
    switch (format) {
        case Format::npy:
            return open_npy(std::move(stream), options);
        case Format::idx:
            return open_idx(std::move(stream), options);
        case Format::tsv:
            return open_csv(std::move(stream), '\t', options);
        case Format::svm:
            return open_svm(std::move(stream), options);
        case Format::csv:
            break;
    }
    return open_csv(std::move(stream), ',', options);
}

}  // namespace dpcov
