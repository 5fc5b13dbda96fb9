"""Numbers and tables for people."""

from __future__ import annotations

import functools
import html
import operator
from collections.abc import Sequence
from typing import Any, Tuple, Union


#: rows, head, title
Table = Tuple[Sequence[Sequence[Any]], Union[Sequence[str], None], Union[str, None]]
UNITS = ((10**12, "s"), (10**9, "ms"), (10**6, "us"), (10**3, "ns"), (1, "ps"))


def time_text(picoseconds: int) -> str:
    """Five figures with a fitting unit: "446.7 us"."""
    for size, unit in UNITS:
        if picoseconds >= size:
            return f"{picoseconds / size:.5g} {unit}"
    return "0 s"


def share_text(part: float, whole: float) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "-"


def html_table(rows, head=None, title=None):
    """Rows of cells; numbers stand to the right."""

    def cell(value, tag="td"):
        text = html.escape("-" if value is None else str(value))
        side = "right" if tag == "td" and text[:1].isdigit() else "left"
        return f'<{tag} style="text-align: {side}">{text}</{tag}>'

    lines = ["<table>"]
    if title:
        lines.append(f'<caption style="text-align: left">{html.escape(title)}</caption>')
    if head:
        lines.append("<tr>" + "".join(cell(name, "th") for name in head) + "</tr>")
    lines += ["<tr>" + "".join(cell(value) for value in row) + "</tr>" for row in rows]
    lines.append("</table>")
    return "\n".join(lines)


def text_table(rows):
    """The same for a terminal."""
    rows = [["-" if cell is None else str(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*rows)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows
    )


class Tabular:
    """Something shown as a table: `_table()` gives its rows, its head and its title, or None for these."""

    def _table(self) -> Table:
        raise NotImplementedError

    def __str__(self) -> str:
        rows, head, _ = self._table()
        return text_table([head, *rows] if head else rows)

    def _repr_html_(self) -> str:
        return html_table(*self._table())


def datum(path: str, about: str | None = None) -> Any:
    """A property: the member of `self.data` at a path such as "found.value"."""
    return property(lambda self: functools.reduce(operator.getitem, path.split("."), self.data), doc=about)


def frame(columns: Any) -> Any:
    """A pandas.DataFrame; pandas is imported when the first is made."""
    import pandas

    return pandas.DataFrame(columns)
