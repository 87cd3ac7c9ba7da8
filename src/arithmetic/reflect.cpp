#include "arithmetic/reflect.hpp"

#include <cstring>

namespace dpcov::detail {
namespace {

using Eigen::Index;

// Sums run over sixteen fixed lanes. Clones for wider registers give the same bits
// (-ffp-contract=off).
using Lanes = double __attribute__((vector_size(32)));
constexpr Index lanes = 4;
#ifdef __SANITIZE_THREAD__  // its runtime is not up yet when GCC's clone resolvers run
#define DPCOV_FOR_WIDE_REGISTERS
#else
#define DPCOV_FOR_WIDE_REGISTERS __attribute__((target_clones("avx2", "default")))
#endif

inline void add_product(Lanes& sum, const double* a, const double* b) {
    Lanes x;
    Lanes y;
    std::memcpy(&x, a, sizeof x);
    std::memcpy(&y, b, sizeof y);
    sum += x * y;
}

}  // namespace

DPCOV_FOR_WIDE_REGISTERS double dot_in_lanes(const double* a, const double* b, Index n) {
    Lanes first{};
    Lanes second{};
    Lanes third{};
    Lanes fourth{};
    Index i = 0;
    for (; i + 4 * lanes <= n; i += 4 * lanes) {
        add_product(first, a + i, b + i);
        add_product(second, a + i + lanes, b + i + lanes);
        add_product(third, a + i + 2 * lanes, b + i + 2 * lanes);
        add_product(fourth, a + i + 3 * lanes, b + i + 3 * lanes);
    }
    double rest = 0.0;
    for (; i < n; ++i) {
        rest += a[i] * b[i];
    }
    first = (first + second) + (third + fourth);
    return ((first[0] + first[1]) + (first[2] + first[3])) + rest;
}

DPCOV_FOR_WIDE_REGISTERS void reflect(const double* __restrict v, double factor,
                                      double* __restrict x, Index n) {
    const double along = factor * dot_in_lanes(v, x, n);
    for (Index i = 0; i < n; ++i) {
        x[i] -= along * v[i];
    }
}

}  // namespace dpcov::detail
