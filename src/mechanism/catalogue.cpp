#include "mechanism/catalogue.hpp"

#include <algorithm>
#include <cstddef>
#include <initializer_list>
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

using detail::Entry;
using detail::Mechanism;

// What holds of some methods and not of others: fields of Method and Entry.
enum class Rule {
    needs_clip,
    takes_full_norms,
    takes_steps,
    reads_twice,  // and uses bins of norms
    centres_itself,
    has_intervals,
    keeps_statistics_in_all_variants
};

// The definitions that a mechanism can meet.
enum class Meets { zcdp, pure_dp, both };

bool never(Variant /*variant*/) {
    return false;
}

bool always(Variant /*variant*/) {
    return true;
}

// All that it draws under zCDP is the theorem's of docs/privacy.md#gaussian-curve.
Curve by_gaussian_noise(Variant /*variant*/) {
    return Curve::gaussian;
}

Curve by_zcdp(Variant /*variant*/) {
    return Curve::zcdp;
}

Entry method(std::string_view name, std::string_view summary, std::string_view source,
             Mechanism mechanism, Meets meets, Curve (*curve)(Variant),
             std::initializer_list<Rule> rules = {}, bool (*needs_directions)(Variant) = never) {
    const auto holds = [rules](Rule rule) {
        return std::find(rules.begin(), rules.end(), rule) != rules.end();
    };
    return {.method = {.name = name,
                       .summary = summary,
                       .source = source,
                       .zcdp = meets != Meets::pure_dp,
                       .pure_dp = meets != Meets::zcdp,
                       .curve = curve,
                       .needs_clip = holds(Rule::needs_clip),
                       .takes_full_norms = holds(Rule::takes_full_norms),
                       .takes_steps = holds(Rule::takes_steps),
                       .uses_norm_bins = holds(Rule::reads_twice),
                       .reads_twice = holds(Rule::reads_twice),
                       .has_intervals = holds(Rule::has_intervals),
                       .needs_directions = needs_directions},
            .mechanism = mechanism,
            .centres_itself = holds(Rule::centres_itself),
            .keeps_statistics_in_all_variants = holds(Rule::keeps_statistics_in_all_variants)};
}

const std::vector<Entry>& entries() {
    static const std::vector<Entry> all = {
        method("auto", "the project's choice: stratified; as paper and published adaptive",
               "this project", &detail::automatic_cov, Meets::both, &detail::automatic_curve,
               {Rule::reads_twice, Rule::centres_itself, Rule::has_intervals},
               &detail::automatic_needs_directions),
        method("gauss", "Gaussian noise on the matrix", "GaussCov (Dong, Liang, Yi 2022)",
               &detail::gauss_cov, Meets::zcdp, by_gaussian_noise,
               {Rule::centres_itself, Rule::has_intervals}),
        method("laplace", "Laplace noise on the matrix", "LapCov (Dong, Liang, Yi 2022)",
               &detail::lap_cov, Meets::pure_dp, by_zcdp),
        method("wishart", "two-sided Wishart noise on the matrix: less than Laplace from d = 3 on",
               "this project", &detail::wishart_cov, Meets::pure_dp, by_zcdp,
               {Rule::centres_itself, Rule::has_intervals, Rule::keeps_statistics_in_all_variants}),
        method("separate", "eigenvalues and eigenvectors apart; best for a small trace or large d",
               "SeparateCov (Dong, Liang, Yi 2022)", &detail::separate_cov, Meets::both,
               by_gaussian_noise),
        method("adaptive",
               "chooses a clipping norm privately, then gauss (pure: wishart) or separate",
               "AdaptiveCov, Algorithm 3 (Dong, Liang, Yi 2022)", &detail::adaptive_cov,
               Meets::both, by_zcdp, {Rule::takes_full_norms}, always),
        method("clip-gauss", "gauss on rows clipped to a public norm",
               "ClipGaussCov (Dong, Liang, Yi 2022)", &detail::gauss_cov, Meets::zcdp,
               by_gaussian_noise, {Rule::needs_clip, Rule::centres_itself, Rule::has_intervals}),
        method("clip-laplace", "laplace on rows clipped to a public norm",
               "LapCov, clipped (Dong, Liang, Yi 2022)", &detail::lap_cov, Meets::pure_dp, by_zcdp,
               {Rule::needs_clip}),
        method("clip-separate", "separate on rows clipped to a public norm",
               "ClipSeparateCov (Dong, Liang, Yi 2022)", &detail::separate_cov, Meets::both,
               by_gaussian_noise, {Rule::needs_clip}),
        method("projection",
               "gauss, then the nearest matrix of trace at most the squared norm bound",
               "projection mechanism (Dong, Liang, Yi 2022, appendix C)", &detail::projection_cov,
               Meets::zcdp, by_gaussian_noise),
        method("em", "eigenvectors one by one by the exponential mechanism",
               "EMCov (Amin, Dick, Kulesza, Munoz Medina, Vassilvitskii 2019)", &detail::em_cov,
               Meets::both, by_zcdp),
        method("coinpress",
               "repeated whitening; for rows far from the norm bound in every direction",
               "CoinPress (Biswas, Dong, Kamath, Ullman 2020)", &detail::coinpress_cov, Meets::zcdp,
               by_gaussian_noise, {Rule::takes_steps}),
        method("stratified",
               "noise on every norm stratum by its own measure; empirical-Bayes shrinkage across "
               "strata",
               "this project", &detail::stratified_cov, Meets::both, by_gaussian_noise,
               {Rule::reads_twice, Rule::centres_itself, Rule::has_intervals,
                Rule::keeps_statistics_in_all_variants}),
        method("zero", "the zero matrix, which spends nothing: the baseline",
               "baseline (Dong, Liang, Yi 2022)", &detail::zero_cov, Meets::both, by_gaussian_noise,
               {Rule::centres_itself}),
    };
    return all;
}

std::size_t place_of(std::string_view name) {
    std::vector<std::string_view> known;
    for (std::size_t i = 0; i < entries().size(); ++i) {
        known.push_back(entries()[i].method.name);
        if (known.back() == name) {
            return i;
        }
    }
    throw UsageError("there is no method " + in_quotes(name) + "; there are " +
                     detail::joined(known));
}

}  // namespace

const std::vector<Method>& methods() {
    static const std::vector<Method> all = [] {
        std::vector<Method> list;
        for (const Entry& entry : entries()) {
            list.push_back(entry.method);
        }
        return list;
    }();
    return all;
}

std::string methods_where(bool Method::*rule) {
    std::vector<std::string_view> names;
    for (const Method& method : methods()) {
        if (method.*rule) {
            names.push_back(method.name);
        }
    }
    return detail::joined(names);
}

const Method& find_method(std::string_view name) {
    return methods()[place_of(name)];
}

const detail::Entry& detail::entry_of(const Method& method) {
    return entries()[place_of(method.name)];
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
