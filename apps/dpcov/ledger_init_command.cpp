// dpcov ledger init: what all releases of a data set together may spend.
#include <cstdint>
#include <memory>
#include <string>

#include "commands.hpp"
#include "dpcov/ledger.hpp"
#include "ledger_path.hpp"
#include "privacy_arguments.hpp"

namespace dpcov {
namespace {

struct LedgerInitArguments {
    std::string path;
    std::string dataset;
    PrivacyArguments privacy;
    std::uint32_t rows_per_person = 1;
};

void run_ledger_init(const LedgerInitArguments& arguments) {
    const Definition total = asked_definition(arguments.privacy);
    // Before there is a file.
    Ledger::check_declaration(arguments.dataset, total, arguments.rows_per_person);
    Ledger ledger(arguments.path, Ledger::IfMissing::create);
    ledger.declare(arguments.dataset, total, arguments.privacy.neighbours,
                   arguments.rows_per_person);
}

}  // namespace

void add_ledger_init_command(CLI::App& group) {
    auto* command = group.add_subcommand(
        "init", "Declare the most that all releases of a data set together may spend");
    auto arguments = std::make_shared<LedgerInitArguments>();
    add_ledger_path(*command, arguments->path);
    command
        ->add_option("--dataset", arguments->dataset,
                     "The data set's name: public, and the same in every release of it")
        ->required()
        ->type_name("NAME");
    add_privacy_options(*command, arguments->privacy);
    add_rows_per_person(*command, arguments->rows_per_person,
                        "One person may have up to K rows: the total is for the whole person, "
                        "and pays for releases with the same K alone.");
    command->footer(
        "The file is made if it does not exist, and holds as many data sets as you like. A "
        "declared total is not changed afterwards: it is a promise to the people in the table.\n\n"
        "Example:\n"
        "  dpcov ledger init budget.ledger --dataset survey-2025 --epsilon 3 --delta 1e-8");
    command->callback([arguments] { run_ledger_init(*arguments); });
}

}  // namespace dpcov
