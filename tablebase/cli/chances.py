"""What the commands do for games of chance or of several players: estimate, probe, line, stats; and their options."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tablebase.cli.options import Format
from tablebase.game.stochastic import StochasticGame

if TYPE_CHECKING:
    from tablebase.api.chances import StateAnswers
    from tablebase.building.chances import Estimate
    from tablebase.cli.positions import Answered, Asking
    from tablebase.stochastic.state_prober import DrawAnswer, StateAnswer


def write_estimate(estimates: Sequence[Estimate], style: Format) -> None:
    """Write what the layers of a region need."""
    from dataclasses import asdict

    from tablebase.cli.output import in_bytes, in_time, write_rows
    from tablebase.compute import machine

    lines = [asdict(line) for line in estimates]
    if style is Format.TABLE:
        units = {"memory": in_bytes, "disk": in_bytes, "cpu_seconds": in_time}
        lines = [{name: units[name](value) if name in units else value for name, value in line.items()} for line in lines]
    write_rows(lines, style)
    if style is Format.TABLE:
        sys.stdout.write(f"\ndisk is an upper bound\nthere is: {in_bytes(machine.memory())} of memory\n")


@contextmanager
def answering(game: StochasticGame, data: Path, turns: int | None, *, boards: bool) -> Iterator[Asking]:
    """Ask for the bounds of states and of their moves."""
    from tablebase.api.chances import StateAnswers

    with StateAnswers(data, game, turns) as answers:
        yield _Asking(answers, boards)


class _Asking:
    """Asks for states; see `tablebase.cli.positions.Asking`."""

    columns = ("game", "position", "side", "outcome", "distance", "lower", "upper", "best")

    def __init__(self, answers: StateAnswers, boards: bool) -> None:
        self._answers, self._boards = answers, boards

    def answers(self, texts: Sequence[str]) -> Iterator[Answered]:
        """The answer for each text: what is written of it, or why it has none."""
        for answer, row, error in self._answers.of(texts):
            yield ((answer, row) if self._boards else row), error

    def show(self, answer: tuple[StateAnswer, dict[str, Any]]) -> None:
        """Write an answer for people."""
        found, row = answer
        _write_answer(found, row.get("within"))


def _write_answer(answer: StateAnswer, within: dict[str, Any] | None) -> None:
    from tablebase.api.chances import interval, number, verdict
    from tablebase.cli.output import write_table

    sys.stdout.write(f"{answer.position}\n\n{verdict(answer)}\n")
    if answer.stalling:
        sys.stdout.write(f"stalling: at least {number(answer.stalling)} of the chance can be forced by neither player\n")
    if within is not None:
        bounds = f"at least {within['lower']:.6f}, at most {within['upper']:.6f}"
        sys.stdout.write(f"within {within['turns']} turns of both players together: {bounds}\n")
    sys.stdout.write("\n")
    rows = []
    for move in answer.moves:
        rows.append({"move": str(move.code), "meaning": move.text, **interval(move.bounds), "position": move.position})
        rows += map(_draw_row, move.draws)
    rows += map(_draw_row, answer.draws)
    if rows:
        write_table(rows, ["move", "meaning", "lower", "upper", "position"])
        sys.stdout.write("\n")


def _draw_row(draw: DrawAnswer) -> dict[str, str]:
    """A line about an outcome of chance."""
    from tablebase.api.chances import interval

    return {"move": "", "meaning": f"{draw.probability} {draw.label}", **interval(draw.bounds), "position": draw.position}


def line(game: StochasticGame, text: str, data: Path, plies: int | None, style: Format) -> None:
    """Show the likeliest line: the best moves and the likeliest draws."""
    from tablebase.api.chances import interval, line_rows, line_states
    from tablebase.cli.output import write_rows

    if style is Format.TABLE:
        rows: list[dict[str, Any]] = [
            {"ply": ply, "side": answer.side, **interval(answer.bounds), "best": best, "position": answer.position}
            for ply, (answer, best) in enumerate(line_states(data, game, text, plies))
        ]
    else:
        rows = line_rows(data, game, text, plies)
    write_rows(rows, style)


def stats(game: StochasticGame, data: Path, style: Format, catalog: str | None) -> None:
    """Count states by how well their chances are known."""
    from contextlib import closing

    from tablebase.api.chances import layer_rows
    from tablebase.catalog.catalog import Catalog
    from tablebase.cli.output import write_rows

    with closing(Catalog(data, catalog=catalog)) as opened:
        write_rows(layer_rows(opened, game), style)
