// help [COMMAND...] of a program of subcommands.
#pragma once

#include <CLI/CLI.hpp>

namespace dpcov {

/// Adds `help`, which prints what --help of a command of `program` does.
void add_help_command(CLI::App& program);

}  // namespace dpcov
