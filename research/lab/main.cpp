// dpcov-lab: the figures of the paper, and what the project's own choices rest on, measured again.
#include "command_line/memory.hpp"
#include "command_line/run_program.hpp"
#include "research/lab/commands.hpp"

namespace {

constexpr const char* footer =
    R"(Noise is seeded and data are public: nothing here is private, and every result is the same
each time, but for running times.

Examples:
  dpcov-lab experiment list
  dpcov-lab experiment fig2b --out results
  dpcov-lab ablation --runs 10 > ablation.csv)";

}  // namespace

int main(int argc, char** argv) {
    using namespace dpcov::research;
    return dpcov::leave(dpcov::run_program(
        argc, argv,
        {.name = "dpcov-lab",
         .description = "dpcov-lab measures what dpcov's mechanisms err by.\n",
         .footer = footer},
        {add_experiment_command, add_ablation_command, add_estimated_error_command,
         add_oracle_command, add_examples_command, add_stress_command, add_tuning_command,
         add_levels_command, add_partition_command, add_regression_command, add_coverage_command,
         add_components_command, add_plan_command}));
}
