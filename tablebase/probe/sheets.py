"""Probes and lines as sheets to print: each position with its value and its best move."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from tablebase.game.rules import Rules
from tablebase.game.types import Outcome
from tablebase.game.values import AnyValue, Value
from tablebase.probe.answers import Probe

if TYPE_CHECKING:
    from tablebase.svg.sheets import Sheet
    from tablebase.svg.themes import Theme

ONLY = "only move"
"""Note at a position that says what is to come; others say what led to it."""


class Shown(NamedTuple):
    """A position of a sheet."""

    position: Any
    name: str  # its number, or its ply
    value: AnyValue
    best: str | None
    last: str | None = None  # the move that led to it
    notes: tuple[str, ...] = ()  # why it is a key position


def probe_sheet(probes: Sequence[Probe], page: str = "a4", theme: str | Theme = "light") -> Sheet:
    """The positions of probes of one game, numbered, each with its value and an arrow for its best move."""
    # A sheet is loaded when one is made.
    from tablebase.svg.sheets import check_number

    check_number(len(probes))
    shown = [
        Shown(probe.asked, str(number), probe.value, probe.best if probe.is_best_certain else None)
        for number, probe in enumerate(probes, start=1)
    ]
    return _sheet(probes[0].game, shown, f"{probes[0].game.title}: {_count(len(shown), 'position')}", page, theme)


def line_sheet(probes: Sequence[Probe], rows: Sequence[dict[str, Any]], every: bool, page: str, theme: str | Theme) -> Sheet:
    """The key positions of a line, or those of every ply; `rows` has one more if the line has come to the end of the game."""
    game = probes[0].game
    shown = list(_plies(probes, rows))
    chosen = [one for one in shown if every or one.notes]
    line = "a line of moves that may be best" if any(probe.is_open for probe in probes) else "the best line"
    what = f"{line}, plies 0 to {shown[-1].name}" if every else f"{_count(len(chosen), 'key position')} of {line}"
    title = f"{game.title}: {what}\nfrom {probes[0].position}"
    return _sheet(game, chosen, title, page, theme)


def _plies(probes: Sequence[Probe], rows: Sequence[dict[str, Any]]) -> Iterator[Shown]:
    game, last, before = probes[0].game, None, None
    for ply, row in enumerate(rows):
        position = game.parse(row["position"])
        value = probes[ply].value if ply < len(probes) else Value(Outcome(row["outcome"]), 0)
        notes = []
        if ply == 0:
            notes.append("start")
        notes += () if last is None else game.made_by(before, last)
        if ply < len(probes) and probes[ply].is_only:
            notes.append(ONLY)
        if ply == len(rows) - 1:
            notes.append("last" if row["best"] else "end")
        yield Shown(position, str(ply), value, row["best"] or None, last, tuple(notes))
        before, last = position, row["best"]


def _sheet(game: Rules[Any], shown: Sequence[Shown], title: str, page: str, theme: str | Theme) -> Sheet:
    from tablebase.svg.pictures import check_pictures, moved
    from tablebase.svg.sheets import sheet

    check_pictures(game, "use text or JSON instead")
    boards = []
    for one in shown:
        picture = moved(game, one.position, one.last, one.best, theme=theme)
        before = ", ".join([*([f"after {one.last}"] if one.last else []), *(note for note in one.notes if note != ONLY)])
        after = f"next {one.best}{f' ({ONLY})' if ONLY in one.notes else ''}" if one.best else ""
        boards.append((picture, f"{one.name}: " + "\n".join(filter(None, [before, _said(game, one), after]))))
    return sheet(boards, title=title, page=page, theme=theme)


def _said(game: Rules[Any], one: Shown) -> str:
    if not isinstance(one.value, Value):
        return one.value.said
    if one.value.outcome is Outcome.DRAW:
        return "draw"
    player = game.viewer(one.position)
    winner = game.sides[player if one.value.outcome is Outcome.WIN else 1 - player].name
    return f"won by {winner}{f' in {one.value.distance}' if one.value.distance else ''}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
