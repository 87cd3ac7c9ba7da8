"""The package's exceptions."""

from __future__ import annotations


class Error(Exception):
    """Base of all exceptions of dpcov. No message repeats a record's values."""


class UsageError(Error, ValueError):
    """The request makes no sense, whatever the data.

    Nothing was spent, but where a table changed between two passes.
    """


class DataError(Error, ValueError):
    """The input cannot be used as it is.

    Nothing was spent, but where a table changed between two passes.

    Attributes
    ----------
    row, column : int or None
        Where in the input, both counted from 0; None where no single place is to blame.
    """

    def __init__(self, message: str, row: int | None = None, column: int | None = None) -> None:
        super().__init__(message, row, column)
        self.row = row
        self.column = column

    def __str__(self) -> str:
        return str(self.args[0])


class DeviceError(Error, OSError):
    """A file or a device failed: disk, entropy, memory, a stream that broke off."""


class BudgetError(Error):
    """The privacy budget does not allow the release; nothing was spent.

    Attributes
    ----------
    asked, left : float or None
        What the release would cost and what is left, in the account's unit; None where the
        refusal is not about amounts.
    """

    def __init__(self, message: str, asked: float | None = None, left: float | None = None) -> None:
        super().__init__(message, asked, left)
        self.asked = asked
        self.left = left

    def __str__(self) -> str:
        return str(self.args[0])


class SecrecyWarning(UserWarning):
    """Something secret is about to be written: un-noised sums over people."""
