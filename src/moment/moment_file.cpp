// The file of a SecretMoment. Little-endian throughout:
//   magic "dpcovSM2" | d u64 | norm bound f64 | keep_directions u64 | length of the data set's name
//   u64 | the name | zero_rows u64 | strata u64 |
//   per non-empty stratum: k u64 | rows u64 | gram | sum | directions (if kept), 16 bytes an entry
//   | BLAKE2b-256 of all that.
// The checksum finds damage; it is no signature, and the file is as secret as the table.
#include <sodium.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

#include "dpcov/error.hpp"
#include "io/atomic_file.hpp"
#include "moment/dataset_name.hpp"
#include "moment/secret_moment.hpp"

static_assert(std::endian::native == std::endian::little, "the moment file is written as it lies");

namespace dpcov::detail {
namespace {

constexpr std::array<char, 8> magic = {'d', 'p', 'c', 'o', 'v', 'S', 'M', '2'};
using Digest = std::array<unsigned char, crypto_generichash_BYTES>;

class Hasher {
public:
    Hasher() { crypto_generichash_init(&state_, nullptr, 0, Digest{}.size()); }

    void update(const void* data, std::size_t size) {
        crypto_generichash_update(&state_, static_cast<const unsigned char*>(data), size);
    }

    Digest finish() {
        Digest digest{};
        crypto_generichash_final(&state_, digest.data(), digest.size());
        return digest;
    }

private:
    crypto_generichash_state state_{};
};

class Writer {
public:
    explicit Writer(AtomicFile& file) : file_(file) {}

    void put(const void* data, std::size_t size) {
        hasher_.update(data, size);
        file_.write(std::string_view(static_cast<const char*>(data), size));
    }
    void put(std::uint64_t value) { put(&value, sizeof value); }
    void put(const std::vector<Int128>& values) {
        put(values.data(), values.size() * sizeof(Int128));
    }
    void finish() {
        const Digest digest = hasher_.finish();
        file_.write(std::string_view(reinterpret_cast<const char*>(digest.data()), digest.size()));
    }

private:
    AtomicFile& file_;
    Hasher hasher_;
};

class Reader {
public:
    explicit Reader(const std::string& path) : path_(path), file_(path, std::ios::binary) {
        if (!file_) {
            cannot("open");
        }
        file_.seekg(0, std::ios::end);
        const std::streamoff size = file_.tellg();
        if (size < 0 || !file_.seekg(0)) {
            cannot("find the length of");  // a pipe
        }
        left_ = static_cast<std::uint64_t>(size);
    }

    void get(void* data, std::size_t size) {
        if (size > left_) {
            damaged("it ends too early");
        }
        read(data, size);
        left_ -= size;
        hasher_.update(data, size);
    }
    std::uint64_t number() {
        std::uint64_t value = 0;
        get(&value, sizeof value);
        return value;
    }
    std::string name() {
        const std::uint64_t size = number();
        if (size > left_) {
            damaged("it ends too early");
        }
        std::string name(size, '\0');
        get(name.data(), name.size());
        try {
            if (!name.empty()) {
                detail::check_dataset_name(name);
            }
        } catch (const UsageError&) {
            damaged("its header makes no sense");
        }
        return name;
    }
    // A damaged size must not ask for the memory of the machine.
    void require_integers(std::uint64_t count) const {
        if (count > left_ / sizeof(Int128)) {
            damaged("it ends too early");
        }
    }
    // Into memory that is there.
    void integers(std::vector<Int128>& values, std::uint64_t count) {
        require_integers(count);
        values.resize(count);
        get(values.data(), values.size() * sizeof(Int128));
    }
    void finish() {
        const Digest expected = hasher_.finish();
        Digest stored{};
        if (left_ != stored.size()) {
            damaged("its length is wrong");
        }
        read(stored.data(), stored.size());
        if (stored != expected) {
            damaged("its checksum does not match");
        }
    }
    [[noreturn]] void damaged(const std::string& why) const {
        throw DataError(path_ + " is not a whole dpcov moment file: " + why +
                        "; make it again from the table");
    }

private:
    // What the length promises and the device does not give (a directory, a failing disk).
    void read(void* data, std::size_t size) {
        if (!file_.read(static_cast<char*>(data), static_cast<std::streamsize>(size))) {
            cannot("read");
        }
    }
    [[noreturn]] void cannot(const std::string& what) const {
        throw DeviceError("cannot " + what + " " + path_ + ": " + std::strerror(errno));
    }

