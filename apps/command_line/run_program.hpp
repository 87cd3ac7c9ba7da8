// A program of subcommands, from main() to its exit status. Parsing runs the chosen command; an
// exception becomes a message on standard error and an exit status.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

namespace dpcov {

/// What --help of the program itself says.
struct ProgramText {
    const char* name = "";
    std::string description;
    std::string footer;
};

/// Adds a command with its options and its help; parsing the command line then runs it.
using AddCommand = std::function<void(CLI::App& program)>;

/// Runs the program with these commands, and `help`. Returns the exit status; throws nothing.
int run_program(int argc, char** argv, const ProgramText& text,
                const std::vector<AddCommand>& commands);

}  // namespace dpcov
