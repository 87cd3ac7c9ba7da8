#include "charge_note.hpp"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <exception>
#include <string_view>

#include "text/in_quotes.hpp"

namespace dpcov {
namespace {

// What the handlers read; written before they are set. Never destroyed: a signal may come at exit.
struct Notes {
    std::string perhaps;
    std::string certain;
};
const Notes* the_notes = nullptr;
std::atomic<bool> charged = false;
static_assert(std::atomic<bool>::is_always_lock_free, "a handler may wait for no lock");

std::terminate_handler terminate_before = nullptr;

void tell(std::string_view text) noexcept {
    static_cast<void>(!::write(STDERR_FILENO, text.data(), text.size()));
}

// Progress may stand on the line.
void tell_on_a_new_line() noexcept {
    tell("\n");
    tell(charged ? the_notes->certain : the_notes->perhaps);
}

// The default is back by then (SA_RESETHAND), and ends the process when this returns.
void tell_and_end(int signal) {
    tell_on_a_new_line();
    static_cast<void>(::raise(signal));
}

void tell_and_terminate() {
    tell_on_a_new_line();
    terminate_before();
}

}  // namespace

void note_charge_on_sudden_end(const std::string& dataset) {
    if (the_notes != nullptr) {
        return;
    }
    const std::string name = in_quotes(dataset);
    the_notes = new Notes{
        "note: " + name + " may have been charged for this release ('dpcov ledger show')\n",
        "note: " + name + " was charged for this release, and stays charged\n"};
    terminate_before = std::set_terminate(tell_and_terminate);
    struct sigaction action {};
    action.sa_handler = tell_and_end;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    for (const int signal : {SIGHUP, SIGINT, SIGTERM}) {
        struct sigaction before {};
        if (::sigaction(signal, nullptr, &before) == 0 && before.sa_handler == SIG_DFL) {
            ::sigaction(signal, &action, nullptr);
        }
    }
}

void note_that_it_was_charged() noexcept {
    charged = true;
}

void tell_if_it_was_charged() noexcept {
    if (charged) {
        tell(the_notes->certain);
    }
}

}  // namespace dpcov
