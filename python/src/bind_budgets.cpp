// Budgets, their conversions, and the list of methods.
#include <nanobind/operators.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <functional>
#include <string>
#include <tuple>
#include <vector>

#include "bindings.hpp"
#include "definitions.hpp"
#include "dpcov/budget.hpp"
#include "dpcov/error.hpp"
#include "dpcov/version.hpp"
#include "privacy/decimal_sum.hpp"
#include "report/methods_json.hpp"

namespace nb = nanobind;

namespace dpcov::python {

using namespace nb::literals;

namespace {

std::string shown(double value) {
    return nb::cast<std::string>(nb::repr(nb::float_(value)));
}

// What Python takes for a number: neither text nor a truth value, which is a mistyped amount.
double number_of(const nb::object& value, const char* what) {
    const nb::object kind =
        nb::getattr(nb::getattr(value, "dtype", nb::none()), "kind", nb::none());
    const bool is_truth =
        PyBool_Check(value.ptr()) || kind.equal(nb::str("b"));  // as NumPy calls truth values
    if (!is_truth) {
        const double number = PyFloat_AsDouble(value.ptr());
        if (number != -1.0 || PyErr_Occurred() == nullptr) {
            return number;
        }
        if (!PyErr_ExceptionMatches(PyExc_TypeError) && !PyErr_ExceptionMatches(PyExc_ValueError) &&
            !PyErr_ExceptionMatches(PyExc_OverflowError)) {
            throw nb::python_error();
        }
        PyErr_Clear();
    }
    const nb::object text = nb::module_::import_("dpcov._shown").attr("shown")(value);
    throw UsageError(std::string(what) + " is no number: " + nb::cast<std::string>(text));
}

bool is_count(double number) {
    return number >= 1.0 && number == std::floor(number) && std::isfinite(number);
}

double share_of(double whole, double shares) {
    return is_count(shares) ? detail::equal_part(whole, shares) : whole / shares;
}

// What several releases spend together, as a ledger counts.
double sum_of(double a, double b) {
    detail::DecimalSum sum;
    sum.add(a);
    sum.add(b);
    return sum.rounded_up();
}

// So many times a whole number; part of an amount is rounded to the nearest.
double times(double amount, double by) {
    if (!is_count(by)) {
        return amount * by;
    }
    detail::DecimalSum sum;
    sum.add(amount, by);
    return sum.rounded_up();
}

Curve curve_of(const std::string& word) {
    return parse_choice("curve", word, curve_words);
}

/// What Rho and Epsilon have in common.
template <class Amount>
void bind_amount(nb::module_& module, const char* name, const char* what, const char* doc) {
    nb::class_<Amount>(module, name, nb::is_final(), doc)
        .def(
            "__init__",
            [what](Amount* self, const nb::object& value) {
                new (self) Amount(number_of(value, what));
            },
            "value"_a.none(), nb::sig("def __init__(self, value: float) -> None"))
        .def_prop_ro("value", &Amount::value, "The amount, finite and above 0.")
        .def(
            "__eq__",
            [](const Amount& self, const nb::object& other) {
                return nb::isinstance<Amount>(other) &&
                       nb::cast<const Amount&>(other).value() == self.value();
            },
            "other"_a.none(), nb::sig("def __eq__(self, other: object, /) -> bool"))
        .def("__hash__", [](const Amount& self) { return std::hash<double>{}(self.value()); })
        .def(
            "__add__", [](Amount a, Amount b) { return Amount(sum_of(a.value(), b.value())); },
            nb::is_operator())
        .def(
            "__mul__", [](Amount self, double by) { return Amount(times(self.value(), by)); },
            nb::is_operator())
        .def(
            "__rmul__", [](Amount self, double by) { return Amount(times(self.value(), by)); },
            nb::is_operator())
        .def(
            "__truediv__",
            [](Amount self, double by) { return Amount(share_of(self.value(), by)); },
            nb::is_operator())
        .def(
            "__radd__",
            [](Amount self, int begin) {  // what sum() begins with
                if (begin != 0) {
                    throw nb::type_error("a budget and a number do not add up");
                }
                return self;
            },
            nb::is_operator())
        .def(
            "__truediv__", [](Amount a, Amount b) { return a.value() / b.value(); },
            nb::is_operator())
        .def(
            "__lt__", [](Amount a, Amount b) { return a.value() < b.value(); }, nb::is_operator())
        .def(
            "__le__", [](Amount a, Amount b) { return a.value() <= b.value(); }, nb::is_operator())
        .def(
            "__gt__", [](Amount a, Amount b) { return a.value() > b.value(); }, nb::is_operator())
        .def(
            "__ge__", [](Amount a, Amount b) { return a.value() >= b.value(); }, nb::is_operator())
        .def("__repr__",
             [name](const Amount& self) {
                 return std::string(name) + "(" + shown(self.value()) + ")";
             })
        .def(
            "__reduce__",
            [](const nb::handle self) {
                return nb::make_tuple(self.type(),
                                      nb::make_tuple(nb::cast<const Amount&>(self).value()));
            },
            nb::sig("def __reduce__(self) -> tuple[type, tuple[float]]"));
}

void bind_approximate(nb::module_& module) {
    nb::class_<ApproximateDp>(module, "ApproximateDP", nb::is_final(),
                              "Approximate differential privacy, (epsilon, delta)-DP.\n\n"
                              "Parameters\n----------\nepsilon : float\n    Finite and above 0.\n"
                              "delta : float\n    Between 0 and 1, and far below one over the "
                              "number of rows.\n")
        .def(
            "__init__",
            [](ApproximateDp* self, const nb::object& epsilon, const nb::object& delta) {
                if (epsilon.is(nb::type<ApproximateDp>()) || delta.is(nb::type<ApproximateDp>())) {
                    throw nb::type_error(
                        "ApproximateDP needs epsilon and delta: dpcov.ApproximateDP(1.0, 1e-9), "
                        "for example, with a delta far below one over the number of rows. Without "
                        "a delta it is pure DP, dpcov.Epsilon(1.0)");
                }
                new (self) ApproximateDp{Epsilon(number_of(epsilon, "epsilon")),
                                         Delta(number_of(delta, "delta"))};
            },
            // The type itself stands for what is not given, which then can be told in words.
            "epsilon"_a.none() = nb::type<ApproximateDp>(),
            "delta"_a.none() = nb::type<ApproximateDp>(),
            nb::sig("def __init__(self, epsilon: float, delta: float) -> None"))
        .def_prop_ro("epsilon", [](const ApproximateDp& self) { return self.epsilon.value(); })
        .def_prop_ro("delta", [](const ApproximateDp& self) { return self.delta.value(); })
        .def(
            "__eq__",
            [](const ApproximateDp& self, const nb::object& other) {
                if (!nb::isinstance<ApproximateDp>(other)) {
                    return false;
                }
                const auto& that = nb::cast<const ApproximateDp&>(other);
                return that.epsilon.value() == self.epsilon.value() &&
                       that.delta.value() == self.delta.value();
            },
            "other"_a.none(), nb::sig("def __eq__(self, other: object, /) -> bool"))
        .def("__hash__",
             [](const ApproximateDp& self) {
                 return nb::hash(nb::make_tuple(self.epsilon.value(), self.delta.value()));
             })
        .def("__repr__",
             [](const ApproximateDp& self) {
                 return "ApproximateDP(epsilon=" + shown(self.epsilon.value()) +
                        ", delta=" + shown(self.delta.value()) + ")";
             })
        .def(
            "__reduce__",
            [](const nb::handle self) {
                const auto& that = nb::cast<const ApproximateDp&>(self);
                return nb::make_tuple(self.type(),
                                      nb::make_tuple(that.epsilon.value(), that.delta.value()));
            },
            nb::sig("def __reduce__(self) -> tuple[type, tuple[float, float]]"));
}

}  // namespace

void bind_budgets(nb::module_& module) {
    bind_amount<Rho>(module, "Rho", "rho",
                     "Zero-concentrated differential privacy, rho-zCDP (Bun and Steinke 2016).\n\n"
                     "Parameters\n----------\nvalue : float\n    rho, finite and above 0; smaller "
                     "is safer and noisier.\n");
    bind_amount<Epsilon>(module, "Epsilon", "epsilon",
                         "Pure differential privacy, epsilon-DP.\n\n"
                         "Parameters\n----------\nvalue : float\n    epsilon, finite and above 0; "
                         "smaller is safer and noisier.\n");
    bind_approximate(module);

    module.def(
        "delta_of",
        [](const Rho& rho, const Epsilon& epsilon, const std::string& curve) {
            return delta_of(rho, epsilon, curve_of(curve));
        },
        "rho"_a, "epsilon"_a, "curve"_a);
    module.def(
        "epsilon_of",
        [](const Rho& rho, const nb::object& delta, const std::string& curve) {
            return epsilon_of(rho, Delta(number_of(delta, "delta")), curve_of(curve));
        },
        "rho"_a, "delta"_a.none(), "curve"_a,
        nb::sig("def epsilon_of(rho: Rho, delta: float, curve: str) -> Epsilon"));
    module.def(
        "rho_for",
        [](const ApproximateDp& target, const std::string& curve) {
            return rho_for(target, curve_of(curve));
        },
        "target"_a, "curve"_a);
    module.def("rho_of", &rho_of, "epsilon"_a);
    module.def(
        "best_guess",
        [](const Rho& rho, const std::string& curve) { return best_guess(rho, curve_of(curve)); },
        "budget"_a, "curve"_a);
    module.def(
        "best_guess",
        [](const Epsilon& epsilon, const std::string& curve) {
            static_cast<void>(curve_of(curve));
            return best_guess(epsilon);
        },
        "budget"_a, "curve"_a);
    module.def(
        "best_guess",
        [](const ApproximateDp& pair, const std::string& curve) {
            static_cast<void>(curve_of(curve));
            return best_guess(pair);
        },
        "budget"_a, "curve"_a);
    module.def("number_of", &number_of, "value"_a.none(), "what"_a);
    module.def("version", [] { return std::string(version()); });
    module.def("methods", &detail::methods_json);
}

}  // namespace dpcov::python
