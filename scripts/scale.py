#!/usr/bin/env python3
"""What a great table costs, worked out from what was measured: the tables of docs/scale.md.

    scripts/scale.py check    fails unless the tables in docs/scale.md are those
    scripts/scale.py write    writes them
"""

import math
import pathlib
import sys

from pages import markdown, with_block

PAGE = pathlib.Path(__file__).resolve().parent.parent / "docs/scale.md"

# Measured on one core; docs/scale.md has the commands.
PRODUCTS_A_SECOND = 11.1e9  # exact Gram, d = 2000
SECONDS_A_PAIR = 10.3e-9  # sparse rows, d = 4096
SECONDS_A_BYTE_SENT = 1.62 / 134316211  # a moment from one rank into another's
RELEASE_SECONDS, RELEASE_COLUMNS = 45.8, 8192  # gauss, decompositions and all

ROWS, COLUMNS, ENTRIES = 1e12, 1e4, 100
CORES_A_NODE = 64


def whole(value):
    """Two digits, as people write them."""
    if value >= 1000 or value < 0.01:
        power = math.floor(math.log10(value))
        return f"{value / 10**power:.1f} · 10{str(power).translate(str.maketrans('0123456789-', '⁰¹²³⁴⁵⁶⁷⁸⁹⁻'))}"
    return f"{float(f'{value:.2g}'):g}"


def of_the_job():
    gram = COLUMNS * (COLUMNS + 1) / 2
    dense = ROWS * gram / PRODUCTS_A_SECOND
    pairs = ROWS * ENTRIES * (ENTRIES + 1) / 2 * SECONDS_A_PAIR
    release = RELEASE_SECONDS * (COLUMNS / RELEASE_COLUMNS) ** 3
    yield "what", "how much", "how it is reckoned"
    yield "rows as float32", f"{whole(ROWS * COLUMNS * 4 / 1e15)} PB", "4 n d bytes"
    yield "products, dense rows", f"{whole(dense / 3600)} core hours", "n d (d + 1) / 2 at the speed of the Gram"
    yield (
        f"products, sparse rows of {ENTRIES} entries",
        f"{whole(pairs / 3600)} core hours",
        "pairs of entries, at the speed of the sparse sums",
    )
    yield "one bin of norms, in a sum or a message", f"{whole(16 * gram / 1e9)} GB", "16 bytes for each of d (d + 1) / 2"
    yield "release on rank 0, one thread", f"{whole(release / 60)} minutes", "the time at d = 8192, times the cube of d's ratio"


def of_clusters():
    gram = COLUMNS * (COLUMNS + 1) / 2
    yield "nodes", "cores", "products, days", "read by a core, MB/s", "steps of the tree", "adding up, seconds a bin", "sent in all, GB a bin"
    for nodes in (1, 16, 160, 1600):
        cores = nodes * CORES_A_NODE
        seconds = ROWS * gram / PRODUCTS_A_SECOND / cores
        steps = math.ceil(math.log2(nodes))
        yield (
            str(nodes),
            str(cores),
            whole(seconds / 86400),
            whole(ROWS * COLUMNS * 4 / cores / seconds / 1e6),
            str(steps),
            whole(steps * 16 * gram * SECONDS_A_BYTE_SENT) if steps else "0",
            whole((nodes - 1) * 16 * gram / 1e9) if steps else "0",
        )


def main():
    page = old = PAGE.read_text()
    for name, (header, *lines) in (("job", of_the_job()), ("clusters", of_clusters())):
        page = with_block(page, name, markdown(header, lines))
    if sys.argv[1:] == ["write"]:
        PAGE.write_text(page)
    elif sys.argv[1:] != ["check"]:
        sys.exit(__doc__)
    elif page != old:
        sys.exit("docs/scale.md: the tables are not those of scripts/scale.py; run scripts/scale.py write")


main()
