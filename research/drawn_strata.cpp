#include "research/drawn_strata.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include "arithmetic/eigen_decomposition.hpp"
#include "estimate/detection.hpp"
#include "estimate/simplex.hpp"
#include "mechanism/joint_moment.hpp"
#include "mechanism/noisy_matrix.hpp"

namespace dpcov::research {

std::vector<detail::BinRange> octaves(const detail::NormBins& bins) {
    std::vector<detail::BinRange> strata;
    for (int k = detail::NormBins::octaves - 1; k >= 0; --k) {
        strata.push_back(bins.of_octave(k));
    }
    return strata;
}

std::vector<detail::NoisyStratum> drawn(const detail::CountedMoment& moment,
                                        std::span<const detail::BinRange> strata,
                                        const Budget& budget_of_each, RandomSource& random) {
    const double norm_bound = moment.secret.layout().norm_bound;
    std::vector<detail::NoisyStratum> noisy;
    for (const detail::BinRange& stratum : strata) {
        const detail::NoisySums sums = std::visit(
            [&](auto share) {
                return detail::noisy_sums(moment.secret, moment.neighbours,
                                          detail::whole_rows({stratum}), {}, share, random);
            },
            budget_of_each);
        detail::NoisyMatrix matrix =
            sums.matrix_over(moment.rows.value * (norm_bound * norm_bound));
        noisy.push_back({.matrix = std::move(matrix.matrix),
                         .noise_variance = matrix.deviation * matrix.deviation,
                         .radius = moment.secret.norm_bins().radius(stratum.last)});
    }
    return noisy;
}

EstimateOfStrata estimate_from(std::span<const detail::NoisyStratum> strata,
                               const detail::StrataModel& model) {
    const Eigen::Index d = strata.front().matrix.rows();
    if (detail::is_provably_undetectable(d, strata.back().noise_scale(), model.tuning)) {
        return {Eigen::MatrixXd::Zero(d, d), std::nullopt};
    }
    const detail::Belief belief = detail::estimate_strata(strata, model);
    const detail::EigenDecomposition eigen = detail::eigen_decomposition(belief.estimate);
    EstimateOfStrata result{
        detail::assemble(eigen.vectors, detail::project_onto_simplex(eigen.values, 1.0).values),
        std::nullopt};
    if (const std::optional<double> square = detail::estimated_squared_error(belief)) {
        result.error = std::sqrt(std::max(0.0, *square));
    }
    return result;
}

}  // namespace dpcov::research
