#include "arithmetic/interruption.hpp"

namespace dpcov::detail {
namespace {

thread_local const std::function<void()>* current = nullptr;

}  // namespace

InterruptionCheck::InterruptionCheck(const std::function<void()>& check) noexcept
    : before_(current) {
    if (check) {
        current = &check;
    }
}

InterruptionCheck::~InterruptionCheck() {
    current = before_;
}

void check_interruption() {
    if (current != nullptr) {
        (*current)();
    }
}

}  // namespace dpcov::detail
