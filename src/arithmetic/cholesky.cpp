#include "arithmetic/cholesky.hpp"

#include "arithmetic/interruption.hpp"
#include "arithmetic/tridiagonal.hpp"
#include "arithmetic/unwritten_matrix.hpp"

// LAPACK, which OpenBLAS carries; its Fortran interface has no header of its own there.
extern "C" void dpotrf_(const char* triangle, const int* order, double* matrix, const int* leading,
                        int* info);

namespace dpcov::detail {

bool has_cholesky_factor(const Eigen::MatrixXd& symmetric, double shift) {
    require_order(symmetric.rows());
    check_interruption();
    const int order = static_cast<int>(symmetric.rows());
    Eigen::MatrixXd factor = unwritten_matrix<double>(order, order);
    factor = symmetric;
    factor.diagonal().array() += shift;
    int info = 0;
    dpotrf_("L", &order, factor.data(), &order, &info);
    return info == 0;
}

}  // namespace dpcov::detail
