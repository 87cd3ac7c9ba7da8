#include "estimate/linear_regression.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "arithmetic/eigen_decomposition.hpp"
#include "estimate/diagonal_plus_rank_one.hpp"
#include "estimate/regression_prior.hpp"

namespace dpcov::detail {
namespace {

// R^2 is one of as many values up to 1, at equal distances, or fainter: the first of them halved,
// up to as many times.
constexpr int explained_shares = 12;
constexpr int faint_shares = 8;
constexpr double odds_of_faint = 0.1;  // of one faint value against one of the others
constexpr double odds_of_zero = 0.2;   // of w = 0 against all of the others
// What is made least is the expected error over c^power: 0 for the error itself, 1 for its share of
// the error of predicting zero.
constexpr double power_of_variance = 0.5;
// The variance of y counts as known where it is this many deviations of its noise.
constexpr double known_variance = 20.0;
// Else it lies between these, in deviations: the least, about zero or about a mean, where bounds
// that are much too wide leave little of it; and what is above the noisy one.
constexpr double least_about_zero = 0x1p-5;
constexpr double least_about_mean = 0x1p-9;
constexpr double most_above = 3.0;
constexpr int most_halvings = 14;  // (known_variance + most_above) / least_about_mean < 2^14
// The sampling of the rows counts for at most so many times the noise of the release: with next to
// no noise what is wanted, and what intervals are about, is least squares on the table itself.
constexpr double most_sampling_noise = 1e4;
// About a mean, features hide behind noise up to so many of its deviations.
constexpr double deviations_hidden = 3.0;
// Of the line's height at the middles of the bounds, in squared half-ranges.
constexpr std::array<double, 3> variances_of_height = {1.0, 0x1p-4, 0x1p-8};
// The features vary along w at least as much as is seen there less so many deviations.
constexpr double deviations_seen = 2.0;
// What is not explained is at most what least squares leaves, and so many deviations more.
constexpr double deviations_above = 2.0;

struct Share {
    double explained;  // R^2
    double log_odds;
};

std::vector<Share> shares_to_average_over() {
    std::vector<Share> shares;
    for (int i = 1; i <= explained_shares; ++i) {
        shares.push_back({i / static_cast<double>(explained_shares), 0.0});
    }
    for (int halvings = 1; halvings <= faint_shares; ++halvings) {
        shares.push_back({std::ldexp(1.0 / explained_shares, -halvings), std::log(odds_of_faint)});
    }
    return shares;
}

// The variances of y to average over.
std::vector<double> variances_of(const NoisyRegression& regression, double s) {
    if (regression.target > known_variance * s) {
        return {regression.target};
    }
    const bool about_mean = regression.mean_noise_variance > 0.0;
    const double least = s * (about_mean ? least_about_mean : least_about_zero);
    const double greatest = std::fmax(regression.target + most_above * s, 2.0 * least);
    std::vector<double> variances;
    for (int halvings = 0; halvings <= most_halvings; ++halvings) {
        const double c = std::ldexp(greatest, -halvings);
        if (c < least) {
            break;
        }
        variances.push_back(c);
    }
    return variances;
}

// Of some models the averaged prediction, each weighed by its likelihood; one sum for each prior,
// of coefficients that are to be solved for and of the multiple of T m that means add to them.
class Average {
public:
    explicit Average(const std::vector<RegressionPrior>& priors)
        : priors_(priors),
          sums_(Eigen::MatrixXd::Zero(priors.front().equations.size(),
                                      static_cast<Eigen::Index>(priors.size()))),
          towards_means_(Eigen::ArrayXd::Zero(sums_.cols())) {}

    void add_zero(double log_weight) { total_ += weight(log_weight); }
    void add(double log_weight, std::size_t prior, const Eigen::ArrayXd& coefficients,
             double towards_means = 0.0) {
        const auto column = static_cast<Eigen::Index>(prior);
        const double w = weight(log_weight);
        total_ += w;
        sums_.col(column).array() += w * coefficients;
        towards_means_[column] += w * towards_means;
    }
    [[nodiscard]] Eigen::VectorXd mean() const {
        Eigen::VectorXd sum = Eigen::VectorXd::Zero(sums_.rows());
        for (std::size_t k = 0; k < priors_.size(); ++k) {
            const auto column = static_cast<Eigen::Index>(k);
            sum += priors_[k].solved(sums_.col(column));
            if (priors_[k].prior_of_means.size() > 0) {
                sum += towards_means_[column] * priors_[k].prior_of_means;
            }
        }
        return sum / total_;
    }

private:
    // Over the greatest weight so far, to which all that was added is brought down.
    double weight(double log_weight) {
        if (log_weight > greatest_) {
            const double less = std::exp(greatest_ - log_weight);
            total_ *= less;
            sums_ *= less;
            towards_means_ *= less;
            greatest_ = log_weight;
        }
        return std::exp(log_weight - greatest_);
    }

