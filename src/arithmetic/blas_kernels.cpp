#include "arithmetic/blas_kernels.hpp"

#include <cblas.h>

#include <cstdlib>

// What OpenBLAS chooses its kernels with when it is loaded, where it was built with those of
// several processors. No header declares them; its own tests call them so.
extern "C" {
__attribute__((weak)) void gotoblas_dynamic_quit();
__attribute__((weak)) void gotoblas_dynamic_init();
}

namespace dpcov::detail {
namespace {

constexpr const char* variable = "OPENBLAS_CORETYPE";

}  // namespace

std::string better_kernels(const std::string& chosen) {
#if defined(__x86_64__)
    // What it takes for a processor of Intel's, and of AMD's, that it does not know.
    const bool unknown = chosen == "Prescott" || chosen == "Barcelona";
    if (!unknown || !__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) {
        return "";
    }
    const bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512cd") &&
                      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512vl");
    return wide ? "SkylakeX" : "Haswell";
#else
    static_cast<void>(chosen);
    return "";
#endif
}

void run_kernels(const std::string& name) {
    if (gotoblas_dynamic_quit == nullptr || gotoblas_dynamic_init == nullptr) {
        return;
    }
    const char* const set = std::getenv(variable);
    const std::string before = set == nullptr ? "" : set;
    if (::setenv(variable, name.c_str(), 1) != 0) {
        return;
    }
    gotoblas_dynamic_quit();
    gotoblas_dynamic_init();
    if (set == nullptr) {
        ::unsetenv(variable);
    } else {
        ::setenv(variable, before.c_str(), 1);
    }
}

void choose_kernels() {
    if (std::getenv(variable) != nullptr) {
        return;
    }
    if (const std::string better = better_kernels(openblas_get_corename()); !better.empty()) {
        run_kernels(better);
    }
}

}  // namespace dpcov::detail
