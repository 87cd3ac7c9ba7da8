#include "audit/audit.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <exception>
#include <mutex>
#include <vector>

#include "arithmetic/parallel.hpp"
#include "audit/distinguishers.hpp"
#include "audit/divergence_bound.hpp"
#include "audit/implied_loss.hpp"
#include "audit/neighbour_pairs.hpp"
#include "dpcov/error.hpp"
#include "mechanism/run_method.hpp"
#include "privacy/budget_for.hpp"

namespace dpcov::audit {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Runs that share one source of noise.
constexpr std::uint64_t block_runs = 64;

void check(const AuditOptions& options) {
    constexpr std::size_t most_columns = 20;
    constexpr std::uint64_t least_runs = 4;
    if (options.dimension < 1 || options.dimension > most_columns) {
        throw UsageError("an audit takes 1 to 20 columns");
    }
    if (options.runs < least_runs) {
        throw UsageError("an audit takes at least 4 runs: half of them choose, half of them count");
    }
    if (!(options.confidence > 0.0 && options.confidence < 1.0)) {
        throw UsageError("the confidence must be above 0 and below 1");
    }
}

/// The event that a measurement is at least the threshold, or below it, with the table on which it
/// is the more likely one.
struct Event {
    bool at_least = true;
    bool likelier_on_x = true;
    double threshold = 0.0;
};

std::uint64_t count(const Event& event, const std::vector<double>& sorted) {
    const auto below = static_cast<std::uint64_t>(
        std::lower_bound(sorted.begin(), sorted.end(), event.threshold) - sorted.begin());
    return event.at_least ? sorted.size() - below : below;
}

std::vector<double> sorted(const VectorXd& values) {
    std::vector<double> result(values.begin(), values.end());
    std::sort(result.begin(), result.end());
    return result;
}

/// Wilson's limits at so many deviations: near enough to Clopper and Pearson's to choose an event
/// by, and cheap. Sign +1: upper, -1: lower.
double wilson_limit(std::uint64_t seen, std::uint64_t runs, double z, double sign) {
    const auto n = static_cast<double>(runs);
    const double share = static_cast<double>(seen) / n;
    const double spread = z * std::sqrt(share * (1.0 - share) / n + z * z / (4.0 * n * n));
    return std::clamp((share + z * z / (2.0 * n) + sign * spread) / (1.0 + z * z / n), 0.0, 1.0);
}

struct ScoredEvent {
    Event event;
    double score = 0.0;  ///< the loss that the runs it was chosen on seem to show
};

/// The event on one measurement that seems to show the greatest loss. Thresholds are quantiles of
/// either sample.
ScoredEvent choose_event(const Definition& claim, const VectorXd& on_x, const VectorXd& on_y,
                         double z) {
    constexpr std::size_t quantiles = 48;
    const std::vector<double> xs = sorted(on_x);
    const std::vector<double> ys = sorted(on_y);
    std::vector<double> thresholds;
    for (std::size_t step = 0; step <= quantiles; ++step) {
        for (const std::vector<double>& sample : {xs, ys}) {
            thresholds.push_back(sample[step * (sample.size() - 1) / quantiles]);
        }
    }
    std::sort(thresholds.begin(), thresholds.end());
    thresholds.erase(std::unique(thresholds.begin(), thresholds.end()), thresholds.end());

    ScoredEvent best;
    for (const double threshold : thresholds) {
        for (const bool at_least : {true, false}) {
            Event event{at_least, true, threshold};
            std::uint64_t likelier = count(event, xs);
            std::uint64_t unlikelier = count(event, ys);
            if (likelier < unlikelier) {
                std::swap(likelier, unlikelier);
                event.likelier_on_x = false;
            }
            const double score = implied_loss(claim, wilson_limit(likelier, xs.size(), z, -1.0),
                                              wilson_limit(unlikelier, ys.size(), z, 1.0));
            if (score > best.score) {
                best = {event, score};
            }
        }
    }
    return best;
}

/// The first half of the runs, on which everything is chosen, and the fresh second half.
struct Halves {
    Halves(const MatrixXd& measured, Index statistic)
        : choosing(measured.row(statistic).head(measured.cols() / 2)),
          counting(measured.row(statistic).tail(measured.cols() - measured.cols() / 2)) {}

