// The one way from a secret moment to something public.
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "arithmetic/blas_threads.hpp"
#include "arrays.hpp"
#include "bindings.hpp"
#include "definitions.hpp"
#include "dpcov/concerns.hpp"
#include "dpcov/derive.hpp"
#include "dpcov/error.hpp"
#include "dpcov/ledger.hpp"
#include "dpcov/record.hpp"
#include "dpcov/release.hpp"
#include "dpcov/release_file.hpp"
#include "gil.hpp"
#include "mechanism/coinpress.hpp"
#include "part.hpp"
#include "tables/called_columns.hpp"

namespace nb = nanobind;

namespace dpcov::python {

using namespace nb::literals;

namespace {

IntervalsFor read_intervals_for(const std::string& word) {
    return parse_choice("intervals_for", word, intervals_for_words);
}

/// Estimate, standard error, lower, upper, and why they are not better.
using MatrixArrays = std::tuple<Matrix, Matrix, Matrix, Matrix, std::string>;
using VectorArrays = std::tuple<Vector, Vector, Vector, Vector, std::string>;

MatrixArrays arrays_of(const MatrixEstimate& of) {
    return {array_of(of.matrix), array_of(of.standard_error), array_of(of.lower),
            array_of(of.upper), of.why};
}

VectorArrays arrays_of(const VectorEstimate& of) {
    return {array_of(of.estimate), array_of(of.standard_error), array_of(of.lower),
            array_of(of.upper), of.why};
}

std::tuple<std::optional<Vector>, Matrix, VectorArrays, VectorArrays, std::optional<Vector>> pca_of(
    const Release& release, Eigen::Index components, double level, bool standardize,
    const std::string& intervals_for) {
    const ComponentsOf of = standardize ? ComponentsOf::correlation : ComponentsOf::covariance;
    const PrincipalComponents pca = unlocked([&] {
        return derive_pca(release, components, level, of, read_intervals_for(intervals_for));
    });
    return {array_of(pca.mean), array_of(pca.components), arrays_of(pca.explained_variance),
            arrays_of(pca.explained_variance_ratio), array_of(pca.deviations)};
}

/// Standard error, lower, upper.
using Numbers = std::tuple<double, double, double>;

std::tuple<std::optional<double>, std::optional<Numbers>, VectorArrays, std::optional<double>,
           double>
regression_of(const Release& release, Eigen::Index target,
              const std::vector<Eigen::Index>& features, double level,
              const std::string& intervals_for) {
    const Regression regression = unlocked([&] {
        return derive_regression(release, target, features, level,
                                 read_intervals_for(intervals_for));
    });
    std::optional<Numbers> interval;
    if (const auto& told = regression.intercept_interval) {
        interval = {told->standard_error, told->lower, told->upper};
    }
    return {regression.intercept, interval, arrays_of(regression.coefficients), regression.ridge,
            regression.r_squared};
}

std::vector<std::string> concern_names(const Release& release) {
    std::vector<std::string> names;
    for (const Concern concern : concerns_of(release)) {
        names.emplace_back(word_of(concern_words, concern));
    }
    return names;
}

std::vector<Eigen::Index> places_at_bound(const Release& release) {
    std::vector<Eigen::Index> places;
    for (const ColumnAtBound& at : columns_at_bound(release)) {
        places.push_back(at.column);
    }
    return places;
}

CalledColumns columns_of_release(const Release& release) {
    return CalledColumns::released(release.schema,
                                   static_cast<std::size_t>(release.covariance.rows()));
}

/// By what the columns' values are to be divided to be in the units of what is derived.
std::vector<double> scales_of(const Release& release) {
    std::vector<double> scales(static_cast<std::size_t>(release.covariance.rows()), 1.0);
    for (std::size_t j = 0; j < release.schema.size(); ++j) {
        if (!release.schema[j].bounds) {
            scales[j] = release.schema[j].scale;
        }
    }
    return scales;
}

/// Has Python add the rows once more, by `add`. Called without the GIL.
std::function<void(SecondMoment&)> reader_of(const nb::object& add) {
    if (add.is_none()) {
        return {};
    }
    return [&add](SecondMoment& again) {
        const WithGil gil;
        const auto shared = std::make_shared<SharedMoment>(std::move(again));
        add(shared);
        again = std::move(shared->moment);
    };
}

Release draw(SharedMoment& shared, bool last, const Definition& definition, ReleaseOptions options,
             const std::string& ledger_path, const std::string& dataset, unsigned threads) {
    const Alone alone(shared);
    std::unique_ptr<Ledger> ledger;
    if (!ledger_path.empty()) {
        ledger = std::make_unique<Ledger>(ledger_path);
        options.accountant = &ledger->account(dataset);
    }
    options.check_interrupt = SignalCheck();
    shared.spare.reset();  // the release takes memory of its own
    const detail::BlasThreads bound(threads);
    return last ? release(std::move(shared.moment), definition, options)
                : release(shared.moment, definition, options);
}

/// What can be refused before any row is read; returns whether the moment must keep directions, and
/// bins of norms.
std::pair<bool, bool> check_request(const nb::object& budget, const ReleaseOptions& options,
                                    int passes) {
    check_options(definition_of(budget), options, passes);
    const Method& method = find_method(options.method);
    return {method.needs_directions(options.variant), method.uses_norm_bins};
}

/// Refuses what the account of `dataset` would not pay for, before any row is read.
void check_account(const std::string& ledger_path, const std::string& dataset,
                   const nb::object& budget, ReleaseOptions options) {
    const Definition definition = definition_of(budget);
    unlocked([&] {  // another process may have the ledger for half a minute
        Ledger ledger(ledger_path);
        options.accountant = &ledger.account(dataset);
        check_options(definition, options);
    });
}

/// What a release is asked for; every word is checked as it is set.
void bind_options(nb::module_& module) {
    nb::class_<ReleaseOptions>(module, "ReleaseOptions", nb::is_final())
        .def(nb::init<>())
        .def_rw("method", &ReleaseOptions::method)
        .def_prop_rw(
            "variant",
            [](const ReleaseOptions& options) { return std::string(name_of(options.variant)); },
            [](ReleaseOptions& options, const std::string& word) {
                options.variant = variant_of(word);
            })
        .def_prop_rw(
            "neighbours",
            [](const ReleaseOptions& options) { return std::string(name_of(options.neighbours)); },
            [](ReleaseOptions& options, const std::string& word) {
                options.neighbours = neighbours_of(word);
            })
        .def_rw("rows_per_person", &ReleaseOptions::rows_per_person)
        .def_rw("clip", &ReleaseOptions::clip, nb::arg().none())
        .def_rw("full_norms", &ReleaseOptions::full_norms)
        .def_rw("center", &ReleaseOptions::center)
        .def_rw("steps", &ReleaseOptions::steps, nb::arg().none())
        .def_rw("unaccounted", &ReleaseOptions::unaccounted)
        .def_rw("insecure_seed", &ReleaseOptions::insecure_seed, nb::arg().none());
}

}  // namespace

void bind_release(nb::module_& module) {
    bind_options(module);
    // Arrays come with their owner.
    constexpr auto as_they_are = nb::rv_policy::automatic;
    nb::class_<Release>(module, "Release", nb::is_final())
        .def_prop_ro(
            "covariance", [](const Release& release) { return array_of(release.covariance); },
            as_they_are)
        .def_prop_ro(
            "mean", [](const Release& release) { return array_of(release.mean); }, as_they_are)
        .def_prop_ro("columns", &columns_of_release)
        .def_prop_ro("scales", &scales_of)
        .def_prop_ro("record", [](const Release& release) { return format_record(release); })
        .def_prop_ro("noise_level", &noise_level)
        .def_prop_ro("concerns", &concern_names)
        .def_prop_ro("columns_at_bound", &places_at_bound)
        .def(
            "derive_covariance",
            [](const Release& release, double level, const std::string& intervals_for) {
                return arrays_of(unlocked([&] {
                    return derive_covariance(release, level, read_intervals_for(intervals_for));
                }));
            },
            "level"_a, "intervals_for"_a)
        .def(
            "derive_correlation",
            [](const Release& release, double level, const std::string& intervals_for) {
                return arrays_of(unlocked([&] {
                    return derive_correlation(release, level, read_intervals_for(intervals_for));
                }));
            },
            "level"_a, "intervals_for"_a)
        .def("correlation_matrix",
             [](const Release& release) {
                 return array_of(unlocked([&] { return correlation_matrix(release); }));
             })
        .def(
            "derive_mean",
            [](const Release& release, double level, const std::string& intervals_for) {
                return arrays_of(unlocked([&] {
                    return derive_mean(release, level, read_intervals_for(intervals_for));
                }));
            },
            "level"_a, "intervals_for"_a)
        .def("derive_pca", &pca_of, "components"_a, "level"_a, "standardize"_a, "intervals_for"_a)
        .def("derive_regression", &regression_of, "target"_a, "features"_a, "level"_a,
             "intervals_for"_a)
        .def(
            "save",
            [](const Release& release, const std::string& path) {
                unlocked([&] { save_release(release, path); });
            },
            "path"_a)
        .def_static(
            "load",
            [](const std::string& path) { return unlocked([&] { return load_release(path); }); },
            "path"_a)
        .def("to_bytes",
             [](const Release& release) {
                 const std::string archive = unlocked([&] { return release_archive(release); });
                 return nb::bytes(archive.data(), archive.size());
             })
        .def_static(
            "from_bytes",
            [](const nb::bytes& bytes) {
                const std::string_view archive(bytes.c_str(), bytes.size());
                return unlocked([&] { return release_of_archive("bytes", archive); });
            },
            "bytes"_a);
    module.attr("most_steps") = detail::most_coinpress_steps;
    module.def("check_request", &check_request, "budget"_a, "options"_a, "passes"_a);
    module.def("check_account", &check_account, "ledger"_a, "dataset"_a, "budget"_a, "options"_a);
    module.def(
        "release",
        [](SharedMoment& moment, const nb::object& budget, ReleaseOptions options, bool scaled,
           std::optional<double> norm_bound, const std::string& ledger, const std::string& dataset,
           unsigned threads, const nb::object& add_again, bool last) {
            options.read_again = reader_of(add_again);
            Release drawn = draw(moment, last, definition_of(budget), std::move(options), ledger,
                                 dataset, threads);
            if (norm_bound) {
                drawn = with_norm_bound(std::move(drawn), *norm_bound);
            }
            if (!scaled) {
                drawn = in_table_units(std::move(drawn));
            }
            return drawn;
        },
        "moment"_a, "budget"_a, "options"_a, nb::kw_only(), "scaled"_a, "norm_bound"_a.none(),
        "ledger"_a, "dataset"_a, "threads"_a, "add_again"_a.none(), "last"_a);
}

}  // namespace dpcov::python
