#include "research/decompressed_file.hpp"

#include <archive.h>

#include <cstring>
#include <filesystem>
#include <new>
#include <utility>

#include "dpcov/error.hpp"

namespace dpcov::research {
namespace {

constexpr std::size_t block_bytes = std::size_t{1} << 16;

}  // namespace

void DecompressedFile::Close::operator()(archive* handle) const noexcept {
    archive_read_free(handle);
}

DecompressedFile::DecompressedFile(std::string path)
    : path_(std::move(path)), archive_(archive_read_new()) {
    if (!archive_) {
        throw std::bad_alloc();
    }
    archive_read_support_filter_gzip(archive_.get());
    archive_read_support_filter_xz(archive_.get());
    // One nameless entry: the file itself. Of an empty file there is none.
    archive_read_support_format_raw(archive_.get());
    archive_read_support_format_empty(archive_.get());
    if (archive_read_open_filename(archive_.get(), path_.c_str(), block_bytes) != ARCHIVE_OK) {
        const int error = archive_errno(archive_.get());
        if (error < 0) {  // no number of the system's: what is packed cannot be begun with
            throw_damaged();
        }
        throw DeviceError(path_ + ": cannot open: " + std::strerror(error));
    }
    archive_entry* entry = nullptr;
    const int status = archive_read_next_header(archive_.get(), &entry);
    ended_ = status == ARCHIVE_EOF;
    if (!ended_ && status != ARCHIVE_OK) {
        throw_damaged();
    }
}

void DecompressedFile::throw_damaged() const {
    throw DataError(path_ + ": cannot be read or unpacked (" +
                    archive_error_string(archive_.get()) + "); fetch or compress it again");
}

std::size_t DecompressedFile::read(std::span<char> into) {
    std::size_t filled = 0;
    while (!ended_ && filled < into.size()) {
        const la_ssize_t count =
            archive_read_data(archive_.get(), into.data() + filled, into.size() - filled);
        if (count < 0) {
            throw_damaged();
        }
        ended_ = count == 0;
        filled += static_cast<std::size_t>(count);
    }
    return filled;
}

std::optional<std::string> find_data_file(const std::string& folder, const std::string& name) {
    for (const char* const ending : {"", ".gz", ".xz"}) {
        std::string path = (std::filesystem::path(folder) / name).string() + ending;
        if (std::filesystem::exists(path)) {
            return path;
        }
    }
    return std::nullopt;
}

}  // namespace dpcov::research
