// The one way from a secret moment to something public.
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "bindings.hpp"
#include "definitions.hpp"
#include "dpcov/error.hpp"
#include "dpcov/ledger.hpp"
#include "dpcov/record.hpp"
#include "dpcov/release.hpp"
#include "part.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace dpcov::python {
namespace {

using Matrix = nb::ndarray<nb::numpy, double, nb::ndim<2>>;
using Vector = nb::ndarray<nb::numpy, double, nb::ndim<1>>;

template <class Values>
nb::capsule owner_of(Values* values) {
    return {values, [](void* owned) noexcept { delete static_cast<Values*>(owned); }};
}

Matrix matrix_of(const Release& release) {
    using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    auto* const copy = new RowMajor(release.covariance);
    return {copy->data(),
            {static_cast<std::size_t>(copy->rows()), static_cast<std::size_t>(copy->cols())},
            owner_of(copy)};
}

std::optional<Vector> mean_of(const Release& release) {
    if (!release.mean) {
        return std::nullopt;
    }
    auto* const copy = new Eigen::VectorXd(*release.mean);
    return Vector(copy->data(), {static_cast<std::size_t>(copy->size())}, owner_of(copy));
}

/// What a release is asked for; every word checked.
ReleaseOptions options_of(const std::string& method, const std::string& variant,
                          const std::string& neighbours, bool center, std::optional<double> clip,
                          bool full_norms, int steps, bool unaccounted,
                          std::optional<std::uint64_t> seed) {
    return {.method = method,
            .variant = variant_of(variant),
            .neighbours = neighbours_of(neighbours),
            .clip = clip,
            .full_norms = full_norms,
            .center = center,
            .coinpress_steps = steps,
            .unaccounted = unaccounted,
            .insecure_seed = seed};
}

Release draw(SharedMoment& shared, const Definition& definition, ReleaseOptions options,
             const std::string& ledger_path, const std::string& dataset, unsigned threads) {
    const nb::gil_scoped_release no_gil;
    const std::scoped_lock lock(shared.mutex);
    std::unique_ptr<Ledger> ledger;
    if (!ledger_path.empty()) {
        if (options.insecure_seed) {
            throw UsageError(
                "a release with insecure_seed is not private at any budget, so no ledger can "
                "account for it; leave one of the two out");
        }
        ledger = std::make_unique<Ledger>(ledger_path);
        options.accountant = &ledger->account(dataset);
    }
    // LAPACK rounds differently with more threads; where a seed makes that visible, the same
    // release is worth more than a fast one.
    const BlasThreads bound(options.insecure_seed ? 1 : threads);
    return release(shared.moment, definition, options);
}

/// What can be refused before any row is read; returns whether the moment must keep directions.
bool check_request(const nb::object& budget, const std::string& name, const std::string& variant,
                   const std::string& neighbours) {
    const bool pure = std::holds_alternative<Epsilon>(definition_of(budget));
    const Method& method = find_method(name);
    static_cast<void>(neighbours_of(neighbours));
    if (pure && !method.pure_dp) {
        throw UsageError("method '" + name +
                         "' cannot meet pure DP, Epsilon alone; ask for Rho or ApproximateDP, or "
                         "take a method whose pure_dp is true in dpcov.methods()");
    }
    if (!pure && !method.zcdp) {
        throw UsageError("method '" + name +
                         "' meets pure DP alone; ask for Epsilon, or take a method whose zcdp is "
                         "true in dpcov.methods()");
    }
    return method.needs_directions(variant_of(variant));
}

}  // namespace

void bind_release(nb::module_& module) {
    nb::class_<Release>(module, "Release", nb::is_final())
        .def_prop_ro("covariance", &matrix_of, nb::rv_policy::automatic)
        .def_prop_ro("mean", &mean_of, nb::rv_policy::automatic)
        .def_prop_ro("record", [](const Release& release) { return format_record(release); });
    module.def("check_request", &check_request, "budget"_a, "method"_a, "variant"_a,
               "neighbours"_a);
    module.def(
        "release",
        [](SharedMoment& moment, const nb::object& budget, const std::string& method,
           const std::string& variant, const std::string& neighbours, bool center,
           std::optional<double> clip, bool full_norms, int steps, bool scaled,
           std::optional<double> norm_bound, const std::string& ledger, const std::string& dataset,
           bool unaccounted, std::optional<std::uint64_t> seed, unsigned threads) {
            Release drawn = draw(moment, definition_of(budget),
                                 options_of(method, variant, neighbours, center, clip, full_norms,
                                            steps, unaccounted, seed),
                                 ledger, dataset, threads);
            // Rows were clipped by way of the norm bound; what was asked for is another.
            drawn.norm_bound = norm_bound.value_or(drawn.norm_bound);
            return scaled ? drawn : in_table_units(std::move(drawn));
        },
        "moment"_a, "budget"_a, "method"_a, "variant"_a, "neighbours"_a, "center"_a,
        "clip"_a.none(), "full_norms"_a, "steps"_a, "scaled"_a, "norm_bound"_a.none(), "ledger"_a,
        "dataset"_a, "unaccounted"_a, "seed"_a.none(), "threads"_a);
}

}  // namespace dpcov::python
