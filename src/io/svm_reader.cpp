#include "io/svm_reader.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "dpcov/error.hpp"
#include "io/parse_number.hpp"
#include "io/record_parser.hpp"
#include "io/row_finisher.hpp"

namespace dpcov {

namespace {

class SvmReader final : public TableReader, private FieldSink {
public:
    SvmReader(std::unique_ptr<RecordParser> parser, RowFinisher finisher)
        : parser_(std::move(parser)), finisher_(std::move(finisher)) {}

    [[nodiscard]] std::size_t columns() const noexcept override {
        return finisher_.selection().size();
    }
    [[nodiscard]] const Schema& schema() const noexcept override {
        return finisher_.selection().schema();
    }
    [[nodiscard]] std::optional<std::uint64_t> row_count_hint() const noexcept override {
        return std::nullopt;
    }

    std::size_t read(std::span<double> rows) override {
        const std::size_t capacity = rows.size() / columns();
        if (capacity == 0) {
            throw UsageError("a block of rows must hold at least one row");
        }
        std::size_t filled = 0;
        while (filled < capacity && read_row(rows.subspan(filled * columns(), columns()))) {
            ++filled;
        }
        if (rows_read_ == 0) {
            throw DataError(parser_->name() + ": the file is empty");
        }
        return filled;
    }

private:
    bool read_row(std::span<double> row) {
        row_ = row;
        std::fill(row.begin(), row.end(), 0.0);
        at_label_ = true;
        bad_index_ = false;
        bad_cell_.reset();
        do {
            in_comment_ = false;
            if (!parser_->next_record(*this)) {
                return false;
            }
        } while (at_label_);  // a line of nothing but a comment is no row
        ++rows_read_;
        const RowPlace place{rows_read_, parser_->line()};
        if (bad_index_) {
            finisher_.reject_index(place, row);
        } else if (bad_cell_) {
            finisher_.reject(place, row, bad_cell_->first, bad_cell_->second);
        } else {
            finisher_.finish(place, row);
        }
        return true;
    }

    void take_field(std::string_view text) noexcept override {
        in_comment_ |= text.starts_with('#');
        if (text.empty() || in_comment_) {
            return;
        }
        if (std::exchange(at_label_, false) || text.starts_with("qid:")) {
            return;
        }
        const std::size_t colon = text.find(':');
        std::size_t index = 0;
        const char* index_end = text.data() + std::min(colon, text.size());
        const auto [end, error] = std::from_chars(text.data(), index_end, index);
        const std::size_t width = finisher_.selection().width();
        if (colon == std::string_view::npos || error != std::errc() || end != index_end ||
            index < 1 || index > width) {
            bad_index_ = true;
            return;
        }
        const std::size_t selected = finisher_.selection().selected_of()[index - 1];
        if (selected == ColumnSelection::not_selected) {
            return;
        }
        const ParsedNumber number = parse_number(text.substr(colon + 1));
        row_[selected] = number.value;
        if (number.problem && !bad_cell_) {
            bad_cell_.emplace(selected, *number.problem);
        }
    }

    std::unique_ptr<RecordParser> parser_;
    RowFinisher finisher_;
    std::uint64_t rows_read_ = 0;

    // The row that is being read.
    std::span<double> row_;
    bool at_label_ = true;
    bool in_comment_ = false;
    bool bad_index_ = false;
    std::optional<std::pair<std::size_t, CellProblem>> bad_cell_;
};

}  // namespace

std::unique_ptr<TableReader> open_svm(std::unique_ptr<ByteStream> stream,
                                      const TableOptions& options) {
    if (!options.dimension) {
        throw UsageError(
            stream->name() +
            ": a LIBSVM file does not say how many columns there are, and to count them would "
            "look at the records: give the number, which is public, with --dimension");
    }
    if (*options.dimension < 1 || *options.dimension > ColumnSelection::most_columns) {
        throw UsageError("--dimension must be from 1 to " +
                         std::to_string(ColumnSelection::most_columns));
    }
    auto parser = std::make_unique<RecordParser>(std::move(stream), ' ');
    ColumnSelection selection(parser->name(), *options.dimension, {}, options);
    RowFinisher finisher(parser->name(), std::move(selection), options.bad_rows);
    return std::make_unique<SvmReader>(std::move(parser), std::move(finisher));
}

}  // namespace dpcov
