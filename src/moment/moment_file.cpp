// The file of a SecretMoment. Little-endian throughout:
//   magic "dpcovSM6" | d u64 | norm bound f64 | keep_directions u64 | the data set's name |
//   columns of the schema u64 (d or 0), each: name | flags u64 (1 bounds, 2 fill) | lower f64 |
//   upper f64 | fill f64 | scale f64 | parts u64, each a text | origin, d f64 | stretch, d f64 |
//   bins an octave u64 | octaves that have so many u64 | zero_rows u64 | bins u64 | per non-empty
//   bin: its number (0 is the finest) u64 | rows u64 | gram | sum, 16 bytes an entry | if
//   directions are kept: strata u64 | per non-empty stratum: k u64 | directions | BLAKE2b-256 of
//   all that.
// A text is its length u64 and its bytes. Version 5 has no stretch, and version 4 no origin; they
// are what is written where there is none. Older files are read, as moments with one bin an octave:
// version 3 had strata in place of bins, each with its directions behind its sum, and version 2
// neither schema nor parts; its checksum is its part. The checksum finds damage; it is no
// signature, and the file is as secret as the table.
#include <sodium.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

#include "dpcov/error.hpp"
#include "dpcov/limits.hpp"
#include "files/atomic_file.hpp"
#include "files/byte_stream.hpp"
#include "moment/moved_rows.hpp"
#include "moment/secret_moment.hpp"
#include "text/public_name.hpp"

static_assert(std::endian::native == std::endian::little, "the moment file is written as it lies");

namespace dpcov::detail {
namespace {

constexpr std::array<char, 7> magic = {'d', 'p', 'c', 'o', 'v', 'S', 'M'};
constexpr char newest_version = '6';
constexpr char version_without_stretch = '5';
constexpr char version_without_origin = '4';
constexpr char oldest_version = '2';
constexpr std::uint64_t has_bounds = 1;
constexpr std::uint64_t has_fill = 2;
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
    explicit Writer(const BytesOut& write) : write_(write) {}

    void put(const void* data, std::size_t size) {
        hasher_.update(data, size);
        write_(std::string_view(static_cast<const char*>(data), size));
    }
    void put(std::uint64_t value) { put(&value, sizeof value); }
    void put(double value) { put(std::bit_cast<std::uint64_t>(value)); }
    void put(const std::string& text) {
        put(std::uint64_t{text.size()});
        put(text.data(), text.size());
    }
    void put(const ExactSums& values) { put(values.data(), values.size() * sizeof(Int128)); }
    void finish() {
        const Digest digest = hasher_.finish();
        write_(std::string_view(reinterpret_cast<const char*>(digest.data()), digest.size()));
    }

private:
    const BytesOut& write_;
    Hasher hasher_;
};

class Reader {
public:
    Reader(std::string name, std::uint64_t size, const BytesIn& read)
        : name_(std::move(name)), left_(size), read_(read) {}

