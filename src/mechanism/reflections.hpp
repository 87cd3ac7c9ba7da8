// Products of reflections, meant exactly, applied in doubles or enclosed.
//
// P = H_1 H_2 ... H_k E, H_j = I - 2 v v^T / v^T v with a vector v of doubles, which acts on the
// coordinates from the j-th on; E are the last q = n - k columns of the identity. P is the real
// n x q matrix that these doubles give: its columns are orthonormal, without any rounding.
#pragma once

#include <Eigen/Core>
#include <deque>
#include <vector>

#include "random/real_interval.hpp"

namespace dpcov::detail {

class Reflections {
public:
    explicit Reflections(Eigen::Index n = 0) : n_(n) {}

    [[nodiscard]] Eigen::Index count() const {  // k
        return static_cast<Eigen::Index>(vectors_.size());
    }
    [[nodiscard]] Eigen::Index columns() const { return n_ - count(); }  // q
    [[nodiscard]] const std::vector<Eigen::VectorXd>& vectors() const { return vectors_; }

    /// One more, by v in R^q, v != 0.
    void add(Eigen::VectorXd v);

    /// H_1 ... H_k e_k, what the last one left out, within error().
    [[nodiscard]] Eigen::VectorXd last_left_out() const;

    /// P y and P^T x, within error() |y| and error() |x|.
    [[nodiscard]] Eigen::VectorXd times(const Eigen::VectorXd& y) const;
    [[nodiscard]] Eigen::VectorXd transposed_times(Eigen::VectorXd x) const;
    [[nodiscard]] double error() const;
    /// A P, in doubles: each row within error() of its norm.
    [[nodiscard]] Eigen::MatrixXd of_rows(const Eigen::MatrixXd& a) const;

    /// Enclosures of the same, of as many bits as what is given, which is not empty.
    [[nodiscard]] std::deque<RealInterval> times(const std::deque<RealInterval>& y) const;
    [[nodiscard]] std::deque<RealInterval> transposed_times(std::deque<RealInterval> x) const;

private:
    void reflect(std::size_t j, Eigen::VectorXd& x) const;
    void reflect(std::size_t j, std::deque<RealInterval>& x) const;

    Eigen::Index n_;
    std::vector<Eigen::VectorXd> vectors_;
    std::vector<double> factors_;  // 2 / v^T v, in doubles
};

}  // namespace dpcov::detail
