// Whether the BLAS underneath only multiplies and adds.
//
// Two kinds of proof rest on that. Sums of integer products that fit in a double have to come out
// exactly (the Gram of the rows, their sum), and every other product has to err by no more than the
// standard bound for a sum of products, whatever its order, fused operations, blocks or threads. A
// BLAS with Strassen-like kernels adds entries before it multiplies them, and gives neither. So
// each routine that a proof uses is tried once per process, on integers that fill a double to its
// last bit (docs/privacy.md#exact-gram).
#pragma once

#include <cblas.h>

namespace dpcov::detail {

/// The routines that proofs use, so that a test can put a wrong one in the place of one of them.
struct Blas {
    decltype(&cblas_dsyrk) dsyrk = &cblas_dsyrk;
    decltype(&cblas_dgemm) dgemm = &cblas_dgemm;
    decltype(&cblas_dgemv) dgemv = &cblas_dgemv;
};

/// The name of a routine that gave a wrong integer, or nullptr. Tries small, odd, tall, wide and
/// threaded shapes, in the forms that this library calls.
[[nodiscard]] const char* rounding_routine(const Blas& blas);

/// To be called before BLAS is used in a proof; only the first call in a process does anything.
/// Throws DeviceError, each time, if the BLAS in use failed.
void require_exact_blas();

}  // namespace dpcov::detail
