// dpcov: the command-line program. Parsing runs the chosen command; an exception becomes a message
// on standard error and an exit status.
#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <iostream>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "arguments.hpp"
#include "commands.hpp"
#include "dpcov/error.hpp"
#include "dpcov/methods.hpp"
#include "exit_status.hpp"
#include "memory.hpp"
#include "parse_errors.hpp"
#include "remedies.hpp"

namespace {

constexpr std::string_view description =
    "dpcov releases covariance matrices under differential privacy.\n";

constexpr std::string_view footer =
    R"(Examples:
  dpcov estimate people.csv --norm-bound 4 --rho 0.1 --output people.npy --record people.json
  dpcov methods
  dpcov help estimate

Exit status: 0 done; 1 a defect of the program; 2 usage; 3 bad input data; 4 budget refused;
5 a file or a device failed; 6 an audit refuted a privacy claim. Nothing but results goes to
standard output; on a failure nothing is written at an output path.)";

/// A stream that was closed would be the next file to be opened: what is meant for it would then
/// be written there. Opened the wrong way round, it fails as a closed one does.
void occupy_closed_streams() {
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (::fcntl(stream, F_GETFD) < 0) {
            // The lowest free descriptor is this one.
            static_cast<void>(::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY));
        }
    }
}

int fail(const std::string& command, dpcov::ExitStatus status, std::string_view message) {
    std::cerr << command << ": " << message << '\n';
    if (status == dpcov::status_usage) {
        std::cerr << "Try '" << command << " --help'.\n";
    }
    return status;
}

int run(CLI::App& program, int argc, const char* const* argv) {
    const std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
    const std::string command = dpcov::full_name(dpcov::chosen_command(program, words));
    try {
        dpcov::refuse_empty_values(words);
        program.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() != 0) {
            return fail(command, dpcov::status_usage, dpcov::explain(error, program, words));
        }
        program.exit(error);  // --help and --version
    } catch (const dpcov::UndeclaredError& error) {
        return fail(command, dpcov::status_usage, dpcov::with_remedy(error));
    } catch (const dpcov::UsageError& error) {
        return fail(command, dpcov::status_usage, error.what());
    } catch (const dpcov::DataError& error) {
        return fail(command, dpcov::status_bad_data, dpcov::with_remedy(error));
    } catch (const dpcov::BudgetError& error) {
        return fail(command, dpcov::status_budget_refused, error.what());
    } catch (const dpcov::DeviceError& error) {
        return fail(command, dpcov::status_device_failed, error.what());
    } catch (const dpcov::ClaimRefuted& refuted) {
        std::cout.flush();
        return fail(command, dpcov::status_claim_refuted, refuted.what());
    } catch (const std::bad_alloc&) {
        return fail(command, dpcov::status_device_failed,
                    "out of memory. Memory grows with the square of the number of columns: take "
                    "fewer with --columns, or use a larger machine.");
    } catch (const std::system_error& error) {
        return fail(command, dpcov::status_device_failed, error.what());
    }
    if (!std::cout.flush()) {
        return fail(command, dpcov::status_device_failed, "cannot write to standard output");
    }
    return dpcov::status_done;
}

}  // namespace

int main(int argc, char** argv) {
    occupy_closed_streams();
    if (!dpcov::memory_to_start()) {
        std::fputs("dpcov: too little memory to start; raise the limit\n", stderr);
        return dpcov::leave(dpcov::status_device_failed);
    }
    // A reader of our output that goes away, and a limit on file sizes, are failed writes and
    // reported like any other; the default would end the program with files left behind.
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
    try {
        CLI::App program{std::string(description), "dpcov"};
        program.set_version_flag("--version", "dpcov " + std::string(dpcov::version()),
                                 "Print the version and leave");
        program.set_help_flag("-h,--help", "Print this help and leave");
        program.get_formatter()->column_width(28);
        program.footer(std::string(footer));
        dpcov::require_command(program);
        dpcov::add_estimate_command(program);
        dpcov::add_methods_command(program);
        dpcov::add_moment_command(program);
        dpcov::add_experiment_command(program);
        dpcov::add_ledger_command(program);
        dpcov::add_audit_command(program);
        dpcov::add_help_command(program);
        return dpcov::leave(run(program, argc, argv));
    } catch (...) {
        // The text of an unforeseen exception is not shown: it could depend on a record.
        std::fputs("dpcov: a defect of the program; please report it with the command line\n",
                   stderr);
        return dpcov::leave(dpcov::status_defect);
    }
}
