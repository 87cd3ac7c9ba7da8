#include "estimate/aggregate.hpp"

#include <Eigen/Cholesky>
#include <cstddef>
#include <optional>
#include <variant>
#include <vector>

#include "arithmetic/unwritten_matrix.hpp"

namespace dpcov::detail {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

using Mask = Eigen::Array<bool, Eigen::Dynamic, 1>;

// argmin of w^T A w - 2 b^T w over the w that are zero where not `free`. A with ones on its
// diagonal; the ridge stands for what rounding leaves of candidates that are all but the same.
VectorXd minimum_over(const Mask& free, const MatrixXd& a, const VectorXd& b) {
    constexpr double ridge = 1e-13;
    std::vector<Index> at;
    for (Index m = 0; m < b.size(); ++m) {
        if (free[m]) at.push_back(m);
    }
    MatrixXd inner = a(at, at);
    inner.diagonal().array() += ridge;
    const VectorXd solution = inner.ldlt().solve(b(at));
    VectorXd w = VectorXd::Zero(b.size());
    for (Index i = 0; i < solution.size(); ++i) {  // w(at): GCC 12 warns of its memory
        w[at[static_cast<std::size_t>(i)]] = solution[i];
    }
    return w;
}

// argmin over w >= 0 of w^T A w - 2 b^T w, A positive semidefinite with ones on its diagonal: the
// active-set method of Lawson and Hanson (1974, chapter 23). Candidates are so alike that descent
// along coordinates stops far from the minimum.
VectorXd nonnegative_minimum(const MatrixXd& a, const VectorXd& b) {
    const Index count = b.size();
    const double tolerance = 1e-12 * b.lpNorm<Eigen::Infinity>();
    VectorXd w = VectorXd::Zero(count);
    Mask free = Mask::Constant(count, false);
    // Those that would enter with a weight below zero, by rounding.
    Mask refused = Mask::Constant(count, false);
    for (Index step = 0; step < 10 * count; ++step) {
        const VectorXd downhill = b - a * w;
        Index entering = -1;
        for (Index m = 0; m < count; ++m) {
            if (!free[m] && !refused[m] && downhill[m] > tolerance &&
                (entering < 0 || downhill[m] > downhill[entering])) {
                entering = m;
            }
        }
        if (entering < 0) {
            break;
        }
        free[entering] = true;
        VectorXd next = minimum_over(free, a, b);
        if (next[entering] <= 0.0) {
            free[entering] = false;
            refused[entering] = true;
            continue;
        }
        while ((free && next.array() <= 0.0).any()) {
            // Go towards `next` as far as the first weight that would fall below zero.
            double share = 1.0;
            Index leaving = entering;
            for (Index m = 0; m < count; ++m) {
                if (free[m] && next[m] <= 0.0 && w[m] / (w[m] - next[m]) < share) {
                    share = w[m] / (w[m] - next[m]);
                    leaving = m;
                }
            }
            w += share * (next - w);
            w[leaving] = 0.0;
            free[leaving] = false;
            next = minimum_over(free, a, b);
        }
        w = next;
        refused.setConstant(false);
    }
    return w;
}

}  // namespace

VectorXd mixture_weights(const MatrixXd& products, const VectorXd& gains) {
    // The weights of candidates of norm one; of the zero matrix there is never any.
    const VectorXd norms = products.diagonal().cwiseSqrt();
    const VectorXd scale = (norms.array() > 0.0).select(norms.cwiseInverse(), 0.0);
    const VectorXd scaled = nonnegative_minimum(scale.asDiagonal() * products * scale.asDiagonal(),
                                                scale.cwiseProduct(gains));
    return scale.cwiseProduct(scaled);
}

namespace {

// Room for one matrix, in which a candidate that has none of its own is written down. The next one
// may need no more than another diagonal.
class Room {
public:
    const MatrixXd& operator()(const MatrixXd& matrix) { return matrix; }
    const MatrixXd& operator()(const Multiple& multiple) {
        written_.reset();
        write(multiple.entries());
        return matrix_;
    }
    const MatrixXd& operator()(const Filtered& filtered) {
        if (!written_ || !written_->has_entries_of(filtered)) {
            write(filtered.entries());
            written_ = filtered;
        }
        matrix_.diagonal() = filtered.diagonal;
        return matrix_;
    }

private:
    template <class Entries>
    void write(const Entries& entries) {
        if (matrix_.size() == 0) {
            matrix_ = unwritten_matrix<double>(entries.rows(), entries.cols());
        }
        matrix_ = entries;
    }

    MatrixXd matrix_;
    std::optional<Filtered> written_;
};

// The diagonal of a candidate along the target's eigenvectors: what it has in common with functions
// of the target's eigenvalues.
struct DiagonalAlong {
    const Eigenbasis& eigen;
    Room& room;

    template <class Written>
    VectorXd operator()(const Written& matrix) const {
        return eigen.diagonal_along(room(matrix));
    }
    VectorXd operator()(const Spectrum& spectrum) const { return spectrum.values; }
    VectorXd operator()(const Diagonal& diagonal) const {
        return eigen.diagonal_along_of(diagonal.values);
    }
};

// <candidate, target>.
struct ProductWith {
    const MatrixXd& target;
    const Eigenbasis& eigen;
    Room& room;

