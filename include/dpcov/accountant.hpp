// Who keeps account of what releases spend.
#pragma once

#include <string>

#include "dpcov/budget.hpp"
#include "dpcov/export.hpp"
#include "dpcov/methods.hpp"

namespace dpcov {

/// What one release spends, as release() is about to draw it.
struct Charge {
    std::string dataset;  ///< whose rows; empty where the moment names none
    Budget spent;
    /// Of what was spent in rho: gaussian only where all of the noise is. Under pure DP zcdp.
    Curve curve = Curve::zcdp;
    Neighbours neighbours = Neighbours::replace;
    std::string method;
    Variant variant = Variant::best;
};

/// Keeps account of releases. A Ledger's accounts are accountants; a service with its own books
/// derives another.
class DPCOV_EXPORT Accountant {
public:
    Accountant() = default;
    Accountant(const Accountant&) = delete;
    Accountant& operator=(const Accountant&) = delete;
    virtual ~Accountant() = default;

    /// Called by release() once, after everything that can be refused without data was looked at
    /// and before the first noise is drawn. When it returns, the charge must be safe against a
    /// crash. Whatever it throws (BudgetError to refuse) leaves release(), and nothing was drawn.
    virtual void charge(const Charge& charge) = 0;

    /// Throws (BudgetError) where it keeps account of releases for other neighbours. What costs
    /// nothing under one kind may be what the other protects: the number of rows. So release() asks
    /// this of every release, those of method zero too, before it looks at rows; so does
    /// check_options(). By default it refuses nothing.
    virtual void check_neighbours(Neighbours /*neighbours*/) const {}

    /// Throws what charge() would throw of it now, and charges nothing: check_options() asks,
    /// before rows are read for a release that nobody will pay for. By default it refuses nothing.
    virtual void check(const Charge& /*charge*/) const {}
};

}  // namespace dpcov
