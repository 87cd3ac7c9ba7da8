#include "dpcov/record.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "dpcov/methods.hpp"
#include "mechanism/catalogue.hpp"
#include "report/json_values.hpp"
#include "tables/called_columns.hpp"

namespace dpcov {
namespace {

using detail::OrderedJson;

OrderedJson definition_json(const Definition& definition, Curve curve) {
    const auto* approximate = std::get_if<ApproximateDp>(&definition);
    OrderedJson json = detail::named_definition(definition);
    if (approximate != nullptr) {
        json["rho"] = rho_for(*approximate, curve).value();
        json["curve"] = name_of(curve);
    }
    return json;
}

OrderedJson stages_json(const std::vector<Stage<Budget>>& stages) {
    OrderedJson list = OrderedJson::array();
    for (const Stage<Budget>& stage : stages) {
        OrderedJson entry = {{"name", stage.name}};
        entry.update(detail::budget_values(stage.spent));
        entry["what"] = stage.what;
        list.push_back(std::move(entry));
    }
    return list;
}

OrderedJson bounds_json(const Schema& schema) {
    const std::vector<std::string> names = names_or_places(schema, schema.size());
    OrderedJson list = OrderedJson::array();
    for (std::size_t j = 0; j < schema.size(); ++j) {
        OrderedJson entry = {{"name", names[j]}};
        detail::put_bounds(entry, schema[j]);
        list.push_back(std::move(entry));
    }
    return list;
}

// One number where it is the same for all columns, else an object with the others: by name, or by
// index where two have one name.
void put_scales(OrderedJson& record, const Schema& schema) {
    const double first = schema.empty() ? 1.0 : schema.front().scale;
    const bool same = std::all_of(schema.begin(), schema.end(),
                                  [first](const Column& column) { return column.scale == first; });
    record["scale"] = same ? first : 1.0;
    if (!same) {
        std::vector<std::string> names = names_or_places(schema, schema.size());
        if (std::set<std::string>(names.begin(), names.end()).size() < names.size()) {
            names = names_or_places({}, names.size());
        }
        OrderedJson& scales = record["column_scales"] = OrderedJson::object();
        for (std::size_t j = 0; j < schema.size(); ++j) {
            scales[names[j]] = schema[j].scale;
        }
    }
}

std::string error_covers(const Release& release) {
    std::string words = "noise and estimation, for rows as clipped to the norm bound";
    // Strata in which nothing is detected are left out; what they hold, nothing has measured.
    if (detail::is_of_strata(release)) {
        words += "; not long rows that noise hides";
    }
    return words;
}

void put_quality(OrderedJson& record, const Release& release) {
    if (release.estimated_frobenius_error) {
        record["estimated_frobenius_error"] = *release.estimated_frobenius_error;
        record["error_covers"] = error_covers(release);
        detail::put_if(record, "hidden_rows_error", release.hidden_rows_error);
    } else {
        record["no_error_because"] = why_no_estimated_error(release);
    }
    if (release.estimated_frobenius_error || release.worse_than_zero) {
        record["worse_than_zero"] = release.worse_than_zero;
    }
    record["share_of_norm_bound"] = release.share_of_norm_bound;
    record["zero"] = release.zero.has_value();
    if (release.zero) {
        record["zero_because"] = word_of(zero_reason_words, *release.zero);
    }
}

void put_account(OrderedJson& record, const Release& release) {
    if (!release.dataset.empty()) {
        record["dataset"] = release.dataset;
    }
    if (release.charged) {
        record["charge"] = detail::budget_values(*release.charged);
    }
}

}  // namespace

std::string why_no_estimated_error(const Release& release) {
    if (release.zero) {
        return "the matrix is zero, and nothing tells how long the covariance is";
    }
    if (release.centered) {
        const std::string about_mean = "the covariance is about a mean; ";
        if (!release.statistics.strata.empty()) {
            return about_mean +
                   "what is derived from the release has intervals, where noise "
                   "allows them";
        }
        return about_mean + (detail::could_have_intervals(release)
                                 ? "with its noisy statistics kept, what is derived from a release "
                                   "has intervals"
                                 : "intervals are had, in variant best, of " +
                                       methods_where(&Method::has_intervals) +
                                       ", whose noisy statistics are kept");
    }
    if (release.stretch.size() > 0) {
        return "columns were stretched, and it would be the error of the stretched ones";
    }
    return "none is known for this method with these options";
}

std::string format_record(const Release& release) {
    OrderedJson record = OrderedJson::object();
    record["version"] = release.version;
    record["method"] = release.method;
    record["variant"] = name_of(release.variant);
    record["private"] = release.secure_randomness;
    record["definition"] = definition_json(release.definition, release.curve);
    if (!std::holds_alternative<Epsilon>(release.definition)) {
        record["curve"] = name_of(release.curve);
    }
    record["neighbours"] = name_of(release.neighbours);
    if (release.rows_per_person > 1) {
        record["rows_per_person"] = release.rows_per_person;
    }
    detail::put_if(record, "n", release.rows);
    detail::put_if(record, "noisy_n", release.noisy_rows);
    record["d"] = release.covariance.rows();
    if (const auto names = column_names(release.schema); !names.empty()) {
        record["columns"] = names;
    }
    record["norm_bound"] = release.norm_bound;
    if (release.origin.size() > 0) {
        record["origin"] = detail::vector_values(release.origin);
    }
    if (release.stretch.size() > 0) {
        record["stretch"] = detail::vector_values(release.stretch);
    }
    record["bounds"] = has_bounds(release.schema) ? bounds_json(release.schema) : OrderedJson();
    put_scales(record, release.schema);
    const bool mapped = std::any_of(
        release.schema.begin(), release.schema.end(),
        [](const Column& column) { return column.bounds.has_value() || column.scale != 1.0; });
    record["units"] = release.table_units || !mapped ? "table" : "mapped";
    record["centered"] = release.centered;
    if (release.mean) {
        record["mean"] = detail::vector_values(*release.mean);
    }
    record["grid"] = release.grid;
    record["stages"] = stages_json(release.stages);
    detail::put_if(record, "threshold", release.threshold);
    put_quality(record, release);
    put_account(record, release);
    return detail::json_text(record);
}

}  // namespace dpcov
