#include "dpcov/ledger.hpp"

#include <charconv>
#include <optional>
#include <utility>

#include "dpcov/error.hpp"
#include "ledger/ledger_chain.hpp"
#include "ledger/ledger_file.hpp"
#include "moment/dataset_name.hpp"
#include "privacy/budget_for.hpp"
#include "privacy/decimal_sum.hpp"

namespace dpcov {
namespace {

std::string decimal(double value) {
    char text[32];
    return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

// What the account counts in, and how far it goes.
double limit_of(const Definition& total) {
    return std::visit([](auto budget) { return budget.value(); }, detail::budget_for(total));
}

// What `spent` costs there; nothing where such an account cannot pay it.
std::optional<double> cost(const Definition& total, const Budget& spent) {
    if (std::holds_alternative<Epsilon>(total)) {
        const auto* epsilon = std::get_if<Epsilon>(&spent);
        return epsilon == nullptr ? std::nullopt : std::optional(epsilon->value());
    }
    if (const auto* epsilon = std::get_if<Epsilon>(&spent)) {
        return rho_of(*epsilon).value();
    }
    return std::get<Rho>(spent).value();
}

}  // namespace

/// One account as release() charges it.
class Ledger::Account final : public Accountant {
public:
    Account(Ledger& ledger, std::string dataset) : ledger_(&ledger), dataset_(std::move(dataset)) {}

