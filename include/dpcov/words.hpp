// The words that the values of an enum have in records, ledgers and command lines: one table each.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "dpcov/error.hpp"

namespace dpcov {

/// A value of an enum, and its word.
template <class Enum>
struct NamedValue {
    std::string_view text;
    Enum value;
};

/// Every value of an enum with its word.
template <class Enum, std::size_t Count>
using Words = std::array<NamedValue<Enum>, Count>;

/// Such a table. It is as long as what it is made of: with a count that is too great there would be
/// an empty word at its end.
template <class Enum, std::size_t Count>
[[nodiscard]] constexpr Words<Enum, Count> words_of(const NamedValue<Enum> (&words)[Count]) {
    return std::to_array(words);
}

/// The word of a value. Throws UsageError where it has none: a number that is no value of the enum
/// can be cast to it.
template <class Enum, std::size_t Count>
[[nodiscard]] std::string_view word_of(const Words<Enum, Count>& words, Enum value) {
    std::string known;
    for (const NamedValue<Enum>& word : words) {
        if (word.value == value) {
            return word.text;
        }
        known.append(known.empty() ? "" : ", ").append(word.text);
    }
    throw UsageError("a number stands for none of: " + known);
}

/// The value of a word; none where there is no such word.
template <class Enum, std::size_t Count>
[[nodiscard]] constexpr std::optional<Enum> value_of(const Words<Enum, Count>& words,
                                                     std::string_view text) noexcept {
    for (const NamedValue<Enum>& word : words) {
        if (word.text == text) {
            return word.value;
        }
    }
    return std::nullopt;
}

}  // namespace dpcov
