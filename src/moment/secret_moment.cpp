#include "moment/secret_moment.hpp"

#include <cblas.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "arithmetic/digit_gram.hpp"
#include "arithmetic/exact_blas.hpp"
#include "arithmetic/exact_gram.hpp"
#include "arithmetic/gram_product.hpp"
#include "arithmetic/packed_symmetric.hpp"
#include "arithmetic/sparse_gram.hpp"
#include "dpcov/error.hpp"
#include "dpcov/limits.hpp"
#include "moment/gram_slots.hpp"
#include "moment/layout_difference.hpp"
#include "moment/memory_need.hpp"
#include "moment/row_chunk.hpp"
#include "tables/norm_bounds.hpp"
#include "text/public_name.hpp"

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

void add_packed(PackedGram& to, const PackedGram& from) {
    if (from.empty()) {
        return;
    }
    to.resize(from.size());  // there is room
    for (std::size_t i = 0; i < from.size(); ++i) {
        to[i] += from[i];
    }
}

void add_bin(SecretMoment::Bin& to, const SecretMoment::Bin& from) {
    if (from.rows > 0) {
        to.rows += from.rows;
        add_packed(to.gram, from.gram);
        add_packed(to.sum, from.sum);
    }
}

// The bin of `to` that takes the rows of bin i of `from`, which are as fine or finer.
std::size_t corresponding(std::size_t i, const NormBins& from, const NormBins& to) {
    return to.of_row(from.octave(i), from.squared_edge(i));
}

// Writes to every page.
void touch(void* memory, std::size_t bytes) noexcept {
    constexpr std::size_t page = 4096;
    for (std::size_t at = 0; at < bytes; at += page) {
        static_cast<volatile char*>(memory)[at] = 0;
    }
    static_cast<volatile char*>(memory)[bytes - 1] = 0;
}

void change(std::uint64_t& count, std::uint64_t by, int sign) noexcept {
    count = sign > 0 ? count + by : count - by;
}

