// SQLite as the ledger uses it: one file, transactions, statements with their values bound;
// SQLite's complaints as the library's exceptions.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "files/descriptor.hpp"
#include "ledger/ledger_lock.hpp"

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
    /// The version of ledgers that this dpcov makes.
    static constexpr std::int64_t schema_version = 3;
    /// Throws unless tables and triggers are those of a ledger of that version.
    void check_schema(std::int64_t version = schema_version);
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
    Descriptor
        folder_;  ///< of the file; to synchronise it, which SQLite leaves out where it cannot
};

/// All or nothing: rolled back unless committed. What is read inside stays true until the end: one
/// is open at a time, of all threads and processes. So none inside another one.
class LedgerTransaction {
public:
    enum class For { reading, writing };
    explicit LedgerTransaction(LedgerFile& file, For purpose = For::writing);
    ~LedgerTransaction();
    LedgerTransaction(const LedgerTransaction&) = delete;
    LedgerTransaction& operator=(const LedgerTransaction&) = delete;

    /// When it returns, what was written is on the disk.
    void commit();

private:
    LedgerFile& file_;
    LedgerLock lock_;  ///< let go last
    bool writes_;
    bool done_ = false;
};

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
    /// The same, empty for NULL, to keep.
    [[nodiscard]] std::string text(int column) const;
    /// All of a text, zero bytes included; none for NULL. Valid until the next step.
    [[nodiscard]] std::optional<std::string_view> bytes(int column) const;
    [[nodiscard]] std::int64_t integer(int column) const;
    /// A number that is kept as decimal text; the file was changed where it is none.
    [[nodiscard]] double number(int column) const;

private:
    LedgerFile& file_;
    sqlite3_stmt* statement_ = nullptr;
    int bound_ = 0;
};

}  // namespace dpcov::detail
