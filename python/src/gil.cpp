#include "gil.hpp"

#include <dlfcn.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace dpcov::python {
namespace {

// Python tells since 3.13 by a name of the stable interface, before by one of its own; either is
// there when the module is loaded, whatever it was compiled for.
bool python_ends() {
    using Asks = int (*)();
    static const Asks asks = [] {
        void* found = ::dlsym(RTLD_DEFAULT, "Py_IsFinalizing");
        if (found == nullptr) {
            found = ::dlsym(RTLD_DEFAULT, "_Py_IsFinalizing");
        }
        return reinterpret_cast<Asks>(found);
    }();
    return asks != nullptr && asks() != 0;
}

}  // namespace

void stay_while_python_ends() {
    const bool is_main_thread = ::getpid() == static_cast<pid_t>(::syscall(SYS_gettid));
    while (!is_main_thread && python_ends()) {
        ::pause();
    }
}

}  // namespace dpcov::python
