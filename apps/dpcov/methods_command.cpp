// dpcov methods: the catalogue of mechanisms.
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>

#include "commands.hpp"
#include "dpcov/methods.hpp"
#include "report/methods_json.hpp"

namespace dpcov {
namespace {

std::string methods_table() {
    std::size_t name_width = 0;
    std::size_t summary_width = 0;
    for (const Method& method : methods()) {
        name_width = std::max(name_width, method.name.size());
        summary_width = std::max(summary_width, method.summary.size());
    }
    const auto line = [&](std::string_view name, std::string_view zcdp, std::string_view pure,
                          std::string_view summary, std::string_view source) {
        return fmt::format("{:<{}}  {:<4}  {:<4}  {:<{}}  {}\n", name, name_width, zcdp, pure,
                           summary, summary_width, source);
    };
    std::string table = line("name", "zCDP", "pure", "summary", "source");
    for (const Method& method : methods()) {
        table += line(method.name, method.zcdp ? "yes" : "-", method.pure_dp ? "yes" : "-",
                      method.summary, method.source);
    }
    return table;
}

}  // namespace

void add_methods_command(CLI::App& program) {
    auto* command = program.add_subcommand(
        "methods", "List the mechanisms and the definitions that each meets");
    auto json = std::make_shared<bool>(false);
    command->add_flag("--json", *json, "As a JSON array of objects");
    command->footer(
        "A method that meets zCDP serves --rho and --epsilon with --delta; one that meets pure DP "
        "serves --epsilon alone. Every method serves both --neighbours replace and add-remove.\n\n"
        "Example:\n"
        "  dpcov methods --json");
    command->callback([json] { std::cout << (*json ? detail::methods_json() : methods_table()); });
}

}  // namespace dpcov
