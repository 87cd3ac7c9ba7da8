"""The package's exceptions."""

from __future__ import annotations


class Error(Exception):
    """Base of all exceptions of dpcov. No message repeats a record's values."""


class UsageError(Error, ValueError):
    """The request makes no sense, whatever the data.

    Nothing was spent, except where a table changed between two passes.
    """


class DataError(Error, ValueError):
    """The input cannot be used as it is.

    Nothing was spent, except where a table changed between two passes.

    Attributes
    ----------
    row, column : int or None
        The place in the input, counted from 0; None where the problem is not at a single place.
    """

    def __init__(self, message: str, row: int | None = None, column: int | None = None) -> None:
        super().__init__(message, row, column)
        self.row = row
        self.column = column

    def __str__(self) -> str:
        return str(self.args[0])


class DeviceError(Error, OSError):
    """A file or a device failed: disk, entropy, memory, a stream that broke off.

    For a missing file the error is also a FileNotFoundError.

    Attributes
    ----------
    errno : int or None
        The error number of the operating system; None where there is none.
    """

    def __init__(self, message: str, errno: int = 0) -> None:
        super().__init__(message)
        self.errno = errno or None

    def __reduce__(self) -> tuple[type[DeviceError], tuple[str, int]]:
        return type(self), (str(self), self.errno or 0)


class MissingFileError(DeviceError, FileNotFoundError):
    """A file is not there, or its folder is not."""


class BudgetError(Error):
    """The privacy budget does not allow the release; nothing was spent.

    Attributes
    ----------
    asked, left : float or None
        What the release would cost, and what is left, in the account's unit: epsilon or rho. None
        where the refusal is not about amounts.
    """

    def __init__(self, message: str, asked: float | None = None, left: float | None = None) -> None:
        super().__init__(message, asked, left)
        self.asked = asked
        self.left = left

    def __str__(self) -> str:
        return str(self.args[0])


class SecrecyWarning(UserWarning):
    """Something secret is about to be written: un-noised sums over people."""
