#include "estimate/sum_of_logs.hpp"

namespace dpcov::detail {

double sum_of_logs(const Eigen::ArrayXd& numbers) {
    const Eigen::Index part = numbers.size() / 4;
    const auto quarter = [&](Eigen::Index k) { return numbers.segment(k * part, part); };
    return (quarter(0) * quarter(1) * quarter(2) * quarter(3)).log().sum() +
           numbers.tail(numbers.size() - 4 * part).log().sum();
}

}  // namespace dpcov::detail
