// Memory for large sums and matrices in pages of 2 MiB, where the system has them.
#pragma once

#include <cstddef>
#include <vector>

namespace dpcov::detail {

/// Memory of at least so many bytes begins at a page of 2 MiB; less memory is an ordinary
/// allocation. Each page of 4 KiB costs a fault, and a release of 5000 columns had four
/// million.
inline constexpr std::size_t huge_page_bytes = std::size_t{2} << 20U;
inline constexpr std::size_t least_in_huge_pages = huge_page_bytes;

/// Asks the system to back memory that was not written yet by huge pages. Memory below
/// least_in_huge_pages stays as it is, and no page reaches beyond the memory; a system without such
/// pages changes nothing.
void ask_for_huge_pages(void* memory, std::size_t bytes) noexcept;

/// Throws bad_alloc.
[[nodiscard]] void* allocate_in_huge_pages(std::size_t bytes);
/// What allocate_in_huge_pages(bytes) returned.
void free_in_huge_pages(void* memory, std::size_t bytes) noexcept;

/// The same of zeros. Memory that comes from the system as zeros is not written: a page of it is
/// taken with the first number that is.
[[nodiscard]] void* allocate_zeros_in_huge_pages(std::size_t bytes);
void free_zeros_in_huge_pages(void* memory, std::size_t bytes) noexcept;

/// Gives back what the memory holds, of at least least_in_huge_pages: it reads as zeros until it is
/// written again, but for its ends, as far as they share a page with other memory.
void forget_contents(void* memory, std::size_t bytes) noexcept;

template <class Value>
struct HugePageAllocator {
    using value_type = Value;  // NOLINT(readability-identifier-naming): what allocators have

    HugePageAllocator() = default;
    template <class Other>  // NOLINTNEXTLINE(google-explicit-constructor): allocators convert
    HugePageAllocator(const HugePageAllocator<Other>& /*other*/) noexcept {}

    [[nodiscard]] Value* allocate(std::size_t count) {
        return static_cast<Value*>(allocate_in_huge_pages(count * sizeof(Value)));
    }
    void deallocate(Value* values, std::size_t count) noexcept {
        free_in_huge_pages(values, count * sizeof(Value));
    }

    friend bool operator==(const HugePageAllocator& /*a*/, const HugePageAllocator& /*b*/) {
        return true;
    }
};

template <class Value>
using HugePageVector = std::vector<Value, HugePageAllocator<Value>>;

}  // namespace dpcov::detail
