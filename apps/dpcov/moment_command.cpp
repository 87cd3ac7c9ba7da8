// dpcov moment: the secret, mergeable state between reading and releasing.
#include "commands.hpp"

namespace dpcov {

void add_moment_command(CLI::App& program) {
    auto* command = program.add_subcommand(
        "moment", "Build and merge the secret sums that an estimate is released from");
    command->require_subcommand(0, 1);  // one; that one is missing is told later
    command->footer(
        "A .moment file holds exact, un-noised sums over the rows: it is as SECRET as the table. "
        "The sums are integers, so any split of the rows over files and machines gives the same "
        "estimate, bit for bit.\n\n"
        "Example:\n"
        "  dpcov moment add monday.csv --header yes --into week.moment --norm-bound 4\n"
        "  dpcov moment add tuesday.csv --header yes --into week.moment\n"
        "  dpcov estimate week.moment --method separate --rho 0.1 --output covariance.npy");
    add_moment_add_command(*command);
    add_moment_merge_command(*command);
    add_moment_show_command(*command);
}

}  // namespace dpcov
