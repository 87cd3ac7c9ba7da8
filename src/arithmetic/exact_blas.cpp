#include "arithmetic/exact_blas.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "arithmetic/triangle.hpp"
#include "dpcov/error.hpp"

namespace dpcov::detail {
namespace {

/// Words that look random, the same in every process.
class Words {
public:
    std::uint64_t next() {
        // The splitmix64 generator (Steele, Lea, Flood 2014).
        std::uint64_t word = state_ += 0x9e3779b97f4a7c15U;
        word = (word ^ (word >> 30U)) * 0xbf58476d1ce4e5b9U;
        word = (word ^ (word >> 27U)) * 0x94d049bb133111ebU;
        return word ^ (word >> 31U);
    }

private:
    std::uint64_t state_ = 0;
};

/// Column-major, of integers.
struct Matrix {
    std::size_t rows = 0;
    std::size_t columns = 0;
    std::vector<double> entries;

    Matrix(std::size_t m, std::size_t n) : rows(m), columns(n), entries(m * n) {}
    [[nodiscard]] blasint leading() const { return static_cast<blasint>(rows); }
};

/// Entries so large, and of one sign, that `terms` products of two of them add up to between half
/// and all of what 53 bits hold: sums of entries, multiplied, would take more.
Matrix filled(Words& words, std::size_t rows, std::size_t columns, std::size_t terms) {
    const auto most = static_cast<std::uint64_t>(std::sqrt(0x1p53 / static_cast<double>(terms)));
    Matrix matrix(rows, columns);
    for (double& entry : matrix.entries) {
        // The word's upper half times a quarter of `most`, over 2^32.
        entry = static_cast<double>(most - ((words.next() >> 32U) * (most / 4) >> 32U));
    }
    return matrix;
}

using Vector = std::vector<std::uint64_t>;  // of integers modulo 2^64

/// matrix * x, or matrix^T * x, modulo 2^64. Every entry is an integer of magnitude at most 2^53.
Vector times(const Matrix& matrix, bool transposed, const Vector& x) {
    Vector result(transposed ? matrix.columns : matrix.rows, 0);
    for (std::size_t j = 0; j < matrix.columns; ++j) {
        for (std::size_t i = 0; i < matrix.rows; ++i) {
            const auto entry = static_cast<std::uint64_t>(
                static_cast<std::int64_t>(matrix.entries[j * matrix.rows + i]));
            result[transposed ? j : i] += entry * x[transposed ? i : j];
        }
    }
    return result;
}

bool holds_integers(const Matrix& matrix) {
    return std::all_of(matrix.entries.begin(), matrix.entries.end(), [](double entry) {
        return std::fabs(entry) <= 0x1p53 &&
               entry == static_cast<double>(static_cast<std::int64_t>(entry));
    });
}

Vector random_vector(Words& words, std::size_t size) {
    Vector x(size);
    std::generate(x.begin(), x.end(), [&] { return words.next(); });
    return x;
}

// What was computed is compared with A B in one direction x: C x and A (B x), modulo 2^64, in
// O(n^2). A wrong integer shows there unless x was unlucky, with a chance below 2^-10 for each
// wrong row.

// In all forms: op(A) op(B), where a matrix is taken as it stands or transposed. As its entries are
// arbitrary, one memory serves for both.
bool dgemm_is_exact(const Blas& blas, Words& words, std::size_t m, std::size_t n, std::size_t k) {
    Matrix a = filled(words, m, k, k);
    Matrix b = filled(words, k, n, k);
    Matrix c(m, n);
    const Vector x = random_vector(words, n);
    for (const bool transposed_a : {false, true}) {
        for (const bool transposed_b : {false, true}) {
            blas.dgemm(CblasColMajor, transposed_a ? CblasTrans : CblasNoTrans,
                       transposed_b ? CblasTrans : CblasNoTrans, static_cast<blasint>(m),
                       static_cast<blasint>(n), static_cast<blasint>(k), 1.0, a.entries.data(),
                       a.leading(), b.entries.data(), b.leading(), 0.0, c.entries.data(),
                       c.leading());
            if (!holds_integers(c) ||
                times(c, false, x) != times(a, transposed_a, times(b, transposed_b, x))) {
                return false;
            }
            std::swap(b.rows, b.columns);
        }
        std::swap(a.rows, a.columns);
    }
    return true;
}

// As the Grams are added up: two in the room of one, one block onto the other, or off it.
bool dsyrk_is_exact(const Blas& blas, Words& words, std::size_t d, std::size_t count) {
    const Matrix first = filled(words, d, count, 2 * count);
    const Matrix second = filled(words, d, count, 2 * count);
    const Vector x = random_vector(words, d);
    const Vector one = times(first, false, times(first, true, x));
    const Vector other = times(second, false, times(second, true, x));
    std::vector<double> both(two_triangles(d));
    const auto add = [&](const Triangle& gram, const Matrix& block, double factor, double keep) {
        blas.dsyrk(CblasColMajor, gram.half == Half::upper ? CblasUpper : CblasLower, CblasNoTrans,
                   static_cast<blasint>(d), static_cast<blasint>(count), factor,
                   block.entries.data(), block.leading(), keep, gram.data,
                   static_cast<blasint>(gram.stride));
    };
    const auto whole = [d](const Triangle& gram) {
        Matrix matrix(d, d);
        for (std::size_t j = 0; j < d; ++j) {
            for (std::size_t i = 0; i < d; ++i) {
                const bool there = gram.half == Half::upper ? i <= j : i >= j;
                matrix.entries[j * d + i] =
                    there ? gram.data[j * gram.stride + i] : gram.data[i * gram.stride + j];
            }
        }
        return matrix;
    };
    for (const double sign : {1.0, -1.0}) {
        const Triangle upper = triangle_in(both.data(), d, Half::upper);
        const Triangle lower = triangle_in(both.data(), d, Half::lower);
        for (const Triangle& gram : {upper, lower}) {
            add(gram, first, 1.0, 0.0);
        }
        for (const Triangle& gram : {upper, lower}) {
            add(gram, second, sign, 1.0);
        }
        Vector expected(d);
        for (std::size_t i = 0; i < d; ++i) {
            expected[i] = sign > 0.0 ? one[i] + other[i] : one[i] - other[i];
        }
        for (const Triangle& gram : {upper, lower}) {
            const Matrix sum = whole(gram);
            if (!holds_integers(sum) || times(sum, false, x) != expected) {
                return false;
            }
        }
    }
    return true;
}

bool dgemv_is_exact(const Blas& blas, Words& words, std::size_t m, std::size_t n) {
    const Matrix a = filled(words, m, n, n);
    const Matrix x = filled(words, n, 1, n);
    Matrix y(m, 1);
    blas.dgemv(CblasColMajor, CblasNoTrans, static_cast<blasint>(m), static_cast<blasint>(n), 1.0,
               a.entries.data(), a.leading(), x.entries.data(), 1, 0.0, y.entries.data(), 1);
    return holds_integers(y) && times(y, false, {1}) == times(a, false, times(x, false, {1}));
}

struct Shape {
    std::size_t m;
    std::size_t n;
    std::size_t k;
};

}  // namespace

const char* rounding_routine(const Blas& blas) {
    Words words;
    constexpr std::array<Shape, 11> products = {{{1, 1, 1},
                                                 {2, 2, 2},
                                                 {3, 5, 2},
                                                 {8, 8, 64},
                                                 {17, 33, 9},
                                                 {64, 64, 64},
                                                 {200, 7, 300},
                                                 {7, 200, 300},
                                                 {2, 3, 2048},
                                                 {65, 67, 129},
                                                 {192, 192, 256}}};
    for (const auto& [m, n, k] : products) {
        if (!dgemm_is_exact(blas, words, m, n, k)) {
            return "dgemm";
        }
    }
    constexpr std::array<Shape, 11> grams = {{{1, 1, 1},
                                              {2, 2, 3},
                                              {3, 3, 4096},
                                              {7, 7, 5},
                                              {9, 9, 1000},
                                              {17, 17, 1},
                                              {33, 33, 129},
                                              {64, 64, 64},
                                              {96, 96, 512},
                                              {131, 131, 257},
                                              {320, 320, 8}}};
    for (const auto& [d, same, count] : grams) {
        if (!dsyrk_is_exact(blas, words, same, count)) {
            return "dsyrk";
        }
    }
    constexpr std::array<Shape, 5> vectors = {
        {{1, 1, 0}, {7, 500, 0}, {500, 7, 0}, {257, 129, 0}, {64, 1024, 0}}};
    for (const auto& [m, n, unused] : vectors) {
        if (!dgemv_is_exact(blas, words, m, n)) {
            return "dgemv";
        }
    }
    return nullptr;
}

void require_exact_blas() {
    static const char* const wrong = rounding_routine({});
    if (wrong != nullptr) {
        throw DeviceError("the " + std::string(wrong) +
                          " of the BLAS in use rounds integer products that fit in a double, so "
                          "neither an exact Gram nor a bounded error can be had from it; link "
                          "OpenBLAS");
    }
}

}  // namespace dpcov::detail
