"""An argument as text for a message, which shows no values of a table."""

from __future__ import annotations

from typing import Any

import numpy as np

_LONGEST = 60
_MOST_ITEMS = 3


def _is_short(value: Any) -> bool:
    if isinstance(value, str):
        return len(value) <= _LONGEST
    if isinstance(value, int):
        return bool(abs(value) < 10**_LONGEST)
    return value is None or isinstance(value, (float, complex, np.bool_, np.number))


def shown(value: Any) -> str:
    """Return a number, a short text, or a short tuple of these as written; else the type.

    A frame, an array, a column or a list of values may be a table.
    """
    if _is_short(value):
        return repr(value)
    if isinstance(value, tuple) and len(value) <= _MOST_ITEMS:
        inner = ", ".join(shown(item) for item in value)
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    kind = type(value)
    room = "" if kind.__module__ == "builtins" else f"{kind.__module__}."
    return f"an object of type {room}{kind.__qualname__}"
