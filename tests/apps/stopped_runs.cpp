#include "apps/stopped_runs.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <random>
#include <thread>

#include "apps/program.hpp"

namespace dpcov::test {

void stop_at_any_moment(const std::function<pid_t()>& start, int signal, int least_of_each,
                        const std::function<void(int status)>& look) {
    using Duration = std::chrono::duration<double>;
    const auto started = std::chrono::steady_clock::now();
    look(wait_for(start()));
    Duration latest = 1.5 * Duration(std::chrono::steady_clock::now() - started);
    std::mt19937_64 generator(1);
    std::uniform_real_distribution<double> share(0.0, 1.0);
    int stopped = 0;
    int ended = 0;
    while (stopped < least_of_each || ended < least_of_each) {
        ASSERT_FALSE(::testing::Test::HasFatalFailure());
        ASSERT_LT(stopped + ended, 40 * least_of_each) << stopped << " were stopped";
        const pid_t child = start();
        std::this_thread::sleep_for(latest * share(generator));
        ::kill(child, signal);
        const int status = wait_for(child);
        const bool by_signal = status == 128 + signal;
        (by_signal ? stopped : ended) += 1;
        // A third of the runs end by themselves, where the load stays as it is.
        latest *= by_signal ? 1.1 : 0.83;
        look(status);
    }
}

}  // namespace dpcov::test
