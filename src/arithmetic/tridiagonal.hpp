// What LAPACK's syevd is made of, in doubles or in floats.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "arithmetic/interruption.hpp"
#include "arithmetic/unwritten_matrix.hpp"
#include "dpcov/error.hpp"

namespace dpcov::detail {

template <class Real>
using Sytrd = void(const char* triangle, const int* order, Real* matrix, const int* leading,
                   Real* diagonal, Real* beside, Real* factors, Real* work, const int* work_size,
                   int* info);
template <class Real>
using Stedc = void(const char* job, const int* order, Real* diagonal, Real* beside, Real* vectors,
                   const int* leading, Real* work, const int* work_size, int* integer_work,
                   const int* integer_work_size, int* info);
template <class Real>
using Ormtr = void(const char* side, const char* triangle, const char* transpose, const int* rows,
                   const int* columns, const Real* matrix, const int* leading, const Real* factors,
                   Real* vectors, const int* leading_vectors, Real* work, const int* work_size,
                   int* info);

}  // namespace dpcov::detail

// LAPACK, which OpenBLAS carries; its Fortran interface has no header of its own there.
extern "C" {
dpcov::detail::Sytrd<double> dsytrd_;
dpcov::detail::Sytrd<float> ssytrd_;
dpcov::detail::Stedc<double> dstedc_;
dpcov::detail::Stedc<float> sstedc_;
dpcov::detail::Ormtr<double> dormtr_;
dpcov::detail::Ormtr<float> sormtr_;
}

namespace dpcov::detail {

/// Throws UsageError where LAPACK could not count its workspace.
inline void require_order(Eigen::Index order) {
    constexpr Eigen::Index most = 32766;  // dsyevd's workspace of 2 d^2 is counted in an int
    if (order > most) {
        throw UsageError("LAPACK's dsyevd takes at most " + std::to_string(most) +
                         " columns; select fewer");
    }
}

[[noreturn]] inline void refuse_divergence() {
    throw DeviceError("LAPACK's dsyevd did not converge");
}

/// The steps of syevd, the last of them for the eigenvectors that are asked for alone.
template <class Real>
class Tridiagonal {
public:
    using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;

    /// Q T Q^T, and T = W diag(values) W^T. Reads the lower triangle. Limits and exceptions are
    /// those of eigen_decomposition.
    explicit Tridiagonal(const Eigen::MatrixXd& symmetric)
        : order_(checked_order(symmetric)),
          reflectors_(unwritten_matrix<Real>(order_, order_)),
          factors_(order_),
          vectors_(unwritten_matrix<Real>(order_, order_)) {
        check_interruption();
        // By a power of two, so that nothing overflows.
        const double greatest = symmetric.cwiseAbs().maxCoeff();
        const int exponent = greatest > 0.0 ? std::clamp(std::ilogb(greatest), -1000, 1000) : 0;
        reflectors_ = (std::ldexp(1.0, -exponent) * symmetric).template cast<Real>();
        Vector diagonal(order_);
        Vector beside(order_);
        int info = 0;
        with_work([&](Real* work, int size) {
            sytrd("L", &order_, reflectors_.data(), &order_, diagonal.data(), beside.data(),
                  factors_.data(), work, &size, &info);
        });
        // As LAPACK's manual has them: floats could not say them.
        const int work_size = 1 + (4 + order_) * order_;
        const int integer_work_size = 3 + 5 * order_;
        Matrix work = unwritten_matrix<Real>(work_size, 1);
        std::vector<int> integer_work(static_cast<std::size_t>(integer_work_size));
        stedc("I", &order_, diagonal.data(), beside.data(), vectors_.data(), &order_, work.data(),
              &work_size, integer_work.data(), &integer_work_size, &info);
        if (info != 0) {
            refuse_divergence();
        }
        values_ = std::ldexp(1.0, exponent) * diagonal.template cast<double>();
    }

    [[nodiscard]] const Eigen::VectorXd& values() const { return values_; }

    /// Those eigenvectors, ascending. Once.
    [[nodiscard]] Matrix vectors(const std::vector<Eigen::Index>& which) && {
        for (std::size_t k = 0; k < which.size(); ++k) {
            const auto to = static_cast<Eigen::Index>(k);
            if (to != which[k]) {
                vectors_.col(to) = vectors_.col(which[k]);
            }
        }
        if (static_cast<Eigen::Index>(which.size()) < vectors_.cols()) {
            vectors_.conservativeResize(Eigen::NoChange, static_cast<Eigen::Index>(which.size()));
        }
        return std::move(*this).vectors();
    }

    /// All of them. Once.
    [[nodiscard]] Matrix vectors() && {
        const int count = static_cast<int>(vectors_.cols());
        if (count > 0) {
            int info = 0;
            with_work([&](Real* work, int size) {
                ormtr("L", "L", "N", &order_, &count, reflectors_.data(), &order_, factors_.data(),
                      vectors_.data(), &order_, work, &size, &info);
            });
        }
        reflectors_.resize(0, 0);  // memory, before what is made of the vectors
        return std::move(vectors_);
    }

private:
    using Vector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;
    static constexpr bool in_doubles = std::is_same_v<Real, double>;

    static constexpr Sytrd<Real>* sytrd = [] {
        if constexpr (in_doubles) {
            return &dsytrd_;
        } else {
            return &ssytrd_;
        }
    }();
    static constexpr Stedc<Real>* stedc = [] {
        if constexpr (in_doubles) {
            return &dstedc_;
        } else {
            return &sstedc_;
        }
    }();
    static constexpr Ormtr<Real>* ormtr = [] {
        if constexpr (in_doubles) {
            return &dormtr_;
        } else {
            return &sormtr_;
        }
    }();

    static int checked_order(const Eigen::MatrixXd& symmetric) {
        require_order(symmetric.rows());
        return static_cast<int>(symmetric.rows());
    }

    // `call` with as much memory as it says it takes.
    template <class Call>
    static void with_work(const Call& call) {
        Real best = 0;
        call(&best, -1);
        std::vector<Real> work(static_cast<std::size_t>(best));
        call(work.data(), static_cast<int>(work.size()));
    }

    int order_;
    Matrix reflectors_;
    Vector factors_;
    Eigen::VectorXd values_;
    Matrix vectors_;
};

}  // namespace dpcov::detail
