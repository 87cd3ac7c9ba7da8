#include "ledger/ledger_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "dpcov/error.hpp"
#include "files/file_error.hpp"
#include "files/mount_point.hpp"
#include "ledger/ledger_chain.hpp"

namespace dpcov::detail {
namespace {

// "dpcL", where SQLite keeps what a file is for.
constexpr int application_id = 0x6470634C;
constexpr int version_without_chain = 1;
constexpr int version_without_curves = 2;

// Tables and triggers, in three parts: a ledger of version 1 has the first, one of version 2 the
// first two, word for word. The triggers keep it append-only for whoever opens the file with
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

// What SQLite keeps of a schema's text; its own tables aside.
constexpr const char* objects =
    "SELECT group_concat(sql, '; ') FROM (SELECT sql FROM sqlite_schema"
    " WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name)";

// The same of a database that holds `schema` and nothing else.
std::string objects_of(const std::string& schema) {
    sqlite3* memory = nullptr;
    std::string text;
    const auto keep = [](void* into, int, char** values, char**) {
        *static_cast<std::string*>(into) = values[0] == nullptr ? "" : values[0];
        return 0;
    };
    const bool done =
        sqlite3_open(":memory:", &memory) == SQLITE_OK &&
        sqlite3_exec(memory, schema.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK &&
        sqlite3_exec(memory, objects, keep, &text, nullptr) == SQLITE_OK;
    sqlite3_close(memory);
    if (!done) {
        throw DeviceError("SQLite cannot make a table in memory");
    }
    return text;
}

std::string objects_of_version(std::int64_t version) {
    return objects_of(std::string(entries_schema) +
                      (version > version_without_chain ? chain_schema : "") +
                      (version > version_without_curves ? curve_schema : ""));
}

/// The errno that stands in the way of a file or of a journal beside it; 0 where none does. (What
/// SQLite keeps is that of its last attempt, which is another one.)
int why_not_writable(const std::string& path) {
    const std::filesystem::path folder = std::filesystem::path(path).parent_path();
    if (::access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) != 0) {
        return errno;
    }
    return ::access(path.c_str(), R_OK | W_OK) != 0 && errno != ENOENT ? errno : 0;
}

// What a crash left beside one name is not found by whoever opens the other, and undoes what that
// one charges.
void require_one_name(const std::string& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) {
        return;
    }
    if (S_ISREG(status.st_mode) && status.st_nlink > 1) {
        throw DeviceError("the ledger " + path +
                          " has several names (hard links): after a crash under one of them a "
                          "charge under another would be lost. Remove the other names");
    }
    if (is_mount_point(path)) {
        throw DeviceError("the ledger " + path +
                          " is mounted by itself: after a crash here a charge elsewhere would be "
                          "lost. Mount its folder in place of the file");
    }
}

// Of what integrity_check says: "Page 2: unable to get the page. error code=8458".
bool is_device_error(const std::string& found) {
    constexpr std::string_view mark = "error code=";
    const std::size_t at = found.find(mark);
    int code = 0;
    if (at != std::string::npos) {
        const char* const begin = found.data() + at + mark.size();
        std::from_chars(begin, found.data() + found.size(), code);
    }
    return (code & 0xff) == SQLITE_IOERR;
}

}  // namespace

LedgerFile::LedgerFile(std::string path, bool create) : path_(std::move(path)) {
    check_path(path_);
    if (path_.empty()) {
        throw UsageError("the ledger's path is empty");
    }
    // An empty file is left where a declaration failed; another process may be declaring in it.
    std::error_code none;
    const bool is_empty =
        !std::filesystem::exists(path_, none) || (std::filesystem::is_regular_file(path_, none) &&
                                                  std::filesystem::file_size(path_, none) == 0);
    if (!create && is_empty) {
        throw DeviceError(
            "there is no ledger " + path_ + "; it begins with the declaration of an account",
            ENOENT);
    }
    const int flags = SQLITE_OPEN_READWRITE | (create ? SQLITE_OPEN_CREATE : 0);
    require_one_name(path_);
    // An absolute path is a file's, and nothing else: no ":memory:", and no URI with settings.
    std::error_code unresolved;
    absolute_ = std::filesystem::absolute(path_, unresolved).string();
    if (unresolved) {
        throw DeviceError("the ledger " + path_ + ": the working folder is not there any more; " +
                          "give an absolute path");
    }
    folder_ = open_folder(resolved_folder_of(absolute_));
    const int status = sqlite3_open_v2(absolute_.c_str(), &handle_, flags, nullptr);
    try {
        if (status != SQLITE_OK) {
            check(status);
        }
        prepare(create);
    } catch (...) {
        sqlite3_close(handle_);
        throw;
    }
}

LedgerFile::~LedgerFile() {
    sqlite3_close(handle_);
}

void LedgerFile::require_folder() const {
    if (!folder_.is_open()) {
        throw DeviceError("cannot write the ledger " + path_ +
                          ": its folder cannot be opened, and so not be synchronised; make it "
                          "readable for you");
    }
    sync_folder("nothing was charged");
}

void LedgerFile::sync_folder(std::string_view so_far) const {
    const int status = sync_descriptor(folder_.get());
    // Not every file system knows such a thing.
    if (status != 0 && errno != EINVAL && errno != EOPNOTSUPP && errno != ENOSYS) {
        throw DeviceError("the folder of the ledger " + path_ + " cannot be synchronised: " +
                          std::strerror(errno) + "; " + std::string(so_far));
    }
}

