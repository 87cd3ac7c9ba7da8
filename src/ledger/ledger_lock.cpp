#include "ledger/ledger_lock.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <thread>

#include "dpcov/error.hpp"

namespace dpcov::detail {
namespace {

// Of the lock on the first byte; 0 or an errno. Not closed alone: a process that was forked off
// meanwhile would hold the lock on.
int set_lock(int descriptor, short type) {
    struct flock lock {};
    lock.l_type = type;
    lock.l_whence = SEEK_SET;
    lock.l_len = 1;
    return ::fcntl(descriptor, F_OFD_SETLK, &lock) == 0 ? 0 : errno;
}

bool may_not_write(int error) {
    return error == EACCES || error == EPERM || error == EROFS;
}

}  // namespace

LedgerLock::LedgerLock(const std::string& path, std::chrono::milliseconds patience)
    : descriptor_(::open(path.c_str(), O_RDWR | O_CLOEXEC)) {
    short type = F_WRLCK;
    if (descriptor_ < 0 && may_not_write(errno)) {
        type = F_RDLCK;
        descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    }
    int error = descriptor_ < 0 ? errno : 0;
    constexpr std::chrono::milliseconds pause{5};
    const auto end = std::chrono::steady_clock::now() + patience;
    while (error == 0 && !locked_) {
        error = set_lock(descriptor_, type);
        locked_ = error == 0;
        if (error == EAGAIN || error == EACCES) {
            if (std::chrono::steady_clock::now() >= end) {
                return;
            }
            std::this_thread::sleep_for(pause);
            error = 0;
        } else if (error == EINTR) {
            error = 0;
        }
    }
    if (error != 0) {
        if (descriptor_ >= 0) {
            ::close(descriptor_);
        }
        throw DeviceError("cannot lock the ledger " + path + ": " + std::strerror(error), error);
    }
}

LedgerLock::~LedgerLock() {
    if (locked_) {
        set_lock(descriptor_, F_UNLCK);
    }
    ::close(descriptor_);
}

}  // namespace dpcov::detail
