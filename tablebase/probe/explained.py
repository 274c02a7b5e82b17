"""A line that explains itself: for each ply the moves that keep the value, and what every other move gives."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from itertools import groupby
from typing import Any

from tablebase.game.types import Outcome
from tablebase.game.values import Bounds
from tablebase.probe.answers import Probe, RatedDraw, RatedMove, said
from tablebase.system.compute.messages import brief

ONLY = "!"
"""Marks the only one of several moves that keeps a win or a draw."""
VERBS = {Outcome.WIN: "win", Outcome.LOSS: "lose", Outcome.DRAW: "draw"}


@brief
class Explained(list[dict[str, Any]]):
    """Rows of `tablebase line --explain --format json`, as a list; `str` returns one sentence for each ply.

    Each row contains the fields of `Line.to_dict` and additional fields, which are None if unknown. The fields ``legal_moves``,
    ``keeping_moves`` and ``best_moves`` count the legal moves, the moves that keep the outcome, and the moves as good as the best
    move. The field ``is_only`` is true if only one of several moves keeps a win or a draw. The field ``others`` lists the other
    moves with their values, or the other outcomes of chance.

    Parameters
    ----------
    rows : sequence of dict
        Rows from `Line.to_dict`.
    probes : sequence of Probe
        Probe result of each position of the line, except a final position in which the game is over.
    """

    def __init__(self, rows: Sequence[dict[str, Any]], probes: Sequence[Probe]) -> None:
        self.sentences = [f"{row['ply']}. {_sentence(probe)}" for row, probe in zip(rows, probes, strict=False)]
        self._others = [_others_text(probe) for probe in probes]
        super().__init__({**row, **_fields(probe)} for row, probe in zip(rows, probes, strict=False))
        for row in rows[len(probes) :]:
            last = probes[-1]
            mover = last.game.viewer(last.asked)
            winner = last.game.sides[mover if last.outcome is Outcome.WIN else 1 - mover].name
            self._others.append("")
            self.sentences.append(f"{row['ply']}. the game is over: {winner} won")
            self.append({**row, "legal_moves": 0, "keeping_moves": 0, "best_moves": 0, "is_only": False, "others": []})

    @property
    def flat(self) -> Iterator[dict[str, Any]]:
        """Return the rows for CSV output, with the field ``others`` as text."""
        return ({**row, "others": text} for row, text in zip(self, self._others, strict=True))

    def __str__(self) -> str:
        return "\n".join(self.sentences)

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"


def _fields(probe: Probe) -> dict[str, Any]:
    return {
        "legal_moves": len(probe.moves),
        "keeping_moves": probe.keeping,
        "best_moves": probe.as_good,
        "is_only": probe.is_only,
        "others": [one.to_dict() for one in _others(probe)],
    }


def _others(probe: Probe) -> list[RatedMove | RatedDraw]:
    """All moves except the best, or all outcomes of chance except the one that the line continues with."""
    return [*probe.moves[1:], *(draw for draw in probe.draws if probe.step and draw.label != probe.step[0])]


def _others_text(probe: Probe) -> str:
    groups = groupby(_others(probe), _worth)
    return "; ".join(f"{', '.join(map(_name, some))}: {worth}" for worth, some in groups)


def _sentence(probe: Probe) -> str:
    if probe.step is None:
        return probe.said
    taken, game, others = probe.step[0], probe.game, _others_text(probe)
    more = f". Others: {others}" if others else ""
    name = game.sides[game.viewer(probe.asked)].name
    if probe.draws:
        next_draw = next(draw for draw in probe.draws if draw.label == taken)
        return f"chance, for {name}: {_name(next_draw)}: {_worth(next_draw)}{more}"
    words = game.words(probe.asked, taken)
    move = words.replace(taken, taken + ONLY, 1) if probe.is_only else words if probe.is_best_certain else f"perhaps {words}"
    return f"{name}: {move}, {probe.value.said} ({_choice(probe)}){more}"


def _worth(one: RatedMove | RatedDraw) -> str:
    return f"unknown without {one.missing}" if isinstance(one, RatedMove) and one.missing is not None else said(one.value)


def _name(one: RatedMove | RatedDraw) -> str:
    if isinstance(one, RatedDraw):
        return f"{one.game.draw_text(one.label)} (probability {one.probability})"
    # A number of a move says nothing by itself.
    return one.game.words(one.asked, one.move) if one.move.removeprefix("-").isdecimal() else one.move


def _choice(probe: Probe) -> str:
    count, verb = len(probe.moves), VERBS.get(probe.outcome or Outcome.WIN, "")
    if count == 1:
        return "the only legal move"
    if probe.is_only:
        return f"the only one of {count} moves that {verb}s"
    if isinstance(probe.value, Bounds):
        best = f"{probe.candidates} of {count} moves may be best"
        return best if probe.as_good is None else f"best moves: {probe.as_good} of {count}"
    if probe.keeping is None or probe.as_good is None:
        return f"some of {count} moves are of unknown value"
    same = "" if probe.distance is None else f", {probe.as_good} of them in {probe.distance}"
    return f"{probe.keeping} of {count} moves {verb}{same}"
