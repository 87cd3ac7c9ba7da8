#include "dpcov/second_moment.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "arithmetic/row_grid.hpp"
#include "dpcov/error.hpp"
#include "dpcov/table.hpp"
#include "moment/layout_difference.hpp"
#include "moment/mapped_rows.hpp"
#include "moment/moved_rows.hpp"
#include "moment/secret_door.hpp"
#include "moment/secret_moment.hpp"
#include "moment/table_rows.hpp"

namespace dpcov {
namespace {

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

NormResolution SecondMoment::resolution() const {
    require_not_moved_from();
    if (!secret_) {
        throw UsageError("the first rows are being read into this moment");
    }
    return secret_->norm_bins() == detail::NormBins::whole_octaves() ? NormResolution::octaves
                                                                     : NormResolution::bins;
}

void SecondMoment::add_row_major(std::span<const double> rows, unsigned threads) {
    if (detail::maps_values(*layout_) && rows.size() % layout_->columns == 0) {
        secret().add(detail::mapped(rows, *layout_), threads);
    } else {
        secret().add(rows, threads);
    }
}

void SecondMoment::add_sparse(std::span<const SparseRow> rows, unsigned threads) {
    detail::check_sparse_rows(rows, layout_->columns);
    if (!detail::maps_values(*layout_)) {
        secret().add_sparse(rows, threads);
    } else if (!has_bounds(layout_->schema) && !detail::moves_rows(*layout_)) {
        secret().add_sparse(detail::scaled(rows, layout_->schema).rows, threads);
    } else {
        secret().add(detail::mapped(detail::written_out(rows, layout_->columns), *layout_),
                     threads);
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
        detail::add_table(*apart, table, threads, on_rows);
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

std::shared_ptr<SecretMoment> SecretDoor::take(SecondMoment&& moment) {
    static_cast<void>(moment.secret());
    SecondMoment taken = std::move(moment);
    return std::move(taken.secret_);
}

SecondMoment SecretDoor::wrap(SecretMoment secret) {
    auto layout = std::make_shared<const MomentLayout>(secret.layout());
    return {std::move(layout), std::make_shared<SecretMoment>(std::move(secret))};
}

}  // namespace detail

}  // namespace dpcov
