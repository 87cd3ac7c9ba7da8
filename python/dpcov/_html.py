"""A release in a notebook: its correlations and its spectrum, as inline SVG."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import numpy as np

from ._release import units_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ._release import Release

_SIDE = 260
#: A notebook is no place for a million cells: beyond these the first columns are shown.
_MOST_COLUMNS = 60
#: With more columns the names beside the heat map would be too small to read.
_MOST_NAMES = 24
_LONGEST_NAME = 14
_MARGIN = 98


def _colour(value: float) -> str:
    """Return blue for -1, white for 0, red for 1."""
    strength = round(255 * (1.0 - min(1.0, abs(value))))
    red, blue = (255, strength) if value >= 0 else (strength, 255)
    return f"#{red:02x}{strength:02x}{blue:02x}"


def _heat_map(release: Release) -> str:
    names = release.columns[:_MOST_COLUMNS]
    correlation = release.correlation()[: len(names), : len(names)]
    cell = _SIDE / len(names)
    cells = "".join(
        f'<rect x="{j * cell:.2f}" y="{i * cell:.2f}" width="{cell:.2f}" height="{cell:.2f}" '
        f'fill="{_colour(float(correlation[i, j]))}"><title>{escape(names[i])}, '
        f"{escape(names[j])}: {correlation[i, j]:.3f}</title></rect>"
        for i in range(len(names))
        for j in range(len(names))
    )
    more = len(release.columns) - len(names)
    caption = "correlations" + (f" (the first {len(names)} columns)" if more else "")
    if len(names) > _MOST_NAMES:
        return _figure(cells, caption)
    return _figure(cells + _names_along_axes(names, cell), caption, margin=_MARGIN)


def _names_along_axes(names: Sequence[str], cell: float) -> str:
    size = min(11.0, 0.8 * cell)
    short = [n if len(n) <= _LONGEST_NAME else n[: _LONGEST_NAME - 1] + "…" for n in names]
    rows = "".join(
        f'<text x="-4" y="{(i + 0.5) * cell:.2f}" text-anchor="end" '
        f'dominant-baseline="central">{escape(name)}</text>'
        for i, name in enumerate(short)
    )
    columns = "".join(
        f'<text transform="translate({(j + 0.5) * cell:.2f} -4) rotate(-90)" '
        f'dominant-baseline="central">{escape(name)}</text>'
        for j, name in enumerate(short)
    )
    return f'<g font-size="{size:.1f}" fill="currentColor">{rows}{columns}</g>'


def _spectrum(release: Release) -> str:
    units = units_of(release.record)
    mapped = release.covariance() / np.outer(units, units)
    values = np.maximum(np.linalg.eigvalsh(mapped)[::-1], 0.0)[:_MOST_COLUMNS]
    noise = release.noise_level()
    top = max(float(values[0]), noise or 0.0) or 1.0
    width = _SIDE / len(values)
    bars = "".join(
        f'<rect x="{k * width:.2f}" y="{_SIDE * (1 - value / top):.2f}" '
        f'width="{max(width - 1, 0.5):.2f}" height="{_SIDE * value / top:.2f}" fill="#4878a8">'
        f"<title>eigenvalue {k + 1}: {value:.4g}</title></rect>"
        for k, value in enumerate(values)
    )
    caption = "eigenvalues, of columns mapped to [-1, 1]"
    if noise is not None:
        y = _SIDE * (1 - noise / top)
        bars += (
            f'<line x1="0" x2="{_SIDE}" y1="{y:.2f}" y2="{y:.2f}" stroke="#c03030" '
            f'stroke-dasharray="4 3"><title>noise level: {noise:.4g}</title></line>'
        )
        caption += "; dashed: the noise level"
    return _figure(bars, caption)


def _figure(content: str, caption: str, margin: int = 0) -> str:
    """Return a figure: a square drawing from (0, 0) on, with a margin at its left and top."""
    side = _SIDE + margin
    return (
        '<figure style="display:inline-block;vertical-align:top;margin:1em 2em 0 0;'
        f'width:{side}px">'
        f'<svg width="{side}" height="{side}" viewBox="{-margin} {-margin} {side} {side}" '
        f'role="img" shape-rendering="crispEdges" aria-label="{caption}">{content}'
        # A half-transparent grey is seen on a light page and on a dark one.
        f'<rect x=".5" y=".5" width="{_SIDE - 1}" height="{_SIDE - 1}" fill="none" '
        'stroke="rgb(128 128 128 / 50%)"/>'
        "</svg>"
        f'<figcaption style="font-size:85%">{caption}</figcaption></figure>'
    )


def _facts(release: Release) -> str:
    record = release.record
    budget = ", ".join(
        f"{key} = {value:g}" if isinstance(value, float) else f"{key} {value}"
        for key, value in record["definition"].items()
        if key in ("rho", "epsilon", "delta")
    )
    several = record.get("rows_per_person", 1)
    whom = "" if several == 1 else f", for a person with at most {several} rows"
    rows = str(record["n"]) if "n" in record else "private"
    definition = record["definition"]["name"]
    facts = [
        ("method", f"{record['method']} ({record['variant']})"),
        ("guarantee", f"{definition}, {budget}, neighbours {record['neighbours']}{whom}"),
        ("rows, columns", f"{rows}, {record['d']}"),
    ]
    if "estimated_frobenius_error" in record:
        error = f"{record['estimated_frobenius_error']:.4g} (Frobenius, mapped units)"
        facts.append(("estimated error", error))
    if record["zero"]:
        facts.append(("zero", f"the matrix is zero: {record['zero_because']}"))
    if not record["private"]:
        facts.insert(0, ("NOT PRIVATE", "the noise came from a seed"))
    lines = "".join(
        f'<tr><th style="text-align:left">{escape(name)}</th>'
        f'<td style="text-align:left">{escape(text)}</td></tr>'
        for name, text in facts
    )
    return f"<table>{lines}</table>"


def release_html(release: Release) -> str:
    """Return the facts, the heat map and the spectrum as HTML without outside resources."""
    return f"<div>{_facts(release)}{_heat_map(release)}{_spectrum(release)}</div>"
