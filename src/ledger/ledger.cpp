#include "dpcov/ledger.hpp"

#include <utility>

#include "dpcov/error.hpp"
#include "ledger/account_rules.hpp"
#include "ledger/ledger_chain.hpp"
#include "ledger/ledger_entries.hpp"
#include "ledger/ledger_file.hpp"
#include "ledger/ledger_query.hpp"
#include "ledger/ledger_transaction.hpp"
#include "privacy/rows_of_person.hpp"
#include "text/public_name.hpp"

namespace dpcov {
namespace {

// What `read` makes of one state of the file, of which every entry was checked before it is told.
// It is handed the hash of the last one.
template <class Read>
auto read_checked(detail::LedgerFile& file, const Read& read) {
    const detail::LedgerTransaction reading(file, detail::LedgerTransaction::For::reading);
    return read(detail::check_chain(file).hash);
}

}  // namespace

/// One account as release() charges it.
class Ledger::Account final : public Accountant {
public:
    Account(Ledger& ledger, std::string dataset) : ledger_(&ledger), dataset_(std::move(dataset)) {}

    void charge(const Charge& charge) override { ledger_->charge(of_account(charge)); }
    void check_neighbours(Neighbours neighbours) const override {
        detail::require_neighbours(ledger_->statement(dataset_), neighbours);
    }
    void check(const Charge& charge) const override { ledger_->check(of_account(charge)); }

private:
    [[nodiscard]] Charge of_account(Charge charge) const {
        if (!charge.dataset.empty() && charge.dataset != dataset_) {
            throw UsageError("these are rows of '" + charge.dataset + "', which the account of '" +
                             dataset_ + "' cannot pay for");
        }
        charge.dataset = dataset_;
        return charge;
    }

    Ledger* ledger_;
    std::string dataset_;
};

Ledger::Ledger(const std::string& path, IfMissing if_missing)
    : file_(std::make_unique<detail::LedgerFile>(path, if_missing == IfMissing::create)) {}

Ledger::~Ledger() = default;

void Ledger::check_declaration(const std::string& dataset, const Definition& total,
                               std::uint32_t rows_per_person) {
    detail::check_name("a data set", dataset);
    detail::require_rows_per_person(rows_per_person);
    // What no charge could be held against would be in the ledger for good.
    for (const Curve curve : {Curve::zcdp, Curve::gaussian}) {
        static_cast<void>(detail::limit_of(total, curve));
    }
}

void Ledger::declare(const std::string& dataset, const Definition& total, Neighbours neighbours,
                     std::uint32_t rows_per_person) {
    check_declaration(dataset, total, rows_per_person);
    detail::LedgerTransaction transaction(*file_);
    const detail::ChainHead head = detail::check_chain(*file_);
    if (detail::LedgerQuery(*file_, "SELECT 1 FROM account WHERE dataset = ?")
            .bind(dataset)
            .step()) {
        throw UsageError("'" + dataset +
                         "' has an account already, and a declared total is not changed");
    }
    detail::insert_account(*file_, dataset, total, neighbours, rows_per_person);
    detail::link_account(*file_, head, dataset);
    transaction.commit();
}

Accountant& Ledger::account(const std::string& dataset) {
    static_cast<void>(statement(dataset));
    const std::lock_guard<std::mutex> alone(mutex_);
    std::unique_ptr<Account>& account = accounts_[dataset];
    if (!account) {
        account = std::make_unique<Account>(*this, dataset);
    }
    return *account;
}

std::int64_t Ledger::charge(const Charge& charge) {
    detail::check_name("a method", charge.method);
    detail::LedgerTransaction transaction(*file_);
    const detail::ChainHead head = detail::check_chain(*file_);
    detail::require_payable(*file_, charge);
    const std::int64_t id = detail::insert_charge(*file_, charge);
    detail::link_charge(*file_, head, id);
    transaction.commit(charge.dataset);
    return id;
}

void Ledger::check(const Charge& charge) const {
    detail::check_name("a method", charge.method);
    read_checked(*file_,
                 [&](const std::string& /*head*/) { detail::require_payable(*file_, charge); });
}

std::vector<LedgerStatement> Ledger::statements() const {
    return read_checked(*file_, [&](const std::string& head) {
        std::vector<LedgerStatement> statements = detail::statements_in(*file_, "");
        for (LedgerStatement& account : statements) {
            account.head = head;
        }
        return statements;
    });
}

LedgerStatement Ledger::statement(const std::string& dataset) const {
    return read_checked(*file_, [&](const std::string& head) {
        LedgerStatement account = detail::statement_in(*file_, dataset);
        account.head = head;
        return account;
    });
}

std::vector<LedgerCharge> Ledger::charges(const std::string& dataset) const {
    return read_checked(
        *file_, [&](const std::string& /*head*/) { return detail::charges_in(*file_, dataset); });
}

std::string Ledger::head() const {
    return read_checked(*file_, [](const std::string& head) { return head; });
}

bool Ledger::holds(const std::string& head) const {
    return read_checked(*file_, [&](const std::string& /*last*/) {
        return head.empty() ||
               detail::LedgerQuery(*file_, "SELECT 1 FROM link WHERE hash = ?").bind(head).step();
    });
}

}  // namespace dpcov
