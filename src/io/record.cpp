#include "dpcov/record.hpp"

#include <nlohmann/json.hpp>

namespace dpcov {
namespace {

using Json = nlohmann::ordered_json;

Json definition_json(const Definition& definition) {
    if (const auto* rho = std::get_if<Rho>(&definition)) {
        return {{"name", "zcdp"}, {"rho", rho->value()}};
    }
    if (const auto* epsilon = std::get_if<Epsilon>(&definition)) {
        return {{"name", "pure-dp"}, {"epsilon", epsilon->value()}};
    }
    const auto& approximate = std::get<ApproximateDp>(definition);
    return {{"name", "approx-dp"},
            {"epsilon", approximate.epsilon.value()},
            {"delta", approximate.delta.value()},
            {"rho", rho_for(approximate).value()}};
}

Json stages_json(const std::vector<Stage<Budget>>& stages) {
    Json list = Json::array();
    for (const Stage<Budget>& stage : stages) {
        Json entry = {{"name", stage.name}};
        if (const auto* rho = std::get_if<Rho>(&stage.spent)) {
            entry["rho"] = rho->value();
        } else {
            entry["epsilon"] = std::get<Epsilon>(stage.spent).value();
        }
        entry["what"] = stage.what;
        list.push_back(std::move(entry));
    }
    return list;
}

}  // namespace

std::string format_record(const Release& release, const RecordFacts& facts) {
    Json record;
    record["version"] = facts.version;
    record["method"] = release.method;
    record["variant"] = name_of(release.variant);
    record["private"] = release.secure_randomness;
    record["definition"] = definition_json(facts.definition);
    record["neighbours"] = name_of(release.neighbours);
    if (release.rows) {
        record["n"] = *release.rows;
    }
    if (release.noisy_rows) {
        record["noisy_n"] = *release.noisy_rows;
    }
    record["d"] = release.covariance.rows();
    record["norm_bound"] = facts.norm_bound;
    record["centered"] = facts.center;
    record["grid"] = release.grid;
    record["stages"] = stages_json(release.stages);
    if (release.threshold) {
        record["threshold"] = *release.threshold;
    }
    if (release.estimated_frobenius_error) {
        record["estimated_frobenius_error"] = *release.estimated_frobenius_error;
    }
    record["input"] = facts.input_kind;
    if (!facts.column_names.empty()) {
        record["columns"] = facts.column_names;
    }
    record["scale"] = facts.scale;
    if (!facts.column_scales.empty()) {
        Json& scales = record["column_scales"] = Json::object();
        for (const auto& [name, scale] : facts.column_scales) {
            scales[name] = scale;
        }
    }
    // Time grows with n.
    record["seconds"] = release.neighbours == Neighbours::replace ? Json(facts.seconds) : Json();
    return record.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace dpcov
