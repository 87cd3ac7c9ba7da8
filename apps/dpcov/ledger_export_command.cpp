// dpcov ledger export: every charge, as CSV.
#include <fmt/format.h>

#include <iostream>
#include <memory>
#include <string>
#include <variant>

#include "commands.hpp"
#include "dpcov/ledger.hpp"
#include "ledger_path.hpp"
#include "text/csv_field.hpp"

namespace dpcov {
namespace {

struct LedgerExportArguments {
    std::string path;
    std::string dataset;
};

void run_ledger_export(const LedgerExportArguments& arguments) {
    require_ledger(arguments.path);
    const Ledger ledger(arguments.path);
    if (!arguments.dataset.empty()) {
        static_cast<void>(ledger.statement(arguments.dataset));  // an unknown name is an error
    }
    std::string lines = "id,dataset,charged_at,rho,epsilon,method,variant,curve\n";
    for (const LedgerCharge& charge : ledger.charges(arguments.dataset)) {
        const auto* rho = std::get_if<Rho>(&charge.spent);
        const auto* epsilon = std::get_if<Epsilon>(&charge.spent);
        lines +=
            fmt::format("{},{},{},{},{},{},{},{}\n", charge.number,
                        detail::csv_field(charge.dataset), detail::csv_field(charge.charged_at),
                        rho != nullptr ? fmt::format("{}", rho->value()) : "",
                        epsilon != nullptr ? fmt::format("{}", epsilon->value()) : "",
                        detail::csv_field(charge.method), detail::csv_field(charge.variant),
                        rho != nullptr ? name_of(charge.curve) : "");
    }
    std::cout << lines;
}

}  // namespace

void add_ledger_export_command(CLI::App& group) {
    auto* command = group.add_subcommand("export", "Print every charge, as CSV");
    auto arguments = std::make_shared<LedgerExportArguments>();
    add_ledger_path(*command, arguments->path);
    command->add_option("--dataset", arguments->dataset, "Only this one")->type_name("NAME");
    command->footer(
        "Example:\n"
        "  dpcov ledger export budget.ledger > charges.csv");
    command->callback([arguments] { run_ledger_export(*arguments); });
}

}  // namespace dpcov
