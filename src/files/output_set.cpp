#include "files/output_set.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstddef>

namespace dpcov {
namespace {

volatile std::sig_atomic_t deferred = 0;

void defer(int signal) {
    deferred = signal;
}

/// While it lives, what would end the process ends it afterwards: whichever thread a signal comes
/// to, no file appears without the others.
class DeferredSignals {
public:
    DeferredSignals() {
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
    ~DeferredSignals() {
        for (std::size_t i = 0; i < signals.size(); ++i) {
            ::sigaction(signals.at(i), &before_.at(i), nullptr);
        }
        if (deferred != 0) {
            static_cast<void>(::raise(deferred));
        }
    }
    DeferredSignals(const DeferredSignals&) = delete;
    DeferredSignals& operator=(const DeferredSignals&) = delete;

private:
    static constexpr std::array<int, 3> signals = {SIGHUP, SIGINT, SIGTERM};
    std::array<struct sigaction, 3> before_{};
};

}  // namespace

void OutputSet::add(const std::string& target, std::string_view bytes) {
    if (target.empty() || is_standard_output(target)) {
        if (!standard_output_) {
            standard_output_.emplace(DirectOutput::of_descriptor(STDOUT_FILENO, "standard output"));
        }
        standard_output_->prove();
        standard_output_bytes_ += bytes;
        return;
    }
    files_.emplace_back(target).write(bytes);
}

void OutputSet::commit() {
    for (AtomicFile& file : files_) {
        file.sync();
    }
    if (standard_output_) {
        standard_output_->prove();
    }
    std::optional<DeferredSignals> together;  // until nothing is left beside the targets
    try {
        for (AtomicFile& file : files_) {
            if (file.is_direct()) {
                file.commit();
            }
        }
        if (standard_output_) {
            standard_output_->write(standard_output_bytes_);
        }
        together.emplace();
        for (AtomicFile& file : files_) {
            if (!file.is_direct()) {
                file.commit_reversibly();
            }
        }
        files_.clear();  // and what they replaced
    } catch (...) {
        std::for_each(files_.rbegin(), files_.rend(), [](AtomicFile& file) { file.take_back(); });
        if (standard_output_) {
            standard_output_->take_back();
        }
        files_.clear();
        throw;
    }
}

}  // namespace dpcov
