// Matrices and vectors as NumPy's arrays, which own a copy.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <Eigen/Core>
#include <cstddef>
#include <optional>

namespace dpcov::python {

using Matrix = nanobind::ndarray<nanobind::numpy, double, nanobind::ndim<2>>;
using Vector = nanobind::ndarray<nanobind::numpy, double, nanobind::ndim<1>>;

template <class Values>
nanobind::capsule owner_of(Values* values) {
    return {values, [](void* owned) noexcept { delete static_cast<Values*>(owned); }};
}

inline Matrix array_of(const Eigen::MatrixXd& matrix) {
    using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    auto* const copy = new RowMajor(matrix);
    return {copy->data(),
            {static_cast<std::size_t>(copy->rows()), static_cast<std::size_t>(copy->cols())},
            owner_of(copy)};
}

inline Vector array_of(const Eigen::VectorXd& vector) {
    auto* const copy = new Eigen::VectorXd(vector);
    return {copy->data(), {static_cast<std::size_t>(copy->size())}, owner_of(copy)};
}

inline std::optional<Vector> array_of(const std::optional<Eigen::VectorXd>& vector) {
    return vector ? std::optional(array_of(*vector)) : std::nullopt;
}

}  // namespace dpcov::python
