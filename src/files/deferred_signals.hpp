// Signals that would end the process between steps that belong together.
#pragma once

#include <array>
#include <csignal>

namespace dpcov {

/// While it lives, what would end the process (SIGHUP, SIGINT, SIGTERM) ends it afterwards,
/// whichever thread a signal comes to. What is ignored stays ignored. One at a time in a process:
/// another one throws std::logic_error.
class DeferredSignals {
public:
    DeferredSignals();
    ~DeferredSignals();
    DeferredSignals(const DeferredSignals&) = delete;
    DeferredSignals& operator=(const DeferredSignals&) = delete;

    /// All that the process was to do is done, and it is about to end. What came is forgotten; what
    /// comes from now on, also afterwards, ends it at once with status 0, which says so.
    void end_well_from_now_on();

private:
    static constexpr std::array<int, 3> signals = {SIGHUP, SIGINT, SIGTERM};
    std::array<struct sigaction, 3> before_{};
};

}  // namespace dpcov
