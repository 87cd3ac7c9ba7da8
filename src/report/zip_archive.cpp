#include "report/zip_archive.hpp"

#include <zip.h>

#include <cstdint>
#include <memory>

#include "dpcov/error.hpp"
#include "text/in_quotes.hpp"

namespace dpcov {
namespace {

// A member's date: the first that the format has, whatever the clock and the time zone.
constexpr zip_uint16_t midnight = 0;
constexpr zip_uint16_t first_of_january_1980 = 0x21;
// A regular file that all may read.
constexpr zip_uint32_t attributes = 0100644U << 16U;

struct Discard {
    void operator()(zip_t* archive) const { zip_discard(archive); }
    void operator()(zip_source_t* source) const { zip_source_free(source); }
    void operator()(zip_file_t* file) const { zip_fclose(file); }
};
using Archive = std::unique_ptr<zip_t, Discard>;
using Source = std::unique_ptr<zip_source_t, Discard>;
using File = std::unique_ptr<zip_file_t, Discard>;

void require_written(bool done) {
    if (!done) {
        throw DeviceError(
            "the archive of a release could not be made; is there too little memory?");
    }
}

void add_member(zip_t* archive, const ZipMember& member) {
    Source source(zip_source_buffer(archive, member.bytes.data(), member.bytes.size(), 0));
    require_written(source != nullptr);
    const zip_int64_t index =
        zip_file_add(archive, member.name.c_str(), source.get(), ZIP_FL_ENC_UTF_8);
    require_written(index >= 0);
    static_cast<void>(source.release());  // the archive's from here on
    const auto place = static_cast<zip_uint64_t>(index);
    require_written(
        zip_set_file_compression(archive, place, ZIP_CM_STORE, 0) == 0 &&
        zip_file_set_dostime(archive, place, midnight, first_of_january_1980, 0) == 0 &&
        zip_file_set_external_attributes(archive, place, 0, ZIP_OPSYS_UNIX, attributes) == 0);
}

std::string bytes_of(zip_source_t* source) {
    zip_stat_t stat;
    zip_stat_init(&stat);
    require_written(zip_source_stat(source, &stat) == 0 && (stat.valid & ZIP_STAT_SIZE) != 0 &&
                    zip_source_open(source) == 0);
    std::string bytes(stat.size, '\0');
    const zip_int64_t count = zip_source_read(source, bytes.data(), bytes.size());
    zip_source_close(source);
    require_written(count >= 0 && static_cast<zip_uint64_t>(count) == stat.size);
    return bytes;
}

[[noreturn]] void refuse(const std::string& name, const std::string& what) {
    throw DataError(name + ": " + what);
}

std::string member_bytes(zip_t* archive, zip_uint64_t index, std::uint64_t size,
                         const std::string& name, const std::string& member) {
    const File file(zip_fopen_index(archive, index, 0));
    if (file == nullptr) {
        refuse(name, "the archive's member " + in_quotes(member) + " cannot be opened");
    }
    std::string bytes(size, '\0');
    const zip_int64_t count = zip_fread(file.get(), bytes.data(), bytes.size());
    // Its checksum is compared where it ends.
    char more = 0;
    if (count < 0 || static_cast<std::uint64_t>(count) != size ||
        zip_fread(file.get(), &more, 1) != 0) {
        refuse(name, "the archive's member " + in_quotes(member) + " is damaged");
    }
    return bytes;
}

}  // namespace

std::string zip_archive(std::vector<ZipMember> members) {
    Source source(zip_source_buffer_create(nullptr, 0, 0, nullptr));
    require_written(source != nullptr);
    Archive archive(zip_open_from_source(source.get(), ZIP_TRUNCATE, nullptr));
    require_written(archive != nullptr);
    zip_source_keep(source.get());  // one for the archive, one for us
    for (const ZipMember& member : members) {
        add_member(archive.get(), member);
    }
    require_written(zip_close(archive.get()) == 0);
    static_cast<void>(archive.release());  // closed
    members = {};                          // which it has copied: memory
    return bytes_of(source.get());
}

std::map<std::string, std::string> zip_members(const std::string& name, std::string_view archive) {
    Source source(zip_source_buffer_create(archive.data(), archive.size(), 0, nullptr));
    if (source == nullptr) {
        throw DeviceError(name + ": too little memory to read it");
    }
    const Archive opened(zip_open_from_source(source.get(), ZIP_RDONLY | ZIP_CHECKCONS, nullptr));
    if (opened == nullptr) {
        refuse(name, "no zip archive, or a damaged one");
    }
    static_cast<void>(source.release());  // the archive's from here on
    const zip_int64_t count = zip_get_num_entries(opened.get(), 0);
    if (count == 0) {
        refuse(name, "no zip archive, or an empty one");  // which a file of no bytes passes for
    }
    std::map<std::string, std::string> members;
    std::uint64_t left = archive.size();
    for (zip_int64_t i = 0; i < count; ++i) {
        const auto index = static_cast<zip_uint64_t>(i);
        zip_stat_t stat;
        zip_stat_init(&stat);
        constexpr zip_uint64_t needed = ZIP_STAT_NAME | ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE |
                                        ZIP_STAT_COMP_METHOD | ZIP_STAT_ENCRYPTION_METHOD;
        if (zip_stat_index(opened.get(), index, ZIP_FL_ENC_RAW, &stat) != 0 ||
            (stat.valid & needed) != needed) {
            refuse(name, "the archive's directory is damaged");
        }
        const std::string member = stat.name;
        if (stat.comp_method != ZIP_CM_STORE || stat.encryption_method != ZIP_EM_NONE) {
            refuse(name,
                   "the archive's member " + in_quotes(member) + " is compressed or encrypted");
        }
        // Stored members that overlap could fill memory, too.
        if (stat.size != stat.comp_size || stat.size > left) {
            refuse(name, "the archive's members claim more bytes than it has");
        }
        left -= stat.size;
        if (!members.emplace(member, member_bytes(opened.get(), index, stat.size, name, member))
                 .second) {
            refuse(name, "the archive has the member " + in_quotes(member) + " twice");
        }
    }
    return members;
}

}  // namespace dpcov
