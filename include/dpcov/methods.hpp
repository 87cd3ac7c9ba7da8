// Which mechanisms there are, and what each can promise.
#pragma once

#include <string>
#include <string_view>
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

inline constexpr Words<Variant, 3> variant_words = {
    {{"best", Variant::best}, {"paper", Variant::paper}, {"published", Variant::published}}};

inline constexpr Words<Neighbours, 2> neighbours_words = {
    {{"replace", Neighbours::replace}, {"add-remove", Neighbours::add_remove}}};

[[nodiscard]] inline std::string_view name_of(Variant variant) {
    return word_of(variant_words, variant);
}

[[nodiscard]] inline std::string_view name_of(Neighbours neighbours) {
    return word_of(neighbours_words, neighbours);
}

/// A mechanism in the catalogue.
struct Method {
    std::string_view name;     ///< as ReleaseOptions::method spells it
    std::string_view summary;  ///< one line
    std::string_view source;   ///< theorem or algorithm
    bool zcdp = false;         ///< can meet rho-zCDP (and (epsilon, delta)-DP through it)
    bool pure_dp = false;      ///< can meet pure epsilon-DP
    /// How (epsilon, delta)-DP follows from its rho in such a form.
    Curve (*curve)(Variant variant) = nullptr;
    bool needs_clip = false;        ///< wants ReleaseOptions::clip; others refuse it
    bool takes_full_norms = false;  ///< may be told ReleaseOptions::full_norms; others refuse it
    bool takes_steps = false;       ///< may be told ReleaseOptions::steps; others refuse
    /// Its strata may end anywhere; those of the others are octaves, or all rows, and a moment of
    /// NormResolution::octaves is enough.
    bool uses_norm_bins = false;
    /// May look at the rows twice, ReleaseOptions::read_again, in variant best; others refuse.
    bool reads_twice = false;
    /// In variant best it keeps noisy statistics, from which what is derived has intervals.
    bool has_intervals = false;
    /// Whether it wants a moment with keep_directions in such a form.
    bool (*needs_directions)(Variant variant) = nullptr;
};

/// Every mechanism there is, in the order in which they are listed.
[[nodiscard]] DPCOV_EXPORT const std::vector<Method>& methods();

/// The names of the mechanisms of which that is so: "a, b, c".
[[nodiscard]] DPCOV_EXPORT std::string methods_where(bool Method::*rule);

/// The mechanism of that name. Throws UsageError naming the known ones.
[[nodiscard]] DPCOV_EXPORT const Method& find_method(std::string_view name);

}  // namespace dpcov
