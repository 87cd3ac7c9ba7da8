#include "tables/array_reader.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "dpcov/error.hpp"
#include "tables/array_header.hpp"
#include "tables/array_layout.hpp"
#include "tables/read_or_abandon.hpp"
#include "tables/row_finisher.hpp"

namespace dpcov {

namespace {

// How many rows there are may be private.
[[noreturn]] void throw_wrong_length(const std::string& table, const char* what) {
    throw DataError(table + ": the file is " + what + " its header says; fetch or save it again");
}

/// What both storage orders share.
class ArrayReader : public TableReader {
public:
    ArrayReader(std::unique_ptr<ByteStream> stream, const ArrayLayout& layout,
                const TableOptions& options)
        : stream_(std::move(stream)),
          layout_(layout),
          finisher_(stream_->name(), ColumnSelection(stream_->name(), layout.columns, {}, options),
                    options.bad_rows) {}

    [[nodiscard]] std::size_t columns() const noexcept override {
        return finisher_.selection().size();
    }
    [[nodiscard]] const Schema& schema() const noexcept override {
        return finisher_.selection().schema();
    }
    [[nodiscard]] std::optional<std::uint64_t> row_count_hint() const noexcept override {
        return layout_.rows;
    }

    std::size_t read(std::span<double> rows) final {
        const std::size_t capacity = rows.size() / columns();
        return read_or_abandon(*this, capacity, [&] { return read_up_to(capacity, rows); });
    }

protected:
    /// Decodes the selected columns of up to `most` rows from `first` on, row-major into `into`;
    /// returns how many rows, at least one. Rows are asked for in order.
    virtual std::size_t gather(std::uint64_t first, std::size_t most, std::span<double> into) = 0;

    /// Throws where something is wrong behind the last row, which was handed out.
    virtual void check_end() {}

    [[nodiscard]] ByteStream& stream() { return *stream_; }
    [[nodiscard]] const ArrayLayout& layout() const { return layout_; }
    [[nodiscard]] bool takes_all_in_order() const {
        return finisher_.selection().takes_all_in_order();
    }
    [[nodiscard]] const std::vector<std::size_t>& sources() const {
        return finisher_.selection().sources();
    }

private:
    std::size_t read_up_to(std::size_t capacity, std::span<double> rows) {
        std::size_t filled = 0;
        while (filled < capacity && next_row_ < layout_.rows) {
            const std::size_t most = static_cast<std::size_t>(
                std::min<std::uint64_t>(capacity - filled, layout_.rows - next_row_));
            const std::size_t count = gather(next_row_, most, rows.subspan(filled * columns()));
            finisher_.finish_rows(next_row_ + 1,
                                  rows.subspan(filled * columns(), count * columns()));
            filled += count;
            next_row_ += count;
            if (next_row_ == layout_.rows) {
                check_end();
            }
        }
        return filled;
    }

    std::unique_ptr<ByteStream> stream_;
    ArrayLayout layout_;
    RowFinisher finisher_;
    std::uint64_t next_row_ = 0;
};

/// Row-major arrays: read straight through.
class RowMajorReader final : public ArrayReader {
public:
    RowMajorReader(std::unique_ptr<ByteStream> source, const ArrayLayout& array,
                   const TableOptions& options)
        : ArrayReader(std::move(source), array, options),
          row_bytes_(array.columns * element_bytes(array.type)),
          batch_rows_(std::max<std::size_t>(1, batch_bytes / row_bytes_)),
          encoded_(needs_no_decoding() ? 0 : batch_rows_ * row_bytes_),
          decoded_(takes_all_in_order() ? 0 : batch_rows_ * array.columns) {
        if (array.rows == 0) {
            check_end();
        }
    }

protected:
    std::size_t gather(std::uint64_t /*first*/, std::size_t most, std::span<double> into) override {
        const std::size_t wanted = std::min(most, batch_rows_);
        if (needs_no_decoding()) {
            return read_whole_rows(bytes_of(into.first(wanted * columns())));
        }
        const std::size_t count = read_whole_rows(std::span(encoded_).first(wanted * row_bytes_));
        const std::span<const unsigned char> encoded =
            std::span(encoded_).first(count * row_bytes_);
        if (takes_all_in_order()) {
            decode(layout(), encoded, into.first(count * columns()));
            return count;
        }
        decode(layout(), encoded, std::span(decoded_).first(count * layout().columns));
        for (std::size_t i = 0; i < count; ++i) {
            const double* const row = decoded_.data() + i * layout().columns;
            double* const selected = into.data() + i * columns();
            for (std::size_t j = 0; j < columns(); ++j) {
                selected[j] = row[sources()[j]];
            }
        }
        return count;
    }

private:
    /// Whether the file has the rows as they are wanted.
    [[nodiscard]] bool needs_no_decoding() const {
        return takes_all_in_order() && is_native_double(layout());
    }

    static std::span<unsigned char> bytes_of(std::span<double> values) {
        return {reinterpret_cast<unsigned char*>(values.data()), values.size_bytes()};
    }

