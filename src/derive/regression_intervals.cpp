#include "derive/regression_intervals.hpp"

#include <cmath>
#include <optional>

#include "arithmetic/eigen_decomposition.hpp"
#include "derive/column_units.hpp"
#include "derive/linear_function.hpp"
#include "derive/regression_equations.hpp"
#include "derive/sampling.hpp"

namespace dpcov::detail {
namespace {

// Least squares has intervals where the least eigenvalue of the noisy features is this many times
// the greatest that noise alone would have.
constexpr double least_signal = 2.0;
// And this many of its deviations, which is more where there are few features: a quotient of two
// noisy numbers has a symmetric interval only then.
constexpr double least_z_of_features = 6.0;

// The covariance matrix of (b - A w) as the noise of A, b and m makes it, u = (-w, 1).
Eigen::MatrixXd noise_of_equations(const NoisyCovariance& noisy, const Eigen::VectorXd& w) {
    const Eigen::Index p = w.size();
    Eigen::VectorXd u(p + 1);
    u << -w, 1.0;
    const Eigen::VectorXd m = noisy.mean.head(p);
    const double along = noisy.mean.dot(u);
    const double squared_length = u.squaredNorm();
    const double s2 = noisy.noise_variance;
    const double v = noisy.mean_noise_variance;
    const Eigen::VectorXd residual = (noisy.matrix * u).head(p) - m * along;
    Eigen::MatrixXd noise =
        0.5 * s2 * (w * w.transpose()) +
        v * (squared_length * m * m.transpose() - along * (m * w.transpose() + w * m.transpose())) +
        noisy.relative_rows_variance * residual * residual.transpose() +
        noisy.rows_covariance * (residual * w.transpose() + w * residual.transpose());
    noise.diagonal().array() += 0.5 * s2 * squared_length + v * along * along;
    return noise;
}

// Least squares on the noisy covariance.
struct LeastSquares {
    Eigen::MatrixXd inverse;       // A^-1
    Eigen::VectorXd coefficients;  // w = A^-1 b
    Eigen::MatrixXd noise;         // covariance matrix of (b - A w)

    // (-w, 1)
    [[nodiscard]] Eigen::VectorXd residual() const {
        Eigen::VectorXd u(coefficients.size() + 1);
        u << -coefficients, 1.0;
        return u;
    }
};

// None where the features are not seen clearly.
std::optional<LeastSquares> least_squares(const NoisyCovariance& noisy) {
    const NoisyRegression equations = regression_of(noisy);
    const Eigen::Index p = equations.cross.size();
    const EigenDecomposition eigen = eigen_decomposition(equations.features);
    const double s = std::sqrt(equations.noise_variance);
    const double greatest = noisy.edge_ratio * s * std::sqrt(static_cast<double>(2 * p));
    if (!(eigen.values[0] > std::fmax(least_signal * greatest, least_z_of_features * s))) {
        return std::nullopt;
    }
    LeastSquares line;
    line.inverse =
        eigen.vectors * eigen.values.cwiseInverse().asDiagonal() * eigen.vectors.transpose();
    line.coefficients = line.inverse * equations.cross;
    line.noise = noise_of_equations(noisy, line.coefficients);
    return line;
}

// What the sampling of rows adds to the error of a linear function of the line.
class SamplingOfLine {
public:
    SamplingOfLine(const std::optional<Population>& population, const NoisyCovariance& noisy,
                   const LeastSquares& line)
        : population_(population), u_(line.residual()) {
        // What noise hides may be there.
        const LinearFunction residual =
            linear_function(noisy, u_, Eigen::VectorXd::Zero(u_.size()));
        residual_variance_ = std::fmax(0.0, residual.value) + std::sqrt(residual.variance);
    }