    std::string path_;
    std::ifstream file_;
    std::uint64_t left_ = 0;
    Hasher hasher_;
};

bool within(const std::vector<Int128>& values, Int128 bound) {
    return std::all_of(values.begin(), values.end(),
                       [bound](const Int128& value) { return -bound <= value && value <= bound; });
}

// What rows of integer norm 2^20 at most can add up to: a whole file from elsewhere, checksum and
// all, must not overflow the sums later.
bool possible(const SecretMoment::Stratum& stratum) {
    constexpr std::uint64_t most_rows = std::uint64_t{1} << 48U;
    const auto rows = static_cast<Int128>(stratum.rows);
    const Int128 largest_product = rows << (2U * SecretMoment::radius_bits);
    return stratum.rows <= most_rows && within(stratum.gram, largest_product) &&
           within(stratum.directions, largest_product) &&
           within(stratum.sum, rows << SecretMoment::radius_bits);
}

}  // namespace

void SecretMoment::save(const std::string& path) const {
    AtomicFile file(path);
    Writer writer(file);
    writer.put(magic.data(), magic.size());
    writer.put(layout_.columns);
    writer.put(std::bit_cast<std::uint64_t>(layout_.norm_bound));
    writer.put(std::uint64_t{layout_.keep_directions});
    writer.put(layout_.dataset.size());
    writer.put(layout_.dataset.data(), layout_.dataset.size());
    writer.put(zero_rows_);
    std::uint64_t count = 0;
    for (const Stratum& stratum : strata_) {
        count += stratum.rows > 0 ? 1 : 0;
    }
    writer.put(count);
    for (std::size_t k = 0; k < strata_.size(); ++k) {
        const Stratum& stratum = strata_[k];
        if (stratum.rows > 0) {
            writer.put(std::uint64_t{k});
            writer.put(stratum.rows);
            writer.put(stratum.gram);
            writer.put(stratum.sum);
            writer.put(stratum.directions);
        }
    }
    writer.finish();
    file.commit();
}

SecretMoment SecretMoment::load(const std::string& path) {
    Reader reader(path);
    std::array<char, magic.size()> found{};
    reader.get(found.data(), found.size());
    if (found != magic) {
        reader.damaged("it does not begin as one (or another version wrote it)");
    }
    MomentLayout layout;
    layout.columns = reader.number();
    layout.norm_bound = std::bit_cast<double>(reader.number());
    const std::uint64_t keep_directions = reader.number();
    layout.keep_directions = keep_directions == 1;
    constexpr std::uint64_t most_columns = std::uint64_t{1} << 30U;  // keeps d (d + 1) / 2 in range
    if (keep_directions > 1 || layout.columns < 1 || layout.columns > most_columns ||
        !(layout.norm_bound >= least_norm_bound && layout.norm_bound <= greatest_norm_bound)) {
        reader.damaged("its header makes no sense");
    }
    layout.dataset = reader.name();
    const std::uint64_t zero_rows = reader.number();
    const std::uint64_t count = reader.number();
    const std::uint64_t entries = layout.columns * (layout.columns + 1) / 2;
    if (count > 0) {
        reader.require_integers(entries);
    }
    SecretMoment moment(std::move(layout));
    moment.zero_rows_ = zero_rows;
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint64_t k = reader.number();
        if (k >= moment.strata_.size() || moment.strata_[k].rows > 0) {
            reader.damaged("its strata make no sense");
        }
        Stratum& stratum = moment.strata_[k];
        stratum.rows = reader.number();
        reader.integers(stratum.gram, entries);
        reader.integers(stratum.sum, moment.layout_.columns);
        if (moment.layout_.keep_directions) {
            reader.integers(stratum.directions, entries);
        }
    }
    reader.finish();
    for (const Stratum& stratum : moment.strata_) {
        if (!possible(stratum)) {
            reader.damaged("its sums are such as no rows have");
        }
    }
    return moment;
}

}  // namespace dpcov::detail
