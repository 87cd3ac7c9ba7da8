// The subcommands. Each adds itself, its options and its help to the program; parsing the command
// line then runs it.
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

}  // namespace dpcov
