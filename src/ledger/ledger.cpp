#include "dpcov/ledger.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "dpcov/error.hpp"
#include "ledger/ledger_chain.hpp"
#include "ledger/ledger_file.hpp"
#include "ledger/ledger_query.hpp"
#include "ledger/ledger_transaction.hpp"
#include "privacy/budget_for.hpp"
#include "privacy/decimal_sum.hpp"
#include "text/in_quotes.hpp"
#include "text/joined.hpp"
#include "text/number_text.hpp"
#include "text/public_name.hpp"

namespace dpcov {
namespace {

// How far the account goes, in what it counts in.
double limit_of(const Definition& total, Curve curve) {
    return amount_of(detail::budget_for(total, curve));
}

// By which curve the charges add up: that of Gaussian noise where all of them are of it. None
// where there are none.
std::optional<Curve> common_curve(const std::vector<LedgerCharge>& charges) {
    if (charges.empty()) {
        return std::nullopt;
    }
    const bool gaussian =
        std::all_of(charges.begin(), charges.end(),
                    [](const LedgerCharge& charge) { return charge.curve == Curve::gaussian; });
    return gaussian ? Curve::gaussian : Curve::zcdp;
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

// What `make` makes of amounts in the file; there is damage where it takes none such, which dpcov
// would not have written.
template <class Make>
auto unless_damaged(const detail::LedgerFile& file, const Make& make) {
    try {
        return make();
    } catch (const UsageError&) {
        file.changed();
    }
}

// The same of what a word or an amount in the file stands for: nothing, where others wrote it.
template <class Value>
Value understood(const std::optional<Value>& value, const detail::LedgerFile& file) {
    if (!value) {
        file.changed();
    }
    return *value;
}

template <class Amount>
Amount read_amount(double value, const detail::LedgerFile& file) {
    return unless_damaged(file, [value] { return Amount(value); });
}

Definition total_of(const detail::LedgerQuery& row, const detail::LedgerFile& file) {
    const std::string definition = row.text(1);
    if (definition == "rho") {
        return read_amount<Rho>(row.number(2), file);
    }
    const auto epsilon = read_amount<Epsilon>(row.number(2), file);
    if (definition == "epsilon") {
        return epsilon;
    }
    if (definition == "epsilon+delta") {
        return ApproximateDp{epsilon, read_amount<Delta>(row.number(3), file)};
    }
    file.changed();
}

Budget spent_of(const std::string& definition, double amount, const detail::LedgerFile& file) {
    if (definition == "rho") {
        return read_amount<Rho>(amount, file);
    }
    if (definition == "epsilon") {
        return read_amount<Epsilon>(amount, file);
    }
    file.changed();
}

// Adds what the charges come to, in what the account counts in.
void add_all(detail::DecimalSum& sum, const std::vector<LedgerCharge>& charges,
             const Definition& total, const detail::LedgerFile& file) {
    for (const LedgerCharge& charge : charges) {
        sum.add(understood(unless_damaged(file, [&] { return cost(total, charge.spent); }), file));
    }
}

Curve curve_of(const Charge& charge) {
    return std::holds_alternative<Rho>(charge.spent) && charge.curve == Curve::gaussian
               ? Curve::gaussian
               : Curve::zcdp;
}

void require_neighbours(const LedgerStatement& account, Neighbours neighbours) {
    if (neighbours != account.neighbours) {
        throw BudgetError(
            "the account of '" + account.dataset + "' was declared for neighbours " +
            std::string(name_of(account.neighbours)) + ", and this release is for " +
            std::string(name_of(neighbours)) +
            "; the two do not add up. Ask for a release for the account's neighbours");
    }
}

// What the account pays for the charge. Throws BudgetError where it cannot pay for such a one.
double price_for(const LedgerStatement& account, const Charge& charge) {
    require_neighbours(account, charge.neighbours);
    const auto price = cost(account.total, charge.spent);
    if (!price) {
        throw BudgetError("the account of '" + charge.dataset +
                          "' is in pure epsilon-DP, and a zCDP or (epsilon, delta) release has no "
                          "such epsilon; release under pure epsilon-DP");
    }
    return *price;
}

// The first charge decides by which curve an account in (epsilon, delta) adds up. Its limit is then
// fixed before anything is known of the rows; to go on by the other would be a choice made in view
// of the releases, for which neither limit is proved (docs/privacy.md#ledger).
Curve curve_for(const LedgerStatement& account, const Charge& charge) {
    const Curve own = curve_of(charge);
    const Curve of_account = account.curve.value_or(own);
    if (std::holds_alternative<ApproximateDp>(account.total) && of_account == Curve::gaussian &&
        own != Curve::gaussian) {
        throw BudgetError(
            "the account of '" + charge.dataset +
            "' adds up by the trade-off curve of Gaussian noise since its first "
            "release, and this release has other noise; nothing was charged or "
            "released. It pays for methods with Gaussian noise alone, under rho, or epsilon and "
            "delta");
    }
    return of_account;
}

// Returns its number.
std::int64_t insert_charge(detail::LedgerFile& file, const Charge& charge) {
    detail::LedgerQuery(file,
                        "INSERT INTO charge (dataset, definition, amount, method, variant)"
                        " VALUES (?, ?, ?, ?, ?)")
        .bind(charge.dataset)
        .bind(std::holds_alternative<Rho>(charge.spent) ? "rho" : "epsilon")
        .bind(detail::number_text(amount_of(charge.spent)))
        .bind(charge.method)
        .bind(name_of(charge.variant))
        .step();
    const std::int64_t id = file.last_id();
    if (curve_of(charge) == Curve::gaussian) {
        detail::LedgerQuery(file, "INSERT INTO gaussian_charge (charge) VALUES (?)")
            .bind(std::to_string(id))
            .step();
    }
    return id;
}

// What the file says, inside a transaction.
std::vector<LedgerCharge> charges_in(detail::LedgerFile& file, const std::string& dataset) {
    std::vector<LedgerCharge> charges;
    detail::LedgerQuery rows(file,
                             "SELECT id, dataset, charged_at, definition, amount, method, variant,"
                             " gaussian_charge.charge IS NOT NULL FROM charge"
                             " LEFT JOIN gaussian_charge ON gaussian_charge.charge = charge.id"
                             " WHERE ?1 = '' OR dataset = ?1 ORDER BY id");
    rows.bind(dataset);
    while (rows.step()) {
        charges.push_back({.number = rows.integer(0),
                           .dataset = rows.text(1),
                           .charged_at = rows.text(2),
                           .spent = spent_of(rows.text(3), rows.number(4), file),
                           .method = rows.text(5),
                           .variant = rows.text(6),
                           .curve = rows.integer(7) != 0 ? Curve::gaussian : Curve::zcdp});
    }
    return charges;
}

std::vector<LedgerStatement> statements_in(detail::LedgerFile& file, const std::string& dataset) {
    std::vector<LedgerStatement> statements;
    detail::LedgerQuery rows(file,
                             "SELECT dataset, definition, amount, delta, neighbours, declared_at"
                             " FROM account WHERE ?1 = '' OR dataset = ?1 ORDER BY dataset");
    rows.bind(dataset);
    while (rows.step()) {
        LedgerStatement account{
            .dataset = rows.text(0),
            .total = total_of(rows, file),
            .neighbours = understood(value_of(neighbours_words, rows.text(4)), file),
            .declared_at = rows.text(5)};
        const std::vector<LedgerCharge> made = charges_in(file, account.dataset);
        detail::DecimalSum sum;
        add_all(sum, made, account.total, file);
        account.releases = made.size();
        account.curve = common_curve(made);
        account.spent = sum.rounded_up();
        account.left = sum.left_of(unless_damaged(
            file, [&] { return limit_of(account.total, account.curve.value_or(Curve::zcdp)); }));
        statements.push_back(std::move(account));
    }
    return statements;
}

LedgerStatement statement_in(detail::LedgerFile& file, const std::string& dataset) {
    if (!dataset.empty()) {
        const std::vector<LedgerStatement> found = statements_in(file, dataset);
        if (!found.empty()) {
            return found.front();
        }
    }
    std::vector<std::string> known;
    detail::LedgerQuery names(file, "SELECT dataset FROM account ORDER BY dataset");
    while (names.step()) {
        known.push_back(in_quotes(names.text(0)));
    }
    throw UsageError("the ledger has no account for " + in_quotes(dataset) +
                     (known.empty() ? "" : ", but for " + detail::joined(known)) +
                     "; declare its total first");
}

// What `read` makes of one state of the file, of which every entry was checked before it is told.
// It is handed the hash of the last one.
template <class Read>
auto read_checked(detail::LedgerFile& file, const Read& read) {
    const detail::LedgerTransaction reading(file, detail::LedgerTransaction::For::reading);
    return read(detail::check_chain(file).hash);
}

// BudgetError unless what is left of the account pays for it; in a transaction.
void require_payable(detail::LedgerFile& file, const Charge& charge) {
    const LedgerStatement account = statement_in(file, charge.dataset);
    const double price = price_for(account, charge);
    const Curve curve = curve_for(account, charge);
    const double limit = unless_damaged(file, [&] { return limit_of(account.total, curve); });
    detail::DecimalSum sum;
    add_all(sum, charges_in(file, charge.dataset), account.total, file);
    const double left = sum.left_of(limit);
    sum.add(price);
    if (!sum.at_most(limit)) {
        const std::string unit =
            std::holds_alternative<Epsilon>(account.total) ? "epsilon " : "rho ";
        throw BudgetError("the release costs " + unit + detail::number_text(price) + " and '" +
                              charge.dataset + "' has " + unit + detail::number_text(left) +
                              " left of " + detail::number_text(limit) +
                              "; nothing was charged or released",
                          price, left);
    }
}

}  // namespace

/// One account as release() charges it.
class Ledger::Account final : public Accountant {
public:
    Account(Ledger& ledger, std::string dataset) : ledger_(&ledger), dataset_(std::move(dataset)) {}

