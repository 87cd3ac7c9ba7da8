// Orthonormal vectors one after another, each from a Bingham law on what the earlier ones leave.
//
// What is left is the span of the columns of a d x q matrix Q (bingham_frame.hpp), which is a
// function of the vectors returned so far and of nothing else. The law of the next one is that of
// the unit vector y in R^q of density proportional to exp(c y^T Q^T G Q y) with respect to the
// sphere's area, exactly; returned is Q y with y rounded to a public grid. It is drawn by rejection
// from an angular central Gaussian law (Kent, Ganeiber, Mardia 2018): y = A z / |A z|, z ~ N(0, I)
// real numbers and A a product of matrices of doubles. Doubles say most of the time, with proved
// bounds on their errors, whether y is accepted and to what it is rounded; else more digits of z
// and of the coin are drawn. So the law does not depend on how A came about, nor on LAPACK, which
// only helps to find a good one. Derivation and bounds: docs/sampling.md#bingham.
#pragma once

#include <Eigen/Core>
#include <optional>

#include "arithmetic/eigen_decomposition.hpp"
#include "mechanism/bingham_envelope.hpp"
#include "mechanism/bingham_frame.hpp"
#include "random/random_source.hpp"

namespace dpcov {

/// Draws up to d orthonormal vectors for one symmetric d x d matrix G. As secret as G.
class BinghamSequence {
public:
    /// `matrix` is G, of entries of magnitudes from 2^-200 to 2^200, or zero. `found` is G's
    /// decomposition, in any order, as somebody computed it: it makes it fast or slow, and has no
    /// part in the law. Throws DeviceError where BLAS fails require_exact_blas.
    BinghamSequence(Eigen::MatrixXd matrix, detail::EigenDecomposition found);

    /// The next vector: orthogonal to all before, of density proportional to
    /// exp(concentration u^T G u) on the unit sphere of their complement, up to frame_error and the
    /// grid. 0 <= concentration <= 2^200, in units of 1 / G. To be called at most d times. Beyond
    /// concentration |G| = 2^42 / d^(3/2) or so it becomes slow.
    [[nodiscard]] Eigen::VectorXd next(RandomSource& random, double concentration);

private:
    class Proposal;

    [[nodiscard]] detail::BinghamEnvelope envelope(double concentration);
    void renew();

    Eigen::MatrixXd matrix_;      // G
    detail::BinghamFrame frame_;  // Q. Public: it knows nothing but the vectors
    // For Q^T G Q as it was when they were last found, narrowed down since. None once Q has moved.
    std::optional<detail::BinghamEnvelopes> envelopes_;
};

/// A bound on how far, in the Frobenius norm, the d vectors that a sequence returns, and its frame,
/// can be from an orthogonal matrix. Of d alone: 3e-11 for d = 50, 5e-8 for d = 1000.
[[nodiscard]] double frame_error(Eigen::Index d);

}  // namespace dpcov
