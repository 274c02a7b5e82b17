"""What functions return to users, as Python and notebooks show it."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import tablebase
import tablebase.testing
from tablebase import svg
from tablebase.commands.arguments import shortened
from tablebase.commands.tablebase import Tablebase

MOST = 400
START, GAME = "ppp/3/PPP w", "hexapawn"
OTHERS = {"serve", "close", "probe_squares"}
"""Calls that return nothing, or arrays of NumPy."""
COLUMNS = "material, pieces, side, outcome, distance, p1, p1_square, p1_file, p1_rank, p2, p2_square, p2_file, p2_rank, best"

CALLS: dict[str, Callable[[Tablebase, Path], Any]] = {
    "analyse": lambda tables, _: list(tablebase.analyse("hexapawn", depth=6, data=tables.folder)),
    "batch": lambda _, folder: tablebase.batch(written(folder / "batch.toml", '[[build]]\ngame = "hexapawn"\n'), data=folder / "b"),
    "boxes": lambda *_: tablebase.boxes(GAME),
    "build": lambda _, folder: tablebase.build(GAME, data=folder / "built"),
    "check_rules": lambda *_: tablebase.check_rules(GAME),
    "copy": lambda tables, folder: tablebase.copy(GAME, data=tables.folder, to=folder / "copy"),
    "count": lambda *_: tablebase.count(GAME),
    "estimate": lambda *_: tablebase.estimate("doushouqi", pieces=range(2, 6)),
    "exploit": lambda *_: tablebase.exploit("foxhounds", size="4x4", divide=True),
    "games": lambda *_: tablebase.games(),
    "load": lambda *_: tablebase.load("doushouqi"),
    "match": lambda *_: tablebase.match(GAME, player=["random", "random"], games=2),
    "match_stats": lambda _, folder: tablebase.match_stats(played(folder / "games.jsonl"), by="square"),
    "merge": lambda tables, folder: tablebase.merge(tables.folder, data=folder / "merged"),
    "open": lambda tables, _: tablebase.open(tables.folder),
    "pack": lambda tables, folder: tablebase.pack(GAME, data=tables.folder, to=folder / "packed"),
    "perft": lambda *_: tablebase.perft("doushouqi", depth=1, divide=True),
    "prove": lambda *_: tablebase.prove("hexapawn", size="4x4"),
    "prune": lambda _, folder: tablebase.prune(data=folder / "built"),
    "reindex": lambda _, folder: tablebase.reindex(data=folder / "built"),
    "train": lambda _, folder: tablebase.train("foxhounds-4x4", output=folder / "trained", games=40, every=2),
    "unpack": lambda _, folder: tablebase.unpack(folder / "packed", folder / "unpacked"),
    "verify": lambda tables, _: tablebase.verify(GAME, data=tables.folder),
    "dataset": lambda tables, _: tables.dataset(GAME, pieces=4),
    "describe": lambda tables, _: tables.describe(GAME),
    "engine": lambda tables, _: tables.engine(GAME),
    "export": lambda tables, folder: tables.export(GAME, folder / "rows"),
    "features": lambda tables, _: tables.features("doushouqi"),
    "get": lambda tables, _: tables.get(GAME, START),
    "get_value": lambda tables, _: tables.get_value(GAME, START),
    "get_values": lambda tables, _: tables.get_values(GAME, [START] * 20),
    "line": lambda tables, _: tables.line(GAME),
    "Line.explained": lambda tables, _: tables.line(GAME).explained,
    "materials": lambda tables, _: tables.materials(GAME),
    "mine": lambda tables, _: tables.mine(GAME, f"SELECT {COLUMNS}, {COLUMNS}, {COLUMNS} FROM positions"),
    "patterns": lambda tables, _: tables.patterns(GAME, pieces=4),
    "plot": lambda tables, _: tables.plot("distances", GAME),
    "probe": lambda tables, _: tables.probe(GAME, START),
    "probe_many": lambda tables, _: tables.probe_many(GAME, [START, "none"] * 20),
    "probe_value": lambda tables, _: tables.probe_value(GAME, START),
    "probe_values": lambda tables, _: tables.probe_values(GAME, [START] * 20),
    "sql": lambda tables, _: tables.sql("SELECT *, game AS a_long_name_of_a_column, game AS another_long_name FROM tables"),
    "stats": lambda tables, _: tables.stats(GAME, by="material"),
    "svg.board": lambda *_: svg.board(GAME, START),
    "svg.sheet": lambda *_: svg.sheet([svg.board(GAME, START)] * 30, title="x" * 100),
}
"""A call of each function and method for users, with a result that is as long as a small game allows."""


def written(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def played(path: Path) -> Path:
    tablebase.match(GAME, player=["random", "random"], games=4, output=path)
    return path


def parts(found: Any) -> Iterator[Any]:
    yield found
    if isinstance(found, list | tuple):
        yield from (one for one in found if type(one).__module__.startswith("tablebase"))


def test_every_call_is_tried() -> None:
    functions = {name for name in tablebase.__all__ if name.islower()}
    methods = {name for name in dir(Tablebase) if not name.startswith("_") and callable(getattr(Tablebase, name))}
    assert functions | methods == OTHERS | {name for name in CALLS if "." not in name}


def test_a_name_that_is_not_there() -> None:
    """Of modules whose names are loaded only when they are used."""
    with pytest.raises(AttributeError, match="module 'tablebase' has no attribute 'nothing'"):
        tablebase.nothing  # noqa: B018
    assert not hasattr(tablebase.testing, "nothing")


def test_a_short_repr_is_the_beginning() -> None:
    """What fits is whole; otherwise it ends with the number of parts, if there are any."""
    assert repr(shortened([1, "a"])) == "[1, 'a']"
    assert type(shortened({1, 2})) is set
    for whole, ending in (([*range(500)], "… (500 in all)"), (dict.fromkeys(range(500)), "…"), ((1,) * 500, "… (500 in all)")):
        short = repr(shortened(whole))
        assert len(short) == MOST
        assert short.endswith(ending)
        assert repr(whole).startswith(short.removesuffix(ending))
        assert shortened(whole) == whole


@pytest.mark.full
def test_every_result_fits_on_a_screen(hexapawns: Path, tmp_path: Path) -> None:
    with tablebase.open(hexapawns) as tables:
        results = {name: [*parts(call(tables, tmp_path))] for name, call in CALLS.items()}
        assert {name: one for name, found in results.items() for one in found if len(repr(one)) > MOST} == {}
