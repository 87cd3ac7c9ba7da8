// Which of several threads reads a table's next block, and which of their errors counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <mutex>
#include <utility>

namespace dpcov::detail {

/// Threads take turns at reading a table, whose blocks keep their order.
class Turns {
public:
    /// Calls read(), which says how many rows it read: none at the end. Not after that, nor after
    /// an error. `first` becomes the number of rows before, whatever is thrown.
    template <class Read>
    std::size_t next(std::uint64_t& first, const Read& read) {
        const std::scoped_lock lock(mutex_);
        first = rows_;
        if (over_) {
            return 0;
        }
        over_ = true;  // should read() throw
        const std::size_t rows = read();
        rows_ += rows;
        over_ = rows == 0;
        return rows;
    }

    /// Keeps the error of a thread whose rows from `first` on were at work, unless there is one of
    /// rows before them. So it is the first in the order of rows: those before it were all read
    /// already, and their threads finish them.
    void fail(std::uint64_t first, std::exception_ptr error) noexcept {
        const std::scoped_lock lock(mutex_);
        over_ = true;
        if (first < failed_at_) {
            failed_at_ = first;
            error_ = std::move(error);
        }
    }

    /// Throws the error that was kept, when no thread is at work.
    void rethrow() const {
        if (error_) {
            std::rethrow_exception(error_);
        }
    }

    /// How many were read.
    [[nodiscard]] std::uint64_t rows() {
        const std::scoped_lock lock(mutex_);
        return rows_;
    }

private:
    std::mutex mutex_;
    std::uint64_t rows_ = 0;
    bool over_ = false;
    std::uint64_t failed_at_ = std::numeric_limits<std::uint64_t>::max();
    std::exception_ptr error_;
};

}  // namespace dpcov::detail
