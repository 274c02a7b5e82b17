"""Learners by games against themselves: train."""

from __future__ import annotations

import time as clock
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict, fields
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from tablebase.commands import lib
from tablebase.commands.arguments import as_duration, as_folder, as_optional, checked, rules_for
from tablebase.commands.calls import Call
from tablebase.commands.parameters import Data, GameName, Output, Shell, Size, Variant
from tablebase.errors import MissingTableError, TablebaseError
from tablebase.game.plain_arguments import as_path, parse_duration
from tablebase.system.compute.messages import say

if TYPE_CHECKING:
    from tablebase.play.learning.learner import Learner
    from tablebase.play.learning.self_play import Measure

OTHER_FILE = "choose another file for --output"


@checked
def train(
    game: GameName,
    *,
    output: Annotated[str | Path, Shell(metavar="FILE", output=Output.FILE)],
    games: Annotated[int, Shell(metavar="N", least=1)] = 20_000,
    duration: Annotated[str | timedelta | float | None, Shell(metavar="TIME", option="--for", parse=parse_duration)] = None,
    every: Annotated[int, Shell(metavar="N", least=1)] = 1_000,
    order: Annotated[int | None, Shell(metavar="N")] = None,
    rate: Annotated[float | None, Shell(metavar="P")] = None,
    exploration: Annotated[float | None, Shell(metavar="P")] = None,
    trace: Annotated[float | None, Shell(metavar="P")] = None,
    seed: Annotated[int | None, Shell(metavar="N", least=0)] = None,
    curve: Annotated[str | Path | None, Shell(metavar="FILE", output=Output.FILE)] = None,
    size: Size = None,
    variant: Variant = None,
    data: Data = None,
) -> list[dict[str, Any]]:
    """Train a player by self-play and evaluate how well it plays.

    Parameters
    ----------
    game : str or Game
        Game to learn; only games with pieces on squares are supported.
    output : str or Path
        File for the trained player; if the file exists, training resumes from it.
    games : int
        Total number of training games, including games from earlier runs.
    duration : str, timedelta or float, optional
        Stop after this duration, such as 8h or 90min.
    every : int
        Number of games between evaluations; the player is also saved after each evaluation.
    order : int, optional
        Maximum number of pieces in a pattern (some pieces on certain squares), from 1 to 5 (by default, 4). The player learns a
        weight for each pattern.
    rate : float, optional
        Learning rate, the fraction of the prediction error that each update corrects; by default, 0.5.
    exploration : float, optional
        Probability of a random move in training; by default, 0.1.
    trace : float, optional
        Parameter lambda of TD(lambda) learning, from 0 to 1; by default, 0.5.
    seed : int, optional
        Seed for the random number generator (by default, 1); the same seed gives the same player.
    curve : str or Path, optional
        Also draw the learning curve, as a PNG, SVG or PDF file.
    size, variant, data : see `tablebase.build`

    Returns
    -------
    list of dict
        A row for each evaluation, with the fields of `tablebase.play.learning.self_play.Measure`; empty if tables are missing.
    """
    rules = rules_for("train", game, size, variant)
    path, picture = Path(output), as_optional(as_path, "curve", curve)
    if picture is not None:
        lib.picture_files.check_picture(picture, lib.picture_files.OTHER_CURVE)
    given = {"order": order, "rate": rate, "exploration": exploration, "trace": trace, "seed": seed}
    folder = as_folder(data)
    lib.folder.check_folder(folder)
    seconds = as_optional(as_duration, "duration", duration)
    end = None if seconds is None else clock.monotonic() + seconds
    lib.outputs.check_output(path, OTHER_FILE)
    busy = f"another 'train' command is writing to {path}: wait until that command ends, or {OTHER_FILE}"
    with lib.outputs.locked(lib.outputs.lock_of(path), busy), closing(lib.prober.Prober(folder)) as prober:
        learner = _begun(rules, path, {name: value for name, value in given.items() if value is not None})
        if games <= learner.games:
            raise TablebaseError(f"the learner in {path} has played {learner.games:,} games: set --games to a larger total")
        source = None
        try:
            lib.plan.check_tables(rules, learner.start, folder)
            source = prober.of(rules)
        except MissingTableError as error:
            if picture is not None:
                raise
            say(f"cannot compare the learner with tables: {error}")
        _train(learner, path, source, games, every, end)
    say(f"wrote {path}: a learner trained on {learner.games:,} games in {learner.seconds:,.0f} seconds")
    if picture is not None:
        _draw(rules, learner.curve, picture)
    return [asdict(one) for one in learner.curve]


def show_train(call: Call) -> None:
    """With only --output, this command plays 20,000 training games. After every 1,000 games, the player is saved, and its play is
    compared with the tables in the folder 'data'. If tables are missing, the comparison is skipped.
    """
    call.write(call(), [one.name for one in fields(lib.self_play.Measure)])


def _begun(rules: Any, path: Path, given: dict[str, Any]) -> Learner:
    training = lib.self_play.Training(**given)
    learner = lib.learner.Learner(rules, rules.initial, training)
    if not path.exists():
        return learner
    learner.load(path)
    for name, used in asdict(learner.training).items():
        if given.get(name, used) != used:
            raise TablebaseError(f"the learner in {path} was trained with --{name} {used:g}: leave out --{name}, or {OTHER_FILE}")
    return learner


def _train(learner: Learner, path: Path, source: Any, total: int, every: int, end: float | None) -> None:
    with lib.progress.progress(f"train {learner.values.game.name}", "games", total, learner.games) as shown:
        _measure(learner, source)
        begun = clock.monotonic()
        for number in lib.self_play.train(learner.values, learner.start, learner.training, range(learner.games, total)):
            shown.update()
            late = end is not None and clock.monotonic() >= end
            if late or number + 1 == total or (number + 1) % every == 0:
                learner.games, learner.seconds = number + 1, learner.seconds + clock.monotonic() - begun
                _measure(learner, source)
                learner.save(path)
                begun = clock.monotonic()
            if late:
                break


def _measure(learner: Learner, source: Any) -> None:
    """Add a point to the curve, if there is none yet of so many games."""
    if source is not None and (not learner.curve or learner.curve[-1].games < learner.games):
        learner.curve.append(lib.self_play.measure(learner.values, learner.start, source, learner.games, learner.seconds))


def _draw(game: Any, curve: Sequence[Measure], path: Path) -> None:
    known, games = [one for one in curve if one.kept_in_choices is not None], [one.games for one in curve]
    curves = {
        "outcome kept": (games, [one.kept for one in curve]),
        "outcome kept where a move can lose it": ([one.games for one in known], [one.kept_in_choices or 0.0 for one in known]),
        "mean error of the expected result, 0 to 2": (games, [one.error for one in curve]),
    }
    caption = f"{lib.tallies.title_of(game, sized=True)}: self-play positions, evaluated with the tables"
    labels = "games played", "share of moves; error"
    drawn = lib.drawing.draw_curves("Learning curve", caption, labels, curves, percent=False)
    lib.drawing.save(drawn, path, lib.picture_files.OTHER_CURVE)
    say(f"wrote {path}: the learning curve")
