// Kinds of options that the commands share. A value that makes no sense is a UsageError which says
// what would.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "command_line/suggestions.hpp"
#include "dpcov/error.hpp"

namespace dpcov {

/// The number that `text` spells, finite and > 0. Throws UsageError naming `what`.
double parse_positive_number(const std::string& what, const std::string& text);

/// An option whose value is a finite number > 0.
CLI::Option* add_positive_number(CLI::App& command, const std::string& name,
                                 std::optional<double>& target, const std::string& help);

/// An option whose value is one of a few words.
template <class Enum>
CLI::Option* add_choice(CLI::App& command, const std::string& name, Enum& target,
                        std::vector<std::pair<std::string, Enum>> choices,
                        const std::string& help) {
    std::string words;
    for (const auto& [word, value] : choices) {
        words += (words.empty() ? "" : "|") + word;
    }
    return command
        .add_option_function<std::string>(
            name,
            [name, &target, choices = std::move(choices), words](const std::string& text) {
                for (const auto& [word, value] : choices) {
                    if (word == text) {
                        target = value;
                        return;
                    }
                }
                std::vector<std::string> names;
                for (const auto& choice : choices) {
                    names.push_back(choice.first);
                }
                throw UsageError(name + ": '" + text + "' is not one of " + words +
                                 did_you_mean(text, names));
            },
            help)
        ->type_name(words);
}

/// Makes `group` refuse to run without one of its commands, naming them.
void require_command(CLI::App& group);

/// How to run, whatever the command.
struct RunningArguments {
    unsigned threads = 1;
    bool quiet = false;
    bool progress = false;
};

/// Adds --threads, --quiet and --progress.
void add_running_options(CLI::App& command, RunningArguments& arguments);

}  // namespace dpcov
