#include "dpcov/second_moment.hpp"

#include <cblas.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "arithmetic/exact_gram.hpp"
#include "arithmetic/parallel.hpp"
#include "dpcov/error.hpp"
#include "moment/dataset_name.hpp"
#include "moment/placement.hpp"

namespace dpcov {
namespace {

// Rows that are looked at, placed and multiplied at a time. On one thread as many as stay, with
// their integers, in the cache next to the core; more threads need more work each to be worth
// starting, and share a larger cache. With fewer than some hundreds dsyrk slows down.
std::size_t rows_per_chunk(std::size_t d, unsigned threads) {
    const std::size_t doubles = std::size_t{1} << (threads == 1 ? 16U : 20U);
    return std::clamp<std::size_t>(doubles / d, 384, detail::exact_gram_rows);
}

// Finds the places of the rows before the first that is not finite.
void find_places(std::span<const double> rows, std::size_t d, const detail::Grid& grid,
                 unsigned threads, std::vector<detail::Place>& places) {
    places.resize(rows.size() / d);
    std::atomic<std::size_t> first_bad = places.size();
    detail::parallel_ranges(threads, places.size(), [&](std::size_t begin, std::size_t end) {
        for (std::size_t row = begin; row < end; ++row) {
            if (!detail::find_place(&rows[row * d], d, grid, places[row])) {
                std::size_t seen = first_bad;
                while (row < seen && !first_bad.compare_exchange_weak(seen, row)) {
                }
            }
        }
    });
    places.resize(first_bad);
}

// Where the rows of a chunk go, those of one stratum together: stratum k has
// [first[k], first[k + 1]).
struct Slots {
    std::vector<std::size_t> of_row;
    std::array<std::size_t, SecondMoment::strata + 1> first{};
};

Slots group_by_stratum(const std::vector<detail::Place>& places) {
    Slots slots{.of_row = std::vector<std::size_t>(places.size())};
    for (const detail::Place& place : places) {
        ++slots.first[static_cast<std::size_t>(place.stratum) + 1];
    }
    std::partial_sum(slots.first.begin(), slots.first.end(), slots.first.begin());
    auto next = slots.first;
    for (std::size_t row = 0; row < places.size(); ++row) {
        slots.of_row[row] = next[static_cast<std::size_t>(places[row].stratum)]++;
    }
    return slots;
}

std::uint64_t count_zero_rows(const double* q, std::size_t count, std::size_t d) {
    std::uint64_t zeros = 0;
    for (std::size_t row = 0; row < count; ++row) {
        zeros += std::all_of(q + row * d, q + (row + 1) * d, [](double x) { return x == 0.0; });
    }
    return zeros;
}

void add_column_sums(const double* q, std::size_t count, std::size_t d, std::vector<Int128>& sum) {
    // Exact: at most 2^13 integers of at most 2^20.
    const std::vector<double> ones(count, 1.0);
    std::vector<double> tile(d);
    cblas_dgemv(CblasColMajor, CblasNoTrans, static_cast<blasint>(d), static_cast<blasint>(count),
                1.0, q, static_cast<blasint>(d), ones.data(), 1, 0.0, tile.data(), 1);
    sum.resize(d);
    for (std::size_t j = 0; j < d; ++j) {
        sum[j] += static_cast<std::int64_t>(tile[j]);
    }
}

void add_packed(PackedGram& to, const PackedGram& from) {
    if (to.empty()) {
        to = from;
        return;
    }
    for (std::size_t i = 0; i < from.size(); ++i) {
        to[i] += from[i];
    }
}

void subtract_packed(PackedGram& to, const PackedGram& from) {
    for (std::size_t i = 0; i < from.size(); ++i) {
        to[i] -= from[i];
    }
}

}  // namespace

SecondMoment::SecondMoment(MomentLayout layout) : layout_(std::move(layout)), strata_(strata) {
    if (layout_.dimension < 1) {
        throw UsageError("a second moment needs at least one column");
    }
    if (!(layout_.norm_bound >= least_norm_bound && layout_.norm_bound <= greatest_norm_bound)) {
        throw UsageError(
            "the norm bound must be above zero, and between 2^-200 and 2^200; scale the columns");
    }
    if (!layout_.dataset.empty()) {
        detail::check_dataset_name(layout_.dataset);
    }
}

void SecondMoment::add(std::span<const double> rows, unsigned threads) {
    const std::size_t d = layout_.dimension;
    if (rows.size() % d != 0) {
        throw UsageError("the block holds " + std::to_string(rows.size()) +
                         " values, which is not a multiple of the " + std::to_string(d) +
                         " columns");
    }
    const std::size_t good = add_before_bad_row(rows, threads);
    if (good * d == rows.size()) {
        return;
    }
    // A bad row changes nothing.
    SecondMoment added(layout_);
    added.add(rows.first(good * d), threads);
    subtract(added);
    const auto bad = rows.subspan(good * d, d);
    const auto column =
        std::find_if_not(bad.begin(), bad.end(), [](double x) { return std::isfinite(x); }) -
        bad.begin();
    throw DataError("row " + std::to_string(good + 1) + ", column " + std::to_string(column + 1) +
                    " is not a finite number; remove the row or set it to zeros");
}

std::size_t SecondMoment::add_before_bad_row(std::span<const double> rows, unsigned threads) {
    const std::size_t d = layout_.dimension;
    const std::size_t n = rows.size() / d;
    const detail::Grid grid(layout_.norm_bound);
    const std::size_t chunk = std::min(rows_per_chunk(d, threads), n);
    std::vector<detail::Place> places;
    std::vector<double> tile(chunk * d);
    std::array<detail::GramSum, strata> grams;
    std::array<detail::GramSum, strata> directions;

    const auto place_on = [&](double detail::Place::*factor, std::span<const double> of,
                              const Slots& slots) {
        constexpr std::size_t worth_a_thread = std::size_t{1} << 18U;  // values
        const unsigned placers = of.size() < worth_a_thread ? 1 : threads;
        detail::parallel_ranges(placers, places.size(), [&](std::size_t begin, std::size_t end) {
            for (std::size_t row = begin; row < end; ++row) {
                const detail::Place& place = places[row];
                detail::place_on_grid(&of[row * d], d, place.power_of_two, place.*factor,
                                      &tile[slots.of_row[row] * d]);
            }
        });
    };

    std::size_t done = 0;
    for (bool bad = false; done < n && !bad; done += places.size()) {
        const auto now = rows.subspan(done * d, std::min(chunk, n - done) * d);
        find_places(now, d, grid, threads, places);
        bad = places.size() * d < now.size();
        const Slots slots = group_by_stratum(places);
        place_on(&detail::Place::to_grid, now, slots);
        for (std::size_t k = 0; k < strata_.size(); ++k) {
            const std::size_t count = slots.first[k + 1] - slots.first[k];
            if (count == 0) {
                continue;
            }
            const double* q = &tile[slots.first[k] * d];
            Stratum& stratum = strata_[k];
            stratum.rows += count;
            add_column_sums(q, count, d, stratum.sum);
            grams[k].add(q, count, d, stratum.gram, threads);
            if (k + 1 == strata) {  // no other holds any
                zero_rows_ += count_zero_rows(q, count, d);
            }
        }
        if (layout_.keep_directions) {
            place_on(&detail::Place::to_sphere, now, slots);
            for (std::size_t k = 0; k < strata_.size(); ++k) {
                const std::size_t count = slots.first[k + 1] - slots.first[k];
                if (count > 0) {
                    directions[k].add(&tile[slots.first[k] * d], count, d, strata_[k].directions,
                                      threads);
                }
            }
        }
    }
    for (std::size_t k = 0; k < strata_.size(); ++k) {
        grams[k].move_to(strata_[k].gram, d, threads);
        directions[k].move_to(strata_[k].directions, d, threads);
    }
    return done;
}

void SecondMoment::merge(const SecondMoment& other) {
    if (!(layout_ == other.layout_)) {
        throw UsageError(
            "second moments merge only if columns, norm bound, kept directions and data set are "
            "the same");
    }
    for (std::size_t k = 0; k < strata_.size(); ++k) {
        const Stratum& from = other.strata_[k];
        if (from.rows == 0) {
            continue;
        }
        Stratum& to = strata_[k];
        to.rows += from.rows;
        add_packed(to.gram, from.gram);
        add_packed(to.directions, from.directions);
        add_packed(to.sum, from.sum);
    }
    zero_rows_ += other.zero_rows_;
}

void SecondMoment::subtract(const SecondMoment& other) {
    for (std::size_t k = 0; k < strata_.size(); ++k) {
        const Stratum& from = other.strata_[k];
        Stratum& to = strata_[k];
        to.rows -= from.rows;
        if (to.rows == 0) {
            to = {};
            continue;
        }
        subtract_packed(to.gram, from.gram);
        subtract_packed(to.directions, from.directions);
        subtract_packed(to.sum, from.sum);
    }
    zero_rows_ -= other.zero_rows_;
}

std::uint64_t SecondMoment::rows() const noexcept {
    std::uint64_t rows = 0;
    for (const Stratum& stratum : strata_) {
        rows += stratum.rows;
    }
    return rows;
}

bool operator==(const SecondMoment& a, const SecondMoment& b) {
    const auto same = [](const SecondMoment::Stratum& x, const SecondMoment::Stratum& y) {
        return x.rows == y.rows && x.gram == y.gram && x.directions == y.directions &&
               x.sum == y.sum;
    };
    return a.layout_ == b.layout_ && a.zero_rows_ == b.zero_rows_ &&
           std::equal(a.strata_.begin(), a.strata_.end(), b.strata_.begin(), same);
}

}  // namespace dpcov
