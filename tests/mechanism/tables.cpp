#include "tables.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

namespace dpcov::test {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Eigen::Map<const RowMajor> matrix_of(const Rows& rows, std::size_t d) {
    return {rows.data(), static_cast<Eigen::Index>(rows.size() / d), static_cast<Eigen::Index>(d)};
}

}  // namespace

detail::SecretMoment moment_of(const Rows& rows, std::size_t d, double norm_bound,
                               bool keep_directions) {
    detail::SecretMoment moment(
        {.columns = d, .norm_bound = norm_bound, .keep_directions = keep_directions});
    moment.add(rows);
    return moment;
}

std::vector<detail::SecretMoment> neighbours(const Rows& shared, const Rows& others,
                                             std::size_t d) {
    std::vector<detail::SecretMoment> moments;
    for (std::size_t row = 0; row < others.size() / d; ++row) {
        const auto begin = others.begin() + static_cast<std::ptrdiff_t>(row * d);
        moments.push_back(
            moment_of(shared + Rows(begin, begin + static_cast<std::ptrdiff_t>(d)), d));
    }
    return moments;
}

detail::SecretMoment doubled(detail::SecretMoment moment, int doublings) {
    for (int i = 0; i < doublings; ++i) {
        detail::SecretMoment apart = moment;
        moment.take_over(apart);
    }
    return moment;
}

Eigen::MatrixXd covariance_of(const Rows& rows, std::size_t d) {
    const auto x = matrix_of(rows, d);
    return x.transpose() * x / static_cast<double>(x.rows());
}

Eigen::MatrixXd centred_covariance_of(const Rows& rows, std::size_t d) {
    const Eigen::VectorXd mean = matrix_of(rows, d).colwise().mean();
    return covariance_of(rows, d) - mean * mean.transpose();
}

Rows clipped(Rows rows, std::size_t d, double norm) {
    for (std::size_t i = 0; i < rows.size(); i += d) {
        double squares = 0.0;
        for (std::size_t j = 0; j < d; ++j) {
            squares += rows[i + j] * rows[i + j];
        }
        const double factor = std::min(1.0, norm / std::sqrt(squares));
        for (std::size_t j = 0; j < d && squares > 0.0; ++j) {
            rows[i + j] *= factor;
        }
    }
    return rows;
}

Budget budget_for(const Method& method, double value) {
    return method.zcdp ? Budget(Rho(value)) : Budget(Epsilon(value));
}

Release run(std::string_view method, const detail::SecretMoment& secret, double rho,
            const ReleaseOptions& options, std::uint64_t seed) {
    SeededRandomSource random(seed);
    return detail::run_method(find_method(method), secret, budget_for(find_method(method), rho),
                              options, random);
}

Release run(std::string_view method, const detail::SecretMoment& secret, Epsilon epsilon,
            const ReleaseOptions& options, std::uint64_t seed) {
    SeededRandomSource random(seed);
    return detail::run_method(find_method(method), secret, epsilon, options, random);
}

Release run(std::string_view method, const detail::SecretMoment& secret, Epsilon epsilon,
            Variant variant, std::uint64_t seed) {
    ReleaseOptions options;
    options.variant = variant;
    return run(method, secret, epsilon, options, seed);
}

Release run(std::string_view method, const detail::SecretMoment& secret, double rho,
            Variant variant, std::uint64_t seed) {
    ReleaseOptions options;
    options.variant = variant;
    return run(method, secret, rho, options, seed);
}

double noise_scale(double r, double rho, std::size_t n, std::size_t d) {
    return r * r / (std::sqrt(d == 1 ? 2.0 * rho : rho) * static_cast<double>(n));
}

double spent(const Release& release) {
    double sum = 0.0;
    for (const Stage<Budget>& stage : release.stages) {
        sum += amount_of(stage.spent);
    }
    return sum;
}

}  // namespace dpcov::test