    /// How many rows were read, at least one. Those before the file's end, or before what the
    /// stream throws, come first: one of them may be bad, and batches begin anywhere.
    std::size_t read_whole_rows(std::span<unsigned char> into) {
        if (behind_rows_) {
            std::rethrow_exception(behind_rows_);
        }
        std::size_t filled = 0;
        try {
            while (filled < into.size()) {
                const std::size_t count = stream().read(into.subspan(filled));
                if (count == 0) {
                    throw_wrong_length(stream().name(), "shorter than");
                }
                filled += count;
            }
        } catch (...) {
            if (filled < row_bytes_) {
                throw;
            }
            behind_rows_ = std::current_exception();
        }
        return filled / row_bytes_;
    }

    /// Throws DataError where anything follows the last row.
    void check_end() override {
        std::array<unsigned char, 1> extra{};
        if (read_fully(stream(), extra) > 0) {
            throw_wrong_length(stream().name(), "longer than");
        }
    }

    /// Small enough to stay in the second-level cache, large enough to amortise a read.
    static constexpr std::size_t batch_bytes = std::size_t{1} << 18;

    std::size_t row_bytes_;
    std::size_t batch_rows_;  ///< whatever the number of rows, which memory may not tell
    std::vector<unsigned char> encoded_;
    std::vector<double> decoded_;
    std::exception_ptr behind_rows_;
};

/// Column-major arrays: a block of rows is a segment of each selected column. The block is made so
/// tall that the seeks between segments cost little. Segments are read in the order of the file: of
/// a compressed one, a block is then one pass over it.
class ColumnMajorReader final : public ArrayReader {
public:
    ColumnMajorReader(std::unique_ptr<ByteStream> source, const ArrayLayout& array,
                      const TableOptions& options)
        : ArrayReader(std::move(source), array, options),
          block_rows_(std::max<std::size_t>(1, block_values / columns())),
          stride_(block_rows_ | 1),
          segment_(block_rows_ * element_bytes(array.type)),
          block_(stride_ * columns()),
          in_file_order_(columns()) {
        std::iota(in_file_order_.begin(), in_file_order_.end(), std::size_t{0});
        std::sort(in_file_order_.begin(), in_file_order_.end(),
                  [this](std::size_t a, std::size_t b) { return sources()[a] < sources()[b]; });
        const std::uint64_t expected =
            array.data_offset + array.rows * array.columns * element_bytes(array.type);
        const std::uint64_t size = stream().size();
        if (size != expected) {
            throw_wrong_length(stream().name(), size < expected ? "shorter than" : "longer than");
        }
    }

protected:
    std::size_t gather(std::uint64_t first, std::size_t most, std::span<double> into) override {
        if (first == block_first_ + block_count_) {
            load_block(first);
        }
        const auto offset = static_cast<std::size_t>(first - block_first_);
        const std::size_t count = std::min(most, block_count_ - offset);
        for (std::size_t i = 0; i < count; ++i) {
            double* const selected = into.data() + i * columns();
            for (std::size_t j = 0; j < columns(); ++j) {
                selected[j] = block_[j * stride_ + offset + i];
            }
        }
        return count;
    }

private:
    /// 64 MiB of doubles: with a thousand columns a segment is still 8192 rows long.
    static constexpr std::size_t block_values = std::size_t{1} << 23;

    void load_block(std::uint64_t first) {
        block_first_ = first;
        block_count_ =
            static_cast<std::size_t>(std::min<std::uint64_t>(block_rows_, layout().rows - first));
        const std::size_t bytes = element_bytes(layout().type);
        const std::span<unsigned char> segment = std::span(segment_).first(block_count_ * bytes);
        for (const std::size_t j : in_file_order_) {
            stream().read_at(layout().data_offset + (sources()[j] * layout().rows + first) * bytes,
                             segment);
            decode(layout(), segment, std::span(block_).subspan(j * stride_, block_count_));
        }
    }

    std::size_t block_rows_;
    std::size_t stride_;  ///< odd, so that a row's values do not all fall into one cache set
    std::vector<unsigned char> segment_;
    std::vector<double> block_;
    std::vector<std::size_t> in_file_order_;  ///< the selected columns
    std::uint64_t block_first_ = 0;
    std::size_t block_count_ = 0;
};

}  // namespace

std::unique_ptr<TableReader> open_npy(std::unique_ptr<ByteStream> stream,
                                      const TableOptions& options) {
    const ArrayLayout layout = read_npy_header(*stream);
    if (!layout.column_major) {
        return std::make_unique<RowMajorReader>(std::move(stream), layout, options);
    }
    if (!stream->has_random_access()) {
        throw DataError(stream->name() +
                        ": a Fortran-order array in a pipe cannot be read by rows; write it to a "
                        "file first, or save it in C order with "
                        "numpy.save(name, numpy.ascontiguousarray(array))");
    }
    return std::make_unique<ColumnMajorReader>(std::move(stream), layout, options);
}

std::unique_ptr<TableReader> open_idx(std::unique_ptr<ByteStream> stream,
                                      const TableOptions& options) {
    const ArrayLayout layout = read_idx_header(*stream);
    return std::make_unique<RowMajorReader>(std::move(stream), layout, options);
}

}  // namespace dpcov