    VectorXd choosing;
    VectorXd counting;
};

struct Finding {
    double lower_bound = 0.0;
    std::string distinguisher;
};

/// What one event shows, but for a chance of `risk`. Rows are statistics, columns runs.
Finding examine_event(const Definition& claim, const std::vector<std::string>& names,
                      const MatrixXd& on_x, const MatrixXd& on_y, double risk) {
    const double limit_risk = 0.5 * risk;  // one limit for either table
    const double z = boost::math::quantile(
        boost::math::complement(boost::math::normal_distribution<double>(), limit_risk));
    ScoredEvent best;
    Index chosen = 0;
    for (Index k = 0; k < on_x.rows(); ++k) {
        const ScoredEvent candidate =
            choose_event(claim, Halves(on_x, k).choosing, Halves(on_y, k).choosing, z);
        if (candidate.score > best.score) {
            best = candidate;
            chosen = k;
        }
    }
    if (best.score == 0.0) {
        return {};
    }
    const auto counted = [&](const MatrixXd& measured) {
        const std::vector<double> fresh = sorted(Halves(measured, chosen).counting);
        return Count{count(best.event, fresh), fresh.size()};
    };
    Count likelier = counted(on_x);
    Count unlikelier = counted(on_y);
    if (!best.event.likelier_on_x) {
        std::swap(likelier, unlikelier);
    }
    return {
        implied_loss(claim, lower_limit(likelier, limit_risk), upper_limit(unlikelier, limit_risk)),
        names[static_cast<std::size_t>(chosen)]};
}

/// What the means of a score show of rho, but for a chance of `risk`.
Finding examine_means(const std::vector<std::string>& names, const MatrixXd& on_x,
                      const MatrixXd& on_y, double risk) {
    Score best;
    double greatest = 0.0;
    Index chosen = 0;
    bool x_first = true;
    for (Index k = 0; k < on_x.rows(); ++k) {
        for (const bool order : {true, false}) {
            const VectorXd on_p = Halves(order ? on_x : on_y, k).choosing;
            const VectorXd on_q = Halves(order ? on_y : on_x, k).choosing;
            const Score score = fit_score(on_p, on_q, risk);
            if (score.slope == 0.0) {
                continue;
            }
            const double shown = divergence_bound(score, on_p, on_q, risk);
            if (shown > greatest) {
                best = score;
                greatest = shown;
                chosen = k;
                x_first = order;
            }
        }
    }
    if (greatest == 0.0) {
        return {};
    }
    return {std::max(0.0, divergence_bound(best, Halves(x_first ? on_x : on_y, chosen).counting,
                                           Halves(x_first ? on_y : on_x, chosen).counting, risk)),
            "mean of " + names[static_cast<std::size_t>(chosen)]};
}

/// What the runs on one pair show, but for a chance of `risk`.
Finding examine(const Definition& claim, std::vector<std::string> names, const MatrixXd& on_x,
                const MatrixXd& on_y, double risk) {
    const Index half = on_x.cols() / 2;
    const VectorXd weights = discriminant(on_x.leftCols(half), on_y.leftCols(half));
    const auto with_combination = [&weights](const MatrixXd& measured) {
        MatrixXd all(measured.rows() + 1, measured.cols());
        all << measured, weights.transpose() * measured;
        return all;
    };
    names.emplace_back("learned combination");
    const MatrixXd all_x = with_combination(on_x);
    const MatrixXd all_y = with_combination(on_y);
    if (!std::holds_alternative<Rho>(claim)) {
        return examine_event(claim, names, all_x, all_y, risk);
    }
    Finding event = examine_event(claim, names, all_x, all_y, 0.5 * risk);
    Finding means = examine_means(names, all_x, all_y, 0.5 * risk);
    return event.lower_bound >= means.lower_bound ? event : means;
}

/// Runs a mechanism on the two tables of a pair.
class Runner {
public:
    Runner(const Suspect& suspect, const Budget& budget, const AuditOptions& options)
        : suspect_(suspect), budget_(budget), options_(options), mechanism_(options.mechanism) {
        if (suspect.needs_clip && !mechanism_.clip) {
            // Centring wants the mean of the rows as clipped, so no clipping below the norm bound.
            mechanism_.clip = (mechanism_.center ? 1.0 : 0.5) * NeighbourPair::norm_bound;
        }
    }

