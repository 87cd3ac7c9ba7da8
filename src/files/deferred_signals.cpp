#include "files/deferred_signals.hpp"

#include <cstddef>

namespace dpcov {
namespace {

volatile std::sig_atomic_t deferred = 0;

void defer(int signal) {
    deferred = signal;
}

}  // namespace

DeferredSignals::DeferredSignals() {
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
    if (deferred != 0) {
        static_cast<void>(::raise(deferred));
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
