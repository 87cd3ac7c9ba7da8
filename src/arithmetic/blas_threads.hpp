// How many threads OpenBLAS takes, which has one number of them for the whole process.
#pragma once

namespace dpcov::detail {

/// Throws DeviceError unless so many threads can be started now. OpenBLAS waits for ever for those
/// that it could not start.
void require_threads(unsigned threads);

/// From now on OpenBLAS takes so many. Throws DeviceError where they cannot be started.
void set_blas_threads(unsigned threads);

/// Has OpenBLAS's threads sleep as soon as they have no work, unless OPENBLAS_THREAD_TIMEOUT says
/// when. As built, they look for work for a tenth of a second more, each on a core that others
/// could use. Starts them anew, and changes the environment for that time: no other thread may use
/// either. So it is for a program's first steps, not for a library's calls. Does nothing where
/// OpenBLAS has no threads of its own.
void have_idle_blas_threads_sleep();

/// Bounds OpenBLAS's threads while it lives, in all threads of the process: of several bounds the
/// least counts. After the last one it is as it was before the first.
class BlasThreads {
public:
    /// Throws DeviceError where there are more than before and they cannot be started.
    explicit BlasThreads(unsigned threads);
    ~BlasThreads();
    BlasThreads(const BlasThreads&) = delete;
    BlasThreads& operator=(const BlasThreads&) = delete;

private:
    int bound_;
};

}  // namespace dpcov::detail
