#include "arithmetic/eigen_decomposition.hpp"

#include <Spectra/MatOp/DenseSymMatProd.h>
#include <Spectra/SymEigsSolver.h>
#include <cblas.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "arithmetic/interruption.hpp"
#include "dpcov/error.hpp"

// LAPACK, which OpenBLAS carries; its Fortran interface has no header of its own there.
extern "C" void dsyevd_(const char* job, const char* triangle, const int* order, double* matrix,
                        const int* leading, double* values, double* work, const int* work_size,
                        int* integer_work, const int* integer_work_size, int* info);
extern "C" void dsyevr_(const char* job, const char* range, const char* triangle, const int* order,
                        double* matrix, const int* leading, const double* least,
                        const double* greatest, const int* first, const int* last,
                        const double* tolerance, int* found, double* values, double* vectors,
                        const int* leading_vectors, int* supports, double* work,
                        const int* work_size, int* integer_work, const int* integer_work_size,
                        int* info);
extern "C" void dsytrd_(const char* triangle, const int* order, double* matrix, const int* leading,
                        double* diagonal, double* beside, double* factors, double* work,
                        const int* work_size, int* info);
extern "C" void dstedc_(const char* job, const int* order, double* diagonal, double* beside,
                        double* vectors, const int* leading, double* work, const int* work_size,
                        int* integer_work, const int* integer_work_size, int* info);
extern "C" void dormtr_(const char* side, const char* triangle, const char* transpose,
                        const int* rows, const int* columns, const double* matrix,
                        const int* leading, const double* factors, double* vectors,
                        const int* leading_vectors, double* work, const int* work_size, int* info);

namespace dpcov::detail {
namespace {

void require_order(Eigen::Index order) {
    constexpr Eigen::Index most = 32766;  // dsyevd's workspace of 2 d^2 is counted in an int
    if (order > most) {
        throw UsageError("LAPACK's dsyevd takes at most " + std::to_string(most) +
                         " columns; select fewer");
    }
}

[[noreturn]] void refuse_divergence() {
    throw DeviceError("LAPACK's dsyevd did not converge");
}

// Overwrites `matrix` by its eigenvectors when job is 'V'.
Eigen::VectorXd dsyevd(char job, Eigen::MatrixXd& matrix) {
    require_order(matrix.rows());
    check_interruption();
    const int order = static_cast<int>(matrix.rows());
    Eigen::VectorXd values(order);
    double best_work = 0.0;
    int best_integer_work = 0;
    int info = 0;
    const int query = -1;
    dsyevd_(&job, "U", &order, matrix.data(), &order, values.data(), &best_work, &query,
            &best_integer_work, &query, &info);
    std::vector<double> work(static_cast<std::size_t>(best_work));
    std::vector<int> integer_work(static_cast<std::size_t>(best_integer_work));
    const int work_size = static_cast<int>(work.size());
    dsyevd_(&job, "U", &order, matrix.data(), &order, values.data(), work.data(), &work_size,
            integer_work.data(), &best_integer_work, &info);
    if (info != 0) {
        refuse_divergence();
    }
    return values;
}

// The steps of dsyevd, the last of them for the eigenvectors that are asked for alone.
class Tridiagonal {
public:
    // Q T Q^T, and T = W diag(values) W^T.
    explicit Tridiagonal(Eigen::MatrixXd symmetric)
        : order_(static_cast<int>(symmetric.rows())),
          reflectors_(std::move(symmetric)),
          factors_(order_),
          values_(order_),
          vectors_(order_, order_) {
        check_interruption();
        // By a power of two, so that nothing overflows.
        const double greatest = reflectors_.cwiseAbs().maxCoeff();
        const int exponent = greatest > 0.0 ? std::clamp(std::ilogb(greatest), -1000, 1000) : 0;
        reflectors_ *= std::ldexp(1.0, -exponent);
        Eigen::VectorXd beside(order_);
        int info = 0;
        with_work([&](double* work, int size) {
            dsytrd_("L", &order_, reflectors_.data(), &order_, values_.data(), beside.data(),
                    factors_.data(), work, &size, &info);
        });
        double best_work = 0.0;
        int best_integer_work = 0;
        const int query = -1;
        dstedc_("I", &order_, values_.data(), beside.data(), vectors_.data(), &order_, &best_work,
                &query, &best_integer_work, &query, &info);
        std::vector<double> work(static_cast<std::size_t>(best_work));
        std::vector<int> integer_work(static_cast<std::size_t>(best_integer_work));
        const int work_size = static_cast<int>(work.size());
        dstedc_("I", &order_, values_.data(), beside.data(), vectors_.data(), &order_, work.data(),
                &work_size, integer_work.data(), &best_integer_work, &info);
        if (info != 0) {
            refuse_divergence();
        }
        values_ *= std::ldexp(1.0, exponent);
    }

