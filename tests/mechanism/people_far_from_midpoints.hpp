// A small table of people whose values are far from the midpoints of their bounds, and what is true
// of it.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <utility>
#include <vector>

#include "dpcov/schema.hpp"
#include "dpcov/second_moment.hpp"

namespace dpcov::test {

class PeopleFarFromMidpoints {
public:
    static constexpr Eigen::Index columns = 3;

    explicit PeopleFarFromMidpoints(Eigen::Index n) : rows_(n, columns) {
        for (Eigen::Index i = 0; i < n; ++i) {
            const double phase = static_cast<double>(i);
            rows_.row(i) << 80.0 + 5.0 * std::sin(phase), 900.0 * (1.0 + std::cos(3.0 * phase)),
                8.0 + 3.0 * std::sin(phase) + std::cos(2.0 * phase);
        }
    }

    [[nodiscard]] static Schema schema() {
        return {{.name = "age", .bounds = {{0, 100}}, .fill = 40.0},
                {.name = "gain", .bounds = {{0, 1e5}}},
                {.name = "hours", .bounds = {{0, 80}}}};
    }
    [[nodiscard]] static Eigen::VectorXd half_ranges() { return Eigen::Vector3d(50.0, 5e4, 40.0); }

    [[nodiscard]] const Eigen::MatrixXd& rows() const { return rows_; }
    [[nodiscard]] Eigen::VectorXd mean() const { return rows_.colwise().mean(); }
    [[nodiscard]] Eigen::MatrixXd covariance() const {
        const Eigen::MatrixXd centred = rows_.rowwise() - rows_.colwise().mean();
        return centred.transpose() * centred / static_cast<double>(rows_.rows());
    }
    /// Of a covariance in the table's units, with columns in half-ranges.
    [[nodiscard]] double error_of(const Eigen::MatrixXd& estimate) const {
        const Eigen::VectorXd units = half_ranges().cwiseInverse();
        return (units.asDiagonal() * (estimate - covariance()) * units.asDiagonal()).norm();
    }
    /// Of the rows about some point, stretched.
    [[nodiscard]] SecondMoment moment(std::vector<double> origin = {},
                                      std::vector<double> stretch = {}) const {
        SecondMoment moment(
            {.schema = schema(), .origin = std::move(origin), .stretch = std::move(stretch)});
        moment.add(rows_);
        return moment;
    }

private:
    Eigen::MatrixXd rows_;
};

using People = PeopleFarFromMidpoints;

}  // namespace dpcov::test
