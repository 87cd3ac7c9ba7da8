#include "research/published_errors.hpp"

#include <fmt/format.h>

#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace dpcov::research {

namespace {

using Table = std::map<std::string, PublishedError>;

std::string key_of(const std::string& method, const std::string& privacy, const std::string& d,
                   const std::string& n, const std::string& bins, double skew, double budget) {
    return fmt::format("{},{},{},{},{},{},{}", method, privacy, d, n, bins, skew, budget);
}

Table parse(const std::string& text) {
    Table table;
    std::istringstream lines(text);
    bool at_names = true;
    for (std::string line; std::getline(lines, line);) {
        if (line.empty() || line[0] == '#' || std::exchange(at_names, false)) {
            continue;
        }
        std::vector<std::string> fields;
        std::istringstream rest(line);
        for (std::string field; std::getline(rest, field, ',');) {
            fields.push_back(field);
        }
        const std::string key =
            key_of(fields.at(0), fields.at(1), fields.at(2), fields.at(3), fields.at(4),
                   std::stod(fields.at(5)), std::stod(fields.at(6)));
        table[key] = {.mean = std::stod(fields.at(8)),
                      .deviation = std::stod(fields.at(9)),
                      .runs = std::stoi(fields.at(7))};
    }
    return table;
}

}  // namespace

std::optional<PublishedError> published_error(const Figure& figure, const Setting& setting,
                                              const Contender& contender) {
    static const Table table = parse(published_errors_text);
    const DataSet& data = setting.data;
    if (data.source != Source::synthetic || contender.variant != Variant::published ||
        contender.steps != Contender().steps) {
        return std::nullopt;
    }
    const auto found = table.find(key_of(contender.method, figure.pure ? "pure" : "zcdp",
                                         std::to_string(data.d), std::to_string(data.n),
                                         std::to_string(data.bins), data.skew, setting.budget));
    return found == table.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace dpcov::research
