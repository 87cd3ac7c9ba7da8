#include "ledger/ledger_query.hpp"

#include <charconv>
#include <system_error>

#include "ledger/ledger_file.hpp"

namespace dpcov::detail {

LedgerQuery::LedgerQuery(LedgerFile& file, const char* sql) : file_(file) {
    file_.check(sqlite3_prepare_v2(file_.handle(), sql, -1, &statement_, nullptr));
}

LedgerQuery::~LedgerQuery() {
    sqlite3_finalize(statement_);
}

LedgerQuery& LedgerQuery::bind(std::string_view text) {
    ++bound_;
    file_.check(sqlite3_bind_text(statement_, bound_, text.data(), static_cast<int>(text.size()),
                                  SQLITE_TRANSIENT));
    return *this;
}

bool LedgerQuery::step() {
    const int status = sqlite3_step(statement_);
    file_.check(status);
    return status == SQLITE_ROW;
}

std::string LedgerQuery::text(int column) const {
    return std::string(bytes(column).value_or(""));
}

std::optional<std::string_view> LedgerQuery::bytes(int column) const {
    const unsigned char* text = sqlite3_column_text(statement_, column);
    if (text == nullptr) {
        return std::nullopt;
    }
    return std::string_view(reinterpret_cast<const char*>(text),
                            static_cast<std::size_t>(sqlite3_column_bytes(statement_, column)));
}

std::int64_t LedgerQuery::integer(int column) const {
    return sqlite3_column_int64(statement_, column);
}

double LedgerQuery::number(int column) const {
    const std::string spelled = text(column);
    const char* end = spelled.data() + spelled.size();
    double value = 0.0;
    const auto [stop, error] = std::from_chars(spelled.data(), end, value);
    if (error != std::errc() || stop != end) {
        file_.changed();
    }
    return value;
}

}  // namespace dpcov::detail
