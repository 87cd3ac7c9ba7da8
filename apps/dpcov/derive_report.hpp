// What was derived from a release, as JSON and as tables to be read.
#pragma once

#include <Eigen/Core>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "dpcov/derive.hpp"
#include "dpcov/release.hpp"

namespace dpcov {

/// All forms. A number that is not known is null in JSON, a dash in the text, and nothing in CSV.
// (A move of nlohmann's ordered object may throw in principle, and allocates nothing in fact.)
// NOLINTNEXTLINE(bugprone-exception-escape)
struct DeriveReport {
    nlohmann::ordered_json json;
    std::string text;
    std::optional<Eigen::MatrixXd> matrix = {};  ///< where it may be written as one
    std::string csv = {};  ///< of what is no matrix: a line for each estimate, and one of names
};

/// `names` of all columns of the release, in order; `level` that of its intervals.
[[nodiscard]] DeriveReport covariance_report(const Release& release,
                                             const std::vector<std::string>& names, double level);
[[nodiscard]] DeriveReport correlation_report(const Release& release,
                                              const std::vector<std::string>& names, double level);
[[nodiscard]] DeriveReport mean_report(const Release& release,
                                       const std::vector<std::string>& names, double level);
/// Of the first `count` components.
[[nodiscard]] DeriveReport pca_report(const Release& release, const std::vector<std::string>& names,
                                      Eigen::Index count, double level, ComponentsOf of);
/// Of column `target` on `features`, or on all others where there are none.
[[nodiscard]] DeriveReport regression_report(const Release& release,
                                             const std::vector<std::string>& names,
                                             Eigen::Index target,
                                             const std::vector<Eigen::Index>& features,
                                             double level);

}  // namespace dpcov
