#include "mechanism/paid_source.hpp"

#include <unistd.h>

#include "arithmetic/interruption.hpp"
#include "dpcov/error.hpp"

namespace dpcov::detail {

PaidSource::PaidSource(RandomSource& source, Accountant* accountant, const Charge& charge)
    : source_(source), accountant_(accountant), charge_(charge), process_(::getpid()) {}

std::uint64_t PaidSource::next_word() {
    if (words_to_check_ == 0) {
        check_interruption();
        require_one_process();
        words_to_check_ = 1U << 16U;  // some milliseconds of Gaussian noise
    }
    --words_to_check_;
    pay();
    return source_.next_word();
}

void PaidSource::pay() {
    if (accountant_ != nullptr) {
        accountant_->charge(charge_);
        require_one_process();  // whoever charges may fork
        accountant_ = nullptr;  // not before: where one of them throws, nothing is paid for
    }
}

void PaidSource::require_one_process() const {
    if (::getpid() != process_) {
        throw DeviceError(
            "the process was forked while a release was drawn; only the one that "
            "began it may go on");
    }
}

}  // namespace dpcov::detail
