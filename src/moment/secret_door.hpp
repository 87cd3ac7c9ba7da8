// The one way from a SecondMoment to what is in it, for src/ and for the tests.
#pragma once

#include <memory>

#include "dpcov/second_moment.hpp"
#include "moment/secret_moment.hpp"

namespace dpcov::detail {

struct SecretDoor {
    /// What `moment` holds, for as long as it stays as it is. SECRET.
    [[nodiscard]] static std::shared_ptr<const SecretMoment> open(const SecondMoment& moment);
    /// The same, for adding to it. SECRET.
    [[nodiscard]] static SecretMoment& open_to_change(SecondMoment& moment);
    /// The same, taken out of it for good: it is as one that was moved from. UsageError where a
    /// release is being drawn from it. SECRET.
    [[nodiscard]] static std::shared_ptr<SecretMoment> take(SecondMoment&& moment);
    /// A moment that holds `secret`.
    [[nodiscard]] static SecondMoment wrap(SecretMoment secret);
};

}  // namespace dpcov::detail
