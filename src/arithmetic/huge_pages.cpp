#include "arithmetic/huge_pages.hpp"

#include <sys/mman.h>

#include <memory>

namespace dpcov::detail {

void ask_for_huge_pages(void* memory, std::size_t bytes) noexcept {
    constexpr std::size_t page = std::size_t{2} << 20U;
    constexpr std::size_t worth_it = 2 * page;
    if (bytes >= worth_it && std::align(page, page, memory, bytes) != nullptr) {
        // Advice: what the system makes of it is its own affair.
        static_cast<void>(::madvise(memory, bytes / page * page, MADV_HUGEPAGE));
    }
}

}  // namespace dpcov::detail
