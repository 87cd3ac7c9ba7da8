// Adding rows to a moment: all of them, or none.
#include <cblas.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "arithmetic/exact_gram.hpp"
#include "arithmetic/gram_product.hpp"
#include "arithmetic/packed_symmetric.hpp"
#include "arithmetic/resident_memory.hpp"
#include "arithmetic/sparse_gram.hpp"
#include "arithmetic/triangle.hpp"
#include "dpcov/error.hpp"
#include "dpcov/limits.hpp"
#include "moment/gram_slots.hpp"
#include "moment/memory_need.hpp"
#include "moment/refused_row.hpp"
#include "moment/row_chunk.hpp"
#include "moment/secret_moment.hpp"

namespace dpcov::detail {
namespace {

bool is_zero(std::span<const double> q) {
    return std::all_of(q.begin(), q.end(), [](double x) { return x == 0.0; });
}

std::uint64_t count_zero_rows(std::span<const double> q, std::size_t d) {
    std::uint64_t zeros = 0;
    for (; !q.empty(); q = q.subspan(d)) {
        zeros += is_zero(q.first(d)) ? 1 : 0;
    }
    return zeros;
}

std::uint64_t count_zero_rows(std::span<const SparseRow> rows) {
    return static_cast<std::uint64_t>(std::count_if(
        rows.begin(), rows.end(), [](const SparseRow& row) { return is_zero(row.values); }));
}

void change(std::uint64_t& count, std::uint64_t by, int sign) noexcept {
    count = sign > 0 ? count + by : count - by;
}

}  // namespace

/// One call of add(). What can fail is asking for memory, which it does before it looks at a row,
/// and a row that is not finite: then the rows before it are taken away again, in the same memory.
class SecretMoment::Addition {
public:
    Addition(SecretMoment& moment, std::size_t rows, bool sparse, unsigned threads)
        : moment_(&moment),
          threads_(std::clamp(threads, 1U, limits::threads)),
          chunk_(moment.layout_.columns, moment.layout_.norm_bound, moment.norm_bins_, threads_,
                 moment.memory_.integers),
          product_(moment.memory_.digits, chunk_.capacity(), moment.layout_.columns, threads_),
          grams_(grams_of(moment), moment.layout_.columns, product_),
          column_sums_(moment.layout_.columns) {
        if (sparse) {
            sparse_grams_.emplace(moment.memory_.sparse, moment.layout_.columns, threads_);
        }
        ones_.reserve(chunk_.capacity());
        ones_.resize(std::min(rows, chunk_.capacity()), 1.0);
    }

    /// Adds rows one chunk at a time; `added` are the rows of the chunks that went in. finish()
    /// is to follow. `first` is the number of the first row.
    void add(const RowBlock& rows, std::size_t& added, std::uint64_t first = 0) {
        while (added < rows.size()) {
            const RowBlock block = rows.part(added, chunk_.capacity());
            const std::size_t finite = chunk_.take(block);
            if (finite < block.size()) {
                refuse_row(first + added + finite, block[finite]);
            }
            count(1);
            added += finite;
        }
    }

    /// Moves everything to its sum.
    void finish() noexcept {
        grams_.finish(threads_);
        if (sparse_grams_) {
            sparse_grams_->finish();
        }
    }

    /// The same for the last time: Grams' working memory is given back as it becomes empty.
    void finish_and_free() noexcept {
        grams_.finish_and_free(sums_are_resident(*moment_), threads_);
        if (sparse_grams_) {
            sparse_grams_->finish();
        }
    }

    /// Takes rows that were added away again. Whether it did: values that changed meanwhile may be
    /// other rows, and what is left is then nothing that rows add up to.
    [[nodiscard]] bool take_back(const RowBlock& rows) noexcept {
        for (std::size_t gone = 0; gone < rows.size();) {
            const RowBlock block = rows.part(gone, chunk_.capacity());
            if (chunk_.take(block) < block.size()) {
                return false;
            }
            count(-1);
            gone += block.size();
        }
        finish();
        moment_->forget_empty();
        return moment_->has_possible_counts();
    }

private:
    static bool sums_are_resident(const SecretMoment& moment) {
        return memory_need(moment.layout_, moment.norm_bins_).sums_are_resident();
    }

    static std::vector<RoomForGrams>& grams_of(SecretMoment& moment) {
        std::vector<RoomForGrams>& rooms = moment.memory_.grams;
        const std::size_t size = two_triangles(moment.layout_.columns);
        rooms.resize(rooms_for_two_grams(moment.layout_, moment.norm_bins_));
        for (RoomForGrams& room : rooms) {
            if (!room) {
                auto taken = std::make_shared<HugePageVector<double>>();
                taken->reserve(size);
                if (sums_are_resident(moment)) {
                    touch(taken->data(), size * sizeof(double));
                }
                room = std::move(taken);
            }
        }
        return rooms;
    }

    // Adds the chunk's rows (sign 1), or takes them away (-1).
    void count(int sign) noexcept {
        // Up and down in turn: were there more bins than slots, and always the same way, each
        // would find that it was just turned out.
        downwards_ = !downwards_;
        if (downwards_) {
            count_directions(sign);
        }
        count_rows(sign);
        if (!downwards_) {
            count_directions(sign);
        }
    }

