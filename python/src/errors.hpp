// The library's exceptions as those of dpcov.errors.
#pragma once

namespace dpcov::python {

/// To be called once, by the module.
void register_errors();

}  // namespace dpcov::python
