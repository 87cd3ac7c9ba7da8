#include "regression/model_average.hpp"

#include <cmath>

namespace dpcov::detail {

ModelAverage::ModelAverage(const std::vector<RegressionPrior>& priors)
    : priors_(priors),
      sums_(Eigen::MatrixXd::Zero(priors.front().equations.size(),
                                  static_cast<Eigen::Index>(priors.size()))),
      towards_means_(Eigen::ArrayXd::Zero(sums_.cols())) {}

void ModelAverage::add(double log_weight, std::size_t prior, const Eigen::ArrayXd& coefficients,
                       double towards_means) {
    const auto column = static_cast<Eigen::Index>(prior);
    const double w = weight(log_weight);
    total_ += w;
    sums_.col(column).array() += w * coefficients;
    towards_means_[column] += w * towards_means;
}

Eigen::VectorXd ModelAverage::mean() const {
    Eigen::VectorXd sum = Eigen::VectorXd::Zero(sums_.rows());
    for (std::size_t k = 0; k < priors_.size(); ++k) {
        const auto column = static_cast<Eigen::Index>(k);
        sum += priors_[k].solved(sums_.col(column));
        if (priors_[k].prior_of_means.size() > 0) {
            sum += towards_means_[column] * priors_[k].prior_of_means;
        }
    }
    return sum / total_;
}

double ModelAverage::weight(double log_weight) {
    if (log_weight > greatest_) {
        const double less = std::exp(greatest_ - log_weight);
        total_ *= less;
        sums_ *= less;
        towards_means_ *= less;
        greatest_ = log_weight;
    }
    return std::exp(log_weight - greatest_);
}

}  // namespace dpcov::detail
