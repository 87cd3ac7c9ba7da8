// Options that commands of the laboratory have in common.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace dpcov::research {

/// --runs R, of what `help` says.
inline CLI::Option* add_runs(CLI::App& command, int& runs, const std::string& help) {
    return command.add_option("--runs", runs, help)->option_text("R")->check(CLI::PositiveNumber);
}

}  // namespace dpcov::research
