// The trial of the BLAS: it passes the one in use and catches wrong ones, whatever shape they fail.
#include "arithmetic/exact_blas.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string_view>

namespace dpcov::detail {
namespace {

TEST(ExactBlas, TheOneInUsePasses) {
    EXPECT_EQ(rounding_routine({}), nullptr);
    EXPECT_NO_THROW(require_exact_blas());
}

std::string_view found_in(const Blas& blas) {
    const char* const routine = rounding_routine(blas);
    return routine == nullptr ? "nothing" : routine;
}

// As if an entry had been added up in another way: its last bit is off.
void spoil(double& entry) {
    entry = std::nextafter(entry, HUGE_VAL);
}

// Each is wrong in one entry and in one kind of shape.
template <int kind>
void wrong_dgemm(const CBLAS_ORDER order, const CBLAS_TRANSPOSE a, const CBLAS_TRANSPOSE b,
                 const blasint m, const blasint n, const blasint k, const double alpha,
                 const double* x, const blasint ldx, const double* y, const blasint ldy,
                 const double beta, double* z, const blasint ldz) {
    cblas_dgemm(order, a, b, m, n, k, alpha, x, ldx, y, ldy, beta, z, ldz);
    const bool struck[] = {true,      m == 1,          m % 2 == 1 && n > 2,
                           m > 8 * n, n > 8 * m,       k > 8 * (m + n),
                           m >= 192,  a == CblasTrans, b == CblasTrans};
    if (struck[kind]) {
        spoil(z[(n - 1) * ldz + m - 1]);
    }
}

template <int kind>
void wrong_dsyrk(const CBLAS_ORDER order, const CBLAS_UPLO uplo, const CBLAS_TRANSPOSE trans,
                 const blasint d, const blasint count, const double alpha, const double* x,
                 const blasint ldx, const double beta, double* z, const blasint ldz) {
    cblas_dsyrk(order, uplo, trans, d, count, alpha, x, ldx, beta, z, ldz);
    const bool struck[] = {
        true,     d == 1,      d % 2 == 1 && d > 2, count > 64 * d,     d > 8 * count,
        d >= 256, alpha < 0.0, beta != 0.0,         uplo == CblasUpper, uplo == CblasLower};
    if (struck[kind]) {
        spoil(uplo == CblasUpper ? z[(d - 1) * ldz] : z[d - 1]);
    }
}

template <int kind>
void wrong_dgemv(const CBLAS_ORDER order, const CBLAS_TRANSPOSE trans, const blasint m,
                 const blasint n, const double alpha, const double* a, const blasint lda,
                 const double* x, const blasint incx, const double beta, double* y,
                 const blasint incy) {
    cblas_dgemv(order, trans, m, n, alpha, a, lda, x, incx, beta, y, incy);
    const bool struck[] = {true, m == 1, m % 2 == 1 && m > 2, m > 8 * n, n > 8 * m};
    if (struck[kind]) {
        spoil(y[m - 1]);
    }
}

template <int... kinds>
void expect_dgemm_caught(std::integer_sequence<int, kinds...>) {
    for (const auto wrong : {&wrong_dgemm<kinds>...}) {
        EXPECT_EQ(found_in({.dgemm = wrong}), "dgemm");
    }
}

template <int... kinds>
void expect_dsyrk_caught(std::integer_sequence<int, kinds...>) {
    for (const auto wrong : {&wrong_dsyrk<kinds>...}) {
        EXPECT_EQ(found_in({.dsyrk = wrong}), "dsyrk");
    }
}

template <int... kinds>
void expect_dgemv_caught(std::integer_sequence<int, kinds...>) {
    for (const auto wrong : {&wrong_dgemv<kinds>...}) {
        EXPECT_EQ(found_in({.dgemv = wrong}), "dgemv");
    }
}

TEST(ExactBlas, OneWrongBitInOneKindOfShapeIsCaught) {
    expect_dgemm_caught(std::make_integer_sequence<int, 9>());
    expect_dsyrk_caught(std::make_integer_sequence<int, 10>());
    expect_dgemv_caught(std::make_integer_sequence<int, 5>());
}

// Strassen's first step on 2 x 2 blocks: right for real numbers, and every entry an honest sum of
// doubles, but of products of sums. Where the sizes are odd it is the ordinary product.
void strassen_dgemm(const CBLAS_ORDER order, const CBLAS_TRANSPOSE a, const CBLAS_TRANSPOSE b,
                    const blasint m, const blasint n, const blasint k, const double alpha,
                    const double* x, const blasint ldx, const double* y, const blasint ldy,
                    const double beta, double* z, const blasint ldz) {
    if (a != CblasNoTrans || b != CblasNoTrans || m % 2 + n % 2 + k % 2 != 0) {
        cblas_dgemm(order, a, b, m, n, k, alpha, x, ldx, y, ldy, beta, z, ldz);
        return;
    }
    const blasint m2 = m / 2;
    const blasint n2 = n / 2;
    const blasint k2 = k / 2;
    const auto at = [&](blasint i, blasint l) { return x[l * ldx + i]; };
    const auto bt = [&](blasint l, blasint j) { return y[j * ldy + l]; };
    for (blasint i = 0; i < m2; ++i) {
        for (blasint j = 0; j < n2; ++j) {
            double p[7] = {};
            for (blasint l = 0; l < k2; ++l) {
                const double a11 = at(i, l);
                const double a12 = at(i, l + k2);
                const double a21 = at(i + m2, l);
                const double a22 = at(i + m2, l + k2);
                const double b11 = bt(l, j);
                const double b12 = bt(l, j + n2);
                const double b21 = bt(l + k2, j);
                const double b22 = bt(l + k2, j + n2);
                p[0] += (a11 + a22) * (b11 + b22);
                p[1] += (a21 + a22) * b11;
                p[2] += a11 * (b12 - b22);
                p[3] += a22 * (b21 - b11);
                p[4] += (a11 + a12) * b22;
                p[5] += (a21 - a11) * (b11 + b12);
                p[6] += (a12 - a22) * (b21 + b22);
            }
            z[j * ldz + i] = p[0] + p[3] - p[4] + p[6];
            z[(j + n2) * ldz + i] = p[2] + p[4];
            z[j * ldz + i + m2] = p[1] + p[3];
            z[(j + n2) * ldz + i + m2] = p[0] - p[1] + p[2] + p[5];
        }
    }
}

TEST(ExactBlas, StrassenIsCaught) {
    EXPECT_EQ(found_in({.dgemm = &strassen_dgemm}), "dgemm");
}

}  // namespace
}  // namespace dpcov::detail
