// The subcommands, each in the file of its name. Each adds itself, its options and its help to the
// program or to its group; parsing the command line then runs it.
#pragma once

#include <CLI/CLI.hpp>

namespace dpcov {

void add_estimate_command(CLI::App& program);
void add_derive_command(CLI::App& program);
void add_methods_command(CLI::App& program);
void add_moment_command(CLI::App& program);
void add_ledger_command(CLI::App& program);
void add_budget_command(CLI::App& program);
void add_plan_command(CLI::App& program);
void add_audit_command(CLI::App& program);

void add_moment_add_command(CLI::App& moment);
void add_moment_merge_command(CLI::App& moment);
void add_moment_show_command(CLI::App& moment);

void add_ledger_init_command(CLI::App& ledger);
void add_ledger_show_command(CLI::App& ledger);
void add_ledger_export_command(CLI::App& ledger);

}  // namespace dpcov
