#include "mechanism/bingham_envelope.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "arithmetic/matrix_product.hpp"
#include "arithmetic/reflect.hpp"
#include "arithmetic/sum_in_parts.hpp"

namespace dpcov::detail {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double more = 1.0 + 0x1p-20;  // covers the rounding of a bound's own arithmetic

// W's least eigenvalue b > 0, for which the inverses of b + 2 c (l_max - l_k) add up to q0 / q, q0
// the number of eigenvalues l_k. At q = q0 that is the best b (Kent, Ganeiber, Mardia 2018, section
// 3); with a few of the q0 dimensions gone it is near the best.
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

struct Inward {
    Reflections reflections;  // J
    double missed = 0.0;      // |columns^T J| (Frobenius), or more
};

// The reflections that take `columns` to the first axes. The last step measures what of them does
// not get there but for rounding, as in Higham 2002, Lemma 19.3.
Inward inward(MatrixXd columns) {
    const Index n = columns.rows();
    const Index k = columns.cols();
    const double rounding =
        1.01 * static_cast<double>(k) * reflection_error(n) * norm_bound(columns);
    Inward result{Reflections(n), 0.0};
    for (Index j = 0; j < k; ++j) {
        const Index size = n - j;
        VectorXd v = columns.col(j).tail(size);
        v[0] += std::copysign(v.norm(), v[0]);
        const double factor = 2.0 / dot_in_lanes(v.data(), v.data(), size);
        for (Index other = j; other < k; ++other) {
            reflect(v.data(), factor, columns.col(other).data() + j, size);
        }
        result.reflections.add(std::move(v));
    }
    // Column j was left after step j, and later steps mix what is below its place.
    const MatrixXd elsewhere = columns.triangularView<Eigen::StrictlyLower>();
    result.missed = norm_bound(elsewhere) + rounding;
    return result;
}

}  // namespace

BinghamEnvelopes::BinghamEnvelopes(const MatrixXd& form, double form_error,
                                   EigenDecomposition found)
    : form_norm_(norm_bound(form) + form_error), narrowed_(form.rows()), gone_(form.rows(), 0) {
    const auto good = [&] {
        verify(form, found);
        return skew_ < 0x1p-20 && residual_ <= 0x1p-20 * form_norm_;
    };
    if (!good()) {
        found = eigen_decomposition(form);
        if (!good()) {
            found = {form.diagonal(), MatrixXd::Identity(form.rows(), form.rows())};
            verify(form, found);
        }
    }
    residual_ += more * (1.0 + skew_) * form_error;
    values_ = std::move(found.values);
    vectors_ = std::move(found.vectors);
}

// Without the form's error.
void BinghamEnvelopes::verify(const MatrixXd& form, const EigenDecomposition& found) {
    const Index q = form.rows();
    const double norm = norm_bound(found.vectors);
    MatrixXd skew = product(found.vectors.transpose(), found.vectors);
    skew.diagonal().array() -= 1.0;
    skew_ = norm_bound(skew) + more * sum_error(q + 2) * norm * norm;
    MatrixXd residual = product(form, found.vectors);
    residual -= found.vectors * found.values.asDiagonal();
    residual_ = norm_bound(residual) + more * norm *
                                           (sum_error(q + 2) * norm_bound(form) +
                                            sum_error(2) * found.values.cwiseAbs().maxCoeff());
}

void BinghamEnvelopes::narrow(VectorXd v) {
    const Index q0 = vectors_.rows();
    narrowed_.add(std::move(v));
    gone_.conservativeResize(q0, narrowed_.count());
    gone_.rightCols(1).noalias() = vectors_.transpose() * narrowed_.last_left_out();
    gone_error_ +=
        more * (narrowed_.error() + 1.1 * sum_error(q0) * std::sqrt(static_cast<double>(q0)));
}

std::optional<BinghamEnvelope> BinghamEnvelopes::find(double concentration, double wider) const {
    const Index q = narrowed_.columns();
    const double twice = 2.0 * concentration;
    const double b = wider * best_b(values_, concentration, static_cast<double>(q));
    BinghamEnvelope result;
    result.concentration = concentration;
    result.beta = b + twice * values_.maxCoeff();
    const VectorXd omega = result.beta - (twice * values_).array();  // W
    if (!(omega.minCoeff() > 0.0)) {
        return std::nullopt;
    }
    result.scale = omega.cwiseSqrt().cwiseInverse();  // W^(-1/2) but for rounding
    const double least = result.scale.minCoeff();
    const double greatest = result.scale.maxCoeff();

    // R = P A - V S J = -Y Y^T V S J.
    const MatrixXd gone = result.scale.asDiagonal() * gone_;
    Inward found = inward(gone);
    const double r =
        more * (found.missed + sum_error(2) * norm_bound(gone) + greatest * gone_error_);

    // A^T M A = (V S J + R)^T (beta I - 2 c C0) (V S J + R), (beta I - 2 c C0) V = V W - 2 c K.
    const double values_norm = values_.cwiseAbs().maxCoeff();
    const double off_diagonal =
        greatest * greatest * sum_error(3) * (std::fabs(result.beta) + twice * values_norm);
    const double high = 1.0 + 0x1p-50 + off_diagonal;  // of S W S
    const double stretch = 1.0 + skew_;                // of V
    const double image = stretch * (high / least) + twice * residual_ * greatest;
    const double error =
        more * (off_diagonal + skew_ * high * greatest / least +
                stretch * twice * residual_ * greatest * greatest + 2.0 * image * r +
                (std::fabs(result.beta) + twice * form_norm_) * r * r) +
        0x1p-45;
    if (!(error * static_cast<double>(q) < 2.0 && error < 0.125)) {
        return std::nullopt;
    }
    result.fit = 1.0 - error;
    result.slack = more * (2.0 * error / (1.0 - error));
    result.inward = std::move(found.reflections);
    result.skew = skew_;
    result.astray = r;
    return result;
}

}  // namespace dpcov::detail
