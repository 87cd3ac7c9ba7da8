#include "early_warnings.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <variant>

#include "dpcov/methods.hpp"
#include "moment/memory_limits.hpp"
#include "privacy/small_delta.hpp"
#include "summary.hpp"

namespace dpcov {
namespace {

// Where the table says beforehand how many rows it has, and that is public, nobody has to pay to
// hear that delta is too great for them. From other tables the summary is the first to know.
std::string about_great_delta(const EstimateArguments& arguments, const TableReader& table) {
    const std::optional<std::uint64_t> rows = table.row_count_hint();
    const Definition definition = asked_definition(arguments.privacy);
    const auto* approximate = std::get_if<ApproximateDp>(&definition);
    if (!rows || approximate == nullptr || rows_shown(arguments) == RowsShown::no ||
        detail::is_small_delta(definition, *rows)) {
        return "";
    }
    return great_delta_line(approximate->delta.value(), *rows) +
           "          Nothing was read or spent yet.\n";
}

// What the release will need depends on the rows.
std::string about_little_memory(const EstimateArguments& arguments, std::size_t columns) {
    // Peaks with rows in five octaves, in d x d matrices (docs/performance.md#many-columns).
    constexpr double with_bins = 17.0;
    constexpr double without = 6.0;
    constexpr double worth_asking = 0x1p30;
    const bool bins = find_method(arguments.options.method).uses_norm_bins;
    const auto order = static_cast<double>(columns);
    const double likely = (bins ? with_bins : without) * 8.0 * order * order;
    if (likely < worth_asking) {
        return "";
    }
    const double there_is = detail::resident_memory_limit();
    if (likely <= there_is) {
        return "";
    }
    const bool gauss_could = meets(find_method("gauss"), asked_definition(arguments.privacy));
    return warning_line(
        fmt::format("a release of {} columns may need {:.0f} GB of memory, and there are {:.0f}. "
                    "Where memory runs out the system ends the program: nothing is written, but "
                    "a charge stays{}",
                    columns, std::ceil(likely / 1e9), std::floor(there_is / 1e9),
                    bins && gauss_could ? "; --method gauss needs about a third" : ""));
}

}  // namespace

std::string early_warnings(const EstimateArguments& arguments, const TableReader& table) {
    return about_great_delta(arguments, table) + about_little_memory(arguments, table.columns());
}

}  // namespace dpcov
