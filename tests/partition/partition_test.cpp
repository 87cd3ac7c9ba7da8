#include "partition/partition.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "partition/histogram_seen.hpp"
#include "partition/one_column_error.hpp"
#include "partition/partial_rows.hpp"
#include "partition/partition_error.hpp"
#include "partition/partition_search.hpp"

namespace dpcov::detail {
namespace {

// Quarter octaves down to 2^-12.
NoisyHistogram quarter_octaves(double deviation) {
    NoisyHistogram histogram;
    for (int bin = 47; bin >= 0; --bin) {
        histogram.radii.push_back(std::exp2(-bin / 4.0));
    }
    histogram.counts.assign(histogram.radii.size(), 0.0);
    histogram.deviation = deviation;
    return histogram;
}

PartitionFacts facts_of(Eigen::Index columns, double rows, double rho) {
    return {.columns = columns,
            .rows = rows,
            .noise_deviation_at_radius_one = 1.0 / (std::sqrt(rho) * rows)};
}

TEST(Partition, CutsWhereTheRowsEnd) {
    NoisyHistogram histogram = quarter_octaves(30.0);
    histogram.counts[44] = 20000.0;  // radius 2^(-3/4)
    const std::vector<StratumBins> strata =
        choose_partition(histogram, facts_of(50, 2e4, 0.05)).strata;
    ASSERT_FALSE(strata.empty());
    EXPECT_EQ(strata.front(), (StratumBins{0, 44}));
}

// A bin of three and a half deviations far above all others holds rows, or is noise.
TEST(Partition, TakesForRowsWhatIsSignificant) {
    NoisyHistogram histogram = quarter_octaves(30.0);
    histogram.counts[30] = 20000.0;
    histogram.counts[40] = 3.5 * histogram.deviation;
    PartitionFacts facts = facts_of(50, 2e4, 0.05);
    const auto has_edge_at = [&](std::size_t bin) {
        const std::vector<StratumBins> strata = choose_partition(histogram, facts).strata;
        return std::any_of(strata.begin(), strata.end(),
                           [&](const StratumBins& stratum) { return stratum.last == bin; });
    };
    facts.about_mean = false;
    EXPECT_TRUE(has_edge_at(40));
    facts.about_mean = true;
    EXPECT_FALSE(has_edge_at(40));
    EXPECT_TRUE(has_edge_at(30));
}

// Noise makes rows up far above those that there are, in one of twelve such histograms. What the
// rows get for noise is by their own radius all the same, which the histogram shows beyond doubt.
// Control: without a required end the same model takes them together.
TEST(Partition, RowsThatNoiseMadeUpWidenNoStratum) {
    constexpr std::size_t rows_end = 20;
    std::mt19937_64 generator(71);
    std::normal_distribution<double> normal(0.0, 30.0);
    const PartitionFacts facts = facts_of(5, 2e4, 0.1);
    int made_up = 0;
    int together = 0;
    for (int run = 0; run < 1000; ++run) {
        NoisyHistogram histogram = quarter_octaves(30.0);
        for (double& count : histogram.counts) {
            count += normal(generator);
        }
        histogram.counts[rows_end] += 20000.0;
        const std::optional<Seen> seen = seen_in(histogram, facts);
        ASSERT_TRUE(seen);
        if (seen->last < rows_end + 3) {
            continue;
        }
        ++made_up;
        EXPECT_EQ(seen->certain_end, rows_end);
        const auto ends_there = [](std::size_t end) { return end == rows_end; };
        const std::vector<StratumBins> strata = choose_partition(histogram, facts).strata;
        EXPECT_TRUE(std::any_of(strata.begin(), strata.end(), [&](const StratumBins& stratum) {
            return ends_there(stratum.last);
        }));
        Seen without = *seen;
        without.certain_end.reset();
        const Ends free = best_ends(without, PartitionError(seen->populated, facts));
        together += std::none_of(free.begin(), free.end(), ends_there) ? 1 : 0;
    }
    EXPECT_GT(made_up, 50);
    EXPECT_GT(together, made_up / 4);
}

// Long rows that are there beyond doubt ask for nothing: the model alone decides.
TEST(Partition, RowsBeyondDoubtRequireNoEnd) {
    NoisyHistogram histogram = quarter_octaves(30.0);
    histogram.counts[20] = 20000.0;
    histogram.counts[40] = 5.5 * histogram.deviation;
    PartitionFacts facts = facts_of(5, 2e4, 0.1);
    EXPECT_FALSE(seen_in(histogram, facts)->certain_end);
    histogram.counts[40] = 4.5 * histogram.deviation;
    EXPECT_EQ(seen_in(histogram, facts)->certain_end, 20U);
    // Laplace's law goes that far more often.
    facts.noise = NoiseShape::wishart;
    histogram.counts[40] = 7.5 * histogram.deviation;
    EXPECT_EQ(seen_in(histogram, facts)->certain_end, 20U);
    // Next to the rows it makes no difference.
    histogram.counts[40] = 0.0;
    histogram.counts[21] = 4.5 * histogram.deviation;
    EXPECT_FALSE(seen_in(histogram, facts)->certain_end);
}

// Rows that may be noise are, where twice the trace that is known to be there does not suffice for
// them. Control: rows beyond doubt stay.
TEST(Partition, RowsOfMoreTraceThanThereIsAreNoise) {
    NoisyHistogram histogram = quarter_octaves(30.0);
    histogram.counts[20] = 20000.0;
    histogram.counts[40] = 4.5 * histogram.deviation;
    PartitionFacts facts = facts_of(5, 2e4, 0.1);
    const double trace_above =
        PartitionError(seen_in(histogram, facts)->populated, facts).trace_above(20);
    const double of_bin = histogram.counts[40] / 2e4 * 0.5 *
                          (std::pow(histogram.radii[39], 2) + std::pow(histogram.radii[40], 2));
    EXPECT_NEAR(trace_above, of_bin, 1e-12 * of_bin);
    facts.greatest_trace = 0.501 * trace_above;
    EXPECT_EQ(seen_in(histogram, facts)->last, 40U);
    EXPECT_EQ(seen_in(histogram, facts)->certain_end, 20U);
    facts.greatest_trace = 0.499 * trace_above;
    EXPECT_EQ(seen_in(histogram, facts)->last, 20U);
    EXPECT_FALSE(seen_in(histogram, facts)->certain_end);
    EXPECT_EQ(seen_in(histogram, facts)->populated.counts.size(), 21U);
    histogram.counts[40] = 5.5 * histogram.deviation;
    EXPECT_EQ(seen_in(histogram, facts)->last, 40U);
}

// The mean is as long as the rows that are there beyond doubt, though noise made others up above
// them that would have most of the trace. Control: rows that are there have it.
TEST(Partition, TheMeanIsAsLongAsRowsBeyondDoubt) {
    NoisyHistogram histogram = quarter_octaves(30.0);
    histogram.counts[20] = 2000.0;
    const PartitionFacts facts = facts_of(5, 2e4, 0.1);
    for (const double deviations : {3.5, 5.5}) {
        histogram.counts[40] = deviations * histogram.deviation;
        const Prediction prediction =
            predicted(histogram, facts, choose_partition(histogram, facts).strata);
        EXPECT_EQ(prediction.main_radius, histogram.radii[deviations < 5.0 ? 20 : 40]);
        EXPECT_LT(prediction.squared_mean, 0.2);  // a tenth of n rows are there
    }
}

// Where bins are fine those just above the rows that are seen lie in no stratum that goes far up,
// among whose noise their few rows would be lost.
TEST(Partition, ReachesATenthBeyondTheRowsThatAreSeen) {
    struct Case {
        double bins_per_octave;
        std::size_t end;
    };
    // Two bins of 1/16 of an octave are 2^(2/16) = 1.091. One of 1/8 is as much, but the rows that
    // are seen lie in a bin that is twice as wide.
    for (const Case& of : {Case{16.0, 42}, Case{8.0, 40}}) {
        NoisyHistogram histogram;
        for (int bin = 63; bin >= 0; --bin) {
            histogram.radii.push_back(std::exp2(-bin / of.bins_per_octave));
        }
        histogram.counts.assign(histogram.radii.size(), 0.0);
        histogram.deviation = 30.0;
        histogram.counts[40] = 20000.0;
        const std::vector<StratumBins> strata =
            choose_partition(histogram, facts_of(5, 2e4, 0.05)).strata;
        const auto ends_at_reach = [&](const StratumBins& stratum) {
            return stratum.last == of.end;
        };
        EXPECT_EQ(std::count_if(strata.begin(), strata.end(), ends_at_reach), 1);
    }
}

TEST(Partition, RowsFarShorterThanOthersGetAStratumOfTheirOwn) {
    NoisyHistogram histogram = quarter_octaves(30.0);
    histogram.counts[35] = 19000.0;
    histogram.counts[47] = 1000.0;
    const std::vector<StratumBins> strata =
        choose_partition(histogram, facts_of(50, 2e4, 0.05)).strata;
    ASSERT_FALSE(strata.empty());
    EXPECT_EQ(strata.front(), (StratumBins{0, 35}));
}

// A few rows in between, which the histogram does not show, must not get the noise of the longest.
TEST(Partition, NoStratumButTheFinestIsWiderThanAnOctave) {
    NoisyHistogram histogram = quarter_octaves(30.0);
    histogram.counts[38] = 19000.0;
    histogram.counts[47] = 1000.0;
    const std::vector<StratumBins> strata =
        choose_partition(histogram, facts_of(50, 2e4, 0.05)).strata;
    ASSERT_GE(strata.size(), 2U);
    EXPECT_EQ(strata.back().last, 47U);
    for (std::size_t at = 1; at < strata.size(); ++at) {
        EXPECT_LE(histogram.radii[strata[at].last], 2.01 * histogram.radii[strata[at - 1].last]);
    }
}

// Noise of the histogram must not be taken for short rows, one stratum beside each of its peaks.
TEST(Partition, NoiseOfTheHistogramMakesNoStrata) {
    const NoisyHistogram still = [] {
        NoisyHistogram histogram = quarter_octaves(30.0);
        histogram.counts[45] = 700.0;
        return histogram;
    }();
    NoisyHistogram noisy = still;
    for (std::size_t bin = 0; bin < 45; ++bin) {
        noisy.counts[bin] += 50.0 * std::sin(0.8 * static_cast<double>(bin));  // below 2 deviations
    }
    const PartitionFacts facts = facts_of(9, 700.0, 0.06);
    EXPECT_EQ(choose_partition(noisy, facts), choose_partition(still, facts));
}

// A few rows a little longer than the rest count among them in part: the noise of all is that of
// the rest alone.
TEST(Partition, ExtendsTheStratumBelowAFewLongerRows) {
    NoisyHistogram histogram = quarter_octaves(10.0);
    histogram.counts[42] = 30000.0;
    histogram.counts[43] = 200.0;
    const Partition partition = choose_partition(histogram, facts_of(30, 30200.0, 0.05));
    ASSERT_TRUE(partition.extended);
    EXPECT_EQ(partition.strata[*partition.extended].last, 42U);
    // Control: much longer rows, and many of them, have a stratum of their own, which holds most.
    histogram.counts[43] = 0.0;
    histogram.counts[47] = 30000.0;
    const Partition other = choose_partition(histogram, facts_of(30, 60000.0, 0.05));
    ASSERT_TRUE(other.extended);
    EXPECT_GT(other.strata[*other.extended].last, 43U);
}

TEST(Partition, StrataAreDisjointAndAscending) {
    NoisyHistogram histogram = quarter_octaves(30.0);
    for (std::size_t bin = 20; bin < 46; ++bin) {
        histogram.counts[bin] = bin % 3 == 0 ? -20.0 : 500.0;
    }
    const std::vector<StratumBins> strata =
        choose_partition(histogram, facts_of(10, 1e4, 0.5)).strata;
    std::size_t next = 0;
    for (const StratumBins& stratum : strata) {
        EXPECT_GE(stratum.first, next);
        EXPECT_GE(stratum.last, stratum.first);
        next = stratum.last + 1;
    }
    EXPECT_LE(next, histogram.radii.size());
}

TEST(Partition, EmptyBinsAreLeftOutWhereTheirRowsCouldNotMatter) {
    NoisyHistogram histogram = quarter_octaves(10.0);
    histogram.counts[44] = 20000.0;
    EXPECT_EQ(choose_partition(histogram, facts_of(2000, 2e4, 0.05)).strata.back().last, 44U);
    // At few columns a few long rows would show.
    EXPECT_EQ(choose_partition(histogram, facts_of(10, 2e4, 0.05)).strata,
              (std::vector<StratumBins>{{0, 44}, {45, 47}}));
}

TEST(Partition, OctavesWhereTheHistogramShowsNothing) {
    NoisyHistogram histogram = quarter_octaves(30.0);
    histogram.counts[20] = 60.0;
    const std::vector<StratumBins> strata =
        choose_partition(histogram, facts_of(10, 100.0, 0.05)).strata;
    ASSERT_EQ(strata.size(), 12U);
    EXPECT_EQ(strata.back(), (StratumBins{44, 47}));
    EXPECT_EQ(strata.front(), (StratumBins{0, 3}));
}

TEST(Partition, TheChosenStrataArePredictedToErrNoMoreThanOthers) {
    NoisyHistogram histogram = quarter_octaves(30.0);
    for (std::size_t bin = 30; bin < 48; ++bin) {
        histogram.counts[bin] = 2000.0;
    }
    const PartitionFacts facts = facts_of(40, 36000.0, 0.05);
    const PartitionError model(histogram, facts);
    const Partition partition = choose_partition(histogram, facts);
    Ends ends;
    for (const StratumBins& stratum : partition.strata) {
        ends.push_back(stratum.last);
    }
    const double chosen = model.cost(ends, partition.extended);
    for (std::size_t cut = 43; cut < 47; ++cut) {  // no stratum but the finest is wider
        for (const std::optional<std::size_t> extended :
             {std::optional<std::size_t>(), std::optional<std::size_t>(0)}) {
            EXPECT_LE(chosen, 1.02 * model.cost({cut, 47}, extended)) << cut;
        }
    }
}

// A run of bins holds rows by the noise of its sum, in which deviations add up as squares do.
TEST(Partition, RunsOfBinsAreSeenBesideTheNoiseOfTheirSum) {
    NoisyHistogram histogram = quarter_octaves(30.0);
    const auto last_of_four_with = [&](double deviations) {
        std::fill_n(histogram.counts.begin() + 30, 4, deviations * histogram.deviation);
        return last_populated(histogram, 3.0);
    };
    EXPECT_EQ(last_of_four_with(1.51), 30U);  // 6.04 deviations of one bin, and 3.02 of the run
    EXPECT_EQ(last_of_four_with(1.49), std::nullopt);
    EXPECT_EQ(last_of_four_with(3.01), 33U);
}

// Five deviations of a run; under Laplace's law three of a bin more.
TEST(Partition, RowsAreBeyondDoubtFromTheirThresholdOn) {
    NoisyHistogram histogram = quarter_octaves(30.0);
    PartitionFacts facts = facts_of(5, 2e4, 0.1);
    for (const auto& [noise, threshold] :
         {std::pair(NoiseShape::gaussian, 5.0), std::pair(NoiseShape::wishart, 8.0)}) {
        facts.noise = noise;
        histogram.counts[30] = (threshold + 0.01) * histogram.deviation;
        EXPECT_EQ(last_beyond_doubt(histogram, facts), 30U);
        histogram.counts[30] = (threshold - 0.01) * histogram.deviation;
        EXPECT_EQ(last_beyond_doubt(histogram, facts), std::nullopt);
    }
}

// From 1.4 times the radius on: half an octave, and not a quarter of one.
TEST(Partition, AnEndIsRequiredWellBelowTheRowsThatMayBeNoise) {
    NoisyHistogram histogram = quarter_octaves(30.0);
    const PartitionFacts facts = facts_of(5, 2e4, 0.1);
    histogram.counts[20] = 20000.0;
    for (const std::size_t last : {21U, 22U}) {
        histogram.counts[last] = 4.5 * histogram.deviation;
        const std::optional<Seen> seen = seen_in(histogram, facts);
        ASSERT_TRUE(seen);
        EXPECT_EQ(seen->last, last);
        EXPECT_EQ(seen->certain_end, last == 22 ? std::optional<std::size_t>(20) : std::nullopt);
        histogram.counts[last] = 0.0;
    }
}

// What is detected stays; the rest is shared out over an octave, that is five of these bins, and is
// not below nothing.
TEST(Partition, SharesOutWhatIsNotDetected) {
    NoisyHistogram histogram = quarter_octaves(10.0);
    histogram.counts[2] = 29.0;
    histogram.counts[5] = 30.1;
    histogram.counts[7] = -20.0;
    histogram.counts[12] = 10.0;
    const std::vector<double> smooth = smooth_counts(histogram, {});
    for (std::size_t bin = 0; bin < 17; ++bin) {
        EXPECT_NEAR(smooth[bin],
                    bin < 5                  ? 29.0 / 5.0
                    : bin == 5               ? 30.1
                    : bin >= 11 && bin <= 15 ? 10.0 / 5.0
                                             : 0.0,
                    1e-12)
            << bin;
    }
}

// What is shown, if that is more than nothing, and three deviations of its noise.
TEST(Partition, BinsMayHoldWhatTheNoiseHides) {
    NoisyHistogram histogram = quarter_octaves(30.0);
    histogram.counts[44] = 100.0;
    histogram.counts[45] = -40.0;
    histogram.counts[46] = -200.0;
    const PartitionFacts facts = facts_of(5, 2e4, 0.1);
    const auto square = [&](std::size_t bin) { return std::pow(histogram.radii[bin], 2) / 2e4; };
    EXPECT_NEAR(
        may_hold({44, 45}, histogram, facts),
        100.0 * square(44) - 40.0 * square(45) + 3.0 * 30.0 * std::hypot(square(44), square(45)),
        1e-12);
    EXPECT_NEAR(may_hold({46, 46}, histogram, facts), 3.0 * 30.0 * square(46), 1e-12);
}

// All that is left out together is held against the error, from the finest on.
TEST(Partition, LeavesOutNoMoreThanIsNegligible) {
    NoisyHistogram histogram = quarter_octaves(30.0);
    histogram.counts[20] = 20000.0;
    PartitionFacts facts = facts_of(5, 2e4, 0.05);
    const Seen seen = seen_in(histogram, facts).value();
    const PartitionError model(seen.populated, facts);
    const double error = std::sqrt(model.if_alike(best_ends(seen, model)));
    facts.tuning.negligible_root = 0.0;
    std::vector<StratumBins> above = choose_partition(histogram, facts).strata;
    std::erase_if(above, [&](const StratumBins& stratum) { return stratum.first <= seen.last; });
    ASSERT_GE(above.size(), 3U);
    double held = 0.0;
    for (std::size_t left_out = 1; left_out <= above.size(); ++left_out) {
        held += may_hold(above[left_out - 1], histogram, facts);
        for (const bool enough : {false, true}) {
            facts.tuning.negligible_root = held / error * (enough ? 1.0 + 1e-9 : 1.0 - 1e-9);
            const std::vector<StratumBins> strata = choose_partition(histogram, facts).strata;
            const auto kept = static_cast<std::size_t>(std::count_if(
                strata.begin(), strata.end(),
                [&](const StratumBins& stratum) { return stratum.first > seen.last; }));
            EXPECT_EQ(kept, above.size() - left_out + (enough ? 0U : 1U)) << left_out;
        }
    }
}

// Above the rows that are seen a stratum costs a twentieth of its noise, or of what it may hold.
TEST(Partition, AStratumAboveTheRowsCostsALittle) {
    NoisyHistogram histogram = quarter_octaves(30.0);
    histogram.counts[20] = 20000.0;
    PartitionFacts facts = facts_of(5, 2e4, 0.05);
    const MeanFacts none{.squared_weight = 1e300};
    const auto cost_above = [&](const StratumBins& stratum) {
        return steady_squared_error(histogram, facts, {{0, 20}, stratum}, none) -
               steady_squared_error(histogram, facts, {{0, 20}}, none);
    };
    const double variance = std::pow(facts.noise_deviation_at_radius_one, 2);
    const double held = may_hold({44, 47}, histogram, facts);
    ASSERT_LT(4.0 * variance, held * held);
    EXPECT_NEAR(cost_above({44, 47}), 0.05 * 4.0 * variance, 1e-6 * variance);
    facts.noise_deviation_at_radius_one = held;
    EXPECT_NEAR(cost_above({44, 47}), 0.05 * held * held, 1e-6 * held * held);
}

// Half of what strata of one shape err by, and half of what strata of any shapes do; and what the
// mean's noise makes of the product of the mean with itself.
TEST(Partition, TheSteadyErrorIsThatOfStrataAndOfTheMean) {
    NoisyHistogram histogram = quarter_octaves(30.0);
    histogram.counts[20] = 20000.0;
    histogram.counts[24] = 8000.0;
    const PartitionFacts facts = facts_of(5, 28000.0, 0.05);
    const PartitionError model(seen_in(histogram, facts)->populated, facts);
    const Ends ends = {20, 24};
    const double expected = 0.5 * (model.if_alike(ends) + model.if_unlike(ends));
    ASSERT_GT(std::abs(model.if_alike(ends) - model.if_unlike(ends)), 0.01 * expected);
    const auto steady = [&](const MeanFacts& mean) {
        return steady_squared_error(histogram, facts, {{0, 20}, {21, 24}}, mean);
    };
    EXPECT_NEAR(steady({.squared_weight = 1e300}), expected, 1e-9 * expected);
    double variance = 0.0;
    for (const std::size_t end : ends) {
        variance +=
            0.5 * std::pow(facts.noise_deviation_at_radius_one * histogram.radii[end], 2) / 0.25;
    }
    const double of_mean = 6.0 * variance * (2.0 * 1e-4 + 5.0 * variance);
    EXPECT_NEAR(steady({.squared_weight = 0.25, .squared_mean = 1e-4}) - expected, of_mean,
                1e-6 * of_mean);
    const double of_noise = 6.0 * 5.0 * std::pow(1e6 * variance, 2);
    EXPECT_NEAR(steady({.squared_weight = 0.25e-6}) - expected, of_noise, 1e-6 * of_noise);
}

// One column: each stratum has its own noise, on its sum, and where they are asked for on the mean
// and on the number of rows; the bins in none of them, too.
TEST(Partition, OneColumnErrsByAllThatIsDrawn) {
    const NoisyHistogram histogram = quarter_octaves(30.0);
    PartitionFacts facts = facts_of(1, 2e4, 0.05);
    facts.squared_mean_weight = 0.5;
    const double second_moment = 0.3;
    const double squared_mean = 0.1;
    const double from_rows = second_moment - 2.0 * squared_mean;
    const double s = std::pow(facts.noise_deviation_at_radius_one, 2);
    const auto square = [&](std::size_t bin) { return std::pow(histogram.radii[bin], 2); };
    for (const NoiseShape noise : {NoiseShape::gaussian, NoiseShape::wishart}) {
        for (const bool counts : {false, true}) {
            facts.noise = noise;
            facts.counts = counts;
            const bool together = counts && noise == NoiseShape::gaussian;
            const double of_rows =
                counts ? (together ? 2.0 : std::pow(0.5, -2.0)) * from_rows * from_rows : 0.0;
            const auto left_out = [&](double r) { return of_rows + 2.0 * squared_mean * r / 0.5; };
            const auto taken = [&](double r) {
                return together ? std::pow(r - from_rows, 2) + from_rows * from_rows +
                                      2.0 * squared_mean * r / 0.5
                                : r * r + left_out(r);
            };
            const double expected = s * (taken(square(10)) + taken(square(30)) +
                                         left_out(square(40)) + left_out(square(47)));
            const double found =
                one_column_squared_error({{0, 10}, {20, 30}, {35, 40}}, histogram, 20, facts,
                                         {facts, second_moment, squared_mean});
            EXPECT_NEAR(found, expected, 1e-12 * expected) << counts;
        }
    }
}

// No mean is longer than the rows are.
TEST(Partition, OneColumnsMeanIsNoLongerThanItsRows) {
    NoisyHistogram histogram = quarter_octaves(30.0);
    histogram.counts[20] = 20000.0;
    PartitionFacts facts = facts_of(1, 2e4, 0.05);
    facts.squared_mean_weight = 0.5;
    const double second_moment =
        PartitionError(seen_in(histogram, facts)->populated, facts).trace();
    const auto steady = [&](double squared_mean) {
        return steady_squared_error(histogram, facts, {{0, 20}}, {.squared_mean = squared_mean});
    };
    EXPECT_EQ(steady(2.0 * second_moment), steady(second_moment));
    EXPECT_LT(steady(0.5 * second_moment), 0.9 * steady(second_moment));
}

// One column is taken whole where that errs no more, and not where it errs by a little more.
TEST(Partition, TakesOneColumnWholeWhereThatErrsNoMore) {
    NoisyHistogram histogram = quarter_octaves(30.0);
    histogram.counts[33] = 20000.0;
    PartitionFacts facts = facts_of(1, 2e4, 0.05);
    facts.noise_deviation_of_all_rows = 1.0;
    const std::vector<StratumBins> strata = choose_partition(histogram, facts).strata;
    const std::vector<StratumBins> whole = {all_bins(histogram)};
    ASSERT_NE(strata, whole);
    const std::size_t last = last_beyond_doubt(histogram, facts).value();
    const double second_moment =
        PartitionError(populated_part(histogram, last, facts.tuning), facts).trace();
    const auto error_of = [&](const std::vector<StratumBins>& which) {
        return one_column_squared_error(which, histogram, last, facts, {facts, second_moment, 0.0});
    };
    const double as_good = std::sqrt(error_of(strata) / error_of(whole));
    facts.noise_deviation_of_all_rows = as_good * (1.0 - 1e-9);
    EXPECT_EQ(choose_partition(histogram, facts).strata, whole);
    facts.noise_deviation_of_all_rows = as_good * (1.0 + 1e-9);
    EXPECT_EQ(choose_partition(histogram, facts).strata, strata);
}

// A little for each stratum, and the weighted geometric mean of two models.
TEST(PartitionError, IsPricedByTheStratum) {
    NoisyHistogram histogram = quarter_octaves(30.0);
    histogram.counts[44] = 20000.0;
    histogram.counts[46] = 1000.0;
    const PartitionFacts facts = facts_of(20, 21000.0, 0.05);
    const PartitionError model(histogram, facts);
    const Ends ends = {40, 44, 47};
    const double alike = model.if_alike(ends);
    EXPECT_NEAR(model.cost(ends), 1.006 * alike, 1e-12 * alike);
    const double somewhat = model.if_somewhat_alike(ends, 1);
    ASSERT_GT(std::abs(std::log(somewhat / alike)), 0.01);
    const double both = std::pow(alike, 0.25) * std::pow(somewhat, 0.75);
    EXPECT_NEAR(model.cost(ends, 1), 1.006 * both, 1e-12 * both);
}

// The rows that count in part are at most three times what the stratum has of its own.
TEST(PartitionError, AnExtendedStratumHasAQuarterOfItsOwn) {
    NoisyHistogram histogram = quarter_octaves(30.0);
    const PartitionFacts facts = facts_of(20, 21000.0, 0.05);
    const auto square = [&](std::size_t bin) { return std::pow(histogram.radii[bin], 2); };
    const double part = greatest_part(square(44) / square(43), {square(43) / square(44), 1.0},
                                      NoiseShape::gaussian);
    // The trace of a bin is by the middle of its squared radii.
    const auto middle = [&](std::size_t bin) { return 0.5 * (square(bin - 1) + square(bin)); };
    for (const double times : {2.99, 3.01}) {
        histogram.counts[43] = 5000.0;
        histogram.counts[44] = times / part * 5000.0 * middle(43) / middle(44);
        const PartitionError model(histogram, facts);
        EXPECT_EQ(std::isfinite(model.if_somewhat_alike({43, 44}, 0)), times < 3.0) << times;
    }
}

// Rows are where their squares are in the middle of their bin; what holds nothing costs nothing.
TEST(PartitionError, KnowsTheTraceOfTheRows) {
    NoisyHistogram histogram = quarter_octaves(30.0);
    const PartitionFacts facts = facts_of(20, 21000.0, 0.05);
    EXPECT_LT(PartitionError(histogram, facts).if_alike({47}), 1e-20);
    histogram.counts[44] = 2100.0;
    const double between =
        0.5 * (std::pow(histogram.radii[43], 2) + std::pow(histogram.radii[44], 2));
    EXPECT_NEAR(PartitionError(histogram, facts).trace(), 0.1 * between, 1e-12);
}

// Of two strata that are somewhat alike one is estimated by itself, and the other as a multiple of
// it: for its mismatch, four coordinates of noise, and the error of the first, which is multiplied.
TEST(PartitionError, OfSomewhatAlikeIsThatOfAMultiple) {
    NoisyHistogram histogram = quarter_octaves(30.0);
    histogram.counts[36] = 900.0;
    histogram.counts[47] = 100.0;
    PartitionFacts facts = facts_of(20, 1000.0, 0.05);
    facts.tuning.mismatch = 0.1;  // so that a multiple is the better
    const PartitionError model(histogram, facts);
    const ReferenceShape shape(20);
    const auto trace_of = [&](std::size_t bin) {
        return histogram.counts[bin] / facts.rows * 0.5 *
               (std::pow(histogram.radii[bin - 1], 2) + std::pow(histogram.radii[bin], 2));
    };
    const double main = trace_of(36);
    const double other = trace_of(47);
    const double of_main = main * main * shape.squared_error(model.variance(36) / (main * main));
    const double along = 0.1 * 0.1 * other * other + 4.0 * model.variance(47) +
                         of_main * (std::pow(1.0 + other / main, 2) - 1.0);
    const double apart =
        other * other * std::min(1.0, shape.squared_error(model.variance(47) / (other * other)));
    const double found = model.if_somewhat_alike({36, 47}, {});
    EXPECT_NEAR(found, of_main + std::min(along, apart), 1e-9 * found);
    EXPECT_LT(along, apart);
}

// Rows of two norms, more than an octave apart, and a little room above them. To part them takes
// two ends at once, since no stratum but the finest may be wider than an octave. What is chosen is
// compared with all partitions of two or three strata and the octaves that these take. Control: one
// end at a time does not find it.
TEST(PartitionSearch, FindsEndsThatNeedOthersBetween) {
    NoisyHistogram histogram;
    histogram.deviation = 20.0;
    for (int bin = 0; bin < 48; ++bin) {
        histogram.radii.push_back(std::exp2((bin - 47) / 16.0));
        histogram.counts.push_back(0.0);
    }
    histogram.counts[20] = 10000.0;
    histogram.counts[41] = 10000.0;
    const PartitionFacts facts = facts_of(180, 20000.0, 0.1);
    const Seen seen = seen_in(histogram, facts).value();
    ASSERT_GT(seen.last, 41U);
    const PartitionError model(seen.populated, facts);
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t low = 0; low < seen.last; ++low) {
        for (std::size_t high = low; high < seen.last; ++high) {
            Ends ends = {low};
            for (const std::size_t end : octaves_above(histogram.radii, low, high)) {
                ends.push_back(end);
            }
            for (const std::size_t end : octaves_above(histogram.radii, high, seen.last)) {
                ends.push_back(end);
            }
            least = std::min(least, model.cost(ends));
        }
    }
    const Ends by_one_end = best_ends(seen, model);
    const ExtendedEnds chosen = best_extended(by_one_end, seen, model, facts.tuning.worth);
    EXPECT_LE(model.cost(chosen.ends), (1.0 + 1e-9) * least);
    EXPECT_GT(model.cost(by_one_end), 1.1 * least);
}

// Other ends than were chosen must be worth it.
TEST(PartitionSearch, OtherEndsAreExtendedWhereTheyAreWorthIt) {
    NoisyHistogram histogram = quarter_octaves(10.0);
    histogram.counts[42] = 30000.0;
    histogram.counts[43] = 200.0;
    const PartitionFacts facts = facts_of(30, 30200.0, 0.05);
    const PartitionError model(histogram, facts);
    const Ends ends = {47};
    const Seen seen{.last = 47, .certain_end = {}, .populated = histogram};
    const ExtendedEnds free = best_extended(ends, seen, model, 1.0);
    ASSERT_NE(free.ends, ends);
    const double gain = model.cost(free.ends, free.extended) / model.cost(ends, {});
    EXPECT_EQ(best_extended(ends, seen, model, 0.9 * gain).ends, ends);
    EXPECT_NE(best_extended(ends, seen, model, 1.1 * gain).ends, ends);
}

// Rows that count in part in a finer stratum lack in their own.
TEST(PartitionError, IsLessWhereLongRowsCountInPart) {
    NoisyHistogram histogram = quarter_octaves(30.0);
    histogram.counts[44] = 20000.0;
    histogram.counts[46] = 1000.0;
    const PartitionFacts facts = facts_of(20, 21000.0, 0.05);
    const PartitionError model(histogram, facts);
    EXPECT_LT(model.if_somewhat_alike({44, 47}, 0), 0.9 * model.if_somewhat_alike({44, 47}, {}));
    // Control: of those that hold next to nothing none may be extended.
    EXPECT_TRUE(std::isinf(model.if_somewhat_alike({40, 44, 47}, 0)));
}

// One column has no shape that strata could share: they are taken where their noise is less than
// that of the whole, which is where bounds are wide.
TEST(Partition, TakesOneColumnWholeUnlessItsBoundsAreWide) {
    const std::vector<StratumBins> whole = {{0, 47}};
    for (const NoiseShape noise : {NoiseShape::gaussian, NoiseShape::wishart}) {
        PartitionFacts facts = facts_of(1, 2e4, 0.05);
        facts.noise = noise;
        facts.noise_deviation_of_all_rows = facts.noise_deviation_at_radius_one / std::sqrt(2.0);
        NoisyHistogram tight = quarter_octaves(30.0);
        tight.counts[45] = 10000.0;
        tight.counts[46] = 6000.0;
        tight.counts[47] = 4000.0;
        EXPECT_EQ(choose_partition(tight, facts).strata, whole);
        NoisyHistogram wide = quarter_octaves(30.0);
        wide.counts[33] = 20000.0;
        EXPECT_NE(choose_partition(wide, facts).strata, whole);
        // Whatever noise makes of one of the longest bins, though it passes for rows.
        wide.counts[46] = 4.0 * wide.deviation;
        EXPECT_NE(choose_partition(wide, facts).strata, whole);
    }
}

// Each stratum has its own noise on the mean, and on the number of rows, whatever its radius.
TEST(Partition, TakesOneColumnWholeWhereTheMeanOrTheNumberOfRowsErrsMost) {
    NoisyHistogram histogram = quarter_octaves(30.0);
    histogram.counts[42] = 5000.0;
    histogram.counts[45] = 15000.0;
    PartitionFacts facts = facts_of(1, 2e4, 0.05);
    facts.noise_deviation_of_all_rows = facts.noise_deviation_at_radius_one;
    const std::vector<StratumBins> whole = {{0, 47}};
    EXPECT_NE(choose_partition(histogram, facts).strata, whole);
    facts.squared_mean_weight = 0.1;
    EXPECT_EQ(choose_partition(histogram, facts).strata, whole);
}

}  // namespace
}  // namespace dpcov::detail
