#include "ranks.hpp"

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
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
    Receiver(int from, std::uint64_t size) : from_(from), left_(size) {}

    void get(void* bytes, std::size_t count) {
        auto* to = static_cast<char*>(bytes);
        while (count > 0) {
            if (begin_ == piece_.size()) {
                next();
            }
            const std::size_t some = std::min(count, piece_.size() - begin_);
            to = std::copy_n(piece_.begin() + static_cast<std::ptrdiff_t>(begin_), some, to);
            begin_ += some;
            count -= some;
        }
    }

private:
    void next() {
        piece_.resize(std::min<std::uint64_t>(left_, piece_bytes));
        if (piece_.empty()) {
            throw DeviceError("a rank sent less than it said");
        }
        MPI_Recv(piece_.data(), static_cast<int>(piece_.size()), MPI_BYTE, from_, tag,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        left_ -= piece_.size();
        begin_ = 0;
    }

    int from_;
    std::uint64_t left_;
    std::size_t begin_ = 0;
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
    if (!in_use_ || adding_up_) {  // nobody waits here, but perhaps for a moment
        std::fputs(message.c_str(), stderr);
        if (in_use_) {
            MPI_Abort(MPI_COMM_WORLD, status);
        }
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

std::optional<SecondMoment> Ranks::sum(std::optional<SecondMoment> moment) {
    adding_up_ = true;
    for (std::size_t step = 1; step < size_; step *= 2) {
        if (rank_ % (2 * step) != 0) {
            send(moment, static_cast<int>(rank_ - step));
            moment.reset();
            break;
        }
        if (rank_ + step < size_) {
            std::optional<SecondMoment> other = receive(static_cast<int>(rank_ + step));
            if (moment && other) {
                moment->merge(*other);
            } else if (other) {
                moment = std::move(other);
            }
        }
    }
    adding_up_ = false;
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
    return SecondMoment::read(
        "the moment of rank " + std::to_string(from), size,
        [&receiver](void* bytes, std::size_t count) { receiver.get(bytes, count); });
}

}  // namespace dpcov
