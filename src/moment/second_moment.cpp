#include "dpcov/second_moment.hpp"

#include <cblas.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <string>

#include "arithmetic/exact_gram.hpp"
#include "arithmetic/parallel.hpp"
#include "dpcov/error.hpp"
#include "moment/placement.hpp"

namespace dpcov {
namespace {

constexpr std::size_t packed_size(std::size_t d) {
    return d * (d + 1) / 2;
}

// Rows that are placed and multiplied at a time: as many as stay in a large cache between the two
// (16 MiB), but twice as many as there are columns, so that adding the block's Gram to the total
// vanishes beside computing it; never more than are exact.
std::size_t rows_per_block(std::size_t d) {
    constexpr std::size_t cache_doubles = std::size_t{1} << 21U;
    return std::clamp<std::size_t>(std::max(cache_doubles / d, 2 * d), 256,
                                   detail::exact_gram_rows);
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
    std::vector<double> block(d);
    cblas_dgemv(CblasColMajor, CblasNoTrans, static_cast<blasint>(d), static_cast<blasint>(count),
                1.0, q, static_cast<blasint>(d), ones.data(), 1, 0.0, block.data(), 1);
    sum.resize(d);
    for (std::size_t j = 0; j < d; ++j) {
        sum[j] += static_cast<std::int64_t>(block[j]);
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

SecondMoment::SecondMoment(MomentLayout layout) : layout_(layout), strata_(strata) {
    if (layout.dimension < 1) {
        throw UsageError("a second moment needs at least one column");
    }
    if (!(layout.norm_bound >= least_norm_bound && layout.norm_bound <= greatest_norm_bound)) {
        throw UsageError(
            "the norm bound must be above zero, and between 2^-200 and 2^200; scale the columns");
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
    const std::size_t block = std::min(rows_per_block(d), places.size());
    grid_rows_.resize(block * d);
    constexpr std::size_t worth_a_thread = std::size_t{1} << 18;  // values, in a block
    const unsigned placers = block * d < worth_a_thread ? 1 : threads;
    std::vector<std::size_t> order;
    for (std::size_t first = 0; first < places.size(); first += block) {
        // Rows of one stratum stand together, so that each stratum is one product.
        order.resize(std::min(block, places.size() - first));
        std::iota(order.begin(), order.end(), first);
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            return places[a].stratum < places[b].stratum;
        });
        const auto place_rows = [&](double detail::Place::*factor) {
            detail::parallel_ranges(placers, order.size(), [&](std::size_t begin, std::size_t end) {
                for (std::size_t i = begin; i < end; ++i) {
                    const detail::Place& place = places[order[i]];
                    detail::place_on_grid(&rows[order[i] * d], d, place.power_of_two, place.*factor,
                                          grid_rows_.data() + i * d);
                }
            });
        };
        const auto for_each_stratum = [&](auto&& visit) {
            for (std::size_t begin = 0; begin < order.size();) {
                const int k = places[order[begin]].stratum;
                std::size_t end = begin;
                while (end < order.size() && places[order[end]].stratum == k) {
                    ++end;
                }
                visit(strata_[static_cast<std::size_t>(k)], grid_rows_.data() + begin * d,
                      end - begin);
                begin = end;
            }
        };

        place_rows(&detail::Place::to_grid);
        for_each_stratum([&](Stratum& stratum, const double* q, std::size_t count) {
            stratum.rows += count;
            zero_rows_ += count_zero_rows(q, count, d);
            add_column_sums(q, count, d, stratum.sum);
            stratum.gram.resize(packed_size(d));
            detail::add_exact_gram(q, count, d, stratum.gram, block_gram_, threads);
        });
        if (layout_.keep_directions) {
            place_rows(&detail::Place::to_sphere);
            for_each_stratum([&](Stratum& stratum, const double* u, std::size_t count) {
                stratum.directions.resize(packed_size(d));
                detail::add_exact_gram(u, count, d, stratum.directions, block_gram_, threads);
            });
        }
    }
}

void SecondMoment::merge(const SecondMoment& other) {
    if (!(layout_ == other.layout_)) {
        throw UsageError(
            "second moments merge only if columns, norm bound and kept directions are the same");
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
