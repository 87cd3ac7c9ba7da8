// Ledgers. One is opened for each question and each charge, so that threads, processes and pickles
// share nothing but the file. Others may hold its lock for long, another thread of this process
// too: so Python's lock is not kept meanwhile.
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
#include "gil.hpp"

namespace nb = nanobind;

namespace dpcov::python {

using namespace nb::literals;

namespace {

using Statement =
    std::tuple<std::string, nb::object, std::string, std::string, std::uint64_t,
               std::optional<std::string>, double, double, std::string, std::uint32_t>;
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
            statement.left,
            statement.head,
            statement.rows_per_person};
}

}  // namespace

void bind_ledger(nb::module_& module) {
    module.def(
        "ledger_open",
        [](const std::string& path, bool create) {
            const auto if_missing = create ? Ledger::IfMissing::create : Ledger::IfMissing::refuse;
            unlocked([&] { const Ledger opened(path, if_missing); });
        },
        "path"_a, "create"_a);
    module.def(
        "ledger_declare",
        [](const std::string& path, const std::string& dataset, const nb::object& total,
           const std::string& neighbours, std::uint32_t rows_per_person) {
            const Definition definition = definition_of(total);
            const Neighbours relation = neighbours_of(neighbours);
            unlocked([&] { Ledger(path).declare(dataset, definition, relation, rows_per_person); });
        },
        "path"_a, "dataset"_a, "total"_a, "neighbours"_a, "rows_per_person"_a);
    module.def(
        "ledger_statement",
        [](const std::string& path, const std::string& dataset) {
            return tuple_of(unlocked([&] { return Ledger(path).statement(dataset); }));
        },
        "path"_a, "dataset"_a);
    module.def(
        "ledger_statements",
        [](const std::string& path) {
            const auto statements = unlocked([&] { return Ledger(path).statements(); });
            std::vector<Statement> list;
            list.reserve(statements.size());
            for (const LedgerStatement& statement : statements) {
                list.push_back(tuple_of(statement));
            }
            return list;
        },
        "path"_a);
    module.def(
        "ledger_charges",
        [](const std::string& path, const std::string& dataset) {
            const auto charges = unlocked([&] { return Ledger(path).charges(dataset); });
            std::vector<Entry> list;
            list.reserve(charges.size());
            for (const LedgerCharge& charge : charges) {
                list.emplace_back(charge.number, charge.dataset, charge.charged_at,
                                  object_of(charge.spent), charge.method, charge.variant,
                                  std::string(name_of(charge.curve)));
            }
            return list;
        },
        "path"_a, "dataset"_a);
    module.def(
        "ledger_head",
        [](const std::string& path) { return unlocked([&] { return Ledger(path).head(); }); },
        "path"_a);
    module.def(
        "ledger_holds",
        [](const std::string& path, const std::string& head) {
            return unlocked([&] { return Ledger(path).holds(head); });
        },
        "path"_a, "head"_a);
}

}  // namespace dpcov::python
