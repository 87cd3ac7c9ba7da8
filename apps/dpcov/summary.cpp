#include "summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "definition_text.hpp"
#include "dpcov/concerns.hpp"
#include "dpcov/record.hpp"
#include "dpcov/schema.hpp"
#include "mechanism/catalogue.hpp"
#include "text/counted.hpp"
#include "text/in_quotes.hpp"
#include "text/wrapped.hpp"

namespace dpcov {
namespace {

std::string describe(const Definition& definition, Curve curve) {
    const auto* approximate = std::get_if<ApproximateDp>(&definition);
    return text_of(definition) +
           (approximate == nullptr
                ? ""
                : fmt::format(" through {}{:.6g}{}",
                              curve == Curve::gaussian ? "Gaussian noise of rho " : "",
                              rho_for(*approximate, curve).value(),
                              curve == Curve::gaussian ? "" : "-zCDP"));
}

std::string describe(const Budget& spent) {
    if (const auto* rho = std::get_if<Rho>(&spent)) {
        return fmt::format("rho {:.6g}", rho->value());
    }
    return fmt::format("epsilon {:.6g}", std::get<Epsilon>(spent).value());
}

std::string describe_rows(const Release& release) {
    if (release.rows) {
        return detail::counted(*release.rows, "row");
    }
    return release.noisy_rows ? "about " + detail::counted(*release.noisy_rows, "row")
                              : "a private number of rows";
}

std::string zero_text(ZeroReason reason, const TableReading& reading) {
    switch (reason) {
        case ZeroReason::baseline:
            return "zero, as asked for";
        case ZeroReason::undetectable:
            return "zero, and nothing was spent: with so few rows, so many columns, this norm "
                   "bound and this budget no table could show anything through the noise.";
        case ZeroReason::nothing_seen:
            break;
    }
    return std::string(
               "zero: the noise hides the matrix as a whole. Single entries show in the intervals "
               "of a saved release alone, if at all. More rows, a larger budget, fewer columns, or "
               "tighter bounds (or norm bound) would show more.") +
           (reading.takes_bad_as_zero ? " It is the same where every row is bad (--bad-rows zero), "
                                        "as by a column of text."
                                      : "");
}

std::string at_bound_text(const Release& release) {
    const std::vector<ColumnAtBound> columns = columns_at_bound(release);
    const auto [column, bound] = columns.front();
    const std::string& name = release.schema[static_cast<std::size_t>(column)].name;
    const std::string rest =
        columns.size() == 1
            ? ""
            : fmt::format(" (and {} like it)", detail::counted(columns.size() - 1, "more column"));
    const auto is_zero = [](const ColumnAtBound& at) { return at.bound == 0.0; };
    const bool all_zero = std::all_of(columns.begin(), columns.end(), is_zero);
    const bool any_zero = std::any_of(columns.begin(), columns.end(), is_zero);
    return fmt::format(
        "nearly all values of {}{} count as {:.6g}, a bound of theirs.{}{}",
        name.empty() ? fmt::format("column {}", column) : in_quotes(name), rest, bound,
        all_zero ? ""
                 : " Are the bounds in the table's unit? Values beyond a bound count as the bound.",
        any_zero ? " Is the VALUE of NAME=VALUE written as in the table, with its capitals and in "
                   "UTF-8? In a column without VALUE, text counts as the fill."
                 : "");
}

std::string great_delta_text(double delta, std::uint64_t rows) {
    return fmt::format(
        "delta {} is not below 1/n for these {} rows: a method that publishes one row whole would "
        "meet it. Take a delta far below 1/n.",
        delta, rows);
}

/// A line of the account, or more.
std::string labelled(std::string_view label, const std::string& value) {
    return fmt::format("{:<9} {}\n", label, indented(value, page_width, 10));
}

std::string words_for(Concern concern, const Release& release, const TableReading& reading) {
    switch (concern) {
        case Concern::worse_than_zero:
            return std::string(
                       "the zero matrix, which costs nothing, is estimated to err no more than "
                       "this release. More rows, a larger budget or fewer columns would help") +
                   (release.method == "auto" ? "." : "; or method auto.");
        case Concern::norm_bound_too_long: {
            const double longest = longest_row(release).value_or(release.norm_bound);
            return fmt::format(
                "no row within the bounds is longer than {:.6g}: with a norm bound of {:.6g} there "
                "is {:.3g} times the noise. Leave the norm bound out.",
                longest, release.norm_bound, std::pow(release.norm_bound / longest, 2));
        }
        case Concern::rows_at_norm_bound:
            return fmt::format(
                "the trace is {:.5g} % of the squared norm bound: nearly every row is at the "
                "bound. If rows are longer than {}, they were clipped, and the matrix is wrong by "
                "more than noise: take a larger norm bound (from public knowledge).",
                100.0 * release.share_of_norm_bound, release.norm_bound);
        case Concern::far_from_midpoints:
            return std::string(
                       "the rows are much further from the midpoints of their bounds than from "
                       "each other, and the noise is for rows that fill the bounds. Bounds that "
                       "fit better (from public knowledge) would err less") +
                   (reading.could_be_twice
                        ? "; so would, mostly, --passes 2, which reads the table "
                          "twice; means and intervals become less sharp."
                        : ".");
        case Concern::values_at_bound:
            return at_bound_text(release);
        case Concern::delta_not_small:
            return great_delta_text(std::get<ApproximateDp>(release.definition).delta.value(),
                                    release.rows.value_or(0));
        case Concern::hides_nobody:
            return fmt::format(
                "whoever knows all other rows guesses right about one {} in up to {} of "
                "cases: such a budget hides nobody.",
                release.rows_per_person == 1 ? "row" : "person",
                text_of_guess(best_guess(release.definition, release.curve)));
        case Concern::not_private:
            break;
    }
    return "made with --insecure-seed: whoever knows the seed can remove the noise. "
           "NOT PRIVATE; for tests and experiments only, never publish it.";
}

/// What was spent, a line or more for each stage.
std::string account_text(const std::vector<Stage<Budget>>& stages) {
    std::size_t spent_width = 0;
    std::size_t name_width = 0;
    for (const Stage<Budget>& stage : stages) {
        spent_width = std::max(spent_width, describe(stage.spent).size());
        name_width = std::max(name_width, stage.name.size());
    }
    std::string text;
    for (const Stage<Budget>& stage : stages) {
        const std::string label = &stage == &stages.front() ? "spent" : "";
        const std::string begin =
            fmt::format("{:<9} {:<{}}  {:<{}}  ", label, describe(stage.spent), spent_width,
                        stage.name, name_width);
        text += begin + indented(stage.what, page_width, begin.size()) + '\n';
    }
    return text;
}

/// How far off the release is, or why that is not told. Empty of the zero matrix without an error.
std::string error_text(const Release& release) {
    if (!release.estimated_frobenius_error) {
        if (release.zero) {
            return "";
        }
        const bool could_keep = release.centered && release.statistics.strata.empty() &&
                                detail::could_have_intervals(release);
        return "not estimated: " + why_no_estimated_error(release) +
               (could_keep ? " (--release FILE)" : "");
    }
    const double error = *release.estimated_frobenius_error;
    const double norm = release.covariance.norm();
    const std::string share =
        norm > 0.0 && !release.table_units
            ? fmt::format(", {:.3g} % of the released matrix's", 100.0 * error / norm)
            : "";
    return fmt::format(
        "about {:.3g} in Frobenius norm{}{}. It covers noise and estimation for rows as clipped to "
        "the norm bound, not what clipping took away{}.",
        error, share, release.table_units ? " (rows mapped to [-1, 1])" : "",
        release.hidden_rows_error
            ? fmt::format(
                  ". Where noise hides long rows, however few, it may be up to about {:.3g}",
                  *release.hidden_rows_error)
            : "");
}

}  // namespace

std::string summarise(const Release& release, const TableReading& reading) {
    std::string text;
    const auto line = [&text](std::string_view label, const std::string& value) {
        text += labelled(label, value);
    };
    line("method", fmt::format("{} ({})", release.method, name_of(release.variant)));
    line("privacy", fmt::format("{}, neighbours: {}{}", describe(release.definition, release.curve),
                                name_of(release.neighbours),
                                text_of_rows_per_person(release.rows_per_person)));
    line("table",
         describe_rows(release) + ", " +
             detail::counted(static_cast<std::uint64_t>(release.covariance.rows()), "column"));

    text += account_text(release.stages);
    if (const std::string error = error_text(release); !error.empty()) {
        line("error", error);
    }
    if (release.zero) {
        line("result", zero_text(*release.zero, reading));
    }
    const bool drawn = !release.zero || release.zero == ZeroReason::nothing_seen;
    if (drawn && release.statistics.strata.empty() && detail::could_have_intervals(release)) {
        line("intervals", "none, now or later: only --release FILE keeps what they follow from");
    }
    for (const Concern concern : concerns_of(release)) {
        text += warning_line(words_for(concern, release, reading));
    }
    return text;
}

std::string great_delta_line(double delta, std::uint64_t rows) {
    return warning_line(great_delta_text(delta, rows));
}

std::string warning_line(const std::string& text) {
    return labelled("WARNING", text);
}

}  // namespace dpcov