    template <class Written>
    double operator()(const Written& matrix) const {
        return room(matrix).cwiseProduct(target).sum();
    }
    double operator()(const Spectrum& spectrum) const {
        return spectrum.values.dot(eigen.values());
    }
    double operator()(const Diagonal& diagonal) const {
        return diagonal.values.dot(target.diagonal());
    }
};

// <one, other>, of two candidates that have these diagonals along the target's eigenvectors.
struct ProductOf {
    const VectorXd& one_along;
    const VectorXd& other_along;
    Room& one_room;
    Room& other_room;

    double operator()(const Diagonal& one, const Diagonal& other) const {
        return one.values.dot(other.values);
    }
    double operator()(const Spectrum& one, const Spectrum& other) const {
        return one.values.dot(other.values);
    }
    template <class Beside>
    double operator()(const Beside& /*one*/, const Spectrum& other) const {
        return one_along.dot(other.values);
    }
    template <class Beside>
    double operator()(const Spectrum& one, const Beside& /*other*/) const {
        return other_along.dot(one.values);
    }
    double operator()(const Spectrum& one, const Diagonal& /*other*/) const {
        return other_along.dot(one.values);
    }
    double operator()(const Diagonal& /*one*/, const Spectrum& other) const {
        return one_along.dot(other.values);
    }
    template <class Written>
    double operator()(const Written& one, const Diagonal& other) const {
        return other.values.dot(one_room(one).diagonal());
    }
    template <class Written>
    double operator()(const Diagonal& one, const Written& other) const {
        return one.values.dot(other_room(other).diagonal());
    }
    template <class One, class Other>
    double operator()(const One& one, const Other& other) const {
        const MatrixXd& first = one_room(one);
        const bool is_same = static_cast<const void*>(&one) == static_cast<const void*>(&other);
        return first.cwiseProduct(is_same ? first : other_room(other)).sum();
    }
};

// Adds a candidate, but spectra to a sum of their own.
struct AddTo {
    MatrixXd& matrix;
    VectorXd& spectrum;
    double weight;

    void operator()(const MatrixXd& candidate) const { matrix += weight * candidate; }
    void operator()(const Multiple& candidate) const { matrix += weight * candidate.entries(); }
    void operator()(const Filtered& candidate) const {
        const VectorXd diagonal = matrix.diagonal() + weight * candidate.diagonal;
        matrix += weight * candidate.entries();
        matrix.diagonal() = diagonal;
    }
    void operator()(const Spectrum& candidate) const { spectrum += weight * candidate.values; }
    void operator()(const Diagonal& candidate) const {
        matrix.diagonal() += weight * candidate.values;
    }
};

// What decides on the weights of a mixture.
struct Quadratic {
    MatrixXd products;  // of the candidates with each other
    VectorXd gains;     // their products with the target, less the penalties
};

Quadratic quadratic_of(const std::vector<Candidate>& candidates, const MatrixXd& target,
                       const Eigenbasis& eigen, const VectorXd& penalties) {
    const auto count = static_cast<Index>(candidates.size());
    Quadratic result{MatrixXd(count, count), -penalties};
    std::vector<VectorXd> alongs;
    alongs.reserve(candidates.size());
    Room room;
    Room other_room;
    for (std::size_t m = 0; m < candidates.size(); ++m) {
        const auto& candidate = candidates[m].value;
        const auto at = static_cast<Index>(m);
        alongs.push_back(std::visit(DiagonalAlong{eigen, room}, candidate));
        result.gains[at] += std::visit(ProductWith{target, eigen, room}, candidate);
        for (std::size_t l = 0; l <= m; ++l) {
            const ProductOf product{alongs[m], alongs[l], room, other_room};
            const double value = std::visit(product, candidate, candidates[l].value);
            result.products(static_cast<Index>(l), at) = value;
            result.products(at, static_cast<Index>(l)) = value;
        }
    }
    return result;
}

}  // namespace

Mixture best_mixture(const std::vector<Candidate>& candidates, const MatrixXd& target,
                     const Eigenbasis& eigen, const VectorXd& penalties) {
    const Quadratic quadratic = quadratic_of(candidates, target, eigen, penalties);
    Mixture mixture = {unwritten_matrix<double>(target.rows(), target.cols()),
                       mixture_weights(quadratic.products, quadratic.gains), 0.0, 0.0};
    mixture.matrix.setZero();
    VectorXd spectrum = VectorXd::Zero(target.rows());
    for (Index m = 0; m < mixture.weights.size(); ++m) {
        const double weight = mixture.weights[m];
        const Candidate& candidate = candidates[static_cast<std::size_t>(m)];
        if (weight > 0.0) {
            std::visit(AddTo{mixture.matrix, spectrum, weight}, candidate.value);
            mixture.divergence += weight * candidate.divergence;
            mixture.prior_share += weight * candidate.prior_share;
        }
    }
    if (eigen.values().size() > 0) {
        eigen.add_assembled(mixture.matrix, spectrum);
    }
    return mixture;
}

}  // namespace dpcov::detail
