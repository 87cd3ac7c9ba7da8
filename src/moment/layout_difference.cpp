#include "moment/layout_difference.hpp"

#include <cstddef>
#include <string>

#include "dpcov/error.hpp"
#include "text/counted.hpp"
#include "text/in_quotes.hpp"
#include "text/number_text.hpp"

namespace dpcov {
namespace {

std::string said(const std::string& dataset) {
    return dataset.empty() ? "no named data set" : "the data set " + in_quotes(dataset);
}

std::string of_column(std::size_t j) {
    return " of column " + std::to_string(j) + " (counted from 0)";
}

// Names of columns are not told: a header that is a person's row has made them, perhaps.
std::string difference(const Schema& one, const Schema& other) {
    if (one.size() != other.size()) {
        return "has other names, bounds or scales of its columns";
    }
    for (std::size_t j = 0; j < one.size(); ++j) {
        if (one[j].name != other[j].name) {
            return "has another name" + of_column(j);
        }
        if (one[j] != other[j]) {
            return "has other bounds, another scale, another fill or other missing codes" +
                   of_column(j);
        }
    }
    return "";
}

}  // namespace

std::string difference(const MomentLayout& one, const MomentLayout& other) {
    if (one.columns != other.columns) {
        return "has " + detail::counted(one.columns, "column") + ", not " +
               std::to_string(other.columns);
    }
    if (std::string of_schema = difference(one.schema, other.schema); !of_schema.empty()) {
        return of_schema;
    }
    if (one.norm_bound != other.norm_bound) {
        return "has the norm bound " + detail::number_text(one.norm_bound) + ", not " +
               detail::number_text(other.norm_bound);
    }
    if (one.keep_directions != other.keep_directions) {
        return one.keep_directions ? "keeps directions" : "keeps no directions";
    }
    if (one.dataset != other.dataset) {
        return "is of " + said(one.dataset) + ", not of " + said(other.dataset);
    }
    if (one.origin != other.origin) {
        return "is about another origin";
    }
    return one == other ? "" : "has columns stretched otherwise";
}

void detail::require_same_layout(const MomentLayout& one, const MomentLayout& other) {
    if (const std::string what = difference(other, one); !what.empty()) {
        throw UsageError("second moments merge only if their layouts are equal; the other one " +
                         what);
    }
}

}  // namespace dpcov
