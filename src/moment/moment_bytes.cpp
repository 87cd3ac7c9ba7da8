#include "moment/moment_bytes.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <utility>

#include "dpcov/error.hpp"

static_assert(std::endian::native == std::endian::little, "the moment file is written as it lies");

namespace dpcov::detail {
namespace {

// Integers that are written or read at a time.
constexpr std::size_t integers_together = 1024;

}  // namespace

void MomentWriter::put(const void* data, std::size_t size) {
    checksum_.update(data, size);
    write_(std::string_view(static_cast<const char*>(data), size));
}

void MomentWriter::put(double value) {
    put(std::bit_cast<std::uint64_t>(value));
}

void MomentWriter::put(const std::string& text) {
    put(std::uint64_t{text.size()});
    put(text.data(), text.size());
}

void MomentWriter::put(const ExactSums& values) {
    put(values.data(), values.size() * sizeof(Int128));
}

void MomentWriter::put(const WideSums& values) {
    std::array<Int128, integers_together> part{};
    for (std::size_t first = 0; first < values.size(); first += part.size()) {
        const std::size_t count = std::min(part.size(), values.size() - first);
        for (std::size_t i = 0; i < count; ++i) {
            part[i] = values[first + i];
        }
        put(part.data(), count * sizeof(Int128));
    }
}

void MomentWriter::finish() {
    const Digest digest = checksum_.finish();
    write_(std::string_view(reinterpret_cast<const char*>(digest.data()), digest.size()));
}

MomentReader::MomentReader(std::string name, std::uint64_t size, const BytesIn& read)
    : name_(std::move(name)), left_(size), read_(read) {}

void MomentReader::get(void* data, std::size_t size) {
    if (size > left_) {
        damaged("it ends too early");
    }
    read_(data, size);
    left_ -= size;
    checksum_.update(data, size);
}

std::uint64_t MomentReader::number() {
    std::uint64_t value = 0;
    get(&value, sizeof value);
    return value;
}

double MomentReader::real() {
    return std::bit_cast<double>(number());
}

std::string MomentReader::text() {
    constexpr std::uint64_t longest = std::uint64_t{1} << 16U;
    const std::uint64_t size = number();
    if (size > left_) {
        damaged("it ends too early");
    }
    if (size > longest) {
        senseless_head();
    }
    std::string text(size, '\0');
    get(text.data(), text.size());
    return text;
}

void MomentReader::require_integers(std::uint64_t count) const {
    if (count > left_ / sizeof(Int128)) {
        damaged("it ends too early");
    }
}

void MomentReader::integers(ExactSums& values, std::uint64_t count) {
    require_integers(count);
    values.resize(count);
    get(values.data(), values.size() * sizeof(Int128));
}

void MomentReader::integers(WideSums& values, std::uint64_t count) {
    require_integers(count);
    values.resize(count);
    std::array<Int128, integers_together> part{};
    for (std::size_t first = 0; first < values.size(); first += part.size()) {
        const std::size_t size = std::min(part.size(), values.size() - first);
        get(part.data(), size * sizeof(Int128));
        for (std::size_t i = 0; i < size; ++i) {
            values.set(first + i, part[i]);
        }
    }
}

Digest MomentReader::finish() {
    const Digest expected = checksum_.finish();
    Digest stored{};
    if (left_ != stored.size()) {
        damaged("its length is wrong");
    }
    read_(stored.data(), stored.size());
    if (stored != expected) {
        damaged("its checksum does not match");
    }
    return stored;
}

void MomentReader::damaged(const std::string& why) const {
    throw DataError(name_ + " is not a whole dpcov moment file: " + why +
                    "; make it again from the table");
}

void MomentReader::of_later_version() const {
    throw DataError(name_ + " was written by a later version of dpcov; use that");
}

}  // namespace dpcov::detail
