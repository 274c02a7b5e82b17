"""The command that searches all positions for what decides them: patterns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tablebase.cli.mine import FeatureFile, all_features
from tablebase.cli.options import (
    CORES,
    DEFAULT_DATA,
    Data,
    Distinct,
    Format,
    GameName,
    Named,
    Size,
    Style,
    Threads,
    Variant,
    chosen_game,
)

if TYPE_CHECKING:
    from pathlib import Path

    from tablebase.game import Game
    from tablebase.patterns.search import Patterns, Search
    from tablebase.slices.location import StoredSlice

NAME = ["game", "material", "side", "pieces"]
GAIN = ["features", "number", "gain", "explains", "decides"]
TOLD = ["features", "gain", "explains", "decides"]
WHOLE = ["commonest", "entropy", "positions"]
RULE = ["outcome", "positions", "share", "condition"]
COUNTS = ["positions", "wins", "losses", "draws"]
OBJECT = [*NAME, *COUNTS, "commonest", "entropy", "gains", "rules", "tree"]
LINE = [
    "material",
    "side",
    "positions",
    "commonest",
    "feature",
    "gain",
    "decides",
    "pair",
    "pair_decides",
    "rule",
    "covers",
    "tree_error",
]
NO_TREES = "trees need scikit-learn: install it with pip install 'tablebase[patterns]'"


def patterns(
    game: GameName,
    size: Size = None,
    variant: Variant = None,
    material: Named = None,
    pieces: Distinct = None,
    features: FeatureFile = None,
    top: Annotated[int, typer.Option("--top", metavar="N", min=1, help="Show so many features, and so many pairs.")] = 10,
    depth: Annotated[int, typer.Option("--depth", metavar="N", min=0, max=8, help="Depth of the trees; 0 for none.")] = 3,
    data: Data = DEFAULT_DATA,
    workers: Threads = CORES,
    style: Style = Format.TABLE,
) -> None:
    """Search slices for what decides them: features, exact rules, small trees; all of it goes into the catalog."""
    from contextlib import closing

    from tablebase.cli.output import say
    from tablebase.mining.selection import chosen
    from tablebase.patterns.search import Search
    from tablebase.patterns.trees import available
    from tablebase.tables.store import Store

    rules = chosen_game(game, size, variant)
    own = all_features(rules, features)
    wanted = chosen(rules, data, material or [], pieces)
    if depth and not available():
        say(NO_TREES)
        depth = 0
    with closing(Store(data)) as store:
        searches = [Search(rules, store, {one: values}, own, workers, depth) for one, values in wanted.items()]
        _write(rules, _found(rules, data, searches), len(searches), top, style)


def _found(game: Game, data: Path, searches: Sequence[Search]) -> Iterator[Patterns]:
    """What the searches find, entered into the catalog one by one."""
    from contextlib import closing

    from tqdm import tqdm

    from tablebase.catalog.catalog import Catalog
    from tablebase.patterns.findings import save

    total = sum(one.cells for one in searches)
    with closing(Catalog(data, create=True)) as catalog, tqdm(total=total, unit="pos", unit_scale=True, leave=False) as bar:
        for search in searches:
            bar.set_description(f"patterns {_name(game, search.slice)['material']}", refresh=False)
            search.tick = bar.update
            found = search.run()
            save(catalog, game, found)
            yield found


def _write(game: Game, found: Iterable[Patterns], count: int, top: int, style: Format) -> None:
    from tablebase.cli.output import write_rows
    from tablebase.patterns.findings import gain_rows

    if style is Format.JSON:
        write_rows((_object(game, one, top) for one in found), style, OBJECT)
    elif style is Format.CSV:
        rows = ({**_name(game, one.slice), **row} for one in found for row in gain_rows(one, top, top))
        write_rows(rows, style, [*NAME, *GAIN, *WHOLE])
    elif count == 1:
        for one in found:
            _show(game, one, top)
    else:
        write_rows((_line(game, one) for one in found), style, LINE)


def _name(game: Game, one: StoredSlice) -> dict[str, Any]:
    from tablebase.slices.material import material_name

    letter = game.sides[one.side].letter
    return {"game": game.name, "material": material_name(game, one.material), "side": letter, "pieces": one.material.pieces}


def _counts(found: Patterns) -> dict[str, int]:
    wins, losses, draws = found.outcomes
    return {"positions": found.positions, "wins": wins, "losses": losses, "draws": draws}


def _object(game: Game, found: Patterns, top: int) -> dict[str, Any]:
    """A slice as JSON has it."""
    from tablebase.patterns.findings import gain_rows, rule_rows, tree_rows

    return {
        **_name(game, found.slice),
        **_counts(found),
        "commonest": found.commonest,
        "entropy": found.entropy,
        "gains": [{name: row[name] for name in GAIN} for row in gain_rows(found, top, top)],
        "rules": list(rule_rows(found)),
        "tree": next(tree_rows(found), None),
    }


def _line(game: Game, found: Patterns) -> dict[str, Any]:
    """A slice in one line."""
    from tablebase.patterns.findings import best

    single, pair = (next((one for one in best(found, number, 1) if one.gain), None) for number in (1, 2))
    rule = next(iter(found.rules), None)
    return {
        **{name: value for name, value in _name(game, found.slice).items() if name in LINE},
        "positions": found.positions,
        "commonest": found.commonest,
        "feature": single and single.name,
        "gain": single and single.gain,
        "decides": single and single.decides,
        "pair": pair and pair.name,
        "pair_decides": pair and pair.decides,
        "rule": rule and f"{rule.outcome} where {rule.condition}",
        "covers": rule and rule.positions / found.positions,
        "tree_error": found.tree and found.tree.errors / found.positions,
    }


def _show(game: Game, found: Patterns, top: int) -> None:
    """All of one slice, for people."""
    from tablebase.cli.output import write_table
    from tablebase.patterns.findings import gain_rows, rule_rows

    name, counts = _name(game, found.slice), _counts(found)
    told = ", ".join(f"{number:,} {what}" for what, number in counts.items())
    lines = [f"{name['material']}, {game.sides[found.slice.side].name} to move: {told}"]
    lines += [f"the outcome has {found.entropy:.3f} bits; the commonest is right in {100 * found.commonest:.1f} %", ""]
    _print(lines)
    write_table(list(gain_rows(found, top, top)), TOLD)
    _print([""])
    if found.rules:
        write_table(list(rule_rows(found)), RULE)
    _print([""] if found.rules else ["no rule without exceptions", ""])
    if found.tree is not None:
        wrong = f"wrong in {found.tree.errors:,} positions, {100 * found.tree.errors / found.positions:.2f} %; as SQL:"
        _print([found.tree.text, "", wrong, found.tree.sql])


def _print(lines: Sequence[str]) -> None:
    import sys

    sys.stdout.writelines(f"{line}\n" for line in lines)


COMMANDS = (patterns,)
