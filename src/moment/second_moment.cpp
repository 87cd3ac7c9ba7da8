#include "dpcov/second_moment.hpp"

#include <cblas.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "arithmetic/exact_gram.hpp"
#include "dpcov/error.hpp"
#include "moment/dataset_name.hpp"
#include "moment/row_chunk.hpp"

namespace dpcov {
namespace {

std::uint64_t count_zero_rows(std::span<const double> q, std::size_t d) {
    std::uint64_t zeros = 0;
    for (; !q.empty(); q = q.subspan(d)) {
        const auto row = q.first(d);
        zeros += std::all_of(row.begin(), row.end(), [](double x) { return x == 0.0; });
    }
    return zeros;
}

void add_column_sums(std::span<const double> q, std::size_t d, std::vector<Int128>& sum) {
    // Exact: at most 2^13 integers of at most 2^20.
    const std::size_t count = q.size() / d;
    const std::vector<double> ones(count, 1.0);
    std::vector<double> sums(d);
    cblas_dgemv(CblasColMajor, CblasNoTrans, static_cast<blasint>(d), static_cast<blasint>(count),
                1.0, q.data(), static_cast<blasint>(d), ones.data(), 1, 0.0, sums.data(), 1);
    sum.resize(d);
    for (std::size_t j = 0; j < d; ++j) {
        sum[j] += static_cast<std::int64_t>(sums[j]);
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
    const std::size_t good = add_finite(rows, threads);
    if (good * d == rows.size()) {
        return;
    }
    // A bad row changes nothing: what was added before it is taken away again, in integers.
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

std::size_t SecondMoment::add_finite(std::span<const double> rows, unsigned threads) {
    const std::size_t d = layout_.dimension;
    const std::size_t n = rows.size() / d;
    detail::RowChunk chunk(d, layout_.norm_bound, n, threads, integers_);
    gram_sums_.resize(strata);
    direction_sums_.resize(strata);
    std::vector<detail::GramSum> grams(gram_sums_.begin(), gram_sums_.end());
    std::vector<detail::GramSum> directions(direction_sums_.begin(), direction_sums_.end());
    std::size_t added = 0;
    for (bool bad = false; added < n && !bad;) {
        const std::size_t count = std::min(chunk.capacity(), n - added);
        const std::size_t finite = chunk.take(rows.subspan(added * d, count * d));
        added += finite;
        bad = finite < count;

        chunk.round(&detail::Place::to_grid);
        for (std::size_t k = 0; k < strata; ++k) {
            const std::span<const double> q = chunk.stratum(k);
            if (q.empty()) {
                continue;
            }
            Stratum& stratum = strata_[k];
            stratum.rows += q.size() / d;
            grams[k].add(q, d, stratum.gram, threads);
            add_column_sums(q, d, stratum.sum);
        }
        zero_rows_ += count_zero_rows(chunk.stratum(strata - 1), d);  // no other holds any

        if (layout_.keep_directions) {
            chunk.round(&detail::Place::to_sphere);
            for (std::size_t k = 0; k < strata; ++k) {
                directions[k].add(chunk.stratum(k), d, strata_[k].directions, threads);
            }
        }
    }
    for (std::size_t k = 0; k < strata; ++k) {
        grams[k].move_to(strata_[k].gram, d, threads);
        directions[k].move_to(strata_[k].directions, d, threads);
    }
    return added;
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
