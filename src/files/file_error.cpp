#include "files/file_error.hpp"

#include <cerrno>
#include <cstring>
#include <string_view>

#include "dpcov/error.hpp"

namespace dpcov {

namespace {

std::string_view remedy(int error) {
    switch (error) {
        case ENOSPC:
        case EDQUOT:
            return "; free some space or write somewhere else";
        case EACCES:
        case EPERM:
        case EROFS:
            return "; choose a folder that you may write to";
        case ENOENT:
        case ENOTDIR:
            return "; create the folder first";
        case EISDIR:
            return "; give the name of a file";
        case EPIPE:
            return "; its reader has gone";
        default:
            return "";
    }
}

}  // namespace

void check_path(const std::string& path) {
    if (path.find('\0') != std::string::npos) {
        throw UsageError("a path holds a NUL character");
    }
}

void fail_to(const std::string& what, const std::string& path, int error) {
    throw DeviceError(
        path + ": cannot " + what + ": " + std::strerror(error) + std::string(remedy(error)),
        error);
}

}  // namespace dpcov
