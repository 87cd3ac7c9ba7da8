// One function for each part of the module.
#pragma once

#include <nanobind/nanobind.h>

namespace dpcov::python {

void bind_budgets(nanobind::module_& module);
void bind_columns(nanobind::module_& module);
void bind_moment(nanobind::module_& module);
void bind_ledger(nanobind::module_& module);
void bind_release(nanobind::module_& module);
void bind_plan(nanobind::module_& module);

}  // namespace dpcov::python
