// The one way from a secret moment to something public. Everything done to a Release afterwards is
// post-processing and free. Proofs of every privacy claim: docs/privacy.md.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "dpcov/accountant.hpp"
#include "dpcov/budget.hpp"
#include "dpcov/eigen.hpp"
#include "dpcov/export.hpp"
#include "dpcov/methods.hpp"
#include "dpcov/schema.hpp"
#include "dpcov/second_moment.hpp"
#include "dpcov/statistics.hpp"

namespace dpcov {

/// How to release; all of it public.
struct ReleaseOptions {
    std::string method = "auto";  ///< of methods()
    Variant variant = Variant::best;
    Neighbours neighbours = Neighbours::replace;
    /// Failure probability that the paper's bounds, and thereby AdaptiveCov's choices, are set for:
    /// above 0, below 1.
    double beta = 0.1;
    /// clip-gauss, clip-laplace, clip-separate: the public clipping norm T, in units of the mapped
    /// rows: B, or B over a power of two where the moment keeps directions. For another T make the
    /// moment with the norm bound T.
    std::optional<double> clip = {};
    /// adaptive: every row is known, publicly, to have the norm B. The trace is then known too: its
    /// share of the budget goes to the release. Privacy does not rest on it; where rows are shorter
    /// the choice of a mechanism is made for too large a trace, and nothing else.
    bool full_norms = false;
    /// Release the centred covariance and the mean. `auto`, `stratified`, `gauss`, `clip-gauss` and
    /// `wishart` release both at once; others pay for the mean with a part of the budget.
    bool center = false;
    /// coinpress: how many times the rows are looked at, 1 to 5; 2 where it is not said.
    std::optional<int> steps = {};
    /// A second pass over the rows, for `auto` and `stratified` in variant best. It must add the
    /// same rows to the moment that it is given, which is empty, of the same data set and schema.
    /// It is called only where the covariance is about the mean, every column has bounds, and the
    /// norm bound is the one that these imply. A share of the budget then buys a rough mean and
    /// rough deviations; the rows are added again, moved and stretched by these; and the release is
    /// of those rows if they promise less error, for short rows need little noise. Both moments are
    /// in memory at once. The accountant was charged before the call; an exception ends the
    /// release.
    std::function<void(SecondMoment& again)> read_again = {};
    /// Keep the noisy statistics (Release::statistics): every estimate and interval is made from
    /// them. They take memory of a matrix a stratum. `stratified` and `auto` then draw one more, at
    /// no cost in privacy: of the rows in no stratum that the covariance is estimated from.
    bool keep_statistics = true;
    /// Who is charged, before the first noise; must outlive the call.
    Accountant* accountant = nullptr;
    /// Called between the steps of a long release, and before its first noise, by the thread that
    /// called release(). Whatever it throws ends the release and comes out of it: nothing is
    /// released, the rows stay as they are, and what the accountant was charged stays charged.
    /// Before the first noise nothing was. The longest step is the decomposition of a d x d matrix.
    std::function<void()> check_interrupt = {};
    /// Release a moment that bears a data set's name without an accountant.
    bool unaccounted = false;
    /// Deterministic noise for tests and experiments: the same release from the same seed, for
    /// which OpenBLAS takes one thread meanwhile, in the whole process. NOT PRIVATE: whoever knows
    /// the seed can remove it. Refused together with an accountant.
    std::optional<std::uint64_t> insecure_seed = {};
};

/// Why a released matrix is zero.
enum class ZeroReason {
    baseline,      ///< method zero
    undetectable,  ///< from n, d, the norm bound and the budget alone: nothing could show in noise
                   ///< that large, so none was drawn and nothing was spent
    nothing_seen,  ///< nothing was detected in the noise that was drawn
};

inline constexpr Words<ZeroReason, 3> zero_reason_words = {
    {{"baseline", ZeroReason::baseline},
     {"undetectable", ZeroReason::undetectable},
     {"nothing-seen", ZeroReason::nothing_seen}}};

/// A private estimate and the account of it; describes itself. Nothing in it is un-noised.
struct Release {
    Eigen::MatrixXd covariance;  ///< d x d, symmetric; units squared
    /// d, units; where it was asked for (ReleaseOptions::center).
    std::optional<Eigen::VectorXd> mean = {};
    /// Units are those of the table (in_table_units), not of the mapped rows.
    bool table_units = false;

    // What was asked for.
    Definition definition = Rho(1.0);
    std::string method = {};
    Variant variant = Variant::best;
    /// How (epsilon, delta)-DP follows from the rho that was spent; no matter under pure DP.
    Curve curve = Curve::zcdp;
    Neighbours neighbours = Neighbours::replace;
    bool centered = false;    ///< the covariance is about the mean, not about zero
    double norm_bound = 0.0;  ///< B, in units of the statistics
    /// d values, or none for all zero: what was subtracted from the mapped values, before the norm
    /// bound and the statistics. Public: given, or released first (ReleaseOptions::read_again).
    Eigen::VectorXd origin = {};
    /// d values, or none for all one: what the moved values were multiplied by, likewise.
    Eigen::VectorXd stretch = {};
    Schema schema = {};        ///< what the columns are; empty: known by their place alone
    std::string dataset = {};  ///< whose rows, where the moment says so
    /// What an accountant was charged before any noise was drawn; none without one.
    std::optional<Budget> charged = {};
    std::string version = {};  ///< of the library

