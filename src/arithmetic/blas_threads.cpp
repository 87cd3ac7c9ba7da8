#include "arithmetic/blas_threads.hpp"

#include <cblas.h>

#include <algorithm>
#include <cstdlib>
#include <future>
#include <mutex>
#include <set>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "dpcov/error.hpp"

// What OpenBLAS does when it is loaded, and before and after a fork. No header declares them.
extern "C" {
__attribute__((weak)) void openblas_read_env();
__attribute__((weak)) int blas_thread_shutdown_();  // NOLINT(readability-identifier-naming)
__attribute__((weak)) int blas_thread_init();
}

namespace dpcov::detail {
namespace {

struct Setting {
    std::mutex mutex;
    std::multiset<int> bounds;  // of those who are at work
    int before = 0;             // when nobody was
};

Setting& the_setting() {
    static Setting setting;
    return setting;
}

// OpenBLAS keeps those it has started.
unsigned not_started_yet(unsigned threads) {
    constexpr unsigned most = 128;  // Debian's OpenBLAS takes no more
    const auto started = static_cast<unsigned>(openblas_get_num_threads());
    return std::min(threads, most) - std::min({threads, most, started});
}

}  // namespace

void require_threads(unsigned threads) {
    std::promise<void> all_started;
    const std::shared_future<void> go(all_started.get_future());
    std::vector<std::thread> started;
    const auto end = [&] {
        all_started.set_value();
        for (std::thread& thread : started) {
            thread.join();
        }
    };
    try {
        started.reserve(threads);
        while (started.size() < threads) {
            started.emplace_back([go] { go.wait(); });
        }
    } catch (const std::system_error& error) {
        const std::size_t count = started.size();
        end();
        throw DeviceError("only " + std::to_string(count) + " of " + std::to_string(threads) +
                          " threads could be started: " + error.what() +
                          "; take fewer, or raise the limit on them (ulimit -u, or the "
                          "container's)");
    } catch (...) {
        end();
        throw;
    }
    end();
}

void set_blas_threads(unsigned threads) {
    require_threads(not_started_yet(threads));
    openblas_set_num_threads(static_cast<int>(threads));
}

void have_idle_blas_threads_sleep() {
    constexpr const char* variable = "OPENBLAS_THREAD_TIMEOUT";
    if (openblas_read_env == nullptr || blas_thread_shutdown_ == nullptr ||
        blas_thread_init == nullptr || std::getenv(variable) != nullptr) {
        return;
    }
    // 2^12 cycles of the processor's clock, a microsecond or two: what it takes to be woken, and
    // longer than between the calls of a decomposition.
    if (::setenv(variable, "12", 1) != 0) {
        return;
    }
    openblas_read_env();
    blas_thread_shutdown_();
    blas_thread_init();  // now: it waits for ever for threads that cannot be started later
    ::unsetenv(variable);
}

BlasThreads::BlasThreads(unsigned threads) : bound_(static_cast<int>(threads)) {
    Setting& setting = the_setting();
    const std::scoped_lock lock(setting.mutex);
    const int now = openblas_get_num_threads();
    if (setting.bounds.empty()) {
        setting.before = now;
    }
    require_threads(not_started_yet(threads));
    setting.bounds.insert(bound_);
    openblas_set_num_threads(*setting.bounds.begin());
}

BlasThreads::~BlasThreads() {
    Setting& setting = the_setting();
    const std::scoped_lock lock(setting.mutex);
    setting.bounds.erase(setting.bounds.find(bound_));
    openblas_set_num_threads(setting.bounds.empty() ? setting.before : *setting.bounds.begin());
}

}  // namespace dpcov::detail
