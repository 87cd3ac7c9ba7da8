// The account that an estimate is charged to.
#pragma once

#include <memory>
#include <string>

#include "dpcov/accountant.hpp"
#include "dpcov/ledger.hpp"
#include "dpcov/second_moment.hpp"
#include "estimate_arguments.hpp"

namespace dpcov {

/// The ledger whose account pays, looked up before the reading: a mistyped name should not keep
/// anyone waiting. Whether the account can pay is decided by the charge itself, before the first
/// noise. None where none is charged.
std::unique_ptr<Ledger> open_ledger(const EstimateArguments& arguments);

/// Passes charges on to the account while there is still a place for what they pay for, and
/// remembers whether there was one.
class NotedAccountant final : public Accountant {
public:
    /// The account is the one named by the option or by the moment file, which must agree: else
    /// UsageError, and where a moment file that bears a name is to be released without a ledger.
    /// `arguments` must outlive this.
    NotedAccountant(Ledger* ledger, const EstimateArguments& arguments, const MomentLayout& layout);

    /// This one, where there is one to pass charges on to.
    [[nodiscard]] Accountant* or_none() { return accountant_ == nullptr ? nullptr : this; }
    [[nodiscard]] bool charged() const { return charged_; }

    void check_neighbours(Neighbours neighbours) const override;
    void charge(const Charge& charge) override;

private:
    const EstimateArguments& arguments_;
    std::string dataset_;
    Accountant* accountant_;
    bool charged_ = false;
};

}  // namespace dpcov
