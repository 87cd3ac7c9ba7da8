#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "dpcov/error.hpp"
#include "dpcov/table.hpp"
#include "io/array_reader.hpp"
#include "io/byte_stream.hpp"
#include "io/csv_reader.hpp"
#include "io/gzip_stream.hpp"
#include "io/svm_reader.hpp"

namespace dpcov {

namespace {

enum class Kind { npy, csv, tsv, idx, svm };

/// What the name without ".gz" tells about the file.
Kind kind_of(const std::string& path, std::string_view name) {
    struct Ending {
        std::string_view text;
        Kind kind;
    };
    constexpr std::array<Ending, 10> endings = {{{".npy", Kind::npy},
                                                 {".csv", Kind::csv},
                                                 {".tsv", Kind::tsv},
                                                 {".svm", Kind::svm},
                                                 {"-ubyte", Kind::idx},
                                                 {"-byte", Kind::idx},
                                                 {"-short", Kind::idx},
                                                 {"-int", Kind::idx},
                                                 {"-float", Kind::idx},
                                                 {"-double", Kind::idx}}};
    for (const Ending& ending : endings) {
        if (name.ends_with(ending.text)) {
            return ending.kind;
        }
    }
    throw UsageError(
        path +
        ": unknown kind of table; the name must end in .npy, .csv, .tsv, .svm or "
        "-ubyte (IDX), each also with .gz behind it, or be - for CSV on standard input");
}

}  // namespace

std::unique_ptr<TableReader> open_table(const std::string& path, const TableOptions& options) {
    if (path == "-") {
        return open_csv(open_standard_input(), ',', options);
    }
    std::string name = path;
    std::transform(name.begin(), name.end(), name.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    const bool compressed = name.ends_with(".gz");
    if (compressed) {
        name.resize(name.size() - 3);
    }
    const Kind kind = kind_of(path, name);
    if (options.dimension && kind != Kind::svm) {
        throw UsageError(path +
                         ": --dimension is for LIBSVM files; other tables say how many "
                         "columns they have");
    }
    std::unique_ptr<ByteStream> stream = open_file_stream(path);
    if (compressed) {
        stream = open_gzip_stream(std::move(stream));
    }
    switch (kind) {
        case Kind::npy:
            return open_npy(std::move(stream), options);
        case Kind::idx:
            return open_idx(std::move(stream), options);
        case Kind::tsv:
            return open_csv(std::move(stream), '\t', options);
        case Kind::svm:
            return open_svm(std::move(stream), options);
        case Kind::csv:
            break;
    }
    return open_csv(std::move(stream), ',', options);
}

}  // namespace dpcov
