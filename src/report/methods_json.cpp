#include "report/methods_json.hpp"

#include "dpcov/methods.hpp"
#include "report/json_values.hpp"

namespace dpcov::detail {
namespace {

OrderedJson neighbours_of(const Method& method) {
    OrderedJson words = OrderedJson::array();
    for (const auto& [word, neighbours] : neighbours_words) {
        if (serves(method, neighbours)) {
            words.push_back(word);
        }
    }
    return words;
}

}  // namespace

std::string methods_json() {
    OrderedJson list = OrderedJson::array();
    for (const Method& method : methods()) {
        list.push_back({{"name", method.name},
                        {"zcdp", method.zcdp},
                        {"pure_dp", method.pure_dp},
                        {"neighbours", neighbours_of(method)},
                        {"needs_clip", method.needs_clip},
                        {"takes_full_norms", method.takes_full_norms},
                        {"takes_steps", method.takes_steps},
                        {"reads_twice", method.reads_twice},
                        {"has_intervals", method.has_intervals},
                        {"summary", method.summary},
                        {"source", method.source}});
    }
    return json_text(list);
}

}  // namespace dpcov::detail
