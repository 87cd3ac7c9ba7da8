// dpcov estimate: reads a table, spends the budget once, writes a private covariance matrix.
#include <memory>
#include <utility>

#include "add_rows.hpp"
#include "commands.hpp"
#include "dpcov/ledger.hpp"
#include "dpcov/second_moment.hpp"
#include "estimate.hpp"
#include "estimate_account.hpp"
#include "estimate_arguments.hpp"
#include "estimate_input.hpp"

namespace dpcov {

void add_estimate_command(CLI::App& program) {
    auto* command =
        program.add_subcommand("estimate", "Release a private covariance matrix of a table");
    auto arguments = std::make_shared<EstimateArguments>();
    add_estimate_options(*command, *arguments,
                         "The table: .npy, .csv, .tsv, .svm, IDX (*-ubyte), each also as .gz; "
                         "- is standard input (CSV, or as --format says); or a .moment file "
                         "('dpcov moment')");
    command->footer(
        "The norm bound B limits what one person's row can do to the matrix; rho (or epsilon) says "
        "how well that is hidden: the noise grows with B^2 / sqrt(rho) and falls with the number "
        "of rows. Each run spends its budget anew: budgets of several releases of one table add "
        "up.\n\n"
        "Examples:\n"
        "  dpcov estimate people.csv --bounds bounds.csv --rho 0.1 \\\n"
        "      --output covariance.json\n"
        "  dpcov estimate people.csv --columns age,income --column-scale scales.csv \\\n"
        "      --norm-bound 1.5 --rho 0.1 --output covariance.npy \\\n"
        "      --record covariance.json\n"
        "  dpcov estimate people.csv --bounds bounds.csv --rho 0.1 --release people.npz \\\n"
        "      --output covariance.csv && dpcov derive people.npz correlation\n"
        "  dpcov estimate train-images-idx3-ubyte.gz --scale 255 --norm-bound 28 \\\n"
        "      --epsilon 1 --delta 1e-9 > covariance.csv\n"
        "\n"
        "Memory grows with the square of the number of columns, not with the number of rows; it is "
        "decided before the first row.\n\n"
        "Exit status: 0 done; 1 a defect of the program; 2 usage; 3 bad input data; 4 budget "
        "refused;\n"
        "5 a file or a device failed. On a failure nothing is written.");
    command->callback([arguments] {
        check_estimate(*arguments);
        const std::unique_ptr<Ledger> ledger = open_ledger(*arguments);
        SecondMoment secret = read_rows(*arguments);
        ReadAgain read_again;
        if (arguments->passes == 2) {
            read_again = [&arguments](SecondMoment& again, Progress& progress) {
                add_rows(*open_input(*arguments), again, arguments->running.threads, progress,
                         rows_shown(*arguments));
            };
        }
        release_estimate(*arguments, std::move(secret), ledger.get(), read_again);
    });
}

}  // namespace dpcov
