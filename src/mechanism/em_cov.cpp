#include "mechanism/em_cov.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <variant>
#include <vector>

#include "arithmetic/eigen_decomposition.hpp"
#include "estimate/clamp.hpp"
#include "mechanism/bingham.hpp"
#include "mechanism/clipped_gram.hpp"
#include "mechanism/counted_moment.hpp"
#include "mechanism/em_sensitivity.hpp"
#include "mechanism/noise.hpp"
#include "mechanism/noise_scale.hpp"
#include "mechanism/release_steps.hpp"
#include "privacy/budget_meter.hpp"

namespace dpcov::detail {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// What is different under the two definitions.
template <class Share>
struct Rules;

template <>
struct Rules<Rho> {
    static constexpr Composition composition = Composition::squares;
    // epsilon-bounded-range is epsilon^2 / 8 - zCDP (Cesar and Rogers 2021, Lemma 3.2).
    static double bounded_range(Rho rho) { return std::sqrt(8.0 * rho.value()); }
    // What the greatest of `count` noises is about.
    static double greatest(const Sensitivity& sensitivity, double count, Rho rho) {
        return gaussian_deviation(sensitivity.l2, rho) * std::sqrt(2.0 * std::log(count));
    }
};

template <>
struct Rules<Epsilon> {
    static constexpr Composition composition = Composition::sum;
    static double bounded_range(Epsilon epsilon) { return epsilon.value(); }
    static double greatest(const Sensitivity& sensitivity, double count, Epsilon epsilon) {
        return laplace_noise_scale(sensitivity.l1, epsilon) * std::log(count);
    }
};

// The noise on numbers that are cut to the lattice.
template <class Share>
Noise<Share> lattice_noise(const Sensitivity& sensitivity, Share share) {
    return {{.l1 = sensitivity.l1 * full_weight, .l2 = sensitivity.l2 * full_weight}, share};
}

// `exact`, in units of one full row, with noise.
template <class Share>
VectorXd with_noise(const VectorXd& exact, const Noise<Share>& noise, RandomSource& random) {
    std::vector<Int128> values(static_cast<std::size_t>(exact.size()));
    std::transform(exact.begin(), exact.end(), values.begin(),
                   [](double value) { return static_cast<Int128>(value * full_weight); });
    noise.add_to(values, random);
    return vector_of(values, 1.0 / full_weight);
}

// Of that noise, in units of one full row.
template <class Share>
double variance(const Noise<Share>& noise) {
    return std::pow(noise.deviation() / full_weight, 2);
}

// SECRET.
MatrixXd gram_in_full_rows(const SecretMoment& secret) {
    return symmetric_matrix(clipped_gram(secret, 0), secret.layout().columns, 1.0 / full_weight);
}

MatrixXd draw_eigenvectors(MatrixXd gram, EigenDecomposition found, const VectorXd& concentrations,
                           RandomSource& random) {
    MatrixXd vectors(gram.rows(), concentrations.size());
    BinghamSequence sequence(std::move(gram), std::move(found));
    for (Index i = 0; i < concentrations.size(); ++i) {
        vectors.col(i) = sequence.next(random, concentrations[i]);
    }
    return vectors;
}

// `paper` and `published`: noisy eigenvalues on d eigenvectors.
template <class Share>
MatrixXd amin_estimate(const CountedMoment& moment, Share total, const ReleaseOptions& options,
                       BudgetMeter<Share>& meter, RandomSource& random) {
    const Share half = total.share(1, 1);
    const Share for_values =
        meter.spend("eigenvalues", half, Noise<Share>::name() + " on the eigenvalues");
    const Share for_vectors =
        meter.spend("eigenvectors", half, "exponential mechanism, one eigenvector after the other");
    const std::size_t d = moment.secret.layout().columns;
    MatrixXd gram = gram_in_full_rows(moment.secret);
    EigenDecomposition exact = eigen_decomposition(gram);
    const VectorXd values = with_noise<Share>(
        exact.values.reverse(),
        lattice_noise(em_eigenvalue_sensitivity(moment.neighbours, d, moment.rows.at_most),
                      for_values),
        random);
    const VectorXd clamped = clamp_eigenvalues(values, moment.rows.value);

    VectorXd shares = VectorXd::Constant(values.size(), 1.0 / static_cast<double>(values.size()));
    if constexpr (Rules<Share>::composition == Composition::sum) {
        if (options.variant == Variant::published) {
            shares = weighted_shares(clamped, for_vectors.value(), options.beta);
        }
    }
    constexpr double root = 1.0 / static_cast<double>(Rules<Share>::composition);
    const double all_of_it = concentration(moment.neighbours, d, moment.rows.at_most, for_vectors);
    const MatrixXd vectors = draw_eigenvectors(std::move(gram), std::move(exact),
                                               all_of_it * shares.array().pow(root), random);
    return assemble(vectors, options.variant == Variant::paper ? values : clamped);
}

// `best`, first phase: how sharply each of a few eigenvectors is worth drawing, from noisy
// eigenvalues.
template <class Share>
VectorXd plan_vectors(const CountedMoment& moment, const VectorXd& exact, Share for_values,
                      Share for_vectors, double variance_of_forms, RandomSource& random) {
    const auto d = static_cast<std::size_t>(exact.size());
    const Sensitivity sensitivity =
        em_eigenvalue_sensitivity(moment.neighbours, d, moment.rows.at_most);
    VectorXd noisy = with_noise<Share>(exact, lattice_noise(sensitivity, for_values), random);
    std::sort(noisy.begin(), noisy.end(), std::greater<>());
    // What noise alone may have made is not worth a vector.
    const double doubtful = Rules<Share>::greatest(sensitivity, static_cast<double>(d), for_values);
    return planned_concentrations(
        (noisy.array() - doubtful).max(0.0),
        concentration(moment.neighbours, d, moment.rows.at_most, for_vectors),
        Rules<Share>::composition, variance_of_forms);
}

// Second phase: what the Gram is along the vectors, and what is left of its trace: inner products
// with u_i u_i^T and with (I - sum u_i u_i^T) / sqrt(d - k), which are orthonormal.
VectorXd quadratic_forms(const MatrixXd& gram, const MatrixXd& vectors) {
    const Index k = vectors.cols();
    VectorXd forms(k + 1);
    forms.head(k) = (vectors.cwiseProduct(gram * vectors)).colwise().sum();
    forms[k] =
        (gram.trace() - forms.head(k).sum()) / std::sqrt(static_cast<double>(gram.rows() - k));
    return forms;
}

// Third phase: the matrix that has these noisy forms, each shrunk as James and Stein do, since
// small ones are mostly noise.
MatrixXd matrix_of(const MatrixXd& vectors, const VectorXd& noisy_forms, double variance,
                   double rows) {
    const Index k = vectors.cols();
    VectorXd forms = noisy_forms.unaryExpr(
        [=](double form) { return form * std::max(0.0, 1.0 - variance / (form * form)); });
    forms[k] /= std::sqrt(static_cast<double>(vectors.rows() - k));
    forms = clamp_eigenvalues(forms, rows);
    MatrixXd matrix = assemble(vectors, forms.head(k).array() - forms[k]);
    matrix.diagonal().array() += forms[k];
    return matrix;
}

// `best`: a few eigenvectors and what the matrix is along them.
template <class Share>
MatrixXd measured_estimate(const CountedMoment& moment, Share total, BudgetMeter<Share>& meter,
                           RandomSource& random) {
    const Share for_values =
        meter.spend("eigenvalues", total.share(1, 4),
                    Noise<Share>::name() + " on the eigenvalues, to plan the rest");
    const Share for_vectors = total.share(13, 4);
    const Share for_forms = total.share(1, 3);
    const auto noise_of_forms = [&](Index k, Share share) {
        return lattice_noise(em_form_sensitivity(moment.neighbours, moment.secret.layout().columns,
                                                 moment.rows.at_most, static_cast<std::size_t>(k)),
                             share);
    };
    const MatrixXd gram = gram_in_full_rows(moment.secret);
    EigenDecomposition exact = eigen_decomposition(gram);
    const VectorXd concentrations =
        plan_vectors(moment, exact.values.reverse(), for_values, for_vectors,
                     variance(noise_of_forms(0, for_forms)), random);
    const Index k = concentrations.size();
    if (k > 0) {
        // The concentrations were made of it.
        static_cast<void>(meter.spend("eigenvectors", for_vectors,
                                      "exponential mechanism, one eigenvector after the other"));
    }
    const MatrixXd vectors = draw_eigenvectors(gram, std::move(exact), concentrations, random);
    const Noise<Share> noise = noise_of_forms(
        k, meter.spend("coefficients", for_forms,
                       Noise<Share>::name() + " on the quadratic forms of the eigenvectors"));
    return matrix_of(vectors, with_noise(quadratic_forms(gram, vectors), noise, random),
                     variance(noise), moment.rows.value);
}

template <class Share>
Release em_release(const SecretMoment& secret, Share total, const ReleaseOptions& options,
                   RandomSource& random) {
    BudgetMeter<Share> meter(total);
    const auto [moment, rest] = count_rows(secret, options, meter, random);
    CovarianceEstimate estimate;
    estimate.covariance = options.variant == Variant::best
                              ? measured_estimate(moment, rest, meter, random)
                              : amin_estimate(moment, rest, options, meter, random);
    const double bound = secret.layout().norm_bound;
    estimate.covariance *= bound * bound / moment.rows.value;
    return make_release(moment, options, meter, std::move(estimate));
}

}  // namespace