    void charge(const Charge& charge) override { ledger_->charge(of_account(charge)); }
    void check_neighbours(Neighbours neighbours) const override {
        require_neighbours(ledger_->statement(dataset_), neighbours);
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

void Ledger::check_declaration(const std::string& dataset, const Definition& total) {
    detail::check_name("a data set", dataset);
    // What no charge could be held against would be in the ledger for good.
    for (const Curve curve : {Curve::zcdp, Curve::gaussian}) {
        static_cast<void>(limit_of(total, curve));
    }
}

void Ledger::declare(const std::string& dataset, const Definition& total, Neighbours neighbours) {
    check_declaration(dataset, total);
    std::string definition = "rho";
    double amount = 0.0;
    std::string delta;
    if (const auto* approximate = std::get_if<ApproximateDp>(&total)) {
        definition = "epsilon+delta";
        amount = approximate->epsilon.value();
        delta = detail::number_text(approximate->delta.value());
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
        .bind(detail::number_text(amount))
        .bind(delta)
        .bind(name_of(neighbours))
        .step();
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
    require_payable(*file_, charge);
    const std::int64_t id = insert_charge(*file_, charge);
    detail::link_charge(*file_, head, id);
    transaction.commit(charge.dataset);
    return id;
}

void Ledger::check(const Charge& charge) const {
    detail::check_name("a method", charge.method);
    read_checked(*file_, [&](const std::string& /*head*/) { require_payable(*file_, charge); });
}

std::vector<LedgerStatement> Ledger::statements() const {
    return read_checked(*file_, [&](const std::string& head) {
        std::vector<LedgerStatement> statements = statements_in(*file_, "");
        for (LedgerStatement& account : statements) {
            account.head = head;
        }
        return statements;
    });
}

LedgerStatement Ledger::statement(const std::string& dataset) const {
    return read_checked(*file_, [&](const std::string& head) {
        LedgerStatement account = statement_in(*file_, dataset);
        account.head = head;
        return account;
    });
}

std::vector<LedgerCharge> Ledger::charges(const std::string& dataset) const {
    return read_checked(*file_,
                        [&](const std::string& /*head*/) { return charges_in(*file_, dataset); });
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
