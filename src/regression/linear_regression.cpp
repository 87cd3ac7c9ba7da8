#include "regression/linear_regression.hpp"

#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <optional>
#include <vector>

#include "arithmetic/eigen_decomposition.hpp"
#include "regression/diagonal_plus_rank_one.hpp"
#include "regression/mean_equation.hpp"
#include "regression/model_average.hpp"
#include "regression/regression_prior.hpp"

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

// The models that are averaged over, given the variance c of y.
class Models {
public:
    /// Of what outlives them.
    Models(const NoisyRegression& regression, const EvenEquations& even,
           const std::vector<RegressionPrior>& priors)
        : regression_(regression),
          even_(even),
          priors_(priors),
          unexplained_(
              most_unexplained(regression, even.eigenvalues, even.cross.array(), even.deviation)) {
        if (even.means.size() == 0) {
            return;
        }
        target_ = {regression.means[even.means.size()], regression.mean_noise_variance,
                   std::pow(regression.half_range_of_target, 2)};
        for (const RegressionPrior& prior : priors) {
            by_means_.emplace_back(prior, even.means, *target_);
        }
    }

    /// w = 0.
    void add_zero(ModelAverage& average, double c) const {
        const DiagonalPlusRankOne covariance(noise_of_cross(0.0, c, even_.eigenvalues),
                                             even_.noisier_direction.array(),
                                             even_.more_noise_along);
        average.add_zero(log_weight_of(c) + log_likelihood(even_.cross.array(), covariance) +
                         std::log(odds_of_zero * explained_shares) +
                         (target_ ? log_density_of_height(*target_) : 0.0));
    }

    /// Those of the k-th prior, one for each R^2. `variances` are the features', as R^2 is reckoned
    /// by.
    void add_shares(ModelAverage& average, double c, std::size_t k,
                    const Eigen::ArrayXd& variances) const {
        const RegressionPrior& prior = priors_[k];
        const double per_share = c / (variances * prior.prior_variances).sum();
        for (const auto& [explained, log_odds] : shares_) {
            const double t = explained * per_share;
            const DiagonalPlusRankOne covariance(t * (prior.signal + prior.noise_of_features) +
                                                     noise_of_cross(explained, c, prior.sampling),
                                                 prior.noisier_direction, even_.more_noise_along);
            const double log_chance = log_weight_of(c) + log_odds + prior.log_chance +
                                      log_likelihood(prior.equations, covariance);
            if (target_) {
                by_means_[k].add_to(average, log_chance, k, prior.equations, covariance, t);
            } else {
                average.add(log_chance, k, t * covariance.solve(prior.equations));
            }
        }
    }

private:
    // Of c: the likelihood of the noisy variance of y, over c^power.
    [[nodiscard]] double log_weight_of(double c) const {
        const double deviation = (regression_.target - c) / even_.deviation;
        return -0.5 * deviation * deviation - power_of_variance * std::log(c);
    }

    // The variance of what is noise in the equations, that of sampling included.
    [[nodiscard]] Eigen::ArrayXd noise_of_cross(double explained, double c,
                                                const Eigen::ArrayXd& sampling) const {
        const double noise = even_.cross_noise_variance;
        const double q = std::fmin((1.0 - explained) * c, unexplained_);
        return noise + (q / regression_.rows * sampling).min(most_sampling_noise * noise);
    }

    const NoisyRegression& regression_;
    const EvenEquations& even_;
    const std::vector<RegressionPrior>& priors_;
    std::vector<Share> shares_ = shares_to_average_over();
    double unexplained_;
    std::optional<MeanOfTarget> target_;  // none where there are no bounds
    std::vector<MeanEquation> by_means_;  // as many as priors, or none
};

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
    const Models models(regression, even, priors);
    ModelAverage average(priors);
    for (const double c : variances_of(regression, even.deviation)) {
        models.add_zero(average, c);
        const Eigen::ArrayXd variances =
            believed_variances(even, c, regression.mean_noise_variance > 0.0);
        for (std::size_t k = 0; k < priors.size(); ++k) {
            models.add_shares(average, c, k, variances);
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
