#include "mechanism/bingham.hpp"

#include <gmpxx.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>

#include "arithmetic/exact_blas.hpp"
#include "arithmetic/matrix_product.hpp"
#include "arithmetic/sum_in_parts.hpp"
#include "mechanism/bingham_acceptance.hpp"
#include "mechanism/bingham_envelope.hpp"
#include "random/big_integer.hpp"
#include "random/lazy_normals.hpp"
#include "random/real_interval.hpp"
#include "random/rounded_gaussian.hpp"

namespace dpcov {
namespace {

using detail::BinghamEnvelope;
using detail::LazyNormals;
using detail::norm_bound;
using detail::RealInterval;
using detail::sum_error;
using detail::Verdict;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double u = 0x1p-53;  // what rounding to a double costs, relatively

// The output grid is 2^-this: as the bounds on the errors, it grows with the square of d, since
// finer grids would ask for more digits more often.
int grid_digits(Index d) {
    return 37 - 2 * static_cast<int>(std::bit_width(static_cast<std::uint64_t>(d)));
}

}  // namespace

double frame_error(Index d) {
    const auto order = static_cast<double>(d);
    return 12.0 * order * (order + 8.0) * std::sqrt(order) * u;
}

// One proposal, y = w / |w|, w = A z = P^T V S J z: real numbers z, known to some digits.
class BinghamSequence::Proposal {
public:
    Proposal(RandomSource& random, const BinghamSequence& sequence, const BinghamEnvelope& envelope)
        : sequence_(&sequence),
          envelope_(&envelope),
          z_(random, static_cast<std::size_t>(envelope.inward.columns())),
          coin_(random.next_word()) {
        const Index q = envelope.inward.columns();
        VectorXd z(q);
        for (Index i = 0; i < q; ++i) {
            z[i] = z_.rough(static_cast<std::size_t>(i));
        }
        x_ = envelope.inward.times(z).cwiseProduct(envelope.scale);
        z_norm_ = z.norm();
        x_norm_ = x_.norm();
        z_error_ = 1.1 * u * z_norm_ + 0.26 * u * std::sqrt(static_cast<double>(q));
        inward_error_ = 1.1 * (envelope.inward.error() * z_norm_ + z_error_);
        x_error_ = envelope.scale.maxCoeff() * inward_error_ + 1.1 * u * x_norm_;
    }

    [[nodiscard]] bool accepted(RandomSource& random) {
        const auto q = static_cast<double>(envelope_->inward.columns());
        Verdict found = Verdict::open;
        if (z_norm_ > 0.0 && x_norm_ > 0.0) {
            const double ratio = z_norm_ / x_norm_;
            // Of |z|, of |w|, both squared, and of the norms and the products themselves.
            const double error = 2.2 * (z_error_ / z_norm_ + x_error_ / x_norm_ + envelope_->skew +
                                        1.01 * envelope_->astray * ratio) +
                                 4.0 * sum_error(x_.size() + 6);
            found = detail::quick_verdict(q, envelope_->fit * ratio * ratio, error,
                                          envelope_->slack, coin_);
        }
        detail::LazyNumber v{detail::to_big(coin_), 64};
        while (found == Verdict::open) {
            v.extend(random);
            sharpen(random);
            if (mpfr_sgn(exact_->w_squares.low()) > 0 && mpfr_sgn(exact_->z_squares.low()) > 0) {
                found = decide(v);
            }
        }
        return found == Verdict::accepted;
    }

