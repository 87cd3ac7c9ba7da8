// What is wrong with the words of a command line, and what was probably meant.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace dpcov {

/// What to tell of the first word that should be a command and is none; else empty. The parser does
/// not look at it where --help follows.
[[nodiscard]] std::string unknown_word(const CLI::App& program,
                                       const std::vector<std::string>& words);

/// Throws UsageError for an option that ends in "=": the parser would take the next word for its
/// value.
void refuse_empty_values(const std::vector<std::string>& words);

/// What to tell about words that could not be parsed: the name that does not exist, with the one
/// that is nearest to it, before whatever `error` says.
[[nodiscard]] std::string explain(const CLI::ParseError& error, const CLI::App& program,
                                  const std::vector<std::string>& words);

}  // namespace dpcov
