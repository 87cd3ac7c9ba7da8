#include "estimate_outputs.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "dpcov/error.hpp"
#include "dpcov/record.hpp"
#include "dpcov/release_file.hpp"
#include "files/output_set.hpp"
#include "report/matrix_writer.hpp"
#include "targets.hpp"

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
                     "--output-format npy|csv|json");
}

/// The names to write with the matrix. A plain CSV has none: every line is to be numbers.
std::vector<std::string> names_to_write(const EstimateArguments& arguments,
                                        const std::vector<std::string>& declared) {
    const MatrixFormat format = format_of_output(arguments);
    if (arguments.names && format == MatrixFormat::npy) {
        throw UsageError("--names: an .npy holds numbers only; take csv or json");
    }
    if (arguments.names && declared.empty()) {
        throw UsageError(
            "--names: the columns have no names; a header declares them, or --columns or --bounds "
            "by name");
    }
    return arguments.names || format == MatrixFormat::json ? declared : std::vector<std::string>();
}

}  // namespace

void check_names(const EstimateArguments& arguments, const Schema& schema) {
    static_cast<void>(names_to_write(arguments, column_names(schema)));
}

void check_outputs(const EstimateArguments& arguments) {
    static_cast<void>(format_of_output(arguments));
    if (arguments.names) {
        static_cast<void>(names_to_write(arguments, {"any"}));
    }
    if (!arguments.record.empty() && same_place(arguments.output, arguments.record)) {
        throw UsageError(arguments.output == standard_stream_word
                             ? "the matrix and the record would both go to standard output; give "
                               "--output FILE, or --record FILE"
                             : "--output and --record are the same file");
    }
    if (!arguments.release.empty()) {
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
    for (const std::string& target : {arguments.output, arguments.record, arguments.release}) {
        if (target.empty()) {
            continue;
        }
        refuse_to_replace(target, arguments.table.input, "the input");
        refuse_to_replace(target, arguments.table.bounds_file, "the file of --bounds");
        refuse_to_replace(target, arguments.table.column_scale_file, "the file of --column-scale");
        refuse_to_replace(target, arguments.ledger, "the ledger");
        for (const char* const beside : {"-journal", "-wal", "-shm"}) {  // SQLite's names
            if (!arguments.ledger.empty()) {
                std::error_code unresolved;
                refuse_to_replace(
                    target,
                    std::filesystem::weakly_canonical(arguments.ledger, unresolved).string() +
                        beside,
                    "the ledger's journal");
            }
        }
    }
    check_targets_together({arguments.output, arguments.record, arguments.release});
}

void write_outputs(const EstimateArguments& arguments, const Release& release, HeldPipe& pipe) {
    OutputSet outputs;
    const auto add = [&](const std::string& target, const std::string& bytes) {
        outputs.add(path_of(target), bytes, pipe.take(target));
    };
    add(arguments.output,
        format_matrix(format_of_output(arguments), release.covariance,
                      names_to_write(arguments, column_names(release.schema)), release.mean));
    if (!arguments.record.empty()) {
        add(arguments.record, format_record(release));
    }
    if (!arguments.release.empty()) {
        add(arguments.release, release_archive(release));
    }
    outputs.commit(OutputSet::Afterwards::ends);
}

}  // namespace dpcov
