#include "dpcov/second_moment.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <future>
#include <string>
#include <utility>
#include <vector>

#include "arithmetic/huge_pages.hpp"
#include "arithmetic/row_grid.hpp"
#include "dpcov/error.hpp"
#include "dpcov/table.hpp"
#include "moment/layout_difference.hpp"
#include "moment/memory_need.hpp"
#include "moment/moved_rows.hpp"
#include "moment/secret_door.hpp"
#include "moment/secret_moment.hpp"
#include "tables/quotient.hpp"
#include "tables/sparse_block.hpp"
#include "tables/value_problem.hpp"
#include "text/in_quotes.hpp"

namespace dpcov {
namespace {

constexpr std::size_t most_block_rows = 8192;

// The values that are taken from others: the numbers of columns, and the norm bound.
MomentLayout completed(MomentLayout layout) {
    check_schema(layout.schema);
    if (layout.columns == 0) {
        layout.columns = layout.schema.size();
    }
    if (!layout.schema.empty() && layout.schema.size() != layout.columns) {
        throw UsageError("the schema has " + std::to_string(layout.schema.size()) +
                         " columns, not " + std::to_string(layout.columns));
    }
    detail::check_movement(layout);
    if (layout.norm_bound == 0.0) {
        layout.norm_bound =
            implied_norm_bound(layout.schema, layout.origin, layout.stretch).value_or(0.0);
    }
    layout.schema = without_defaults(std::move(layout.schema));
    const auto forget_if_all = [](std::vector<double>& values, double nothing) {
        if (std::all_of(values.begin(), values.end(),
                        [nothing](double value) { return value == nothing; })) {
            values.clear();
        }
    };
    forget_if_all(layout.origin, 0.0);
    forget_if_all(layout.stretch, 1.0);
    return layout;
}

bool maps_values(const MomentLayout& layout) {
    return detail::moves_rows(layout) ||
           std::any_of(layout.schema.begin(), layout.schema.end(),
                       [](const Column& column) { return column.bounds || column.scale != 1.0; });
}

// Of a row, counted from 1, the value of column j, which cannot be mapped.
[[noreturn]] void refuse(std::uint64_t row, const Schema& schema, std::size_t j, double value) {
    throw DataError("row " + std::to_string(row) + ", column " + std::to_string(j) +
                        (schema[j].name.empty() ? "" : " " + in_quotes(schema[j].name)) +
                        " (counted from 0) is missing or not finite; "
                        "correct the row, or give the column bounds and a fill",
                    detail::value_problem(schema[j], value).value_or(DataProblem::other),
                    {.row = row, .column = j, .column_name = schema[j].name});
}

[[noreturn]] void refuse(std::uint64_t row, const Schema& schema, std::span<const double> values) {
    std::size_t j = 0;
    while (j + 1 < values.size() && !detail::value_problem(schema[j], values[j])) {
        ++j;
    }
    refuse(row, schema, j, values[j]);
}

std::vector<double> mapped(std::span<const double> rows, const MomentLayout& layout) {
    std::vector<double> values(rows.begin(), rows.end());
    const Schema& schema = layout.schema;
    for (std::size_t first = 0; !schema.empty() && first < values.size(); first += schema.size()) {
        if (!map_row(schema, std::span(values).subspan(first, schema.size()))) {
            refuse(first / schema.size() + 1, schema, rows.subspan(first, schema.size()));
        }
    }
    detail::move_rows(layout, values);
    return values;
}

void check_rows(std::span<const SparseRow> rows, std::size_t columns) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto& [places, values] = rows[i];
        const bool ascending = std::adjacent_find(places.begin(), places.end(),
                                                  std::greater_equal<>()) == places.end();
        if (places.size() != values.size() || !ascending ||
            (!places.empty() && places.back() >= columns)) {
            throw UsageError("sparse row " + std::to_string(i + 1) +
                             ": its columns do not ascend, are not as many as its values, or are "
                             "none of the " +
                             std::to_string(columns));
        }
    }
}

/// The rows, and the memory of their values.
struct ScaledRows {
    std::vector<double> values;
    std::vector<SparseRow> rows;
};

