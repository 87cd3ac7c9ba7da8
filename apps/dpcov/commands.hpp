// The subcommands. Each adds itself, its options and its help to the program; parsing the command
// line then runs it.
#pragma once

#include <CLI/CLI.hpp>
#include <stdexcept>

namespace dpcov {

/// Thrown by `dpcov audit` after its report: the program worked, and what it found is bad.
class ClaimRefuted : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

void add_estimate_command(CLI::App& program);
void add_methods_command(CLI::App& program);
void add_experiment_command(CLI::App& program);
void add_moment_command(CLI::App& program);
void add_ledger_command(CLI::App& program);
void add_audit_command(CLI::App& program);
void add_help_command(CLI::App& program);

}  // namespace dpcov
