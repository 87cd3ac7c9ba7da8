#include "command_line/help_command.hpp"

#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "command_line/command_tree.hpp"
#include "command_line/suggestions.hpp"
#include "dpcov/error.hpp"

namespace dpcov {
namespace {

void print_help(const CLI::App& program, const std::vector<std::string>& words) {
    const CLI::App* command = &program;
    for (const std::string& word : words) {
        const CLI::App* const next = find_command(*command, word);
        if (next == nullptr) {
            const std::string meant = did_you_mean(word, command_names(*command));
            throw UsageError("'" + full_name(*command) + "' has no command '" + word + "'" +
                             (meant.empty() ? "; try '" + program.get_name() + " help'" : meant));
        }
        command = next;
    }
    // Not command->help(), which would turn to the command that is running: this one.
    std::cout << command->get_formatter()->make_help(command, full_name(*command),
                                                     CLI::AppFormatMode::Normal);
}

}  // namespace

void add_help_command(CLI::App& program) {
    auto* command = program.add_subcommand("help", "Explain a command");
    auto words = std::make_shared<std::vector<std::string>>();
    command->add_option("COMMAND", *words, "The command, e.g. estimate, or moment add")
        ->type_name("");
    command->callback([&program, words] { print_help(program, *words); });
}

}  // namespace dpcov
