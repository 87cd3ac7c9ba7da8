#include "files/deferred_signals.hpp"

#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <stdexcept>

namespace dpcov {
namespace {

// Whichever thread the handler runs on, another one may read this.
std::atomic<int> deferred = 0;
static_assert(std::atomic<int>::is_always_lock_free, "a handler may wait for no lock");

std::atomic<bool> in_use = false;

void defer(int signal) {
    deferred = signal;
}

void end_well(int /*signal*/) {
    ::_exit(0);
}

}  // namespace

DeferredSignals::DeferredSignals() {
    // It would take the first one's handler for what was there before.
    if (in_use.exchange(true)) {
        throw std::logic_error("DeferredSignals: there is one already");
    }
    deferred = 0;
    struct sigaction action {};
    action.sa_handler = defer;
    for (std::size_t i = 0; i < signals.size(); ++i) {
        ::sigaction(signals.at(i), nullptr, &before_.at(i));
        if (before_.at(i).sa_handler != SIG_IGN) {
            ::sigaction(signals.at(i), &action, nullptr);
        }
    }
}

DeferredSignals::~DeferredSignals() {
    for (std::size_t i = 0; i < signals.size(); ++i) {
        ::sigaction(signals.at(i), &before_.at(i), nullptr);
    }
    const int came = deferred;
    in_use = false;
    if (came != 0) {
        static_cast<void>(::raise(came));
    }
}

void DeferredSignals::end_well_from_now_on() {
    struct sigaction action {};
    action.sa_handler = end_well;
    for (std::size_t i = 0; i < signals.size(); ++i) {
        if (before_.at(i).sa_handler != SIG_IGN) {
            before_.at(i) = action;
            ::sigaction(signals.at(i), &action, nullptr);
        }
    }
    deferred = 0;
}

}  // namespace dpcov
