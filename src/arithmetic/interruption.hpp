// How a long computation that nobody waits for any more is broken off: by a check that throws,
// between its long steps. Draws of noise, decompositions and products are such steps in all rooms;
// the check is known to the thread that computes, and so to none of their callers.
#pragma once

#include <functional>

namespace dpcov::detail {

/// While it lives, `check` is what check_interruption() of this thread calls. An empty one changes
/// nothing. It must outlive this.
class InterruptionCheck {
public:
    explicit InterruptionCheck(const std::function<void()>& check) noexcept;
    ~InterruptionCheck();
    InterruptionCheck(const InterruptionCheck&) = delete;
    InterruptionCheck& operator=(const InterruptionCheck&) = delete;

private:
    const std::function<void()>* before_;
};

/// Calls this thread's check, where it has one. Throws what that does. What the check itself
/// computes is not checked.
void check_interruption();

}  // namespace dpcov::detail
