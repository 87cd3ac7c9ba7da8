#include "arithmetic/eigen_decomposition.hpp"

#include <Spectra/MatOp/DenseSymMatProd.h>
#include <Spectra/SymEigsSolver.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "arithmetic/interruption.hpp"
#include "dpcov/error.hpp"

// LAPACK, which OpenBLAS carries; its Fortran interface has no header of its own there.
extern "C" void dsyevd_(const char* job, const char* triangle, const int* order, double* matrix,
                        const int* leading, double* values, double* work, const int* work_size,
                        int* integer_work, const int* integer_work_size, int* info);

namespace dpcov::detail {
namespace {

// Overwrites `matrix` by its eigenvectors when job is 'V'.
Eigen::VectorXd dsyevd(char job, Eigen::MatrixXd& matrix) {
    constexpr Eigen::Index most = 32766;  // its workspace of 2 d^2 doubles is counted in an int
    if (matrix.rows() > most) {
        throw UsageError("LAPACK's dsyevd takes at most " + std::to_string(most) +
                         " columns; select fewer");
    }
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
        throw DeviceError("LAPACK's dsyevd did not converge");
    }
    return values;
}

}  // namespace

EigenDecomposition eigen_decomposition(Eigen::MatrixXd symmetric) {
    Eigen::VectorXd values = dsyevd('V', symmetric);
    return {std::move(values), std::move(symmetric)};
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
