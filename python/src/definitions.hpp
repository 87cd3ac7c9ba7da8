// Words and budgets of Python as the library's.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <optional>
#include <string>

#include "dpcov/budget.hpp"
#include "dpcov/error.hpp"
#include "dpcov/methods.hpp"
#include "dpcov/words.hpp"

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

/// The value of the word that the parameter was given. Throws UsageError with all there are.
template <class Enum, std::size_t Count>
[[nodiscard]] Enum parse_choice(const char* parameter, const std::string& given,
                                const Words<Enum, Count>& words) {
    if (const std::optional<Enum> value = value_of(words, given)) {
        return *value;
    }
    std::string known;
    for (const NamedValue<Enum>& word : words) {
        const bool last = &word == &words.back();
        known.append(known.empty() ? "'" : last ? " or '" : ", '").append(word.text).append("'");
    }
    throw UsageError(std::string(parameter) + " is '" + given + "'; it is " + known);
}

[[nodiscard]] inline Neighbours neighbours_of(const std::string& word) {
    return parse_choice("neighbours", word, neighbours_words);
}

[[nodiscard]] inline Variant variant_of(const std::string& word) {
    return parse_choice("variant", word, variant_words);
}

}  // namespace dpcov::python
