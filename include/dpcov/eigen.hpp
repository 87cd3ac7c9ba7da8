// Eigen, with matrices that the library and its users allocate and free in the same way.
//
// Code that is compiled for AVX would free memory by another function than the one by which the
// library, compiled for any processor, allocates it. The CMake target dpcov::dpcov defines both
// macros for whoever links it.
#pragma once

#include <Eigen/Core>
#include <cstddef>

#if EIGEN_MAX_ALIGN_BYTES > 16 || !EIGEN_MALLOC_ALREADY_ALIGNED
#error "define EIGEN_MAX_ALIGN_BYTES=16 and EIGEN_MALLOC_ALREADY_ALIGNED=1, as dpcov::dpcov does"
#endif

static_assert(!Eigen::MatrixXd::IsRowMajor && sizeof(Eigen::Index) == sizeof(std::ptrdiff_t),
              "dpcov's matrices have Eigen's own order and index: define neither "
              "EIGEN_DEFAULT_TO_ROW_MAJOR nor EIGEN_DEFAULT_DENSE_INDEX_TYPE");