/// Zeros stay zeros where there are no bounds.
ScaledRows scaled(std::span<const SparseRow> rows, const Schema& schema) {
    ScaledRows result;
    std::size_t entries = 0;
    for (const SparseRow& row : rows) {
        entries += row.values.size();
    }
    result.values.reserve(entries);
    for (const SparseRow& row : rows) {
        const std::size_t first = result.values.size();
        for (std::size_t k = 0; k < row.columns.size(); ++k) {
            const Column& column = schema[row.columns[k]];
            if (detail::value_problem(column, row.values[k])) {
                refuse(result.rows.size() + 1, schema, row.columns[k], row.values[k]);
            }
            result.values.push_back(detail::quotient(row.values[k], column.scale));
        }
        result.rows.push_back(
            {.columns = row.columns, .values = std::span(result.values).subspan(first)});
    }
    return result;
}

std::vector<double> written_out(std::span<const SparseRow> rows, std::size_t columns) {
    std::vector<double> values(rows.size() * columns);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        for (std::size_t k = 0; k < rows[i].columns.size(); ++k) {
            values[i * columns + rows[i].columns[k]] = rows[i].values[k];
        }
    }
    return values;
}

std::size_t rows_of_block(std::size_t columns, std::size_t bytes_of_value) {
    return std::clamp(detail::read_block_bytes / (columns * bytes_of_value), std::size_t{1},
                      most_block_rows);
}

/// What a reader says that it read.
std::size_t at_most(std::size_t most, std::size_t rows) {
    if (rows > most) {
        throw UsageError("the table's reader says that it read more rows than it could");
    }
    return rows;
}

/// Reads blocks by `read`, which says how many rows there were, and adds what `rows_of` says they
/// are, one block while the next is read.
template <class Block, class Read, class RowsOf>
void read_blocks(detail::SecretMoment& secret, unsigned threads, Block block, const Read& read,
                 const RowsOf& rows_of, const std::function<void(std::uint64_t)>& on_rows) {
    Block next_block = block;
    std::size_t rows = 0;
    // Where no thread is to be had, a block is read when it is asked for.
    const auto read_next = [&] {
        return std::async(std::launch::async | std::launch::deferred,
                          [&] { return read(next_block); });
    };
    std::future<std::size_t> ahead = read_next();
    secret.add_all(
        [&] {
            if (rows > 0 && on_rows) {
                on_rows(rows);
            }
            rows = ahead.get();  // rethrows what reading threw
            std::swap(block, next_block);
            if (rows > 0) {
                ahead = read_next();
            }
            return rows_of(block, rows);
        },
        threads);
}

/// Other readers than the library's may give what is beyond the bounds. That no value is, where all
/// have bounds, is what sums of squares rest on (docs/privacy.md#within-bounds).
void keep_to_bounds(const Schema& schema, std::span<double> values) {
    if (!implied_norm_bound(schema)) {
        return;
    }
    for (double& value : values) {
        value = value < -1.0 ? -1.0 : value > 1.0 ? 1.0 : value;  // NaN stays
    }
}

/// Abandons a table's reader unless all of its rows went in.
class AllRowsOrAbandoned {
public:
    explicit AllRowsOrAbandoned(TableReader& table) : table_(&table) {}
    ~AllRowsOrAbandoned() {
        if (table_ != nullptr) {
            table_->abandon();
        }
    }
    AllRowsOrAbandoned(const AllRowsOrAbandoned&) = delete;
    AllRowsOrAbandoned& operator=(const AllRowsOrAbandoned&) = delete;

    void all_are_in() noexcept { table_ = nullptr; }

private:
    TableReader* table_;
};

