// The bytes of a moment file, little-endian, with a checksum behind them: BLAKE2b-256. It finds
// damage; it is no signature.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "arithmetic/packed_symmetric.hpp"
#include "arithmetic/wide_sums.hpp"
#include "dpcov/second_moment.hpp"
#include "text/digest.hpp"

namespace dpcov::detail {

class MomentWriter {
public:
    explicit MomentWriter(const BytesOut& write) : write_(write) {}

    void put(const void* data, std::size_t size);
    void put(std::uint64_t value) { put(&value, sizeof value); }
    void put(double value);
    /// Its length, and its bytes.
    void put(const std::string& text);
    void put(const ExactSums& values);
    /// The same bytes.
    void put(const WideSums& values);
    /// The checksum.
    void finish();

private:
    const BytesOut& write_;
    Blake2b checksum_;
};

/// Throws DataError, which calls the bytes by their name, where they are no moment.
class MomentReader {
public:
    /// Of so many bytes.
    MomentReader(std::string name, std::uint64_t size, const BytesIn& read);

    void get(void* data, std::size_t size);
    std::uint64_t number();
    double real();
    /// A text of at most 2^16 bytes: no name is longer.
    std::string text();
    /// A damaged size must not ask for the memory of the machine.
    void require_integers(std::uint64_t count) const;
    /// Into memory that is there.
    void integers(ExactSums& values, std::uint64_t count);
    void integers(WideSums& values, std::uint64_t count);
    /// The checksum, which is right.
    Digest finish();

    [[noreturn]] void damaged(const std::string& why) const;
    [[noreturn]] void of_later_version() const;
    [[noreturn]] void senseless_head() const { damaged("its header makes no sense"); }

private:
    std::string name_;
    std::uint64_t left_;
    const BytesIn& read_;
    Blake2b checksum_;
};

}  // namespace dpcov::detail
