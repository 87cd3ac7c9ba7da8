// Kinds of options that the commands share. A value that makes no sense is a UsageError which says
// what would.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "command_line/suggestions.hpp"
#include "dpcov/error.hpp"
#include "dpcov/words.hpp"

namespace dpcov {

/// As long as it lives, options that are added to the command stand under that title in its help.
class OptionsUnder {
public:
    OptionsUnder(CLI::App& command, const std::string& title)
        : command_(command), before_(command.option_defaults()->get_group()) {
        command_.option_defaults()->group(title);
    }
    // NOLINTNEXTLINE(bugprone-exception-escape): a program without memory for a title may end.
    ~OptionsUnder() { command_.option_defaults()->group(before_); }
    OptionsUnder(const OptionsUnder&) = delete;
    OptionsUnder& operator=(const OptionsUnder&) = delete;

private:
    CLI::App& command_;
    std::string before_;
};

/// The number that `text` spells, finite and > 0. Throws UsageError naming `what`.
double parse_positive_number(const std::string& what, const std::string& text);

/// An option whose value is a finite number > 0.
CLI::Option* add_positive_number(CLI::App& command, const std::string& name,
                                 std::optional<double>& target, const std::string& help);

/// --method, whose value is the name of one that there is.
CLI::Option* add_method(CLI::App& command, std::string& target, const std::string& help);

/// A check of an option's value: a whole number in digits alone, from `least` to `most`, and
/// nothing that a conversion would take for one (-1, 010, 1e6).
[[nodiscard]] CLI::Validator whole_number(
    std::uint64_t least = 0, std::uint64_t most = std::numeric_limits<std::uint64_t>::max());

/// "a|b|c", as --help shows the words that there are to choose from.
template <class Enum, std::size_t Count>
[[nodiscard]] std::string choices_of(const Words<Enum, Count>& words) {
    std::string choices;
    for (const NamedValue<Enum>& word : words) {
        choices += (choices.empty() ? "" : "|") + std::string(word.text);
    }
    return choices;
}

/// The value of the word that the option was given. Throws UsageError with all there are.
template <class Enum, std::size_t Count>
[[nodiscard]] Enum parse_choice(const std::string& option, const std::string& text,
                                const Words<Enum, Count>& words) {
    if (const std::optional<Enum> value = value_of(words, text)) {
        return *value;
    }
    std::vector<std::string> names;
    for (const NamedValue<Enum>& word : words) {
        names.emplace_back(word.text);
    }
    throw UsageError(option + ": '" + text + "' is not one of " + choices_of(words) +
                     did_you_mean(text, names));
}

/// An option whose value is one of a few words. `target` may be an optional.
template <class Target, class Enum, std::size_t Count>
CLI::Option* add_choice(CLI::App& command, const std::string& name, Target& target,
                        const Words<Enum, Count>& words, const std::string& help) {
    return command
        .add_option_function<std::string>(
            name,
            [name, &target, words](const std::string& text) {
                target = parse_choice(name, text, words);
            },
            help)
        ->type_name(choices_of(words));
}

/// Makes the program refuse to run without a command, or without one of a group's, naming them.
void require_command(CLI::App& program);

/// How to run, whatever the command.
struct RunningArguments {
    unsigned threads = 1;
    bool quiet = false;
    bool progress = false;
};

/// Adds --threads, --quiet and --progress.
void add_running_options(CLI::App& command, RunningArguments& arguments);

}  // namespace dpcov
