#include "ledger/ledger_entries.hpp"

#include <optional>
#include <utility>
#include <variant>

#include "dpcov/error.hpp"
#include "dpcov/limits.hpp"
#include "dpcov/words.hpp"
#include "ledger/account_rules.hpp"
#include "ledger/ledger_file.hpp"
#include "ledger/ledger_query.hpp"
#include "privacy/decimal_sum.hpp"
#include "text/in_quotes.hpp"
#include "text/joined.hpp"
#include "text/number_text.hpp"

namespace dpcov::detail {
namespace {

// What `make` makes of amounts in the file; there is damage where it takes none such, which dpcov
// would not have written.
template <class Make>
auto unless_damaged(const LedgerFile& file, const Make& make) {
    try {
        return make();
    } catch (const UsageError&) {
        file.changed();
    }
}

// The same of what a word or an amount in the file stands for: nothing, where others wrote it.
template <class Value>
Value understood(const std::optional<Value>& value, const LedgerFile& file) {
    if (!value) {
        file.changed();
    }
    return *value;
}

template <class Amount>
Amount read_amount(double value, const LedgerFile& file) {
    return unless_damaged(file, [value] { return Amount(value); });
}

Definition total_of(const LedgerQuery& row, const LedgerFile& file) {
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

Budget spent_of(const std::string& definition, double amount, const LedgerFile& file) {
    if (definition == "rho") {
        return read_amount<Rho>(amount, file);
    }
    if (definition == "epsilon") {
        return read_amount<Epsilon>(amount, file);
    }
    file.changed();
}

std::uint32_t rows_per_person_of(std::int64_t rows, const LedgerFile& file) {
    if (rows < 1 || rows > limits::rows_per_person) {
        file.changed();
    }
    return static_cast<std::uint32_t>(rows);
}

// Adds what the charges come to, in what the account counts in.
void add_all(DecimalSum& sum, const std::vector<LedgerCharge>& charges, const Definition& total,
             const LedgerFile& file) {
    for (const LedgerCharge& charge : charges) {
        sum.add(
            understood(unless_damaged(file, [&] { return cost_of(total, charge.spent); }), file));
    }
}

}  // namespace

void insert_account(LedgerFile& file, const std::string& dataset, const Definition& total,
                    Neighbours neighbours, std::uint32_t rows_per_person) {
    std::string definition = "rho";
    double amount = 0.0;
    std::string delta;
    if (const auto* approximate = std::get_if<ApproximateDp>(&total)) {
        definition = "epsilon+delta";
        amount = approximate->epsilon.value();
        delta = number_text(approximate->delta.value());
    } else if (const auto* epsilon = std::get_if<Epsilon>(&total)) {
        definition = "epsilon";
        amount = epsilon->value();
    } else {
        amount = std::get<Rho>(total).value();
    }
    LedgerQuery(file,
                "INSERT INTO account (dataset, definition, amount, delta, neighbours)"
                " VALUES (?, ?, ?, nullif(?, ''), ?)")
        .bind(dataset)
        .bind(definition)
        .bind(number_text(amount))
        .bind(delta)
        .bind(name_of(neighbours))
        .step();
    if (rows_per_person > 1) {
        LedgerQuery(file, "INSERT INTO several_rows (dataset, most) VALUES (?, ?)")
            .bind(dataset)
            .bind(std::to_string(rows_per_person))
            .step();
    }
}

std::int64_t insert_charge(LedgerFile& file, const Charge& charge) {
    LedgerQuery(file,
                "INSERT INTO charge (dataset, definition, amount, method, variant)"
                " VALUES (?, ?, ?, ?, ?)")
        .bind(charge.dataset)
        .bind(std::holds_alternative<Rho>(charge.spent) ? "rho" : "epsilon")
        .bind(number_text(amount_of(charge.spent)))
        .bind(charge.method)
        .bind(name_of(charge.variant))
        .step();
    const std::int64_t id = file.last_id();
    if (curve_of(charge) == Curve::gaussian) {
        LedgerQuery(file, "INSERT INTO gaussian_charge (charge) VALUES (?)")
            .bind(std::to_string(id))
            .step();
    }
    return id;
}

std::vector<LedgerCharge> charges_in(LedgerFile& file, const std::string& dataset) {
    std::vector<LedgerCharge> charges;
    LedgerQuery rows(file,
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

std::vector<LedgerStatement> statements_in(LedgerFile& file, const std::string& dataset) {
    std::vector<LedgerStatement> statements;
    LedgerQuery rows(file,
                     "SELECT account.dataset, definition, amount, delta, neighbours, declared_at,"
                     " ifnull(several_rows.most, 1) FROM account"
                     " LEFT JOIN several_rows ON several_rows.dataset = account.dataset"
                     " WHERE ?1 = '' OR account.dataset = ?1 ORDER BY account.dataset");
    rows.bind(dataset);
    while (rows.step()) {
        LedgerStatement account{
            .dataset = rows.text(0),
            .total = total_of(rows, file),
            .neighbours = understood(value_of(neighbours_words, rows.text(4)), file),
            .rows_per_person = rows_per_person_of(rows.integer(6), file),
            .declared_at = rows.text(5)};
        const std::vector<LedgerCharge> made = charges_in(file, account.dataset);
        DecimalSum sum;
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

LedgerStatement statement_in(LedgerFile& file, const std::string& dataset) {
    if (!dataset.empty()) {
        const std::vector<LedgerStatement> found = statements_in(file, dataset);
        if (!found.empty()) {
            return found.front();
        }
    }
    std::vector<std::string> known;
    LedgerQuery names(file, "SELECT dataset FROM account ORDER BY dataset");
    while (names.step()) {
        known.push_back(in_quotes(names.text(0)));
    }
    throw UsageError("the ledger has no account for " + in_quotes(dataset) +
                     (known.empty() ? "" : ", but for " + joined(known)) +
                     "; declare its total first");
}

void require_payable(LedgerFile& file, const Charge& charge) {
    const LedgerStatement account = statement_in(file, charge.dataset);
    const double price = price_for(account, charge);
    const Curve curve = curve_for(account, charge);
    const double limit = unless_damaged(file, [&] { return limit_of(account.total, curve); });
    DecimalSum sum;
    add_all(sum, charges_in(file, charge.dataset), account.total, file);
    const double left = sum.left_of(limit);
    sum.add(price);
    if (!sum.at_most(limit)) {
        const std::string unit =
            std::holds_alternative<Epsilon>(account.total) ? "epsilon " : "rho ";
        throw BudgetError("the release costs " + unit + number_text(price) + " and '" +
                              charge.dataset + "' has " + unit + number_text(left) + " left of " +
                              number_text(limit) + "; nothing was charged or released",
                          price, left);
    }
}

}  // namespace dpcov::detail
