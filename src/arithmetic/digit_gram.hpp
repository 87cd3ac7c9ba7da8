// The Gram matrix of integer rows from their 8-bit digits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "arithmetic/digit_kernels.hpp"
#include "arithmetic/digit_panels.hpp"
#include "arithmetic/triangle.hpp"

namespace dpcov::detail {

/// Adds up Grams by products of digits. Exact (docs/privacy.md#digits).
class DigitGram {
public:
    /// Of fewer columns dsyrk makes the Gram sooner: kernels have 32 at a time.
    static constexpr std::size_t least_columns = 9;

    /// Room for digits, which depends on columns, rows at a time and threads alone.
    struct Memory {
        HugePageVector<std::int8_t> digits;
        std::vector<std::int8_t> prepared;  // by thread
        std::vector<std::int32_t> sums;     // by thread
        std::vector<double> of_offset;      // by column
    };
    /// How many bytes that is; none of fewer than the least columns.
    [[nodiscard]] static double bytes(std::size_t most_rows, std::size_t d,
                                      unsigned threads) noexcept;

    /// Finds the memory, which must outlive this, so that what follows cannot fail.
    DigitGram(const DigitKernel& kernel, Memory& memory, std::size_t most_rows, std::size_t d,
              unsigned threads);

    /// To `gram`, or in its place unless `keep`, `sign` (1 or -1) times the Gram of at most
    /// `most_rows` rows, row-major, in that form. All sums stay below 2^53.
    void add(std::span<const double> rows, const DigitForm& form, double sign, bool keep,
             const Triangle& gram) noexcept;

private:
    void add_panels(std::size_t first_panel, std::size_t thread, double factor, bool keep,
                    const Triangle& gram) noexcept;
    void set_offset(std::span<const double> rows, const DigitForm& form) noexcept;

    const DigitKernel* kernel_;
    std::size_t d_;
    std::size_t prepared_bytes_;
    unsigned threads_;
    Memory* memory_;
    DigitPanels panels_;
};

/// Whether Grams by that kernel are those of 64-bit integers, on rows of one, two and three digits.
[[nodiscard]] bool is_exact(const DigitKernel& kernel);

/// The best kernel that is here and exact, which is tried once per process; nullptr if there is
/// none.
[[nodiscard]] const DigitKernel* usable_digit_kernel();

}  // namespace dpcov::detail
