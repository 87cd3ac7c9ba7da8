#include "random/wishart_noise.hpp"

#include <cblas.h>
#include <gmpxx.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "arithmetic/exact_blas.hpp"
#include "arithmetic/packed_symmetric.hpp"
#include "dpcov/error.hpp"
#include "random/big_integer.hpp"
#include "random/lazy_normals.hpp"
#include "random/noise_range.hpp"
#include "random/rounded_gaussian.hpp"

namespace dpcov {
namespace {

using detail::to_big;

constexpr double u = 0x1p-53;  // what rounding to a double costs, relatively

/// d x m independent real N(0, 1) variables, known by their leading digits.
class NormalMatrix {
public:
    NormalMatrix(RandomSource& random, std::size_t d, std::size_t m)
        : d_(d), m_(m), numbers_(random, d * m) {}

    /// product += sign G G^T in doubles, upper triangle, column-major. Returns a bound on the
    /// squared norms of G's rows.
    double add_product(double sign, std::vector<double>& product) const {
        constexpr std::size_t panel_columns = 256;
        const auto order = static_cast<blasint>(d_);
        std::vector<double> panel(std::min(panel_columns, m_) * d_);
        std::vector<double> squares(d_, 0.0);
        for (std::size_t first = 0; first < m_; first += panel_columns) {
            const std::size_t columns = std::min(panel_columns, m_ - first);
            for (std::size_t i = 0; i < columns * d_; ++i) {
                const double z = numbers_.rough(first * d_ + i);
                panel[i] = z;
                squares[i % d_] += z * z;
            }
            cblas_dsyrk(CblasColMajor, CblasUpper, CblasNoTrans, order,
                        static_cast<blasint>(columns), sign, panel.data(), order, 1.0,
                        product.data(), order);
        }
        return *std::max_element(squares.begin(), squares.end()) * (1.0 + 0x1p-20);
    }

    /// low and high += bounds of sign (G G^T)_ij in units of 2^(-2 bits), from `bits` digits below
    /// the point of each number; draws those that are not known.
    void add_entry(RandomSource& random, int sign, std::size_t i, std::size_t j, int bits,
                   mpz_class& low, mpz_class& high) {
        mpz_class sum;  // of products of lower ends
        mpz_class below;
        mpz_class above;
        for (std::size_t k = 0; k < m_; ++k) {
            const mpz_class a = numbers_.digits(random, k * d_ + i, bits);
            const mpz_class b = numbers_.digits(random, k * d_ + j, bits);
            sum += a * b;
            // (a + s)(b + t) = a b + s b + t a + s t with s, t in [0, 1]
            (sgn(a) < 0 ? below : above) += a;
            (sgn(b) < 0 ? below : above) += b;
            above += 1;
        }
        const mpz_class least = sum + below;
        const mpz_class greatest = sum + above;
        low += sign > 0 ? least : mpz_class(-greatest);
        high += sign > 0 ? greatest : mpz_class(-least);
    }

private:
    std::size_t d_;
    std::size_t m_;
    detail::LazyNormals numbers_;
};

/// value + scale w rounded to the grid, for |w - its double| <= error, if that is one number.
std::optional<Int128> round_in_doubles(Int128 value, const WishartNoise& noise, double w,
                                       double error) {
    const Int128 whole_steps = value >> noise.grid_log2;
    const Int128 remainder = value - (whole_steps << noise.grid_log2);
    const double scale = std::ldexp(noise.scale, -noise.grid_log2);
    const double steps =
        scale * w + (std::ldexp(static_cast<double>(remainder), -noise.grid_log2) + 0.5);
    const double slack = scale * error + 8.0 * u * (std::fabs(steps) + 1.0);
    const double low = std::floor(steps - slack);
    if (!(std::fabs(steps) < 0x1p36) || std::floor(steps + slack) != low) {
        return std::nullopt;
    }
    return (whole_steps + static_cast<Int128>(low)) << noise.grid_log2;
}

/// The same without doubt: as many digits as it takes.
Int128 round_exactly(RandomSource& random, Int128 value, const WishartNoise& noise,
                     NormalMatrix& plus, NormalMatrix& minus, std::size_t i, std::size_t j) {
    int exponent = 0;
    const double fraction = std::frexp(noise.scale, &exponent);
    exponent -= 53;
    const mpz_class mantissa(std::ldexp(fraction, 53));  // scale = mantissa 2^exponent
    for (int bits = LazyNormal::fraction_bits;; bits += 64) {
        mpz_class low;
        mpz_class high;
        plus.add_entry(random, 1, i, j, bits, low, high);
        minus.add_entry(random, -1, i, j, bits, low, high);
        // In units of 2^(exponent - 2 bits): a lattice unit is 2^unit_log2, a step 2^step_log2.
        const int unit_log2 = 2 * bits - exponent;
        const int step_log2 = unit_log2 + noise.grid_log2;
        const mpz_class shifted =
            to_big(value) * detail::power_of_two(unit_log2) + detail::power_of_two(step_log2 - 1);
        const auto step_bits = static_cast<mp_bitcnt_t>(step_log2);
        const mpz_class first = (shifted + mantissa * low) >> step_bits;
        const mpz_class last = (shifted + mantissa * high) >> step_bits;
        if (first == last) {
            return detail::clamp_to_int128(first * detail::power_of_two(noise.grid_log2));
        }
    }
}

}  // namespace

WishartNoise wishart_noise(double scale, std::size_t d) {
    detail::require_noise_scale(scale, 0x1p-100);
    constexpr int digits_below_deviation = 20;
    const double deviation = scale * std::sqrt(2.0 * (static_cast<double>(d) + 1.0));
    return {.scale = scale,
            .columns = d,
            .grid_log2 = std::max(0, std::ilogb(deviation) - digits_below_deviation)};
}

void add_wishart(RandomSource& random, std::span<Int128> packed, const WishartNoise& noise) {
    const std::size_t d = noise.columns;
    if (packed.size() != detail::packed_size(d)) {
        throw UsageError("the noise is for a matrix of another size");
    }
    if (d == 0) {
        return;
    }
    detail::require_exact_blas();
    const std::size_t m = d + 1;
    NormalMatrix plus(random, d, m);
    NormalMatrix minus(random, d, m);
    std::vector<double> difference(d * d, 0.0);
    const double squares =
        std::fmax(plus.add_product(1.0, difference), minus.add_product(-1.0, difference));
    const auto terms = static_cast<double>(m);
    const double error = 8.0 * (terms + 3.0) * u * std::fmax(squares, terms);
    std::size_t entry = 0;
    for (std::size_t j = 0; j < d; ++j) {
        for (std::size_t i = 0; i <= j; ++i, ++entry) {
            const auto sum = round_in_doubles(packed[entry], noise, difference[j * d + i], error);
            packed[entry] =
                sum ? *sum : round_exactly(random, packed[entry], noise, plus, minus, i, j);
        }
    }
}

}  // namespace dpcov
