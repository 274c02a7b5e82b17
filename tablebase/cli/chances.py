"""What the commands do for games of chance or of several players: build, estimate, probe, line, stats, verify."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from tablebase.cli.options import CHECK_FAILED, Format, Where
from tablebase.errors import RulesError, TablebaseError, did_you_mean, quoted

if TYPE_CHECKING:
    from tablebase.cli.terms import Terms
    from tablebase.game.stochastic import StochasticGame
    from tablebase.stochastic.prober import Bounds, DrawAnswer, StateAnswer


def limits_from(game: StochasticGame, words: list[str]) -> dict[str, int | str]:
    """The limits of a table's region, from further options such as ``--carrots 60``.

    Raises
    ------
    TablebaseError
        If an option is none of the game's limits, or has no value.
    """
    limits: dict[str, int | str] = {}
    pending = [part for word in words for part in (word.split("=", 1) if word.startswith("--") else [word])]
    while pending:
        option = pending.pop(0)
        name = option.removeprefix("--")
        if not option.startswith("--") or name not in game.limits:
            known = ", ".join(f"--{limit}" for limit in game.limits) or "none"
            meant = did_you_mean(option, [f"--{limit}" for limit in game.limits])
            raise TablebaseError(f"{quoted(option)} is not an option for tables of {game.name}{meant}; they have: {known}")
        if not pending:
            raise TablebaseError(f"the option {option} needs a value, such as {option} {game.limits[name]}")
        text = pending.pop(0)
        if isinstance(game.limits[name], int) and not (text.isascii() and text.isdigit() and len(text) < 10):
            raise TablebaseError(f"{name} of {game.name} must be a whole number, not {quoted(text)}")
        limits[name] = int(text) if isinstance(game.limits[name], int) else text
    return limits


def refuse_cluster(game: StochasticGame, where: Where) -> None:
    """Refuse workers elsewhere, which do not share the memory that the layers of a game are in."""
    if where is not Where.LOCAL:
        raise TablebaseError(f"tables of {game.name} are built by threads of one process: leave out the executor {where}")


def refuse_more(context: typer.Context) -> None:
    """Refuse further options, for games that have no limits."""
    if context.args:
        word = context.args[0]
        meant = did_you_mean(word, [option for one in context.command.params for option in one.opts])
        raise TablebaseError(f"there is no option {quoted(word)}{meant}: 'tablebase {context.info_name} --help' lists them")


def build(game: StochasticGame, limits: dict[str, int | str], terms: Terms, *, summarized: bool = False) -> int:
    """Solve, verify and store the layers that are missing; return how many are left at the deadline."""
    from tablebase.build.layers import build_layers, missing_layers
    from tablebase.cli.build_layers import LayerReport
    from tablebase.cli.log import say_summary
    from tablebase.cli.output import say
    from tablebase.cli.progress import progress
    from tablebase.compute.stages import watched
    from tablebase.executors.scheduler import Deadline
    from tablebase.stochastic.compiled import compiled

    region = compiled(game).region(limits)
    missing = missing_layers(game, region, terms.data, terms.catalog)
    if not missing:
        say(f"nothing to do: all {len(region.layers)} tables are in {terms.data}, built and verified")
        return 0
    total = region.size // region.block
    with progress(f"build {game.name}", "blocks", total, verbose=terms.verbose, compiles=True) as shown:
        report = LayerReport(game, region, missing, terms, shown)
        deadline = None if terms.end is None else Deadline(terms.end, report.seconds, terms.grace)
        with watched(lambda stage: shown.at(region.name, stage)):
            build_layers(
                game, region, terms.data, terms.limits.workers, report.reach, report.finish, deadline, catalog=terms.catalog
            )
    ended = report.ended()
    say(f"built and verified in {terms.data}: {ended.done} of {len(region.layers)} tables, {ended.placements:,} states")
    if summarized:
        say_summary(ended)
    return ended.left


def estimate(game: StochasticGame, limits: dict[str, int | str], style: Format) -> None:
    """Predict what the layers of a region need."""
    from dataclasses import asdict

    from tablebase.build.layers import estimate as estimate_layers
    from tablebase.cli.output import in_bytes, in_time, write_rows
    from tablebase.compute import machine
    from tablebase.stochastic.compiled import compiled

    lines = [asdict(line) for line in estimate_layers(compiled(game).region(limits))]
    if style is Format.TABLE:
        units = {"memory": in_bytes, "disk": in_bytes, "cpu_seconds": in_time}
        lines = [{name: units[name](value) if name in units else value for name, value in line.items()} for line in lines]
    write_rows(lines, style, list(lines[0]))
    if style is Format.TABLE:
        sys.stdout.write(f"\ndisk is an upper bound\nthere is: {in_bytes(machine.memory())} of memory\n")


def probe(game: StochasticGame, texts: list[str], data: Path, style: Format, turns: int | None) -> None:
    """Show the bounds of states and of their moves."""
    from tablebase.api.chances import probe_states
    from tablebase.cli.output import write_json, write_rows

    found = probe_states(data, game, texts, turns)
    rows = [row for _, row in found]
    if style is Format.JSON:
        write_json(rows)
    elif style is Format.CSV:
        write_rows(rows, style, ["game", "position", "side", "outcome", "distance", "lower", "upper", "best"])
    else:
        for answer, row in found:
            _write_answer(answer, row.get("within"))


def _write_answer(answer: StateAnswer, within: dict[str, Any] | None) -> None:
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
    return {"move": "", "meaning": f"{draw.probability} {draw.label}", **interval(draw.bounds), "position": draw.position}


def interval(bounds: Bounds) -> dict[str, str]:
    """The bounds as text: 0 and 1 only where they are exact."""
    return {"lower": number(bounds.lower), "upper": number(bounds.upper)}


def number(chance: float) -> str:
    """A chance with six digits; one that is nearly 0 or 1 does not look like it."""
    if chance in (0, 1):
        return str(int(chance))
    text = f"{chance:.6f}"
    return {"0.000000": "<0.000001", "1.000000": ">0.999999"}.get(text, text)


def verdict(answer: StateAnswer) -> str:
    """What is known, as a sentence."""
    if not answer.side:
        places = ", ".join(map(str, answer.game.places(answer.game.parse(answer.position))))
        return f"the game is over; places of the players: {places}"
    who = "a draw is next; player 1" if answer.side == "chance" else f"player {answer.side} to move"
    if answer.bounds.outcome is not None:
        return f"{who}: {answer.bounds.outcome}" + (f", best move {answer.best}" if answer.best else "")
    chances = interval(answer.bounds)
    best = f", best move {answer.best}" if answer.best else ""
    if answer.bounds.upper - answer.bounds.lower < 1e-9:
        return f"{who}: wins with a chance of {chances['lower']}{best}"
    return f"{who}: wins with a chance of at least {chances['lower']} and at most {chances['upper']}{best}"


def line(game: StochasticGame, text: str, data: Path, plies: int | None, style: Format) -> None:
    """Show the likeliest line: the best moves and the likeliest draws."""
    from tablebase.api.chances import line_rows, line_states
    from tablebase.cli.output import write_rows

    if style is Format.TABLE:
        rows: list[dict[str, Any]] = [
            {"ply": ply, "side": answer.side, **interval(answer.bounds), "best": best, "position": answer.position}
            for ply, (answer, best) in enumerate(line_states(data, game, text, plies))
        ]
    else:
        rows = line_rows(data, game, text, plies)
    columns = ["ply", "side", "lower", "upper", "best", "position"]
    write_rows(rows, style, columns if style is Format.TABLE else [*columns[:2], "outcome", "distance", *columns[2:]])


def stats(game: StochasticGame, data: Path, style: Format, catalog: str | None) -> None:
    """Count states by how well their chances are known."""
    from contextlib import closing

    from tablebase.api.chances import layer_rows
    from tablebase.catalog.catalog import Catalog
    from tablebase.cli.output import write_rows

    with closing(Catalog(data, catalog=catalog)) as opened:
        write_rows(layer_rows(opened, game), style)


def verify(game: StochasticGame, data: Path, threads: int, verbose: bool, catalog: str | None) -> None:
    """Check every byte and every state of the tables."""
    from tablebase.build.layers import verify_layers
    from tablebase.cli.output import say
    from tablebase.cli.progress import progress

    failed = 0
    found = verify_layers(game, data, threads, catalog)
    with progress(f"verify {game.name}", "tables", len(found), verbose=verbose) as shown:
        for name, fault in found:
            shown.update()
            failed += fault is not None
            shown.write(f"error: {fault}") if fault else shown.note(f"{name}: correct")
    say(f"correct tables: {len(found) - failed} of {len(found)}")
    if failed:
        raise typer.Exit(CHECK_FAILED)


def refuse_given(game: StochasticGame, **options: object) -> None:
    """Refuse options that mean nothing for games without pieces."""
    for name, value in options.items():
        if value is not None:
            raise RulesError(f"{game.name} has no pieces on squares: leave out --{name.replace('_', '-')}")
