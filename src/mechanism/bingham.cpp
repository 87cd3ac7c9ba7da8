#include "mechanism/bingham.hpp"

#include <gmpxx.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <deque>
#include <utility>

#include "arithmetic/eigen_decomposition.hpp"
#include "arithmetic/exact_blas.hpp"
#include "arithmetic/matrix_product.hpp"
#include "mechanism/bingham_acceptance.hpp"
#include "random/big_integer.hpp"
#include "random/lazy_normals.hpp"
#include "random/real_interval.hpp"

// LAPACK, which OpenBLAS carries: U^T U = A, and U^-1.
extern "C" void dpotrf_(const char* triangle, const int* order, double* matrix, const int* leading,
                        int* info);
extern "C" void dtrtri_(const char* triangle, const char* diagonal, const int* order,
                        double* matrix, const int* leading, int* info);

namespace dpcov {
namespace {

using detail::LazyNormals;
using detail::RealInterval;
using detail::Verdict;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double u = 0x1p-53;  // what rounding to a double costs, relatively

// What a sum of `terms` products errs by, relatively to the sum of their magnitudes, in whatever
// order and with or without fused operations (Higham 2002, section 3.1).
double sum_error(Index terms) {
    return 1.01 * static_cast<double>(terms) * u;
}

// A norm computed in doubles, and no less than the true one.
double norm_bound(const MatrixXd& matrix) {
    return matrix.norm() * (1.0 + 0x1p-20);
}

// Omega's least eigenvalue b > 0, for which the inverses of b + 2 c (l_max - l_k) add up to q0 / q,
// q0 the number of eigenvalues l_k. At q = q0 that is the best b (Kent, Ganeiber, Mardia 2018,
// section 3); with a few of the q0 dimensions gone it is near the best.
double best_b(const VectorXd& values, double concentration, double q) {
    const VectorXd gaps = 2.0 * concentration * (values.maxCoeff() - values.array());
    const double target = static_cast<double>(values.size()) / q;
    double low = 1.0 / target;  // there the least gap, zero, gives all of the target alone
    double high = q;            // there no inverse is above the mean that the target asks for
    for (int step = 0; step < 20; ++step) {
        const double middle = 0.5 * (low + high);
        ((gaps.array() + middle).inverse().sum() > target ? low : high) = middle;
    }
    return high;
}

// The output grid is 2^-this. Finer grids would ask for more digits more often.
int grid_digits(Index d) {
    return 38 - static_cast<int>(std::bit_width(static_cast<std::uint64_t>(d)));
}

// U^-1 for M = U^T U, upper triangular; nothing where LAPACK does not find it.
std::optional<MatrixXd> inverse_root(MatrixXd m) {
    const int order = static_cast<int>(m.rows());
    int info = 0;
    dpotrf_("U", &order, m.data(), &order, &info);
    if (info != 0) {
        return std::nullopt;
    }
    dtrtri_("U", "N", &order, m.data(), &order, &info);
    if (info != 0 || !m.allFinite()) {
        return std::nullopt;
    }
    m.triangularView<Eigen::StrictlyLower>().setZero();
    return m;
}

// ||A^T M A - factor I||_F for A upper triangular and M symmetric. The zeros of A are left out
// where that saves a good part of the work.
double distance_from_multiple(const MatrixXd& a, const MatrixXd& m, double factor) {
    constexpr Index block = 64;
    const Index q = a.rows();
    double squares = 0.0;
    for (Index first = 0; first < q; first += block) {
        const Index columns = std::min(block, q - first);
        const Index size = first + columns;  // what is not zero above
        const MatrixXd within = detail::product(
            a.topLeftCorner(size, size).transpose(),
            detail::product(m.topLeftCorner(size, size), a.block(0, first, size, columns)));
        // Entries above the diagonal block stand for those below it, too.
        squares += 2.0 * within.topRows(first).squaredNorm() +
                   (within.bottomRows(columns) - factor * MatrixXd::Identity(columns, columns))
                       .squaredNorm();
    }
    return std::sqrt(squares) * (1.0 + 0x1p-20);
}

}  // namespace

double frame_error(Index d) {
    const auto order = static_cast<double>(d);
    return 12.0 * order * (order + 8.0) * std::sqrt(order) * u;
}

// y = A z / |A z|, with M = beta I - 2 c Q^T G Q and |z|^2 <= (A z)^T M (A z) <= (1 + slack) |z|^2
// for all z.
struct BinghamSequence::Envelope {
    double concentration = 0.0;
    double beta = 0.0;
    double slack = 0.0;
    MatrixXd transform;  // A, upper triangular
    VectorXd row_norms;  // of A, or more
    double norm = 0.0;   // of A (Frobenius), or more
};

// One proposal: real numbers z, known to some digits.
class BinghamSequence::Proposal {
public:
    Proposal(RandomSource& random, const Envelope& envelope)
        : envelope_(&envelope),
          z_(random, static_cast<std::size_t>(envelope.transform.rows())),
          coin_(random.next_word()) {
        const Index q = envelope.transform.rows();
        VectorXd z(q);
        for (Index i = 0; i < q; ++i) {
            z[i] = z_.rough(static_cast<std::size_t>(i));
        }
        w_ = envelope.transform.triangularView<Eigen::Upper>() * z;
        z_norm_ = z.norm();
        w_norm_ = w_.norm();
        z_error_ = 1.1 * u * z_norm_ + 0.26 * u * std::sqrt(static_cast<double>(q));
        product_error_ = 1.1 * (sum_error(q) * z_norm_ + z_error_);
    }

