// With a BLAS that rounds there is no exact sum, no bounded error and so no release: here
// cblas_dgemv is the test's own, and wrong in one bit. Everything whose proof rests on BLAS refuses
// to begin.
#include <cblas.h>
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>
#include <vector>

#include "arithmetic/eigen_decomposition.hpp"
#include "arithmetic/exact_blas.hpp"
#include "arithmetic/gram_product.hpp"
#include "arithmetic/matrix_product.hpp"
#include "dpcov/error.hpp"
#include "mechanism/bingham.hpp"
#include "moment/secret_moment.hpp"
#include "random/wishart_noise.hpp"
#include "support/failing_source.hpp"

// In place of OpenBLAS's, which it calls.
// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name)
extern "C" void cblas_dgemv(const CBLAS_ORDER order, const CBLAS_TRANSPOSE transpose,
                            const blasint m, const blasint n, const double alpha, const double* a,
                            const blasint leading, const double* x, const blasint step_x,
                            const double beta, double* y, const blasint step_y) {
    static auto* const next =
        reinterpret_cast<decltype(&cblas_dgemv)>(::dlsym(RTLD_NEXT, "cblas_dgemv"));
    next(order, transpose, m, n, alpha, a, leading, x, step_x, beta, y, step_y);
    y[0] = std::nextafter(y[0], HUGE_VAL);
}
// NOLINTEND(readability-inconsistent-declaration-parameter-name)

namespace dpcov::test {
namespace {

using Eigen::MatrixXd;

TEST(InexactBlas, IsFound) {
    EXPECT_THROW(detail::require_exact_blas(), DeviceError);
}

TEST(InexactBlas, TakesNoRows) {
    EXPECT_THROW(detail::SecretMoment({.columns = 2, .norm_bound = 1.0}), DeviceError);
    detail::DigitGram::Memory memory;
    EXPECT_THROW(detail::GramProduct(memory, 100, 2, 1, nullptr), DeviceError);
}

TEST(InexactBlas, MultipliesNothing) {
    const MatrixXd one = MatrixXd::Identity(2, 2);
    EXPECT_THROW((void)detail::product(one, one), DeviceError);
    EXPECT_THROW((void)detail::product_transposed(one, one), DeviceError);
}

TEST(InexactBlas, DrawsNoNoise) {
    FailingRandomSource random(1);
    std::vector<Int128> packed(3, 0);
    EXPECT_THROW(add_wishart(random, packed, wishart_noise(1.0, 2)), DeviceError);
    EXPECT_EQ(packed, std::vector<Int128>(3, 0));
    const MatrixXd one = MatrixXd::Identity(2, 2);
    EXPECT_THROW(BinghamSequence(one, detail::eigen_decomposition(one)), DeviceError);
    EXPECT_EQ(random.used(), 0U);
}

}  // namespace
}  // namespace dpcov::test
