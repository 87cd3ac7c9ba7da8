#include <nlohmann/json.hpp>
#include <utility>

#include "derived.hpp"
#include "report/json_values.hpp"

namespace dpcov {
namespace {

using detail::OrderedJson;

OrderedJson json_of(const VectorEstimate& values, Eigen::Index i) {
    return {{"estimate", values.estimate[i]},
            {"standard_error", values.standard_error[i]},
            {"lower", values.lower[i]},
            {"upper", values.upper[i]}};
}

OrderedJson list_of(const VectorEstimate& values) {
    OrderedJson list = OrderedJson::array();
    for (Eigen::Index i = 0; i < values.estimate.size(); ++i) {
        list.push_back(json_of(values, i));
    }
    return list;
}

// What all of them end with: why something is not known, and that it is for tests alone.
void put_notes(OrderedJson& json, const std::string& why, const Release& release) {
    if (!why.empty()) {
        json["why"] = why;
    }
    if (!release.secure_randomness) {
        json["private"] = false;
    }
}

OrderedJson json_of(const DerivedMatrix& matrix, const DerivedFrom& from) {
    const MatrixEstimate& estimate = matrix.estimate;
    OrderedJson json = {{"columns", from.names},
                        {"matrix", detail::matrix_values(estimate.matrix)},
                        {"standard_error", detail::matrix_values(estimate.standard_error)},
                        {"lower", detail::matrix_values(estimate.lower)},
                        {"upper", detail::matrix_values(estimate.upper)},
                        {"level", from.level}};
    put_notes(json, estimate.why, from.release);
    return json;
}

OrderedJson json_of(const DerivedMean& derived, const DerivedFrom& from) {
    const VectorEstimate& mean = derived.estimate;
    OrderedJson json = {{"columns", from.names},
                        {"mean", detail::vector_values(mean.estimate)},
                        {"standard_error", detail::vector_values(mean.standard_error)},
                        {"lower", detail::vector_values(mean.lower)},
                        {"upper", detail::vector_values(mean.upper)},
                        {"level", from.level}};
    put_notes(json, mean.why, from.release);
    return json;
}

OrderedJson json_of(const DerivedComponents& components, const DerivedFrom& from) {
    const PrincipalComponents& pca = components.pca;
    OrderedJson json = {{"columns", from.names},
                        {"mean", pca.mean ? detail::vector_values(*pca.mean) : OrderedJson()},
                        {"components", detail::matrix_values(pca.components)},
                        {"explained_variance", list_of(pca.explained_variance)},
                        {"explained_variance_ratio", list_of(pca.explained_variance_ratio)},
                        {"level", from.level}};
    if (pca.deviations) {
        json["deviations"] = detail::vector_values(*pca.deviations);
    }
    put_notes(json, components.why(), from.release);
    return json;
}

OrderedJson json_of(const DerivedRegression& derived, const DerivedFrom& from) {
    const Regression& regression = derived.regression;
    const bool centered = from.release.centered;
    OrderedJson coefficients = OrderedJson::array();
    for (std::size_t i = 0; i < derived.features.size(); ++i) {
        OrderedJson entry = {{"name", derived.features[i]}};
        entry.update(json_of(regression.coefficients, static_cast<Eigen::Index>(i)));
        coefficients.push_back(std::move(entry));
    }
    OrderedJson json = {
        {"target", derived.target},
        {"intercept",
         centered && regression.intercept ? OrderedJson(*regression.intercept) : OrderedJson()},
        {"coefficients", coefficients},
        {"r_squared", regression.r_squared},
        {"ridge", regression.ridge ? OrderedJson(*regression.ridge) : OrderedJson()},
        {"level", from.level}};
    if (!centered && regression.intercept) {
        json["intercept_through_midpoints"] = *regression.intercept;
    }
    if (const auto& interval = regression.intercept_interval) {
        json["intercept_interval"] = {{"standard_error", interval->standard_error},
                                      {"lower", interval->lower},
                                      {"upper", interval->upper}};
    }
    put_notes(json, regression.coefficients.why, from.release);
    return json;
}

}  // namespace

std::string derived_json(const Derived& derived, const DerivedFrom& from) {
    OrderedJson json =
        std::visit([&from](const auto& of_kind) { return json_of(of_kind, from); }, derived);
    if (from.intervals_for != IntervalsFor::table) {
        json["intervals_for"] = word_of(intervals_for_words, from.intervals_for);
        json["assumed"] = from.assumed;
    }
    return detail::json_text(json);
}

}  // namespace dpcov
