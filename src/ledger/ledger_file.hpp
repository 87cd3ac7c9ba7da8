// The database file of a ledger, with SQLite's complaints as the library's exceptions.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "files/descriptor.hpp"
#include "ledger/ledger_schema.hpp"

namespace dpcov::detail {

/// The database file of a ledger, open and known to be one.
class LedgerFile {
public:
    /// See Ledger's constructor.
    LedgerFile(std::string path, bool create);
    ~LedgerFile();
    LedgerFile(const LedgerFile&) = delete;
    LedgerFile& operator=(const LedgerFile&) = delete;

    /// Runs SQL without values or results.
    void run(const std::string& sql);
    [[nodiscard]] std::int64_t last_id() const { return sqlite3_last_insert_rowid(handle_); }

    /// The first column of the first row; 0 where there is none.
    std::int64_t number(const char* sql);

    /// Throws unless `status` is one of success.
    void check(int status) const;
    /// Throws DeviceError where the folder cannot be synchronised: before a commit, after which it
    /// must be.
    void require_folder() const;
    /// The removal of the journal is on the disk when it returns. DeviceError, which says what is
    /// done `so_far`.
    void sync_folder(std::string_view so_far) const;
    /// DeviceError where another program has set the file to keep what is committed in a second one
    /// (SQLite's WAL): whoever copies or moves the ledger would leave charges behind.
    void require_one_file();
    /// Throws unless tables and triggers are those of a ledger of that version.
    void check_schema(std::int64_t version = ledger_version);
    [[noreturn]] void not_a_ledger() const;
    /// The DataError for a ledger that something else has written to.
    [[noreturn]] void changed() const;
    [[nodiscard]] sqlite3* handle() const { return handle_; }
    [[nodiscard]] const std::string& absolute() const { return absolute_; }

private:
    void prepare(bool create);
    /// That of the file, which is whole and a ledger's.
    std::int64_t checked_version();
    /// Makes a ledger of that version one of the current one.
    void bring_up_to_date(std::int64_t version);
    /// What SQLite's `status` means here, and what to do about it.
    [[nodiscard]] std::string reason(int status) const;

    std::string path_;      ///< as it was given, for messages
    std::string absolute_;  ///< the same file wherever the process goes
    sqlite3* handle_ = nullptr;
    /// Of the file; to synchronise it, which SQLite leaves out where it cannot.
    Descriptor folder_;
};

}  // namespace dpcov::detail
