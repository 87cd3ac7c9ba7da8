// Who keeps account of what releases spend.
#pragma once

#include <cstdint>
#include <string>

#include "dpcov/budget.hpp"
#include "dpcov/export.hpp"
#include "dpcov/methods.hpp"

namespace dpcov {

/// What one release spends. release() hands it to the accountant before it draws noise.
struct Charge {
    std::string dataset;  ///< whose rows these are; empty where the moment names none
    Budget spent;
    /// How a rho implies (epsilon, delta)-DP: gaussian only where all of the noise is Gaussian.
    /// Under pure DP always zcdp.
    Curve curve = Curve::zcdp;
    Neighbours neighbours = Neighbours::replace;
    /// What is spent is of a person with at most so many rows (ReleaseOptions::rows_per_person).
    std::uint32_t rows_per_person = 1;
    std::string method;  ///< as Method::name
    Variant variant = Variant::best;
};

/// Keeps account of releases. A Ledger's accounts are accountants; a service with its own books
/// derives a class of its own.
class DPCOV_EXPORT Accountant {
public:
    Accountant() = default;
    Accountant(const Accountant&) = delete;
    Accountant& operator=(const Accountant&) = delete;
    virtual ~Accountant() = default;

    /// release() calls this at most once: after all checks that need no data, before the first
    /// noise, and not at all where the release spends nothing. When it returns, the charge must be
    /// safe against a crash. To refuse, throw BudgetError. An exception from here leaves release(),
    /// and no noise was drawn.
    virtual void charge(const Charge& charge) = 0;

    /// Throws BudgetError where the account is for other neighbours. A release that costs nothing
    /// under one kind of neighbours may tell what the other kind protects: the number of rows. So
    /// release() calls this for every release, also of method zero, before it looks at rows.
    /// check_options() calls it, too. The default refuses nothing.
    virtual void check_neighbours(Neighbours /*neighbours*/) const {}

    /// Throws what charge() would throw for this charge now, and charges nothing. check_options()
    /// calls it, so that no rows are read for a release that nobody pays for. The default refuses
    /// nothing.
    virtual void check(const Charge& /*charge*/) const {}
};

}  // namespace dpcov
