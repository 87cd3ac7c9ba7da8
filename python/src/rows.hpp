// Rows in other people's memory: matrices, columns and sparse rows of any type of number, turned
// into doubles a block at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace dpcov::python {

/// How one value lies in memory.
enum class Element {
    bits,  ///< one bit each, the least significant first
    boolean,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
    float16,
    float32,
    float64,
    decimal32,  ///< a whole number; so many digits behind the point as its column has
    decimal64,
    decimal128,
    none,  ///< every value is missing
    // Text, which is a number only where it is compared with one: where it ends, or what Arrow
    // calls a view of it.
    text32,
    text64,
    text_view,
};

[[nodiscard]] std::size_t bytes_of(Element element) noexcept;

/// The number that the value of an indicator is, for a column of numbers or, with `truth`, of truth
/// values; the nearest one in floats of `float_bytes`, of 2, 4 or 8. UsageError, which calls the
/// column by `label`, where it is none.
[[nodiscard]] double number_of_value(const std::string& label, const std::string& value, bool truth,
                                     std::size_t float_bytes);

/// One bit for each value, the least significant first: 0 where it is missing. No bits: none is.
struct Validity {
    const std::uint8_t* bits = nullptr;
    std::size_t offset = 0;

    [[nodiscard]] bool is_missing(std::size_t i) const noexcept {
        const std::size_t bit = offset + i;
        return bits != nullptr && ((bits[bit / 8] >> (bit % 8)) & 1U) == 0;
    }
};

/// A column: value i is `stride` bytes behind value i - 1, or one bit.
struct ColumnView {
    const unsigned char* data = nullptr;
    Element element = Element::float64;
    std::ptrdiff_t stride = 0;  ///< bytes; no matter for bits
    std::size_t offset = 0;     ///< of value 0, for bits
    int places = 0;             ///< digits behind the point, of decimals
    Validity valid = {};
    Validity row_valid = {};  ///< of the row as a whole
    /// The bytes of text, as Arrow has them: one buffer, or those that views name.
    const void* const* text = nullptr;
    /// For an indicator: a text, or a number, that is equal becomes 1, and any other 0.
    std::string equal_text = {};
    std::optional<double> equal_number = {};
    /// For a dictionary: its values, of which the column has the places.
    std::shared_ptr<const ColumnView> entries = nullptr;
    std::size_t entry_count = 0;
};

/// Rows that can be read as doubles. They do not own their memory. A missing value is NaN; 64-bit
/// integers beyond 2^53, and decimals, are rounded to the nearest double.
class Rows {
public:
    Rows() = default;
    Rows(const Rows&) = delete;
    Rows& operator=(const Rows&) = delete;
    virtual ~Rows() = default;

    [[nodiscard]] virtual std::size_t count() const noexcept = 0;
    /// Rows first, ..., first + count - 1, row-major.
    virtual void gather(std::size_t first, std::size_t count, double* into) const = 0;
    /// Itself, where zeros are left out; else none.
    [[nodiscard]] virtual const class SparseRows* sparse() const noexcept { return nullptr; }
    /// All rows where they lie in memory just so; else none.
    [[nodiscard]] virtual const double* in_place() const noexcept { return nullptr; }
};

/// Columns, side by side.
class ColumnRows final : public Rows {
public:
    ColumnRows(std::vector<ColumnView> columns, std::size_t count)
        : columns_(std::move(columns)), count_(count) {}

    [[nodiscard]] std::size_t count() const noexcept override { return count_; }
    void gather(std::size_t first, std::size_t count, double* into) const override;

private:
    std::vector<ColumnView> columns_;
    std::size_t count_;
};

/// A matrix the values of whose rows are neighbours, all columns taken in their order.
class MatrixRows final : public Rows {
public:
    MatrixRows(const unsigned char* data, Element element, std::size_t count, std::size_t columns,
               std::ptrdiff_t stride)
        : data_(data), element_(element), count_(count), columns_(columns), stride_(stride) {}

    [[nodiscard]] std::size_t count() const noexcept override { return count_; }
    void gather(std::size_t first, std::size_t count, double* into) const override;
    [[nodiscard]] const double* in_place() const noexcept override;

private:
    const unsigned char* data_;
    Element element_;
    std::size_t count_;
    std::size_t columns_;
    std::ptrdiff_t stride_;  ///< bytes from row to row
};

/// One row of a sparse matrix, in memory that is taken for all columns at once.
class SparseScratch {
public:
    explicit SparseScratch(std::size_t columns) : sums_(columns), is_there_(columns) {
        places_.reserve(columns);
    }

    void clear();
    /// Values of the same place add up, in the order in which they come.
    void add(std::size_t place, double value);
    /// Ascending, after what was added.
    [[nodiscard]] std::span<const std::uint32_t> places();
    [[nodiscard]] double value(std::size_t place) const { return sums_[place]; }

private:
    std::vector<double> sums_;
    std::vector<char> is_there_;
    std::vector<std::uint32_t> places_;
};

/// Sparse rows (CSR). Values of the same place add up.
class SparseRows final : public Rows {
public:
    /// Column taken[j] of the `width` that the matrix has becomes column j. UsageError unless
    /// starts ascend within the values.
    SparseRows(ColumnView values, std::vector<std::int64_t> starts, ColumnView indices,
               std::size_t stored, std::size_t width, const std::vector<std::size_t>& taken);

    [[nodiscard]] std::size_t count() const noexcept override { return starts_.size() - 1; }
    void gather(std::size_t first, std::size_t count, double* into) const override;
    [[nodiscard]] const SparseRows* sparse() const noexcept override { return this; }
    /// One row. False, and nothing is said of it, where one of its indices is no column of the
    /// matrix. (gather() takes the others of such a row.)
    [[nodiscard]] bool gather_row(std::size_t row, double* into) const;
    /// The same, its zeros left out.
    [[nodiscard]] bool gather_sparse(std::size_t row, SparseScratch& into) const;

private:
    // Whether all indices are columns.
    template <class Take>
    [[nodiscard]] bool for_entries(std::size_t row, const Take& take) const;

    ColumnView values_;
    std::vector<std::int64_t> starts_;
    ColumnView indices_;
    std::size_t width_;
    std::size_t columns_;
    bool all_in_order_;
    std::vector<std::pair<std::size_t, std::size_t>> places_;  // of columns, ascending
};

/// Values of a column as integers, for indices.
[[nodiscard]] std::vector<std::int64_t> integers_of(const ColumnView& column, std::size_t count);

}  // namespace dpcov::python
