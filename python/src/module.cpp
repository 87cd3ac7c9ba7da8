// dpcov._core: the library as the package's Python code uses it. What users see is made of it in
// python/dpcov, which checks and explains.
#include <nanobind/nanobind.h>

#include "arithmetic/blas_kernels.hpp"
#include "bindings.hpp"
#include "errors.hpp"

NB_MODULE(_core, module) {
    // Python does not take every object down when it ends; nothing is lost by that.
    nanobind::set_leak_warnings(false);
    // As the programs do, so that both give the same bytes. A wheel has an OpenBLAS of its own.
    dpcov::detail::choose_kernels();
    dpcov::python::register_errors();
    dpcov::python::bind_budgets(module);
    dpcov::python::bind_columns(module);
    dpcov::python::bind_moment(module);
    dpcov::python::bind_ledger(module);
    dpcov::python::bind_release(module);
    dpcov::python::bind_plan(module);
}
