"""Ledgers: accounts of what releases spend."""

from __future__ import annotations

import errno
import os
from typing import Literal, NamedTuple, TypeAlias

from . import _core
from ._arguments import path_text, require_choice, require_whole, require_word
from ._budgets import Budget, require_budget
from ._core import Epsilon, Rho
from ._errors import MissingFileError, UsageError

Neighbours: TypeAlias = Literal["replace", "add-remove"]


class Statement(NamedTuple):
    """The present state of an account. Amounts are epsilon where `total` is `Epsilon`, else rho.

    The ledger adds charges up as exact decimals, and decides by these. `spent` and `left` are the
    nearest floats on the safe side, for display and comparison. A release that asks for `left`, by
    `Rho(statement.left)` for example, is never refused because of rounding. Sums of floats that you
    compute yourself may differ in the last digit.

    Attributes
    ----------
    dataset : str
    total : Rho, Epsilon or ApproximateDP
        The most that all releases together may spend.
    neighbours : {"replace", "add-remove"}
    declared_at : str
        UTC, ISO 8601.
    releases : int
        The number of charges.
    curve : {"gaussian", "zcdp"} or None
        How charges add up to (epsilon, delta)-DP: "gaussian" where all noise of all releases is
        Gaussian. None before the first charge.
    spent : float
        Rounded up.
    left : float
        Rounded down; before the first charge, for a release with noise of any kind.
    head : str
        `Ledger.head()` at the time of this statement.
    rows_per_person : int
        The most rows of one person, for whom all amounts are.
    """

    dataset: str
    total: Budget
    neighbours: str
    declared_at: str
    releases: int
    curve: str | None
    spent: float
    left: float
    head: str
    rows_per_person: int


class Charge(NamedTuple):
    """One release, as charged.

    Attributes
    ----------
    number : int
        The number of the charge in the whole ledger, from 1.
    dataset : str
    charged_at : str
        UTC, ISO 8601.
    spent : Rho or Epsilon
    method, variant : str
    curve : {"gaussian", "zcdp"}
        "gaussian" where all noise of the release is Gaussian.
    """

    number: int
    dataset: str
    charged_at: str
    spent: Rho | Epsilon
    method: str
    variant: str
    curve: str


class Ledger:
    """Accounts of data sets in one file, which threads, processes and programs may share.

    Every release is charged before its first noise is drawn. When the charge is done it is on the
    disk. The object holds the path alone, so it can be copied, pickled and sent to workers.

    Parameters
    ----------
    path : str or path-like
        The file of the ledger.
    create : bool
        Whether to make the file where there is none.

    Raises
    ------
    DeviceError
        The file cannot be read or written, stays locked by another process for half a minute, or
        does not exist (MissingFileError).
    DataError
        The file is not a ledger, or was changed by other means than dpcov.
    """

    def __init__(self, path: str | os.PathLike[str], *, create: bool = False) -> None:
        self._path = os.path.abspath(path_text(path))
        if not create:
            try:
                os.stat(self._path)
            except FileNotFoundError:
                raise MissingFileError(
                    f"there is no ledger {self._path}; create=True makes one", errno.ENOENT
                ) from None
            except OSError:
                pass  # it is told why when it is opened
        _core.ledger_open(self._path, create)

    @property
    def path(self) -> str:
        """The absolute path of the file."""
        return self._path

    def declare(
        self,
        dataset: str,
        total: Budget,
        *,
        neighbours: Neighbours = "replace",
        rows_per_person: int = 1,
        exist_ok: bool = False,
    ) -> None:
        """Open an account for all releases of `dataset`.

        An account cannot be changed afterwards. Spends nothing.

        Parameters
        ----------
        dataset : str
            The name of the data set: 1 to 200 bytes, no control characters.
        total : Rho, Epsilon or ApproximateDP
            The most that all releases together may spend.
        neighbours : {"replace", "add-remove"}
            Which tables must look alike, as for `covariance`. Releases for other neighbours are
            refused.
        rows_per_person : int
            The most rows that one person has, from 1 to 10^6: the total is for the whole person.
            Releases with another `rows_per_person` are refused.
        exist_ok : bool
            If True, and the same account exists already, it is left as it is, with what was spent.

        Raises
        ------
        UsageError
            There is an account already, or with `exist_ok` one that was declared differently. Or
            the name is not valid.
        """
        require_budget(total)
        word = require_word(dataset, "dataset")
        relation = require_word(neighbours, "neighbours")
        rows = require_whole(rows_per_person, "rows_per_person", 1, _core.most_rows_per_person)
        try:
            _core.ledger_declare(self._path, word, total, relation, rows)
        except UsageError:
            if not require_choice(exist_ok, "exist_ok"):
                raise
            known = [statement for statement in self.statements() if statement.dataset == word]
            declared = [(one.total, one.neighbours, one.rows_per_person) for one in known]
            if declared != [(total, relation, rows)]:
                raise

    def statement(self, dataset: str) -> Statement:
        """Return one account. UsageError, naming the known ones, where there is none."""
        return Statement._make(_core.ledger_statement(self._path, require_word(dataset, "dataset")))

    def statements(self) -> list[Statement]:
        """Return all accounts, by name."""
        return [Statement._make(entry) for entry in _core.ledger_statements(self._path)]

    def charges(self, dataset: str | None = None) -> list[Charge]:
        """Return the charges on `dataset`, or all charges, in the order in which they were made.

        UsageError, naming the known ones, where there is no such account.
        """
        if dataset is not None:
            self.statement(dataset)
        return [Charge._make(entry) for entry in _core.ledger_charges(self._path, dataset or "")]

    def head(self) -> str:
        """Return the hash that stands for all entries so far; empty where there is no entry."""
        return _core.ledger_head(self._path)

    def holds(self, head: str) -> bool:
        """Return whether `head` was once the head of this ledger: no entry was removed since.

        True for an empty `head`.
        """
        return _core.ledger_holds(self._path, require_word(head, "head"))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Ledger) and other._path == self._path

    def __hash__(self) -> int:
        return hash(self._path)

    def __repr__(self) -> str:
        return f"Ledger({self._path!r})"


def ledger_of(ledger: Ledger | str | os.PathLike[str]) -> Ledger:
    """Return a ledger that may be given by its path."""
    return ledger if isinstance(ledger, Ledger) else Ledger(ledger)
