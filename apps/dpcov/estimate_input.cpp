#include "estimate_input.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <optional>
#include <system_error>

#include "add_rows.hpp"
#include "arithmetic/blas_threads.hpp"
#include "dpcov/error.hpp"
#include "dpcov/methods.hpp"
#include "early_warnings.hpp"
#include "estimate_outputs.hpp"
#include "moment_files.hpp"

namespace dpcov {
namespace {

/// The norm that rows are clipped to as they are read. To clip at the public T <= B while reading
/// is the mechanism itself, at the norm bound T.
double norm_bound_of_rows(const EstimateArguments& arguments, const Schema& schema) {
    const double norm_bound = asked_norm_bound(arguments, schema);
    const std::optional<double>& clip = arguments.options.clip;
    if (clip && *clip > norm_bound) {
        throw UsageError(fmt::format(
            "--clip {} is above the norm bound {}; it must be at most that", *clip, norm_bound));
    }
    return clip.value_or(norm_bound);
}

/// Throws UsageError where no column's bounds say what --scaled would leave alone.
void check_scaled(const EstimateArguments& arguments, bool bounded) {
    if (arguments.scaled && !bounded) {
        throw UsageError(
            "--scaled leaves columns in units in which their bounds are [-1, 1], and these columns "
            "have no bounds; leave it out");
    }
}

}  // namespace

void check_input(const EstimateArguments& arguments) {
    const TableArguments& input = arguments.table;
    refuse_compressed_moment(input.input);
    if (is_moment_path(input.input)) {
        refuse_table_options(input);
        return;
    }
    if (!input.norm_bound && input.bounds_file.empty()) {
        throw UsageError(
            "--norm-bound B, or --bounds FILE, is required. B is the longest a row may be (after "
            "scaling). It is public, so take it from what is known about the columns, not from the "
            "data; longer rows are clipped to it. Easier: --bounds with the least and greatest "
            "value of every column");
    }
    check_scaled(arguments, !input.bounds_file.empty());
}

std::string why_one_pass(const EstimateArguments& arguments) {
    const std::string& input = arguments.table.input;
    std::error_code ignored;
    if (arguments.in_parts) {
        return "ranks read their rows once";
    }
    if (is_moment_path(input)) {
        return "a .moment file holds sums, not rows";
    }
    if (input == standard_stream_word || (std::filesystem::exists(input, ignored) &&
                                          !std::filesystem::is_regular_file(input, ignored))) {
        return "INPUT is no regular file, so it can be read but once";
    }
    if (arguments.table.bounds_file.empty() || arguments.table.norm_bound || arguments.no_center) {
        return "it needs --bounds, without --norm-bound or --no-center";
    }
    return "";
}

double asked_norm_bound(const EstimateArguments& arguments, const Schema& schema) {
    return norm_bound_within(schema, arguments.table.norm_bound.value_or(0.0));
}

std::unique_ptr<TableReader> open_input(const EstimateArguments& arguments) {
    return open_table(arguments.table.input,
                      table_options(arguments.table, arguments.running.threads));
}

MomentLayout layout_of(const EstimateArguments& arguments, const TableReader& table) {
    const Method& method = find_method(arguments.options.method);
    check_names(arguments, table.schema());
    return {.columns = table.columns(),
            .norm_bound = norm_bound_of_rows(arguments, table.schema()),
            .keep_directions = method.needs_directions(arguments.options.variant),
            .dataset = arguments.dataset,
            .schema = table.schema()};
}

SecondMoment empty_moment(const EstimateArguments& arguments, const TableReader& table) {
    const Method& method = find_method(arguments.options.method);
    return SecondMoment(layout_of(arguments, table),
                        method.uses_norm_bins ? NormResolution::bins : NormResolution::octaves);
}

SecondMoment read_moment(const EstimateArguments& arguments) {
    const TableArguments& input = arguments.table;
    const Method& method = find_method(arguments.options.method);
    SecondMoment secret = SecondMoment::load(input.input);
    check_norm_bound(secret.layout(), input.norm_bound, input.input);
    check_names(arguments, secret.layout().schema);
    check_scaled(arguments, has_bounds(secret.layout().schema));
    if (method.needs_directions(arguments.options.variant) && !secret.layout().keep_directions) {
        throw UsageError(fmt::format(
            "--method {} needs directions, which {} does not keep; begin the file with 'dpcov "
            "moment add --keep-directions', or choose another method",
            arguments.options.method, input.input));
    }
    return secret;
}

SecondMoment read_rows(const EstimateArguments& arguments) {
    if (is_moment_path(arguments.table.input)) {
        return read_moment(arguments);
    }
    detail::set_blas_threads(arguments.running.threads);
    const auto table = open_input(arguments);
    if (!arguments.running.quiet) {
        std::cerr << early_warnings(arguments, *table);
    }
    Progress progress(arguments.running);
    SecondMoment secret = empty_moment(arguments, *table);
    add_rows(*table, secret, arguments.running.threads, progress, rows_shown(arguments));
    return secret;
}

}  // namespace dpcov
