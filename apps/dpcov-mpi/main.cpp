// dpcov-mpi: dpcov estimate, its rows read by all ranks of an MPI job. Ranks add up what they read;
// the sums are integers, so that they are the same for any number of ranks. Rank 0 alone charges
// the account, draws the noise and writes, when the others have nothing more to do.
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "command_line/run_program.hpp"
#include "dpcov/error.hpp"
#include "estimate.hpp"
#include "ranks.hpp"

namespace dpcov {
namespace {

struct SharedArguments {
    EstimateArguments estimate;
    std::vector<std::string> more;  ///< inputs behind the first

    /// Arguments of an estimate of each input alone.
    [[nodiscard]] std::vector<EstimateArguments> of_inputs() const {
        std::vector<EstimateArguments> all = {estimate};
        for (const std::string& input : more) {
            all.push_back(estimate);
            all.back().table.input = input;
        }
        return all;
    }
};

/// The sum of every size-th input, beginning with that of the own number.
std::optional<SecondMoment> read_share(const std::vector<EstimateArguments>& inputs,
                                       const Ranks& ranks) {
    std::optional<SecondMoment> sum;
    for (std::size_t i = ranks.rank(); i < inputs.size(); i += ranks.size()) {
        SecondMoment part = read_rows(inputs[i]);
        if (sum) {
            sum->merge(part);
        } else {
            sum = std::move(part);
        }
    }
    return sum;
}

void run_shared_estimate(const SharedArguments& arguments, Ranks& ranks) {
    std::vector<EstimateArguments> inputs = arguments.of_inputs();
    std::unique_ptr<Ledger> ledger;
    for (EstimateArguments& input : inputs) {
        if (input.table.input == "-") {
            throw UsageError("INPUT: ranks have no standard input in common; name files");
        }
        if (input.passes == 2) {
            throw UsageError("--passes 2: ranks read their rows once");
        }
        if (ranks.rank() == 0) {
            check_estimate(input);
        } else {
            input.running.progress = false;
            input.running.quiet = true;
        }
    }
    if (ranks.rank() == 0) {
        ledger = open_ledger(arguments.estimate);
    }
    ranks.agree();
    std::optional<SecondMoment> share = read_share(inputs, ranks);
    ranks.agree();
    const std::optional<SecondMoment> secret = ranks.sum(std::move(share));
    // Until here, a rank that fails or dies ends the job, and nothing was charged or drawn.
    ranks.leave();
    if (secret) {
        release_estimate(arguments.estimate, *secret, ledger.get());
    }
}

void add_shared_estimate_command(CLI::App& program, Ranks& ranks) {
    auto* command = program.add_subcommand(
        "estimate", "Release a private covariance matrix of a table in several files");
    auto arguments = std::make_shared<SharedArguments>();
    add_estimate_options(*command, arguments->estimate,
                         "The first part of the table, or a .moment file; as for 'dpcov "
                         "estimate'");
    command
        ->add_option("MORE", arguments->more,
                     "The other parts. Of R ranks, rank r reads every R-th part from\n"
                     "number r on")
        ->type_name("");
    command->footer(
        "Every rank is to see the files that it reads; rank 0 sees the ledger and the targets.\n\n"
        "Example:\n"
        "  mpirun -n 4 dpcov-mpi estimate part-*.npy --norm-bound 1 --rho 0.1 --output c.npy");
    command->callback([arguments, &ranks] { run_shared_estimate(*arguments, ranks); });
}

constexpr const char* footer =
    R"(Exit status: as of dpcov; that of the first rank that failed. What ranks send each other is as secret
as the rows, and not encrypted: the network between them is to be trusted with the rows.)";

/// What is printed stays here but on rank 0: of several ranks that fail alike one says so.
int run(int argc, char** argv) {
    Ranks all(argc, argv);
    std::ostringstream messages;
    std::streambuf* const errors = std::cerr.rdbuf();
    std::streambuf* const output = std::cout.rdbuf();
    if (all.rank() > 0) {
        std::cerr.rdbuf(messages.rdbuf());
        std::cout.rdbuf(messages.rdbuf());
    }
    int status =
        run_program(argc, argv,
                    {.name = "dpcov-mpi",
                     .description = "dpcov, its rows read by all ranks of an MPI job.\n",
                     .footer = footer},
                    {[&all](CLI::App& program) { add_shared_estimate_command(program, all); }});
    std::cerr.rdbuf(errors);
    std::cout.rdbuf(output);
    if (status != 0) {
        status = all.fail(status, all.rank() > 0 ? messages.str() : std::string());
    }
    return status;
}

}  // namespace
}  // namespace dpcov

int main(int argc, char** argv) {
    return dpcov::run(argc, argv);
}