    void get(void* data, std::size_t size) {
        if (size > left_) {
            damaged("it ends too early");
        }
        read_(data, size);
        left_ -= size;
        hasher_.update(data, size);
    }
    std::uint64_t number() {
        std::uint64_t value = 0;
        get(&value, sizeof value);
        return value;
    }
    double real() { return std::bit_cast<double>(number()); }
    // A text of at most 2^16 bytes: no name is longer.
    std::string text() {
        constexpr std::uint64_t longest = std::uint64_t{1} << 16U;
        const std::uint64_t size = number();
        if (size > left_) {
            damaged("it ends too early");
        }
        if (size > longest) {
            damaged("its header makes no sense");
        }
        std::string text(size, '\0');
        get(text.data(), text.size());
        return text;
    }
    // A damaged size must not ask for the memory of the machine.
    void require_integers(std::uint64_t count) const {
        if (count > left_ / sizeof(Int128)) {
            damaged("it ends too early");
        }
    }
    // Into memory that is there.
    void integers(ExactSums& values, std::uint64_t count) {
        require_integers(count);
        values.resize(count);
        get(values.data(), values.size() * sizeof(Int128));
    }
    Digest finish() {
        const Digest expected = hasher_.finish();
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
    [[noreturn]] void damaged(const std::string& why) const {
        throw DataError(name_ + " is not a whole dpcov moment file: " + why +
                        "; make it again from the table");
    }

private:
    std::string name_;
    std::uint64_t left_;
    const BytesIn& read_;
    Hasher hasher_;
};

bool within(const ExactSums& values, Int128 bound) {
    return std::all_of(values.begin(), values.end(),
                       [bound](const Int128& value) { return -bound <= value && value <= bound; });
}

// What rows of integer norm 2^20 at most can add up to: a whole file from elsewhere, checksum and
// all, must not overflow the sums later.
Int128 largest_product(std::uint64_t rows) {
    return static_cast<Int128>(rows) << (2U * radius_bits);
}

// A trace of at most that, and no entry beyond what Cauchy and Schwarz allow: so the Frobenius norm
// is at most that, too, on which bounds of rounding rest (docs/privacy.md#lapack).
bool possible_gram(const PackedGram& gram, std::size_t d, std::uint64_t rows) {
    if (!within(gram, largest_product(rows))) {
        return false;
    }
    constexpr double rounding = 1.0 + 1e-9;
    Int128 trace = 0;
    for (std::size_t j = 0; j < (gram.empty() ? 0 : d); ++j) {
        const Int128& square = gram[packed_index(j, j)];
        if (square < 0) {
            return false;
        }
        trace += square;
        for (std::size_t i = 0; i < j; ++i) {
            const auto product = static_cast<double>(gram[packed_index(i, j)]);
            if (product * product > rounding * static_cast<double>(gram[packed_index(i, i)]) *
                                        static_cast<double>(square)) {
                return false;
            }
        }
    }
    return trace <= largest_product(rows);
}

bool possible(const SecretMoment::Bin& bin, std::size_t d) {
    return bin.rows <= limits::rows && possible_gram(bin.gram, d, bin.rows) &&
           within(bin.sum, static_cast<Int128>(bin.rows) << radius_bits);
}

void put_schema(Writer& writer, const Schema& schema) {
    writer.put(std::uint64_t{schema.size()});
    for (const Column& column : schema) {
        const ColumnBounds bounds = column.bounds.value_or(ColumnBounds{});
        writer.put(column.name);
        writer.put((column.bounds ? has_bounds : 0) | (column.fill ? has_fill : 0));
        writer.put(bounds.lower);
        writer.put(bounds.upper);
        writer.put(column.fill.value_or(0.0));
        writer.put(column.scale);
    }
}

Schema schema_from(Reader& reader, std::size_t columns) {
    const std::uint64_t count = reader.number();
    if (count != 0 && count != columns) {
        reader.damaged("its header makes no sense");
    }
    Schema schema;
    for (std::uint64_t j = 0; j < count; ++j) {
        Column column;
        column.name = reader.text();
        const std::uint64_t flags = reader.number();
        const double lower = reader.real();
        const double upper = reader.real();
        const double fill = reader.real();
        column.scale = reader.real();
        if ((flags & has_bounds) != 0) {
            column.bounds = ColumnBounds{lower, upper};
        }
        if ((flags & has_fill) != 0) {
            column.fill = fill;
        }
        if (flags > (has_bounds | has_fill)) {
            reader.damaged("its header makes no sense");
        }
        schema.push_back(std::move(column));
    }
    return schema;
}

std::string hex(const Digest& digest) {
    std::array<char, 2 * std::tuple_size_v<Digest> + 1> text{};
    sodium_bin2hex(text.data(), text.size(), digest.data(), digest.size());
    return text.data();
}

SecretMoment empty(MomentLayout layout, const NormBins& bins, const Reader& reader) {
    try {
        check_schema(layout.schema);
        check_movement(layout);
        return {std::move(layout), bins};
    } catch (const UsageError&) {
        reader.damaged("its header makes no sense");
    }
}

NormBins norm_bins_from(Reader& reader) {
    const std::uint64_t per_octave = reader.number();
    const std::uint64_t fine_octaves = reader.number();
    constexpr std::uint64_t most = NormBins::octaves;
    if (per_octave > most || fine_octaves > most) {
        reader.damaged("its header makes no sense");
    }
    try {
        return {static_cast<int>(per_octave), static_cast<int>(fine_octaves)};
    } catch (const UsageError&) {
        reader.damaged("its header makes no sense");
    }
}

// Grows as it is read: a damaged number of columns takes no memory.
std::vector<double> reals_from(Reader& reader, std::size_t count) {
    std::vector<double> reals;
    while (reals.size() < count) {
        reals.push_back(reader.real());
    }
    return reals;
}

Parts parts_from(Reader& reader) {
    Parts parts;
    for (std::uint64_t left = reader.number(); left > 0; --left) {
        const std::string part = reader.text();
        if (!is_part(part) || !parts.insert(part).second) {
            reader.damaged("its header makes no sense");
        }
    }
    return parts;
}

// As old as can be, so that older versions of this library read it.
char version_of(const MomentLayout& layout) {
    return !layout.stretch.empty()  ? newest_version
           : !layout.origin.empty() ? version_without_stretch
                                    : version_without_origin;
}

// What stands before the sums.
struct Head {
    char version = 0;
    MomentLayout layout = {};
    Parts parts = {};
    NormBins bins = NormBins::whole_octaves();
};

Head head_from(Reader& reader) {
    std::array<char, magic.size()> found{};
    Head head;
    reader.get(found.data(), found.size());
    reader.get(&head.version, 1);
    if (found != magic || head.version < oldest_version || head.version > newest_version) {
        reader.damaged("it does not begin as one (or another version wrote it)");
    }
    MomentLayout& layout = head.layout;
    layout.columns = reader.number();
    layout.norm_bound = reader.real();
    const std::uint64_t keep_directions = reader.number();
    layout.keep_directions = keep_directions == 1;
    if (keep_directions > 1 || layout.columns < 1 || layout.columns > limits::columns ||
        !(layout.norm_bound >= SecretMoment::least_norm_bound &&
          layout.norm_bound <= SecretMoment::greatest_norm_bound)) {
        reader.damaged("its header makes no sense");
    }
    layout.dataset = reader.text();
    if (head.version >= '3') {
        layout.schema = schema_from(reader, layout.columns);
        head.parts = parts_from(reader);
    }
    if (head.version >= '5') {
        layout.origin = reals_from(reader, layout.columns);
    }
    if (head.version >= '6') {
        layout.stretch = reals_from(reader, layout.columns);
        if (layout.origin == std::vector<double>(layout.columns)) {
            layout.origin.clear();
        }
    }
    if (head.version >= '4') {
        head.bins = norm_bins_from(reader);
    }
    return head;
}

}  // namespace

void SecretMoment::save(const std::string& path) const {
    AtomicFile file(path, AtomicFile::Readers::owner);
    write([&file](std::string_view bytes) { file.write(bytes); });
    file.commit();
}

void SecretMoment::write(const BytesOut& to) const {
    Writer writer(to);
    writer.put(magic.data(), magic.size());
    const char version = version_of(layout_);
    writer.put(&version, 1);
    writer.put(std::uint64_t{layout_.columns});
    writer.put(layout_.norm_bound);
    writer.put(std::uint64_t{layout_.keep_directions});
    writer.put(layout_.dataset);
    put_schema(writer, layout_.schema);
    writer.put(std::uint64_t{parts_.size()});
    for (const std::string& part : parts_) {
        writer.put(part);
    }
    for (std::size_t j = 0; version >= version_without_stretch && j < layout_.columns; ++j) {
        writer.put(layout_.origin.empty() ? 0.0 : layout_.origin[j]);
    }
    for (const double value : layout_.stretch) {
        writer.put(value);
    }
    writer.put(static_cast<std::uint64_t>(norm_bins_.per_octave()));
    writer.put(static_cast<std::uint64_t>(norm_bins_.fine_octaves()));
    writer.put(zero_rows_);
    writer.put(static_cast<std::uint64_t>(
        std::count_if(bins_.begin(), bins_.end(), [](const Bin& bin) { return bin.rows > 0; })));
    for (std::size_t i = 0; i < bins_.size(); ++i) {
        if (bins_[i].rows > 0) {
            writer.put(std::uint64_t{i});
            writer.put(bins_[i].rows);
            writer.put(bins_[i].gram);
            writer.put(bins_[i].sum);
        }
    }
    if (layout_.keep_directions) {
        writer.put(static_cast<std::uint64_t>(
            std::count_if(directions_.begin(), directions_.end(),
                          [](const PackedGram& directions) { return !directions.empty(); })));
        for (std::size_t k = 0; k < directions_.size(); ++k) {
            if (!directions_[k].empty()) {
                writer.put(std::uint64_t{k});
                writer.put(directions_[k]);
            }
        }
    }
    writer.finish();
}

SecretMoment SecretMoment::load(const std::string& path) {
    const std::unique_ptr<ByteStream> file = open_regular_file(path, "a moment");
    const auto read_file = [&](void* data, std::size_t count) {
        if (read_fully(*file, {static_cast<unsigned char*>(data), count}) != count) {
            throw DeviceError(path + ": the file became shorter while it was read");
        }
    };
    return read(path, file->size(), read_file);
}

SecretMoment SecretMoment::read(const std::string& name, std::uint64_t size, const BytesIn& from) {
    Reader reader(name, size, from);
    Head head = head_from(reader);
    const std::uint64_t zero_rows = reader.number();
    const std::uint64_t count = reader.number();
    const std::uint64_t entries = head.layout.columns * (head.layout.columns + 1) / 2;
    if (count > 0) {
        reader.require_integers(entries);
    }
    SecretMoment moment = empty(std::move(head.layout), head.bins, reader);
    moment.parts_ = std::move(head.parts);
    moment.zero_rows_ = zero_rows;
    moment.untouched_ = false;
    const bool by_stratum = head.version < '4';
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint64_t number = reader.number();
        if (number >= moment.bins_.size()) {
            reader.damaged("its strata make no sense");
        }
        // One bin a stratum: the finest bin is the last stratum.
        Bin& bin = moment.bins_[by_stratum ? moment.bins_.size() - 1 - number : number];
        if (bin.rows > 0) {
            reader.damaged("its strata make no sense");
        }
        bin.rows = reader.number();
        if (bin.rows == 0) {
            reader.damaged("its strata make no sense");
        }
        reader.integers(bin.gram, entries);
        reader.integers(bin.sum, moment.layout_.columns);
        if (by_stratum && moment.layout_.keep_directions) {
            reader.integers(moment.directions_[number], entries);
        }
    }
    const std::uint64_t kept = !by_stratum && moment.layout_.keep_directions ? reader.number() : 0;
    for (std::uint64_t i = 0; i < kept; ++i) {
        const std::uint64_t k = reader.number();
        if (k >= moment.directions_.size() || !moment.directions_[k].empty()) {
            reader.damaged("its strata make no sense");
        }
        reader.integers(moment.directions_[k], entries);
    }
    const Digest digest = reader.finish();
    if (head.version == '2') {
        moment.parts_ = {"file:" + hex(digest)};
    }
    const auto directions_are_possible = [&](int k) {
        const PackedGram& directions = moment.directions(k);
        const std::uint64_t rows = moment.rows_in_stratum(k);
        // Kept for the rows that there are, and for no others.
        return directions.empty() == (rows == 0 || !moment.layout_.keep_directions) &&
               possible_gram(directions, moment.layout_.columns, rows);
    };
    if (count > 0 && moment.parts_.empty()) {  // they would be taken in again and again
        reader.damaged("its rows are of no part");
    }
    bool possible_sums = std::all_of(moment.bins_.begin(), moment.bins_.end(),
                                     [&](const SecretMoment::Bin& bin) {
                                         return possible(bin, moment.layout_.columns);
                                     }) &&
                         moment.zero_rows_ <= moment.rows_in_stratum(strata - 1);
    for (int k = 0; k < strata; ++k) {
        possible_sums = possible_sums && directions_are_possible(k);
    }
    if (!possible_sums) {
        reader.damaged("its sums are such as no rows have");
    }
    return moment;
}

}  // namespace dpcov::detail
