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

/// Sends bytes in pieces of the same length, but for the last.
class Sender {
public:
    explicit Sender(int to) : to_(to) { piece_.reserve(piece_bytes); }

    void put(std::string_view bytes) {
        while (!bytes.empty()) {
            const std::size_t count = std::min(bytes.size(), piece_bytes - piece_.size());
            piece_.insert(piece_.end(), bytes.begin(),
                          bytes.begin() + static_cast<std::ptrdiff_t>(count));
            bytes.remove_prefix(count);
            if (piece_.size() == piece_bytes) {
                flush();
            }
        }
    }
    void flush() {
        if (!piece_.empty()) {
            MPI_Send(piece_.data(), static_cast<int>(piece_.size()), MPI_BYTE, to_, tag,
                     MPI_COMM_WORLD);
            piece_.clear();
        }
    }

private:
    int to_;
    std::vector<char> piece_;
};

/// Receives what a Sender sent.
class Receiver {
public:
    // All of the memory at once: how much is to come is secret.
    Receiver(int from, std::uint64_t size) : from_(from), left_(size) {
        piece_.resize(piece_bytes);
    }

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
        end_ = std::min<std::uint64_t>(left_, piece_bytes);
        MPI_Recv(piece_.data(), static_cast<int>(end_), MPI_BYTE, from_, tag, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        left_ -= end_;
        begin_ = 0;
    }

    int from_;
    std::uint64_t left_;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    std::vector<char> piece_;
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

void Ranks::send(const std::optional<SecondMoment>& moment, int to) const {
    std::uint64_t size = 0;  // of none
    if (moment) {
        moment->write([&size](std::string_view bytes) { size += bytes.size(); });
    }
    MPI_Send(&size, 1, MPI_UINT64_T, to, tag, MPI_COMM_WORLD);
    if (moment) {
        Sender sender(to);
        moment->write([&sender](std::string_view bytes) { sender.put(bytes); });
        sender.flush();
    }
}

std::optional<SecondMoment> Ranks::receive(int from) const {
    std::uint64_t size = 0;
    MPI_Recv(&size, 1, MPI_UINT64_T, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (size == 0) {
        return std::nullopt;
    }
    Receiver receiver(from, size);
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
