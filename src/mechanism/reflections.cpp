#include "mechanism/reflections.hpp"

#include <algorithm>
#include <utility>

#include "arithmetic/reflect.hpp"

namespace dpcov::detail {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

void Reflections::add(VectorXd v) {
    factors_.push_back(2.0 / dot_in_lanes(v.data(), v.data(), v.size()));
    vectors_.push_back(std::move(v));
}

void Reflections::reflect(std::size_t j, VectorXd& x) const {
    detail::reflect(vectors_[j].data(), factors_[j], x.data() + j, vectors_[j].size());
}

void Reflections::reflect(std::size_t j, std::deque<RealInterval>& x) const {
    const mpfr_prec_t bits = mpfr_get_prec(x.front().low());
    const VectorXd& v = vectors_[j];
    RealInterval along(bits);
    RealInterval squares(bits);
    for (Index i = 0; i < v.size(); ++i) {
        along.add_product(v[i], x[j + static_cast<std::size_t>(i)]);
        squares.add_square(RealInterval(bits, v[i]));
    }
    along.divide(squares);
    for (Index i = 0; i < v.size(); ++i) {
        x[j + static_cast<std::size_t>(i)].add_product(-2.0 * v[i], along);
    }
}

VectorXd Reflections::last_left_out() const {
    VectorXd x = VectorXd::Unit(n_, count() - 1);
    for (std::size_t j = vectors_.size(); j-- > 0;) {
        reflect(j, x);
    }
    return x;
}

VectorXd Reflections::times(const VectorXd& y) const {
    VectorXd x(n_);
    x << VectorXd::Zero(count()), y;
    for (std::size_t j = vectors_.size(); j-- > 0;) {
        reflect(j, x);
    }
    return x;
}

VectorXd Reflections::transposed_times(VectorXd x) const {
    for (std::size_t j = 0; j < vectors_.size(); ++j) {
        reflect(j, x);
    }
    return x.tail(columns());
}

double Reflections::error() const {
    return 1.01 * static_cast<double>(count()) * reflection_error(n_);
}

MatrixXd Reflections::of_rows(const MatrixXd& a) const {
    constexpr Index block = 32;
    MatrixXd result(a.rows(), columns());
    if (result.size() == 0) {
        return result;
    }
    for (Index first = 0; first < a.rows(); first += block) {
        const Index size = std::min(block, a.rows() - first);
        MatrixXd rows = a.middleRows(first, size).transpose();
        for (Index i = 0; i < size; ++i) {
            for (std::size_t j = 0; j < vectors_.size(); ++j) {
                detail::reflect(vectors_[j].data(), factors_[j], rows.col(i).data() + j,
                                vectors_[j].size());
            }
        }
        result.middleRows(first, size) = rows.bottomRows(columns()).transpose();
    }
    return result;
}

std::deque<RealInterval> Reflections::times(const std::deque<RealInterval>& y) const {
    const mpfr_prec_t bits = mpfr_get_prec(y.front().low());
    std::deque<RealInterval> x;
    for (std::size_t j = 0; j < vectors_.size(); ++j) {
        x.emplace_back(bits);
    }
    for (const RealInterval& coordinate : y) {
        x.emplace_back(bits).set(coordinate);
    }
    for (std::size_t j = vectors_.size(); j-- > 0;) {
        reflect(j, x);
    }
    return x;
}

std::deque<RealInterval> Reflections::transposed_times(std::deque<RealInterval> x) const {
    for (std::size_t j = 0; j < vectors_.size(); ++j) {
        reflect(j, x);
    }
    for (std::size_t j = 0; j < vectors_.size(); ++j) {
        x.pop_front();
    }
    return x;
}

}  // namespace dpcov::detail
