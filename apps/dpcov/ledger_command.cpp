// dpcov ledger: what has been spent on a data set, and what is left.
#include "commands.hpp"

namespace dpcov {

void add_ledger_command(CLI::App& program) {
    auto* command = program.add_subcommand(
        "ledger", "Keep account of what the releases of a data set spend together");
    command->require_subcommand(0, 1);  // one; that one is missing is told later
    command->footer(
        "'dpcov estimate --ledger FILE --dataset NAME' charges the release before its first noise "
        "is drawn and refuses, with exit status 4, what the declared total does not cover. A crash "
        "after that leaves the charge: budget may be lost, privacy is not. Several processes may "
        "use one ledger. It is an SQLite file that only grows.\n\n"
        "Example:\n"
        "  dpcov ledger init budget.ledger --dataset survey-2025 --rho 0.5\n"
        "  dpcov estimate survey.csv --header yes --norm-bound 4 --rho 0.1 \\\n"
        "      --ledger budget.ledger --dataset survey-2025 --output covariance.npy\n"
        "  dpcov ledger show budget.ledger");
    add_ledger_init_command(*command);
    add_ledger_show_command(*command);
    add_ledger_export_command(*command);
}

}  // namespace dpcov
