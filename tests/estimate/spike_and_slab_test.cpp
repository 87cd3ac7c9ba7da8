// The posterior behind noise against the integrals that it stands for.
#include "estimate/spike_and_slab.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace dpcov::detail {
namespace {

// By the midpoint rule over theta, in units that keep the exponents near zero.
SpikeAndSlab by_integration(double x, double s, double presence, double slab) {
    const double top = std::max(0.0, x - s * s / slab);
    const auto exponent = [&](double theta) {
        return -0.5 * std::pow((x - theta) / s, 2) - theta / slab;
    };
    const double peak = exponent(top);
    const double end = top + 12.0 * std::min(s, 10.0 * slab);
    constexpr int nodes = 400000;
    double mass = 0.0;
    double first = 0.0;
    double second = 0.0;
    for (int k = 0; k < nodes; ++k) {
        const double theta = end * (k + 0.5) / nodes;
        const double density = std::exp(exponent(theta) - peak) * end / nodes / slab;
        mass += density;
        first += theta * density;
        second += theta * theta * density;
    }
    const double at_zero = (1.0 - presence) * std::exp(-0.5 * std::pow(x / s, 2) - peak);
    const double all = at_zero + presence * mass;
    const double mean = presence * first / all;
    return {presence * mass / all, mean, presence * second / all - mean * mean};
}

TEST(SpikeAndSlab, IsWhatTheIntegralsSay) {
    for (const double x : {-4.0, -1.0, 0.0, 0.5, 2.0, 5.0}) {
        for (const double slab : {0.25, 1.0, 30.0}) {
            for (const double presence : {0.01, 0.5, 0.99}) {
                const SpikeAndSlab is = spike_and_slab_posterior(x, 1.0, presence, slab);
                const SpikeAndSlab expected = by_integration(x, 1.0, presence, slab);
                // Far below zero the tail is known to 6 / t^2 of what it adds; t is -8 at most
                // here.
                const bool far = x - 1.0 / slab < -6.0;
                const double tolerance = far ? 0.1 : 1e-6;
                EXPECT_NEAR(is.presence, expected.presence, tolerance * expected.presence);
                EXPECT_NEAR(is.mean, expected.mean, tolerance * expected.mean);
                EXPECT_NEAR(is.variance, expected.variance, 2.0 * tolerance * expected.variance);
            }
        }
    }
}

// Of three slabs, each as likely, and their mirror images: mixtures of the posteriors of one slab.
TEST(SpikeAndSlab, OfAnySizeIsAMixture) {
    for (const Sign sign : {Sign::positive, Sign::either}) {
        for (const double x : {-3.0, 0.0, 0.7, 4.0, 60.0}) {
            for (const double presence : {0.2, 0.8}) {
                const int parts = sign == Sign::either ? 6 : 3;
                double odds = 0.0;
                double first = 0.0;
                double second = 0.0;
                for (int k = 0; k < parts; ++k) {
                    const double direction = k < 3 ? 1.0 : -1.0;
                    const SpikeAndSlab one = spike_and_slab_posterior(
                        direction * x, 1.0, presence, std::ldexp(2.0, -3 * (k % 3)));
                    const double weight =
                        one.presence < 1.0 ? one.presence / (1.0 - one.presence) / parts : 1e200;
                    odds += weight;
                    first += direction * weight * one.mean / one.presence;
                    second += weight * (one.variance + one.mean * one.mean) / one.presence;
                }
                const SpikeAndSlab is = posterior_of_any_size(x, 1.0, presence, 2.0, sign);
                const double chance = odds / (1.0 + odds);
                const double mean = first / (1.0 + odds);
                EXPECT_NEAR(is.presence, chance, 1e-12) << x;
                EXPECT_NEAR(is.mean, mean, 1e-9 * (1.0 + std::fabs(x))) << x;
                EXPECT_NEAR(is.variance, second / (1.0 + odds) - mean * mean, 1e-7) << x;
            }
        }
    }
}

// What is plain to see is as it is seen, whatever its size; what is below zero of a positive theta
// is next to nothing; infinite likelihoods are no trouble.
TEST(SpikeAndSlab, OfAnySizeAtItsEnds) {
    EXPECT_NEAR(posterior_of_any_size(1e6, 1.0, 0.8, 1e6, Sign::positive).mean, 1e6, 1.0);
    EXPECT_NEAR(posterior_of_any_size(-1e6, 1.0, 0.8, 1e6, Sign::either).mean, -1e6, 1.0);
    EXPECT_LT(posterior_of_any_size(-50.0, 1.0, 0.8, 1.0, Sign::positive).mean, 0.02);
    EXPECT_EQ(posterior_of_any_size(1e6, 1.0, 1e-15, 1.0, Sign::positive).presence, 1.0);
    EXPECT_NEAR(posterior_of_any_size(0.0, 1.0, 0.8, 1.0, Sign::either).mean, 0.0, 1e-15);
}

TEST(SpikeAndSlab, HasAUnit) {
    const SpikeAndSlab one = spike_and_slab_posterior(2.0, 1.0, 0.5, 3.0);
    const SpikeAndSlab tenfold = spike_and_slab_posterior(20.0, 10.0, 0.5, 30.0);
    EXPECT_NEAR(tenfold.presence, one.presence, 1e-12);
    EXPECT_NEAR(tenfold.mean, 10.0 * one.mean, 1e-12);
    EXPECT_NEAR(tenfold.variance, 100.0 * one.variance, 1e-11);
}

}  // namespace
}  // namespace dpcov::detail
