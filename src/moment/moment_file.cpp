// The file of a SecretMoment. Little-endian throughout:
//   magic "dpcovSM7" | d u64 | norm bound f64 | keep_directions u64 | the data set's name |
//   columns of the schema u64 (d or 0), each: name | flags u64 (1 bounds, 2 fill) | lower f64 |
//   upper f64 | fill f64 | scale f64 | codes for missing values u64, each f64 | parts u64, each a
//   text | origin, d f64 | stretch, d f64 | bins an octave u64 | octaves that have so many u64 |
//   zero_rows u64 | bins u64 | per non-empty bin: its number (0 is the finest) u64 | rows u64 |
//   gram | sum, 16 bytes an entry | if directions are kept: octaves u64 | per non-empty octave: k
//   u64 | directions | BLAKE2b-256 of all that.
// A text is its length u64 and its bytes. An origin or a stretch of zeros is none. Version 6 has no
// codes, version 5 no stretch, and version 4 no origin; they are what is written where there is
// none. Older files are read, as moments with one bin an octave: version 3 had octaves in place of
// bins, each with its directions behind its sum, and version 2 neither schema nor parts; its
// checksum is its part. The checksum finds damage; it is no signature, and the file is as secret as
// the table.
#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

#include "arithmetic/packed_symmetric.hpp"
#include "dpcov/error.hpp"
#include "files/atomic_file.hpp"
#include "files/byte_stream.hpp"
#include "moment/moment_bytes.hpp"
#include "moment/moment_head.hpp"
#include "moment/moved_rows.hpp"
#include "moment/possible_sums.hpp"
#include "moment/secret_moment.hpp"
#include "text/digest.hpp"

namespace dpcov::detail {
namespace {

SecretMoment empty(MomentLayout layout, const NormBins& bins, const MomentReader& reader) {
    try {
        check_schema(layout.schema);
        check_movement(layout);
        return {std::move(layout), bins};
    } catch (const UsageError&) {
        reader.senseless_head();
    }
}

void require_sense(bool sense, const MomentReader& reader) {
    if (!sense) {
        reader.damaged("its bins make no sense");
    }
}

}  // namespace

void SecretMoment::save(const std::string& path) const {
    AtomicFile file(path, AtomicFile::Readers::owner);
    write([&file](std::string_view bytes) { file.write(bytes); });
    file.commit();
}

void SecretMoment::write(const BytesOut& to) const {
    MomentWriter writer(to);
    put_moment_head(writer, {.layout = layout_, .parts = parts_, .bins = norm_bins_});
    writer.put(zero_rows_);
    write_bins(writer);
    if (layout_.keep_directions) {
        write_directions(writer);
    }
    writer.finish();
}

void SecretMoment::write_bins(MomentWriter& writer) const {
    const auto used = [](const Bin& bin) { return bin.rows > 0; };
    writer.put(static_cast<std::uint64_t>(std::count_if(bins_.begin(), bins_.end(), used)));
    for (std::size_t i = 0; i < bins_.size(); ++i) {
        if (used(bins_[i])) {
            writer.put(std::uint64_t{i});
            writer.put(bins_[i].rows);
            writer.put(bins_[i].gram);
            writer.put(bins_[i].sum);
        }
    }
}

void SecretMoment::write_directions(MomentWriter& writer) const {
    const auto kept = [](const WideSums& directions) { return !directions.empty(); };
    writer.put(
        static_cast<std::uint64_t>(std::count_if(directions_.begin(), directions_.end(), kept)));
    for (std::size_t k = 0; k < directions_.size(); ++k) {
        if (kept(directions_[k])) {
            writer.put(std::uint64_t{k});
            writer.put(directions_[k]);
        }
    }
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
    MomentReader reader(name, size, from);
    MomentHead head = moment_head_from(reader);
    const bool by_octave = head.version < MomentHead::first_with_bins;
    const std::uint64_t zero_rows = reader.number();
    const std::uint64_t bins = reader.number();
    if (bins > 0) {
        reader.require_integers(packed_size(head.layout.columns));
    }
    SecretMoment moment = empty(std::move(head.layout), head.bins, reader);
    moment.parts_ = std::move(head.parts);
    moment.zero_rows_ = zero_rows;
    moment.untouched_ = false;
    moment.read_bins(reader, bins, by_octave);
    if (!by_octave && moment.layout_.keep_directions) {
        moment.read_directions(reader);
    }
    const Digest digest = reader.finish();
    if (head.version < MomentHead::first_with_schema) {
        moment.parts_ = {"file:" + hexadecimal(digest)};
    }
    if (bins > 0 && moment.parts_.empty()) {  // they would be taken in again and again
        reader.damaged("its rows are of no part");
    }
    if (!has_possible_sums(moment)) {
        reader.damaged("its sums are such as no rows have");
    }
    return moment;
}

void SecretMoment::read_bins(MomentReader& reader, std::uint64_t count, bool by_octave) {
    const std::uint64_t entries = packed_size(layout_.columns);
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint64_t number = reader.number();
        require_sense(number < bins_.size(), reader);
        // One bin an octave: the finest bin is the last octave.
        Bin& bin = bins_[by_octave ? bins_.size() - 1 - number : number];
        require_sense(bin.rows == 0, reader);
        bin.rows = reader.number();
        require_sense(bin.rows > 0, reader);
        reader.integers(bin.gram, entries);
        reader.integers(bin.sum, layout_.columns);
        if (by_octave && layout_.keep_directions) {
            reader.integers(directions_[number], entries);
        }
    }
}

void SecretMoment::read_directions(MomentReader& reader) {
    const std::uint64_t entries = packed_size(layout_.columns);
    for (std::uint64_t left = reader.number(); left > 0; --left) {
        const std::uint64_t k = reader.number();
        require_sense(k < directions_.size() && directions_[k].empty(), reader);
        reader.integers(directions_[k], entries);
    }
}

}  // namespace dpcov::detail
