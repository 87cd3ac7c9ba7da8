// Functions that are compiled for several widths of vector registers, the best chosen when the
// program starts. All give the same bits (-ffp-contract=off).
#pragma once

// ThreadSanitizer's runtime is not up yet when GCC's clone resolvers run.
#if defined(__SANITIZE_THREAD__) || !defined(__x86_64__)
#define DPCOV_FOR_WIDE_REGISTERS
#define DPCOV_FOR_AVX2
#else
#define DPCOV_FOR_WIDE_REGISTERS __attribute__((target_clones("avx512f", "avx2", "default")))
#define DPCOV_FOR_AVX2 __attribute__((target_clones("avx2", "default")))  // four doubles at a time
#endif

// What is inlined into each clone.
#define DPCOV_IN_CLONES __attribute__((always_inline)) inline
