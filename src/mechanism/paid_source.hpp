// Randomness that is charged for before it is handed out.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "dpcov/accountant.hpp"
#include "random/random_source.hpp"

namespace dpcov::detail {

/// Charges before it hands out its first word: what a mechanism refuses it refuses before its first
/// noise, so a refusal costs nothing, and noise that is not paid for cannot be drawn. All noise
/// comes by here, so here is where its drawing can be interrupted. Made for one run of a mechanism
/// by release(), and for nobody else.
class PaidSource final : public RandomSource {
public:
    /// Without an accountant nothing is charged. All three outlive it.
    PaidSource(RandomSource& source, Accountant* accountant, const Charge& charge);

    std::uint64_t next_word() override;
    [[nodiscard]] bool is_secure() const noexcept override { return source_.is_secure(); }

    /// Charges, unless that is done. Throws whatever the accountant throws; then nothing is paid
    /// for, and the next word is not to be had without a charge either.
    void pay();

    /// DeviceError in a fork, which would draw from what its parent has paid for.
    void require_one_process() const;

private:
    RandomSource& source_;
    Accountant* accountant_;  ///< none once it has taken the charge
    const Charge& charge_;
    pid_t process_;
    std::uint32_t words_to_check_ = 0;
};

}  // namespace dpcov::detail
