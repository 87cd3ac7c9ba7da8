#include "moment_files.hpp"

#include <fmt/format.h>

#include "dpcov/error.hpp"
#include "files/deferred_signals.hpp"
#include "tables/lower_case.hpp"

namespace dpcov {

bool is_moment_path(const std::string& path) {
    return in_lower_case(path).ends_with(".moment");
}

void refuse_compressed_moment(const std::string& path) {
    if (in_lower_case(path).ends_with(".moment.gz")) {
        throw UsageError(path + ": a .moment file is not read compressed; decompress it (gunzip)");
    }
}

void require_moment_path(const std::string& option, const std::string& path) {
    if (!is_moment_path(path)) {
        throw UsageError(option + ": '" + path + "' does not end in .moment");
    }
}

void check_norm_bound(const MomentLayout& layout, std::optional<double> norm_bound,
                      const std::string& path) {
    if (norm_bound && *norm_bound != layout.norm_bound &&
        norm_bound_within(layout.schema, *norm_bound) != layout.norm_bound) {
        throw UsageError(
            fmt::format("--norm-bound {} is not the bound {} that {} was made with; "
                        "leave it out to use the file's",
                        *norm_bound, layout.norm_bound, path));
    }
}

void save_at_last(const SecondMoment& moment, const std::string& path) {
    DeferredSignals deferred;
    moment.save(path);
    deferred.end_well_from_now_on();
}

}  // namespace dpcov
