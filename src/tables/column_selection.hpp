// Which columns of a table are handed out, in which order, and how their values are mapped.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dpcov/table.hpp"
#include "tables/called_columns.hpp"

namespace dpcov {

/// TableOptions::columns, bounds, scale and column_scales, resolved against a table. "Source"
/// columns are the table's, counted from 0; "selected" columns are those handed out.
class ColumnSelection {
public:
    static constexpr std::size_t not_selected = std::numeric_limits<std::size_t>::max();
    /// More columns than this are taken for a damaged file: d x d moments would not fit anywhere.
    static constexpr std::size_t most_columns = 1'000'000;

    /// Throws UsageError unless 1 <= dimension <= most_columns.
    static void check_dimension(std::size_t dimension);

    /// `names` has one name for each of the `width` >= 1 source columns, or is empty. Without a
    /// width, which takes columns or bounds by place and no names, the table is as wide as these
    /// need, and may be wider. Throws UsageError for an unknown, ambiguous or repeated column, for
    /// bad scales and bounds, for whole numbers of which some are names and others are places, and
    /// for options that exclude each other. Where the table looks as if `perhaps_delimiter` were
    /// its delimiter, the message on a column that is not there says so.
    ColumnSelection(const std::string& table, std::optional<std::size_t> width,
                    std::vector<std::string> names, const TableOptions& options,
                    std::optional<char> perhaps_delimiter = {});

    /// Number of source columns; the least that there can be where it is not exact.
    [[nodiscard]] std::size_t width() const noexcept { return selected_of_.size(); }
    [[nodiscard]] bool width_is_exact() const noexcept { return width_is_exact_; }
    /// Number of selected columns.
    [[nodiscard]] std::size_t size() const noexcept { return sources_.size(); }

    /// What the selected columns are, one entry for each.
    [[nodiscard]] const Schema& selected() const noexcept { return selected_; }
    /// The same; empty where there is nothing to say.
    [[nodiscard]] const Schema& schema() const noexcept { return schema_; }
    /// Whether any selected column has bounds.
    [[nodiscard]] bool has_bounds() const noexcept { return has_bounds_; }

    /// Whether any selected column has a divisor other than 1.
    [[nodiscard]] bool has_divisors() const noexcept { return has_divisors_; }
    /// Whether all source columns are selected, in their order.
    [[nodiscard]] bool takes_all_in_order() const noexcept { return takes_all_in_order_; }

    /// Source column of each selected column.
    [[nodiscard]] const std::vector<std::size_t>& sources() const noexcept { return sources_; }
    /// Divisor of each selected column; 1 where there are bounds.
    [[nodiscard]] const std::vector<double>& divisors() const noexcept { return divisors_; }
    /// Selected column of each source column, or not_selected. Of one that has indicators it is
    /// size() + k, where they are entry k of indicators().
    [[nodiscard]] const std::vector<std::size_t>& selected_of() const noexcept {
        return selected_of_;
    }
    /// A selected column that is 1 where its source has the value, and else 0.
    struct Indicator {
        std::size_t selected;
        std::string value;
    };
    /// The indicators of a source column, and the selected column of its numbers, or not_selected.
    struct OfOneSource {
        std::size_t number = not_selected;
        std::vector<Indicator> indicators = {};
    };
    /// One entry for each source column that has indicators.
    [[nodiscard]] const std::vector<OfOneSource>& indicators() const noexcept {
        return indicators_;
    }

private:
    /// The columns of a table as they are called: what resolving them takes.
    struct Called {
        const std::string& table;
        const CalledColumns& columns;
        Header header = Header::undeclared;
        bool width_is_exact = false;
        std::optional<char> perhaps_delimiter = {};
    };

    /// A source column, or an indicator of it.
    using Source = std::pair<std::size_t, std::optional<std::string>>;

    /// The source columns, and the indicators, that the user calls `wanted`.
    static std::vector<Source> resolve(const std::vector<std::string>& wanted,
                                       const Called& called);
    static Source resolve(const std::string& wanted, const Called& called);

    void select(const std::vector<std::string>& wanted, const std::vector<Source>& sources,
                const Called& called);
    void name(const std::vector<Source>& sources, const TableOptions& options,
              const Called& called);
    [[nodiscard]] std::vector<double> divisors(const std::vector<Source>& sources,
                                               const TableOptions& options,
                                               const Called& called) const;

    bool width_is_exact_;
    bool has_bounds_ = false;
    bool has_divisors_ = false;
    bool takes_all_in_order_ = false;
    std::vector<std::size_t> sources_;
    std::vector<double> divisors_;
    std::vector<std::size_t> selected_of_;
    std::vector<OfOneSource> indicators_;
    Schema selected_;
    Schema schema_;
};

}  // namespace dpcov
