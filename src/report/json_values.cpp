#include "report/json_values.hpp"

#include <variant>
#include <vector>

namespace dpcov::detail {

std::string json_text(const OrderedJson& json) {
    return json.dump(2, ' ', false, OrderedJson::error_handler_t::replace) + '\n';
}

OrderedJson definition_values(const Definition& definition) {
    if (const auto* rho = std::get_if<Rho>(&definition)) {
        return {{"rho", rho->value()}};
    }
    if (const auto* epsilon = std::get_if<Epsilon>(&definition)) {
        return {{"epsilon", epsilon->value()}};
    }
    const auto& approximate = std::get<ApproximateDp>(definition);
    return {{"epsilon", approximate.epsilon.value()}, {"delta", approximate.delta.value()}};
}

OrderedJson named_definition(const Definition& definition) {
    OrderedJson json = {{"name", std::holds_alternative<ApproximateDp>(definition) ? "approx-dp"
                                 : std::holds_alternative<Rho>(definition)         ? "zcdp"
                                                                                   : "pure-dp"}};
    json.update(definition_values(definition));
    return json;
}

OrderedJson budget_values(const Budget& budget) {
    return std::visit([](auto part) { return definition_values(part); }, budget);
}

OrderedJson vector_values(const Eigen::VectorXd& values) {
    return std::vector<double>(values.begin(), values.end());
}

OrderedJson matrix_values(const Eigen::MatrixXd& matrix) {
    OrderedJson rows = OrderedJson::array();
    for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
        rows.push_back(vector_values(matrix.row(i)));
    }
    return rows;
}

void put_bounds(OrderedJson& entry, const Column& column) {
    if (column.bounds) {
        entry["lower"] = column.bounds->lower;
        entry["upper"] = column.bounds->upper;
    }
    put_if(entry, "fill", column.fill);
    if (!column.missing.empty()) {
        entry["missing"] = column.missing;
    }
}

}  // namespace dpcov::detail
