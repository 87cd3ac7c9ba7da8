#include "estimate/simplex.hpp"

#include <algorithm>
#include <functional>

namespace dpcov::detail {

SimplexProjection project_onto_simplex(const Eigen::VectorXd& values, double bound) {
    SimplexProjection projection;
    if (values.cwiseMax(0.0).sum() > bound) {
        // The shift that brings the k greatest to the sum `bound` rises with k as long as it leaves
        // the k-th above zero, and falls from there on: the greatest is the one.
        Eigen::VectorXd descending = values;
        std::sort(descending.begin(), descending.end(), std::greater<>());
        double sum = 0.0;
        for (Eigen::Index k = 0; k < descending.size(); ++k) {
            sum += descending[k];
            projection.shift =
                std::max(projection.shift, (sum - bound) / static_cast<double>(k + 1));
        }
    }
    projection.values = (values.array() - projection.shift).cwiseMax(0.0);
    return projection;
}

}  // namespace dpcov::detail
