// INPUT and the options of an estimate.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "add_rows.hpp"
#include "command_line/arguments.hpp"
#include "dpcov/release.hpp"
#include "privacy_arguments.hpp"
#include "report/matrix_writer.hpp"
#include "table_arguments.hpp"
#include "targets.hpp"

namespace dpcov {

struct EstimateArguments {
    TableArguments table;
    PrivacyArguments privacy;
    ReleaseOptions options;
    bool no_center = false;
    bool scaled = false;    ///< leave columns with bounds in units of [-1, 1]
    int passes = 1;         ///< over the table, at most
    bool in_parts = false;  ///< the table is read by several processes, each its own part
    std::string output = std::string(standard_stream_word);
    std::optional<MatrixFormat> output_format;  ///< none: what the name of the output says
    bool names = false;                         ///< in a CSV
    std::string record;                         ///< empty: none
    std::string release;                        ///< empty: none
    std::string ledger;                         ///< empty: none
    std::string dataset;                        ///< the account to charge there
    RunningArguments running;
};

/// Adds INPUT and every option. `arguments` must outlive `command`.
void add_estimate_options(CLI::App& command, EstimateArguments& arguments,
                          const std::string& input_help);

/// What the options ask of release(), as far as neither the input nor the ledger has a say.
ReleaseOptions asked_options(const EstimateArguments& arguments);

/// Whether progress may tell of rows.
RowsShown rows_shown(const EstimateArguments& arguments);

}  // namespace dpcov
