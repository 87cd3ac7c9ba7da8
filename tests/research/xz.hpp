// Files packed as the experiments' data are.
#pragma once

#include <archive.h>
#include <archive_entry.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace dpcov::test {

inline std::string xz(std::string_view bytes) {
    std::string packed(bytes.size() + 4096, '\0');
    std::size_t used = 0;
    archive* const writer = archive_write_new();
    archive_write_add_filter_xz(writer);
    archive_write_set_format_raw(writer);
    // Blocks of one byte: no padding behind the end.
    archive_write_set_bytes_in_last_block(writer, 1);
    EXPECT_EQ(archive_write_open_memory(writer, packed.data(), packed.size(), &used), ARCHIVE_OK);
    archive_entry* const entry = archive_entry_new();
    archive_entry_set_filetype(entry, AE_IFREG);
    EXPECT_EQ(archive_write_header(writer, entry), ARCHIVE_OK);
    EXPECT_EQ(archive_write_data(writer, bytes.data(), bytes.size()),
              static_cast<la_ssize_t>(bytes.size()));
    EXPECT_EQ(archive_write_close(writer), ARCHIVE_OK);
    archive_entry_free(entry);
    archive_write_free(writer);
    packed.resize(used);
    return packed;
}

}  // namespace dpcov::test
