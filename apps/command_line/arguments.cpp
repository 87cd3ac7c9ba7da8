#include "command_line/arguments.hpp"

#include <sched.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "command_line/command_tree.hpp"
#include "dpcov/limits.hpp"
#include "text/joined.hpp"

namespace dpcov {
namespace {

// That this process may run on, which a scheduler of jobs or a container may have limited.
unsigned processors() {
    cpu_set_t allowed;
    if (::sched_getaffinity(0, sizeof allowed, &allowed) == 0) {
        return static_cast<unsigned>(CPU_COUNT(&allowed));
    }
    return std::max(1U, std::thread::hardware_concurrency());  // more than there is room for
}

}  // namespace

double parse_positive_number(const std::string& what, const std::string& text) {
    if (text.empty() || text.starts_with("--")) {
        throw UsageError(what + " has no value; it takes a number above 0");
    }
    double value = 0.0;
    const char* end = text.data() + text.size();
    // from_chars rounds correctly and knows no locale, so the same text is the same bound
    // everywhere.
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || stop != end || !std::isfinite(value) || !(value > 0.0)) {
        throw UsageError(what + ": '" + text + "' is not a finite number above 0");
    }
    return value;
}

CLI::Option* add_positive_number(CLI::App& command, const std::string& name,
                                 std::optional<double>& target, const std::string& help) {
    return command.add_option_function<std::string>(
        name,
        [name, &target](const std::string& text) { target = parse_positive_number(name, text); },
        help);
}

CLI::Option* add_method(CLI::App& command, std::string& target, const std::string& help) {
    return command
        .add_option_function<std::string>(
            "--method", [&target](const std::string& name) { target = asked_method(name).name; },
            help)
        ->type_name("M");
}

CLI::Validator whole_number(std::uint64_t least, std::uint64_t most) {
    const auto check = [least, most](const std::string& text) -> std::string {
        std::uint64_t value = 0;
        const char* const end = text.data() + text.size();
        const auto [rest, problem] = std::from_chars(text.data(), end, value);
        const bool octal = text.size() > 1 && text.front() == '0';
        if (problem == std::errc() && rest == end && !octal && value >= least && value <= most) {
            return "";
        }
        return "must be a whole number from " + std::to_string(least) + " to " +
               std::to_string(most) + ", not " + text;
    };
    return {check, "", "whole number"};
}

void require_command(CLI::App& program) {
    // CLI11's own check would come before the complaint about an unknown command; and the callback
    // of a group after that of its command, when all is done and nothing may fail any more.
    program.parse_complete_callback([&program] {
        const CLI::App* group = &program;
        while (!command_names(*group).empty()) {
            const std::vector<CLI::App*> chosen = group->get_subcommands();
            if (chosen.empty()) {
                throw UsageError("a command is missing; one of " +
                                 detail::joined(command_names(*group)));
            }
            group = chosen.front();
        }
    });
}

void add_running_options(CLI::App& command, RunningArguments& arguments) {
    const OptionsUnder title(command, "Running");
    arguments.threads = processors();
    command
        .add_option("--threads", arguments.threads,
                    "Threads to compute with; the result does not depend on it "
                    "(default: one for each processor that the process may run on)")
        ->option_text("N")  // without the check's own words
        ->check(whole_number(1, limits::threads));
    command.add_flag("--quiet", arguments.quiet,
                     "Write nothing but errors, and progress if asked for, to standard error");
    command.add_flag("--progress", arguments.progress,
                     "Show progress on standard error (default: on a terminal, unless --quiet)");
}

}  // namespace dpcov