    /// y with each coordinate rounded to the nearest multiple of 2^-digits.
    [[nodiscard]] VectorXd rounded(RandomSource& random, int digits) {
        const double grid = std::ldexp(1.0, digits);
        const MatrixXd& vectors = sequence_->envelopes_->vectors();
        const detail::Reflections& narrowed = sequence_->envelopes_->narrowed();
        const double stretch = 1.0 + sequence_->envelopes_->skew();
        const VectorXd whole = detail::product_in_parts(vectors, x_);
        const VectorXd w = narrowed.transposed_times(whole);
        const double w_norm = w.norm();
        // Of w: of J z, seen through V S, and the rest.
        const auto n = static_cast<double>(x_.size());
        const double rest = 1.1 * (stretch * std::sqrt(n) *
                                       sum_error(detail::terms_in_parts(x_.size()) + 1) * x_norm_ +
                                   narrowed.error() * whole.norm());
        const double w_error = 1.1 * stretch * x_error_ + rest;
        VectorXd y(w.size());
        for (Index i = 0; i < w.size(); ++i) {
            const double rough = w[i] / w_norm * grid;
            const double nearest = std::round(rough);
            // `through`: the norm of row i of P^T V S, or more.
            const auto clear = [&](double through) {
                const double error =
                    1.1 * grid *
                        (through * inward_error_ + rest + std::fabs(w[i]) / w_norm * w_error) /
                        w_norm +
                    2.0 * sum_error(w.size() + 4) * std::fabs(rough);
                return w_error < 0x1p-7 * w_norm &&
                       std::fabs(rough - nearest) + error < 0.5 - 0x1p-20;
            };
            const double greatest = envelope_->scale.maxCoeff();
            const auto row_norm = [&] {
                const VectorXd row =
                    vectors.transpose() * narrowed.times(VectorXd::Unit(w.size(), i));
                return row.cwiseProduct(envelope_->scale).norm() + 0x1p-24 * greatest;
            };
            y[i] = (clear(stretch * greatest) || clear(row_norm())
                        ? nearest
                        : exactly_rounded(random, i, grid)) /
                   grid;
        }
        return y;
    }

private:
    // z and w = A z to so many digits.
    struct Exact {
        int bits = 0;
        std::deque<RealInterval> w;
        RealInterval w_squares;
        RealInterval z_squares;

        explicit Exact(int digits) : bits(digits), w_squares(precision()), z_squares(precision()) {}
        [[nodiscard]] mpfr_prec_t precision() const { return mpfr_prec_t{bits} + 64; }
    };

    void sharpen(RandomSource& random) {
        exact_.emplace(exact_ ? exact_->bits + 64 : LazyNormal::fraction_bits + 64);
        const auto q = static_cast<std::size_t>(envelope_->inward.columns());
        std::deque<RealInterval> z;
        for (std::size_t i = 0; i < q; ++i) {
            z.emplace_back(exact_->precision());
            z.back().set(z_.digits(random, i, exact_->bits), exact_->bits);
            exact_->z_squares.add_square(z.back());
        }
        std::deque<RealInterval> x;
        for (const RealInterval& inward : envelope_->inward.times(z)) {
            const auto j = static_cast<Index>(x.size());
            x.emplace_back(exact_->precision()).add_product(envelope_->scale[j], inward);
        }
        exact_->w = sequence_->envelopes_->narrowed().transposed_times(
            detail::enclosed_product(sequence_->envelopes_->vectors(), x));
        for (const RealInterval& w : exact_->w) {
            exact_->w_squares.add_square(w);
        }
    }

    // s = fit |z|^2 / |w|^2 and t = w^T M w / |w|^2 = beta - 2 c (Q w)^T G (Q w) / |w|^2.
    [[nodiscard]] Verdict decide(const detail::LazyNumber& v) const {
        const mpfr_prec_t bits = exact_->precision();
        const std::deque<RealInterval> along = sequence_->frame_.times(exact_->w);
        const std::deque<RealInterval> image = detail::enclosed_product(sequence_->matrix_, along);
        RealInterval form(bits);
        for (std::size_t i = 0; i < along.size(); ++i) {
            form.add_product(along[i], image[i]);
        }
        form.divide(exact_->w_squares);
        RealInterval t(bits, envelope_->beta);
        t.add_product(-2.0 * envelope_->concentration, form);
        RealInterval s(bits);
        s.add_product(envelope_->fit, exact_->z_squares);
        s.divide(exact_->w_squares);
        return detail::verdict(static_cast<double>(exact_->w.size()), s, t, v);
    }

