// A table whose rows can be had in any order, by several threads at once.
#pragma once

#include <cstddef>
#include <span>

namespace dpcov {

class ConcurrentReader {
public:
    ConcurrentReader() = default;
    ConcurrentReader(const ConcurrentReader&) = delete;
    ConcurrentReader& operator=(const ConcurrentReader&) = delete;
    virtual ~ConcurrentReader() = default;

    [[nodiscard]] virtual std::size_t rows() const noexcept = 0;

    /// Rows `first`, first + 1, ... of those, one behind another, as many as fill `into`, as
    /// TableReader::read() gives them. Safe for concurrent use. Throws what the first bad one is.
    virtual void read_at(std::size_t first, std::span<double> into) const = 0;

    /// All rows where they lie, as read_at() gives them, but that some may not be finite; or null.
    /// Of no use where rows are yet to be mapped.
    [[nodiscard]] virtual const double* in_place() const noexcept { return nullptr; }
};

}  // namespace dpcov
