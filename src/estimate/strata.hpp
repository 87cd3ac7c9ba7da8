// One estimate from the noisy Grams of all norm strata. Post-processing: nothing here sees
// un-noised data. Derivation: docs/algorithms.md#stratified.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <vector>

#include "estimate/aggregate.hpp"
#include "estimate/candidate.hpp"
#include "estimate/noise_spectrum.hpp"

namespace dpcov::detail {

/// Takes the noisy Grams of the strata from the finest to the coarsest. The finer ones have less
/// noise, in proportion to their squared norm, and teach what shape the coarser ones have.
///
/// Strata that are hardly more than noise, in trace and in their greatest eigenvalue, are poured
/// into the next coarser one or left out while nothing was found, and afterwards estimated by the
/// multiple of what the finer ones taught; two such strata one after the other are also looked at
/// together. For every other stratum, candidates are mixed by Stein's
/// risk estimate: filters in the eigenbasis of what finer ones taught, where that explains the
/// stratum, or functions of its own eigenvalues. Either takes one eigendecomposition.
class StrataEstimator {
public:
    /// d >= 1 columns; n > 0 rows in all strata together; noise of that law on all of them.
    StrataEstimator(Eigen::Index d, double rows, NoiseShape shape);

    /// The next coarser stratum, rows of norm at most `radius`: Y_k = Sigma_k + noise, d x d and
    /// symmetric, the noise of variance s^2 > 0 on the diagonal and s^2 / 2 off it, and
    /// independent of the strata before.
    void add(const Eigen::MatrixXd& noisy, double s, double radius);

    /// sum_k Sigma_k, estimated; symmetric, but not projected onto anything.
    [[nodiscard]] const Eigen::MatrixXd& estimate() const noexcept { return estimate_; }

    /// The squared Frobenius error of estimate(), estimated (docs/algorithms.md#stratified-error):
    /// for each stratum by Stein's identity, or, where finer ones taught it, by what the model of
    /// the shared basis expects, moved to near Stein's; what faint
    /// strata leave open; and what an error in the prior adds in common. None while nothing showed:
    /// what noise hides cannot be told from it.
    [[nodiscard]] std::optional<double> risk() const;

    /// What is believed of a multiple theta >= 0.
    struct Posterior {
        double presence = 0.0;  ///< chance that theta > 0
        double mean = 0.0;
        double variance = 0.0;
    };

private:
    // The pooled strata, estimated.
    struct Part {
        Eigen::MatrixXd matrix;
        double fresh_error;  // its squared error, estimated, but for what the prior's error makes;
                             // no less than that of one degree of freedom
        double prior_share;  // it moves by about this times a small change of the prior
    };

    // The pooled strata's trace, in deviations of its noise; whether that is worth a look.
    [[nodiscard]] double trace_deviations() const;
    [[nodiscard]] bool trace_shows() const;
    // The multiple >= 0 of the prior that is nearest to them; whether they are that but for noise
    // and the sampling of rows.
    [[nodiscard]] double prior_multiple() const;
    [[nodiscard]] bool prior_explains(double radius) const;
    // That multiple as a candidate, if there is a prior.
    [[nodiscard]] std::vector<Candidate> along_candidates() const;
    // Estimates by what was taught, if its model of their error holds, and by a matrix's own
    // eigenvalues, mixed with other candidates; none where nothing is better than zero.
    [[nodiscard]] std::optional<Part> as_taught(double scale, double radius) const;
    [[nodiscard]] std::optional<Part> by_itself(const Eigen::MatrixXd& target,
                                                const NoiseSpectrum& noise,
                                                std::vector<Candidate> candidates) const;
    // Of a faint stratum and the one before, if that was faint as well: what they have in common,
    // as many rows in each, if that stands out in their sum.
    [[nodiscard]] std::optional<Part> with_last_faint(const Eigen::MatrixXd& unexplained,
                                                      double scale);
    // Stein's estimate of a mixture's fresh error.
    [[nodiscard]] double fresh_stein(const Mixture& mixture, const Eigen::MatrixXd& target,
                                     double variance) const;
    // What they hold along the prior.
    [[nodiscard]] Posterior along_prior(double scale, double radius) const;
    // They show nothing by themselves: add that, and what they have in common with the last.
    void add_faint(const Posterior& along, const Eigen::MatrixXd& unexplained, double scale,
                   double radius);
    void add_along(const Posterior& along, double scale, double radius);
    void forget_pooled();

    double rows_;
    NoiseShape shape_;
    Eigen::MatrixXd estimate_;
    // Sum of the strata that showed too little since the last that showed enough (or nothing at
    // all), and its noise's variance.
    Eigen::MatrixXd pooled_;
    double pooled_variance_ = 0.0;
    // What the strata so far teach; zero while nothing.
    Eigen::MatrixXd prior_;
    // The last stratum, if it was faint, less its multiple of the prior.
    struct Faint {
        Eigen::MatrixXd unexplained;
        double scale;
    };
    std::optional<Faint> last_faint_;
    // Norm of the estimate and radius at the last stratum that showed enough, and the chance that
    // the next one holds anything.
    double found_ = 0.0;
    double found_up_to_ = 0.0;
    double presence_ = 0.0;

    // Expected squared errors of estimate_ and of prior_, and expected product of the two errors.
    struct ExpectedError {
        double estimate = 0.0;
        double prior = 0.0;
        double common = 0.0;
        // A stratum enters the estimate, and `weight` times the prior.
        void add(double fresh, double prior_share, double weight);
    };
    ExpectedError expected_;
};

}  // namespace dpcov::detail
