// Words and budgets of Python as the library's.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "dpcov/budget.hpp"
#include "dpcov/error.hpp"
#include "dpcov/methods.hpp"

namespace dpcov::python {

[[nodiscard]] inline Definition definition_of(const nanobind::object& budget) {
    if (nanobind::isinstance<Rho>(budget)) {
        return nanobind::cast<Rho>(budget);
    }
    if (nanobind::isinstance<Epsilon>(budget)) {
        return nanobind::cast<Epsilon>(budget);
    }
    if (nanobind::isinstance<ApproximateDp>(budget)) {
        return nanobind::cast<ApproximateDp>(budget);
    }
    throw UsageError(
        "the budget must be dpcov.Rho(rho), dpcov.Epsilon(epsilon) or dpcov.ApproximateDP(epsilon, "
        "delta): a number alone does not say which");
}

[[nodiscard]] inline Neighbours neighbours_of(const std::string& word) {
    if (const auto neighbours = value_of(neighbours_words, word)) {
        return *neighbours;
    }
    throw UsageError("neighbours is '" + word + "'; it is 'replace' or 'add-remove'");
}

[[nodiscard]] inline Variant variant_of(const std::string& word) {
    if (const auto variant = value_of(variant_words, word)) {
        return *variant;
    }
    throw UsageError("variant is '" + word + "'; it is 'best', 'paper' or 'published'");
}

}  // namespace dpcov::python