    const std::vector<RegressionPrior>& priors_;
    double greatest_ = -std::numeric_limits<double>::infinity();
    double total_ = 0.0;
    Eigen::MatrixXd sums_;
    Eigen::ArrayXd towards_means_;
};

double log_likelihood(const Eigen::ArrayXd& b, const DiagonalPlusRankOne& covariance) {
    return -0.5 * ((b * covariance.solve(b)).sum() + covariance.log_determinant());
}

// What least squares leaves of the variance of y along the directions that show, and some
// deviations of its noise more; infinite where so few rows can be fitted exactly.
double most_unexplained(const NoisyRegression& regression, const Eigen::ArrayXd& a,
                        const Eigen::ArrayXd& b, double s) {
    const double hidden = s * std::sqrt(static_cast<double>(a.size()));
    const Eigen::ArrayXd w = (a > hidden).select(b / a, 0.0);
    const auto fitted = static_cast<double>((a > hidden).count());
    if (fitted >= regression.rows) {
        return std::numeric_limits<double>::infinity();
    }
    // u^T N u of noise N with variance s^2 has the deviation s |u|^2, and u = (-w, 1).
    const double noise = s * (1.0 + w.square().sum());
    return std::fmax(0.0, regression.target - (b * w).sum() + deviations_above * noise) *
           regression.rows / (regression.rows - fitted);
}

double log_normal_density(double x, double variance) {
    return -0.5 * (x * x / variance + std::log(variance));
}

// The means of a regression: of the target, and what noise is in it.
struct MeanOfTarget {
    double value;
    double noise_variance;
    double squared_range;  // of half the range of its bounds
};

// The line goes through the mean: m_y = m^T w + k, and k, its height at the middles of the bounds,
// is of one of some variances. So means tell of w, too, the more the less else is known.
class ByMeans {
public:
    ByMeans(const RegressionPrior& prior, const Eigen::VectorXd& means, MeanOfTarget target)
        : along_(prior.transposed_solved(means).array()),
          prior_variance_(means.dot(prior.prior_of_means)),
          target_(target) {}

