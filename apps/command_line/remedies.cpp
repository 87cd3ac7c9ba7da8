#include "command_line/remedies.hpp"

#include <string_view>

namespace dpcov {
namespace {

std::string_view remedy_for(const DataError& error) {
    switch (error.problem()) {
        case DataProblem::missing:
            return "correct the row, take such rows as zero vectors with --bad-rows "
                   "zero, or give the column a fill with --bounds";
        case DataProblem::not_a_number:
        case DataProblem::infinite:
            return "correct the row, take such rows as zero vectors with --bad-rows "
                   "zero, or give the column bounds and a fill with --bounds";
        case DataProblem::out_of_range:
            return "correct the row, or take such rows as zero vectors with --bad-rows "
                   "zero";
        case DataProblem::unreadable:
            if (error.place().row == 1 && error.place().line == 1) {
                return "if the line is a header of a CSV, say --header yes; if the column holds "
                       "text, leave it out, of --columns or of the file of --bounds, or write it "
                       "as numbers: yes and no as 1 and 0, dates as days; else correct the row";
            }
            return "if the column holds text, leave it out, of --columns or of the file of "
                   "--bounds, or write it as numbers: yes and no as 1 and 0, dates as days. For "
                   "a few such cells in a column of numbers give it a fill there; else correct the "
                   "row";
        case DataProblem::width:
            if (!error.place().row) {
                return "correct the line";
            }
            // The first row already: then it is the header, or the delimiter, that is wrong.
            if (error.place().row == 1) {
                return "does the header belong to these rows, and is the delimiter right "
                       "(--header, --delimiter)?";
            }
            return "correct the row, or take such rows as zero vectors with --bad-rows "
                   "zero";
        case DataProblem::sparse_index:
            return "is the number of columns right (--dimension)? If it is, correct the "
                   "row, or take such rows as zero vectors with --bad-rows zero";
        case DataProblem::blank:
            return error.place().row ? "complete the line, or take such rows as zero vectors with "
                                       "--bad-rows zero: then it counts as a row"
                                     : "remove the line";
        case DataProblem::quotes:
            return error.place().row
                       ? "correct the row, which is one line, without line ends inside fields; or "
                         "take such rows as zero vectors with --bad-rows zero"
                       : "the header is one line; correct it";
        case DataProblem::too_long:
            return error.place().row ? "correct the row, or take such rows as zero vectors with "
                                       "--bad-rows zero"
                                     : "correct the line";
        case DataProblem::carriage_return:
            return "convert the line ends to LF or CRLF";
        case DataProblem::tabs:
            return "looks tab-separated: --format tsv";
        case DataProblem::semicolons:
            return "looks semicolon-separated: --delimiter ';', and --decimal , where numbers have "
                   "decimal commas";
        case DataProblem::decimal_comma:
            return "if it is a decimal comma, say --decimal ,; if it stands between thousands, "
                   "write the numbers without it";
        case DataProblem::decimal_point:
            return "if it is a decimal point, leave out --decimal; if it stands between thousands, "
                   "write the numbers without it";
        case DataProblem::thousands:
            return "looks like a thousands separator: write the numbers without it";
        case DataProblem::other:
            break;
    }
    return {};
}

std::string_view remedy_for(const UndeclaredError& error) {
    switch (error.what_is_missing()) {
        case Undeclared::format:
            return "say which with --format csv|tsv|npy|idx|svm";
        case Undeclared::header:
            return "say --header yes or --header no";
        case Undeclared::width:
            return "give it with --dimension D, or choose columns by index with --columns or "
                   "--bounds";
    }
    return {};
}

std::string message_with(std::string_view text, std::string_view remedy) {
    std::string result(text);
    if (!remedy.empty()) {
        result.append("; ").append(remedy);
    }
    return result;
}

}  // namespace

std::string with_remedy(const DataError& error) {
    return message_with(error.what(), remedy_for(error));
}

std::string with_remedy(const UndeclaredError& error) {
    return message_with(error.what(), remedy_for(error));
}

}  // namespace dpcov
