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

constexpr std::size_t packed_size(std::size_t d) {
    return d * (d + 1) / 2;
}

// Rows that are placed and multiplied at a time. On one thread as many as stay in the cache next to
// the core (1 MiB); more threads need more work each to be worth starting, and share a larger
// cache. Below 384, one panel of OpenBLAS, dsyrk slows down.
std::size_t rows_per_tile(std::size_t d, unsigned threads) {
    const std::size_t doubles = std::size_t{1} << (threads == 1 ? 17U : 20U);
    return std::clamp<std::size_t>(doubles / d, 384, detail::exact_gram_rows);
}

std::vector<detail::Place> find_places(std::span<const double> rows, std::size_t d,
                                       double norm_bound, unsigned threads) {
    std::vector<detail::Place> places(rows.size() / d);
    std::atomic<std::size_t> first_bad = places.size();
    detail::parallel_ranges(threads, places.size(), [&](std::size_t begin, std::size_t end) {
        for (std::size_t row = begin; row < end; ++row) {
            if (!detail::find_place(&rows[row * d], d, norm_bound, places[row])) {
                std::size_t seen = first_bad;
                while (row < seen && !first_bad.compare_exchange_weak(seen, row)) {
                }
            }
        }
    });
    if (first_bad < places.size()) {
        const double* row = &rows[first_bad * d];
        const auto column =
            std::find_if_not(row, row + d, [](double x) { return std::isfinite(x); }) - row;
        throw DataError("row " + std::to_string(first_bad + 1) + ", column " +
                        std::to_string(column + 1) +
                        " is not a finite number; remove the row or set it to zeros");
    }
    return places;
}

// The rows' numbers, those of one stratum together: stratum k has [first[k], first[k + 1]).
struct ByStratum {
    std::vector<std::size_t> rows;
    std::array<std::size_t, SecondMoment::strata + 1> first{};
};

ByStratum group_by_stratum(const std::vector<detail::Place>& places) {
    ByStratum groups{.rows = std::vector<std::size_t>(places.size())};
    for (const detail::Place& place : places) {
        ++groups.first[static_cast<std::size_t>(place.stratum) + 1];
    }
    std::partial_sum(groups.first.begin(), groups.first.end(), groups.first.begin());
    auto next = groups.first;
    for (std::size_t row = 0; row < places.size(); ++row) {
        groups.rows[next[static_cast<std::size_t>(places[row].stratum)]++] = row;
    }
    return groups;
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
    // Every row is looked at before the first is added: a bad row changes nothing.
    const std::vector<detail::Place> places = find_places(rows, d, layout_.norm_bound, threads);
    const ByStratum groups = group_by_stratum(places);
    const std::size_t tile = rows_per_tile(d, threads);
    tile_.resize(std::min(tile, places.size()) * d);

    const auto place_tile = [&](std::span<const std::size_t> of, double detail::Place::*factor) {
        constexpr std::size_t worth_a_thread = std::size_t{1} << 18U;  // values
        const unsigned placers = of.size() * d < worth_a_thread ? 1 : threads;
        detail::parallel_ranges(placers, of.size(), [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                const detail::Place& place = places[of[i]];
                detail::place_on_grid(&rows[of[i] * d], d, place.power_of_two, place.*factor,
                                      &tile_[i * d]);
            }
        });
    };
    // Tile by tile, and as many tiles as are exact before the sum is taken over into integers.
    const auto add_gram = [&](std::span<const std::size_t> of, double detail::Place::*factor,
                              PackedGram& total, auto&& with_each_tile) {
        total.resize(packed_size(d));
        while (!of.empty()) {
            auto exact = of.first(std::min(detail::exact_gram_rows, of.size()));
            of = of.subspan(exact.size());
            for (bool first = true; !exact.empty(); first = false) {
                const auto now = exact.first(std::min(tile, exact.size()));
                exact = exact.subspan(now.size());
                place_tile(now, factor);
                with_each_tile(now.size());
                detail::accumulate_gram(tile_.data(), now.size(), d, first, tile_gram_);
            }
            detail::add_to_total(tile_gram_, d, total, threads);
        }
    };

    for (std::size_t k = 0; k < strata_.size(); ++k) {
        const auto of = std::span<const std::size_t>(groups.rows)
                            .subspan(groups.first[k], groups.first[k + 1] - groups.first[k]);
        if (of.empty()) {
            continue;
        }
        Stratum& stratum = strata_[k];
        stratum.rows += of.size();
        add_gram(of, &detail::Place::to_grid, stratum.gram, [&](std::size_t count) {
            zero_rows_ += count_zero_rows(tile_.data(), count, d);
            add_column_sums(tile_.data(), count, d, stratum.sum);
        });
        if (layout_.keep_directions) {
            add_gram(of, &detail::Place::to_sphere, stratum.directions, [](std::size_t) {});
        }
    }
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