    // The nearest multiple of 1 / grid to coordinate i of w / |w|, as a multiple.
    [[nodiscard]] double exactly_rounded(RandomSource& random, Index i, double grid) {
        while (true) {
            if (exact_ && mpfr_sgn(exact_->w_squares.low()) > 0) {
                RealInterval norm(exact_->precision());
                norm.set(exact_->w_squares);
                norm.take_root();
                RealInterval y(exact_->precision());
                y.set(exact_->w[static_cast<std::size_t>(i)]);
                y.divide(norm);
                RealInterval steps(exact_->precision(), 0.5);
                steps.add_product(grid, y);
                detail::Real low(64);
                detail::Real high(64);
                mpfr_floor(low, steps.low());
                mpfr_floor(high, steps.high());
                if (mpfr_equal_p(low, high) != 0) {
                    return mpfr_get_d(low, MPFR_RNDN);
                }
            }
            sharpen(random);
        }
    }

    const BinghamSequence* sequence_;
    const BinghamEnvelope* envelope_;
    LazyNormals z_;
    std::uint64_t coin_;  // the first digits of V
    VectorXd x_;          // S J z, roughly
    double z_norm_ = 0.0;
    double x_norm_ = 0.0;
    double z_error_ = 0.0;       // of z, in norm
    double inward_error_ = 0.0;  // of J z, in norm
    double x_error_ = 0.0;       // of x, in norm
    std::optional<Exact> exact_;
};

BinghamSequence::BinghamSequence(MatrixXd matrix, detail::EigenDecomposition found)
    : matrix_(std::move(matrix)), frame_(matrix_.rows()) {
    detail::require_exact_blas();
    envelopes_.emplace(matrix_, 0.0, std::move(found));
}

// Q^T G Q and its eigenvectors anew. When this is done may depend on what is secret, so Q stays.
void BinghamSequence::renew() {
    const MatrixXd q = frame_.rounded();
    const MatrixXd image = detail::product(matrix_, q);
    const MatrixXd form = detail::product(q.transpose(), image);
    // Two products of sums of d terms each, |Q| <= 1.01 as a map, Q's rounding, and the mean.
    const double error = 1.1 * sum_error(q.rows() + 2) * norm_bound(q) *
                             (1.01 * norm_bound(matrix_) + norm_bound(image)) +
                         2.1 * norm_bound(matrix_) * frame_.rounding();
    const MatrixXd mean = 0.5 * (form + form.transpose());
    envelopes_.emplace(mean, error, detail::eigen_decomposition(mean));
}

BinghamEnvelope BinghamSequence::envelope(double concentration) {
    if (!envelopes_) {
        renew();
    }
    // Where doubles are too coarse for a close envelope, a wider one: there is always one.
    for (double wider = 1.0;; wider *= 2.0) {
        if (std::optional<BinghamEnvelope> found = envelopes_->find(concentration, wider)) {
            return std::move(*found);
        }
        if (envelopes_->narrowed().count() > 0) {
            renew();
            wider = 0.5;
        }
    }
}

VectorXd BinghamSequence::next(RandomSource& random, double concentration) {
    while (true) {
        const BinghamEnvelope around = envelope(concentration);
        // An envelope that fits badly, which only an old spectrum gives, is given up once the
        // proposals have cost about as much as a new one. What is accepted has the same law.
        const bool old = envelopes_->narrowed().count() > 0;
        for (Index trial = 0; !old || trial < frame_.size(); ++trial) {
            Proposal proposal(random, *this, around);
            if (proposal.accepted(random)) {
                const VectorXd y =
                    proposal.rounded(random, grid_digits(matrix_.rows())).normalized();
                VectorXd vector = frame_.times(y);
                if (frame_.leave_out(y)) {
                    envelopes_.reset();
                } else {
                    envelopes_->narrow(detail::BinghamFrame::reflection(y));
                }
                return vector;
            }
        }
        renew();
    }
}

}  // namespace dpcov
