#include "arithmetic/sparse_gram.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "arithmetic/packed_symmetric.hpp"
#include "arithmetic/parallel.hpp"

namespace dpcov::detail {
namespace {

// So many entries wait that of a Gram's about as many products fall on each, where rows have the
// root of d of them; they take a quarter of the Gram's memory.
std::size_t most_entries(std::size_t d) noexcept {
    return std::max<std::size_t>(std::size_t{1} << 16U, d * d / 4);
}

std::size_t most_rows(std::size_t d) noexcept {
    return most_entries(d) / 32 + 1024;
}

}  // namespace

bool pairs_are_faster(std::span<const SparseRow> rows, std::size_t d) noexcept {
    // Measured (docs/performance.md#sparse): what dsyrk does in the time of a product here. It goes
    // through its result besides, as through some rows more.
    constexpr double of_dsyrk = 48.0;
    constexpr double rows_for_result = 16.0;
    const auto products = [](double entries) { return 0.5 * entries * (entries + 1.0); };
    double pairs = 0.0;
    for (const SparseRow& row : rows) {
        pairs += products(static_cast<double>(row.columns.size()));
    }
    return of_dsyrk * pairs <
           (static_cast<double>(rows.size()) + rows_for_result) * products(static_cast<double>(d));
}

double SparseGramSums::bytes(std::size_t d) noexcept {
    return static_cast<double>(most_entries(d)) * (sizeof(std::uint32_t) + sizeof(std::int32_t)) +
           static_cast<double>(most_rows(d)) * (sizeof(Memory::Row) + sizeof(std::uint32_t));
}

SparseGramSums::SparseGramSums(Memory& memory, std::size_t d, unsigned threads)
    : memory_(&memory), d_(d), threads_(threads) {
    const auto grow = [](auto& values, std::size_t size) {
        values.resize(std::max(values.size(), size));
    };
    grow(memory.columns, most_entries(d));
    grow(memory.values, most_entries(d));
    grow(memory.rows, most_rows(d));
    grow(memory.next, most_rows(d) * threads);
}

void SparseGramSums::add(std::span<const SparseRow> rows, WideSums& total, int sign) noexcept {
    if (sign != sign_) {
        finish();
        sign_ = sign;
    }
    for (const SparseRow& row : rows) {
        const std::size_t count = row.columns.size();
        if (rows_ == most_rows(d_) || entries_ + count > most_entries(d_)) {
            finish();
        }
        std::copy(row.columns.begin(), row.columns.end(),
                  memory_->columns.begin() + static_cast<std::ptrdiff_t>(entries_));
        std::transform(row.values.begin(), row.values.end(),
                       memory_->values.begin() + static_cast<std::ptrdiff_t>(entries_),
                       [](double value) { return static_cast<std::int32_t>(value); });
        memory_->rows[rows_++] = {.total = &total, .begin = entries_, .end = entries_ + count};
        entries_ += count;
    }
}

void SparseGramSums::finish() noexcept {
    const auto waiting = std::span(memory_->rows).first(rows_);
    std::sort(waiting.begin(), waiting.end(), [](const Memory::Row& a, const Memory::Row& b) {
        return a.total == b.total ? a.begin < b.begin : std::less<>()(a.total, b.total);
    });
    constexpr std::size_t worth_a_thread = 4096;  // entries
    const std::size_t parts = entries_ < worth_a_thread ? 1 : threads_;
    // Each thread has columns of its own to add to, about as many entries of the Gram as the next.
    const auto border = [&](std::size_t part) {
        return static_cast<std::size_t>(
            std::lround(static_cast<double>(d_) *
                        std::sqrt(static_cast<double>(part) / static_cast<double>(parts))));
    };
    for (auto left = waiting; !left.empty();) {
        const WideSums* const total = left.front().total;
        const auto end = std::find_if(left.begin(), left.end(),
                                      [&](const Memory::Row& row) { return row.total != total; });
        const auto rows = left.first(static_cast<std::size_t>(end - left.begin()));
        parallel_ranges(static_cast<unsigned>(parts), parts,
                        [&](std::size_t first, std::size_t last) {
                            add_columns(rows, border(first), border(last),
                                        memory_->next.data() + first * most_rows(d_));
                        });
        left = left.subspan(rows.size());
    }
    rows_ = 0;
    entries_ = 0;
}

// The rows' products for columns first, ..., last - 1 of their total.
void SparseGramSums::add_columns(std::span<const Memory::Row> rows, std::size_t first,
                                 std::size_t last, std::uint32_t* next) noexcept {
    constexpr double entries_together = 0x1p16;  // of the Gram: 1 MiB
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::uint32_t* const columns = memory_->columns.data();
        next[i] = static_cast<std::uint32_t>(
            std::lower_bound(columns + rows[i].begin, columns + rows[i].end, first) -
            (columns + rows[i].begin));
    }
    for (std::size_t begin = first; begin < last;) {
        const double entries = static_cast<double>(packed_index(0, begin)) + entries_together;
        const auto end =
            std::clamp(static_cast<std::size_t>(std::sqrt(2.0 * entries)), begin + 1, last);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const std::uint32_t* const columns = memory_->columns.data() + rows[i].begin;
            const std::int32_t* const values = memory_->values.data() + rows[i].begin;
            const std::size_t count = rows[i].end - rows[i].begin;
            std::size_t k = next[i];
            for (; k < count && columns[k] < end; ++k) {
                WideSums& total = *rows[i].total;
                const std::size_t column = packed_index(0, columns[k]);
                const std::int64_t factor = sign_ * std::int64_t{values[k]};
                for (std::size_t j = 0; j <= k; ++j) {
                    total.add(column + columns[j], factor * values[j]);
                }
            }
            next[i] = static_cast<std::uint32_t>(k);
        }
        begin = end;
    }
}

}  // namespace dpcov::detail
