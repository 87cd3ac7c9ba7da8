// dpcov-mpi: dpcov estimate, its rows read by all ranks of an MPI job. Ranks add up what they read;
// the sums are integers, so that they are the same for any number of ranks. Rank 0 alone charges
// the account, draws the noise and writes, when the others have nothing more to do.
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "command_line/memory.hpp"
#include "command_line/run_program.hpp"
#include "dpcov/error.hpp"
#include "estimate.hpp"
#include "estimate_account.hpp"
#include "estimate_arguments.hpp"
#include "ranks.hpp"
#include "share.hpp"

namespace dpcov {
namespace {

struct SharedArguments {
    EstimateArguments estimate;
    std::vector<std::string> more;  ///< inputs behind the first

    [[nodiscard]] std::vector<std::string> inputs() const {
        std::vector<std::string> all = {estimate.table.input};
        all.insert(all.end(), more.begin(), more.end());
        return all;
    }
    [[nodiscard]] EstimateArguments of(const std::string& input) const {
        EstimateArguments one = estimate;
        one.table.input = input;
        return one;
    }
};

/// Everything that needs no data. Of several ranks the first says what is wrong.
void check(const SharedArguments& arguments) {
    if (!arguments.estimate.ledger.empty() && arguments.estimate.output == standard_stream_word) {
        throw UsageError(
            "--output FILE is required with --ledger: what mpirun makes of standard output cannot "
            "be tried before the budget is spent");
    }
    for (const std::string& input : arguments.inputs()) {
        refuse_standard_input(input);
        check_estimate(arguments.of(input));
    }
    refuse_inputs_that_come_twice(arguments.inputs());
}

/// Every size-th input, beginning with that of the own number.
Share open_share(const SharedArguments& arguments, const Ranks& ranks) {
    const std::vector<std::string> inputs = arguments.inputs();
    std::vector<EstimateArguments> own;
    for (std::size_t i = ranks.rank(); i < inputs.size(); i += ranks.size()) {
        refuse_standard_input(inputs[i]);
        own.push_back(arguments.of(inputs[i]));
        if (ranks.rank() > 0) {
            own.back().running.progress = false;
            own.back().running.quiet = true;
        }
    }
    return Share(std::move(own));
}

/// A layout on its way: the moment of no rows. Public.
std::string bytes_of(const std::optional<MomentLayout>& layout) {
    std::string bytes;
    if (layout) {
        SecondMoment(*layout).write([&bytes](std::string_view piece) { bytes += piece; });
    }
    return bytes;
}

/// Before any row is read: rank 0's inputs, whose layout has those bytes, and those of this rank
/// are parts of one table.
void check_layout(const Share& share, const std::string& layout, Ranks& ranks) {
    const std::string name = ranks.said_by_first(share.name());
    const std::string bytes = ranks.said_by_first(layout);
    if (!share.layout() || bytes.empty()) {  // pipes alone, here or there
        return;
    }
    std::size_t begin = 0;
    const SecondMoment first =
        SecondMoment::read(name, bytes.size(), [&](void* to, std::size_t count) {
            bytes.copy(static_cast<char*>(to), count, begin);
            begin += count;
        });
    require_same_layout(*share.layout(), share.name(), first.layout(), name);
}

void run_shared_estimate(const SharedArguments& arguments, Ranks& ranks) {
    std::unique_ptr<Ledger> ledger;
    if (ranks.rank() == 0) {
        check(arguments);
        ledger = open_ledger(arguments.estimate);
    }
    ranks.take_memory();
    ranks.agree();
    const Share share = open_share(arguments, ranks);
    const std::string layout = ranks.rank() == 0 ? bytes_of(share.layout()) : std::string();
    ranks.agree();
    check_layout(share, layout, ranks);
    ranks.agree();
    std::optional<SecondMoment> own = share.read();
    ranks.agree();
    std::optional<SecondMoment> secret = ranks.sum(std::move(own));
    ranks.agree();
    // Until here, a rank that fails or dies ends the job, and nothing was charged or drawn.
    ranks.leave();
    if (secret) {
        release_estimate(arguments.estimate, *std::move(secret), ledger.get());
    }
}

void add_shared_estimate_command(CLI::App& program, Ranks& ranks) {
    auto* command = program.add_subcommand(
        "estimate", "Release a private covariance matrix of a table in several files");
    auto arguments = std::make_shared<SharedArguments>();
    arguments->estimate.in_parts = true;
    add_estimate_options(*command, arguments->estimate,
                         "The first part of the table, or a .moment file; as for 'dpcov "
                         "estimate'");
    command
        ->add_option("MORE", arguments->more,
                     "The other parts, each person in one of them. Of R ranks, 0 to R - 1,\n"
                     "rank r reads parts r, r + R, ..., counted from 0; a part is read by\n"
                     "one rank")
        ->type_name("");
    command->footer(
        "Every rank is to see the files that it reads; rank 0 sees the ledger and the targets.\n\n"
        "Example:\n"
        "  mpirun -n 4 dpcov-mpi estimate part-*.npy --norm-bound 1 --rho 0.1 --output c.npy");
    command->callback([arguments, &ranks] {
        try {
            run_shared_estimate(*arguments, ranks);
        } catch (const AnotherRankFailed&) {
            // It says why, and fail() that it did.
        }
    });
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
    if (status != 0 || all.failed()) {
        status = all.fail(status, all.rank() > 0 ? messages.str() : std::string());
    }
    return status;
}

}  // namespace
}  // namespace dpcov

int main(int argc, char** argv) {
    return dpcov::leave(dpcov::run(argc, argv));
}
