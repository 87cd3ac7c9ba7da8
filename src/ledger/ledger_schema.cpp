#include "ledger/ledger_schema.hpp"

#include <sqlite3.h>

#include <array>
#include <memory>

#include "dpcov/error.hpp"

namespace dpcov::detail {
namespace {

// Tables and triggers, a part for each version: a ledger has those of its own version and of all
// before it, word for word. The triggers keep it append-only for whoever opens the file with
// another program and means no harm; the chain of hashes shows what was done without them.
constexpr const char* entries_schema = R"sql(
    CREATE TABLE account (
        dataset     TEXT PRIMARY KEY NOT NULL,
        definition  TEXT NOT NULL CHECK (definition IN ('rho', 'epsilon', 'epsilon+delta')),
        amount      TEXT NOT NULL,
        delta       TEXT,
        neighbours  TEXT NOT NULL CHECK (neighbours IN ('replace', 'add-remove')),
        declared_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))
    ) STRICT;
    CREATE TABLE charge (
        id          INTEGER PRIMARY KEY AUTOINCREMENT,
        dataset     TEXT NOT NULL REFERENCES account (dataset),
        charged_at  TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now')),
        definition  TEXT NOT NULL CHECK (definition IN ('rho', 'epsilon')),
        amount      TEXT NOT NULL,
        method      TEXT NOT NULL,
        variant     TEXT NOT NULL
    ) STRICT;
    CREATE TRIGGER account_stays BEFORE UPDATE ON account
        BEGIN SELECT RAISE (ABORT, 'an account is not changed'); END;
    CREATE TRIGGER account_is_kept BEFORE DELETE ON account
        BEGIN SELECT RAISE (ABORT, 'an account is not deleted'); END;
    CREATE TRIGGER charge_stays BEFORE UPDATE ON charge
        BEGIN SELECT RAISE (ABORT, 'a charge is not changed'); END;
    CREATE TRIGGER charge_is_kept BEFORE DELETE ON charge
        BEGIN SELECT RAISE (ABORT, 'a charge is not taken back'); END;
)sql";

// REPLACE deletes rows without firing the triggers for that, hence those before an insertion.
constexpr const char* chain_schema = R"sql(
    CREATE TABLE link (
        position    INTEGER PRIMARY KEY AUTOINCREMENT,
        account     TEXT UNIQUE REFERENCES account (dataset),
        charge      INTEGER UNIQUE REFERENCES charge (id),
        hash        TEXT NOT NULL,
        CHECK ((account IS NULL) <> (charge IS NULL))
    ) STRICT;
    CREATE TRIGGER account_is_new BEFORE INSERT ON account
        WHEN EXISTS (SELECT 1 FROM account WHERE dataset = NEW.dataset OR rowid = NEW.rowid)
        BEGIN SELECT RAISE (ABORT, 'an account is not replaced'); END;
    CREATE TRIGGER charge_is_new BEFORE INSERT ON charge
        WHEN EXISTS (SELECT 1 FROM charge WHERE id = NEW.id)
        BEGIN SELECT RAISE (ABORT, 'a charge is not replaced'); END;
    CREATE TRIGGER link_is_new BEFORE INSERT ON link
        WHEN EXISTS (SELECT 1 FROM link WHERE position = NEW.position
                     OR account = NEW.account OR charge = NEW.charge)
        BEGIN SELECT RAISE (ABORT, 'a link is not replaced'); END;
    CREATE TRIGGER link_stays BEFORE UPDATE ON link
        BEGIN SELECT RAISE (ABORT, 'a link is not changed'); END;
    CREATE TRIGGER link_is_kept BEFORE DELETE ON link
        BEGIN SELECT RAISE (ABORT, 'a link is not deleted'); END;
)sql";

