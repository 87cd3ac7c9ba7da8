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
#include "files/replaceable.hpp"
#include "ledger/ledger_chain.hpp"
#include "ledger/ledger_lock.hpp"
#include "ledger/ledger_query.hpp"
#include "ledger/ledger_transaction.hpp"

namespace dpcov::detail {
namespace {

// "dpcL", where SQLite keeps what a file is for.
constexpr int application_id = 0x6470634C;
constexpr std::int64_t first_version = 1;
constexpr std::int64_t first_with_chain = 2;

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

// Known to be so: why a file cannot be looked at is told when it is opened. An empty file is left
// where a declaration failed; another process may be declaring in it.
bool is_absent_or_empty(const std::string& path) {
    std::error_code unknown;
    if (!std::filesystem::exists(path, unknown)) {
        return !unknown;
    }
    return std::filesystem::is_regular_file(path, unknown) &&
           std::filesystem::file_size(path, unknown) == 0;
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
    if (!create && is_absent_or_empty(path_)) {
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
            run("PRAGMA application_id = " + std::to_string(application_id));
            bring_up_to_date(0);
        }
        transaction.commit();
    }
    if (checked_version() < ledger_version) {
        LedgerTransaction transaction(*this);
        bring_up_to_date(number("PRAGMA user_version"));  // somebody else may have been faster
        transaction.commit();
    }
    const LedgerTransaction reading(*this, LedgerTransaction::For::reading);
    check_chain(*this);
    require_one_file();
}

void LedgerFile::require_one_file() {
    LedgerQuery mode(*this, "PRAGMA journal_mode");
    if (mode.step() && mode.text(0) == "wal") {
        throw DeviceError("the ledger " + path_ +
                          " was set to SQLite's WAL mode by another program: charges would stand "
                          "in a second file; nothing was charged. Close what has it open, and set "
                          "it back by sqlite3: PRAGMA journal_mode = DELETE");
    }
}

std::int64_t LedgerFile::checked_version() {
    const LedgerTransaction reading(*this, LedgerTransaction::For::reading);
    if (number("PRAGMA application_id") != application_id) {
        not_a_ledger();
    }
    const std::int64_t version = number("PRAGMA user_version");
    if (version < first_version || version > ledger_version) {
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
    run(ledger_schema(version));
    run("PRAGMA user_version = " + std::to_string(ledger_version));
    if (version < first_with_chain) {
        link_all(*this);
    }
    check_chain(*this);
}

void LedgerFile::check_schema(std::int64_t version) {
    static const std::string current = objects_of_version(ledger_version);
    LedgerQuery found(*this, ledger_objects);
    if (!found.step() ||
        found.text(0) != (version == ledger_version ? current : objects_of_version(version))) {
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

}  // namespace dpcov::detail
