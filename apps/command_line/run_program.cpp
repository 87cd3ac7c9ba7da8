#include "command_line/run_program.hpp"

#include <fcntl.h>
#include <sodium.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "arithmetic/blas_kernels.hpp"
#include "arithmetic/blas_threads.hpp"
#include "command_line/arguments.hpp"
#include "command_line/command_tree.hpp"
#include "command_line/exit_status.hpp"
#include "command_line/help_command.hpp"
#include "command_line/help_format.hpp"
#include "command_line/memory.hpp"
#include "command_line/parse_errors.hpp"
#include "command_line/remedies.hpp"
#include "dpcov/error.hpp"
#include "dpcov/version.hpp"
#include "text/in_quotes.hpp"

namespace dpcov {
namespace {

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

int fail(const std::string& command, ExitStatus status, std::string_view message) {
    // Words of the command line and names of files come as they are; no terminal obeys them.
    const std::string shown = printable(message);
    std::cerr << command << ": " << shown << '\n';
    if (status == status_usage) {
        std::cerr << "Try '" << command << " --help'.\n";
    }
    return status;
}

// As messages call it, for when there may be no memory to make one.
std::string running_command;

/// Of the exception that is handled, if any, which nobody foresaw: what is said, and the exit
/// status. Takes no memory, of which there may be none left.
int fail_unforeseen() noexcept {
    try {
        if (std::current_exception() != nullptr) {
            throw;
        }
    } catch (const std::bad_alloc&) {
        std::fprintf(stderr,
                     "%s: out of memory. What columns take grows with the square of their number: "
                     "take fewer, or use a larger machine.\n",
                     running_command.c_str());
        return status_device_failed;
    } catch (...) {
        // Its text is not shown: it could depend on a record.
    }
    std::fprintf(stderr, "%s: a defect of the program; please report it with the command line\n",
                 running_command.c_str());
    return status_defect;
}

/// Where an exception cannot be passed on: from a destructor that takes memory, as that of JSON
/// does, or through a library in C.
[[noreturn]] void end_at_once() {
    std::_Exit(fail_unforeseen());
}

[[noreturn]] void end_without_random_numbers() {
    std::fprintf(stderr, "%s: the system gives no random numbers\n", running_command.c_str());
    std::_Exit(status_device_failed);
}

/// What would else end it by SIGABRT.
void end_with_a_message(const char* program) {
    running_command = program;
    std::set_terminate(end_at_once);
    sodium_set_misuse_handler(end_without_random_numbers);
}

int run(CLI::App& program, int argc, const char* const* argv) {
    const std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
    const std::string command = full_name(chosen_command(program, words));
    running_command = command;
    try {
        refuse_empty_values(words);
        program.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() != 0) {
            return fail(command, status_usage, explain(error, program, words));
        }
        if (const std::string problem = unknown_word(program, words); !problem.empty()) {
            return fail(command, status_usage, problem);
        }
        program.exit(error);  // --help and --version
    } catch (const UndeclaredError& error) {
        return fail(command, status_usage, with_remedy(error));
    } catch (const UsageError& error) {
        return fail(command, status_usage, error.what());
    } catch (const DataError& error) {
        return fail(command, status_bad_data, with_remedy(error));
    } catch (const BudgetError& error) {
        return fail(command, status_budget_refused, error.what());
    } catch (const DeviceError& error) {
        return fail(command, status_device_failed, error.what());
    } catch (const ClaimRefuted& refuted) {
        std::cout.flush();
        return fail(command, status_claim_refuted, refuted.what());
    } catch (const std::system_error& error) {
        const bool no_thread = error.code() == std::errc::resource_unavailable_try_again;
        return fail(command, status_device_failed,
                    std::string(error.what()) +
                        (no_thread ? ": no thread could be started; take fewer with --threads, or "
                                     "raise the limit on them (ulimit -u, or the container's)"
                                   : ""));
    }
    if (!std::cout.flush()) {
        return fail(command, status_device_failed, "cannot write to standard output");
    }
    return status_done;
}

}  // namespace

int run_program(int argc, char** argv, const ProgramText& text,
                const std::vector<AddCommand>& commands) {
    occupy_closed_streams();
    if (!memory_to_start()) {
        std::fprintf(stderr, "%s: too little memory to start; raise the limit\n", text.name);
        return status_device_failed;
    }
    end_with_a_message(text.name);
    detail::choose_kernels();
    detail::have_idle_blas_threads_sleep();
    // A reader of our output that goes away, and a limit on file sizes, are failed writes and
    // reported like any other; the default would end the program with files left behind.
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
    try {
        CLI::App program{text.description, text.name};
        program.formatter(std::make_shared<HelpFormat>());
        program.set_version_flag("--version", std::string(text.name) + " " + std::string(version()),
                                 "Print the version and leave");
        program.set_help_flag("-h,--help", "Print this help and leave");
        program.footer(text.footer);
        program.require_subcommand(0, 1);
        require_command(program);
        for (const AddCommand& add : commands) {
            add(program);
        }
        add_help_command(program);
        return run(program, argc, argv);
    } catch (...) {
        return fail_unforeseen();
    }
}

}  // namespace dpcov
