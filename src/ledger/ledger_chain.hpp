// The chain of hashes over a ledger's entries: what makes it evident that a ledger was changed by
// other means than dpcov. Argument and limits: docs/privacy.md#ledger.
#pragma once

#include <cstdint>
#include <string>

namespace dpcov::detail {

class LedgerFile;

/// Where the chain ends.
struct ChainHead {
    std::int64_t entries = 0;
    std::string hash;  ///< of the last entry, 64 hexadecimal digits; empty where there is none
};

// All of these are to be called inside a LedgerTransaction, so that they see one state of the file.

/// Reads all entries and returns the end of their chain. DataError unless every account and every
/// charge is in the chain, in order, and is what it was when dpcov wrote it.
ChainHead check_chain(LedgerFile& file);

/// Appends an account that was just declared, or a charge that was just made, to the chain that
/// ends at `head`; returns the new end.
ChainHead link_account(LedgerFile& file, const ChainHead& head, const std::string& dataset);
ChainHead link_charge(LedgerFile& file, const ChainHead& head, std::int64_t id);

/// Links all entries of a ledger that was written before there was a chain: the accounts, then the
/// charges, in the order in which they were made.
void link_all(LedgerFile& file);

}  // namespace dpcov::detail
