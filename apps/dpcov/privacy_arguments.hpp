// The options that say how private: shared by a release and by the account that it is charged to.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "dpcov/budget.hpp"
#include "dpcov/methods.hpp"

namespace dpcov {

struct PrivacyArguments {
    std::optional<double> rho;
    std::optional<double> epsilon;
    std::optional<double> delta;
    Neighbours neighbours = Neighbours::replace;
};

/// Adds --rows-per-person, which begins its help with `what` it is.
void add_rows_per_person(CLI::App& command, std::uint32_t& rows, const std::string& what);

/// Adds --rho, --epsilon, --delta and --neighbours.
void add_privacy_options(CLI::App& command, PrivacyArguments& arguments);

/// The number above 0 that --delta was given. UsageError for 0 too, which is pure DP.
double parse_delta(const std::string& text);

/// The one definition that the options spell; UsageError where they spell none or several.
Definition asked_definition(const PrivacyArguments& arguments);

}  // namespace dpcov
