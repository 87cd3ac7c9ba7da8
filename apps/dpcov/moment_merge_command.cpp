// dpcov moment merge: .moment files put together into one.
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "commands.hpp"
#include "dpcov/error.hpp"
#include "dpcov/second_moment.hpp"
#include "files/folder_lock.hpp"
#include "moment_files.hpp"
#include "targets.hpp"

namespace dpcov {
namespace {

struct MomentMergeArguments {
    std::vector<std::string> inputs;
    std::string into;
};

void run_moment_merge(const MomentMergeArguments& arguments) {
    require_moment_path("--into", arguments.into);
    check_target(arguments.into);
    const FolderLock alone(arguments.into);  // the target may be one of the inputs
    SecondMoment secret = SecondMoment::load(arguments.inputs.front());
    for (std::size_t i = 1; i < arguments.inputs.size(); ++i) {
        const SecondMoment other = SecondMoment::load(arguments.inputs[i]);
        if (const std::string what = difference(other.layout(), secret.layout()); !what.empty()) {
            throw UsageError(arguments.inputs[i] + " cannot be merged with " +
                             arguments.inputs.front() + ": it " + what +
                             " ('dpcov moment show' tells more)");
        }
        try {
            secret.merge(other);
        } catch (const UsageError& error) {
            throw UsageError(arguments.inputs[i] + ": " + error.what());
        }
    }
    save_at_last(secret, arguments.into);
}

}  // namespace

void add_moment_merge_command(CLI::App& group) {
    auto* command =
        group.add_subcommand("merge", "Put .moment files of the same layout together into one");
    auto arguments = std::make_shared<MomentMergeArguments>();
    command->add_option("INPUTS", arguments->inputs, "The .moment files; the order does not matter")
        ->required()
        ->type_name("");
    command
        ->add_option("--into", arguments->into,
                     "The file to write, replaced as a whole; may be one of the "
                     "inputs. SECRET")
        ->required()
        ->type_name("FILE.moment");
    command->footer(
        "Example:\n"
        "  dpcov moment merge north.moment south.moment --into country.moment");
    command->callback([arguments] { run_moment_merge(*arguments); });
}

}  // namespace dpcov
