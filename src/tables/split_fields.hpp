// Separated values as in RFC 4180: a record becomes fields.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace dpcov {

/// How a record ended.
enum class SplitEnd {
    done,
    open_quote,        ///< of a field that does not end
    text_after_quote,  ///< a quoted field is followed by something else than a delimiter
    carriage_return,   ///< between the fields; it ends no line
};

/// Whether there is nothing but blanks in the text.
[[nodiscard]] inline bool is_blank(std::string_view text, char delimiter) noexcept {
    for (const char c : text) {
        if ((c != ' ' && c != '\t') || c == delimiter) {
            return false;
        }
    }
    return true;
}

/// A quoted field's text with each doubled quote as one.
[[nodiscard]] std::string without_doubled_quotes(std::string_view text);

/// Whether that is `text`; without memory for it.
[[nodiscard]] bool is_with_doubled_quotes(std::string_view quoted, std::string_view text) noexcept;

/// For split_fields: no field is taken unseen.
struct TakeNone {
    std::size_t operator()(std::string_view /*rest*/) const noexcept { return 0; }
};

/// Hands every field of `record` to `take(std::string_view text, bool quoted)`. A
/// field is quoted where its first character that is no blank is a quote: its text is what stands
/// between the quotes, with doubled quotes still doubled. A quote in another field is plain text.
/// Blanks around an unquoted field belong to it. There is always one field at least. Takes no
/// memory.
///
/// Before that, `take_front(std::string_view rest)` sees the record from the field on. It may take
/// the field itself and say how long it is, which saves looking for its end. The field must then be
/// an unquoted one up to the delimiter or the record's end, not empty and without a carriage
/// return; else 0.
template <class TakeField, class TakeFront = TakeNone>
SplitEnd split_fields(std::string_view record, char delimiter, TakeField&& take,
                      TakeFront&& take_front = {}) {
    std::size_t field = 0;  // where the next one begins
    const auto skip_blanks = [record, delimiter](std::size_t from) {
        while (from < record.size() && (record[from] == ' ' || record[from] == '\t') &&
               record[from] != delimiter) {
            ++from;
        }
        return from;
    };
    // Looked for once.
    std::optional<std::size_t> carriage_return;
    for (;;) {
        if (const std::size_t length = take_front(record.substr(field)); length > 0) {
            if (field + length == record.size()) {
                return SplitEnd::done;
            }
            field += length + 1;
            continue;
        }
        const std::size_t first = skip_blanks(field);
        std::size_t end = 0;
        if (first < record.size() && record[first] == '"') {
            std::size_t quote = first + 1;
            for (;;) {
                quote = record.find('"', quote);
                if (quote == std::string_view::npos) {
                    return SplitEnd::open_quote;
                }
                if (quote + 1 == record.size() || record[quote + 1] != '"') {
                    break;
                }
                quote += 2;
            }
            end = skip_blanks(quote + 1);
            if (end < record.size() && record[end] != delimiter) {
                return SplitEnd::text_after_quote;
            }
            take(record.substr(first + 1, quote - first - 1), true);
        } else {
            end = record.find(delimiter, field);
            if (!carriage_return || *carriage_return < field) {
                carriage_return = std::min(record.find('\r', field), record.size());
            }
            if (*carriage_return < std::min(end, record.size())) {
                return SplitEnd::carriage_return;
            }
            take(record.substr(field, end - field), false);
        }
        if (end >= record.size()) {
            return SplitEnd::done;
        }
        field = end + 1;
    }
}

}  // namespace dpcov
