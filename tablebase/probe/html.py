"""Answers as HTML, for notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape


def titled_table(title: str, pictures: Sequence[str], rows: Sequence[Mapping[str, object]]) -> str:
    """A title, pictures, which are markup, and a table unless there are no rows; texts are escaped, and None is an empty cell."""
    head = f"<p>{escape(title)}</p><div>{' '.join(pictures)}</div>"
    if not rows:
        return head
    lines = [_line("th", rows[0]), *(_line("td", row.values()) for row in rows)]
    return f"{head}<table>{''.join(lines)}</table>"


def _line(tag: str, cells: Iterable[object]) -> str:
    return f"<tr>{''.join(f'<{tag}>{escape(_text(cell))}</{tag}>' for cell in cells)}</tr>"


def _text(cell: object) -> str:
    return "" if cell is None else str(cell)
