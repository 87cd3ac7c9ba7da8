#include "dpcov/release.hpp"

#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "arithmetic/blas_threads.hpp"
#include "arithmetic/interruption.hpp"
#include "dpcov/error.hpp"
#include "mechanism/run_method.hpp"
#include "moment/secret_door.hpp"
#include "privacy/budget_for.hpp"

namespace dpcov {
namespace {

using detail::SecretMoment;

// Charges before it hands out its first word: what a mechanism refuses it refuses before its first
// noise, so a refusal costs nothing, and noise that is not paid for cannot be drawn. All noise
// comes by here, so here is where its drawing can be interrupted. Made for one run of a mechanism,
// and not to be had from outside.
class PaidSource final : public RandomSource {
public:
    PaidSource(RandomSource& source, Accountant* accountant, const Charge& charge)
        : source_(source), accountant_(accountant), charge_(charge) {}

    std::uint64_t next_word() override {
        if (words_to_check_ == 0) {
            detail::check_interruption();
            require_one_process();
            words_to_check_ = 1U << 16U;  // some milliseconds of Gaussian noise
        }
        --words_to_check_;
        pay();
        return source_.next_word();
    }
    [[nodiscard]] bool is_secure() const noexcept override { return source_.is_secure(); }

    /// A fork would draw from what its parent has paid for.
    void require_one_process() const {
        if (::getpid() != process_) {
            throw DeviceError(
                "the process was forked while a release was drawn; only the one that "
                "began it may go on");
        }
    }

    void pay() {
        if (accountant_ != nullptr) {
            std::exchange(accountant_, nullptr)->charge(charge_);
            require_one_process();  // whoever charges may fork
        }
    }

private:
    RandomSource& source_;
    Accountant* accountant_;  ///< none once it was charged
    const Charge& charge_;
    pid_t process_ = ::getpid();
    std::uint32_t words_to_check_ = 0;
};

std::unique_ptr<RandomSource> source_for(const ReleaseOptions& options) {
    if (options.insecure_seed) {
        return std::make_unique<SeededRandomSource>(*options.insecure_seed);
    }
    return std::make_unique<SystemRandomSource>();
}

void check_account(const MomentLayout& layout, const ReleaseOptions& options) {
    if (!layout.dataset.empty() && options.accountant == nullptr && !options.unaccounted) {
        throw UsageError("these are rows of '" + layout.dataset +
                         "', whose releases are accounted for: name the accountant, or say that "
                         "this release is unaccounted");
    }
}

}  // namespace

// Callbacks may change what they were handed: so the rows are held, and what was asked is copied.
Release release(const SecondMoment& rows, const Definition& asked, const ReleaseOptions& wanted) {
    const Definition definition = asked;
    ReleaseOptions options = wanted;
    const Method& method = find_method(options.method);
    const std::shared_ptr<const SecretMoment> secret = detail::SecretDoor::open(rows);
    check_account(secret->layout(), options);
    const Curve curve = method.curve(options.variant);
    const Budget budget = detail::budget_for(definition, curve);
    const Charge charge{.dataset = secret->layout().dataset,
                        .spent = budget,
                        .curve = std::holds_alternative<Rho>(budget) ? curve : Curve::zcdp,
                        .neighbours = options.neighbours,
                        .method = std::string(method.name),
                        .variant = options.variant};
    const std::unique_ptr<RandomSource> source = source_for(options);
    PaidSource paid(*source, options.accountant, charge);
    if (options.read_again) {  // it sees what was drawn so far, the rough mean
        options.read_again = [&paid, again = options.read_again](SecondMoment& moment) {
            paid.require_one_process();
            again(moment);
        };
    }
    const detail::InterruptionCheck interruptible(options.check_interrupt);
    // LAPACK rounds differently with more threads; where a seed makes that visible, the same
    // release is worth more than a fast one.
    std::optional<detail::BlasThreads> one_thread;
    if (options.insecure_seed) {
        one_thread.emplace(1U);
    }
    Release release = detail::run_method(method, *secret, budget, options, paid);
    if (!release.stages.empty()) {
        paid.pay();  // what says that it spent is charged, whether or not a word was drawn
    }
    paid.require_one_process();
    release.definition = definition;
    if (options.accountant != nullptr && !release.stages.empty()) {
        release.charged = budget;
    }
    return release;
}

Release with_norm_bound(Release release, double norm_bound) {
    if (!(std::isfinite(norm_bound) && norm_bound >= release.norm_bound)) {
        throw UsageError(
            "the norm bound of rows that were clipped is at least their clip, and finite");
    }
    const double ratio = release.norm_bound / norm_bound;
    release.share_of_norm_bound *= ratio * ratio;
    release.norm_bound = norm_bound;
    return release;
}

}  // namespace dpcov