    void count_rows(int sign) noexcept {
        chunk_.round(&detail::Place::to_grid);
        // No other bin holds any.
        change(moment_->zero_rows_, zero_rows(), sign);
        for (std::size_t i = 0; i < moment_->bins_.size(); ++i) {
            const std::size_t at = in_turn(i, moment_->bins_.size());
            const std::size_t rows = chunk_.count({at, at});
            if (rows == 0) {
                continue;
            }
            Bin& bin = moment_->bins_[at];
            change(bin.rows, rows, sign);
            add_column_sums({at, at}, bin.sum, sign);
            add_gram({at, at}, bin.gram, sign);
        }
    }

    [[nodiscard]] std::uint64_t zero_rows() noexcept {
        return chunk_.is_sparse()
                   ? count_zero_rows(chunk_.in_bins_sparse({0, 0}))
                   : count_zero_rows(chunk_.in_bins({0, 0}), moment_->layout_.columns);
    }

    // Sparse rows go to the sums in integers as they are, or spread out where that is faster.
    void add_gram(BinRange bins, WideSums& total, int sign) noexcept {
        const std::size_t d = moment_->layout_.columns;
        if (chunk_.is_sparse() && pairs_are_faster(chunk_.in_bins_sparse(bins), d)) {
            total.resize(packed_size(d));  // there is room
            sparse_grams_->add(chunk_.in_bins_sparse(bins), total, sign);
        } else {
            grams_.add(chunk_.in_bins(bins), total, threads_, sign);
        }
    }

    void count_directions(int sign) noexcept {
        if (!moment_->layout_.keep_directions) {
            return;
        }
        chunk_.round(&detail::Place::to_sphere);
        for (std::size_t i = 0; i < NormBins::octaves; ++i) {
            const std::size_t k = in_turn(i, NormBins::octaves);
            const BinRange bins = moment_->norm_bins_.of_octave(static_cast<int>(k));
            if (chunk_.count(bins) > 0) {
                add_gram(bins, moment_->directions_[k], sign);
            }
        }
    }

    [[nodiscard]] std::size_t in_turn(std::size_t i, std::size_t size) const noexcept {
        return downwards_ ? size - 1 - i : i;
    }

    void add_column_sums(BinRange bins, ExactSums& sum, int sign) noexcept {
        const std::size_t d = column_sums_.size();
        sum.resize(d);
        if (chunk_.is_sparse()) {
            for (const SparseRow& row : chunk_.in_bins_sparse(bins)) {
                for (std::size_t i = 0; i < row.columns.size(); ++i) {
                    sum[row.columns[i]] +=
                        static_cast<Int128>(sign * static_cast<std::int64_t>(row.values[i]));
                }
            }
            return;
        }
        // Exact: at most 2^13 integers of at most 2^20.
        const std::span<const double> q = chunk_.in_bins(bins);
        cblas_dgemv(CblasColMajor, CblasNoTrans, static_cast<blasint>(d),
                    static_cast<blasint>(q.size() / d), sign, q.data(), static_cast<blasint>(d),
                    ones_.data(), 1, 0.0, column_sums_.data(), 1);
        for (std::size_t j = 0; j < d; ++j) {
            sum[j] += static_cast<std::int64_t>(column_sums_[j]);
        }
    }

    SecretMoment* moment_;
    unsigned threads_;
    detail::RowChunk chunk_;
    detail::GramProduct product_;
    detail::GramSlots grams_;
    std::optional<detail::SparseGramSums> sparse_grams_;
    bool downwards_ = true;
    std::vector<double> ones_;
    std::vector<double> column_sums_;
};

void SecretMoment::add(std::span<const double> rows, unsigned threads) {
    const std::size_t d = layout_.columns;
    if (rows.size() % d != 0) {
        throw UsageError("the block holds " + std::to_string(rows.size()) +
                         " values, which is not a multiple of the " + std::to_string(d) +
                         " columns");
    }
    add_block({rows, d}, threads);
}

void SecretMoment::add_sparse(std::span<const SparseRow> rows, unsigned threads) {
    add_block({rows, layout_.columns}, threads);
}

void SecretMoment::add_block(const RowBlock& rows, unsigned threads) {
    Parts parts = parts_.empty() ? Parts{random_part()} : Parts{};
    Addition addition(*this, rows.size(), rows.is_sparse(), threads);
    std::size_t added = 0;
    try {
        addition.add(rows, added);
        addition.finish();
    } catch (...) {
        if (!addition.take_back(rows.part(0, added))) {
            clear();
            throw DataError(
                "the rows changed while they were added, so they could not be taken out again; the "
                "moment is empty now: begin it anew");
        }
        throw;
    }
    parts_.merge(parts);
    untouched_ = false;
}

void SecretMoment::add_all(const std::function<NumberedRows()>& next, unsigned threads) {
    try {
        std::optional<Addition> addition;
        for (NumberedRows block = next(); block.rows.size() > 0; block = next()) {
            if (!addition) {
                addition.emplace(*this, detail::exact_gram_rows, block.rows.is_sparse(), threads);
            }
            std::size_t added = 0;
            addition->add(block.rows, added, block.first);
        }
        if (addition) {
            addition->finish_and_free();
        }
        memory_ = {};  // what comes now is a release, which takes memory of its own
    } catch (...) {
        clear();
        throw;
    }
}

}  // namespace dpcov::detail