    /// One column of measurements for each run.
    MatrixXd run(const Distinguishers& distinguishers, const std::vector<double>& rows) {
        detail::SecretMoment secret({.columns = options_.dimension,
                                     .norm_bound = NeighbourPair::norm_bound,
                                     .keep_directions = true});
        secret.add(suspect_.prepare ? suspect_.prepare(rows, options_.dimension) : rows);
        MatrixXd measured(static_cast<Index>(distinguishers.names().size()),
                          static_cast<Index>(options_.runs));
        const std::uint64_t blocks = (options_.runs + block_runs - 1) / block_runs;
        const std::uint64_t first_stream = next_stream_;
        next_stream_ += blocks;
        std::mutex mutex;
        std::exception_ptr failure;
        detail::parallel_ranges(options_.threads, blocks, [&](std::size_t begin, std::size_t end) {
            try {
                for (std::uint64_t block = begin; block < end; ++block) {
                    const std::unique_ptr<RandomSource> random = source(first_stream + block);
                    const std::uint64_t stop = std::min((block + 1) * block_runs, options_.runs);
                    for (std::uint64_t run = block * block_runs; run < stop; ++run) {
                        measured.col(static_cast<Index>(run)) = distinguishers.observe(
                            suspect_.run(secret, budget_, mechanism_, *random));
                    }
                }
            } catch (...) {
                const std::lock_guard lock(mutex);
                failure = std::current_exception();
            }
        });
        if (failure) {
            std::rethrow_exception(failure);
        }
        return measured;
    }

private:
    [[nodiscard]] std::unique_ptr<RandomSource> source(std::uint64_t stream) const {
        if (options_.random) {
            return options_.random(stream);
        }
        return std::make_unique<SystemRandomSource>();
    }

    const Suspect& suspect_;
    Budget budget_;
    const AuditOptions& options_;
    ReleaseOptions mechanism_;
    std::uint64_t next_stream_ = 0;
};

}  // namespace

Suspect::Suspect(const Method& method)
    : name(method.name),
      run([&method](const detail::SecretMoment& secret, const Budget& budget,
                    const ReleaseOptions& options, RandomSource& random) {
          return detail::run_method(method, secret, budget, options, random);
      }),
      needs_clip(method.needs_clip),
      curve(method.curve) {}

AuditReport audit_method(const Suspect& suspect, const Definition& claim,
                         const AuditOptions& options) {
    check(options);
    const std::vector<NeighbourPair> pairs =
        neighbour_pairs(options.dimension, options.mechanism.neighbours);
    const double risk = (1.0 - options.confidence) / static_cast<double>(pairs.size());
    const Curve curve =
        suspect.curve != nullptr ? suspect.curve(options.mechanism.variant) : Curve::zcdp;
    Runner runner(suspect, detail::budget_for(claim, curve), options);
    AuditReport report;
    report.claimed = claimed_loss(claim);
    for (const NeighbourPair& pair : pairs) {
        if (options.progress) {
            options.progress(pair.name);
        }
        const Distinguishers distinguishers(pair, options.mechanism.keep_statistics);
        const MatrixXd on_x = runner.run(distinguishers, pair.x);
        const MatrixXd on_y = runner.run(distinguishers, pair.y);
        const Finding finding = examine(claim, distinguishers.names(), on_x, on_y, risk);
        if (finding.lower_bound > report.lower_bound) {
            report.lower_bound = finding.lower_bound;
            report.pair = pair.name;
            report.distinguisher = finding.distinguisher;
        }
    }
    report.refuted = report.lower_bound > report.claimed;
    return report;
}

}  // namespace dpcov::audit
