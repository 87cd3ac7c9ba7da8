#include "tables/nearest_names.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "tables/lower_case.hpp"

namespace dpcov {

namespace {

constexpr std::size_t longest_compared = 100;

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before(b.size() + 1);  // the row before the last
    std::vector<std::size_t> last(b.size() + 1);
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        before = std::exchange(last, row);
        row[0] = i + 1;
        for (std::size_t j = 0; j < b.size(); ++j) {
            row[j + 1] = std::min({last[j] + (a[i] == b[j] ? 0 : 1), last[j + 1] + 1, row[j] + 1});
            if (i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j]) {
                row[j + 1] = std::min(row[j + 1], before[j - 1] + 1);
            }
        }
    }
    return row.back();
}

std::vector<std::size_t> nearest_names(std::string_view wanted,
                                       const std::vector<std::string>& names, std::size_t most) {
    std::vector<std::pair<std::size_t, std::size_t>> by_distance;
    by_distance.reserve(names.size());
    for (std::size_t i = 0; i < names.size(); ++i) {
        by_distance.emplace_back(
            edit_distance(wanted.substr(0, longest_compared),
                          std::string_view(names[i]).substr(0, longest_compared)),
            i);
    }
    const std::size_t listed = std::min(most, names.size());
    std::partial_sort(by_distance.begin(),
                      by_distance.begin() + static_cast<std::ptrdiff_t>(listed), by_distance.end());
    std::vector<std::size_t> nearest;
    for (std::size_t i = 0; i < listed; ++i) {
        nearest.push_back(by_distance[i].second);
    }
    return nearest;
}

std::string likely_name(std::string_view wanted, const std::vector<std::string>& names) {
    if (wanted.empty() || wanted.size() > longest_compared) {
        return {};
    }
    const std::string written = in_lower_case(wanted);
    std::vector<std::string> known;
    known.reserve(names.size());
    for (const std::string& name : names) {
        known.push_back(in_lower_case(name));
    }
    const std::vector<std::size_t> nearest = nearest_names(written, known, 1);
    if (nearest.empty()) {
        return {};
    }
    const std::size_t best = nearest.front();
    if (edit_distance(written, known[best].substr(0, longest_compared)) * 3 <= written.size()) {
        return names[best];
    }
    const auto begins = [&written](const std::string& name) { return name.starts_with(written); };
    const auto first = std::find_if(known.begin(), known.end(), begins);
    if (first != known.end() && std::none_of(first + 1, known.end(), begins)) {
        return names[static_cast<std::size_t>(first - known.begin())];
    }
    return {};
}

}  // namespace dpcov
