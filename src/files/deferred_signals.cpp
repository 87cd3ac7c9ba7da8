#include "files/deferred_signals.hpp"

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

void DeferredSignals::ignore_from_now_on() {
    for (struct sigaction& action : before_) {
        action = {};
        action.sa_handler = SIG_IGN;
    }
    for (const int signal : signals) {
        ::sigaction(signal, &before_.front(), nullptr);
    }
    deferred = 0;
}

}  // namespace dpcov