    [[nodiscard]] const Eigen::VectorXd& values() const { return values_; }

    // Those eigenvectors, ascending. Once.
    [[nodiscard]] Eigen::MatrixXd vectors(const std::vector<Eigen::Index>& which) && {
        for (std::size_t k = 0; k < which.size(); ++k) {
            const auto to = static_cast<Eigen::Index>(k);
            if (to != which[k]) {
                vectors_.col(to) = vectors_.col(which[k]);
            }
        }
        const int count = static_cast<int>(which.size());
        vectors_.conservativeResize(Eigen::NoChange, count);
        if (count > 0) {
            int info = 0;
            with_work([&](double* work, int size) {
                dormtr_("L", "L", "N", &order_, &count, reflectors_.data(), &order_,
                        factors_.data(), vectors_.data(), &order_, work, &size, &info);
            });
        }
        return std::move(vectors_);
    }

private:
    // `call` with as much memory as it says it takes.
    template <class Call>
    static void with_work(const Call& call) {
        double best = 0.0;
        call(&best, -1);
        std::vector<double> work(static_cast<std::size_t>(best));
        call(work.data(), static_cast<int>(work.size()));
    }

    int order_;
    Eigen::MatrixXd reflectors_;
    Eigen::VectorXd factors_;
    Eigen::VectorXd values_;
    Eigen::MatrixXd vectors_;
};

// Where they differ.
std::vector<Eigen::Index> differing(const Eigen::VectorXd& one, const Eigen::VectorXd& other) {
    std::vector<Eigen::Index> at;
    for (Eigen::Index i = 0; i < one.size(); ++i) {
        if (one[i] != other[i]) {
            at.push_back(i);
        }
    }
    return at;
}

}  // namespace

SpectralMap with_eigenvalues(const Eigen::MatrixXd& symmetric,
                             const std::function<Eigen::VectorXd(const Eigen::VectorXd&)>& map) {
    require_order(symmetric.rows());
    Tridiagonal tridiagonal(symmetric);
    SpectralMap result{tridiagonal.values(), map(tridiagonal.values()), {}};
    const std::vector<Eigen::Index> kept =
        differing(result.mapped, Eigen::VectorXd::Zero(result.mapped.size()));
    const std::vector<Eigen::Index> changed = differing(result.mapped, result.values);
    if (changed.size() < kept.size()) {
        const Eigen::MatrixXd vectors = std::move(tridiagonal).vectors(changed);
        result.matrix = symmetric + assemble(vectors, (result.mapped - result.values)(changed));
        result.matrix.triangularView<Eigen::StrictlyUpper>() = result.matrix.transpose();
    } else {
        const Eigen::MatrixXd vectors = std::move(tridiagonal).vectors(kept);
        result.matrix = assemble(vectors, result.mapped(kept));
    }
    return result;
}

Eigen::MatrixXd assemble(const Eigen::MatrixXd& vectors, const Eigen::VectorXd& values) {
    // Eigenvectors of value zero, often most of them, cost nothing.
    Eigen::MatrixXd scaled(vectors.rows(), vectors.cols());
    Eigen::MatrixXd kept(vectors.rows(), vectors.cols());
    Eigen::Index count = 0;
    for (Eigen::Index i = 0; i < values.size(); ++i) {
        if (values[i] != 0.0) {
            kept.col(count) = vectors.col(i);
            scaled.col(count) = values[i] * vectors.col(i);
            ++count;
        }
    }
    Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(vectors.rows(), vectors.rows());
    // The upper triangle alone, by panels of columns: as wide as kernels divide without a rest, the
    // last one wider, so that each entry is added up as in one product.
    constexpr Eigen::Index panel = 384;
    for (Eigen::Index first = 0, last = 0; count > 0 && last < vectors.rows(); first = last) {
        last = vectors.rows() - first < 2 * panel ? vectors.rows() : first + panel;
        const auto order = static_cast<blasint>(vectors.rows());
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, static_cast<blasint>(last),
                    static_cast<blasint>(last - first), static_cast<blasint>(count), 1.0,
                    scaled.data(), order, &kept(first, 0), order, 0.0, &matrix(0, first), order);
    }
    matrix.triangularView<Eigen::StrictlyLower>() = matrix.transpose();
    return matrix;
}

