// Orthonormal vectors one after another, each from a Bingham law on what the earlier ones leave.
//
// The Bingham law with concentration c has density proportional to exp(c u^T C u) on the unit
// sphere. It is drawn by rejection from the angular central Gaussian law (Kent, Ganeiber, Mardia
// 2018): u = z / |z|, z ~ N(0, Omega^-1), Omega = beta I - 2 c C positive definite, has density
// proportional to (u^T Omega u)^(-q/2) in q dimensions; with s = u^T Omega u the target is
// proportional to exp(-s / 2), so u is accepted with probability
//
//   exp((q - s) / 2) (s / q)^(q/2) <= 1.
//
// Any beta will do for the law; it decides how often a proposal is accepted. Unlike the other
// samplers of this folder this one computes in doubles: the law is exact but for their rounding.
// Derivation, and how the complement is kept at O(d^3) in all: docs/sampling.md#bingham.
#pragma once

#include <Eigen/Core>

#include "arithmetic/eigen_decomposition.hpp"
#include "dpcov/random.hpp"

namespace dpcov {

/// Draws up to d orthonormal vectors for one symmetric d x d matrix C. As secret as C.
class BinghamSequence {
public:
    /// `matrix` is C; its eigenvalues ascend.
    explicit BinghamSequence(detail::EigenDecomposition matrix);

    /// The next vector: orthogonal to all before, of density proportional to
    /// exp(concentration u^T C u) on the unit sphere of their complement. concentration >= 0 and
    /// finite, in units of 1 / C. To be called at most d times.
    [[nodiscard]] Eigen::VectorXd next(RandomSource& random, double concentration);

private:
    void diagonalise_complement();

    // The complement of the vectors drawn before the last diagonalisation, in the basis that
    // diagonalises C there.
    detail::EigenDecomposition frame_;  // vectors: d x q0
    // The vectors drawn since, in the coordinates of that basis.
    Eigen::MatrixXd drawn_;  // q0 x (at least count_)
    Eigen::Index count_ = 0;
};

}  // namespace dpcov