void LedgerFile::prepare(bool create) {
    check(sqlite3_busy_timeout(handle_, LedgerLock::patience.count()));
    {
        // Not in a transaction, where the first of these is refused; but it reads the file.
        const LedgerLock lock(absolute_);
        // A commit is on the disk when it returns, the removal of the journal included.
        run("PRAGMA synchronous = EXTRA; PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF");
    }
    if (create) {
        LedgerTransaction transaction(*this);
        if (number("SELECT count(*) FROM sqlite_schema") == 0) {
            run(entries_schema);
            run("PRAGMA application_id = " + std::to_string(application_id));
            bring_up_to_date(version_without_chain);
        }
        transaction.commit();
    }
    if (checked_version() < schema_version) {
        LedgerTransaction transaction(*this);
        bring_up_to_date(number("PRAGMA user_version"));  // somebody else may have been faster
        transaction.commit();
    }
    const LedgerTransaction reading(*this, LedgerTransaction::For::reading);
    check_chain(*this);
}

std::int64_t LedgerFile::checked_version() {
    const LedgerTransaction reading(*this, LedgerTransaction::For::reading);
    if (number("PRAGMA application_id") != application_id) {
        not_a_ledger();
    }
    const std::int64_t version = number("PRAGMA user_version");
    if (version < version_without_chain || version > schema_version) {
        throw DataError("the ledger " + path_ + " was made by another version of dpcov; use that");
    }
    // A file cut short can still be read in part: charges would be missing.
    LedgerQuery integrity(*this, "PRAGMA integrity_check(1)");
    if (!integrity.step()) {
        check(SQLITE_CORRUPT);
    }
    if (const std::string found = integrity.text(0); found != "ok") {
        // A device that fails is no damage, after which one would go on with an older copy.
        if (is_device_error(found)) {
            throw DeviceError("the ledger " + path_ +
                              " cannot be read: the device failed; try again");
        }
        check(SQLITE_CORRUPT);
    }
    return version;
}

// What an older version charged counts as charges of any noise.
void LedgerFile::bring_up_to_date(std::int64_t version) {
    check_schema(version);
    if (version <= version_without_chain) {
        run(chain_schema);
    }
    if (version <= version_without_curves) {
        run(curve_schema);
    }
    run("PRAGMA user_version = " + std::to_string(schema_version));
    if (version <= version_without_chain) {
        link_all(*this);
    }
    check_chain(*this);
}

void LedgerFile::check_schema(std::int64_t version) {
    static const std::string current = objects_of_version(schema_version);
    LedgerQuery found(*this, objects);
    if (!found.step() ||
        found.text(0) != (version == schema_version ? current : objects_of_version(version))) {
        changed();
    }
}

void LedgerFile::run(const std::string& sql) {
    check(sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr));
}

std::int64_t LedgerFile::number(const char* sql) {
    LedgerQuery statement(*this, sql);
    return statement.step() ? statement.integer(0) : 0;
}

void LedgerFile::check(int status) const {
    switch (status) {
        case SQLITE_OK:
        case SQLITE_ROW:
        case SQLITE_DONE:
            return;
        case SQLITE_NOTADB:
            not_a_ledger();
        case SQLITE_CORRUPT:
            throw DataError("the ledger " + path_ +
                            " is damaged, or its device fails; try again. Before you go on with a "
                            "backup, charge to it what was released since");
        case SQLITE_CANTOPEN:
        case SQLITE_READONLY:
            throw DeviceError("cannot write the ledger " + path_ + ": " + reason(status),
                              why_not_writable(absolute_));
        case SQLITE_BUSY:
            throw DeviceError("the ledger " + path_ +
                              " stayed locked by another process for half a minute; try again");
        default:
            throw DeviceError("the ledger " + path_ + " failed: " + reason(status));
    }
}

std::string LedgerFile::reason(int status) const {
    switch (status) {
        case SQLITE_READONLY:
        case SQLITE_CANTOPEN:
        case SQLITE_PERM: {
            const int error = why_not_writable(absolute_);
            return std::string(error == 0 ? sqlite3_errstr(status) : std::strerror(error)) +
                   "; a charge is written to the file by way of a journal beside it, so the file "
                   "and its folder must both be there and be yours to write to";
        }
        case SQLITE_FULL:
            return "no space is left; free some";
        default:
            return handle_ == nullptr ? sqlite3_errstr(status) : sqlite3_errmsg(handle_);
    }
}

void LedgerFile::not_a_ledger() const {
    throw DataError(path_ + " is not a dpcov ledger");
}

void LedgerFile::changed() const {
    throw DataError("the ledger " + path_ +
                    " was changed by other means than dpcov, so what it says was spent cannot be "
                    "relied on; nothing was charged. Find out who can write to it, and what the "
                    "releases of its data sets have spent");
}

LedgerTransaction::LedgerTransaction(LedgerFile& file, For purpose)
    : file_(file), lock_(file.absolute()), writes_(purpose == For::writing) {
    if (writes_) {
        file_.require_folder();
    }
    file_.run(purpose == For::writing ? "BEGIN IMMEDIATE" : "BEGIN");
}

LedgerTransaction::~LedgerTransaction() {
    if (!done_) {
        sqlite3_exec(file_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
    }
}

void LedgerTransaction::commit() {
    file_.run("COMMIT");
    done_ = true;
    if (writes_) {
        file_.sync_folder("what was charged or declared stays");
    }
}

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
