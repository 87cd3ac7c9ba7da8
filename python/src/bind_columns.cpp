// Which column a label means. Python words the answer.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <string>
#include <utility>
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
    nb::class_<CalledColumns>(module, "CalledColumns", nb::is_final())
        .def(nb::init<std::vector<std::string>, std::size_t>(), "names"_a, "width"_a)
        .def_prop_ro("names", &CalledColumns::names)
        .def_prop_ro("width", &CalledColumns::width)
        .def(
            "find",
            [](const CalledColumns& columns, const std::string& wanted, bool may_be_index) {
                const CalledColumn called = columns.find(wanted, may_be_index);
                return std::pair(called.place, std::string(word_of(problem_words, called.problem)));
            },
            "wanted"_a, "may_be_index"_a)
        .def("instead_of", &CalledColumns::instead_of, "wanted"_a);
}

}  // namespace dpcov::python
