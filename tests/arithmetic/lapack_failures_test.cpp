// What LAPACK says of itself is heard: its routines here are the test's own, and say that they
// failed where they are told to.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>
#include <string_view>

#include "arithmetic/eigen_decomposition.hpp"
#include "arithmetic/eigenbasis.hpp"
#include "dpcov/error.hpp"

namespace {

std::string_view failing;  // the routine that does; none where it is empty

// The next library's routine of that name; then `info`, the last argument, is as it fails.
template <class... Arguments>
void call_next(const char* name, int* info, Arguments... arguments) {
    using Routine = void (*)(Arguments..., int*);
    reinterpret_cast<Routine>(::dlsym(RTLD_NEXT, name))(arguments..., info);
    if (failing == name) {
        *info = 1;
    }
}

}  // namespace

// In place of OpenBLAS's.
// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name)
extern "C" void dsyevd_(const char* job, const char* triangle, const int* order, double* matrix,
                        const int* leading, double* values, double* work, const int* work_size,
                        int* integer_work, const int* integer_work_size, int* info) {
    call_next("dsyevd_", info, job, triangle, order, matrix, leading, values, work, work_size,
              integer_work, integer_work_size);
}

extern "C" void dstedc_(const char* job, const int* order, double* diagonal, double* beside,
                        double* vectors, const int* leading, double* work, const int* work_size,
                        int* integer_work, const int* integer_work_size, int* info) {
    call_next("dstedc_", info, job, order, diagonal, beside, vectors, leading, work, work_size,
              integer_work, integer_work_size);
}

extern "C" void sstedc_(const char* job, const int* order, float* diagonal, float* beside,
                        float* vectors, const int* leading, float* work, const int* work_size,
                        int* integer_work, const int* integer_work_size, int* info) {
    call_next("sstedc_", info, job, order, diagonal, beside, vectors, leading, work, work_size,
              integer_work, integer_work_size);
}

// One that fails leaves numbers that are none.
extern "C" void dsyevr_(const char* job, const char* range, const char* triangle, const int* order,
                        double* matrix, const int* leading, const double* least,
                        const double* greatest, const int* first, const int* last,
                        const double* tolerance, int* found, double* values, double* vectors,
                        const int* leading_vectors, int* supports, double* work,
                        const int* work_size, int* integer_work, const int* integer_work_size,
                        int* info) {
    call_next("dsyevr_", info, job, range, triangle, order, matrix, leading, least, greatest, first,
              last, tolerance, found, values, vectors, leading_vectors, supports, work, work_size,
              integer_work, integer_work_size);
    if (*info != 0 && *work_size > 0) {
        values[0] = -1.0;
    }
}
// NOLINTEND(readability-inconsistent-declaration-parameter-name)

namespace dpcov::detail {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

class LapackFailures : public testing::Test {
protected:
    ~LapackFailures() override { failing = ""; }

    // With the greatest eigenvalue 20, which stands apart.
    const MatrixXd matrix_ =  // NOLINT(readability-identifier-naming)
        VectorXd::LinSpaced(20, 1.0, 20.0).asDiagonal();
    static VectorXd doubled(const VectorXd& values) { return 2.0 * values; }
};

TEST_F(LapackFailures, OfAllEigenvaluesAreErrors) {
    EXPECT_NO_THROW((void)eigenvalues(matrix_)) << "the control";
    failing = "dsyevd_";
    EXPECT_THROW((void)eigenvalues(matrix_), DeviceError);
    EXPECT_THROW((void)eigen_decomposition(matrix_), DeviceError);
    EXPECT_THROW((void)Eigenbasis(matrix_, Precision::full), DeviceError);
    EXPECT_THROW((void)greatest_eigenvectors(matrix_, 10), DeviceError);
}

TEST_F(LapackFailures, OfTheStepsAreErrors) {
    failing = "dstedc_";
    EXPECT_THROW((void)with_eigenvalues(matrix_, doubled), DeviceError);
    EXPECT_NO_THROW((void)with_eigenvalues(matrix_, doubled, Precision::single)) << "the control";
    failing = "sstedc_";
    EXPECT_THROW((void)with_eigenvalues(matrix_, doubled, Precision::single), DeviceError);
    EXPECT_THROW((void)Eigenbasis(matrix_, Precision::single), DeviceError);
    EXPECT_NO_THROW((void)with_eigenvalues(matrix_, doubled)) << "the control";
}

// Where dsyevr gives up, dsyevd is asked for all of them.
TEST_F(LapackFailures, OfTheGreatestEigenvectorsAreMadeGood) {
    for (const char* routine : {"", "dsyevr_"}) {
        failing = routine;
        const EigenDecomposition found = greatest_eigenvectors(matrix_, 1);
        EXPECT_NEAR(found.values[0], 20.0, 1e-12) << routine;
        EXPECT_NEAR(std::abs(found.vectors(19, 0)), 1.0, 1e-12) << routine;
    }
}

}  // namespace
}  // namespace dpcov::detail
