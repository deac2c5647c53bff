# SPDX-License-Identifier: Apache-2.0
"""Tables for people."""

from collections.abc import Iterable, Sequence

from penstock_base.texts import plain


def table(headings: Sequence[str], rows: Iterable[Sequence[object]], empty: str = "nothing") -> str:
    """Columns as wide as their widest cell, with a dash for what is not there; `empty` if there are no rows."""
    cells = [tuple("-" if cell in (None, "") else plain(str(cell)) for cell in row) for row in rows]
    if not cells:
        return empty
    cells.insert(0, tuple(headings))
    widths = [max(len(row[column]) for row in cells) for column in range(len(headings))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
                     for row in cells)


def fitted(text: str, width: int) -> str:
    """A table whose lines end at a width, with an ellipsis where something is left out."""
    return "\n".join(line if len(line) <= width else line[:width - 1] + "…" for line in text.split("\n"))
