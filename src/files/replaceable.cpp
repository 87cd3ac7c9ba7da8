#include "files/replaceable.hpp"

#include <fcntl.h>
#include <sys/stat.h>

namespace dpcov {

bool is_mount_point(const std::string& path) noexcept {
    struct statx status {};
    return ::statx(AT_FDCWD, path.c_str(), 0, STATX_TYPE, &status) == 0 &&
           (status.stx_attributes_mask & status.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
}

bool is_append_only(const std::string& path) noexcept {
    constexpr auto attributes = STATX_ATTR_APPEND | STATX_ATTR_IMMUTABLE;
    struct statx status {};
    return ::statx(AT_FDCWD, path.c_str(), 0, STATX_TYPE, &status) == 0 &&
           (status.stx_attributes_mask & status.stx_attributes & attributes) != 0;
}

}  // namespace dpcov
