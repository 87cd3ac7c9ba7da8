#include "mechanism/stratum_rows.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "mechanism/clipped_gram.hpp"
#include "tables.hpp"

namespace dpcov::test {
namespace {

using detail::NormBins;
using detail::StratumRows;

// Four strata of bins of columns d, a gap in between and the rest last.
std::vector<StratumRows> some_strata(const NormBins& norms) {
    const std::size_t top = norms.size() - 1;
    return {detail::whole_rows({{0, top - 40}}), detail::whole_rows({{top - 39, top - 25}}),
            detail::whole_rows({{top - 24, top - 20}}),
            detail::whole_rows({{top - 19, top - 19}, {top - 10, top}})};
}

// 3000 rows of three columns, of norms all over ten octaves.
Rows rows_up_to(double norm) {
    Rows rows;
    for (int k = 0; k < 100; ++k) {
        rows = rows + sphere_rows(30, 3, norm * std::exp2(-0.1 * k), static_cast<std::uint64_t>(k));
    }
    return rows;
}

// All together they count every row once.
TEST(StratumRows, PartsMakeWholeRows) {
    const NormBins norms = NormBins::for_columns(3);
    for (const NoiseShape noise : {NoiseShape::gaussian, NoiseShape::wishart}) {
        const std::vector<StratumRows> strata =
            detail::with_extended(norms, some_strata(norms), 1, noise);
        std::vector<unsigned> parts(norms.size(), 0);
        for (const StratumRows& stratum : strata) {
            for (const auto& [first, last] : stratum.whole) {
                for (std::size_t bin = first; bin <= last; ++bin) {
                    parts[bin] += detail::whole_row;
                }
            }
            for (const auto& [bin, part] : stratum.partial) {
                EXPECT_GT(part, 0U);
                EXPECT_LE(part, detail::whole_row);
                parts[bin] += part;
            }
        }
        const std::size_t top = norms.size() - 1;
        for (std::size_t bin = 0; bin <= top; ++bin) {
            const bool in_none = bin > top - 19 && bin < top - 10;
            EXPECT_EQ(parts[bin], in_none ? 0U : detail::whole_row) << bin;
        }
        // Finer strata and the extended one's own rows are as they were; there is more in it.
        EXPECT_TRUE(strata[0].partial.empty());
        EXPECT_EQ(strata[1].whole, some_strata(norms)[1].whole);
        EXPECT_GT(strata[1].partial.size(), 4U);
    }
}

// A part w of a bin's rows in the extended stratum, and the rest in its own, weigh no more than a
// row of that one (docs/privacy.md#partial-rows): under zCDP w^2 (h^2 + (1 - h)^2) + (1 - w)^2 (q^2
// + (1 - q)^2) <= 1, h and q being what the row's squared norm is there and here, and under pure DP
// w h + (1 - w) (1 + q) / 2 <= 1. A row that is at its octave's lower edge may be rounded to a
// slightly shorter one.
TEST(StratumRows, PartsWeighNoMoreThanARow) {
    const auto with_count = [](double t) { return t * t + (1.0 - t) * (1.0 - t); };
    std::size_t parts = 0;
    for (const std::size_t d : {3U, 300U, 2000U}) {
        const NormBins norms = NormBins::for_columns(d);
        const std::size_t top = norms.size() - 1;
        const auto squared = [&](std::size_t bin, std::size_t edge) {
            return std::pow(norms.radius(bin) / norms.radius(edge), 2);
        };
        for (const NoiseShape noise : {NoiseShape::gaussian, NoiseShape::wishart}) {
            for (std::size_t inner = top / 2; inner < top; ++inner) {
                for (std::size_t end = inner + 1; end <= top; ++end) {
                    const std::vector<StratumRows> strata = detail::with_extended(
                        norms,
                        {detail::whole_rows({{0, inner}}), detail::whole_rows({{inner + 1, end}})},
                        0, noise);
                    for (const auto& [bin, part] : strata[0].partial) {
                        const double h = squared(bin, inner);
                        const double greatest = squared(bin, end);
                        const double least = (1.0 - 0x1p-9) * squared(bin - 1, end);
                        const auto weight = [&](double w) {
                            const double rest = 1.0 - w;
                            return noise == NoiseShape::wishart
                                       ? w * h + rest * 0.5 * (1.0 + greatest)
                                       : w * w * with_count(h) +
                                             rest * rest *
                                                 std::max(with_count(least), with_count(greatest));
                        };
                        const double w = static_cast<double>(part) / detail::whole_row;
                        ASSERT_LE(weight(w), 1.0) << d << ' ' << inner << ' ' << bin;
                        ++parts;
                    }
                }
            }
        }
    }
    EXPECT_GT(parts, 1000U);
}

// In the integers that get noise, exactly: entry for entry the table's own Gram, sum, trace and
// number.
TEST(StratumRows, AddUpToTheTable) {
    constexpr std::size_t d = 3;
    const detail::SecretMoment secret = moment_of(rows_up_to(3.0), d, 3.0);
    const NormBins& norms = secret.norm_bins();
    std::vector<StratumRows> strata = some_strata(norms);
    const std::size_t top = norms.size() - 1;
    strata.push_back(detail::whole_rows({{top - 18, top - 11}}));
    strata = detail::with_extended(norms, strata, 1, NoiseShape::gaussian);
    const StratumRows all = detail::whole_rows({{0, top}});
    const detail::PackedGram whole = detail::gram_of(secret, all);
    const detail::ExactSums sum = detail::sum_of(secret, all, 1000);
    std::vector<double> gram_parts(whole.size(), 0.0);
    std::vector<double> sum_parts(sum.size(), 0.0);
    double trace = 0.0;
    Int128 rows = 0;
    for (const StratumRows& stratum : strata) {
        const int octave = norms.octave(stratum.coarsest);
        const detail::PackedGram gram = detail::gram_of(secret, stratum);
        for (std::size_t i = 0; i < gram.size(); ++i) {
            gram_parts[i] += std::ldexp(static_cast<double>(gram[i]), -2 * octave);
        }
        const detail::ExactSums part = detail::sum_of(secret, stratum, 1000);
        for (std::size_t i = 0; i < part.size(); ++i) {
            sum_parts[i] += std::ldexp(static_cast<double>(part[i]), -octave);
        }
        trace += std::ldexp(static_cast<double>(detail::trace_of(secret, stratum)), -2 * octave);
        rows += detail::parts_of_rows(secret, stratum);
    }
    for (std::size_t i = 0; i < whole.size(); ++i) {
        EXPECT_NEAR(gram_parts[i], static_cast<double>(whole[i]), 1e-12 * trace);
    }
    for (std::size_t i = 0; i < sum.size(); ++i) {
        EXPECT_NEAR(sum_parts[i], static_cast<double>(sum[i]), 1e-12 * 1000.0 * 0x1p44 * 3000.0);
    }
    EXPECT_NEAR(trace, static_cast<double>(detail::trace_of(secret, all)), 1e-12 * trace);
    EXPECT_EQ(rows, Int128{3000} * detail::whole_row);
    // Control: in the extended stratum alone there is more than its own rows.
    EXPECT_NE(detail::gram_of(secret, strata[1]), detail::gram_of(secret, some_strata(norms)[1]));
}

// Whole rows far below a stratum whose coarsest rows are partial are in its units, too.
TEST(StratumRows, WholeAndPartialRowsAreInOneUnit) {
    const detail::SecretMoment secret = moment_of(rows_up_to(3.0), 3, 3.0);
    const NormBins& norms = secret.norm_bins();
    const std::size_t top = norms.size() - 1;
    const std::vector<StratumRows> strata =
        detail::with_extended(norms,
                              {detail::whole_rows({{top - 59, top - 3}}),
                               detail::whole_rows({{0, top - 60}, {top - 2, top}})},
                              0, NoiseShape::gaussian);
    ASSERT_FALSE(strata[1].whole.empty());
    ASSERT_FALSE(strata[1].partial.empty());
    double trace = 0.0;
    for (const StratumRows& stratum : strata) {
        trace += std::ldexp(static_cast<double>(detail::trace_of(secret, stratum)),
                            -2 * norms.octave(stratum.coarsest));
    }
    EXPECT_NEAR(trace,
                static_cast<double>(detail::trace_of(secret, detail::whole_rows({{0, top}}))),
                1e-12 * trace);
}

}  // namespace
}  // namespace dpcov::test
