#include "report/release_facts.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "dpcov/error.hpp"
#include "dpcov/limits.hpp"
#include "report/json_values.hpp"
#include "text/in_quotes.hpp"

namespace dpcov::detail {
namespace {

// A greater one is from a later version of dpcov that this one cannot read.
constexpr int newest = first_with_rows_per_person;

OrderedJson schema_facts(const Schema& schema) {
    OrderedJson list = OrderedJson::array();
    for (const Column& column : schema) {
        OrderedJson entry = {{"name", column.name}, {"scale", column.scale}};
        put_bounds(entry, column);
        list.push_back(std::move(entry));
    }
    return list;
}

// Reads the members of an object. What is missing or of another kind throws DataError.
class FactsReader {
public:
    /// `json` must outlive it: a copy would recurse as deep as a foreign file nests.
    FactsReader(std::string name, const OrderedJson& json) : name_(std::move(name)), json_(&json) {
        if (!json_->is_object()) {
            refuse("is no object");
        }
    }

    [[nodiscard]] bool has(const char* key) const { return json_->contains(key); }

    [[nodiscard]] double number(const char* key) const {
        return value<double>(key, &OrderedJson::is_number);
    }
    [[nodiscard]] std::uint64_t count(const char* key) const {
        return value<std::uint64_t>(key, &OrderedJson::is_number_unsigned);
    }
    [[nodiscard]] bool truth(const char* key) const {
        return value<bool>(key, &OrderedJson::is_boolean);
    }
    [[nodiscard]] std::string text(const char* key) const {
        return value<std::string>(key, &OrderedJson::is_string);
    }
    template <class Enum, std::size_t Count>
    [[nodiscard]] Enum word(const char* key, const Words<Enum, Count>& words) const {
        const std::optional<Enum> value = value_of(words, text(key));
        if (!value) {
            refuse_value(key);
        }
        return *value;
    }
    [[nodiscard]] FactsReader object(const char* key) const { return {name_, at(key)}; }
    [[nodiscard]] std::vector<FactsReader> list(const char* key) const {
        const OrderedJson& value = at(key);
        if (!value.is_array()) {
            refuse_value(key);
        }
        std::vector<FactsReader> all;
        for (const OrderedJson& entry : value) {
            all.emplace_back(name_, entry);
        }
        return all;
    }

    /// None where there is no such list.
    [[nodiscard]] std::vector<double> numbers_if(const char* key) const {
        std::vector<double> all;
        if (!has(key)) {
            return all;
        }
        const OrderedJson& value = at(key);
        if (!value.is_array() ||
            !std::all_of(value.begin(), value.end(),
                         [](const OrderedJson& entry) { return entry.is_number(); })) {
            refuse_value(key);
        }
        for (const OrderedJson& entry : value) {
            all.push_back(entry.get<double>());
        }
        return all;
    }
    [[nodiscard]] std::optional<double> number_if(const char* key) const {
        return has(key) ? std::optional(number(key)) : std::nullopt;
    }
    [[nodiscard]] std::optional<std::uint64_t> count_if(const char* key) const {
        return has(key) ? std::optional(count(key)) : std::nullopt;
    }

    [[noreturn]] void refuse(const std::string& what) const {
        throw DataError(name_ + ": release.json " + what);
    }

private:
    template <class Value>
    [[nodiscard]] Value value(const char* key, bool (OrderedJson::*is_of_kind)() const) const {
        const OrderedJson& found = at(key);
        if (!(found.*is_of_kind)()) {
            refuse_value(key);
        }
        return found.get<Value>();
    }
    [[nodiscard]] const OrderedJson& at(const char* key) const {
        const auto found = json_->find(key);
        if (found == json_->end()) {
            refuse("has no " + in_quotes(key));
        }
        return *found;
    }
    [[noreturn]] void refuse_value(const char* key) const {
        refuse("has something else for " + in_quotes(key));
    }

