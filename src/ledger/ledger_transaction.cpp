#include "ledger/ledger_transaction.hpp"

#include <sqlite3.h>

#include "dpcov/error.hpp"
#include "ledger/ledger_file.hpp"
#include "text/in_quotes.hpp"

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

void LedgerTransaction::commit(const std::string& of_charge) {
    const bool charges = !of_charge.empty();
    // Before the commit: behind it nothing may fail for want of memory.
    const std::string so_far =
        charges ? in_quotes(of_charge) + " was charged for this release, and stays charged"
                : "what was declared stays";
    try {
        file_.run("COMMIT");
    } catch (const DeviceError& error) {
        if (!charges) {
            throw;
        }
        throw DeviceError(std::string(error.what()) + "; " + in_quotes(of_charge) +
                              " may have been charged for this release all the same, and then "
                              "stays charged: dpcov ledger show tells",
                          error.system_error());
    }
    done_ = true;
    if (writes_) {
        file_.sync_folder(so_far);
    }
}

}  // namespace dpcov::detail
