#include "charge_note.hpp"

#include <unistd.h>

#include <atomic>
#include <csignal>

#include "text/in_quotes.hpp"

namespace dpcov {
namespace {

// What the handler reads; written before it is set. Never destroyed: a signal may come at exit.
struct Notes {
    std::string perhaps;
    std::string certain;
};
const Notes* the_notes = nullptr;
std::atomic<bool> charged = false;
static_assert(std::atomic<bool>::is_always_lock_free, "a handler may wait for no lock");

// The default is back by then (SA_RESETHAND), and ends the process when this returns.
void tell_and_end(int signal) {
    const std::string& note = charged ? the_notes->certain : the_notes->perhaps;
    static_cast<void>(!::write(STDERR_FILENO, note.data(), note.size()));
    static_cast<void>(::raise(signal));
}

}  // namespace

std::string charge_note(const std::string& dataset) {
    return "note: " + in_quotes(dataset) + " was charged for this release, and stays charged\n";
}

void note_charge_on_signals(const std::string& dataset) {
    if (the_notes != nullptr) {
        return;
    }
    the_notes = new Notes{"\nnote: " + in_quotes(dataset) +
                              " may have been charged for this release ('dpcov ledger show')\n",
                          '\n' + charge_note(dataset)};
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

}  // namespace dpcov
