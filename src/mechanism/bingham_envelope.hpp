// Proposals for Bingham vectors, with proofs of how well they fit.
//
// On a space of dimension q0 a form C0 is given by doubles C and a bound on |C - C0|. An
// approximate eigenbasis C0 V = V L + K, V^T V = I + F is verified once: |K| and |F| are bounded by
// what products of C and V give, whoever found V. It serves for every concentration, and on each
// complement of vectors, the columns of a product P of reflections. For W = beta - 2 c L > 0,
// diagonal, and any J with orthonormal columns, A = P^T V W^(-1/2) J makes
// A^T (beta I - 2 c P^T C0 P) A near I if P A is near V W^(-1/2) J, that is, if the columns of that
// are near the complement. A product J of as many reflections sees to it, in O(k^2 q0) operations
// for k vectors: no decomposition. Derivation and bounds: docs/sampling.md#bingham.
#pragma once

#include <Eigen/Core>
#include <optional>

#include "arithmetic/eigen_decomposition.hpp"
#include "mechanism/reflections.hpp"

namespace dpcov::detail {

/// A = P^T V S J has, with M = beta I - 2 c P^T C0 P,
/// fit |z|^2 <= (A z)^T M (A z) <= fit (1 + slack) |z|^2 for all z.
struct BinghamEnvelope {
    double concentration = 0.0;  // c
    double beta = 0.0;
    double fit = 0.0;
    double slack = 0.0;
    Eigen::VectorXd scale;  // S, diagonal
    Reflections inward;     // J
    /// |A z| is within this of |S J z|, relative to |S J z| and to |z|.
    double skew = 0.0;
    double astray = 0.0;
};

class BinghamEnvelopes {
public:
    /// C0 is within `form_error` (Frobenius) of the symmetric `form`. `found` says what it likes:
    /// one that is far from a decomposition is not used.
    BinghamEnvelopes(const Eigen::MatrixXd& form, double form_error, EigenDecomposition found);

    /// Gives P one more reflection, by v.
    void narrow(Eigen::VectorXd v);
    [[nodiscard]] const Reflections& narrowed() const { return narrowed_; }  // P

    /// One for this concentration, with the least eigenvalue of W `wider` times the best: nothing
    /// where the proof fails. While P = I it holds for all great `wider`.
    [[nodiscard]] std::optional<BinghamEnvelope> find(double concentration, double wider) const;

    [[nodiscard]] const Eigen::MatrixXd& vectors() const { return vectors_; }  // V
    [[nodiscard]] double skew() const { return skew_; }                        // of F, or more

private:
    void verify(const Eigen::MatrixXd& form, const EigenDecomposition& found);

    double form_norm_ = 0.0;   // of C0, or more
    Eigen::MatrixXd vectors_;  // V
    Eigen::VectorXd values_;   // L
    double skew_ = 0.0;        // of F, or more
    double residual_ = 0.0;    // of K, or more
    Reflections narrowed_;     // P
    Eigen::MatrixXd gone_;  // V^T Y but for rounding, Y an orthonormal basis of what P leaves out
    double gone_error_ = 0.0;  // its distance from there
};

/// The Frobenius norm, computed in doubles and no less than the true one.
[[nodiscard]] inline double norm_bound(const Eigen::MatrixXd& matrix) {
    return matrix.norm() * (1.0 + 0x1p-20);
}

}  // namespace dpcov::detail
