// Ledgers. One is opened for each question and each charge, so that threads, processes and pickles
// share nothing but the file.
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "bindings.hpp"
#include "definitions.hpp"
#include "dpcov/ledger.hpp"

namespace nb = nanobind;

namespace dpcov::python {

using namespace nb::literals;

namespace {

using Statement = std::tuple<std::string, nb::object, std::string, std::string, std::uint64_t,
                             std::optional<std::string>, double, double>;
using Entry = std::tuple<std::int64_t, std::string, std::string, nb::object, std::string,
                         std::string, std::string>;

nb::object object_of(const Budget& budget) {
    return std::visit([](const auto& amount) { return nb::cast(amount); }, budget);
}

Statement tuple_of(const LedgerStatement& statement) {
    std::optional<std::string> curve;
    if (statement.curve) {
        curve = std::string(name_of(*statement.curve));
    }
    return {statement.dataset,
            std::visit([](const auto& total) { return nb::cast(total); }, statement.total),
            std::string(name_of(statement.neighbours)),
            statement.declared_at,
            statement.releases,
            curve,
            statement.spent,
            statement.left};
}

}  // namespace

void bind_ledger(nb::module_& module) {
    module.def(
        "ledger_open",
        [](const std::string& path, bool create) { const Ledger opened(path, create); }, "path"_a,
        "create"_a);
    module.def(
        "ledger_declare",
        [](const std::string& path, const std::string& dataset, const nb::object& total,
           const std::string& neighbours) {
            Ledger(path).declare(dataset, definition_of(total), neighbours_of(neighbours));
        },
        "path"_a, "dataset"_a, "total"_a, "neighbours"_a);
    module.def(
        "ledger_statement",
        [](const std::string& path, const std::string& dataset) {
            return tuple_of(Ledger(path).statement(dataset));
        },
        "path"_a, "dataset"_a);
    module.def(
        "ledger_statements",
        [](const std::string& path) {
            std::vector<Statement> list;
            for (const LedgerStatement& statement : Ledger(path).statements()) {
                list.push_back(tuple_of(statement));
            }
            return list;
        },
        "path"_a);
    module.def(
        "ledger_charges",
        [](const std::string& path, const std::string& dataset) {
            std::vector<Entry> list;
            for (const LedgerCharge& charge : Ledger(path).charges(dataset)) {
                list.emplace_back(charge.id, charge.dataset, charge.charged_at,
                                  object_of(charge.spent), charge.method, charge.variant,
                                  std::string(name_of(charge.curve)));
            }
            return list;
        },
        "path"_a, "dataset"_a);
    module.def(
        "ledger_head", [](const std::string& path) { return Ledger(path).head(); }, "path"_a);
    module.def(
        "ledger_holds",
        [](const std::string& path, const std::string& head) { return Ledger(path).holds(head); },
        "path"_a, "head"_a);
}

}  // namespace dpcov::python
