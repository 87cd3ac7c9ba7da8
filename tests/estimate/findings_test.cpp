// One step of the fold over strata: what each finding makes of what is believed.
#include <gtest/gtest.h>

#include <cmath>
#include <variant>

#include "estimate/detection.hpp"
#include "estimate/strata.hpp"

namespace dpcov::detail {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

constexpr Index few_columns = 4;
const StrataModel usual_model{.rows = 1000.0, .noise = NoiseShape::gaussian};

// A multiple of the identity whose trace has that z-score.
NoisyStratum level(double z_score, double radius = 1.0) {
    NoisyStratum stratum{.matrix = MatrixXd::Identity(few_columns, few_columns),
                         .noise_variance = 1e-4,
                         .radius = radius};
    stratum.matrix *= z_score / trace_z_score(stratum);
    return stratum;
}

Belief after_one_seen_well() {
    return with_stratum(prior_belief(few_columns), level(100.0, 0.5), usual_model);
}

TEST(Findings, GoByTheThresholdsOfTheTrace) {
    const Belief none = prior_belief(few_columns);
    EXPECT_TRUE(std::holds_alternative<Undetected>(classify(none, level(0.99), usual_model)));
    EXPECT_TRUE(std::holds_alternative<Unresolved>(classify(none, level(1.01), usual_model)));
    EXPECT_TRUE(std::holds_alternative<Unresolved>(classify(none, level(4.49), usual_model)));
    EXPECT_TRUE(std::holds_alternative<Detected>(classify(none, level(4.51), usual_model)));
    const Belief one = after_one_seen_well();
    EXPECT_TRUE(std::holds_alternative<Faint>(classify(one, level(3.99), usual_model)));
    EXPECT_TRUE(std::holds_alternative<Detected>(classify(one, level(4.01), usual_model)));
}

TEST(Findings, UnresolvedStrataArePooledUntilTheyAreDetectedOrLeftOut) {
    Belief belief = with_stratum(prior_belief(few_columns), level(4.0), usual_model);
    EXPECT_TRUE(belief.estimate.isZero(0.0));
    EXPECT_FALSE(estimated_squared_error(belief));
    ASSERT_TRUE(belief.pooled);
    // Two of z-score 4 are one of 4 sqrt(2).
    const Belief detected = with_stratum(belief, level(4.0), usual_model);
    EXPECT_FALSE(detected.pooled);
    EXPECT_GT(detected.estimate.trace(), 1.5 * level(4.0).matrix.trace());
    EXPECT_TRUE(estimated_squared_error(detected));
    // 4 and -3 are too little to keep, and what was pooled goes with them.
    const Belief left_out = with_stratum(belief, level(-3.0), usual_model);
    EXPECT_FALSE(left_out.pooled);
    EXPECT_TRUE(left_out.estimate.isZero(0.0));
}

// Nothing of a faint stratum is taken where its noise is above all that is known; its presence is
// judged all the same.
TEST(Findings, FaintStrataAddNothingUnderNoiseAboveWhatIsKnown) {
    const Belief one = after_one_seen_well();
    NoisyStratum stratum = level(3.0);
    const Belief more = with_stratum(one, stratum, usual_model);
    EXPECT_GT(more.estimate.trace(), one.estimate.trace());
    EXPECT_GT(more.error.estimate, one.error.estimate);
    EXPECT_TRUE(more.last_residual);
    const double louder = 1.01 * one.estimate.norm() / stratum.noise_scale();
    stratum.matrix *= louder;
    stratum.noise_variance *= louder * louder;
    const Belief same = with_stratum(one, stratum, usual_model);
    EXPECT_EQ(same.estimate, one.estimate);
    EXPECT_LT(same.slab.presence, usual_model.tuning.persistence);
    // What the prior is made of does not change either way.
    EXPECT_EQ(more.prior, one.prior);
}

// Rows that reach into a faint stratum reach beyond it less often for each octave that it spans,
// however faint it is.
TEST(Findings, FewerRowsAreExpectedBeyondWiderFaintStrata) {
    const Belief one = after_one_seen_well();
    for (const double z_score : {-1.0, 1.0, 3.0}) {
        for (const double octaves : {0.0, 0.25, 1.0, 3.0}) {
            const Finding finding =
                classify(one, level(z_score, 0.5 * std::exp2(octaves)), usual_model);
            ASSERT_TRUE(std::holds_alternative<Faint>(finding));
            EXPECT_NEAR(update(one, finding, usual_model).slab.presence /
                            std::get<Faint>(finding).along.presence,
                        usual_model.tuning.persistence *
                            std::pow(usual_model.tuning.reach_per_octave, octaves),
                        1e-12)
                << z_score << " " << octaves;
        }
    }
}

// A negative definite stratum of which nothing is better than zero, looked at all the same: it
// waits for the next one.
TEST(Findings, ADetectedStratumOfWhichNothingIsBetterThanZeroIsPooled) {
    StrataModel eager = usual_model;
    eager.tuning.first_detection_z = -10.0;
    const Finding finding = classify(prior_belief(few_columns), level(-5.0), eager);
    ASSERT_TRUE(std::holds_alternative<Unresolved>(finding));
    EXPECT_EQ(std::get<Unresolved>(finding).pooled.matrix, level(-5.0).matrix);
}

// The sum of all errors is counted with the prior's error in common: two strata that are w and v
// times one prior, which errs by e, err by (w + v) e together.
TEST(SquaredErrors, AnErrorOfThePriorIsInAllThatWasMadeOfIt) {
    const SquaredErrors first = with_stratum_error({}, {.fresh = 2.0, .prior_share = 0.0}, 3.0);
    EXPECT_DOUBLE_EQ(first.estimate, 2.0);
    EXPECT_DOUBLE_EQ(first.prior, 9.0 * 2.0);
    EXPECT_DOUBLE_EQ(first.common, 3.0 * 2.0);
    const SquaredErrors second = with_stratum_error(first, {.fresh = 0.5, .prior_share = 2.0}, 0.0);
    const SquaredErrors third = with_stratum_error(second, {.fresh = 0.0, .prior_share = 4.0}, 0.0);
    // e is 3 times the first error: in all 1 + 3 (2 + 4) times that.
    EXPECT_DOUBLE_EQ(third.estimate, 2.0 * 19.0 * 19.0 + 0.5);
    EXPECT_DOUBLE_EQ(third.prior, first.prior);
}

}  // namespace
}  // namespace dpcov::detail
