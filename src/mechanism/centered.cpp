#include "mechanism/centered.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "arithmetic/eigen_decomposition.hpp"
#include "dpcov/error.hpp"
#include "mechanism/clipped_gram.hpp"
#include "mechanism/release_steps.hpp"
#include "random/rounded_gaussian.hpp"
#include "spectral/clamp.hpp"

namespace dpcov::detail {

Release centered(
    const SecondMoment& secret, const Budget& budget, const MechanismOptions& options,
    RandomSource& random,
    const std::function<Release(const Budget&, const MechanismOptions&)>& second_moment) {
    const Rho rho = zcdp_budget(budget, "with centring");
    check_replace_neighbours(options, secret, "with centring");
    if (options.clip && *options.clip != secret.layout().norm_bound) {
        throw UsageError(
            "centring needs the mean of the rows as clipped: make the moment with the clipping "
            "norm as its norm bound");
    }
    const std::size_t d = secret.layout().dimension;
    const double balance = std::sqrt(8.0 / static_cast<double>(d));
    const auto sixty_fourths =
        static_cast<unsigned>(std::clamp(std::round(64.0 * balance / (1.0 + balance)), 1.0, 63.0));
    RhoMeter meter(rho);
    const Rho mean_part =
        meter.spend("mean", rho.share(sixty_fourths, 6), "Gaussian noise on the mean");

    // First, so that what it refuses is refused before anything is drawn.
    MechanismOptions uncentered = options;
    uncentered.center = false;
    Release release = second_moment(rho.share(64 - sixty_fourths, 6), uncentered);

    std::vector<Int128> sum = row_sum(secret);
    // Two rows differ by at most 2 B = 2^45 units, and each entry of either sum is off by one.
    const double deviation = gaussian_deviation(
        0x1p45 + 2.0 * std::sqrt(static_cast<double>(d)) * (1.0 + 0x1p-50), mean_part);
    add_gaussian(random, sum, gaussian_noise(deviation));
    const double unit =
        std::ldexp(secret.layout().norm_bound, -44) / static_cast<double>(secret.rows());
    Eigen::VectorXd mean(static_cast<Eigen::Index>(d));
    std::transform(sum.begin(), sum.end(), mean.begin(),
                   [unit](Int128 value) { return static_cast<double>(value) * unit; });

    release.stages.insert(release.stages.begin(), {meter.stages()[0].name, meter.stages()[0].spent,
                                                   meter.stages()[0].what});
    // m m^T overshoots by the noise variance on the diagonal, which is known.
    const double variance = deviation * unit * deviation * unit;
    Eigen::MatrixXd matrix = release.covariance - mean * mean.transpose();
    matrix.diagonal().array() += variance;
    const EigenDecomposition eigen = eigen_decomposition(std::move(matrix));
    const double bound = secret.layout().norm_bound * secret.layout().norm_bound;
    release.covariance = assemble(eigen.vectors, clamp_eigenvalues(eigen.values, bound));
    release.estimated_frobenius_error.reset();
    return release;
}

}  // namespace dpcov::detail
