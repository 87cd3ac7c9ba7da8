// The steps of an estimate, from its arguments to what it writes: for programs that differ in who
// reads the rows.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "command_line/arguments.hpp"
#include "command_line/progress.hpp"
#include "dpcov/ledger.hpp"
#include "dpcov/release.hpp"
#include "dpcov/second_moment.hpp"
#include "dpcov/table.hpp"
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

/// Everything that needs no data, before any data. Throws UsageError, and DeviceError where a
/// target cannot be written.
void check_estimate(const EstimateArguments& arguments);

/// The account that pays, looked up before the reading: a mistyped name should not keep anyone
/// waiting. Whether the account can pay is decided by the charge itself, before the first noise.
/// None where none is charged.
std::unique_ptr<Ledger> open_ledger(const EstimateArguments& arguments);

/// The input, opened: a table.
std::unique_ptr<TableReader> open_input(const EstimateArguments& arguments);

/// What a moment of such a table is to keep.
MomentLayout layout_of(const EstimateArguments& arguments, const TableReader& table);

/// The moment of no rows of it.
SecondMoment empty_moment(const EstimateArguments& arguments, const TableReader& table);

/// Adds all of its rows, and shows how far it is. SECRET.
void add_rows(TableReader& table, SecondMoment& secret, const EstimateArguments& arguments,
              Progress& progress);

/// The input: a moment file that the method can do with. SECRET.
SecondMoment read_moment(const EstimateArguments& arguments);

/// The rows of the input, table or moment file, added up. SECRET.
SecondMoment read_rows(const EstimateArguments& arguments);

/// Whether progress may tell of rows.
RowsShown rows_shown(const EstimateArguments& arguments);

/// Adds the same rows once more, to another moment.
using ReadAgain = std::function<void(SecondMoment& again, Progress& progress)>;

/// Charges the account, draws the noise and writes the matrix, the record and the release. Without
/// `read_again` the rows are looked at once.
void release_estimate(const EstimateArguments& arguments, const SecondMoment& secret,
                      Ledger* ledger, const ReadAgain& read_again = {});

}  // namespace dpcov
