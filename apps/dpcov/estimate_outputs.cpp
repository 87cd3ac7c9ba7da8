#include "estimate_outputs.hpp"

#include <filesystem>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "dpcov/error.hpp"
#include "dpcov/record.hpp"
#include "dpcov/release_file.hpp"
#include "files/output_set.hpp"
#include "report/matrix_writer.hpp"
#include "targets.hpp"
#include "text/in_quotes.hpp"

namespace dpcov {
namespace {

/// The matrix's format: asked for, or what the name of its target says.
MatrixFormat format_of_output(const EstimateArguments& arguments) {
    const std::optional<MatrixFormat> by_name = format_for(arguments.output);
    if (by_name && arguments.output_format && *by_name != *arguments.output_format) {
        throw UsageError("--output '" + arguments.output +
                         "' is the name of another format than --output-format asks for");
    }
    if (by_name || arguments.output_format) {
        return by_name ? *by_name : *arguments.output_format;
    }
    if (arguments.output == standard_stream_word) {
        return MatrixFormat::csv;
    }
    throw UsageError("--output '" + arguments.output +
                     "' says no format: let the name end in .npy, .csv or .json, or give "
                     "--output-format " +
                     choices_of(matrix_format_words));
}

std::vector<std::string> targets_of(const EstimateArguments& arguments) {
    std::vector<std::string> targets;
    for (const std::string& target : {arguments.output, arguments.record, arguments.release}) {
        if (!target.empty()) {
            targets.push_back(target);
        }
    }
    return targets;
}

/// Each output has a place of its own.
void check_apart(const EstimateArguments& arguments) {
    if (!arguments.record.empty() && same_place(arguments.output, arguments.record)) {
        throw UsageError(arguments.output == standard_stream_word
                             ? "the matrix and the record would both go to standard output; give "
                               "--output FILE, or --record FILE"
                             : "--output and --record are the same file");
    }
    if (arguments.release.empty()) {
        return;
    }
    if (arguments.release == standard_stream_word) {
        throw UsageError("--release: an archive goes to a file, not to standard output");
    }
    for (const auto& [option, other] :
         {std::pair("--output", arguments.output), std::pair("--record", arguments.record)}) {
        if (!other.empty() && same_place(other, arguments.release)) {
            throw UsageError(std::string(option) + " and --release are the same file");
        }
    }
}

/// A file that the command reads or keeps: where it is, if there is one, and what it is.
struct KeptFile {
    std::string path;
    std::string_view what;
};

std::vector<KeptFile> kept_files(const EstimateArguments& arguments) {
    std::vector<KeptFile> files = {
        {arguments.table.input, "the input"},
        {arguments.table.bounds_file, "the file of --bounds"},
        {arguments.table.column_scale_file, "the file of --column-scale"},
        {arguments.ledger, "the ledger"}};
    if (!arguments.ledger.empty()) {
        std::error_code unresolved;
        const std::string ledger =
            std::filesystem::weakly_canonical(arguments.ledger, unresolved).string();
        for (const char* const beside : {"-journal", "-wal", "-shm"}) {  // SQLite's names
            files.push_back({ledger + beside, "the ledger's journal"});
        }
    }
    return files;
}

}  // namespace

void check_names(const EstimateArguments& arguments, const Schema& schema) {
    if (arguments.names && column_names(schema).empty()) {
        throw UsageError(
            "--names: the columns have no names; a header declares them, or --columns or --bounds "
            "by name");
    }
}

void check_outputs(const EstimateArguments& arguments) {
    if (format_of_output(arguments) == MatrixFormat::npy && arguments.names) {
        throw UsageError("--names: an .npy holds numbers only; take csv or json");
    }
    check_apart(arguments);
    const std::vector<std::string> targets = targets_of(arguments);
    const std::vector<KeptFile> kept = kept_files(arguments);
    for (const std::string& target : targets) {
        for (const KeptFile& file : kept) {
            refuse_to_replace(target, file.path, file.what);
        }
    }
    check_targets_together(targets);
}

HeldPipe held_output(const EstimateArguments& arguments) {
    std::vector<std::string> paths;
    for (const std::string& target : targets_of(arguments)) {
        paths.push_back(path_of(target));
    }
    return {paths, [](const std::string& path) {
                std::cerr << "note: waiting for a reader of " << printable(path) << '\n';
            }};
}

void write_outputs(const EstimateArguments& arguments, const Release& release, HeldPipe& pipe) {
    const MatrixFormat format = format_of_output(arguments);
    // A plain CSV has no names: every line is to be numbers.
    const bool named = arguments.names || format == MatrixFormat::json;
    OutputSet outputs;
    const auto add = [&](const std::string& target, const std::string& bytes) {
        outputs.add(path_of(target), bytes, pipe.take(target));
    };
    add(arguments.output,
        format_matrix(format, release.covariance,
                      named ? column_names(release.schema) : std::vector<std::string>(),
                      release.mean));
    if (!arguments.record.empty()) {
        add(arguments.record, format_record(release));
    }
    if (!arguments.release.empty()) {
        add(arguments.release, release_archive(release));
    }
    outputs.commit(OutputSet::Afterwards::ends);
}

}  // namespace dpcov
