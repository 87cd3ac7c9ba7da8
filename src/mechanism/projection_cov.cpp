#include "mechanism/projection_cov.hpp"

#include <cmath>
#include <utility>

#include "arithmetic/eigen_decomposition.hpp"
#include "estimate/risk.hpp"
#include "estimate/simplex.hpp"
#include "mechanism/gauss_cov.hpp"
#include "mechanism/noisy_matrix.hpp"
#include "mechanism/release_steps.hpp"
#include "privacy/budget_meter.hpp"

namespace dpcov::detail {

CovarianceEstimate projection_estimate(const CountedMoment& moment, Rho rho, Variant variant,
                                       RandomSource& random) {
    const NoiseLaw law = noise_law(variant);
    NoisyMatrix noisy = noisy_second_moment(moment, 0, rho, law, random);
    CovarianceEstimate estimate;
    estimate.grid = noisy.grid;
    estimate.noisy_trace = noisy.matrix.trace();
    const double bound = std::pow(moment.secret.layout().norm_bound, 2);
    const EigenDecomposition eigen = eigen_decomposition(std::move(noisy.matrix));
    const SimplexProjection projected = project_onto_simplex(eigen.values, bound);
    estimate.covariance = assemble(eigen.vectors, projected.values);
    if (law == NoiseLaw::isotropic) {
        // With k values kept, df_i / dl_i is 1 - 1/k where the trace binds: one less in all.
        const double s = noisy.deviation;
        const Eigen::VectorXd kept = (projected.values.array() > 0.0).template cast<double>();
        const double lost = projected.shift > 0.0 ? 2.0 * s * s : 0.0;
        estimate.estimated_squared_error =
            std::fmax(s * s, stein_risk(eigen.values, projected.values, kept, s) - lost);
    }
    return estimate;
}

Release projection_cov(const SecretMoment& secret, const Budget& budget,
                       const ReleaseOptions& options, RandomSource& random) {
    const Rho rho = std::get<Rho>(budget);
    RhoMeter meter(rho);
    const auto [moment, rest] = count_rows(secret, options, meter, random);
    const Rho share = meter.spend("covariance", rest, "Gaussian noise on the covariance matrix");
    return make_release(moment, options, meter,
                        projection_estimate(moment, share, options.variant, random));
}

}  // namespace dpcov::detail
