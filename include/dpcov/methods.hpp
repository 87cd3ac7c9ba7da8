// Which mechanisms there are, and what each can promise.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "dpcov/budget.hpp"
#include "dpcov/export.hpp"
#include "dpcov/words.hpp"

namespace dpcov {

/// Which form of a mechanism to run.
enum class Variant {
    best,       ///< the project's best form
    paper,      ///< noise, constants and budget as in the text of Dong, Liang, Yi 2022
    published,  ///< as in the experiments that the paper reports: no radius step, calibrated
                ///< constants
};

/// When two tables count as neighbours.
enum class Neighbours {
    replace,     ///< one row is replaced; n is public
    add_remove,  ///< one row is added or removed; n is private
};

inline constexpr auto variant_words = words_of<Variant>(
    {{"best", Variant::best}, {"paper", Variant::paper}, {"published", Variant::published}});

inline constexpr auto neighbours_words = words_of<Neighbours>(
    {{"replace", Neighbours::replace}, {"add-remove", Neighbours::add_remove}});

/// The word of a variant. Throws UsageError for a number that is no variant.
[[nodiscard]] inline std::string_view name_of(Variant variant) {
    return word_of(variant_words, variant);
}

/// The word of a neighbours relation. Throws UsageError for a number that is none.
[[nodiscard]] inline std::string_view name_of(Neighbours neighbours) {
    return word_of(neighbours_words, neighbours);
}

/// What holds of a mechanism in a variant.
template <class Fact>
using ByVariant = Fact (*)(Variant variant);

namespace detail {

[[nodiscard]] constexpr Curve zcdp_in_any(Variant /*any*/) {
    return Curve::zcdp;
}

[[nodiscard]] constexpr bool in_no(Variant /*any*/) {
    return false;
}

}  // namespace detail

/// A mechanism in the catalogue: what it promises, needs and takes. All that others know of it they
/// know from here.
struct Method {
    std::string_view name;     ///< as ReleaseOptions::method spells it
    std::string_view summary;  ///< one line
    std::string_view source;   ///< theorem or algorithm that it comes from
    bool zcdp = false;         ///< can meet rho-zCDP (and (epsilon, delta)-DP through it)
    bool pure_dp = false;      ///< can meet pure epsilon-DP
    bool replace = true;       ///< can hide which row stands in a place: Neighbours::replace
    bool add_remove = true;    ///< can hide whether a row is there: Neighbours::add_remove
    /// For each variant: how (epsilon, delta)-DP follows from the rho that it spends.
    ByVariant<Curve> curve = detail::zcdp_in_any;
    bool needs_clip = false;        ///< needs ReleaseOptions::clip; others refuse it
    bool takes_full_norms = false;  ///< allows ReleaseOptions::full_norms; others refuse it
    bool takes_steps = false;       ///< allows ReleaseOptions::steps; others refuse it
    /// With ReleaseOptions::center it releases the mean together with the second moment, or looks
    /// at neither. Others pay for the mean with a part of the budget.
    bool centres_itself = false;
    /// Its strata may end between octaves. For other methods a stratum is an octave, or all rows,
    /// and a moment of NormResolution::octaves is enough.
    bool uses_norm_bins = false;
    /// In variant best, allows ReleaseOptions::read_again: a second pass over the rows. Others
    /// refuse it.
    bool reads_twice = false;
    /// In variant best it keeps noisy statistics, so that results of derive.hpp have intervals.
    bool has_intervals = false;
    /// For each variant: whether it needs a moment with MomentLayout::keep_directions.
    ByVariant<bool> needs_directions = detail::in_no;
};

/// Whether the mechanism can promise what the definition says, whatever its amounts.
[[nodiscard]] inline bool meets(const Method& method, const Definition& definition) {
    return std::holds_alternative<Epsilon>(definition) ? method.pure_dp : method.zcdp;
}

/// Whether it can promise it for tables that are such neighbours.
[[nodiscard]] inline bool serves(const Method& method, Neighbours neighbours) {
    return neighbours == Neighbours::replace ? method.replace : method.add_remove;
}

/// All mechanisms, in the order in which the documentation lists them.
[[nodiscard]] DPCOV_EXPORT const std::vector<Method>& methods();

/// The names of the mechanisms of which it holds: "a, b, c". It may be a field: &Method::pure_dp.
[[nodiscard]] DPCOV_EXPORT std::string methods_where(
    const std::function<bool(const Method&)>& holds);

/// The mechanism of that name. Throws UsageError, naming the known ones, where there is none.
[[nodiscard]] DPCOV_EXPORT const Method& find_method(std::string_view name);

}  // namespace dpcov