// `row` is counted from 0.
[[noreturn]] void refuse(std::uint64_t row, const SparseRow& values) {
    const auto entry =
        static_cast<std::size_t>(std::find_if_not(values.values.begin(), values.values.end(),
                                                  [](double x) { return std::isfinite(x); }) -
                                 values.values.begin());
    const std::size_t column = values.columns.empty() ? entry : values.columns[entry];
    throw DataError(
        "row " + std::to_string(row + 1) + ", column " + std::to_string(column) +
            " (counted from 0) is not a finite number; correct the row or set it to "
            "zeros",
        std::isnan(values.values[entry]) ? DataProblem::not_a_number : DataProblem::infinite,
        {.row = row + 1, .column = column});
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
    /// is to follow. So many rows came before, in other blocks.
    void add(const RowBlock& rows, std::size_t& added, std::uint64_t before = 0) {
        while (added < rows.size()) {
            const RowBlock block = rows.part(added, chunk_.capacity());
            const std::size_t finite = chunk_.take(block);
            if (finite < block.size()) {
                refuse(before + added + finite, block[finite]);
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
        grams_.finish_and_free(threads_);
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
    static std::vector<HugePageVector<double>>& grams_of(SecretMoment& moment) {
        std::vector<HugePageVector<double>>& grams = moment.memory_.grams;
        const std::size_t d = moment.layout_.columns;
        grams.resize(grams_in_doubles(moment.layout_, moment.norm_bins_));
        const bool resident = memory_need(moment.layout_, moment.norm_bins_).sums_are_resident();
        for (HugePageVector<double>& gram : grams) {
            if (gram.capacity() < d * d) {
                gram.reserve(d * d);
                if (resident) {
                    touch(gram.data(), d * d * sizeof(double));
                }
            }
        }
        return grams;
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
    void add_gram(BinRange bins, PackedGram& total, int sign) noexcept {
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
        for (std::size_t i = 0; i < strata; ++i) {
            const std::size_t k = in_turn(i, strata);
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

SecretMoment::SecretMoment(const MomentLayout& layout)
    : SecretMoment(layout, NormBins::for_columns(layout.columns)) {}

SecretMoment::SecretMoment(MomentLayout layout, const NormBins& bins)
    : layout_(std::move(layout)),
      norm_bins_(bins),
      bins_(bins.size()),
      directions_(static_cast<std::size_t>(strata)) {
    if (layout_.columns < 1) {
        throw UsageError("a second moment needs at least one column");
    }
    if (layout_.columns > limits::columns) {
        throw UsageError("a second moment has at most " + std::to_string(limits::columns) +
                         " columns, not " + std::to_string(layout_.columns) + "; select fewer");
    }
    static_assert(least_norm_bound <= detail::least_norm_bound &&
                  greatest_norm_bound >= detail::greatest_norm_bound);
    if (!(layout_.norm_bound >= least_norm_bound && layout_.norm_bound <= greatest_norm_bound)) {
        throw UsageError(
            "the norm bound must be between 2^-200 and 2^200 (6.3e-61 and 1.6e60); change the "
            "units of the columns");
    }
    if (!layout_.dataset.empty()) {
        detail::check_name("a data set", layout_.dataset);
    }
    require_memory(memory_need(layout_, norm_bins_));
    require_exact_blas();
    static_cast<void>(usable_digit_kernel());  // the trial takes memory, once
    take_memory();
}

SecretMoment::SecretMoment(const SecretMoment& other)
    : layout_(other.layout_),
      norm_bins_(other.norm_bins_),
      bins_(other.bins_.size()),
      directions_(other.directions_.size()),
      zero_rows_(other.zero_rows_),
      untouched_(other.untouched_),
      parts_(other.parts_) {
    take_memory();
    // Element by element, into the memory that is there.
    std::copy(other.bins_.begin(), other.bins_.end(), bins_.begin());
    std::copy(other.directions_.begin(), other.directions_.end(), directions_.begin());
}

void SecretMoment::take_memory() {
    const std::size_t d = layout_.columns;
    const std::size_t entries = packed_size(d);
    const bool resident = memory_need(layout_, norm_bins_).sums_are_resident();
    const auto take = [resident](ExactSums& values, std::size_t size) {
        values.reserve(size);
        if (resident) {
            touch(values.data(), size * sizeof(Int128));
        }
    };
    for (Bin& bin : bins_) {
        take(bin.gram, entries);
        take(bin.sum, d);
    }
    for (PackedGram& directions : directions_) {
        if (layout_.keep_directions) {
            take(directions, entries);
        }
    }
}

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

// A count that went below zero is beyond.
bool SecretMoment::has_possible_counts() const noexcept {
    return std::all_of(bins_.begin(), bins_.end(),
                       [](const Bin& bin) { return bin.rows <= limits::rows; });
}

void SecretMoment::add_all(const std::function<RowBlock()>& next, unsigned threads) {
    try {
        std::optional<Addition> addition;
        std::uint64_t before = 0;
        for (RowBlock block = next(); block.size() > 0; block = next()) {
            if (!addition) {
                addition.emplace(*this, detail::exact_gram_rows, block.is_sparse(), threads);
            }
            std::size_t added = 0;
            addition->add(block, added, before);
            before += added;
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

void SecretMoment::merge(const SecretMoment& other) {
    require_same_layout(layout_, other.layout_);
    check_disjoint(parts_, other.parts_);
    // Sums of more could overflow.
    if (rows() + other.rows() > limits::rows) {
        throw UsageError("together the moments would hold more than 2^48 rows");
    }
    Parts parts = parts_;
    parts.insert(other.parts_.begin(), other.parts_.end());
    add_sums(other);
    parts_ = std::move(parts);
}

void SecretMoment::take_over(SecretMoment& apart) {
    if (!(layout_ == apart.layout_)) {
        throw UsageError("rows that were summed apart are of another layout");
    }
    if (untouched_) {
        std::swap(norm_bins_, apart.norm_bins_);
        std::swap(bins_, apart.bins_);
        std::swap(directions_, apart.directions_);
        std::swap(zero_rows_, apart.zero_rows_);
        std::swap(memory_, apart.memory_);
        untouched_ = false;
    } else {
        add_sums(apart);
    }
    // A random part of `apart` was never seen outside: it goes where others stand for these rows.
    if (!parts_.empty()) {
        std::erase_if(apart.parts_, [](const std::string& part) { return !is_declared(part); });
    }
    parts_.merge(apart.parts_);
    apart.clear();
    apart.parts_.clear();  // a declared one, too
}

void SecretMoment::add_sums(const SecretMoment& other) {
    untouched_ = false;
    coarsen_to(common_bins(norm_bins_, other.norm_bins_));
    for (std::size_t i = 0; i < other.bins_.size(); ++i) {
        add_bin(bins_[corresponding(i, other.norm_bins_, norm_bins_)], other.bins_[i]);
    }
    for (std::size_t k = 0; k < directions_.size(); ++k) {
        add_packed(directions_[k], other.directions_[k]);
    }
    zero_rows_ += other.zero_rows_;
}

void SecretMoment::coarsen_to(const NormBins& bins) {
    if (bins == norm_bins_) {
        return;
    }
    // The last bin of those that go together takes the others in: it becomes the one of them.
    for (std::size_t to = 0, from = 0; to < bins.size(); ++to) {
        std::size_t last = from;
        while (last + 1 < bins_.size() && corresponding(last + 1, norm_bins_, bins) == to) {
            ++last;
        }
        for (; from < last; ++from) {
            add_bin(bins_[last], bins_[from]);
        }
        std::swap(bins_[to], bins_[last]);
        from = last + 1;
    }
    bins_.resize(bins.size());
    norm_bins_ = bins;
}

void SecretMoment::declare_part(const std::string& name) {
    parts_ = {declared_part(name)};
}

void SecretMoment::clear() noexcept {
    for (Bin& bin : bins_) {
        bin.rows = 0;
    }
    zero_rows_ = 0;
    untouched_ = true;
    std::erase_if(parts_, [](const std::string& part) { return !is_declared(part); });
    forget_empty();
}

void SecretMoment::forget_empty() noexcept {
    for (Bin& bin : bins_) {
        if (bin.rows == 0) {
            bin.gram.clear();
            bin.sum.clear();
        }
    }
    for (int k = 0; k < strata; ++k) {
        if (rows_in_stratum(k) == 0) {
            directions_[static_cast<std::size_t>(k)].clear();
        }
    }
}

std::uint64_t SecretMoment::rows() const noexcept {
    std::uint64_t rows = 0;
    for (const Bin& bin : bins_) {
        rows += bin.rows;
    }
    return rows;
}

std::uint64_t SecretMoment::rows_in_stratum(int k) const {
    std::uint64_t rows = 0;
    const BinRange bins = norm_bins_.of_octave(k);
    for (std::size_t i = bins.first; i <= bins.last; ++i) {
        rows += bins_[i].rows;
    }
    return rows;
}

SecretMoment::Stratum SecretMoment::stratum(int k) const {
    const BinRange bins = norm_bins_.of_octave(k);
    Bin sum = bins_.at(bins.last);
    for (std::size_t i = bins.first; i < bins.last; ++i) {
        add_bin(sum, bins_[i]);
    }
    return {.rows = sum.rows,
            .gram = std::move(sum.gram),
            .directions = directions(k),
            .sum = std::move(sum.sum)};
}

bool operator==(const SecretMoment& a, const SecretMoment& b) {
    return a.layout_ == b.layout_ && a.norm_bins_ == b.norm_bins_ && a.zero_rows_ == b.zero_rows_ &&
           a.bins_ == b.bins_ && a.directions_ == b.directions_;
}

}  // namespace dpcov::detail
