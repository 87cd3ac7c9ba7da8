// Accounts of data sets: what was spent, and what is left. They are in one SQLite file that several
// programs may share. Every release is charged before its first noise is drawn, so a crash can only
// over-charge. Argument and assumptions: docs/privacy.md#ledger.
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
/// pure epsilon-DP, else rho. A total in (epsilon, delta)-DP is turned into a rho. The first charge
/// decides by which curve. The curve of Gaussian noise gives the larger rho, and the account then
/// pays for Gaussian releases alone. The curve of zCDP pays for every method.
struct LedgerStatement {
    std::string dataset;
    Definition total;  ///< the most that all releases may spend
    Neighbours neighbours = Neighbours::replace;
    std::uint32_t rows_per_person = 1;  ///< that the account is for: all amounts are of a person
    std::string declared_at;            ///< UTC, ISO 8601
    std::uint64_t releases = 0;         ///< how many were charged
    /// How the charges add up to (epsilon, delta)-DP: gaussian where all noise of all releases is
    /// Gaussian. None before the first charge.
    std::optional<Curve> curve = {};
    double spent = 0.0;     ///< rounded up
    double left = 0.0;      ///< rounded down; before the first charge, for noise of any kind
    std::string head = {};  ///< Ledger::head() at the time of this statement
};

/// One release, as charged.
struct LedgerCharge {
    std::int64_t number = 0;  ///< in the order of charges, from 1
    std::string dataset;
    std::string charged_at;  ///< UTC, ISO 8601
    Budget spent;            ///< rho or epsilon, as the release spent it
    std::string method;
    std::string variant;  ///< as written; an older ledger may name one that is gone
    Curve curve = Curve::zcdp;
};

/// An open ledger. Any number of threads and processes may use one at the same time. There is one
/// transaction at a time.
///
/// An amount is the shortest decimal number that reads back as the double: ten times 0.1 is 1. Sums
/// are exact.
///
/// Every function throws DeviceError where the file cannot be read or written, or stays locked by
/// another process for half a minute. Every function throws DataError where the file is no ledger,
/// or was changed by other means than dpcov. To detect that, every entry holds the hash of the one
/// before it. All hashes are checked when a ledger is opened, declared in, charged or read. A
/// ledger of the first format gets its hashes when it is opened. Charges by older versions count as
/// releases with noise of any kind.
class DPCOV_EXPORT Ledger {
public:
    /// What to do where there is no file: throw DeviceError, or make one.
    enum class IfMissing { refuse, create };

    /// Opens `path`, which must be a ledger.
    explicit Ledger(const std::string& path, IfMissing if_missing = IfMissing::refuse);
    ~Ledger();
    Ledger(const Ledger&) = delete;
    Ledger& operator=(const Ledger&) = delete;

    /// Throws UsageError where declare() would refuse such an account in every ledger. Looks at no
    /// file, so it can be called before a file is made.
    static void check_declaration(const std::string& dataset, const Definition& total,
                                  std::uint32_t rows_per_person = 1);

    /// Opens an account for `dataset`. `total` is the most that all its releases together may
    /// spend on one person, who has at most `rows_per_person` rows: it pays for releases with that
    /// ReleaseOptions::rows_per_person alone. An account cannot be changed afterwards. Spends
    /// nothing. UsageError where `dataset` has an account, or its name is empty, longer than 200
    /// bytes or holds control characters; or where no release has so many rows per person.
    void declare(const std::string& dataset, const Definition& total,
                 Neighbours neighbours = Neighbours::replace, std::uint32_t rows_per_person = 1);

    /// The account of `dataset`, for ReleaseOptions::accountant. It lives as long as the ledger.
    /// UsageError, naming the known accounts, where there is none. When a release of a moment is
    /// charged and the moment names another data set, the charge throws UsageError. If the moment
    /// names none, this account is charged: dpcov cannot check that the rows are of `dataset`.
    [[nodiscard]] Accountant& account(const std::string& dataset);

    /// Charges a release to the account of `charge.dataset`, and returns the number of the charge.
    /// When it returns the charge is on the disk, and no crash takes it back. Throws BudgetError,
    /// and charges nothing, where the total would be exceeded, where the account is in pure
    /// epsilon-DP and the release is not, or where the account was declared for other neighbours or
    /// for another number of rows per person.
    /// UsageError where `charge.dataset` has no account, or `charge.method` is not a name as
    /// declare() takes one.
    ///
    /// An account in rho, or in (epsilon, delta)-DP, pays rho_of(epsilon) for a release under pure
    /// DP.
    ///
    /// The ledger believes what `charge` says. release() fills it in correctly; whoever calls this
    /// for a release of their own must do so, too. `charge.curve` is gaussian only where all noise
    /// is Gaussian. An account in (epsilon, delta)-DP whose first charge was gaussian refuses every
    /// other curve (BudgetError).
    std::int64_t charge(const Charge& charge);

    /// Throws what charge() would throw for this charge now, and charges nothing.
    void check(const Charge& charge) const;

    /// All accounts, by name.
    [[nodiscard]] std::vector<LedgerStatement> statements() const;
    /// The account of `dataset`. UsageError, naming the known accounts, where there is none.
    [[nodiscard]] LedgerStatement statement(const std::string& dataset) const;
    /// The charges on `dataset`, or all charges where that is empty, in the order in which they
    /// were made.
    [[nodiscard]] std::vector<LedgerCharge> charges(const std::string& dataset = "") const;

    /// The hash of the last entry: 64 hexadecimal digits that stand for all entries so far. Empty
    /// where there is no entry. Note it in another place: with it, holds() shows whether the file
    /// was replaced by an older copy or written anew. The file alone cannot show that.
    [[nodiscard]] std::string head() const;
    /// Whether `head` was the head of this ledger at some time. If so, every entry from then is
    /// still there. True for an empty `head`.
    [[nodiscard]] bool holds(const std::string& head) const;

private:
    class Account;

    std::unique_ptr<detail::LedgerFile> file_;
    std::mutex mutex_;  ///< of accounts_
    std::map<std::string, std::unique_ptr<Account>> accounts_;
};

}  // namespace dpcov