    // Given `t`, and the covariance of the equations.
    void add_to(Average& average, double log_weight, std::size_t index,
                const Eigen::ArrayXd& equations, const DiagonalPlusRankOne& covariance,
                double t) const {
        const Eigen::ArrayXd solution = t * covariance.solve(equations);
        const Eigen::ArrayXd known = t * covariance.solve(along_);
        const double gap = target_.value - (along_ * solution).sum();
        const double left = std::fmax(0.0, t * (prior_variance_ - (along_ * known).sum()));
        for (const double height : variances_of_height) {
            const double spread = left + height * target_.squared_range + target_.noise_variance;
            const double moved = gap / spread;
            average.add(log_weight + log_normal_density(gap, spread), index,
                        solution - (t * moved) * known, t * moved);
        }
    }

private:
    Eigen::ArrayXd along_;
    double prior_variance_;
    MeanOfTarget target_;
};

// Of w = 0, what the mean of the target weighs.
double log_density_of_height(const MeanOfTarget& target) {
    std::array<double, variances_of_height.size()> densities{};
    std::transform(variances_of_height.begin(), variances_of_height.end(), densities.begin(),
                   [&](double height) {
                       return log_normal_density(
                           target.value, height * target.squared_range + target.noise_variance);
                   });
    // Over the greatest: all of them may be next to nothing, where the mean is far out.
    const double greatest = *std::max_element(densities.begin(), densities.end());
    double sum = 0.0;
    for (const double density : densities) {
        sum += std::exp(density - greatest);
    }
    return greatest + std::log(sum);
}

// The features' variances that R^2 is reckoned by. About a mean, where noise hides y's variance
// because bounds are too wide, they are too wide for features that it hides as well: those are
// believed to vary no more than y.
Eigen::ArrayXd believed_variances(const EvenEquations& equations, double c, bool about_mean) {
    const Eigen::ArrayXd& variances = equations.feature_variances;
    return about_mean ? Eigen::ArrayXd((variances < deviations_hidden * equations.deviation)
                                           .select(variances.min(c), variances))
                      : variances;
}

// About a mean a prediction errs by w^T C w and by v |w|^2, for x^T w - (m + e)^T w is what it is.
Eigen::VectorXd shortened_by_noise_of_means(const EvenEquations& equations, double v,
                                            const Eigen::VectorXd& w) {
    const Eigen::ArrayXd& variances = equations.feature_variances;
    const Eigen::VectorXd kept = variances / (variances + v);
    const Eigen::MatrixXd& axes = equations.feature_axes;
    return axes.size() > 0 ? Eigen::VectorXd(axes * kept.cwiseProduct(axes.transpose() * w))
                           : Eigen::VectorXd(kept.cwiseProduct(w));
}

// w^T A w is believed to be `a` along w, and the noise of what is seen has the deviation s |w|^2.
// Where y goes with a direction that varies much and that no noisy eigenvector shows, b is long
// along it, and w too long by as much as more is seen than believed.
double no_longer_than_seen(const EvenEquations& equations, const Eigen::VectorXd& w) {
    const Eigen::ArrayXd squares = equations.unevened(w).array().square();
    const double believed = (equations.eigenvalues * squares).sum();
    const double seen =
        ((equations.noisy_eigenvalues - deviations_seen * equations.deviation) * squares).sum();
    return seen > believed ? believed / seen : 1.0;
}

}  // namespace

Eigen::VectorXd posterior_coefficients(const NoisyRegression& regression) {
    const EvenEquations even = even_equations(regression);
    const std::vector<RegressionPrior> priors = regression_priors(even);
    const double s = even.deviation;
    const bool has_means = even.means.size() > 0;
    const MeanOfTarget target{has_means ? regression.means[even.means.size()] : 0.0,
                              regression.mean_noise_variance,
                              std::pow(regression.half_range_of_target, 2)};
    std::vector<ByMeans> by_means;
    if (has_means) {
        for (const RegressionPrior& prior : priors) {
            by_means.emplace_back(prior, even.means, target);
        }
    }
    const std::vector<Share> shares = shares_to_average_over();
    const double unexplained =
        most_unexplained(regression, even.eigenvalues, even.cross.array(), s);
    Average average(priors);
    for (const double c : variances_of(regression, s)) {
        const double deviation = (regression.target - c) / s;
        const double log_weight = -0.5 * deviation * deviation - power_of_variance * std::log(c);
        const auto noise_of_b = [&](double explained,
                                    const Eigen::ArrayXd& sampling) -> Eigen::ArrayXd {
            const double noise = even.cross_noise_variance;
            const double q = std::fmin((1.0 - explained) * c, unexplained);
            return noise + (q / regression.rows * sampling).min(most_sampling_noise * noise);
        };
        const DiagonalPlusRankOne without_w(noise_of_b(0.0, even.eigenvalues),
                                            even.noisier_direction.array(), even.more_noise_along);
        average.add_zero(log_weight + log_likelihood(even.cross.array(), without_w) +
                         std::log(odds_of_zero * explained_shares) +
                         (has_means ? log_density_of_height(target) : 0.0));
        const Eigen::ArrayXd variances =
            believed_variances(even, c, regression.mean_noise_variance > 0.0);
        for (std::size_t k = 0; k < priors.size(); ++k) {
            const RegressionPrior& prior = priors[k];
            const double per_share = c / (variances * prior.prior_variances).sum();
            for (const auto& [explained, log_odds] : shares) {
                const double t = explained * per_share;
                const DiagonalPlusRankOne covariance(t * (prior.signal + prior.noise_of_features) +
                                                         noise_of_b(explained, prior.sampling),
                                                     prior.noisier_direction,
                                                     even.more_noise_along);
                const double log_chance = log_weight + log_odds + prior.log_chance +
                                          log_likelihood(prior.equations, covariance);
                if (has_means) {
                    by_means[k].add_to(average, log_chance, k, prior.equations, covariance, t);
                } else {
                    average.add(log_chance, k, t * covariance.solve(prior.equations));
                }
            }
        }
    }
    const Eigen::VectorXd w =
        shortened_by_noise_of_means(even, regression.mean_noise_variance, average.mean());
    return no_longer_than_seen(even, w) * (even.basis * w);
}

double equivalent_ridge(const NoisyRegression& regression, double norm) {
    const EigenDecomposition eigen = eigen_decomposition(regression.features);
    const Eigen::ArrayXd b = (eigen.vectors.transpose() * regression.cross).array();
    const Eigen::ArrayXd a = eigen.values.cwiseMax(0.0).array();
    const auto length = [&](double ridge) { return (b / (a + ridge)).matrix().norm(); };
    // |b| / lambda bounds the length: beyond |b| / norm it is shorter than wanted.
    double above = b.matrix().norm() / norm;
    double below = 0.0;
    for (int halvings = 0; halvings < 200 && below < above; ++halvings) {
        const double middle = std::midpoint(below, above);
        if (middle == below || middle == above) {
            break;
        }
        (length(middle) > norm ? below : above) = middle;
    }
    return below;
}

}  // namespace dpcov::detail
