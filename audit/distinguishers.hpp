// What an attacker who knows both tables measures on a release: numbers whose law differs where
// privacy fails.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <string>
#include <vector>

#include "audit/neighbour_pairs.hpp"
#include "mechanism/mechanism.hpp"

namespace dpcov::audit {

/// The measurements for one pair of tables.
class Distinguishers {
public:
    /// `kept`: releases come with their noisy statistics, which are measured too.
    Distinguishers(const NeighbourPair& pair, bool kept);

    /// What each measurement is, in the order of observe().
    [[nodiscard]] const std::vector<std::string>& names() const noexcept { return names_; }

    /// One finite number for each name. A value that is not finite counts as -10^6.
    [[nodiscard]] Eigen::VectorXd observe(const Release& release) const;

private:
    std::vector<std::string> names_;
    bool kept_;
    Eigen::MatrixXd of_x_;  // d x d moment of either table
    Eigen::MatrixXd of_y_;  // d x d
};

/// The linear combination of measurements that tells the samples apart best (Fisher's linear
/// discriminant): what finds noise that occurs twice. Rows are measurements, columns runs.
/// Measurements that do not vary get weight 0.
[[nodiscard]] Eigen::VectorXd discriminant(const Eigen::MatrixXd& on_x,
                                           const Eigen::MatrixXd& on_y);

}  // namespace dpcov::audit
