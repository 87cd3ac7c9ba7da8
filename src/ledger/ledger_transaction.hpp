// What a ledger reads or writes as a whole.
#pragma once

#include <string>

#include "ledger/ledger_lock.hpp"

namespace dpcov::detail {

class LedgerFile;

/// All or nothing: rolled back unless committed. What is read inside stays true until the end: one
/// is open at a time, of all threads and processes. So none inside another one.
class LedgerTransaction {
public:
    enum class For { reading, writing };
    explicit LedgerTransaction(LedgerFile& file, For purpose = For::writing);
    ~LedgerTransaction();
    LedgerTransaction(const LedgerTransaction&) = delete;
    LedgerTransaction& operator=(const LedgerTransaction&) = delete;

    /// When it returns, what was written is on the disk. Where it fails it may be, too:
    /// `of_charge`, the data set of a charge, is then named.
    void commit(const std::string& of_charge = "");

private:
    void roll_back() noexcept;

    LedgerFile& file_;
    LedgerLock lock_;  ///< let go last
    bool writes_;
    bool done_ = false;
};

}  // namespace dpcov::detail
