// OpenBLAS's number of threads: bounded, put back, and refused where they cannot be had.
#include "arithmetic/blas_threads.hpp"

#include <cblas.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <optional>

#include "dpcov/error.hpp"

namespace dpcov::detail {
namespace {

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
