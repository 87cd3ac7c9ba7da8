#include "errors.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <cerrno>
#include <exception>
#include <string>
#include <string_view>

#include "dpcov/error.hpp"

namespace nb = nanobind;

namespace dpcov::python {
namespace {

// A message may quote a name from a file, which need not be UTF-8.
nb::object told(const std::exception& error) {
    const std::string_view text = error.what();
    return nb::steal(
        PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
}

void raise(const char* type, const nb::tuple& arguments) {
    const nb::object exception = nb::module_::import_("dpcov._errors").attr(type)(*arguments);
    PyErr_SetObject(exception.type().ptr(), exception.ptr());
}

void translate(const std::exception_ptr& thrown, void* /*payload*/) {
    try {
        std::rethrow_exception(thrown);
    } catch (const DataError& error) {
        raise("DataError", nb::make_tuple(told(error), error.place().row, error.place().column));
    } catch (const UsageError& error) {
        raise("UsageError", nb::make_tuple(told(error)));
    } catch (const BudgetError& error) {
        raise("BudgetError", nb::make_tuple(told(error), error.asked(), error.left()));
    } catch (const DeviceError& error) {
        raise(error.system_error() == ENOENT ? "MissingFileError" : "DeviceError",
              nb::make_tuple(told(error), error.system_error()));
    } catch (const Error& error) {
        raise("Error", nb::make_tuple(told(error)));
    }
}

}  // namespace

void register_errors() {
    nb::register_exception_translator(translate);
}

}  // namespace dpcov::python
