// What is asked of the eigenvectors of a noisy matrix, in either precision: products with them.
#pragma once

#include <Eigen/Core>
#include <variant>

#include "arithmetic/eigen_decomposition.hpp"

namespace dpcov::detail {

/// A = V diag(values) V^T. What comes out is in doubles, and exactly symmetric where it is a
/// matrix; in single precision it errs by some 2^-24 of its norm times the root of d.
class Eigenbasis {
public:
    Eigenbasis() = default;  ///< of no matrix
    /// Of `symmetric`, exactly symmetric. Limits and exceptions are those of eigen_decomposition.
    Eigenbasis(const Eigen::MatrixXd& symmetric, Precision precision);

    /// Ascending.
    [[nodiscard]] const Eigen::VectorXd& values() const { return values_; }
    /// The diagonal of V^T B V; of no matrix, nothing.
    [[nodiscard]] Eigen::VectorXd diagonal_along(const Eigen::MatrixXd& b) const;
    /// The same of B = diag(entries), in d^2 steps.
    [[nodiscard]] Eigen::VectorXd diagonal_along_of(const Eigen::VectorXd& entries) const;
    /// V^T B V of a symmetric B.
    [[nodiscard]] Eigen::MatrixXd turned_into(const Eigen::MatrixXd& b) const;
    /// V B V^T of a symmetric B.
    [[nodiscard]] Eigen::MatrixXd turned_back(const Eigen::MatrixXd& b) const;
    /// V diag(values) V^T.
    [[nodiscard]] Eigen::MatrixXd assembled(const Eigen::VectorXd& values) const;
    /// Adds that, without a matrix more in doubles where it is had in floats.
    void add_assembled(Eigen::MatrixXd& to, const Eigen::VectorXd& values) const;

private:
    Eigen::VectorXd values_;
    std::variant<Eigen::MatrixXd, Eigen::MatrixXf> vectors_;
};

}  // namespace dpcov::detail
