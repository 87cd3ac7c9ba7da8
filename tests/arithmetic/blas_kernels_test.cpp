// OpenBLAS's kernels: those of an old processor are not left to a new one.
#include "arithmetic/blas_kernels.hpp"

#include <cblas.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "arithmetic/exact_blas.hpp"

namespace dpcov::detail {
namespace {

constexpr const char* variable = "OPENBLAS_CORETYPE";

/// Puts back the environment and the kernels that were there before.
class BlasKernels : public testing::Test {
protected:
    void SetUp() override {
        if (const char* const set = std::getenv(variable)) {
            environment_ = set;
        }
        ::unsetenv(variable);
        run_kernels("Prescott");
        if (kernels() != "Prescott") {
            GTEST_SKIP() << "this OpenBLAS has the kernels of one processor";
        }
    }

    void TearDown() override {
        run_kernels(before_);
        if (!environment_.empty()) {
            ::setenv(variable, environment_.c_str(), 1);
        }
    }

    static std::string kernels() { return openblas_get_corename(); }

private:
    std::string before_ = kernels();
    std::string environment_;
};

TEST_F(BlasKernels, ThoseOfAnOldProcessorAreReplacedAndExact) {
    const std::string better = better_kernels("Prescott");
    const int threads = openblas_get_num_threads();
    choose_kernels();
    EXPECT_EQ(kernels(), better.empty() ? "Prescott" : better);
    EXPECT_EQ(std::getenv(variable), nullptr);
    EXPECT_EQ(openblas_get_num_threads(), threads);
    EXPECT_EQ(rounding_routine({}), nullptr);
}

TEST_F(BlasKernels, ThoseThatWereAskedForStay) {
    ::setenv(variable, "Prescott", 1);
    choose_kernels();
    EXPECT_EQ(kernels(), "Prescott");
    EXPECT_STREQ(std::getenv(variable), "Prescott");
    ::unsetenv(variable);
}

TEST_F(BlasKernels, AKnownProcessorsStay) {
    for (const char* known : {"Nehalem", "Haswell", "Zen", "SkylakeX", "SapphireRapids"}) {
        EXPECT_EQ(better_kernels(known), "") << known;
    }
}

}  // namespace
}  // namespace dpcov::detail
