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
    std::string method = "auto";  ///< a name in methods()
    Variant variant = Variant::best;
    Neighbours neighbours = Neighbours::replace;
    /// The most rows that one person has, 1 to limits::rows_per_person; others: UsageError. The
    /// definition is then kept for the person, all of whose rows may change at once: noise is drawn
    /// for one row at rho / k^2, or epsilon / k of pure DP, rounded down (docs/privacy.md#groups).
    /// Nothing here counts a person's rows: that nobody has more is for the caller to see to.
    std::uint32_t rows_per_person = 1;
    /// Failure probability of the paper's bounds, by which AdaptiveCov makes its choices. Above 0,
    /// below 1.
    double beta = 0.1;
    /// For methods that need it (Method::needs_clip); others refuse it. The public clipping norm T,
    /// in units of the mapped rows: B, or where the moment keeps directions B over 2, 4, ... or
    /// 2^39; with `center` B alone. For another T make the moment with norm bound T.
    std::optional<double> clip = {};
    /// Where Method::takes_full_norms; others refuse it. It says that every row is publicly known
    /// to have the norm B. The trace is then known, too, and its share of the budget goes to the
    /// release. Privacy does not depend on this: if rows are shorter, a mechanism is chosen for too
    /// large a trace, and nothing else happens.
    bool full_norms = false;
    /// Release the covariance about the mean, and the mean: both at once (Method::centres_itself),
    /// or the mean for a part of the budget.
    bool center = false;
    /// Where Method::takes_steps; others refuse it. How often the rows are looked at, 1 to 5; none:
    /// 2.
    std::optional<int> steps = {};
    /// A second pass over the rows, where Method::reads_twice, in variant best; others refuse it.
    /// The function must add the same rows to `again`, an empty moment of the same data set and
    /// schema. It is called only where the covariance is about the mean, every column has bounds,
    /// and the norm bound is the one that the bounds imply. A share of the budget then buys a rough
    /// mean and rough deviations, and the rows are added again, moved and stretched by these. Short
    /// rows need little noise: if the new rows promise less error, the release is of them. Both
    /// moments are in memory at once. The accountant is charged before the call. An exception ends
    /// the release.
    std::function<void(SecondMoment& again)> read_again = {};
    /// Keep the noisy statistics (Release::statistics), from which all estimates and intervals are
    /// made. They take the memory of one d x d matrix for each stratum. `stratified` and `auto`
    /// then draw one more matrix, at no cost in privacy: of the rows in none of the strata from
    /// which the covariance is estimated.
    bool keep_statistics = true;
    /// The accountant that is charged, before the first noise; none: nobody is. Must outlive the
    /// call.
    Accountant* accountant = nullptr;
    /// The thread that called release() calls this between the steps of a long release, and before
    /// its first noise. An exception from it ends the release, and leaves release(): nothing is
    /// released, and the rows stay as they are. What the accountant was charged stays charged;
    /// before the first noise nothing was charged. The longest step is the decomposition of a d x d
    /// matrix.
    std::function<void()> check_interrupt = {};
    /// Allow the release of a moment that names its data set without an accountant.
    bool unaccounted = false;
    /// Deterministic noise for tests and experiments: the same seed gives the same release.
    /// Meanwhile OpenBLAS runs on one thread in the whole process. NOT PRIVATE: whoever knows the
    /// seed can remove the noise. Refused together with an accountant.
    std::optional<std::uint64_t> insecure_seed = {};
};

/// Why a released matrix is zero.
enum class ZeroReason {
    baseline,      ///< method zero
    undetectable,  ///< n, d, the norm bound and the budget alone show that nothing could be seen in
                   ///< so much noise: none was drawn, and nothing was spent
    nothing_seen,  ///< noise hides the matrix as a whole: any estimate is believed to err more
};

inline constexpr auto zero_reason_words =
    words_of<ZeroReason>({{"baseline", ZeroReason::baseline},
                          {"undetectable", ZeroReason::undetectable},
                          {"nothing-seen", ZeroReason::nothing_seen}});

/// A private estimate, and what it cost. It describes itself, and holds nothing secret: all numbers
/// from rows have noise.
struct Release {
    Eigen::MatrixXd covariance;  ///< d x d, symmetric; units squared (see table_units)
    /// d values, in the same units; set where it was asked for (ReleaseOptions::center). Of `auto`
    /// and `stratified` shrunk by its noise (docs/algorithms.md#shrunk-mean); of columns with
    /// bounds what is then expected within them (#mean-within-bounds), near the middle where noise
    /// hides it.
    std::optional<Eigen::VectorXd> mean = {};
    /// Whether covariance and mean are in units of the table (in_table_units), not of the mapped
    /// rows.
    bool table_units = false;

    // What was asked for.
    Definition definition = Rho(1.0);
    std::string method = {};
    Variant variant = Variant::best;
    /// How (epsilon, delta)-DP follows from the rho that was spent. Without meaning under pure DP.
    Curve curve = Curve::zcdp;
    Neighbours neighbours = Neighbours::replace;
    /// Definition, stages and charge are for a person, who has at most so many rows.
    std::uint32_t rows_per_person = 1;
    bool centered = false;    ///< the covariance is about the mean, not about zero
    double norm_bound = 0.0;  ///< B, in units of the statistics
    /// d values, or empty for zeros: what was subtracted from the mapped values, before the norm
    /// bound and the statistics. Public: it was given, or released first
    /// (ReleaseOptions::read_again).
    Eigen::VectorXd origin = {};
    /// d factors, or empty for ones: what the moved values were multiplied by. Public, likewise.
    Eigen::VectorXd stretch = {};
    Schema schema = {};        ///< what the columns are; empty: known by place alone
    std::string dataset = {};  ///< whose rows these are, where the moment says so
    /// What an accountant was charged before noise was drawn. None without an accountant, or where
    /// nothing was spent.
    std::optional<Budget> charged = {};
    std::string version = {};  ///< of the library

