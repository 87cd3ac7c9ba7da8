// The exceptions that leave the library. Every one derives from dpcov::Error, so a caller can catch
// one type; the command line maps each kind to an exit status and the bindings to an exception.
#pragma once

#include <stdexcept>
#include <string>

namespace dpcov {

/// Base of all exceptions thrown by dpcov. The text never contains a record's values; the only
/// texts that point at a record are DataError's, raised before anything is released.
class Error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// The request makes no sense, whatever the data: an unknown method, a negative budget, a norm
/// bound of zero. Exit status 2.
class UsageError : public Error {
public:
    using Error::Error;
};

/// The input cannot be used as it is: a ragged row, a NaN, a truncated archive. Names the row, the
/// column and the remedy. Raised before any budget is spent. Exit status 3.
class DataError : public Error {
public:
    using Error::Error;
};

/// The privacy budget does not allow the release. Exit status 4.
class BudgetError : public Error {
public:
    using Error::Error;
};

/// A file or a device failed: cannot open, disk full, no entropy, a BLAS that is not exact.
/// Exit status 5.
class DeviceError : public Error {
public:
    using Error::Error;
};

}  // namespace dpcov
