#include "mechanism/catalogue.hpp"

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "dpcov/error.hpp"
#include "mechanism/adaptive_cov.hpp"
#include "mechanism/automatic.hpp"
#include "mechanism/coinpress.hpp"
#include "mechanism/em_cov.hpp"
#include "mechanism/gauss_cov.hpp"
#include "mechanism/lap_cov.hpp"
#include "mechanism/projection_cov.hpp"
#include "mechanism/separate_cov.hpp"
#include "mechanism/stratified.hpp"
#include "mechanism/wishart_cov.hpp"
#include "mechanism/zero.hpp"
#include "text/in_quotes.hpp"
#include "text/joined.hpp"

namespace dpcov {
namespace {

// All that it draws under zCDP is the theorem's of docs/privacy.md#gaussian-curve.
Curve by_gaussian_noise(Variant /*any*/) {
    return Curve::gaussian;
}

// In the order in which the documentation lists them.
constexpr detail::Entry entries[] = {
    {.method = {.name = "auto",
                .summary = "the project's choice: stratified; as paper and published adaptive",
                .source = "this project",
                .zcdp = true,
                .pure_dp = true,
                .curve = &detail::automatic_curve,
                .centres_itself = true,
                .uses_norm_bins = true,
                .reads_twice = true,
                .has_intervals = true,
                .needs_directions = &detail::automatic_needs_directions},
     .mechanism = &detail::automatic_cov},
    {.method = {.name = "gauss",
                .summary = "Gaussian noise on the matrix",
                .source = "GaussCov (Dong, Liang, Yi 2022)",
                .zcdp = true,
                .curve = by_gaussian_noise,
                .centres_itself = true,
                .has_intervals = true},
     .mechanism = &detail::gauss_cov},
    {.method = {.name = "laplace",
                .summary = "Laplace noise on the matrix",
                .source = "LapCov (Dong, Liang, Yi 2022)",
                .pure_dp = true},
     .mechanism = &detail::keeping_rows<&detail::lap_cov>},
    {.method = {.name = "wishart",
                .summary = "two-sided Wishart noise on the matrix: less than Laplace from d = 3 on",
                .source = "this project",
                .pure_dp = true,
                .centres_itself = true,
                .has_intervals = true},
     .mechanism = &detail::keeping_rows<&detail::wishart_cov>,
     .keeps_statistics_in_all_variants = true},
    {.method = {.name = "separate",
                .summary = "eigenvalues and eigenvectors apart; best for a small trace or large d",
                .source = "SeparateCov (Dong, Liang, Yi 2022)",
                .zcdp = true,
                .pure_dp = true,
                .curve = by_gaussian_noise},
     .mechanism = &detail::keeping_rows<&detail::separate_cov>},
    {.method = {.name = "adaptive",
                .summary =
                    "chooses a clipping norm privately, then gauss (pure: wishart) or separate",
                .source = "AdaptiveCov, Algorithm 3 (Dong, Liang, Yi 2022)",
                .zcdp = true,
                .pure_dp = true,
                .takes_full_norms = true,
                .needs_directions = [](Variant /*any*/) { return true; }},
     .mechanism = &detail::keeping_rows<&detail::adaptive_cov>},
    {.method = {.name = "clip-gauss",
                .summary = "gauss on rows clipped to a public norm",
                .source = "ClipGaussCov (Dong, Liang, Yi 2022)",
                .zcdp = true,
                .curve = by_gaussian_noise,
                .needs_clip = true,
                .centres_itself = true,
                .has_intervals = true},
     .mechanism = &detail::gauss_cov},
    {.method = {.name = "clip-laplace",
                .summary = "laplace on rows clipped to a public norm",
                .source = "LapCov, clipped (Dong, Liang, Yi 2022)",
                .pure_dp = true,
                .needs_clip = true},
     .mechanism = &detail::keeping_rows<&detail::lap_cov>},
    {.method = {.name = "clip-separate",
                .summary = "separate on rows clipped to a public norm",
                .source = "ClipSeparateCov (Dong, Liang, Yi 2022)",
                .zcdp = true,
                .pure_dp = true,
                .curve = by_gaussian_noise,
                .needs_clip = true},
     .mechanism = &detail::keeping_rows<&detail::separate_cov>},
    {.method = {.name = "projection",
                .summary = "gauss, then the nearest matrix of trace at most the squared norm bound",
                .source = "projection mechanism (Dong, Liang, Yi 2022, appendix C)",
                .zcdp = true,
                .curve = by_gaussian_noise},
     .mechanism = &detail::keeping_rows<&detail::projection_cov>},
    {.method = {.name = "em",
                .summary = "eigenvectors one by one by the exponential mechanism",
                .source = "EMCov (Amin, Dick, Kulesza, Munoz Medina, Vassilvitskii 2019)",
                .zcdp = true,
                .pure_dp = true},
     .mechanism = &detail::keeping_rows<&detail::em_cov>},
    {.method = {.name = "coinpress",
                .summary =
                    "repeated whitening; for rows far from the norm bound in every direction",
                .source = "CoinPress (Biswas, Dong, Kamath, Ullman 2020)",
                .zcdp = true,
                .curve = by_gaussian_noise,
                .takes_steps = true},
     .mechanism = &detail::keeping_rows<&detail::coinpress_cov>},
    {.method =
         {.name = "stratified",
          .summary =
              "noise on every norm stratum by its own measure; empirical-Bayes shrinkage across "
              "strata",
          .source = "this project",
          .zcdp = true,
          .pure_dp = true,
          .curve = by_gaussian_noise,
          .centres_itself = true,
          .uses_norm_bins = true,
          .reads_twice = true,
          .has_intervals = true},
     .mechanism = &detail::stratified_cov,
     .keeps_statistics_in_all_variants = true},
    {.method = {.name = "zero",
                .summary = "the zero matrix, which spends nothing: the baseline",
                .source = "baseline (Dong, Liang, Yi 2022)",
                .zcdp = true,
                .pure_dp = true,
                .curve = by_gaussian_noise,
                .centres_itself = true},
     .mechanism = &detail::zero_cov},
};

std::size_t place_of(std::string_view name) {
    std::vector<std::string_view> known;
    for (const detail::Entry& entry : entries) {
        if (entry.method.name == name) {
            return known.size();
        }
        known.push_back(entry.method.name);
    }
    throw UsageError("there is no method " + in_quotes(name) + "; there are " +
                     detail::joined(known));
}

}  // namespace

const std::vector<Method>& methods() {
    static const std::vector<Method> all = [] {
        std::vector<Method> list;
        for (const detail::Entry& entry : entries) {
            list.push_back(entry.method);
        }
        return list;
    }();
    return all;
}

std::string methods_where(const std::function<bool(const Method&)>& holds) {
    std::vector<std::string_view> names;
    for (const Method& method : methods()) {
        if (holds(method)) {
            names.push_back(method.name);
        }
    }
    return detail::joined(names);
}

const Method& find_method(std::string_view name) {
    return methods()[place_of(name)];
}

const detail::Entry& detail::entry_of(const Method& method) {
    return entries[place_of(method.name)];
}

bool detail::is_of_strata(const Release& release) {
    return find_method(release.method).uses_norm_bins;
}

bool detail::could_have_intervals(const Release& release) {
    const Entry& entry = entry_of(find_method(release.method));
    return entry.method.has_intervals &&
           (release.variant == Variant::best || entry.keeps_statistics_in_all_variants);
}

}  // namespace dpcov
