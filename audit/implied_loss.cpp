#include "audit/implied_loss.hpp"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <limits>

namespace dpcov::audit {
namespace {

using Binomial = boost::math::binomial_distribution<double>;

double implied_epsilon(double p, double q, double delta) {
    return p - delta > q ? std::log((p - delta) / q) : 0.0;
}

/// D_alpha(Bernoulli(p) || Bernoulli(q)) / alpha, 0 < q < p <= 1.
double divergence_over_alpha(double alpha, double p, double q) {
    // The logarithms of p^alpha q^(1-alpha) and of the complement's term, which is none at p = 1.
    const double seen = alpha * std::log(p) + (1.0 - alpha) * std::log(q);
    const double unseen = p < 1.0 ? alpha * std::log1p(-p) + (1.0 - alpha) * std::log1p(-q)
                                  : -std::numeric_limits<double>::infinity();
    const double greater = std::max(seen, unseen);
    const double sum = greater + std::log1p(std::exp(std::min(seen, unseen) - greater));
    return sum / ((alpha - 1.0) * alpha);
}

double implied_rho(double p, double q) {
    if (p <= q) {
        return 0.0;
    }
    if (q == 0.0) {
        return std::numeric_limits<double>::infinity();
    }
    // Every order gives a valid bound, so a fixed sequence of them will do: alpha - 1 from 2^-10,
    // where rounding is still without weight, to 2^10.
    constexpr int steps_to_doubling = 4;
    double best = 0.0;
    for (int step = -10 * steps_to_doubling; step <= 10 * steps_to_doubling; ++step) {
        const double alpha = 1.0 + std::exp2(static_cast<double>(step) / steps_to_doubling);
        best = std::max(best, divergence_over_alpha(alpha, p, q));
    }
    return best;
}

struct ImpliedLoss {
    double p;
    double q;
    double operator()(Rho /*claim*/) const { return implied_rho(p, q); }
    double operator()(Epsilon /*claim*/) const { return implied_epsilon(p, q, 0.0); }
    double operator()(const ApproximateDp& claim) const {
        return implied_epsilon(p, q, claim.delta.value());
    }
};

struct ClaimedLoss {
    double operator()(Rho claim) const { return claim.value(); }
    double operator()(Epsilon claim) const { return claim.value(); }
    double operator()(const ApproximateDp& claim) const { return claim.epsilon.value(); }
};

}  // namespace

double lower_limit(Count count, double risk) {
    return Binomial::find_lower_bound_on_p(static_cast<double>(count.runs),
                                           static_cast<double>(count.seen), risk);
}

double upper_limit(Count count, double risk) {
    return Binomial::find_upper_bound_on_p(static_cast<double>(count.runs),
                                           static_cast<double>(count.seen), risk);
}

double implied_loss(const Definition& claim, double p, double q) {
    return std::visit(ImpliedLoss{p, q}, claim);
}

double claimed_loss(const Definition& claim) {
    return std::visit(ClaimedLoss{}, claim);
}

}  // namespace dpcov::audit
