"""Answers as HTML, for notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape

from tablebase.system.compute.messages import cell_text


def titled_table(title: str, pictures: Sequence[str], rows: Sequence[Mapping[str, object]]) -> str:
    """A title, pictures, which are markup, and a table unless there are no rows; texts are escaped, and None is an empty cell."""
    head = f"<p>{escape(title)}</p><div>{' '.join(pictures)}</div>"
    if not rows:
        return head
    lines = [_line("th", rows[0]), *(_line("td", row.values()) for row in rows)]
    return f"{head}<table>{''.join(lines)}</table>"


def _line(tag: str, cells: Iterable[object]) -> str:
    texts = [escape(cell_text(cell, missing="")) for cell in cells]
    return f"<tr>{''.join(f'<{tag}>{text}</{tag}>' for text in texts)}</tr>"
