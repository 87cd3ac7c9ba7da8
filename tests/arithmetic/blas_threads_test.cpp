// OpenBLAS's number of threads: bounded, put back, and refused where they cannot be had.
#include "arithmetic/blas_threads.hpp"

#include <cblas.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "dpcov/error.hpp"

// What OpenBLAS read when its threads were started, as a power of two; 0 is what it was built with.
extern "C" __attribute__((weak)) int openblas_thread_timeout();

namespace dpcov::detail {
namespace {

constexpr const char* timeout_variable = "OPENBLAS_THREAD_TIMEOUT";

std::set<std::string> threads_of_process() {
    std::set<std::string> threads;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) {
        threads.insert(entry.path().filename());
    }
    return threads;
}

// In a process of its own: it holds for all of it.
void exit_with_timeout_after(const char* set) {
    if (set == nullptr) {
        ::unsetenv(timeout_variable);
    } else {
        ::setenv(timeout_variable, set, 1);
    }
    constexpr int threads = 2;
    openblas_set_num_threads(threads);
    const std::set<std::string> before = threads_of_process();
    have_idle_blas_threads_sleep();
    // What was read counts for threads that start afterwards.
    const bool anew = threads_of_process() != before;
    // They work as before.
    constexpr int order = 192;
    const std::vector<double> ones(std::size_t{order} * order, 1.0);
    std::vector<double> product(ones.size());
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, order, order, order, 1.0, ones.data(),
                order, ones.data(), order, 0.0, product.data(), order);
    const char* const now = std::getenv(timeout_variable);
    const bool is_as_before = (now == nullptr ? "" : std::string(now)) == (set ? set : "") &&
                              openblas_get_num_threads() == threads && anew == (set == nullptr) &&
                              product == std::vector<double>(ones.size(), double{order});
    std::_Exit(is_as_before ? openblas_thread_timeout() : 100);
}

TEST(BlasThreadsDeathTest, SleepWhenThereIsNoWorkUnlessTheEnvironmentSaysWhen) {
    if (openblas_thread_timeout == nullptr) {
        GTEST_SKIP() << "this OpenBLAS has no threads of its own";
    }
    testing::GTEST_FLAG(death_test_style) = "threadsafe";
    EXPECT_EXIT(exit_with_timeout_after(nullptr), testing::ExitedWithCode(12), "");
    // Control: as built.
    EXPECT_EXIT(exit_with_timeout_after("20"), testing::ExitedWithCode(0), "");
}

TEST(BlasThreads, TheLeastOfSeveralBoundsCounts) {
    const int before = openblas_get_num_threads();
    std::optional<BlasThreads> two(2U);
    EXPECT_EQ(openblas_get_num_threads(), 2);
    {
        const BlasThreads one(1U);
        EXPECT_EQ(openblas_get_num_threads(), 1);
        two.reset();
        EXPECT_EQ(openblas_get_num_threads(), 1);
    }
    EXPECT_EQ(openblas_get_num_threads(), before);
}

TEST(BlasThreads, ThoseThatCannotBeStartedAreRefused) {
    require_threads(0);
    require_threads(8);
    if (::geteuid() != 0) {
        GTEST_SKIP() << "only root can become somebody who has no other process";
    }
    // A user of whom there is no other process, and who may have this one alone.
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        constexpr uid_t nobody_else = 54321;
        const rlimit one{.rlim_cur = 1, .rlim_max = 1};
        if (::setuid(nobody_else) != 0 || ::setrlimit(RLIMIT_NPROC, &one) != 0) {
            ::_exit(3);
        }
        try {
            require_threads(4);
        } catch (const DeviceError&) {
            ::_exit(0);
        }
        ::_exit(1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    if (WEXITSTATUS(status) == 3) {
        GTEST_SKIP() << "that user is not to be had here";
    }
    EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace dpcov::detail
