// Which column a label means. Python words the answer.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <string>
#include <vector>

#include "bindings.hpp"
#include "dpcov/words.hpp"
#include "tables/called_columns.hpp"

namespace nb = nanobind;

namespace dpcov::python {

using namespace nb::literals;

namespace {

using Problem = CalledColumn::Problem;

constexpr auto problem_words = words_of<Problem>({{"", Problem::none},
                                                  {"several", Problem::several},
                                                  {"beyond", Problem::beyond},
                                                  {"nameless", Problem::nameless},
                                                  {"unknown", Problem::unknown}});

}  // namespace

void bind_columns(nb::module_& module) {
    nb::class_<CalledColumn>(module, "CalledColumn", nb::is_final())
        .def_prop_ro("problem",
                     [](const CalledColumn& called) {
                         return std::string(word_of(problem_words, called.problem));
                     })
        .def_ro("place", &CalledColumn::place)
        .def_ro("by_index", &CalledColumn::by_index)
        .def_ro("value", &CalledColumn::value);
    nb::class_<CalledColumns>(module, "CalledColumns", nb::is_final())
        .def(nb::init<std::vector<std::string>, std::size_t>(), "names"_a, "width"_a)
        .def_prop_ro("names", &CalledColumns::names)
        .def_prop_ro("width", &CalledColumns::width)
        .def("find", &CalledColumns::find, "wanted"_a, "may_be_index"_a)
        .def("find_or_indicator", &CalledColumns::find_or_indicator, "wanted"_a, "may_be_index"_a)
        .def("instead_of", &CalledColumns::instead_of, "wanted"_a)
        .def("instead_of_indicator", &CalledColumns::instead_of_indicator, "wanted"_a);
    module.def("is_place", &is_place, "wanted"_a);
}

}  // namespace dpcov::python
