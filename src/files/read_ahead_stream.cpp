#include "files/read_ahead_stream.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <span>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace dpcov {

namespace {

constexpr std::size_t bytes_ahead = std::size_t{1} << 18;

struct Block {
    std::vector<unsigned char> bytes = std::vector<unsigned char>(bytes_ahead);
    std::size_t filled = 0;
};

class ReadAheadStream final : public ByteStream {
public:
    explicit ReadAheadStream(std::unique_ptr<ByteStream> stream)
        : ByteStream(stream->name()), stream_(std::move(stream)) {}
    ReadAheadStream(const ReadAheadStream&) = delete;
    ReadAheadStream& operator=(const ReadAheadStream&) = delete;
    ~ReadAheadStream() override {
        const std::lock_guard lock(mutex_);
        abandoned_ = true;
        changed_.notify_one();
    }

    std::size_t read(std::span<unsigned char> into) override {
        if (!begun_) {
            begun_ = true;
            try {
                thread_ = std::jthread([this] { read_ahead(); });
            } catch (const std::system_error&) {  // no thread to be had
            }
        }
        if (!thread_.joinable()) {
            return stream_->read(into);
        }
        if (!wait_for_block()) {
            return 0;
        }
        const Block& block = blocks_[consumed_ % blocks_.size()];
        const auto from = block.bytes.begin() + static_cast<std::ptrdiff_t>(position_);
        const std::size_t count = std::min(into.size(), block.filled - position_);
        std::copy_n(from, count, into.begin());
        position_ += count;
        if (position_ == block.filled) {
            position_ = 0;
            const std::lock_guard lock(mutex_);
            ++consumed_;
            changed_.notify_one();
        }
        return count;
    }

    [[nodiscard]] bool has_random_access() const noexcept override {
        return stream_->has_random_access();
    }
    [[nodiscard]] std::uint64_t size() const override { return stream_->size(); }
    void read_at(std::uint64_t offset, std::span<unsigned char> into) override {
        stream_->read_at(offset, into);
    }

private:
    // False at the end. What the stream threw comes behind the bytes before it.
    bool wait_for_block() {
        std::unique_lock lock(mutex_);
        wait(lock, [this] { return consumed_ < produced_ || ended_; });
        if (consumed_ < produced_) {
            return true;
        }
        if (error_) {
            std::rethrow_exception(error_);
        }
        return false;
    }

    // Not condition_variable::wait, which is libstdc++ 12's: wheels are for systems that have 11.
    template <class Condition>
    void wait(std::unique_lock<std::mutex>& lock, const Condition& holds) {
        while (!holds()) {
            changed_.wait_for(lock, std::chrono::hours(1));
        }
    }

    void read_ahead() {
        for (;;) {
            std::unique_lock lock(mutex_);
            wait(lock, [this] { return abandoned_ || produced_ < consumed_ + blocks_.size(); });
            if (abandoned_) {
                return;
            }
            Block& block = blocks_[produced_ % blocks_.size()];
            lock.unlock();
            std::exception_ptr error;
            try {
                block.filled = stream_->read(block.bytes);
            } catch (...) {
                block.filled = 0;
                error = std::current_exception();
            }
            lock.lock();
            if (block.filled > 0) {
                ++produced_;
            } else {
                ended_ = true;
                error_ = std::move(error);
            }
            changed_.notify_one();
            if (ended_) {
                return;
            }
        }
    }

    std::unique_ptr<ByteStream> stream_;
    std::array<Block, 2> blocks_;
    bool begun_ = false;
    std::size_t position_ = 0;  // in the block that is consumed
    std::mutex mutex_;          // of all that follows
    std::condition_variable changed_;
    std::uint64_t produced_ = 0;  // blocks; the thread alone writes it, and consumed_ read() alone
    std::uint64_t consumed_ = 0;
    bool ended_ = false;
    bool abandoned_ = false;
    std::exception_ptr error_;
    std::jthread thread_;  // the first to be destroyed: it is waited for
};

}  // namespace

std::unique_ptr<ByteStream> open_read_ahead(std::unique_ptr<ByteStream> stream) {
    return std::make_unique<ReadAheadStream>(std::move(stream));
}

}  // namespace dpcov
