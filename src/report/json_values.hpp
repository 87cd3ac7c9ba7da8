// JSON with its members in the order in which they were put, and what stands in it in more than one
// place (records, release files, what the program prints): budgets, columns, vectors, matrices.
#pragma once

#include <Eigen/Core>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "dpcov/budget.hpp"
#include "dpcov/schema.hpp"

namespace dpcov::detail {

/// One that gets members starts as OrderedJson::object(): nlohmann's 3.11.2 crashes where there is
/// no memory to make an object of what was null.
using OrderedJson = nlohmann::ordered_json;

/// As it is printed and written: two spaces a level, a line's end behind it. What is no UTF-8 is
/// replaced.
[[nodiscard]] std::string json_text(const OrderedJson& json);

/// {"rho": R}, {"epsilon": E} or {"epsilon": E, "delta": D}.
[[nodiscard]] OrderedJson definition_values(const Definition& definition);
/// Before these "name": "zcdp", "pure-dp" or "approx-dp".
[[nodiscard]] OrderedJson named_definition(const Definition& definition);
[[nodiscard]] OrderedJson budget_values(const Budget& budget);

/// A list; of a matrix of its rows. What is no finite number is null.
[[nodiscard]] OrderedJson vector_values(const Eigen::VectorXd& values);
[[nodiscard]] OrderedJson matrix_values(const Eigen::MatrixXd& matrix);

/// Puts an entry into an object, where there is a value.
template <class Value>
void put_if(OrderedJson& entry, const std::string& key, const std::optional<Value>& value) {
    if (value) {
        entry[key] = *value;
    }
}

/// Puts `lower`, `upper`, `fill` and `missing` into an object, where the column has them.
void put_bounds(OrderedJson& entry, const Column& column);

}  // namespace dpcov::detail
