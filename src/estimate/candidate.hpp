// A denoised matrix and what Stein's risk estimate has to know of it.
#pragma once

#include <Eigen/Core>
#include <variant>

namespace dpcov::detail {

/// V diag(values) V^T, V the eigenvectors of Y.
struct Spectrum {
    Eigen::VectorXd values;
};

/// diag(values).
struct Diagonal {
    Eigen::VectorXd values;
};

/// `by` times `of`, which others hold.
struct Multiple {
    const Eigen::MatrixXd* of;
    double by;

    [[nodiscard]] auto entries() const { return by * *of; }
};

/// Off the diagonal c S_ij / (1 + c S_ij) Y_ij, of an S and a Y that others hold. Candidates that
/// differ by their diagonals alone need no memory of their own for the rest.
struct Filtered {
    const Eigen::MatrixXd* sampling;  ///< S >= 0
    const Eigen::MatrixXd* noisy;     ///< Y
    double strength;                  ///< c
    Eigen::VectorXd diagonal;

    /// c S_ij / (1 + c S_ij), on the diagonal as well.
    [[nodiscard]] auto kept() const {
        const auto ratio = strength * sampling->array();
        return ratio / (1.0 + ratio);
    }
    /// Those of all but the diagonal.
    [[nodiscard]] auto entries() const { return (kept() * noisy->array()).matrix(); }
    [[nodiscard]] bool has_entries_of(const Filtered& other) const {
        return sampling == other.sampling && noisy == other.noisy && strength == other.strength;
    }
};

/// An estimate g(Y) of Sigma from Y = Sigma + noise and, it may be, from a prior.
struct Candidate {
    /// g(Y), d x d, symmetric.
    std::variant<Eigen::MatrixXd, Multiple, Filtered, Spectrum, Diagonal> value;
    double divergence = 0.0;   ///< estimate of E<noise, g(Y)> / s^2. For Gaussian noise that is
                               ///< div g at Y, in coordinates orthonormal for the Frobenius product
    double prior_share = 0.0;  ///< g moves by about this times a small change of the prior
};

}  // namespace dpcov::detail
