#include "moment/memory_need.hpp"

#include <cblas.h>
#include <sys/mman.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "arithmetic/digit_gram.hpp"
#include "arithmetic/sparse_gram.hpp"
#include "dpcov/error.hpp"
#include "moment/memory_limits.hpp"
#include "moment/row_chunk.hpp"
#include "moment/secret_moment.hpp"

namespace dpcov::detail {
namespace {

constexpr double mebibyte = 0x1p20;

// A buffer of OpenBLAS on x86-64 (on aarch64 it has 32 MiB), one for each of its threads: mapped
// when the thread first needs it, and tried again for ever where it cannot be had (up to 0.3.29).
// With the thread's stack.
constexpr double blas_buffer = 128.0 * mebibyte;
constexpr double thread_stack = 8.0 * mebibyte;

// The program, its libraries and what else is small: 85 MiB were measured on Debian 12. Stacks for
// our own threads, one that reads rows and one that adds them up, and as much again for what they
// take as for one.
constexpr double program = 128.0 * mebibyte;
constexpr double per_thread = 24.0 * mebibyte;

// The most that any method takes above the moment, in d x d matrices of doubles, and a fifth to
// spare: 20 were measured, among them what the heap loses between matrices (docs/performance.md).
// Besides, the statistics of every stratum, where they are kept: no more strata than bins.
constexpr double release_matrices = 24.0;

std::string megabytes(double number) {
    return std::to_string(static_cast<std::int64_t>(std::fmin(number, 1e15))) + " MB";
}

[[noreturn]] void refuse(double need, const std::string& what, double there_is) {
    throw DeviceError("this many columns need " + megabytes(std::ceil(need / 1e6)) + " of " + what +
                      ", whatever the rows are" +
                      (std::isinf(there_is)
                           ? ", which is too much; take fewer columns"
                           : ", of which there are " + megabytes(std::floor(there_is / 1e6)) +
                                 "; take fewer columns, or raise the limit"));
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
        double left = std::numeric_limits<double>::infinity();
        for (const AddressSpace& space : address_space()) {
            left = std::fmin(left, space.limit - space.held);
        }
        refuse(need, "address space", std::fmax(0.0, left));
    }
}

struct Shortage {
    double need;
    double there_is;
};

// A process that holds no more than dpcov itself needs: its whole need is compared with the limit,
// since what is mapped so far depends on how far OpenBLAS's threads have come. A process that holds
// more, as Python with a table: nobody can tell whether their buffers are among it, so they are
// taken to be still to come.
std::optional<Shortage> shortage(double threads, double need) {
    const double ours = program + threads * (blas_buffer + thread_stack + per_thread);
    for (const auto& [limit, held] : address_space()) {
        if (held <= ours && ours + need > limit) {
            return Shortage{.need = ours + need, .there_is = limit};
        }
        const double more = threads * (blas_buffer + per_thread) + need;
        if (held > ours && more > limit - held) {
            return Shortage{.need = more, .there_is = std::fmax(0.0, limit - held)};
        }
    }
    return std::nullopt;
}

// OpenBLAS starts one for each processor when it is loaded.
double threads_of_blas() {
    return std::max(openblas_get_num_threads(), openblas_get_num_procs());
}

double totals(const MomentLayout& layout, const NormBins& bins) {
    return static_cast<double>(bins.size()) + (layout.keep_directions ? NormBins::octaves : 0);
}

}  // namespace

std::size_t rooms_for_two_grams(const MomentLayout& layout, const NormBins& bins) {
    const auto d = static_cast<double>(layout.columns);
    const double in_room = std::floor(256.0 * mebibyte / (4.0 * d * (d + 1.0)));
    const auto of = [in_room](double grams) { return std::clamp(in_room, 32.0, grams); };
    const double grams = of(static_cast<double>(bins.size())) +
                         (layout.keep_directions ? of(NormBins::octaves) : 0.0);
    return static_cast<std::size_t>(std::ceil(grams / 2.0));
}

MemoryNeed memory_need(const MomentLayout& layout, const NormBins& bins) {
    const auto d = static_cast<double>(layout.columns);
    const double gram = 8.0 * d * (d + 1.0);
    const double vectors = static_cast<double>(bins.size()) * 16.0 * d;
    // The rows that are added at a time, as many on two threads as on more: their integers, their
    // places and their digits. (What each thread has besides is in per_thread.)
    const std::size_t rows = RowChunk::capacity(layout.columns, bins, 2);
    const double chunk = 8.0 * d * static_cast<double>(rows) + 2.0 * mebibyte +
                         DigitGram::bytes(rows, layout.columns, 1);
    const double blocks = 2.0 * std::fmax(static_cast<double>(read_block_bytes), 8.0 * d);
    const double grams = totals(layout, bins);
    const double doubles = static_cast<double>(rooms_for_two_grams(layout, bins)) * gram;
    return {.bins = grams,
            .sums = grams * gram + vectors,
            .doubles = doubles,
            .working = doubles + chunk + SparseGramSums::bytes(layout.columns),
            .release = (release_matrices + static_cast<double>(bins.size())) * 8.0 * d * d + blocks,
            .matrix = 8.0 * d * d};
}

double MemoryNeed::resident() const noexcept {
    // Of more than that, one bin; and of what a method may need, one matrix.
    return (sums_are_resident() ? sums + doubles : sums / bins) + matrix;
}

void require_memory(const MemoryNeed& need) {
    if (const auto limit = shortage(threads_of_blas(), need.address_space())) {
        refuse(limit->need, "address space", limit->there_is);
    }
    require_address_space(need.address_space());  // other limits, and what else the process holds
    // To ask the machine takes longer than to make a small moment.
    constexpr double worth_asking = 0x1p28;
    if (need.resident() > worth_asking) {
        const double there_is = resident_memory_limit();
        if (there_is < std::numeric_limits<double>::infinity() && need.resident() > there_is) {
            refuse(need.resident(), "memory", there_is);
        }
    }
}

bool has_room_for_threads(const MemoryNeed& need, double more) {
    const double of_each = blas_buffer + thread_stack + per_thread + need.sums + need.doubles;
    const double all = need.address_space() + more * of_each;
    return !shortage(threads_of_blas(), all) && can_map(all);
}

void take_blas_memory() {
    if (const auto limit = shortage(openblas_get_num_threads(), 0.0)) {
        throw DeviceError("to compute takes " + megabytes(std::ceil(limit->need / 1e6)) +
                          " of address space, of which there are " +
                          megabytes(std::floor(limit->there_is / 1e6)) +
                          "; raise the limit, or have fewer threads (OPENBLAS_NUM_THREADS=1)");
    }
    constexpr int order = 192;  // enough to be shared out among the threads
    const std::vector<double> ones(std::size_t{order} * order, 1.0);
    std::vector<double> product(ones.size());
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, order, order, order, 1.0, ones.data(),
                order, ones.data(), order, 0.0, product.data(), order);
}

}  // namespace dpcov::detail
