#include "arithmetic/eigen_decomposition.hpp"

#include <Spectra/MatOp/DenseSymMatProd.h>
#include <Spectra/SymEigsSolver.h>

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "arithmetic/interruption.hpp"
#include "arithmetic/symmetric_product.hpp"
#include "arithmetic/tridiagonal.hpp"
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

namespace dpcov::detail {
namespace {

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

Eigen::MatrixXd in_doubles(Eigen::MatrixXd vectors) {
    return vectors;
}

// Of norm one in doubles, too: what is added up of them is as great as its weights say.
Eigen::MatrixXd in_doubles(const Eigen::MatrixXf& vectors) {
    return vectors.cast<double>().colwise().normalized();
}

template <class Real>
SpectralMap mapped_in(const Eigen::MatrixXd& symmetric,
                      const std::function<Eigen::VectorXd(const Eigen::VectorXd&)>& map) {
    Tridiagonal<Real> tridiagonal(symmetric);
    SpectralMap result{tridiagonal.values(), map(tridiagonal.values()), {}};
    const std::vector<Eigen::Index> kept =
        differing(result.mapped, Eigen::VectorXd::Zero(result.mapped.size()));
    const std::vector<Eigen::Index> changed = differing(result.mapped, result.values);
    if (changed.size() < kept.size()) {
        const Eigen::MatrixXd vectors = in_doubles(std::move(tridiagonal).vectors(changed));
        result.matrix = assemble(vectors, (result.mapped - result.values)(changed));
        result.matrix += symmetric;  // in place: memory
        result.matrix.triangularView<Eigen::StrictlyUpper>() = result.matrix.transpose();
    } else {
        const Eigen::MatrixXd vectors = in_doubles(std::move(tridiagonal).vectors(kept));
        result.matrix = assemble(vectors, result.mapped(kept));
    }
    return result;
}

EigenDecomposition last_of(const EigenDecomposition& all, Eigen::Index count) {
    return {all.values.tail(count), all.vectors.rightCols(count)};
}

}  // namespace

SpectralMap with_eigenvalues(const Eigen::MatrixXd& symmetric,
                             const std::function<Eigen::VectorXd(const Eigen::VectorXd&)>& map,
                             Precision precision) {
    return precision == Precision::single ? mapped_in<float>(symmetric, map)
                                          : mapped_in<double>(symmetric, map);
}

Eigen::MatrixXd assemble(const Eigen::MatrixXd& vectors, const Eigen::VectorXd& values) {
    return sum_of_projections(vectors, values);
}

EigenDecomposition eigen_decomposition(Eigen::MatrixXd symmetric) {
    Eigen::VectorXd values = dsyevd('V', symmetric);
    return {std::move(values), std::move(symmetric)};
}

EigenDecomposition greatest_eigenvectors(Eigen::MatrixXd symmetric, Eigen::Index count) {
    constexpr Eigen::Index worth_it = 8;
    if (count * worth_it > symmetric.rows()) {
        return last_of(eigen_decomposition(std::move(symmetric)), count);
    }
    require_order(symmetric.rows());
    check_interruption();
    Eigen::MatrixXd overwritten = symmetric;
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
        dsyevr_("V", "I", "U", &order, overwritten.data(), &order, &unused, &unused, &first, &order,
                &tolerance, &found, values.data(), vectors.data(), &order, supports.data(), work,
                &size, integer_work, &integer_size, &info);
    };
    double best_work = 0.0;
    int best_integer_work = 0;
    call(&best_work, -1, &best_integer_work, -1);
    std::vector<double> work(static_cast<std::size_t>(best_work));
    std::vector<int> integer_work(static_cast<std::size_t>(best_integer_work));
    call(work.data(), static_cast<int>(work.size()), integer_work.data(), best_integer_work);
    if (info != 0 || found != count) {  // among many equal eigenvalues it loses some
        return last_of(eigen_decomposition(std::move(symmetric)), count);
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
