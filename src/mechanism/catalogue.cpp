#include "mechanism/catalogue.hpp"

#include <cstddef>
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

// What a method may be told beside the options of all, or wants to know.
enum class Takes { nothing, clip, full_norms, steps, norm_bins };

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
             Takes takes = Takes::nothing, bool (*needs_directions)(Variant) = never) {
    return {{.name = name,
             .summary = summary,
             .source = source,
             .zcdp = meets != Meets::pure_dp,
             .pure_dp = meets != Meets::zcdp,
             .curve = curve,
             .needs_clip = takes == Takes::clip,
             .takes_full_norms = takes == Takes::full_norms,
             .takes_steps = takes == Takes::steps,
             .uses_norm_bins = takes == Takes::norm_bins,
             .reads_twice = takes == Takes::norm_bins,
             .needs_directions = needs_directions},
            mechanism};
}

Entry centring_itself(Entry entry) {
    entry.centres_itself = true;
    return entry;
}

Entry in_all_variants(Entry entry) {
    entry.keeps_statistics_in_all_variants = true;
    return entry;
}

Entry with_intervals(Entry entry) {
    entry.method.has_intervals = true;
    return entry;
}

const std::vector<Entry>& entries() {
    static const std::vector<Entry> all = {
        with_intervals(centring_itself(
            method("auto", "the project's choice: stratified; as paper and published adaptive",
                   "this project", &detail::automatic_cov, Meets::both, &detail::automatic_curve,
                   Takes::norm_bins, &detail::automatic_needs_directions))),
        with_intervals(centring_itself(method("gauss", "Gaussian noise on the matrix",
                                              "GaussCov (Dong, Liang, Yi 2022)", &detail::gauss_cov,
                                              Meets::zcdp, by_gaussian_noise))),
        method("laplace", "Laplace noise on the matrix", "LapCov (Dong, Liang, Yi 2022)",
               &detail::lap_cov, Meets::pure_dp, by_zcdp),
        with_intervals(in_all_variants(centring_itself(method(
            "wishart", "two-sided Wishart noise on the matrix: less than Laplace from d = 3 on",
            "this project", &detail::wishart_cov, Meets::pure_dp, by_zcdp)))),
        method("separate", "eigenvalues and eigenvectors apart; best for a small trace or large d",
               "SeparateCov (Dong, Liang, Yi 2022)", &detail::separate_cov, Meets::both,
               by_gaussian_noise),
        method("adaptive",
               "chooses a clipping norm privately, then gauss (pure: wishart) or separate",
               "AdaptiveCov, Algorithm 3 (Dong, Liang, Yi 2022)", &detail::adaptive_cov,
               Meets::both, by_zcdp, Takes::full_norms, always),
        with_intervals(method("clip-gauss", "gauss on rows clipped to a public norm",
                              "ClipGaussCov (Dong, Liang, Yi 2022)", &detail::gauss_cov,
                              Meets::zcdp, by_gaussian_noise, Takes::clip)),
        method("clip-laplace", "laplace on rows clipped to a public norm",
               "LapCov, clipped (Dong, Liang, Yi 2022)", &detail::lap_cov, Meets::pure_dp, by_zcdp,
               Takes::clip),
        method("clip-separate", "separate on rows clipped to a public norm",
               "ClipSeparateCov (Dong, Liang, Yi 2022)", &detail::separate_cov, Meets::both,
               by_gaussian_noise, Takes::clip),
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
               by_gaussian_noise, Takes::steps),
        with_intervals(in_all_variants(centring_itself(method(
            "stratified",
            "noise on every norm stratum by its own measure; empirical-Bayes shrinkage across "
            "strata",
            "this project", &detail::stratified_cov, Meets::both, by_gaussian_noise,
            Takes::norm_bins)))),
        centring_itself(method("zero", "the zero matrix, which spends nothing: the baseline",
                               "baseline (Dong, Liang, Yi 2022)", &detail::zero_cov, Meets::both,
                               by_gaussian_noise)),
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