void read_all(detail::SecretMoment& secret, TableReader& table, unsigned threads,
              const std::function<void(std::uint64_t)>& on_rows) {
    const std::size_t columns = secret.layout().columns;
    const MomentLayout& layout = secret.layout();
    auto* const sparse = dynamic_cast<SparseReader*>(&table);
    // What depends on rows neither in memory nor in identity comes before them, and without them.
    if (sparse != nullptr && sparse->keeps_zeros() && !detail::moves_rows(layout) &&
        !has_bounds(layout.schema)) {
        secret.add_sparse({}, threads);
        constexpr std::size_t bytes_of_entry = sizeof(double) + sizeof(std::uint32_t);
        const std::size_t most = rows_of_block(columns, bytes_of_entry);
        read_blocks(
            secret, threads, SparseBlock(most, columns),
            [sparse, most](SparseBlock& block) {
                return at_most(most, sparse->read_sparse(block));
            },
            [columns](SparseBlock& block, std::size_t rows) {
                return detail::RowBlock(block.rows(rows), columns);
            },
            on_rows);
        return;
    }
    secret.add({}, threads);
    const std::size_t most = rows_of_block(columns, sizeof(double));
    read_blocks(
        secret, threads, detail::HugePageVector<double>(most * columns),
        [&table, &layout, columns, most](detail::HugePageVector<double>& block) {
            const std::size_t rows = at_most(most, table.read(block));
            const std::span<double> values = std::span(block).first(rows * columns);
            keep_to_bounds(layout.schema, values);
            detail::move_rows(layout, values);
            return rows;
        },
        [columns](const detail::HugePageVector<double>& block, std::size_t rows) {
            return detail::RowBlock(std::span(block).first(rows * columns), columns);
        },
        on_rows);
}

}  // namespace

double norm_bound_for_unit(double norm_bound, double unit) {
    detail::check_norm_bound(norm_bound);
    if (!(unit > 0.0 && std::isfinite(unit))) {
        throw UsageError("the unit must be above 0, and finite");
    }
    // A row x becomes round(x 2^(k + radius_bits) / B), so B = 2^radius_bits unit / m makes of a
    // unit 2^k m.
    const double radius = std::ldexp(1.0, detail::radius_bits);
    const double multiple = std::floor(radius * (unit / norm_bound));
    constexpr double least_multiple = 100.0;
    return multiple < least_multiple || multiple > radius
               ? norm_bound
               : std::max(norm_bound, radius * unit / multiple);
}

SecondMoment::SecondMoment(MomentLayout layout, NormResolution resolution) {
    layout = completed(std::move(layout));
    const detail::NormBins bins = resolution == NormResolution::octaves
                                      ? detail::NormBins::whole_octaves()
                                      : detail::NormBins::for_columns(layout.columns);
    auto secret = std::make_shared<detail::SecretMoment>(std::move(layout), bins);
    layout_ = std::make_shared<const MomentLayout>(secret->layout());
    secret_ = std::move(secret);
}

SecondMoment::SecondMoment(std::shared_ptr<const MomentLayout> layout,
                           std::shared_ptr<detail::SecretMoment> secret)
    : layout_(std::move(layout)), secret_(std::move(secret)) {}

SecondMoment::~SecondMoment() = default;

SecondMoment::SecondMoment(const SecondMoment& other)
    : layout_(other.layout_),
      secret_(other.secret_ ? std::make_shared<detail::SecretMoment>(*other.secret_) : nullptr),
      moved_from_(other.moved_from_) {}

// The layout is shared, so that what was moved from keeps it, too.
SecondMoment::SecondMoment(SecondMoment&& other) noexcept
    : layout_(other.layout_),  // NOLINT(performance-move-constructor-init)
      secret_(std::move(other.secret_)),
      moved_from_(std::exchange(other.moved_from_, true)) {}

SecondMoment& SecondMoment::operator=(const SecondMoment& other) {
    return *this = SecondMoment(other);
}

SecondMoment& SecondMoment::operator=(SecondMoment&& other) noexcept {
    layout_ = other.layout_;
    secret_ = std::move(other.secret_);
    moved_from_ = std::exchange(other.moved_from_, true);
    return *this;
}

void SecondMoment::add_row_major(std::span<const double> rows, unsigned threads) {
    if (maps_values(*layout_) && rows.size() % layout_->columns == 0) {
        secret().add(mapped(rows, *layout_), threads);
    } else {
        secret().add(rows, threads);
    }
}

void SecondMoment::add_sparse(std::span<const SparseRow> rows, unsigned threads) {
    check_rows(rows, layout_->columns);
    if (!maps_values(*layout_)) {
        secret().add_sparse(rows, threads);
    } else if (!has_bounds(layout_->schema) && !detail::moves_rows(*layout_)) {
        secret().add_sparse(scaled(rows, layout_->schema).rows, threads);
    } else {
        secret().add(mapped(written_out(rows, layout_->columns), *layout_), threads);
    }
}

