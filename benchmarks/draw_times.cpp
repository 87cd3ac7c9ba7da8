// How long single draws of exact noise take, and what a clock would tell of them.
//   dpcov_draw_times [DRAWS]
// Each draw is timed five times with the same random words, and its least time counts: a clock that
// no interruption disturbs, better than anybody's who watches. Prints a table of quantiles in
// nanoseconds, the clock's own time taken away, and which share of the variance of |noise|, and of
// its sign, is explained by the time (in 64 classes of equally many draws), beside what the same
// times explain in another order: chance.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "arithmetic/wide_integer.hpp"
#include "random/discrete_laplace.hpp"
#include "random/random_source.hpp"
#include "random/rounded_gaussian.hpp"

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t classes = 64;

struct Draws {
    std::vector<double> nanoseconds;
    std::vector<double> values;
};

double nanoseconds_since(Clock::time_point begin) {
    return std::chrono::duration<double, std::nano>(Clock::now() - begin).count();
}

double clock_alone() {
    double least = std::numeric_limits<double>::infinity();
    for (int i = 0; i < 100000; ++i) {
        least = std::min(least, nanoseconds_since(Clock::now()));
    }
    return least;
}

// (What is drawn is kept as it is: to make a double of it takes longer for some signs.)
Draws timed(std::size_t count, const std::function<dpcov::Int128(dpcov::RandomSource&)>& draw) {
    const double overhead = clock_alone();
    Draws draws{.nanoseconds = std::vector<double>(count, std::numeric_limits<double>::infinity()),
                .values = std::vector<double>(count)};
    std::vector<dpcov::Int128> drawn(count);
    for (int repetition = 0; repetition < 5; ++repetition) {
        dpcov::SeededRandomSource random(1);
        for (std::size_t i = 0; i < count; ++i) {
            const Clock::time_point begin = Clock::now();
            drawn[i] = draw(random);
            draws.nanoseconds[i] =
                std::min(draws.nanoseconds[i], nanoseconds_since(begin) - overhead);
        }
    }
    std::transform(drawn.begin(), drawn.end(), draws.values.begin(),
                   [](dpcov::Int128 x) { return static_cast<double>(x); });
    return draws;
}

std::vector<std::size_t> by_time(const std::vector<double>& nanoseconds) {
    std::vector<std::size_t> order(nanoseconds.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    // Equal times in another order than that of the draws.
    std::shuffle(order.begin(), order.end(), std::mt19937_64(2));
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return nanoseconds[a] < nanoseconds[b]; });
    return order;
}

// Variance of the classes' means over that of the values, in per cent.
double explained(const std::vector<std::size_t>& order, const std::vector<double>& values) {
    const auto count = static_cast<double>(values.size());
    const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
    double all = 0.0;
    for (const double x : values) {
        all += (x - mean) * (x - mean);
    }
    double between = 0.0;
    for (std::size_t c = 0; c < classes; ++c) {
        const std::size_t begin = c * order.size() / classes;
        const std::size_t end = (c + 1) * order.size() / classes;
        double sum = 0.0;
        for (std::size_t i = begin; i < end; ++i) {
            sum += values[order[i]] - mean;
        }
        between += sum * sum / static_cast<double>(end - begin);
    }
    return 100.0 * between / all;
}

void print_row(const char* law, const Draws& draws) {
    std::vector<double> sorted = draws.nanoseconds;
    std::sort(sorted.begin(), sorted.end());
    const auto quantile = [&](double p) {
        return sorted[static_cast<std::size_t>(p * static_cast<double>(sorted.size() - 1))];
    };
    std::vector<double> magnitudes(draws.values.size());
    std::vector<double> signs(draws.values.size());
    std::transform(draws.values.begin(), draws.values.end(), magnitudes.begin(),
                   [](double x) { return std::fabs(x); });
    std::transform(draws.values.begin(), draws.values.end(), signs.begin(),
                   [](double x) { return x < 0.0 ? -1.0 : 1.0; });
    const std::vector<std::size_t> order = by_time(draws.nanoseconds);
    std::vector<std::size_t> any = order;
    std::shuffle(any.begin(), any.end(), std::mt19937_64(3));
    std::printf("| %s | %.0f | %.0f | %.0f | %.0f | %.0f | %.2f (%.3f) | %.4f (%.4f) |\n", law,
                quantile(0.01), quantile(0.5), quantile(0.9), quantile(0.99), quantile(0.999),
                explained(order, magnitudes), explained(any, magnitudes), explained(order, signs),
                explained(any, signs));
}

}  // namespace

int main(int argc, char** argv) {
    const std::size_t count = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1U << 20U;
    if (argc > 2 || count < classes) {
        std::fputs("dpcov_draw_times [DRAWS], at least 64\n", stderr);
        return 2;
    }
    constexpr double scale = 0x1.8p40;
    const dpcov::GaussianNoise gaussian = dpcov::gaussian_noise(scale);
    const dpcov::LaplaceScale laplace = dpcov::laplace_scale(scale);
    std::puts(
        "| law | 1 % | median | 90 % | 99 % | 99.9 % | of the variance of its magnitude, % "
        "(chance) "
        "| of its sign, % (chance) |");
    std::puts("| --- | --- | --- | --- | --- | --- | --- | --- |");
    print_row("rounded Gaussian", timed(count, [&](dpcov::RandomSource& random) {
                  return dpcov::add_gaussian(random, 0, gaussian);
              }));
    print_row("discrete Laplace", timed(count, [&](dpcov::RandomSource& random) {
                  return dpcov::discrete_laplace(random, laplace);
              }));
    // Control: noise whose time is its magnitude.
    print_row("control: a loop over the magnitude", timed(count, [&](dpcov::RandomSource& random) {
                  const dpcov::Int128 value = dpcov::add_gaussian(random, 0, gaussian);
                  volatile double sum = 0.0;
                  const double magnitude = std::fabs(static_cast<double>(value));
                  for (double i = 0.0; i < magnitude / scale * 100.0; i += 1.0) {
                      sum = sum + i;
                  }
                  return value;
              }));
    return 0;
}
