// Python's lock, given back and taken again, also while Python ends.
#pragma once

#include <nanobind/nanobind.h>

namespace dpcov::python {

/// Waits for the end of the process where Python ends already and this is not its main thread:
/// Python would end the thread as it takes the lock, in the middle of functions that nobody may
/// leave so, and the process with it.
void stay_while_python_ends();

/// While it lives, other threads of Python may run.
class WithoutGil {
public:
    WithoutGil() : state_(PyEval_SaveThread()) {}
    ~WithoutGil() {
        stay_while_python_ends();
        PyEval_RestoreThread(state_);
    }
    WithoutGil(const WithoutGil&) = delete;
    WithoutGil& operator=(const WithoutGil&) = delete;

private:
    PyThreadState* state_;
};

/// While it lives, this thread may call Python.
class WithGil {
public:
    WithGil() : state_((stay_while_python_ends(), PyGILState_Ensure())) {}
    ~WithGil() { PyGILState_Release(state_); }
    WithGil(const WithGil&) = delete;
    WithGil& operator=(const WithGil&) = delete;

private:
    PyGILState_STATE state_;
};

}  // namespace dpcov::python
