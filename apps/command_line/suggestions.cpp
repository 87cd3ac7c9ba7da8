#include "command_line/suggestions.hpp"

#include "dpcov/error.hpp"
#include "tables/nearest_names.hpp"
#include "text/joined.hpp"

namespace dpcov {

std::string did_you_mean(std::string_view wanted, const std::vector<std::string>& names) {
    const std::string likely = likely_name(wanted, names);
    return likely.empty() ? "" : "; did you mean " + likely + "?";
}

const Method& asked_method(const std::string& name) {
    std::vector<std::string> names;
    for (const Method& method : methods()) {
        if (method.name == name) {
            return method;
        }
        names.emplace_back(method.name);
    }
    const std::string meant = did_you_mean(name, names);
    throw UsageError("--method: there is no method '" + name + "'" +
                     (meant.empty() ? "; there are " : meant + " There are ") +
                     detail::joined(names));
}

}  // namespace dpcov
