// Archives of members that are stored as they are, in memory.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dpcov {

struct ZipMember {
    std::string name;
    std::string bytes;
};

/// A zip archive of these members, at least one, in their order: not compressed, dated 1980, so
/// that the same members make the same bytes. Throws DeviceError where memory is short.
[[nodiscard]] std::string zip_archive(std::vector<ZipMember> members);

/// The members of such an archive by their names. They are never larger, all together, than the
/// archive. Throws DataError, which calls it `name`, where it is no archive, damaged, has a name
/// twice, or a member that is compressed or encrypted.
[[nodiscard]] std::map<std::string, std::string> zip_members(const std::string& name,
                                                             std::string_view archive);

}  // namespace dpcov
