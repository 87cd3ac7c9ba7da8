// A basis of what the vectors drawn so far leave: the columns of Q = Q0 P, Q0 a d x q0 matrix of
// doubles and P a product of reflections (reflections.hpp). It is meant exactly, so that what is
// proved once on Q0 holds on all that it is narrowed to, without rounding errors that add up.
#pragma once

#include <Eigen/Core>
#include <deque>

#include "mechanism/reflections.hpp"
#include "random/real_interval.hpp"

namespace dpcov::detail {

class BinghamFrame {
public:
    /// The whole space: Q = I.
    explicit BinghamFrame(Eigen::Index d) : base_(Eigen::MatrixXd::Identity(d, d)), narrowed_(d) {}

    [[nodiscard]] Eigen::Index size() const { return narrowed_.columns(); }  // q

    /// Q y in doubles.
    [[nodiscard]] Eigen::VectorXd times(const Eigen::VectorXd& y) const;
    /// Enclosures of Q y, as many bits as y has.
    [[nodiscard]] std::deque<RealInterval> times(const std::deque<RealInterval>& y) const;

    /// Q in doubles, within rounding() of it (Frobenius).
    [[nodiscard]] Eigen::MatrixXd rounded() const { return narrowed_.of_rows(base_); }
    [[nodiscard]] double rounding() const;

    /// The reflection that leave_out(y) adds: it takes the first axis to y or -y, |y| = 1, both up
    /// to rounding, so the other columns of Q H span what y leaves.
    [[nodiscard]] static Eigen::VectorXd reflection(const Eigen::VectorXd& y);

    /// Leaves out Q y: takes the last columns of Q H for Q, and for Q0 what rounded() gives once a
    /// fifth of its columns are gone. Returns whether it did that, which moves Q. When it does is a
    /// matter of d and of the count of vectors alone: it must not depend on what is secret.
    bool leave_out(const Eigen::VectorXd& y);

private:
    Eigen::MatrixXd base_;  // Q0
    Reflections narrowed_;  // P
};

/// Enclosures of A x, x not empty.
[[nodiscard]] std::deque<RealInterval> enclosed_product(const Eigen::Ref<const Eigen::MatrixXd>& a,
                                                        const std::deque<RealInterval>& x);

}  // namespace dpcov::detail