// Densities proportional to exp(c y^T Q^T G Q y) have c times the range of the form's change, which
// is what bounded range counts. The last factor covers the rounding of all that led here, and of
// what is made of it: shares for d vectors, by a sum of d numbers that errs by d 2^-53. A
// concentration beyond which the sampler would become slow is not asked for: less costs less.
template <class Share>
double concentration(Neighbours neighbours, std::size_t d, double rows, Share share) {
    const double sharpest = 0x1p41 / (std::pow(static_cast<double>(d), 1.5) * rows);
    const double rounding = std::max(0x1p-40, (static_cast<double>(d) + 64.0) * 0x1p-52);
    return std::min(sharpest, Rules<Share>::bounded_range(share) /
                                  em_form_range(neighbours, d, rows) * (1.0 - rounding));
}

template double concentration(Neighbours, std::size_t, double, Rho);
template double concentration(Neighbours, std::size_t, double, Epsilon);

VectorXd weighted_shares(const VectorXd& noisy, double epsilon, double beta) {
    const double tau = 2.0 / epsilon * std::log(2.0 * static_cast<double>(noisy.size()) / beta);
    const VectorXd weights = (noisy.array() + tau).sqrt();
    return weights / weights.sum();
}

VectorXd planned_concentrations(const VectorXd& noisy, double total, Composition composition,
                                double variance) {
    const Index d = noisy.size();
    const auto power = static_cast<double>(composition);
    // Of l_i, (d - i) / (2 c_i) is lost, i = 1, 2, ...: the sum of the squares' losses,
    // l_i (d - i) / c_i, is least for c_i proportional to this.
    VectorXd wanted(d);
    for (Index i = 0; i < d; ++i) {
        wanted[i] = std::pow(noisy[i] * static_cast<double>(d - 1 - i), 1.0 / (power + 1.0));
    }
    VectorXd best;
    double best_gain = 0.0;
    double spent = 0.0;
    for (Index k = 1; k < d && wanted[k - 1] > 0.0; ++k) {
        spent += std::pow(wanted[k - 1], power);
        const VectorXd concentrations = wanted.head(k) * (total / std::pow(spent, 1.0 / power));
        double gain = -variance * static_cast<double>(k);
        for (Index i = 0; i < k; ++i) {
            const double lost = static_cast<double>(d - 1 - i) / (2.0 * concentrations[i]);
            gain += std::pow(std::max(0.0, noisy[i] - lost), 2);
        }
        if (gain > best_gain) {
            best_gain = gain;
            best = concentrations;
        }
    }
    return best;
}

Release em_cov(const SecretMoment& secret, const Budget& budget, const ReleaseOptions& options,
               RandomSource& random) {
    return std::visit([&](const auto& total) { return em_release(secret, total, options, random); },
                      budget);
}

}  // namespace dpcov::detail