    // What was spent and came of it.
    std::vector<Stage<Budget>> stages = {};
    std::optional<std::uint64_t> rows = {};        ///< n where it is public
    std::optional<std::uint64_t> noisy_rows = {};  ///< where n is private: the noisy count, at
                                                   ///< least 1, that the sums were divided by
    double grid = 0.0;  ///< step of the public grid that the noisy matrix lies on, before
                        ///< post-processing, in units of the statistics squared; 0 if none
    std::optional<double> threshold = {};  ///< clipping norm that was chosen, where one was; in
                                           ///< units of the mapped rows
    /// Root of an estimate of the squared Frobenius distance to the matrix of the rows as clipped,
    /// where known, and columns are not stretched; in units of the mapped rows squared. What
    /// clipping took away is not in it. For
    /// most methods the square is unbiased; that of `auto` and `stratified` is a model's, and what
    /// noise hides altogether is not in it (docs/algorithms.md#stratified-error).
    std::optional<double> estimated_frobenius_error = {};
    /// What that may be where noise hides long rows: about the root of the mean squared noise of
    /// all strata together, in the same units. Of `auto` and `stratified`, beside the estimated
    /// error.
    std::optional<double> hidden_rows_error = {};
    /// The zero matrix, which costs nothing, is estimated to err no more. Without an estimated
    /// error it is set only where the matrix is at least twice as long as the covariance is
    /// estimated to be, in units of the statistics. Some methods never set it.
    bool worse_than_zero = false;
    /// The mean squared norm of the rows as clipped, as the release tells it, over the squared norm
    /// bound: from 0 to 1, but for noise. Near 1 nearly every row is at the norm bound: either all
    /// are that long, or they were longer and clipped, which no estimated error covers.
    double share_of_norm_bound = 0.0;
    std::optional<ZeroReason> zero = {};  ///< set where the matrix is zero
    /// What the estimates are made from; in units of the mapped rows whatever `table_units` says,
    /// about `origin`, and stretched.
    Statistics statistics = {};
    bool secure_randomness = false;  ///< false: made with a seeded source; not private
};

/// Refuses, with the UsageError of release(), options that no rows could be released with: what
/// can be told before any are read. With an accountant, neighbours that are not its own
/// (Accountant::check_neighbours) and what it would not pay for (Accountant::check; but for method
/// zero, which spends nothing). Spends nothing. `passes` are 1
/// or 2, else UsageError; with 2 ReleaseOptions::read_again is still to come.
DPCOV_EXPORT void check_options(const Definition& definition, const ReleaseOptions& options,
                                int passes = 1);

/// Releases the covariance of `rows` under `definition`, and spends all of it (nothing where
/// Release::zero is `baseline` or `undetectable`). First everything that can be refused is refused.
/// Then the accountant is charged with all of the definition's budget. The stages, rounded down,
/// add up to that; to less where a method has no use for the rest. Then noise is drawn.
///
/// Throws, and spends nothing:
/// - UsageError where the method cannot honour the definition or an option; for a budget that would
///   drown every table or hide nothing: a rho below 1e-12, without delta an epsilon below 1e-6 or
///   d 2^-31, either above 1e30; where a moment that names its data set has neither an accountant
///   nor `unaccounted`.
/// - DataError where n is public and zero (but for method zero).
/// - BudgetError where the accountant refuses, or is one for other neighbours.
/// - DeviceError where the kernel has no randomness.
/// - What ReleaseOptions::check_interrupt does, before the first noise.
///
/// Throws when all was spent:
/// - What ReleaseOptions::check_interrupt and ReleaseOptions::read_again do.
/// - UsageError where `read_again` put another moment in place of the one that it was given.
/// - DataError where n is public and `read_again` added another number of rows.
/// - DeviceError where memory or the kernel's randomness runs out, or LAPACK does not converge.
[[nodiscard]] DPCOV_EXPORT Release release(const SecondMoment& rows, const Definition& definition,
                                           const ReleaseOptions& options = {});

/// Of rows that were clipped to ReleaseOptions::clip as they were read, which is the norm bound of
/// their moment: the release as one of rows with the norm bound `norm_bound` >= clip, which was
/// asked for. Changes what it says, not what was drawn. UsageError unless it is one that a moment
/// may have, and at least the release's.
[[nodiscard]] DPCOV_EXPORT Release with_norm_bound(Release release, double norm_bound);

}  // namespace dpcov
