#include "ledger/ledger_lock.hpp"

#include <fcntl.h>

#include <cerrno>
#include <cstring>
#include <mutex>
#include <thread>

#include "dpcov/error.hpp"

namespace dpcov::detail {
namespace {

// Of this process, as POSIX locks are. A process that is forked off by another thread meanwhile
// finds it taken, so nobody waits for it for ever.
std::mutex& of_process() {
    static std::mutex mutex;
    return mutex;
}

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

LedgerLock::LedgerLock(const std::string& path) : alone_(of_process(), std::defer_lock) {
    constexpr std::chrono::milliseconds pause{5};
    const auto end = std::chrono::steady_clock::now() + patience;
    const auto fail = [&path](const std::string& why, int error) {
        throw DeviceError("the ledger " + path + why, error);
    };
    const std::string still_locked =
        " stayed locked by another process for half a minute; try again";
    while (!alone_.try_lock()) {
        if (std::chrono::steady_clock::now() >= end) {
            fail(still_locked, 0);
        }
        std::this_thread::sleep_for(pause);
    }
    short type = F_WRLCK;
    file_ = Descriptor(::open(path.c_str(), O_RDWR | O_CLOEXEC));
    if (!file_.is_open() && may_not_write(errno)) {
        type = F_RDLCK;
        file_ = Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    }
    if (!file_.is_open()) {
        const int error = errno;
        fail(std::string(" cannot be opened: ") + std::strerror(error), error);
    }
    for (int error = set_lock(file_.get(), type); error != 0; error = set_lock(file_.get(), type)) {
        const bool taken = error == EAGAIN || error == EACCES;
        if ((taken && std::chrono::steady_clock::now() >= end) || (!taken && error != EINTR)) {
            fail(taken ? still_locked : std::string(" cannot be locked: ") + std::strerror(error),
                 taken ? 0 : error);
        }
        std::this_thread::sleep_for(pause);
    }
}

LedgerLock::~LedgerLock() {
    set_lock(file_.get(), F_UNLCK);
}

}  // namespace dpcov::detail
