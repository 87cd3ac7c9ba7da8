#include "errors.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <exception>
#include <string>

#include "dpcov/error.hpp"

namespace nb = nanobind;

namespace dpcov::python {
namespace {

void raise(const char* type, const nb::tuple& arguments) {
    const nb::object exception = nb::module_::import_("dpcov._errors").attr(type)(*arguments);
    PyErr_SetObject(exception.type().ptr(), exception.ptr());
}

void translate(const std::exception_ptr& thrown, void* /*payload*/) {
    try {
        std::rethrow_exception(thrown);
    } catch (const DataError& error) {
        raise("DataError", nb::make_tuple(error.what(), error.place().row, error.place().column));
    } catch (const UsageError& error) {
        raise("UsageError", nb::make_tuple(error.what()));
    } catch (const BudgetError& error) {
        raise("BudgetError", nb::make_tuple(error.what(), error.asked(), error.left()));
    } catch (const DeviceError& error) {
        raise("DeviceError", nb::make_tuple(error.what()));
    } catch (const Error& error) {
        raise("Error", nb::make_tuple(error.what()));
    }
}

}  // namespace

void register_errors() {
    nb::register_exception_translator(translate);
}

}  // namespace dpcov::python
