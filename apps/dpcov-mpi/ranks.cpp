#include "ranks.hpp"

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string_view>
#include <utility>
#include <vector>

namespace dpcov {
namespace {

constexpr int tag = 1;
constexpr std::size_t piece_bytes = std::size_t{1} << 24U;

/// Sends so many bytes in pieces of the same length, but for the last.
class Sender {
public:
    Sender(std::vector<char>& piece, int to, std::uint64_t size)
        : piece_(piece), to_(to), left_(size) {}

    void put(std::string_view bytes) {
        while (!bytes.empty()) {
            const std::size_t count = std::min(bytes.size(), piece_.size() - filled_);
            bytes.copy(piece_.data() + filled_, count);
            bytes.remove_prefix(count);
            filled_ += count;
            flush_if_due();
        }
    }
    // The receiver is told a length: where fewer bytes came, what is missing is in no moment.
    void fill_up() {
        while (left_ > 0) {
            filled_ = std::min<std::uint64_t>(left_, piece_.size());
            flush_if_due();
        }
    }

private:
    void flush_if_due() {
        if (filled_ == std::min<std::uint64_t>(left_, piece_.size())) {
            MPI_Send(piece_.data(), static_cast<int>(filled_), MPI_BYTE, to_, tag, MPI_COMM_WORLD);
            left_ -= filled_;
            filled_ = 0;
        }
    }

    std::vector<char>& piece_;
    int to_;
    std::uint64_t left_;
    std::size_t filled_ = 0;
};

/// Receives what a Sender sent.
class Receiver {
public:
    Receiver(std::vector<char>& piece, int from, std::uint64_t size)
        : piece_(piece), from_(from), left_(size) {}

    void get(void* bytes, std::size_t count) {
        auto* to = static_cast<char*>(bytes);
        while (count > 0) {
            if (begin_ == end_) {
                next();
            }
            const std::size_t some = std::min(count, end_ - begin_);
            to = std::copy_n(piece_.begin() + static_cast<std::ptrdiff_t>(begin_), some, to);
            begin_ += some;
            count -= some;
        }
    }
    // So that the sender can go on, whatever became of the moment.
    void skip_rest() {
        while (left_ > 0) {
            next();
        }
    }

private:
    void next() {
        if (left_ == 0) {
            throw DeviceError("a rank sent less than it said");
        }
        end_ = std::min<std::uint64_t>(left_, piece_.size());
        MPI_Recv(piece_.data(), static_cast<int>(end_), MPI_BYTE, from_, tag, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        left_ -= end_;
        begin_ = 0;
    }

    std::vector<char>& piece_;
    int from_;
    std::uint64_t left_;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
};

}  // namespace

Ranks::Ranks(int& argc, char**& argv) {
    // Table blocks are read by another thread, which knows nothing of MPI.
    int provided = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    int rank = 0;
    int size = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    rank_ = static_cast<std::size_t>(rank);
    size_ = static_cast<std::size_t>(size);
}

Ranks::~Ranks() {
    leave();
}

void Ranks::leave() {
    if (in_use_) {
        in_use_ = false;
        MPI_Finalize();
    }
}

void Ranks::agree() {
    static_cast<void>(fail(0, ""));
    if (failed_status_ != 0) {
        throw AnotherRankFailed();
    }
}

int Ranks::fail(int status, const std::string& message) {
    if (failed_status_ != 0) {
        return failed_status_;  // all know already
    }
    if (!in_use_) {
        std::fputs(message.c_str(), stderr);
        return status;
    }
    const int none = static_cast<int>(size_);
    const int own = status != 0 ? static_cast<int>(rank_) : none;
    int first = none;
    MPI_Allreduce(&own, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (first != none) {
        failed_status_ = status;
        MPI_Bcast(&failed_status_, 1, MPI_INT, first, MPI_COMM_WORLD);
        if (first == own) {
            std::fputs(message.c_str(), stderr);
        }
    }
    return failed_status_;
}

std::string Ranks::said_by_first(const std::string& words) {
    auto size = static_cast<std::uint64_t>(words.size());
    MPI_Bcast(&size, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    std::string said = words;
    said.resize(size);
    for (std::size_t begin = 0; begin < said.size(); begin += piece_bytes) {
        const std::size_t count = std::min(said.size() - begin, piece_bytes);
        MPI_Bcast(said.data() + begin, static_cast<int>(count), MPI_BYTE, 0, MPI_COMM_WORLD);
    }
    return said;
}

void Ranks::take_memory() {
    if (size_ > 1) {
        piece_.resize(piece_bytes);
    }
}

std::optional<SecondMoment> Ranks::sum(std::optional<SecondMoment> moment) {
    std::exception_ptr failure;
    for (std::size_t step = 1; step < size_; step *= 2) {
        if (rank_ % (2 * step) != 0) {
            send(moment, static_cast<int>(rank_ - step));
            moment.reset();
            break;
        }
        if (rank_ + step < size_) {
            try {
                std::optional<SecondMoment> other = receive(static_cast<int>(rank_ + step));
                if (moment && other) {
                    moment->merge(*other);
                } else if (other && !failure) {
                    moment = std::move(other);
                }
            } catch (...) {
                failure = std::current_exception();
                moment.reset();  // nobody is to release a part of the table
            }
        }
    }
    if (failure) {
        std::rethrow_exception(failure);
    }
    return moment;
}

// Whatever fails here, the receiver gets as many bytes as it was told.
void Ranks::send(const std::optional<SecondMoment>& moment, int to) {
    std::uint64_t size = 0;  // of none
    std::exception_ptr failure;
    try {
        if (moment) {
            moment->write([&size](std::string_view bytes) { size += bytes.size(); });
        }
    } catch (...) {
        failure = std::current_exception();
        size = 0;
    }
    MPI_Send(&size, 1, MPI_UINT64_T, to, tag, MPI_COMM_WORLD);
    Sender sender(piece_, to, size);
    try {
        if (size > 0) {
            moment->write([&sender](std::string_view bytes) { sender.put(bytes); });
        }
    } catch (...) {
        failure = std::current_exception();
    }
    sender.fill_up();
    if (failure) {
        std::rethrow_exception(failure);
    }
}

std::optional<SecondMoment> Ranks::receive(int from) {
    std::uint64_t size = 0;
    MPI_Recv(&size, 1, MPI_UINT64_T, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (size == 0) {
        return std::nullopt;
    }
    Receiver receiver(piece_, from, size);
    try {
        return SecondMoment::read(
            "the moment of rank " + std::to_string(from), size,
            [&receiver](void* bytes, std::size_t count) { receiver.get(bytes, count); });
    } catch (...) {
        receiver.skip_rest();
        throw;
    }
}

}  // namespace dpcov
