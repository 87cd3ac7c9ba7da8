#include "command_line/parse_errors.hpp"

#include <algorithm>
#include <string_view>

#include "command_line/command_tree.hpp"
#include "command_line/suggestions.hpp"
#include "dpcov/error.hpp"
#include "text/joined.hpp"

namespace dpcov {
namespace {

bool is_option(std::string_view word) {
    return word.size() > 1 && word.front() == '-' && word != "--";
}

/// "norm-bound" of "--norm-bound=4".
std::string bare_option(const std::string& word) {
    const std::size_t start = word.find_first_not_of('-');
    return start == std::string::npos ? "" : word.substr(start, word.find('=') - start);
}

std::string behind_the_options(const std::string& word) {
    return "'" + word + "' stands behind --, which ends the options; put it before";
}

std::string unknown_command(const CLI::App& group, const std::string& word) {
    const std::vector<std::string> names = command_names(group);
    if (std::find(names.begin(), names.end(), word) != names.end()) {
        return behind_the_options(word);
    }
    const std::string meant = did_you_mean(word, names);
    return "there is no command '" + word + "'" +
           (meant.empty() ? "; there are " : meant + " There are ") + detail::joined(names);
}

std::string unknown_option(const CLI::App& command, const std::string& word) {
    std::vector<std::string> names;
    for (const CLI::Option* option : command.get_options()) {
        for (const std::string& name : option->get_lnames()) {
            names.push_back(name);
        }
    }
    const std::string wanted = bare_option(word);
    if (word == "--" + wanted && std::find(names.begin(), names.end(), wanted) != names.end()) {
        return behind_the_options(word);
    }
    std::string meant = did_you_mean(wanted, names);
    constexpr std::string_view before_name = "; did you mean ";
    if (!meant.empty()) {
        meant.insert(before_name.size(), "--");
    }
    // Of "--out", whatever else may be near: the shortest that begins so.
    std::string longer;
    for (const std::string& name : names) {
        if (!wanted.empty() && name.starts_with(wanted) &&
            (longer.empty() || name.size() < longer.size())) {
            longer = name;
        }
    }
    if (!longer.empty()) {
        meant = std::string(before_name) + "--" + longer + "?";
    }
    return "there is no option '" + word.substr(0, word.find('=')) + "'" + meant;
}

/// Of an option whose values are not as many as they should be: "--rho: 1 required R missing".
std::string wrong_number_of_values(const CLI::ArgumentMismatch& error,
                                   const std::vector<std::string>& words) {
    const std::string said = error.what();
    const std::string option = said.substr(0, said.find(':'));
    if (option.empty() || option.front() != '-') {
        return error.what();
    }
    const auto times = std::count_if(words.begin(), words.end(), [&](const std::string& word) {
        return word.substr(0, word.find('=')) == option;
    });
    return option + (times > 1 ? " is given more than once" : " has no value");
}

/// Of a word that is missing, what it is: "INPUT is required. The table ...".
std::string missing_word(const CLI::RequiredError& error, const CLI::App& command) {
    std::string said = error.what();
    const CLI::Option* missing = command.get_option_no_throw(said.substr(0, said.find(' ')));
    return missing == nullptr ? said : said + ". " + missing->get_description();
}

}  // namespace

std::string unknown_word(const CLI::App& program, const std::vector<std::string>& words) {
    const CLI::App& command = chosen_command(program, words);
    std::size_t commands = 0;  // that lead there
    for (const CLI::App* at = &command; at != &program; at = at->get_parent()) {
        ++commands;
    }
    return !command_names(command).empty() && commands < words.size() &&
                   !is_option(words[commands]) && words[commands] != "--"
               ? unknown_command(command, words[commands])
               : "";
}

void refuse_empty_values(const std::vector<std::string>& words) {
    bool options = true;
    std::string before;
    for (const std::string& word : words) {
        if (word.empty() && options && before.starts_with("-")) {
            throw UsageError(before + " has no value: it is an empty word");
        }
        if (word.empty()) {
            throw UsageError("a word of the command line is empty; is a variable not set?");
        }
        options = options && word != "--";
        if (options && word.starts_with("--") && word.find('=') == word.size() - 1) {
            throw UsageError(word.substr(0, word.size() - 1) + " has no value");
        }
        before = word;
    }
}

std::string explain(const CLI::ParseError& error, const CLI::App& program,
                    const std::vector<std::string>& words) {
    const CLI::App& command = chosen_command(program, words);
    const std::vector<std::string> left = program.remaining(true);
    // The parser does not keep their order.
    const auto first_left = [&](auto wanted) {
        return std::find_if(words.begin(), words.end(), [&](const std::string& word) {
            return wanted(word) && std::find(left.begin(), left.end(), word) != left.end();
        });
    };
    if (!command_names(command).empty()) {
        const auto word =
            first_left([](const std::string& w) { return !is_option(w) && w != "--"; });
        if (word != words.end()) {
            return unknown_command(command, *word);
        }
    }
    const auto option = first_left([](const std::string& w) { return is_option(w); });
    if (option != words.end()) {
        return unknown_option(command, *option);
    }
    if (const auto* mismatch = dynamic_cast<const CLI::ArgumentMismatch*>(&error)) {
        return wrong_number_of_values(*mismatch, words);
    }
    if (!left.empty()) {
        return "'" + left.front() + "' is one word too many; an option's value follows its option";
    }
    if (const auto* missing = dynamic_cast<const CLI::RequiredError*>(&error)) {
        return missing_word(*missing, command);
    }
    return error.what();
}

}  // namespace dpcov