// Which charges are of Gaussian noise and no other; every entry is made with its charge, before the
// link that holds the hash of both.
constexpr const char* curve_schema = R"sql(
    CREATE TABLE gaussian_charge (
        charge      INTEGER PRIMARY KEY NOT NULL REFERENCES charge (id)
    ) STRICT;
    CREATE TRIGGER gaussian_charge_is_new BEFORE INSERT ON gaussian_charge
        WHEN EXISTS (SELECT 1 FROM gaussian_charge WHERE charge = NEW.charge)
          OR EXISTS (SELECT 1 FROM link WHERE charge = NEW.charge)
          OR NOT EXISTS (SELECT 1 FROM charge WHERE id = NEW.charge)
        BEGIN SELECT RAISE (ABORT, 'a charge is not changed'); END;
    CREATE TRIGGER gaussian_charge_stays BEFORE UPDATE ON gaussian_charge
        BEGIN SELECT RAISE (ABORT, 'a charge is not changed'); END;
    CREATE TRIGGER gaussian_charge_is_kept BEFORE DELETE ON gaussian_charge
        BEGIN SELECT RAISE (ABORT, 'a charge is not changed'); END;
)sql";

// Of accounts for people who may have several rows: how many. Every entry is made with its account,
// before the link that holds the hash of both.
constexpr const char* several_rows_schema = R"sql(
    CREATE TABLE several_rows (
        dataset     TEXT PRIMARY KEY NOT NULL REFERENCES account (dataset),
        most        INTEGER NOT NULL CHECK (most > 1)
    ) STRICT;
    CREATE TRIGGER several_rows_is_new BEFORE INSERT ON several_rows
        WHEN EXISTS (SELECT 1 FROM several_rows WHERE dataset = NEW.dataset
                     OR rowid = NEW.rowid)
          OR EXISTS (SELECT 1 FROM link WHERE account = NEW.dataset)
          OR NOT EXISTS (SELECT 1 FROM account WHERE dataset = NEW.dataset)
        BEGIN SELECT RAISE (ABORT, 'an account is not changed'); END;
    CREATE TRIGGER several_rows_stays BEFORE UPDATE ON several_rows
        BEGIN SELECT RAISE (ABORT, 'an account is not changed'); END;
    CREATE TRIGGER several_rows_is_kept BEFORE DELETE ON several_rows
        BEGIN SELECT RAISE (ABORT, 'an account is not changed'); END;
)sql";

constexpr std::array<const char*, ledger_version> schema_parts = {
    entries_schema, chain_schema, curve_schema, several_rows_schema};

// What `ledger_objects` tells of a database that holds `schema` and nothing else.
std::string objects_of(const std::string& schema) {
    sqlite3* opened = nullptr;
    const int status = sqlite3_open(":memory:", &opened);
    const std::unique_ptr<sqlite3, decltype(&sqlite3_close)> memory(opened, &sqlite3_close);
    sqlite3_stmt* prepared = nullptr;
    if (status == SQLITE_OK &&
        sqlite3_exec(opened, schema.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK) {
        sqlite3_prepare_v2(opened, ledger_objects, -1, &prepared, nullptr);
    }
    const std::unique_ptr<sqlite3_stmt, decltype(&sqlite3_finalize)> query(prepared,
                                                                           &sqlite3_finalize);
    if (!query || sqlite3_step(query.get()) != SQLITE_ROW) {
        throw DeviceError("SQLite cannot make a table in memory");
    }
    const unsigned char* text = sqlite3_column_text(query.get(), 0);
    return text == nullptr ? "" : reinterpret_cast<const char*>(text);
}

}  // namespace

std::string ledger_schema(std::int64_t after, std::int64_t version) {
    std::string schema;
    for (std::int64_t part = after; part < version; ++part) {
        schema += schema_parts.at(static_cast<std::size_t>(part));
    }
    return schema;
}

std::string objects_of_version(std::int64_t version) {
    return objects_of(ledger_schema(0, version));
}

}  // namespace dpcov::detail