    // What was spent, and the results.
    std::vector<Stage<Budget>> stages = {};        ///< what each step spent
    std::optional<std::uint64_t> rows = {};        ///< n, where it is public
    std::optional<std::uint64_t> noisy_rows = {};  ///< where n is private: the noisy count, at
                                                   ///< least 1, that the sums were divided by
    double grid = 0.0;  ///< step of the public grid that the noisy matrix lies on, before
                        ///< post-processing, in units of the statistics squared; 0 if none
    std::optional<double> threshold = {};  ///< the clipping norm, where the method chose one; in
                                           ///< units of the mapped rows
    /// Estimated Frobenius error, in units of the mapped rows squared: the root of an estimate of
    /// the squared distance to the matrix of the rows as clipped. It does not include what clipping
    /// took away. None where it is not known, and where columns were stretched. For most methods
    /// the square is unbiased. For `auto` and `stratified` it comes from a model, and does not
    /// include rows that noise hides altogether (docs/algorithms.md#stratified-error).
    std::optional<double> estimated_frobenius_error = {};
    /// What the error may be where noise hides long rows: about the root of the mean squared noise
    /// of all strata together, in the same units. For `auto` and `stratified`, beside the estimated
    /// error.
    std::optional<double> hidden_rows_error = {};
    /// The zero matrix, which costs nothing, is estimated to err no more than the released one.
    /// Without an estimated error this is set only where the norm of the matrix is at least twice
    /// the estimated norm of the covariance, in units of the statistics. Some methods never set it.
    bool worse_than_zero = false;
    /// The noisy mean of the squared norms of the rows as clipped, divided by the squared norm
    /// bound: from 0 to 1, except for noise. Near 1 nearly every row is at the norm bound. Either
    /// the rows have that norm, or they were longer and were clipped, which no estimated error
    /// covers.
    double share_of_norm_bound = 0.0;
    std::optional<ZeroReason> zero = {};  ///< set where the matrix is zero
    /// What the estimates are made from. About `origin`, stretched, and always in units of the
    /// mapped rows, also where `table_units` is set.
    Statistics statistics = {};
    bool secure_randomness = false;  ///< false: made with a seeded source; not private
};

/// Checks options before any rows are read. Throws the UsageError of release() for options with
/// which no rows could be released. With an accountant it also calls Accountant::check_neighbours,
/// and, except for method zero, which spends nothing, Accountant::check. Spends nothing. `passes`
/// is 1 or 2, else UsageError. With 2, ReleaseOptions::read_again may be set later.
DPCOV_EXPORT void check_options(const Definition& definition, const ReleaseOptions& options,
                                int passes = 1);

/// Releases the covariance of `rows` under `definition`. Spends the whole budget of the definition,
/// or nothing where Release::zero is `baseline` or `undetectable`. First all checks are made. Then
/// the accountant is charged with the whole budget. Then noise is drawn. The amounts in
/// Release::stages are rounded down. They add up to the budget, or to less where a method has no
/// use for the rest.
///
/// Throws, and spends nothing:
/// - UsageError where the method does not support the definition or an option. UsageError for a
///   budget that would drown every table or hide nothing: for one row a rho below 1e-12, without
///   delta an epsilon below 1e-6 or d 2^-31, either above 1e30. UsageError where a moment names its
///   data set, and there is neither an accountant nor `unaccounted`.
/// - DataError where n is public and zero (except for method zero).
/// - BudgetError where the accountant refuses, or is for other neighbours, or for another number of
///   rows per person.
/// - DeviceError where the kernel has no randomness.
/// - What ReleaseOptions::check_interrupt throws before the first noise.
///
/// Throws after the whole budget was spent:
/// - What ReleaseOptions::check_interrupt and ReleaseOptions::read_again throw.
/// - UsageError where `read_again` replaced the moment that it was given by another one.
/// - DataError where n is public and `read_again` added another number of rows.
/// - DeviceError where memory or the kernel's randomness runs out, or LAPACK does not converge.
[[nodiscard]] DPCOV_EXPORT Release release(const SecondMoment& rows, const Definition& definition,
                                           const ReleaseOptions& options = {});

/// The same of rows that nobody needs afterwards: sums are given back when they were drawn from,
/// which takes less memory where columns are many. `rows` is then as one that was moved from, also
/// where anything is thrown, but for the UsageError where another release of it is being drawn.
[[nodiscard]] DPCOV_EXPORT Release release(SecondMoment&& rows, const Definition& definition,
                                           const ReleaseOptions& options = {});

/// For rows that were clipped to ReleaseOptions::clip while they were read, so that the norm bound
/// of their moment is the clip. Returns the release with the norm bound that was asked for,
/// `norm_bound`. Changes Release::norm_bound and share_of_norm_bound, not what was drawn.
/// UsageError unless a moment may have such a norm bound (2^-200 to 2^200), and it is at least the
/// release's.
[[nodiscard]] DPCOV_EXPORT Release with_norm_bound(Release release, double norm_bound);

}  // namespace dpcov
