#include "moment/memory_need.hpp"

#include <cblas.h>
#include <sys/mman.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "dpcov/error.hpp"
#include "moment/memory_limits.hpp"
#include "moment/secret_moment.hpp"

namespace dpcov::detail {
namespace {

constexpr double mebibyte = 0x1p20;
constexpr double infinite = std::numeric_limits<double>::infinity();

// A buffer of OpenBLAS on x86-64, one for each of its threads: mapped when the thread first needs
// it, and tried again for ever where it cannot be had (up to 0.3.29). With the thread's stack.
constexpr double blas_buffer = 128.0 * mebibyte;
constexpr double thread_stack = 8.0 * mebibyte;

// Stacks and heaps of our own threads, which are as many as the BLAS's, and what else is small.
constexpr double small_things = 64.0 * mebibyte;
constexpr double per_thread = 72.0 * mebibyte;

// The most d x d matrices of doubles that any method holds at a time, measured, with some to spare
// for what the heap loses between them.
constexpr double release_matrices = 40.0;

std::string megabytes(double bytes) {
    return std::to_string(static_cast<std::int64_t>(std::fmin(std::ceil(bytes / 1e6), 1e15))) +
           " MB";
}

[[noreturn]] void refuse(double need, const std::string& what, double there_is) {
    throw DeviceError("this many columns need " + megabytes(need) + " of " + what +
                      ", whatever the rows are, and there are " + megabytes(there_is) +
                      "; take fewer columns, or raise the limit");
}

// Whether the kernel gives that much address space, under whatever limit there is.
bool can_map(double bytes) {
    if (bytes >= 0x1p62) {
        return false;
    }
    const auto size = static_cast<std::size_t>(bytes);
    void* const memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory != MAP_FAILED && ::munmap(memory, size) == 0;
}

void require_address_space(double need) {
    if (!can_map(need)) {
        refuse(need, "address space", std::fmin(address_space_left(), need));
    }
}

// Before the first product: see blas_buffer.
void have_blas_buffers() {
    static const bool had = [] {
        const double threads = openblas_get_num_threads();
        require_address_space(threads * (blas_buffer + thread_stack) + small_things);
        // Too small to take long, and large enough for every thread to have a part.
        constexpr int d = 96;
        constexpr int rows = 1024;
        const std::vector<double> ones(std::size_t{d} * rows, 1.0);
        std::vector<double> gram(std::size_t{d} * d);
        cblas_dsyrk(CblasColMajor, CblasUpper, CblasNoTrans, d, rows, 1.0, ones.data(), d, 0.0,
                    gram.data(), d);
        return true;
    }();
    static_cast<void>(had);
}

double totals(const MomentLayout& layout) {
    return SecretMoment::strata * (layout.keep_directions ? 2.0 : 1.0);
}

}  // namespace

std::size_t grams_in_doubles(const MomentLayout& layout) {
    const auto d = static_cast<double>(layout.columns);
    const double kinds = layout.keep_directions ? 2.0 : 1.0;
    const double in_room = std::floor(256.0 * mebibyte / (8.0 * d * d));
    return static_cast<std::size_t>(kinds * std::clamp(in_room, 8.0, 1.0 * SecretMoment::strata));
}

MemoryNeed memory_need(const MomentLayout& layout) {
    const auto d = static_cast<double>(layout.columns);
    const double gram = 8.0 * d * (d + 1.0);
    const double vectors = SecretMoment::strata * 16.0 * d;
    // The integers of the rows that are added at a time: 2^20 values, or 384 rows; and their
    // places.
    const double chunk = std::fmax(8.0 * mebibyte, 384.0 * 8.0 * d) + 2.0 * mebibyte;
    const double blocks = 2.0 * std::fmax(16.0 * mebibyte, 8.0 * d);
    return {.sums = totals(layout) * gram + vectors,
            .working = static_cast<double>(grams_in_doubles(layout)) * 8.0 * d * d + chunk,
            .release = release_matrices * 8.0 * d * d + blocks};
}

double MemoryNeed::resident() const noexcept {
    const bool all = sums <= resident_moment;
    // Of more than that, one stratum; and of what a method may need, what the least of them does.
    return (all ? sums : sums / (2.0 * SecretMoment::strata)) + release / release_matrices;
}

void require_memory(const MemoryNeed& need) {
    have_blas_buffers();
    const double threads = openblas_get_num_threads();
    require_address_space(need.address_space() + small_things + threads * per_thread);
    // To ask the machine takes longer than to make a small moment.
    constexpr double worth_asking = 0x1p28;
    if (need.resident() > worth_asking) {
        const double there_is = resident_memory_limit();
        if (there_is < infinite && need.resident() > there_is) {
            refuse(need.resident(), "memory", there_is);
        }
    }
}

}  // namespace dpcov::detail