    [[nodiscard]] bool accepted(RandomSource& random, const BinghamSequence& sequence) {
        const auto q = static_cast<double>(w_.size());
        Verdict found = Verdict::open;
        if (z_norm_ > 0.0 && w_norm_ > 0.0) {
            const double ratio = z_norm_ / w_norm_;
            // Of |z|, of |w|, both squared, and of the norms and the division themselves.
            const double error =
                2.2 * (z_error_ / z_norm_ + w_error() / w_norm_) + 4.0 * sum_error(w_.size() + 4);
            found = detail::quick_verdict(q, ratio * ratio, error, envelope_->slack, coin_);
        }
        detail::LazyNumber v{detail::to_big(coin_), 64};
        while (found == Verdict::open) {
            v.extend(random);
            sharpen(random);
            if (mpfr_sgn(exact_->w_squares.low()) > 0 && mpfr_sgn(exact_->z_squares.low()) > 0) {
                found = decide(sequence, v);
            }
        }
        return found == Verdict::accepted;
    }

    /// y with each coordinate rounded to the nearest multiple of 2^-digits.
    [[nodiscard]] VectorXd rounded(RandomSource& random, int digits) {
        const double grid = std::ldexp(1.0, digits);
        VectorXd y(w_.size());
        for (Index i = 0; i < w_.size(); ++i) {
            const double rough = w_[i] / w_norm_ * grid;
            const double nearest = std::round(rough);
            const double error = 1.1 * grid *
                                     (product_error_ * envelope_->row_norms[i] +
                                      std::fabs(w_[i]) / w_norm_ * w_error()) /
                                     w_norm_ +
                                 2.0 * sum_error(w_.size() + 4) * std::fabs(rough);
            const bool clear =
                w_error() < 0x1p-7 * w_norm_ && std::fabs(rough - nearest) + error < 0.5 - 0x1p-20;
            y[i] = (clear ? nearest : exactly_rounded(random, i, grid)) / grid;
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

    // Of w, in norm.
    [[nodiscard]] double w_error() const { return product_error_ * envelope_->norm; }

    void sharpen(RandomSource& random) {
        exact_.emplace(exact_ ? exact_->bits + 64 : LazyNormal::fraction_bits + 64);
        const auto q = static_cast<std::size_t>(w_.size());
        std::deque<RealInterval> z;
        for (std::size_t i = 0; i < q; ++i) {
            z.emplace_back(exact_->precision());
            z.back().set(z_.digits(random, i, exact_->bits), exact_->bits);
            exact_->z_squares.add_square(z.back());
        }
        for (std::size_t i = 0; i < q; ++i) {
            RealInterval& w = exact_->w.emplace_back(exact_->precision());
            for (std::size_t j = i; j < q; ++j) {
                w.add_product(envelope_->transform(static_cast<Index>(i), static_cast<Index>(j)),
                              z[j]);
            }
            exact_->w_squares.add_square(w);
        }
    }

    // s = |z|^2 / |w|^2 and t = w^T M w / |w|^2 = beta - 2 c (Q w)^T G (Q w) / |w|^2.
    [[nodiscard]] Verdict decide(const BinghamSequence& sequence,
                                 const detail::LazyNumber& v) const {
        const mpfr_prec_t bits = exact_->precision();
        const auto combine = [bits](const MatrixXd& matrix, const std::deque<RealInterval>& x) {
            std::deque<RealInterval> result;
            for (Index i = 0; i < matrix.rows(); ++i) {
                RealInterval& sum = result.emplace_back(bits);
                for (Index j = 0; j < matrix.cols(); ++j) {
                    sum.add_product(matrix(i, j), x[static_cast<std::size_t>(j)]);
                }
            }
            return result;
        };
        const std::deque<RealInterval> along = combine(sequence.frame_, exact_->w);
        const std::deque<RealInterval> image = combine(sequence.matrix_, along);
        RealInterval form(bits);
        for (std::size_t i = 0; i < along.size(); ++i) {
            form.add_product(along[i], image[i]);
        }
        form.divide(exact_->w_squares);
        RealInterval t(bits, envelope_->beta);
        t.add_product(-2.0 * envelope_->concentration, form);
        RealInterval s(bits);
        s.set(exact_->z_squares);
        s.divide(exact_->w_squares);
        return detail::verdict(static_cast<double>(w_.size()), s, t, v);
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

    const Envelope* envelope_;
    LazyNormals z_;
    std::uint64_t coin_;  // the first digits of V
    VectorXd w_;          // A z, roughly
    double z_norm_ = 0.0;
    double w_norm_ = 0.0;
    double z_error_ = 0.0;        // of z, in norm
    double product_error_ = 0.0;  // of a coordinate of w, relative to the norm of A's row
    std::optional<Exact> exact_;
};

BinghamSequence::BinghamSequence(MatrixXd matrix, VectorXd eigenvalues)
    : matrix_(std::move(matrix)),
      matrix_norm_(norm_bound(matrix_)),
      frame_(MatrixXd::Identity(matrix_.rows(), matrix_.rows())),
      form_(matrix_),
      spectrum_(std::move(eigenvalues)) {
    detail::require_exact_blas();
}

// Q^T G Q and its eigenvalues anew.
void BinghamSequence::renew() {
    form_ = detail::product(frame_.transpose(), detail::product(matrix_, frame_));
    form_ = 0.5 * (form_ + form_.transpose()).eval();
    // Two products of sums of d terms each, ||Q||_F^2 <= 1.01 q, and the mean.
    const auto q = static_cast<double>(frame_.cols());
    form_error_ = 2.2 * sum_error(frame_.rows() + 2) * q * matrix_norm_;
    spectrum_ = detail::eigenvalues(form_);
    drawn_since_ = 0;
}

// M - A^-T A^-1 is found to be between zero and slack times the latter, or no envelope is given.
std::optional<BinghamSequence::Envelope> BinghamSequence::try_envelope(double concentration,
                                                                       double beta,
                                                                       double b) const {
    const Index q = form_.rows();
    MatrixXd m = -2.0 * concentration * form_;
    m.diagonal().array() += beta;
    const double norm = norm_bound(m);
    // How far m is from beta I - 2 c Q^T G Q, and an estimate of what all else will err by.
    const double m_error =
        2.02 * concentration * form_error_ + 3.0 * u * (norm + 2.0 * concentration * form_.norm());
    const double products = 2.2 * sum_error(q + 2) * norm;
    const double likely_squares = std::min(1.5, 1.1 * static_cast<double>(q) / b);
    const double margin =
        2.0 * (products + m_error) * likely_squares + 0x1p-45 + 16.0 * u * static_cast<double>(q);
    if (!(margin * static_cast<double>(q) < 4.0 && margin < 0.25)) {
        return std::nullopt;
    }
    std::optional<MatrixXd> root = inverse_root((1.0 - margin) * m);
    if (!root) {
        return std::nullopt;
    }
    Envelope result{concentration, beta, 0.0, std::move(*root), {}, 0.0};
    result.row_norms = result.transform.rowwise().norm() * (1.0 + 0x1p-20);
    result.norm = norm_bound(result.transform);
    const double factor = 1.0 / (1.0 - margin);
    const double away = distance_from_multiple(result.transform, m, factor) +
                        (products + m_error) * result.norm * result.norm +
                        4.0 * u * static_cast<double>(q);
    if (!(factor - away >= 1.0)) {
        return std::nullopt;
    }
    result.slack = factor + away - 1.0;
    return result;
}

BinghamSequence::Envelope BinghamSequence::envelope(double concentration) {
    const auto q = static_cast<double>(form_.rows());
    // Where doubles are too coarse for a close envelope, a wider one: there is always one.
    for (double b = best_b(spectrum_, concentration, q);; b *= 2.0) {
        const double beta = b + 2.0 * concentration * spectrum_.maxCoeff();
        if (std::optional<Envelope> found = try_envelope(concentration, beta, b)) {
            return std::move(*found);
        }
        if (drawn_since_ > 0) {
            renew();
            b = 0.5 * best_b(spectrum_, concentration, q);
        }
    }
}

VectorXd BinghamSequence::next(RandomSource& random, double concentration) {
    if (8 * drawn_since_ >= spectrum_.size() && drawn_since_ > 0) {
        renew();
    }
    while (true) {
        const Envelope around = envelope(concentration);
        const Index q = frame_.cols();
        // An envelope that fits badly, which only an old spectrum gives, is given up once the
        // proposals have cost about as much as a new one. What is accepted has the same law.
        for (Index trial = 0; drawn_since_ == 0 || trial < q; ++trial) {
            Proposal proposal(random, around);
            if (proposal.accepted(random, *this)) {
                const VectorXd y =
                    proposal.rounded(random, grid_digits(matrix_.rows())).normalized();
                VectorXd vector = frame_ * y;
                leave_out(y);
                return vector;
            }
        }
        renew();
    }
}

// The reflection H = I - 2 v v^T / |v|^2 takes the first axis to y or -y. Its other columns span
// what y leaves.
void BinghamSequence::leave_out(const VectorXd& y) {
    const Index q = y.size();
    VectorXd v = y;
    v[0] += std::copysign(1.0, y[0]);
    const double factor = 2.0 / v.squaredNorm();
    const VectorXd turned = factor * (frame_ * v);
    frame_ = (frame_.rightCols(q - 1) - turned * v.tail(q - 1).transpose()).eval();
    // H C H = C - v w^T - w v^T.
    const double before = norm_bound(form_);
    VectorXd w = factor * (form_ * v);
    w -= (0.5 * factor * v.dot(w)) * v;
    const MatrixXd half = v.tail(q - 1) * w.tail(q - 1).transpose();
    form_ = (form_.bottomRightCorner(q - 1, q - 1) - (half + half.transpose())).eval();
    const auto order = static_cast<double>(q);
    form_error_ += 40.0 * sum_error(q + 8) * before +
                   18.0 * sum_error(q + 4) * std::sqrt(order) * matrix_norm_;
    ++drawn_since_;
}

}  // namespace dpcov
