// dpcov methods: the catalogue of mechanisms.
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "dpcov/methods.hpp"
#include "report/json_values.hpp"

namespace dpcov {
namespace {

void print_table() {
    std::size_t name_width = 0;
    std::size_t summary_width = 0;
    for (const Method& method : methods()) {
        name_width = std::max(name_width, method.name.size());
        summary_width = std::max(summary_width, method.summary.size());
    }
    const auto line = [&](std::string_view name, std::string_view zcdp, std::string_view pure,
                          std::string_view summary, std::string_view source) {
        std::cout << fmt::format("{:<{}}  {:<4}  {:<4}  {:<{}}  {}\n", name, name_width, zcdp, pure,
                                 summary, summary_width, source);
    };
    line("name", "zCDP", "pure", "summary", "source");
    for (const Method& method : methods()) {
        line(method.name, method.zcdp ? "yes" : "-", method.pure_dp ? "yes" : "-", method.summary,
             method.source);
    }
}

void print_json() {
    detail::OrderedJson list = detail::OrderedJson::array();
    const auto both = {name_of(Neighbours::replace), name_of(Neighbours::add_remove)};
    for (const Method& method : methods()) {
        list.push_back({{"name", method.name},
                        {"zcdp", method.zcdp},
                        {"pure_dp", method.pure_dp},
                        {"neighbours", both},
                        {"needs_clip", method.needs_clip},
                        {"takes_full_norms", method.takes_full_norms},
                        {"takes_steps", method.takes_steps},
                        {"reads_twice", method.reads_twice},
                        {"has_intervals", method.has_intervals},
                        {"summary", method.summary},
                        {"source", method.source}});
    }
    std::cout << detail::json_text(list);
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
    command->callback([json] { *json ? print_json() : print_table(); });
}

}  // namespace dpcov
