#include "io/csv_reader.hpp"

#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dpcov/error.hpp"
#include "io/parse_number.hpp"
#include "io/record_parser.hpp"
#include "io/row_finisher.hpp"

namespace dpcov {

namespace {

/// Keeps the fields of the first record, from which the width and the names come.
class FieldCollector final : public FieldSink {
public:
    void take_field(std::string_view text) noexcept override {
        try {
            if (fields_.size() <= ColumnSelection::most_columns) {
                fields_.emplace_back(text);
            }
        } catch (...) {
            failure_ = std::current_exception();
        }
    }

    [[nodiscard]] std::vector<std::string> fields() && {
        if (failure_) {
            std::rethrow_exception(failure_);
        }
        return std::move(fields_);
    }

private:
    std::vector<std::string> fields_;
    std::exception_ptr failure_;
};

/// Whether the first record is a header. Column names reach messages and the released file, so a
/// person's record must never be taken for one: a mixture of names and numbers is not guessed at.
bool is_header(const std::string& table, const std::vector<std::string>& first_record,
               Header header) {
    if (header != Header::detect) {
        return header == Header::yes;
    }
    bool any_number = false;
    bool any_name = false;
    for (const std::string& field : first_record) {
        const ParsedNumber number = parse_number(field);
        any_number |= !number.problem || *number.problem == CellProblem::out_of_range;
        any_name |= number.problem == CellProblem::unreadable;
    }
    if (any_number && any_name) {
        throw DataError(table +
                        ": the first record holds numbers and text, so it may be a header or a "
                        "row; say which with --header yes or --header no");
    }
    return any_name;
}

class CsvReader final : public TableReader, private FieldSink {
public:
    CsvReader(std::unique_ptr<RecordParser> parser, RowFinisher finisher,
              std::optional<std::vector<std::string>> first_row)
        : parser_(std::move(parser)),
          finisher_(std::move(finisher)),
          first_row_(std::move(first_row)) {}

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
            throw DataError(parser_->name() + ": the table has a header but no rows");
        }
        return filled;
    }

private:
    struct BadCell {
        std::size_t selected;
        CellProblem problem;
    };

    bool read_row(std::span<double> row) {
        row_ = row;
        fields_ = 0;
        bad_cell_.reset();
        if (first_row_) {
            for (const std::string& field : *first_row_) {
                take_field(field);
            }
            first_row_.reset();
        } else if (!parser_->next_record(*this)) {
            return false;
        }
        ++rows_read_;
        const RowPlace place{rows_read_, parser_->line()};
        if (fields_ != finisher_.selection().width()) {
            finisher_.reject_width(place, row, fields_);
        } else if (bad_cell_) {
            finisher_.reject(place, row, bad_cell_->selected, bad_cell_->problem);
        } else {
            finisher_.finish(place, row);
        }
        return true;
    }

    void take_field(std::string_view text) noexcept override {
        const std::vector<std::size_t>& selected_of = finisher_.selection().selected_of();
        const std::size_t source = fields_++;
        if (source >= selected_of.size() || selected_of[source] == ColumnSelection::not_selected) {
            return;
        }
        const std::size_t selected = selected_of[source];
        const ParsedNumber number = parse_number(text);
        row_[selected] = number.value;
        if (number.problem && !bad_cell_) {
            bad_cell_ = BadCell{selected, *number.problem};
        }
    }

    std::unique_ptr<RecordParser> parser_;
    RowFinisher finisher_;
    std::optional<std::vector<std::string>> first_row_;  ///< the first record, until it is read
    std::uint64_t rows_read_ = 0;

    // The row that is being read.
    std::span<double> row_;
    std::size_t fields_ = 0;
    std::optional<BadCell> bad_cell_;
};

}  // namespace

std::unique_ptr<TableReader> open_csv(std::unique_ptr<ByteStream> stream, char separator,
                                      const TableOptions& options) {
    auto parser = std::make_unique<RecordParser>(std::move(stream), separator);
    FieldCollector collector;
    if (!parser->next_record(collector)) {
        throw DataError(parser->name() + ": the file is empty");
    }
    std::vector<std::string> first_record = std::move(collector).fields();
    const std::size_t width = first_record.size();
    if (width > ColumnSelection::most_columns) {
        throw DataError(parser->name() + ": the first record has more than the " +
                        std::to_string(ColumnSelection::most_columns) +
                        " columns that can be used");
    }
    std::vector<std::string> names;
    std::optional<std::vector<std::string>> first_row;
    if (is_header(parser->name(), first_record, options.header)) {
        names = std::move(first_record);
    } else {
        first_row = std::move(first_record);
    }
    ColumnSelection selection(parser->name(), width, std::move(names), options);
    RowFinisher finisher(parser->name(), std::move(selection), options.bad_rows);
    return std::make_unique<CsvReader>(std::move(parser), std::move(finisher),
                                       std::move(first_row));
}

}  // namespace dpcov
