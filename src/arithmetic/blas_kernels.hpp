// Which of its kernels OpenBLAS runs.
#pragma once

#include <string>

namespace dpcov::detail {

/// The kernels that suit this processor better than the `chosen` ones, by OpenBLAS's names; empty
/// where those suit it. OpenBLAS knows processors by their numbers. To one that came after it, it
/// gives kernels of old ones, which multiply at a fraction of the speed.
[[nodiscard]] std::string better_kernels(const std::string& chosen);

/// Has OpenBLAS run the kernels that it calls `name`. Changes the environment for that time, and
/// what the whole process multiplies with: no other thread may use either. Does nothing where
/// OpenBLAS was built for one processor, or does not know the name.
void run_kernels(const std::string& name);

/// Has OpenBLAS run better_kernels(), if there are any and OPENBLAS_CORETYPE does not say which
/// ones to run. As with run_kernels(), no other thread may run; and it comes before the BLAS is
/// tried (exact_blas.hpp). So it is for a program's first steps, not for a library's calls.
void choose_kernels();

}  // namespace dpcov::detail
