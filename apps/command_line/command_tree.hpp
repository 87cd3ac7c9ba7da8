// The commands of a program, of which groups have commands of their own.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace dpcov {

/// The names of the commands of a program or a group; none of a command that is no group.
[[nodiscard]] std::vector<std::string> command_names(const CLI::App& group);

/// Its command of that name; null where there is none.
[[nodiscard]] const CLI::App* find_command(const CLI::App& group, const std::string& name);

/// The command that `words` (the command line without the program's name) choose, "dpcov moment
/// add", as far as they do; it is the program itself where they choose none.
[[nodiscard]] const CLI::App& chosen_command(const CLI::App& program,
                                             const std::vector<std::string>& words);

/// Its name with those of its groups.
[[nodiscard]] std::string full_name(const CLI::App& command);

}  // namespace dpcov
