#include "arithmetic/interruption.hpp"

#include <utility>

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
    if (current == nullptr) {
        return;
    }
    struct Put {  // back, whatever the check throws
        const std::function<void()>* check;
        ~Put() { current = check; }
    };
    const Put back{std::exchange(current, nullptr)};
    (*back.check)();
}

}  // namespace dpcov::detail
