// The accounts and the charges in a ledger's file, as rows are written and read. All of this is to
// be called inside a LedgerTransaction, after check_chain().
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dpcov/accountant.hpp"
#include "dpcov/budget.hpp"
#include "dpcov/ledger.hpp"
#include "dpcov/methods.hpp"

namespace dpcov::detail {

class LedgerFile;

/// An account that is not there yet.
void insert_account(LedgerFile& file, const std::string& dataset, const Definition& total,
                    Neighbours neighbours, std::uint32_t rows_per_person);
/// Returns its number.
std::int64_t insert_charge(LedgerFile& file, const Charge& charge);

// Where `dataset` is empty, these are of all accounts. DataError where dpcov would not have written
// what is there.

[[nodiscard]] std::vector<LedgerCharge> charges_in(LedgerFile& file, const std::string& dataset);
[[nodiscard]] std::vector<LedgerStatement> statements_in(LedgerFile& file,
                                                         const std::string& dataset);

/// UsageError where there is no such account.
[[nodiscard]] LedgerStatement statement_in(LedgerFile& file, const std::string& dataset);

/// BudgetError unless what is left of the account pays for it.
void require_payable(LedgerFile& file, const Charge& charge);

}  // namespace dpcov::detail
