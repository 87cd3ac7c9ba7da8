// dpcov: the command-line program.
#include "command_line/memory.hpp"
#include "command_line/run_program.hpp"
#include "command_line/standard_output.hpp"
#include "commands.hpp"

namespace {

constexpr const char* footer =
    R"(Examples:
  dpcov estimate people.csv --bounds bounds.csv --rho 0.1 \
      --output people.npy --record people.json
  dpcov methods
  dpcov help estimate

Exit status: 0 done; 1 a defect of the program; 2 usage; 3 bad input data; 4 budget refused;
5 a file or a device failed; 6 an audit refuted a privacy claim. Nothing but results goes to
standard output; on a failure nothing is written at an output path.)";

}  // namespace

int main(int argc, char** argv) {
    const dpcov::StandardOutput written_whole;
    return dpcov::leave(dpcov::run_program(
        argc, argv,
        {.name = "dpcov",
         .description = "dpcov releases covariance matrices under differential privacy.\n",
         .footer = footer},
        {dpcov::add_estimate_command, dpcov::add_derive_command, dpcov::add_methods_command,
         dpcov::add_moment_command, dpcov::add_ledger_command, dpcov::add_plan_command,
         dpcov::add_budget_command, dpcov::add_audit_command}));
}
