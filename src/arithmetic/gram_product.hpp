// The Gram matrix of some integer rows: in doubles or by digits, whichever is faster.
#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>

#include "arithmetic/digit_gram.hpp"
#include "arithmetic/narrow_gram.hpp"
#include "arithmetic/triangle.hpp"

namespace dpcov::detail {

/// Adds Grams of integer rows up in doubles. Both ways give the same integers, so which one is
/// taken may depend on rows, and on how long they took: it shows in time alone.
class GramProduct {
public:
    /// For rows of `d` columns. Finds the memory, which must outlive this, so that what follows
    /// cannot fail. Throws DeviceError if the BLAS in use is not exact. More than `most_rows` rows,
    /// and all if there is no kernel or columns are too few for it, are multiplied in doubles: by
    /// `narrow` if it is there and columns are few, else by BLAS.
    GramProduct(DigitGram::Memory& memory, std::size_t most_rows, std::size_t d, unsigned threads,
                const DigitKernel* kernel = usable_digit_kernel(),
                NarrowGram* narrow = usable_narrow_gram());

    /// As DigitGram::add(), of any rows of integers with |q|^2 <= 2^40.
    void add(std::span<const double> rows, double sign, bool keep, const Triangle& gram) noexcept;

private:
    // How long a row took at least, by either way.
    struct Times {
        static constexpr double unknown = std::numeric_limits<double>::infinity();
        double by_digits = unknown;
        double in_doubles = unknown;
        int tries = 0;
    };

    void add_in_doubles(std::span<const double> rows, double sign, bool keep,
                        const Triangle& gram) const noexcept;

    std::size_t most_rows_;
    std::size_t d_;
    unsigned threads_;
    NarrowGram* narrow_;  // nullptr if BLAS is to be taken
    std::optional<DigitGram> digits_;
    std::array<Times, DigitPanels::most_digits> times_{};  // by digits
};

}  // namespace dpcov::detail
