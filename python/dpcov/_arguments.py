"""Checks of arguments: those of a wrong type are refused before the extension sees them."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from . import _core
from ._errors import UsageError
from ._shown import shown


def require_number(value: Any, what: str) -> float:
    """Return a number as a float; UsageError for anything else, also for text or a truth value."""
    return float(_core.number_of(value, what))


def require_whole(value: Any, what: str, least: int, most: int) -> int:
    """Return a whole number, `least` to `most`, as an int; else UsageError. Floats are allowed."""
    number = require_number(value, what)
    if number != np.floor(number) or np.isinf(number):
        raise UsageError(f"{what} is no whole number: {shown(value)}")
    whole = int(value)
    if not least <= whole <= most:
        raise UsageError(
            f"{what} must be a whole number from {least} to {most}, not {shown(value)}"
        )
    return whole


def require_dataset(name: Any) -> None:
    """Raise UsageError unless `name` is a name or None.

    An empty name, such as that of a variable that is not set, would account for nothing.
    """
    if not (name is None or isinstance(name, str)):
        raise UsageError(f"dataset is a name, not {shown(name)}")
    if name == "":
        raise UsageError("dataset is empty; give a name, or None for none")
    if name is not None:
        require_word(name, "dataset")


def require_word(value: Any, what: str) -> str:
    """Return text that can be written as UTF-8; else UsageError."""
    if not isinstance(value, str):
        raise UsageError(f"{what} is a word, not {shown(value)}")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise UsageError(f"{what} holds characters that are none") from None
    return value


def path_text(path: str | bytes | os.PathLike[Any]) -> str:
    """Return a path as text; UsageError where it is not UTF-8."""
    text = os.fsdecode(path)
    try:
        text.encode()
    except UnicodeEncodeError:
        raise UsageError(
            "the path holds bytes that are not UTF-8, which dpcov cannot hand on; rename the file "
            "or its folder"
        ) from None
    return text


def require_choice(value: Any, what: str) -> bool:
    """Return True or False; else UsageError."""
    if not isinstance(value, (bool, np.bool_)):
        raise UsageError(f"{what} is True or False, not {shown(value)}")
    return bool(value)


def intervals_for(population: Any) -> str:
    """Return what intervals are to cover, in the extension's words; UsageError for another word."""
    if isinstance(population, str) and population == "any":
        return "any population"
    if not isinstance(population, (bool, np.bool_)):
        raise UsageError(f'population is True, False or "any", not {shown(population)}')
    return "population" if population else "table"