    std::string name_;
    const OrderedJson* json_;
};

Budget budget_of(const FactsReader& facts) {
    return facts.has("rho") ? Budget(Rho(facts.number("rho")))
                            : Budget(Epsilon(facts.number("epsilon")));
}

Definition definition_of(const FactsReader& facts) {
    if (facts.has("delta")) {
        return ApproximateDp{Epsilon(facts.number("epsilon")), Delta(facts.number("delta"))};
    }
    return std::visit([](auto budget) { return Definition(budget); }, budget_of(facts));
}

Schema schema_of(const std::vector<FactsReader>& list) {
    Schema schema;
    for (const FactsReader& entry : list) {
        Column column{.name = entry.text("name"), .scale = entry.number("scale")};
        if (entry.has("lower")) {
            column.bounds = {.lower = entry.number("lower"), .upper = entry.number("upper")};
        }
        column.fill = entry.number_if("fill");
        column.missing = entry.numbers_if("missing");
        schema.push_back(std::move(column));
    }
    return schema;
}

constexpr auto noise_words =
    words_of<NoiseShape>({{"gaussian", NoiseShape::gaussian}, {"wishart", NoiseShape::wishart}});

}  // namespace

int version_of(const Release& release) {
    return release.rows_per_person > 1  ? first_with_rows_per_person
           : release.stretch.size() > 0 ? first_with_stretch
           : release.origin.size() > 0  ? first_with_origin
                                        : 1;
}

std::string facts_json(const Release& release) {
    OrderedJson facts = OrderedJson::object();
    facts["format"] = "dpcov release";
    facts["format_version"] = version_of(release);
    facts["version"] = release.version;
    facts["method"] = release.method;
    facts["variant"] = name_of(release.variant);
    facts["private"] = release.secure_randomness;
    facts["definition"] = definition_values(release.definition);
    facts["curve"] = name_of(release.curve);
    facts["neighbours"] = name_of(release.neighbours);
    if (release.rows_per_person > 1) {
        facts["rows_per_person"] = release.rows_per_person;
    }
    facts["centered"] = release.centered;
    facts["table_units"] = release.table_units;
    facts["norm_bound"] = release.norm_bound;
    facts["columns"] = schema_facts(release.schema);
    facts["dataset"] = release.dataset;
    if (release.charged) {
        facts["charged"] = budget_values(*release.charged);
    }
    OrderedJson& stages = facts["stages"] = OrderedJson::array();
    for (const Stage<Budget>& stage : release.stages) {
        stages.push_back(
            {{"name", stage.name}, {"spent", budget_values(stage.spent)}, {"what", stage.what}});
    }
    put_if(facts, "rows", release.rows);
    put_if(facts, "noisy_rows", release.noisy_rows);
    facts["grid"] = release.grid;
    put_if(facts, "threshold", release.threshold);
    put_if(facts, "estimated_frobenius_error", release.estimated_frobenius_error);
    put_if(facts, "hidden_rows_error", release.hidden_rows_error);
    facts["worse_than_zero"] = release.worse_than_zero;
    facts["share_of_norm_bound"] = release.share_of_norm_bound;
    if (release.zero) {
        facts["zero"] = word_of(zero_reason_words, *release.zero);
    }
    const Statistics& statistics = release.statistics;
    facts["statistics"] = {{"noise", word_of(noise_words, statistics.noise)},
                           {"rows", statistics.rows},
                           {"rows_deviation", statistics.rows_deviation},
                           {"counted_with_strata", statistics.counted_with_strata},
                           {"complete", statistics.complete},
                           {"mean_noise_scale", statistics.mean_noise_scale}};
    if (statistics.norms) {
        facts["statistics"]["norms_deviation"] = statistics.norms->deviation;
    }
    return json_text(facts);
}

VersionedFacts release_of_facts(const std::string& name, std::string_view json) {
    OrderedJson parsed = OrderedJson::parse(json, nullptr, false);
    if (parsed.is_discarded()) {
        throw DataError(name + ": release.json is no JSON");
    }
    const FactsReader facts(name, parsed);
    if (facts.text("format") != "dpcov release") {
        facts.refuse("is of something else");
    }
    const std::uint64_t version = facts.count("format_version");
    if (version < 1) {
        facts.refuse("has a format_version that there never was");
    }
    if (version > newest) {
        throw LaterVersion(name + " was saved by a later version of dpcov; use that");
    }
    Release release;
    release.version = facts.text("version");
    release.method = facts.text("method");
    release.variant = facts.word("variant", variant_words);
    release.secure_randomness = facts.truth("private");
    release.definition = definition_of(facts.object("definition"));
    release.curve = facts.word("curve", curve_words);
    release.neighbours = facts.word("neighbours", neighbours_words);
    if (version >= first_with_rows_per_person) {
        const std::uint64_t rows = facts.count("rows_per_person");
        if (rows < 1 || rows > limits::rows_per_person) {
            facts.refuse("has a rows_per_person that no release has");
        }
        release.rows_per_person = static_cast<std::uint32_t>(rows);
    }
    release.centered = facts.truth("centered");
    release.table_units = facts.truth("table_units");
    release.norm_bound = facts.number("norm_bound");
    release.schema = schema_of(facts.list("columns"));
    release.dataset = facts.text("dataset");
    if (facts.has("charged")) {
        release.charged = budget_of(facts.object("charged"));
    }
    for (const FactsReader& stage : facts.list("stages")) {
        release.stages.push_back(
            {stage.text("name"), budget_of(stage.object("spent")), stage.text("what")});
    }
    release.rows = facts.count_if("rows");
    release.noisy_rows = facts.count_if("noisy_rows");
    release.grid = facts.number("grid");
    release.threshold = facts.number_if("threshold");
    release.estimated_frobenius_error = facts.number_if("estimated_frobenius_error");
    release.hidden_rows_error = facts.number_if("hidden_rows_error");
    release.worse_than_zero = facts.truth("worse_than_zero");
    release.share_of_norm_bound = facts.number("share_of_norm_bound");
    if (facts.has("zero")) {
        release.zero = facts.word("zero", zero_reason_words);
    }
    const FactsReader statistics = facts.object("statistics");
    release.statistics = {.noise = statistics.word("noise", noise_words),
                          .rows = statistics.number("rows"),
                          .rows_deviation = statistics.number("rows_deviation"),
                          .counted_with_strata = statistics.truth("counted_with_strata"),
                          .complete = statistics.truth("complete"),
                          .mean_noise_scale = statistics.number("mean_noise_scale")};
    if (const auto deviation = statistics.number_if("norms_deviation")) {
        release.statistics.norms = NoisyHistogram{.deviation = *deviation};
    }
    return {.release = std::move(release), .version = static_cast<int>(version)};
}

}  // namespace dpcov::detail
