#include "tables/svm_reader.hpp"

#include <algorithm>
#include <charconv>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "dpcov/error.hpp"
#include "tables/line_reader.hpp"
#include "tables/row_finisher.hpp"
#include "tables/sparse_block.hpp"
#include "tables/text_reader.hpp"

namespace dpcov {

namespace {

/// Takes the first word off the text; empty where there is none.
std::string_view take_word(std::string_view& text) {
    constexpr std::string_view blanks = " \t";
    text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
    const std::string_view word = text.substr(0, text.find_first_of(blanks));
    text.remove_prefix(word.size());
    return word;
}

/// A row as it is filled in: with all its values.
class WholeRow {
public:
    explicit WholeRow(std::span<double> values) : values_(values) {}
    void clear() const { std::fill(values_.begin(), values_.end(), 0.0); }
    void put(std::size_t column, double value) const { values_[column] = value; }
    void finish(const RowFinisher& finisher, const RowPlace& place) const {
        finisher.finish(place, values_);
    }

private:
    std::span<double> values_;
};

/// The same, with those that stand in the text.
class RowOfEntries {
public:
    RowOfEntries(SparseBlock& block, std::size_t row) : block_(&block), row_(row) {}
    void clear() const { block_->clear(row_); }
    void put(std::size_t column, double value) const {
        block_->put(row_, static_cast<std::uint32_t>(column), value);
    }
    void finish(const RowFinisher& finisher, const RowPlace& place) const {
        if (!finisher.finish_sparse(place, block_->columns(row_), block_->values(row_))) {
            clear();
        }
    }

private:
    SparseBlock* block_;
    std::size_t row_;
};

class SvmReader final : public TextReader, public SparseReader {
public:
    SvmReader(LineReader lines, RowFinisher finisher, unsigned threads)
        : TextReader(std::move(lines), std::move(finisher), threads) {}

    [[nodiscard]] bool keeps_zeros() const noexcept override {
        return !finisher().selection().has_bounds();
    }

    std::size_t read_sparse(SparseBlock& rows) override {
        return read_rows(rows.capacity(),
                         [&](std::size_t i, const RowPlace& place, const Record& record) {
                             read_fields(place, record, RowOfEntries(rows, i));
                         });
    }

private:
    void read_row(const RowPlace& place, const Record& record,
                  std::span<double> row) const override {
        read_fields(place, record, WholeRow(row));
    }

    template <class Row>
    void read_fields(const RowPlace& place, const Record& record, Row row) const {
        row.clear();
        const auto reject = [&](DataProblem problem, std::string_view reason) {
            row.clear();
            finisher().reject_row(place, {}, problem, reason);
        };
        if (record.too_long) {
            reject(DataProblem::too_long, "the row is too long for its columns");
            return;
        }
        if (record.text.find('\r') != std::string_view::npos) {
            reject(DataProblem::carriage_return,
                   "a carriage return stands inside the line; lines end in LF or CRLF");
            return;
        }
        std::string_view text = record.text.substr(0, record.text.find('#'));
        const std::string_view label = take_word(text);
        if (label.empty()) {
            reject(DataProblem::blank, "the line is blank, or nothing but a comment");
            return;
        }
        bool bad_index = label.find(':') != std::string_view::npos;  // no label, but a field
        bool counts_from_zero = false;
        std::optional<BadCell> bad_cell;
        while (!bad_index) {
            const std::string_view field = take_word(text);
            if (field.empty()) {
                break;
            }
            if (!field.starts_with("qid:")) {
                bad_index = !take_field(field, row, bad_cell);
                counts_from_zero = field.starts_with("0:");
            }
        }
        if (bad_index) {
            const std::string reason =
                finisher().zeroes()
                    ? std::string()
                    : "the row is not a label and fields index:value with indices "
                      "from 1" +
                          (finisher().selection().width_is_exact()
                               ? " to " + std::to_string(finisher().selection().width())
                               : std::string()) +
                          (counts_from_zero ? ", and it has an index 0: write the file again with "
                                              "indices from 1 (in scikit-learn zero_based=False)"
                                            : "");
            reject(DataProblem::sparse_index, reason);
        } else if (bad_cell) {
            row.clear();
            finisher().reject(place, {}, bad_cell->selected, bad_cell->problem);
        } else {
            row.finish(finisher(), place);
        }
    }

    /// False where the index is none.
    template <class Row>
    bool take_field(std::string_view field, Row row, std::optional<BadCell>& bad_cell) const {
        const ColumnSelection& selection = finisher().selection();
        const std::size_t colon = field.find(':');
        std::size_t index = 0;
        const char* const index_end = field.data() + std::min(colon, field.size());
        const auto [end, error] = std::from_chars(field.data(), index_end, index);
        if (colon == std::string_view::npos || error != std::errc() || end != index_end ||
            index < 1 || (index > selection.width() && selection.width_is_exact())) {
            return false;
        }
        if (index > selection.width()) {
            return true;  // behind those that are selected
        }
        const std::size_t selected = selection.selected_of()[index - 1];
        if (selected == ColumnSelection::not_selected) {
            return true;
        }
        row.put(selected, take_cell(parse_number(field.substr(colon + 1)), selected, bad_cell,
                                    std::identity()));
        return true;
    }
};

}  // namespace

std::unique_ptr<TableReader> open_svm(std::unique_ptr<ByteStream> stream,
                                      const TableOptions& options, std::size_t longest_line) {
    if (options.dimension) {
        ColumnSelection::check_dimension(*options.dimension);
    } else if (options.columns.empty() && options.bounds.empty()) {
        throw UndeclaredError(
            stream->name() +
                ": a LIBSVM file does not say how many columns there are, and to count them would "
                "look at the rows; declare the number, which is public",
            Undeclared::width);
    }
    LineReader lines(std::move(stream), longest_line);
    if (options.bad_rows == BadRows::error) {
        lines.settle_encoding();
    }
    ColumnSelection selection(lines.name(), options.dimension, {}, options);
    lines.make_room_for(selection.width());
    RowFinisher finisher(lines.name(), std::move(selection), options.bad_rows);
    return std::make_unique<SvmReader>(std::move(lines), std::move(finisher), options.threads);
}

}  // namespace dpcov
