#include "command_line/command_tree.hpp"

namespace dpcov {

std::vector<std::string> command_names(const CLI::App& group) {
    std::vector<std::string> names;
    for (const CLI::App* command : group.get_subcommands({})) {
        names.push_back(command->get_name());
    }
    return names;
}

const CLI::App* find_command(const CLI::App& group, const std::string& name) {
    const auto found = group.get_subcommands(
        [&name](const CLI::App* command) { return command->get_name() == name; });
    return found.empty() ? nullptr : found.front();
}

const CLI::App& chosen_command(const CLI::App& program, const std::vector<std::string>& words) {
    const CLI::App* command = &program;
    for (const std::string& word : words) {
        const CLI::App* const next = find_command(*command, word);
        if (next == nullptr) {
            break;
        }
        command = next;
    }
    return *command;
}

std::string full_name(const CLI::App& command) {
    const CLI::App* group = command.get_parent();
    return (group == nullptr ? "" : full_name(*group) + " ") + command.get_name();
}

}  // namespace dpcov
