#include "ledger/account_rules.hpp"

#include <algorithm>
#include <string>
#include <variant>

#include "dpcov/error.hpp"
#include "privacy/budget_for.hpp"
#include "text/counted.hpp"

namespace dpcov::detail {
namespace {

// What a row may lose in all says nothing of a person with several, nor the other way round without
// a conversion that the account did not promise.
void require_rows_per_person(const LedgerStatement& account, std::uint32_t rows) {
    if (rows != account.rows_per_person) {
        throw BudgetError("the account of '" + account.dataset + "' is for people with at most " +
                          counted(account.rows_per_person, "row") +
                          " each, and this release is for " + std::to_string(rows) +
                          "; the two do not add up. Ask for a release for the account's number of "
                          "rows per person");
    }
}

}  // namespace

double limit_of(const Definition& total, Curve curve) {
    return amount_of(budget_for(total, curve));
}

std::optional<Curve> common_curve(const std::vector<LedgerCharge>& charges) {
    if (charges.empty()) {
        return std::nullopt;
    }
    const bool gaussian =
        std::all_of(charges.begin(), charges.end(),
                    [](const LedgerCharge& charge) { return charge.curve == Curve::gaussian; });
    return gaussian ? Curve::gaussian : Curve::zcdp;
}

std::optional<double> cost_of(const Definition& total, const Budget& spent) {
    if (std::holds_alternative<Epsilon>(total)) {
        const auto* epsilon = std::get_if<Epsilon>(&spent);
        return epsilon == nullptr ? std::nullopt : std::optional(epsilon->value());
    }
    if (const auto* epsilon = std::get_if<Epsilon>(&spent)) {
        return rho_of(*epsilon).value();
    }
    return std::get<Rho>(spent).value();
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

double price_for(const LedgerStatement& account, const Charge& charge) {
    require_neighbours(account, charge.neighbours);
    require_rows_per_person(account, charge.rows_per_person);
    const auto price = cost_of(account.total, charge.spent);
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

}  // namespace dpcov::detail
