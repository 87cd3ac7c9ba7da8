"""Accounts of what releases spend."""

from __future__ import annotations

import errno
import os
from typing import Literal, NamedTuple, TypeAlias

from . import _core
from ._arguments import path_text, require_choice, require_word
from ._budgets import Budget, require_budget
from ._core import Epsilon, Rho
from ._errors import MissingFileError, UsageError

Neighbours: TypeAlias = Literal["replace", "add-remove"]


class Statement(NamedTuple):
    """An account as it stands. Amounts are epsilon where `total` is `Epsilon`, else rho.

    The ledger adds charges up as exact decimals, and decides by these. `spent` and `left` are the
    nearest floats on the safe side, to be shown and compared: a release that asks for `left`, by
    `Rho(statement.left)` for example, is never refused for rounding, and adding up floats of
    your own may end an ulp elsewhere.

    Attributes
    ----------
    dataset : str
    total : Rho, Epsilon or ApproximateDP
        The most that all releases together may spend.
    neighbours : {"replace", "add-remove"}
    declared_at : str
        UTC, ISO 8601.
    releases : int
        How many were charged.
    curve : {"gaussian", "zcdp"} or None
        How charges add up to (epsilon, delta)-DP; None before the first.
    spent : float
        Rounded up.
    left : float
        Rounded down; before the first charge, for a release of any noise.
    head : str
        Of the whole ledger, as it was when all of this was.
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


class Charge(NamedTuple):
    """One release, as charged.

    Attributes
    ----------
    number : int
        Counted from 1 in the ledger.
    dataset : str
    charged_at : str
        UTC, ISO 8601.
    spent : Rho or Epsilon
    method, variant : str
    curve : {"gaussian", "zcdp"}
        "gaussian" where all noise of the release is.
    """

    number: int
    dataset: str
    charged_at: str
    spent: Rho | Epsilon
    method: str
    variant: str
    curve: str


class Ledger:
    """Accounts in one file, which threads, processes and programs may share.

    Every release is charged before its first noise is drawn, and a charge that returned is on the
    disk. The object holds the path alone, so it can be copied, pickled and sent to workers.

    Parameters
    ----------
    path : str or path-like
        An existing ledger.
    create : bool
        Make the file where there is none.

    Raises
    ------
    DeviceError
        The file cannot be read or written, or stays locked.
    DataError
        It is no ledger, or was changed by other means.
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
        """Where the ledger is."""
        return self._path

    def declare(
        self,
        dataset: str,
        total: Budget,
        *,
        neighbours: Neighbours = "replace",
        exist_ok: bool = False,
    ) -> None:
        """Open an account: the most that all releases of `dataset` together may spend.

        It cannot be changed afterwards. Spends nothing.

        Parameters
        ----------
        dataset : str
            Whose account it is.
        total : Rho, Epsilon or ApproximateDP
            The most that may be spent.
        neighbours : {"replace", "add-remove"}
            Which tables must look alike.
        exist_ok : bool
            An account that was declared just so is left as it is, with what was spent.

        Raises
        ------
        UsageError
            There is one already, or with `exist_ok` one that was declared otherwise.
        """
        require_budget(total)
        word = require_word(dataset, "dataset")
        relation = require_word(neighbours, "neighbours")
        try:
            _core.ledger_declare(self._path, word, total, relation)
        except UsageError:
            if not require_choice(exist_ok, "exist_ok"):
                raise
            known = [statement for statement in self.statements() if statement.dataset == word]
            if not known or (known[0].total, known[0].neighbours) != (total, relation):
                raise

    def statement(self, dataset: str) -> Statement:
        """Return one account as it stands. UsageError, naming the known ones, where it is none."""
        return Statement._make(_core.ledger_statement(self._path, require_word(dataset, "dataset")))

    def statements(self) -> list[Statement]:
        """Return all accounts, by name."""
        return [Statement._make(entry) for entry in _core.ledger_statements(self._path)]

    def charges(self, dataset: str | None = None) -> list[Charge]:
        """Return the charges on `dataset`, or all, in the order in which they were made.

        UsageError, naming the known ones, where there is no such account.
        """
        if dataset is not None:
            self.statement(dataset)
        return [Charge._make(entry) for entry in _core.ledger_charges(self._path, dataset or "")]

    def head(self) -> str:
        """Return the hash that stands for all entries so far; empty where there is none."""
        return _core.ledger_head(self._path)

    def holds(self, head: str) -> bool:
        """Return whether the ledger has had that head: nothing was taken out since.

        Every ledger has had the empty one.
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
