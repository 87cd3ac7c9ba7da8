#include "files/mount_point.hpp"

#include <fcntl.h>
#include <sys/stat.h>

namespace dpcov {

bool is_mount_point(const std::string& path) noexcept {
    struct statx status {};
    return ::statx(AT_FDCWD, path.c_str(), 0, STATX_TYPE, &status) == 0 &&
           (status.stx_attributes_mask & status.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
}

}  // namespace dpcov
