#include "place_scores.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>

#include "random/half_normal_table.hpp"
#include "statistics.hpp"

namespace dpcov::test {

using detail::HalfNormalTable;

double staircase(RandomSource& random) {
    const HalfNormalTable& table = HalfNormalTable::instance();
    const std::size_t cell = table.pick(random.next_word());
    return (static_cast<double>(cell) + static_cast<double>(random.next_word() >> 11) * 0x1p-53) /
           256;
}

double inner_staircase(RandomSource& random) {
    const HalfNormalTable& table = HalfNormalTable::instance();
    for (;;) {
        const std::size_t cell = table.pick(random.next_word());
        const std::uint64_t word = random.next_word();
        if (table.surely_accepted(cell, word >> 48)) {
            const std::uint64_t place = word & ((std::uint64_t{1} << 48) - 1);
            return (static_cast<double>(cell) + static_cast<double>(place) * 0x1p-48) / 256;
        }
    }
}

namespace {

/// E[x u] for x half-normal and u = 256 x - k its place in cell k:
/// 256 E[x^2] - sum_k k E[x; cell k].
double expected_place_score() {
    double expected = 256;
    for (int k = 0; k < 4096; ++k) {
        const auto bell = [](double x) { return std::exp(-x * x / 2); };
        const double cell = bell(k / 256.0) - bell((k + 1) / 256.0);
        expected -= k * std::sqrt(2 / std::numbers::pi) * cell;
    }
    return expected;
}

}  // namespace

double place_p_value(const std::function<double(RandomSource&)>& magnitude, int draws) {
    SeededRandomSource random(47);
    std::array<double, 2> sum{};
    std::array<double, 2> squares{};
    for (int i = 0; i < draws; ++i) {
        const double x = magnitude(random);
        const double u = 256 * x - std::floor(256 * x);
        const std::array<double, 2> scores{x * u, x * (1 - u)};
        for (std::size_t k = 0; k < 2; ++k) {
            sum[k] += scores[k];
            squares[k] += scores[k] * scores[k];
        }
    }
    const double first = expected_place_score();
    const std::array<double, 2> expected{first, std::sqrt(2 / std::numbers::pi) - first};
    double least = 1;
    for (std::size_t k = 0; k < 2; ++k) {
        const double mean = sum[k] / draws;
        const double deviation = std::sqrt((squares[k] / draws - mean * mean) / draws);
        least = std::min(least, 2 * two_sided_p_value((mean - expected[k]) / deviation));
    }
    return least;
}

}  // namespace dpcov::test