EigenDecomposition eigen_decomposition(Eigen::MatrixXd symmetric) {
    Eigen::VectorXd values = dsyevd('V', symmetric);
    return {std::move(values), std::move(symmetric)};
}

EigenDecomposition greatest_eigenvectors(Eigen::MatrixXd symmetric, Eigen::Index count) {
    constexpr Eigen::Index worth_it = 8;
    if (count * worth_it > symmetric.rows()) {
        EigenDecomposition all = eigen_decomposition(std::move(symmetric));
        return {all.values.tail(count), all.vectors.rightCols(count)};
    }
    require_order(symmetric.rows());
    check_interruption();
    const int order = static_cast<int>(symmetric.rows());
    const int first = order - static_cast<int>(count) + 1;
    const double unused = 0.0;
    const double tolerance = 0.0;  // LAPACK's own
    Eigen::VectorXd values(order);
    Eigen::MatrixXd vectors(order, count);
    std::vector<int> supports(2 * static_cast<std::size_t>(count));
    int found = 0;
    int info = 0;
    const auto call = [&](double* work, int size, int* integer_work, int integer_size) {
        dsyevr_("V", "I", "U", &order, symmetric.data(), &order, &unused, &unused, &first, &order,
                &tolerance, &found, values.data(), vectors.data(), &order, supports.data(), work,
                &size, integer_work, &integer_size, &info);
    };
    double best_work = 0.0;
    int best_integer_work = 0;
    call(&best_work, -1, &best_integer_work, -1);
    std::vector<double> work(static_cast<std::size_t>(best_work));
    std::vector<int> integer_work(static_cast<std::size_t>(best_integer_work));
    call(work.data(), static_cast<int>(work.size()), integer_work.data(), best_integer_work);
    if (info != 0 || found != count) {
        throw DeviceError("LAPACK's dsyevr did not converge");
    }
    return {values.head(count), std::move(vectors)};
}

Eigen::VectorXd eigenvalues(Eigen::MatrixXd symmetric) {
    return dsyevd('N', symmetric);
}

double greatest_eigenvalue_found(const Eigen::MatrixXd& symmetric) {
    constexpr Eigen::Index steps = 24;
    if (symmetric.rows() <= steps || symmetric.isZero(0.0)) {  // no step leads away from zero
        return eigenvalues(symmetric.transpose()).maxCoeff();
    }
    Spectra::DenseSymMatProd<double> by_vector(symmetric);
    Spectra::SymEigsSolver<Spectra::DenseSymMatProd<double>> solver(by_vector, 1, steps);
    // From a fixed vector; with any residual, so that there are no restarts.
    constexpr double any_residual = std::numeric_limits<double>::infinity();
    solver.init();
    solver.compute(Spectra::SortRule::LargestAlge, 1, any_residual);
    return solver.eigenvalues()[0];
}

double eigenvalue_error(std::size_t d, double norm) {
    const auto order = static_cast<double>(d);
    return std::sqrt(order) * 16.0 * order * 0x1p-53 * norm;
}

}  // namespace dpcov::detail
