// One statement of SQL with its values bound, and its results.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dpcov::detail {

class LedgerFile;

/// One statement and its results.
class LedgerQuery {
public:
    LedgerQuery(LedgerFile& file, const char* sql);
    ~LedgerQuery();
    LedgerQuery(const LedgerQuery&) = delete;
    LedgerQuery& operator=(const LedgerQuery&) = delete;

    /// The next parameter's value.
    LedgerQuery& bind(std::string_view text);
    /// Runs up to the next row; whether there is one.
    bool step();
    /// All of a text, zero bytes included; none for NULL. Valid until the next step.
    [[nodiscard]] std::optional<std::string_view> bytes(int column) const;
    /// The same, empty for NULL, to keep.
    [[nodiscard]] std::string text(int column) const;
    [[nodiscard]] std::int64_t integer(int column) const;
    /// A number that is kept as decimal text; the file was changed where it is none.
    [[nodiscard]] double number(int column) const;

private:
    LedgerFile& file_;
    sqlite3_stmt* statement_ = nullptr;
    int bound_ = 0;
};

}  // namespace dpcov::detail
