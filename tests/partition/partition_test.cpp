#include "partition/partition.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <random>
#include <vector>

#include "partition/histogram_seen.hpp"
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
        const Ends free = best_ends(seen->populated, PartitionError(seen->populated, facts));
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
    NoisyHistogram histogram;
    for (int bin = 63; bin >= 0; --bin) {
        histogram.radii.push_back(std::exp2(-bin / 16.0));
    }
    histogram.counts.assign(histogram.radii.size(), 0.0);
    histogram.deviation = 30.0;
    histogram.counts[40] = 20000.0;
    const std::vector<StratumBins> strata =
        choose_partition(histogram, facts_of(5, 2e4, 0.05)).strata;
    const auto ends_at_reach = [](const StratumBins& stratum) {
        return stratum.last == 42;  // 2^(2/16) = 1.091
    };
    EXPECT_EQ(std::count_if(strata.begin(), strata.end(), ends_at_reach), 1);
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
    for (std::size_t cut = 0; cut < 47; ++cut) {
        for (const std::optional<std::size_t> extended :
             {std::optional<std::size_t>(), std::optional<std::size_t>(0)}) {
            EXPECT_LE(chosen, 1.02 * model.cost({cut, 47}, extended)) << cut;
        }
    }
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
