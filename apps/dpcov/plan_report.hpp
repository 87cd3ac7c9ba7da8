// What a plan says, as JSON and as text to be read.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "dpcov/budget.hpp"
#include "dpcov/plan.hpp"

namespace dpcov {

/// d, which is told or the schema's.
[[nodiscard]] inline std::size_t columns_of(const TableFacts& facts) {
    return facts.columns > 0 ? facts.columns : facts.schema.size();
}

/// The budget that was asked for, or that the wanted error takes.
struct PlannedBudget {
    Definition definition;
    std::optional<Rho> found;  ///< for the wanted error of a correlation
};

/// A plan, and what it is of.
struct PlanReport {
    TableFacts facts;
    PlanOptions options;
    PlannedBudget budget;
    Plan plan;  ///< without standard errors, where the method's releases have no intervals

    /// Whether anything was told of single columns.
    [[nodiscard]] bool columns_are_told() const {
        return !facts.deviations.empty() || !facts.means.empty();
    }
    [[nodiscard]] Eigen::Index columns() const {
        return static_cast<Eigen::Index>(columns_of(facts));
    }
    [[nodiscard]] std::vector<std::string> names() const;
    /// What a mapped distance of 1 is in the table.
    [[nodiscard]] double unit(Eigen::Index place) const;
};

/// Why releases of the method have no standard errors; empty where they have some.
[[nodiscard]] std::string why_no_standard_errors(const std::string& method);

/// What is not told is a dash in the text, and null in JSON.
[[nodiscard]] std::string plan_text(const PlanReport& report);
[[nodiscard]] std::string plan_json(const PlanReport& report);

}  // namespace dpcov
