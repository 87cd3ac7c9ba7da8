#include "ledger/ledger_transaction.hpp"

#include <sqlite3.h>

#include "ledger/ledger_file.hpp"

namespace dpcov::detail {

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

}  // namespace dpcov::detail
