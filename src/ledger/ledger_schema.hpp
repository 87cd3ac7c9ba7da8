// The tables and triggers of a ledger's database, as each version has them.
#pragma once

#include <cstdint>
#include <string>

namespace dpcov::detail {

/// The version of ledgers that this dpcov makes.
inline constexpr std::int64_t ledger_version = 4;

/// What makes a ledger of version `after` one of `version`, as SQL; 0 is an empty database.
[[nodiscard]] std::string ledger_schema(std::int64_t after, std::int64_t version = ledger_version);

/// The query for what SQLite keeps of a schema's text; its own tables aside.
inline constexpr const char* ledger_objects =
    "SELECT group_concat(sql, '; ') FROM (SELECT sql FROM sqlite_schema"
    " WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name)";

/// What it says of a ledger of that version.
[[nodiscard]] std::string objects_of_version(std::int64_t version);

}  // namespace dpcov::detail
