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
using Planned = std::tuple<double, Told, Told, Told, double, double, bool,
                           std::vector<std::pair<std::string, double>>>;

TableFacts facts_of(std::uint64_t rows, std::size_t columns, double norm_bound,
                    const std::vector<std::pair<std::string, Pair>>& bounds,
                    std::optional<double> spread) {
    TableFacts facts{.rows = rows, .columns = columns, .norm_bound = norm_bound, .spread = spread};
    for (const auto& [name, pair] : bounds) {
        facts.schema.push_back(
            {.name = name, .bounds = ColumnBounds{.lower = pair.first, .upper = pair.second}});
    }
    return facts;
}

PlanOptions plan_options(const std::string& method, const std::string& neighbours, bool center) {
    return {.method = method,
            .neighbours = neighbours_of(neighbours),
            .center = center,
            .check_interrupt = SignalCheck()};
}

}  // namespace

void bind_plan(nb::module_& module) {
    module.def(
        "plan",
        [](std::uint64_t rows, std::size_t columns, double norm_bound,
           const std::vector<std::pair<std::string, Pair>>& bounds, std::optional<double> spread,
           const nb::object& budget, const std::string& method, const std::string& neighbours,
           bool center) -> Planned {
            const TableFacts facts = facts_of(rows, columns, norm_bound, bounds, spread);
            const Definition definition = definition_of(budget);
            const PlanOptions options = plan_options(method, neighbours, center);
            const WithoutGil no_gil;
            const Plan planned = plan(facts, definition, options);
            std::vector<std::pair<std::string, double>> errors;
            for (const ExpectedError& expected : planned.methods) {
                errors.emplace_back(expected.method, expected.error);
            }
            return {planned.correlation_error, planned.covariance_error, planned.variance_error,
                    planned.mean_error,        planned.frobenius_error,  planned.frobenius_norm,
                    planned.nothing_seen,      std::move(errors)};
        },
        "rows"_a, "columns"_a, "norm_bound"_a, "bounds"_a, "spread"_a, "budget"_a, "method"_a,
        "neighbours"_a, "center"_a);
    module.def(
        "plan_budget",
        [](std::uint64_t rows, std::size_t columns, double norm_bound,
           const std::vector<std::pair<std::string, Pair>>& bounds, std::optional<double> spread,
           double error, bool pure, const std::string& method, const std::string& neighbours,
           bool center) -> nb::object {
            const TableFacts facts = facts_of(rows, columns, norm_bound, bounds, spread);
            const PlanOptions options = plan_options(method, neighbours, center);
            const Budget found = [&] {
                const WithoutGil no_gil;
                return budget_for_correlation_error(facts, error, pure, options);
            }();
            return std::visit([](const auto& amount) { return nb::cast(amount); }, found);
        },
        "rows"_a, "columns"_a, "norm_bound"_a, "bounds"_a, "spread"_a, "error"_a, "pure"_a,
        "method"_a, "neighbours"_a, "center"_a);
}

}  // namespace dpcov::python
