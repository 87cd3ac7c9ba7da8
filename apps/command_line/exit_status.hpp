// What the program's exit status says; scripts rely on the numbers.
#pragma once

#include <stdexcept>

namespace dpcov {

enum ExitStatus : int {
    status_done = 0,
    status_defect = 1,  ///< the program itself is at fault
    status_usage = 2,
    status_bad_data = 3,
    status_budget_refused = 4,
    status_device_failed = 5,
    status_claim_refuted = 6,  ///< an audit refuted a privacy claim
};

/// Ends the program with status_claim_refuted: it worked, and what it found is bad.
class ClaimRefuted : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

}  // namespace dpcov
