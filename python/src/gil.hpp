// Python's lock, given back and taken again, also while Python ends.
#pragma once

#include <nanobind/nanobind.h>

namespace dpcov::python {

/// Does not return.
[[noreturn]] void stay() noexcept;

/// Takes the lock by `take`. While Python ends it ends every thread that asks for the lock, by
/// pthread_exit. That unwinds the stack, through functions that are noexcept, which would abort the
/// process. So the unwinding is caught here, and the thread stays until the process is gone.
template <class Take>
auto take_gil(const Take& take) noexcept {
    try {
        return take();
    } catch (...) {  // pthread_exit's unwinding, which must not end
        stay();
    }
}

/// While it lives, other threads of Python may run.
class WithoutGil {
public:
    WithoutGil() : state_(PyEval_SaveThread()) {}
    ~WithoutGil() {
        take_gil([this] { PyEval_RestoreThread(state_); });
    }
    WithoutGil(const WithoutGil&) = delete;
    WithoutGil& operator=(const WithoutGil&) = delete;

private:
    PyThreadState* state_;
};

/// What `call` returns, while other threads of Python may run.
template <class Call>
auto unlocked(const Call& call) {
    const WithoutGil no_gil;
    return call();
}

/// While it lives, this thread may call Python.
class WithGil {
public:
    WithGil() : state_(take_gil([] { return PyGILState_Ensure(); })) {}
    ~WithGil() { PyGILState_Release(state_); }
    WithGil(const WithGil&) = delete;
    WithGil& operator=(const WithGil&) = delete;

private:
    PyGILState_STATE state_;
};

}  // namespace dpcov::python
