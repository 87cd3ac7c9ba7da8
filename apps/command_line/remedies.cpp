#include "command_line/remedies.hpp"

#include <string_view>

#include "command_line/arguments.hpp"
#include "dpcov/table.hpp"

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
                       "text, take its values as columns NAME=VALUE, or leave it out, of --columns "
                       "or of the file of --bounds, or write it as numbers, dates as days; else "
                       "correct the row";
            }
            return "if the column holds text, take its values as columns NAME=VALUE, or leave it "
                   "out, of --columns or of the file of --bounds, or write it as numbers, dates as "
                   "days; else correct the row";
        case DataProblem::missing_word:
            return "if it stands for a missing value, give the column a fill with --bounds, which "
                   "then replaces all that is no number there; if the column holds text, leave it "
                   "out or write it as numbers; else correct the row";
        case DataProblem::percent:
            return "write the numbers without it";
        case DataProblem::unit:
            return "write the numbers alone; if the column holds text, leave it out, of --columns "
                   "or of the file of --bounds, or write it as numbers";
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
            // In a table of one column it is a cell, too.
            if (error.place().column) {
                return "if it is no person's, remove it; if the value is missing, give the column "
                       "a fill with --bounds, or take such rows as zero vectors with --bad-rows "
                       "zero";
            }
            return error.place().row ? "a blank line is no person: remove it" : "remove the line";
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
            return "perhaps the delimiter is a tab: say --format tsv, or --delimiter tab";
        case DataProblem::semicolons:
            return "perhaps the delimiter is ';': say --delimiter ';', and --decimal , where "
                   "numbers have decimal commas";
        case DataProblem::bars:
            return "perhaps the delimiter is '|': say --delimiter '|'";
        case DataProblem::separator_line:
            return "remove it, and give its character as --delimiter";
        case DataProblem::decimal_comma:
            return "if it is a decimal comma, say --decimal ,; if it stands between thousands, "
                   "write the numbers without it";
        case DataProblem::decimal_point:
            return "if it is a decimal point, leave out --decimal; if it stands between thousands, "
                   "write the numbers without it";
        case DataProblem::thousands:
            return error.place().column
                       ? "write the numbers without them"
                       : "looks like thousands separators: write the numbers without them";
        case DataProblem::other:
            break;
    }
    return {};
}

std::string remedy_for(const UndeclaredError& error) {
    switch (error.what_is_missing()) {
        case Undeclared::format:
            return "say which with --format " + choices_of(format_words);
        case Undeclared::header:
            return "say --header yes or --header no";
        case Undeclared::width:
            return "give it with --dimension D, or choose columns by index with --columns or "
                   "--bounds";
        case Undeclared::delimiter:
            return "say it, as in --delimiter ';' or --delimiter tab";
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
