// Kinds of tables for the stress suite: what people have, and what is hard to estimate from strata
// of norms. Drawn from seeds; nothing private.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <random>
#include <string_view>
#include <vector>

#include "dpcov/budget.hpp"

namespace dpcov::research {

/// Where a table's values come from.
class Draws {
public:
    explicit Draws(std::uint64_t seed) : generator_(seed) {}

    double normal() { return normal_(generator_); }
    double uniform() { return uniform_(generator_); }
    double between(double low, double high) { return low + (high - low) * uniform(); }
    bool chance(double probability) { return uniform() < probability; }
    int count(double mean) { return std::poisson_distribution<int>(mean)(generator_); }
    Eigen::MatrixXd normals(Eigen::Index rows, Eigen::Index columns);
    std::uint64_t seed() { return generator_(); }

private:
    std::mt19937_64 generator_;
    std::normal_distribution<double> normal_;
    std::uniform_real_distribution<double> uniform_;
};

struct StressKind {
    const char* name = "";
    Eigen::Index columns = 0;
    /// d x n: a column is a row of the table, in any unit of length.
    Eigen::MatrixXd (*drawn)(Eigen::Index d, Eigen::Index n, Draws& draws) = nullptr;
    /// Of the norms: what is longer is clipped to the norm that this share of the rows is below.
    double clipped_above = 1.0;
    /// Not looked at while constants were chosen.
    bool held_back = false;
    double longest = 1.0;  ///< norm of the longest row
};

[[nodiscard]] const std::vector<StressKind>& stress_kinds();

/// The kind of that name; UsageError where there is none.
[[nodiscard]] const StressKind& stress_kind(std::string_view name);

/// Much and little: how many rows, and what is spent on them.
struct StressBudget {
    Eigen::Index rows = 0;
    Budget budget;
};

[[nodiscard]] const std::vector<StressBudget>& stress_budgets();

/// n rows of a kind as the columns of a d x n matrix, of norms up to 1 or kind.longest.
[[nodiscard]] Eigen::MatrixXd stress_table(const StressKind& kind, Eigen::Index n,
                                           std::uint64_t seed);

}  // namespace dpcov::research