void SecondMoment::add(TableReader& table, unsigned threads,
                       const std::function<void(std::uint64_t)>& on_rows) {
    check_columns(table.columns());
    if (table.schema() != layout_->schema) {
        throw UsageError(
            "the table was opened with other columns, bounds or scales than the moment's");
    }
    table.require_all_rows();
    // Apart from this moment, which on_rows may look at, or even change; but not into another one.
    const bool untouched = secret().untouched();
    const std::shared_ptr<const MomentLayout> layout = layout_;
    std::shared_ptr<detail::SecretMoment> apart =
        untouched ? std::move(secret_)
                  : std::make_shared<detail::SecretMoment>(*layout_, secret().norm_bins());
    AllRowsOrAbandoned rows(table);
    try {
        read_all(*apart, table, threads, on_rows);
    } catch (...) {
        if (untouched && !secret_) {
            apart->clear();
            secret_ = std::move(apart);
            layout_ = layout;  // on_rows may have left another moment's
            moved_from_ = false;
        }
        throw;
    }
    require_not_moved_from();  // by on_rows
    if (!(*layout_ == apart->layout())) {
        throw UsageError("rows were read into a moment that became one of another layout");
    }
    if (secret_) {
        secret().take_over(*apart);
    } else {
        secret_ = std::move(apart);
    }
    rows.all_are_in();
}

void SecondMoment::declare_part(const std::string& name) {
    if (!secret().untouched()) {
        throw UsageError("a part is named before anything is added");
    }
    secret().declare_part(name);
}

void SecondMoment::merge(const SecondMoment& other) {
    detail::require_same_layout(layout(), other.layout());
    require_not_moved_from();
    other.require_not_moved_from();
    if (other.secret_) {
        secret().merge(*other.secret_);
    }
}

void SecondMoment::save(const std::string& path) const {
    detail::SecretDoor::open(*this)->save(path);
}

SecondMoment SecondMoment::load(const std::string& path) {
    return detail::SecretDoor::wrap(detail::SecretMoment::load(path));
}

void SecondMoment::write(const BytesOut& to) const {
    if (!to) {
        throw UsageError("a moment is written to a function, and there is none");
    }
    detail::SecretDoor::open(*this)->write(to);
}

SecondMoment SecondMoment::read(const std::string& name, std::uint64_t size, const BytesIn& from) {
    if (!from) {
        throw UsageError("a moment is read from a function, and there is none");
    }
    return detail::SecretDoor::wrap(detail::SecretMoment::read(name, size, from));
}

void SecondMoment::check_columns(std::size_t columns) const {
    if (columns != layout_->columns) {
        throw UsageError("the rows have " + std::to_string(columns) + " columns, the moment has " +
                         std::to_string(layout_->columns));
    }
}

void SecondMoment::require_not_moved_from() const {
    if (moved_from_) {
        throw UsageError(
            "this moment was moved to another one and holds nothing, neither rows nor the name of "
            "a part; use that one, or assign a moment to this one");
    }
}

detail::SecretMoment& SecondMoment::secret() {
    require_not_moved_from();
    if (secret_.use_count() > 1) {
        throw UsageError(
            "a release of this moment is being drawn, or it is being written; it must not change "
            "meanwhile");
    }
    if (!secret_) {
        secret_ = std::make_shared<detail::SecretMoment>(*layout_);
    }
    return *secret_;
}

namespace detail {

std::shared_ptr<const SecretMoment> SecretDoor::open(const SecondMoment& moment) {
    moment.require_not_moved_from();
    if (!moment.secret_) {
        return std::make_shared<const SecretMoment>(moment.layout());
    }
    return moment.secret_;
}

SecretMoment& SecretDoor::open_to_change(SecondMoment& moment) {
    return moment.secret();
}

SecondMoment SecretDoor::wrap(SecretMoment secret) {
    auto layout = std::make_shared<const MomentLayout>(secret.layout());
    return {std::move(layout), std::make_shared<SecretMoment>(std::move(secret))};
}

}  // namespace detail

}  // namespace dpcov
