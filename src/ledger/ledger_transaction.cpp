#include "ledger/ledger_transaction.hpp"

#include <sqlite3.h>

#include "ledger/ledger_file.hpp"

namespace dpcov::detail {

LedgerTransaction::LedgerTransaction(LedgerFile& file, For purpose)
    : file_(file), lock_(file.absolute()), writes_(purpose == For::writing) {
    if (writes_) {
        file_.require_folder();
    }
    file_.run(writes_ ? "BEGIN IMMEDIATE" : "BEGIN");
    if (writes_) {
        try {
            file_.require_one_file();  // known for as long as nobody else can write
        } catch (...) {
            roll_back();
            throw;
        }
    }
}

LedgerTransaction::~LedgerTransaction() {
    if (!done_) {
        roll_back();
    }
}

void LedgerTransaction::roll_back() noexcept {
    sqlite3_exec(file_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
}

void LedgerTransaction::commit() {
    file_.run("COMMIT");
    done_ = true;
    if (writes_) {
        file_.sync_folder("what was charged or declared stays");
    }
}

}  // namespace dpcov::detail
