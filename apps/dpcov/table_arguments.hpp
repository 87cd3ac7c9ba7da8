// INPUT and the options that say how to read it, shared by every command that reads a table.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "dpcov/table.hpp"

namespace dpcov {

/// INPUT and its options, as given.
struct TableArguments {
    std::string input;
    TableOptions options;
    std::string column_scale_file;
    std::string bounds_file;
    std::optional<double> scale;
    std::optional<double> norm_bound;
    std::vector<const CLI::Option*> table_only;  ///< options that make sense for a table only
};

/// Adds INPUT, --norm-bound and the table options. `arguments` must outlive `command`.
void add_table_options(CLI::App& command, TableArguments& arguments, const std::string& input_help);

/// What open_table wants to know; reads the --column-scale and --bounds files. Throws UsageError
/// (options that exclude each other), DataError (a malformed file) or DeviceError (an unreadable
/// one).
TableOptions table_options(const TableArguments& arguments, unsigned threads);

/// Throws UsageError when an option was given that a .moment file has no use for.
void refuse_table_options(const TableArguments& arguments);

}  // namespace dpcov
