// What an account pays for a charge, and how far it goes. Nothing here knows of a file. Argument:
// docs/privacy.md#ledger.
#pragma once

#include <optional>
#include <vector>

#include "dpcov/accountant.hpp"
#include "dpcov/budget.hpp"
#include "dpcov/ledger.hpp"
#include "dpcov/methods.hpp"

namespace dpcov::detail {

/// How far the account goes, in what it counts in.
[[nodiscard]] double limit_of(const Definition& total, Curve curve);

/// By which curve the charges add up: that of Gaussian noise where all of them are of it. None
/// where there are none.
[[nodiscard]] std::optional<Curve> common_curve(const std::vector<LedgerCharge>& charges);

/// By which curve this charge can add up.
[[nodiscard]] Curve curve_of(const Charge& charge);

/// What `spent` costs there; nothing where such an account cannot pay it.
[[nodiscard]] std::optional<double> cost_of(const Definition& total, const Budget& spent);

/// BudgetError unless the account is for them.
void require_neighbours(const LedgerStatement& account, Neighbours neighbours);

/// What the account pays for the charge. BudgetError where it cannot pay for such a one.
[[nodiscard]] double price_for(const LedgerStatement& account, const Charge& charge);

/// By which curve the account adds up with this charge. BudgetError where it cannot.
[[nodiscard]] Curve curve_for(const LedgerStatement& account, const Charge& charge);

}  // namespace dpcov::detail
