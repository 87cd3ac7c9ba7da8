#include "golden_cases.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <random>

#include "matrices.hpp"

namespace dpcov::test {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Rows in each stratum, finest first; more than the table's rows count for a few.
struct Pattern {
    std::vector<int> rows;
    double least_z = 1.0;     // of the trace of the fullest stratum, in deviations of its noise
    double greatest_z = 2e3;  // log-uniform between
    bool isotropic = false;   // else elliptical
    bool reversed = false;    // strata after the first have the coordinates in reverse order
    int spiked = 0;           // so many of the coarsest strata get a rank-one part of their own
    double spike = 0.0;       // its size over s sqrt(d)
    bool apart = false;       // strata after the first lie in the half of the coordinates that the
                              // first leaves empty, along one vector
};

const std::vector<Pattern>& patterns() {
    static const std::vector<Pattern> all = {
        {.rows = {300}},
        {.rows = {300, 40, 5, 1}, .least_z = 20.0},
        {.rows = {100, 100, 100}, .least_z = 3.0},
        {.rows = {300, 0, 3, 0, 1, 1}, .least_z = 20.0},
        {.rows = {300, 0, 0, 0, 0, 0, 0, 0}, .least_z = 4.0},
        {.rows = {0, 0, 0, 0, 0}},
        {.rows = {300, 60, 60}, .least_z = 10.0, .reversed = true},
        {.rows = {300, 0, 0}, .least_z = 10.0, .spiked = 1, .spike = 2.5},
        {.rows = {300, 0, 0}, .least_z = 100.0, .spiked = 2, .spike = 1.2},
        {.rows = {0, 300, 30, 0}, .least_z = 4.0, .isotropic = true},
        {.rows = {2, 10, 50, 250}, .least_z = 30.0},
        {.rows = {40, 2}, .least_z = 100.0, .greatest_z = 2e4, .apart = true},
        {.rows = {1, 1, 1, 1, 1, 1}, .least_z = 0.8, .greatest_z = 3.5},
    };
    return all;
}

VectorXd drawn_row(const Pattern& pattern, bool first, Index d, std::mt19937_64& generator) {
    std::normal_distribution<double> normal;
    VectorXd x(d);
    for (Index i = 0; i < d; ++i) {
        const double fall = pattern.isotropic ? 1.0 : std::pow(0.9, static_cast<double>(i));
        x[i] = fall * normal(generator);
    }
    if (pattern.reversed && !first) {
        x.reverseInPlace();
    }
    if (pattern.apart && d > 1) {
        if (first) {
            x.tail(d / 2).setZero();
        } else {
            x.setZero();
            x.tail(d / 2).setOnes();
        }
    }
    return x / x.norm();
}

// FNV-1a over the eight bytes, the lowest first.
std::uint64_t hashed(std::uint64_t hash, double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    for (int shift = 0; shift < 64; shift += 8) {
        hash ^= (bits >> shift) & 0xff;
        hash *= 0x100000001b3;
    }
    return hash;
}

}  // namespace

bool is_decided_by_rounding(int index) {
    constexpr std::array decided = {2, 14, 15, 27, 41, 51, 54, 119, 131, 178, 183, 185, 211};
    return std::find(decided.begin(), decided.end(), index) != decided.end();
}

GoldenCase golden_case(int index) {
    const auto count = static_cast<int>(patterns().size());
    const Pattern& pattern = patterns()[static_cast<std::size_t>(index % count)];
    std::mt19937_64 generator(static_cast<std::uint64_t>(index));
    std::uniform_real_distribution<double> uniform;
    const auto d = static_cast<Index>(std::floor(std::pow(61.0, uniform(generator))));
    const double z =
        pattern.least_z * std::pow(pattern.greatest_z / pattern.least_z, uniform(generator));
    GoldenCase result{};
    result.model.noise = index / count % 2 == 0 ? NoiseShape::gaussian : NoiseShape::wishart;
    int fullest = 1;
    int rows = 0;
    for (const int in_stratum : pattern.rows) {
        fullest = std::max(fullest, in_stratum);
        rows += in_stratum;
    }
    result.model.rows = std::max(rows, 100);
    // For a stratum of radius one; norms are uniform in the upper half of what they may be.
    const double s = fullest * 0.5833 / (result.model.rows * z * std::sqrt(static_cast<double>(d)));
    for (std::size_t k = 0; k < pattern.rows.size(); ++k) {
        const double radius = std::ldexp(1.0, static_cast<int>(k + 1 - pattern.rows.size()));
        const double scale = s * radius * radius;
        MatrixXd noisy = noise_of(result.model.noise, d, scale, generator);
        for (int row = 0; row < pattern.rows[k]; ++row) {
            // One after the other: compilers differ in which factor of a product they draw first.
            const VectorXd direction = drawn_row(pattern, k == 0, d, generator);
            const double norm = 0.5 * radius * (1.0 + uniform(generator));
            const VectorXd x = norm * direction;
            noisy += x * x.transpose() / result.model.rows;
        }
        if (k + static_cast<std::size_t>(pattern.spiked) >= pattern.rows.size()) {
            noisy(d - 1, d - 1) += pattern.spike * scale * std::sqrt(static_cast<double>(d));
        }
        result.strata.push_back({.matrix = 0.5 * (noisy + noisy.transpose()),
                                 .noise_variance = scale * scale,
                                 .radius = radius});
    }
    return result;
}

GoldenOutput golden_output(const GoldenCase& input) {
    const detail::Belief belief = detail::estimate_strata(input.strata, input.model);
    const MatrixXd& estimate = belief.estimate;
    const Index d = estimate.rows();
    GoldenOutput output{};
    output.risk = detail::estimated_squared_error(belief);
    output.bits = 0xcbf29ce484222325;
    double weighted = 0.0;
    for (Index j = 0; j < d; ++j) {
        for (Index i = 0; i < d; ++i) {
            weighted += std::cos(static_cast<double>(1 + i + 3 * j)) * estimate(i, j);
            output.bits = hashed(output.bits, estimate(i, j));
        }
    }
    output.bits = hashed(output.bits, output.risk.value_or(-1.0));
    output.of_estimate = {estimate.norm(),        estimate.trace(),   estimate(0, 0),
                          estimate(d - 1, d - 1), estimate(0, d - 1), weighted};
    return output;
}

std::string golden_line(int index, const GoldenOutput& output) {
    std::string line = std::to_string(index);
    char number[40];
    for (const double value : output.of_estimate) {
        std::snprintf(number, sizeof number, " %.17g", value);
        line += number;
    }
    std::snprintf(number, sizeof number, " %.17g", output.risk.value_or(-1.0));
    line += number;
    std::snprintf(number, sizeof number, " %016llx", static_cast<unsigned long long>(output.bits));
    return line + number;
}

}  // namespace dpcov::test
