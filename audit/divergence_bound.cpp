#include "audit/divergence_bound.hpp"

#include <algorithm>
#include <cmath>

namespace dpcov::audit {
namespace {

using Eigen::VectorXd;

double variance(const VectorXd& values) {
    return (values.array() - values.mean()).square().sum() / static_cast<double>(values.size() - 1);
}

/// By how much the mean of independent values in an interval of that length may be off to one side,
/// but for a chance of `risk` (Maurer and Pontil 2009, Theorem 4).
double bernstein_deviation(const VectorXd& values, double length, double risk) {
    const auto n = static_cast<double>(values.size());
    const double log_risk = std::log(2.0 / risk);
    return std::sqrt(2.0 * variance(values) * log_risk / n) +
           7.0 * length * log_risk / (3.0 * (n - 1.0));
}

}  // namespace

double Score::operator()(double statistic) const {
    return std::clamp(slope * (statistic - centre), -bound, bound);
}

double divergence_bound(const Score& score, const VectorXd& on_p, const VectorXd& on_q,
                        double risk) {
    // KL(P || Q) >= E_P f - ln E_Q exp f (Donsker and Varadhan 1983), each mean with half the risk.
    const VectorXd scores = on_p.unaryExpr(score);
    const VectorXd exponentials = on_q.unaryExpr(score).array().exp();
    const double mean = scores.mean() - bernstein_deviation(scores, 2.0 * score.bound, 0.5 * risk);
    const double mean_exponential =
        exponentials.mean() +
        bernstein_deviation(exponentials, 2.0 * std::sinh(score.bound), 0.5 * risk);
    return mean - std::log(mean_exponential);
}

Score fit_score(const VectorXd& on_p, const VectorXd& on_q, double risk) {
    const double pooled = 0.5 * (variance(on_p) + variance(on_q));
    Score best;
    if (!(pooled > 0.0)) {
        return best;
    }
    double greatest = 0.0;
    for (const double bound : {0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 6.0}) {
        const Score score{(on_p.mean() - on_q.mean()) / pooled, 0.5 * (on_p.mean() + on_q.mean()),
                          bound};
        const double shown = divergence_bound(score, on_p, on_q, risk);
        if (shown > greatest) {
            greatest = shown;
            best = score;
        }
    }
    return best;
}

}  // namespace dpcov::audit
