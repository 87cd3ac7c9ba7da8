// What has been spent on a data set, and what is left: an account in one SQLite file that several
// programs may share. Every release is charged before its first noise is drawn, so a crash can
// only over-charge. Argument and assumptions: docs/privacy.md#ledger.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "dpcov/accountant.hpp"
#include "dpcov/budget.hpp"
#include "dpcov/export.hpp"

namespace dpcov {

namespace detail {
class LedgerFile;
}

/// The account of one data set. Amounts are in the unit of the total: epsilon where the total is
/// pure epsilon-DP, else rho. (epsilon, delta)-DP is kept as a rho. The first charge decides which:
/// the larger one of the curve of Gaussian noise, after which only Gaussian releases are paid for,
/// or that of zCDP, which pays for every method.
struct LedgerStatement {
    std::string dataset;
    Definition total;
    Neighbours neighbours = Neighbours::replace;
    std::string declared_at;  ///< UTC, ISO 8601
    std::uint64_t releases = 0;
    /// How the charges add up to (epsilon, delta)-DP: gaussian where all are of Gaussian noise.
    /// None before the first.
    std::optional<Curve> curve = {};
    double spent = 0.0;     ///< rounded up
    double left = 0.0;      ///< rounded down; before the first charge, for one of any noise
    std::string head = {};  ///< of the whole ledger, as it was when all of this was
};

/// One release, as charged.
struct LedgerCharge {
    std::int64_t number = 0;  ///< in the order of charges, from 1
    std::string dataset;
    std::string charged_at;  ///< UTC, ISO 8601
    Budget spent;
    std::string method;
    std::string variant;  ///< as it was written: an older ledger may name one that is no more
    Curve curve = Curve::zcdp;
};

/// An open ledger. Threads and processes may use one at the same time, as many as like: one
/// transaction goes on at a time.
///
/// An amount is the decimal number that a double prints as in the fewest digits: ten times 0.1 is
/// 1. Sums are exact.
///
/// Every function throws DeviceError where the file cannot be read or written, or stays locked by
/// another process for half a minute, and DataError where it is no ledger, or was changed by other
/// means than dpcov: every entry holds the hash of the one before, and to open a ledger, to
/// declare, to charge and to read anything checks them all. A ledger of the first format gets its
/// hashes when it is opened; what older versions charged counts as of any noise.
class DPCOV_EXPORT Ledger {
public:
    /// What to do where there is no file.
    enum class IfMissing { refuse, create };

    /// Opens `path`, which must be a ledger.
    explicit Ledger(const std::string& path, IfMissing if_missing = IfMissing::refuse);
    ~Ledger();
    Ledger(const Ledger&) = delete;
    Ledger& operator=(const Ledger&) = delete;

    /// UsageError where declare() would refuse such an account in any ledger. Looks at no file, so
    /// that none need be made for nothing.
    static void check_declaration(const std::string& dataset, const Definition& total);

    /// Opens an account: the most that all releases of `dataset` together may spend. Itself it
    /// spends nothing. It cannot be changed afterwards. UsageError where `dataset` has one, or its
    /// name is empty, longer than 200 bytes or holds control characters.
    void declare(const std::string& dataset, const Definition& total,
                 Neighbours neighbours = Neighbours::replace);

    /// The account of `dataset`, to be charged by release(); lives as long as the ledger.
    /// UsageError naming the known ones where it has none. A moment that names another data set is
    /// refused with UsageError when it is charged. One that names none is charged to this account:
    /// that its rows are of `dataset` is the caller's word.
    [[nodiscard]] Accountant& account(const std::string& dataset);

    /// Charges a release and returns its number. When it returns the charge is on the disk, and no
    /// crash takes it back. BudgetError, charging nothing, where the total would be exceeded, where
    /// the account is in pure epsilon-DP and the release is not, or where it was declared for other
    /// neighbours. UsageError where `charge.dataset`, whose account it is, has none, or
    /// `charge.method` is not a name as declare() takes one.
    ///
    /// An account in rho, or in (epsilon, delta)-DP, pays rho_of(epsilon) for a pure release.
    ///
    /// What it says is believed: release() tells the truth by account(), and whoever charges for a
    /// release of their own must. `charge.curve` is gaussian only where all of its noise is; an
    /// account in (epsilon, delta)-DP that began so pays for no other (BudgetError).
    std::int64_t charge(const Charge& charge);

    /// Throws what charge() would throw of it now, and charges nothing.
    void check(const Charge& charge) const;

    /// All accounts, by name.
    [[nodiscard]] std::vector<LedgerStatement> statements() const;
    /// That of `dataset`; UsageError naming the known ones where it has none.
    [[nodiscard]] LedgerStatement statement(const std::string& dataset) const;
    /// The charges on `dataset`, or all where it is empty, in the order in which they were made.
    [[nodiscard]] std::vector<LedgerCharge> charges(const std::string& dataset = "") const;

    /// The hash of the last entry, 64 hexadecimal digits that stand for all entries so far; empty
    /// where there is none. Noted in another place, it shows whether the file was put back to an
    /// older copy or written anew, which the file alone cannot show.
    [[nodiscard]] std::string head() const;
    /// Whether this ledger has had that head: it holds every entry that it held then. Every ledger
    /// has had the empty one.
    [[nodiscard]] bool holds(const std::string& head) const;

private:
    class Account;

    std::unique_ptr<detail::LedgerFile> file_;
    std::mutex mutex_;  ///< of accounts_
    std::map<std::string, std::unique_ptr<Account>> accounts_;
};

}  // namespace dpcov
