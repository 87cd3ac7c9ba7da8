#include "arithmetic/reflect.hpp"

#include <cstring>

#include "arithmetic/wide_registers.hpp"

namespace dpcov::detail {
namespace {

using Eigen::Index;

// Sums run over sixteen fixed lanes. Clones for wider registers give the same bits
// (-ffp-contract=off).
using FourDoubles = double __attribute__((vector_size(32)));
constexpr Index four = 4;

inline void add_product(FourDoubles& sum, const double* a, const double* b) {
    FourDoubles x;
    FourDoubles y;
    std::memcpy(&x, a, sizeof x);
    std::memcpy(&y, b, sizeof y);
    sum += x * y;
}

// The clones are the file's own: what chooses among them would else be a symbol of the library.
DPCOV_FOR_AVX2 double cloned_dot(const double* a, const double* b, Index n) {
    FourDoubles first{};
    FourDoubles second{};
    FourDoubles third{};
    FourDoubles fourth{};
    Index i = 0;
    for (; i + 4 * four <= n; i += 4 * four) {
        add_product(first, a + i, b + i);
        add_product(second, a + i + four, b + i + four);
        add_product(third, a + i + 2 * four, b + i + 2 * four);
        add_product(fourth, a + i + 3 * four, b + i + 3 * four);
    }
    double rest = 0.0;
    for (; i < n; ++i) {
        rest += a[i] * b[i];
    }
    first = (first + second) + (third + fourth);
    return ((first[0] + first[1]) + (first[2] + first[3])) + rest;
}

DPCOV_FOR_AVX2 void cloned_reflect(const double* __restrict v, double factor, double* __restrict x,
                                   Index n) {
    const double along = factor * cloned_dot(v, x, n);
    for (Index i = 0; i < n; ++i) {
        x[i] -= along * v[i];
    }
}

}  // namespace

double dot_in_lanes(const double* a, const double* b, Index n) {
    return cloned_dot(a, b, n);
}

void reflect(const double* v, double factor, double* x, Index n) {
    cloned_reflect(v, factor, x, n);
}

}  // namespace dpcov::detail
