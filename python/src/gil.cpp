#include "gil.hpp"

#include <sys/syscall.h>
#include <unistd.h>

namespace dpcov::python {
namespace {

bool python_ends() {
#if PY_VERSION_HEX >= 0x030D0000
    return Py_IsFinalizing() != 0;
#else
    return _Py_IsFinalizing() != 0;
#endif
}

}  // namespace

void stay_while_python_ends() {
    const bool is_main_thread = ::getpid() == static_cast<pid_t>(::syscall(SYS_gettid));
    while (!is_main_thread && python_ends()) {
        ::pause();
    }
}

}  // namespace dpcov::python