    void charge(const Charge& charge) override {
        if (!charge.dataset.empty() && charge.dataset != dataset_) {
            throw UsageError("these are rows of '" + charge.dataset + "', which the account of '" +
                             dataset_ + "' cannot pay for");
        }
        ledger_->charge(dataset_, charge.spent, charge.neighbours, charge.method,
                        name_of(charge.variant));
    }

private:
    Ledger* ledger_;
    std::string dataset_;
};

Ledger::Ledger(const std::string& path, bool create)
    : file_(std::make_unique<detail::LedgerFile>(path, create)) {}

Ledger::~Ledger() = default;

void Ledger::declare(const std::string& dataset, const Definition& total, Neighbours neighbours) {
    detail::check_dataset_name(dataset);
    std::string definition = "rho";
    double amount = 0.0;
    std::string delta;
    if (const auto* approximate = std::get_if<ApproximateDp>(&total)) {
        definition = "epsilon+delta";
        amount = approximate->epsilon.value();
        delta = decimal(approximate->delta.value());
    } else if (const auto* epsilon = std::get_if<Epsilon>(&total)) {
        definition = "epsilon";
        amount = epsilon->value();
    } else {
        amount = std::get<Rho>(total).value();
    }
    detail::LedgerTransaction transaction(*file_);
    const detail::ChainHead head = detail::check_chain(*file_);
    if (detail::LedgerQuery(*file_, "SELECT 1 FROM account WHERE dataset = ?")
            .bind(dataset)
            .step()) {
        throw UsageError("'" + dataset +
                         "' has an account already, and a declared total is not changed");
    }
    detail::LedgerQuery(*file_,
                        "INSERT INTO account (dataset, definition, amount, delta, neighbours)"
                        " VALUES (?, ?, ?, nullif(?, ''), ?)")
        .bind(dataset)
        .bind(definition)
        .bind(decimal(amount))
        .bind(delta)
        .bind(name_of(neighbours))
        .step();
    detail::link_account(*file_, head, dataset);
    transaction.commit();
}

Accountant& Ledger::account(const std::string& dataset) {
    static_cast<void>(statement(dataset));
    std::unique_ptr<Account>& account = accounts_[dataset];
    if (!account) {
        account = std::make_unique<Account>(*this, dataset);
    }
    return *account;
}

std::int64_t Ledger::charge(const std::string& dataset, const Budget& spent, Neighbours neighbours,
                            std::string_view method, std::string_view variant) {
    detail::LedgerTransaction transaction(*file_);
    const detail::ChainHead head = detail::check_chain(*file_);
    const LedgerStatement before = statement(dataset);
    if (neighbours != before.neighbours) {
        throw BudgetError("the account of '" + dataset + "' was declared for neighbours that " +
                          (before.neighbours == Neighbours::replace ? "replace one row"
                                                                    : "have one row more or less") +
                          ", and this release is for the others; the two do not add up");
    }
    const auto price = cost(before.total, spent);
    if (!price) {
        throw BudgetError("the account of '" + dataset +
                          "' is in pure epsilon-DP, and a zCDP or (epsilon, delta) release has no "
                          "such epsilon; release under pure epsilon-DP");
    }
    detail::DecimalSum sum;
    for (const LedgerCharge& charge : charges(dataset)) {
        sum.add(*cost(before.total, charge.spent));
    }
    sum.add(*price);
    if (!sum.at_most(limit_of(before.total))) {
        const std::string unit =
            std::holds_alternative<Epsilon>(before.total) ? "epsilon " : "rho ";
        throw BudgetError("the release costs " + unit + decimal(*price) + " and '" + dataset +
                              "' has " + unit + decimal(before.left) + " left of " +
                              decimal(limit_of(before.total)) + "; nothing was charged or released",
                          *price, before.left);
    }
    const auto* rho = std::get_if<Rho>(&spent);
    detail::LedgerQuery(*file_,
                        "INSERT INTO charge (dataset, definition, amount, method, variant)"
                        " VALUES (?, ?, ?, ?, ?)")
        .bind(dataset)
        .bind(rho != nullptr ? "rho" : "epsilon")
        .bind(decimal(rho != nullptr ? rho->value() : std::get<Epsilon>(spent).value()))
        .bind(method)
        .bind(variant)
        .step();
    const std::int64_t id = file_->last_id();
    detail::link_charge(*file_, head, id);
    transaction.commit();
    return id;
}

std::vector<LedgerStatement> Ledger::statements() const {
    std::vector<LedgerStatement> statements;
    detail::LedgerQuery rows(*file_,
                             "SELECT dataset, definition, amount, delta, neighbours, declared_at"
                             " FROM account ORDER BY dataset");
    while (rows.step()) {
        const std::string definition = rows.text(1);
        LedgerStatement account{.dataset = rows.text(0),
                                .total = definition == "rho" ? Definition(Rho(rows.number(2)))
                                         : definition == "epsilon"
                                             ? Definition(Epsilon(rows.number(2)))
                                             : Definition(ApproximateDp{Epsilon(rows.number(2)),
                                                                        Delta(rows.number(3))}),
                                .neighbours = value_of(neighbours_words, rows.text(4)).value(),
                                .declared_at = rows.text(5)};
        detail::DecimalSum sum;
        for (const LedgerCharge& charge : charges(account.dataset)) {
            sum.add(*cost(account.total, charge.spent));
            ++account.releases;
        }
        account.spent = sum.rounded_up();
        account.left = sum.left_of(limit_of(account.total));
        statements.push_back(std::move(account));
    }
    return statements;
}

LedgerStatement Ledger::statement(const std::string& dataset) const {
    std::string known;
    for (LedgerStatement& account : statements()) {
        if (account.dataset == dataset) {
            return std::move(account);
        }
        known += (known.empty() ? "" : ", ") + account.dataset;
    }
    throw UsageError("the ledger has no account for '" + dataset + "'; it has " +
                     (known.empty() ? "none" : known) + "; declare its total first");
}

std::vector<LedgerCharge> Ledger::charges(const std::string& dataset) const {
    std::vector<LedgerCharge> charges;
    detail::LedgerQuery rows(
        *file_,
        "SELECT id, dataset, charged_at, definition, amount, method, variant FROM charge"
        " WHERE ?1 = '' OR dataset = ?1 ORDER BY id");
    rows.bind(dataset);
    while (rows.step()) {
        const double amount = rows.number(4);
        charges.push_back(
            {.id = rows.integer(0),
             .dataset = rows.text(1),
             .charged_at = rows.text(2),
             .spent = rows.text(3) == "rho" ? Budget(Rho(amount)) : Budget(Epsilon(amount)),
             .method = rows.text(5),
             .variant = rows.text(6)});
    }
    return charges;
}

std::string Ledger::head() const {
    const detail::LedgerTransaction reading(*file_, detail::LedgerTransaction::For::reading);
    return detail::check_chain(*file_).hash;
}

bool Ledger::holds(const std::string& head) const {
    const detail::LedgerTransaction reading(*file_, detail::LedgerTransaction::For::reading);
    detail::check_chain(*file_);
    return detail::LedgerQuery(*file_, "SELECT 1 FROM link WHERE hash = ?").bind(head).step();
}

}  // namespace dpcov