    [[nodiscard]] SampledMean along(const Eigen::VectorXd& weights, double constant) const {
        return population_
                   ? sampled_along_line(*population_, u_, residual_variance_, weights, constant)
                   : SampledMean();
    }

private:
    const std::optional<Population>& population_;
    Eigen::VectorXd u_;
    double residual_variance_ = 0.0;
};

void set_intervals(VectorEstimate& coefficients, const LeastSquares& line,
                   const SamplingOfLine& sampling, const Eigen::VectorXd& units, double z) {
    const Eigen::VectorXd& w = line.coefficients;
    const Eigen::VectorXd noise =
        (line.inverse * line.noise * line.inverse).diagonal().cwiseMax(0.0);
    coefficients.standard_error = coefficients.lower = coefficients.upper = units;
    for (Eigen::Index k = 0; k < w.size(); ++k) {
        const SampledMean sampled = sampling.along(line.inverse.col(k), 0.0);
        const Interval about = interval_about(w[k], noise[k], sampled, z);
        coefficients.standard_error[k] *= about.standard_error;
        coefficients.lower[k] *= about.lower;
        coefficients.upper[k] *= about.upper;
    }
}

// Of the line's height u^T a where the table's columns are zero, u = (-w, 1) and a the middle that
// it goes through, as far from there. Derivation: docs/deriving.md#intercept.
Interval interval_of_height(const NoisyCovariance& noisy, const LeastSquares& line,
                            const Eigen::VectorXd& middle, const SampledMean& sampled, double z) {
    const Eigen::VectorXd& w = line.coefficients;
    const Eigen::Index p = w.size();
    const Eigen::VectorXd u = line.residual();
    const double along = noisy.mean.dot(u);
    const double v = noisy.mean_noise_variance;
    const double of_rows = noisy.relative_rows_variance * along * along;
    const Eigen::VectorXd m = noisy.mean.head(p);
    // w moves by A^-1 times the noise of b - A w, which has some in common with that of u^T m.
    const Eigen::VectorXd q = line.inverse * middle.head(p);
    const Eigen::VectorXd in_common =
        v * (along * w - u.squaredNorm() * m) - of_rows * m + noisy.rows_covariance * along * w;
    const double noise = std::fmax(
        0.0, q.dot(line.noise * q) + v * u.squaredNorm() + of_rows - 2.0 * q.dot(in_common));
    return interval_about(middle.dot(u), noise, sampled, z);
}

}  // namespace

void set_regression_intervals(Regression& regression, const NoisyCovariance& noisy,
                              const std::optional<Population>& population, const Release& release,
                              const std::vector<Eigen::Index>& columns, double level) {
    const std::optional<LeastSquares> line = least_squares(noisy);
    if (!line) {
        regression.coefficients.why =
            "no intervals: some combination of the features varies too little beside the noise for "
            "least squares to be told from the release; take fewer features, or more budget. Of "
            "columns that add up to a constant, as the 0/1 columns of one category do, leave one "
            "out";
        return;
    }
    const double z = NoiseQuantile(level).with(0.5 * noisy.excess_kurtosis);
    const Eigen::VectorXd units = units_of_statistics(release)(columns);
    const double unit = units[units.size() - 1];
    const SamplingOfLine sampling(population, noisy, *line);
    set_intervals(regression.coefficients, *line, sampling,
                  unit * units.head(units.size() - 1).cwiseInverse(), z);
    if (regression.intercept) {
        const Eigen::VectorXd origin = origin_in_table(release)(columns);
        const Eigen::VectorXd middle = origin.cwiseQuotient(units) + noisy.mean;
        // The height moves with the mean residual, too, where the line goes through the mean.
        const Eigen::VectorXd weights = -(line->inverse * middle.head(middle.size() - 1));
        const SampledMean sampled = sampling.along(weights, release.centered ? 1.0 : 0.0);
        const Interval height = interval_of_height(noisy, *line, middle, sampled, z);
        regression.intercept_interval = {.standard_error = unit * height.standard_error,
                                         .lower = unit * height.lower,
                                         .upper = unit * height.upper};
    }
}

}  // namespace dpcov::detail
