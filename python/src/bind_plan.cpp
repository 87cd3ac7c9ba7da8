// Plans: from public facts alone.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "bindings.hpp"
#include "definitions.hpp"
#include "dpcov/plan.hpp"
#include "gil.hpp"
#include "part.hpp"

namespace nb = nanobind;

namespace dpcov::python {

using namespace nb::literals;

namespace {

using Pair = std::pair<double, double>;
using Told = std::optional<double>;
using Bounds = std::vector<std::pair<std::string, Pair>>;
// Correlation, covariance, variance, mean, estimated correlation, whole matrix, what zero errs by,
// nothing seen, delta not small.
using Typical = std::tuple<double, Told, Told, Told, double, double, double, bool, bool>;
// Method, error of the whole matrix, standard error of a correlation.
using ByMethod = std::tuple<std::string, double, Told>;
using Planned = std::tuple<Typical, std::vector<ByMethod>, Matrix, Matrix, Vector>;
// Rows, columns, norm bound, bounds, spread, deviations, means; and method, neighbours, rows per
// person, center, passes.
using Facts = std::tuple<std::uint64_t, std::size_t, double, Bounds, Told, std::vector<Told>,
                         std::vector<Told>>;
using Asked = std::tuple<std::string, std::string, std::uint32_t, bool, int>;

TableFacts facts_of(const Facts& told) {
    const auto& [rows, columns, norm_bound, bounds, spread, deviations, means] = told;
    TableFacts facts{.rows = rows,
                     .columns = columns,
                     .norm_bound = norm_bound,
                     .spread = spread,
                     .deviations = deviations,
                     .means = means};
    for (const auto& [name, pair] : bounds) {
        facts.schema.push_back(
            {.name = name, .bounds = ColumnBounds{.lower = pair.first, .upper = pair.second}});
    }
    return facts;
}

PlanOptions options_of(const Asked& asked) {
    const auto& [method, neighbours, rows_per_person, center, passes] = asked;
    return {.method = method,
            .neighbours = neighbours_of(neighbours),
            .rows_per_person = rows_per_person,
            .center = center,
            .passes = passes,
            .check_interrupt = SignalCheck()};
}

}  // namespace

void bind_plan(nb::module_& module) {
    module.def(
        "plan",
        [](const Facts& told, const nb::object& budget, const Asked& asked) -> Planned {
            const TableFacts facts = facts_of(told);
            const Definition definition = definition_of(budget);
            const PlanOptions options = options_of(asked);
            const Plan planned = [&] {
                const WithoutGil no_gil;
                return plan(facts, definition, options);
            }();
            std::vector<ByMethod> errors;
            for (const ExpectedError& expected : planned.methods) {
                errors.emplace_back(expected.method, expected.error, expected.correlation_error);
            }
            return {
                {planned.correlation_error, planned.covariance_error, planned.variance_error,
                 planned.mean_error, planned.estimated_correlation_error, planned.frobenius_error,
                 planned.frobenius_error_of_zero, planned.nothing_seen, planned.delta_not_small},
                errors,
                array_of(planned.correlation_errors),
                array_of(planned.covariance_errors),
                array_of(planned.mean_errors)};
        },
        "facts"_a, "budget"_a, "asked"_a);
    module.def(
        "plan_budget",
        [](const Facts& told, double error, bool pure, const Asked& asked) -> nb::object {
            const TableFacts facts = facts_of(told);
            const PlanOptions options = options_of(asked);
            const auto without_gil = [&](auto find) {
                const WithoutGil no_gil;
                return find(facts, error, options);
            };
            return pure ? nb::cast(without_gil(epsilon_for_correlation_error))
                        : nb::cast(without_gil(rho_for_correlation_error));
        },
        "facts"_a, "error"_a, "pure"_a, "asked"_a);
}

}  // namespace dpcov::python
