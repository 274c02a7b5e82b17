"""Every public method of an open tablebase: wrong arguments, and all that is asked after it has been closed, are one sentence."""

import inspect
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.program import Ask

import tablebase
from tablebase.commands.tablebase import Tablebase
from tablebase.errors import ArgumentError, ArgumentTypeError, TablebaseError
from tablebase_rules.doushouqi import game as doushouqi

GAME = "doushouqi"
KNOWN = "7/7/7/7/3c3/7/7/R6/7 w"
SQUARES = np.array([[0, 44]], dtype=np.int8)
PIG = "pig-die=2-target=3"
STRANGE = (None, 5, -1, 1.5, True, b"x", "x", "", [], {}, object())
"""Values of which each argument takes a few at most."""
ANYTHING = {"default", "options", "tick", "strict", "check", "aliases"}
"""Arguments that may be anything, that count as true or false, or that callers name."""


def good(folder: Path) -> dict[str, dict[str, Any]]:
    """Arguments with which each public method answers, and quickly."""
    position, every = {"game": GAME, "position": KNOWN}, {"game": GAME, "positions": [KNOWN]}
    return {
        **dict.fromkeys(("probe_value", "get_value", "probe", "get", "line"), position),
        **dict.fromkeys(("probe_values", "get_values", "probe_many"), every),
        "probe_squares": {"game": GAME, "material": "RvC", "side": 0, "squares": SQUARES},
        "engine": {"game": GAME},
        "mine": {"game": GAME, "statement": "SELECT 1"},
        "features": {"game": GAME},
        "export": {"game": GAME, "to": folder / "parquet", "material": ["RvE"]},
        "plot": {"chart": "draws", "game": GAME},
        "patterns": {"game": GAME, "material": ["RvE"], "depth": 1, "conditions": 1},
        "sql": {"statement": "SELECT 1"},
        "stats": {"game": GAME},
        "materials": {"game": GAME},
        "describe": {"game": GAME, "material": "RvC"},
    }


def one_sentence(error: TablebaseError) -> bool:
    """Whether an error is a sentence in a line, without Python's own words."""
    return bool(str(error)) and "\n" not in str(error) and "object has no attribute" not in str(error)


def test_all_public_methods_are_here(tmp_path: Path) -> None:
    """So that a new one has to be added."""
    public = {name for name, _ in inspect.getmembers(Tablebase, inspect.isfunction) if not name.startswith("_")}
    assert public == {*good(tmp_path), "close"}


@pytest.mark.parametrize(
    "method", [pytest.param(name, marks=pytest.mark.full) if name == "patterns" else name for name in sorted(good(Path()))]
)
def test_strange_arguments_are_refused_in_a_sentence(
    method: str, tables: Tablebase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each argument in turn has another type or is out of range; every error is a `TablebaseError`.

    It is also a `ValueError`, `TypeError` or `KeyError`, unless the folder of an export or a file of features cannot be used.
    """
    # Some of the values name a folder that can be written.
    monkeypatch.chdir(tmp_path)
    call, refused = getattr(tables, method), []
    names = inspect.signature(call).parameters.keys() - ANYTHING
    for name in names:
        for value in STRANGE:
            try:
                call(**{**good(tmp_path)[method], name: value})
            except TablebaseError as error:
                refused.append((name, value, error))
    assert [one for one in refused if not one_sentence(one[-1])] == []
    others = [str(error) for *_, error in refused if not isinstance(error, (ValueError, TypeError, KeyError))]
    assert [sentence for sentence in others if not re.search("contains|Python file with features", sentence)] == []
    assert {name for name, *_ in refused} == names
    assert len(refused) > len(names) * len(STRANGE) / 2


def test_unknown_options_are_refused(tables: Tablebase, tmp_path: Path) -> None:
    with pytest.raises(TablebaseError, match="'colour'"):
        tables.engine(**good(tmp_path)["engine"], colour="red")


def test_what_opens_tables(two_pieces: Path) -> None:
    """Folder, catalog and memory; the memory may be a text as on the command line."""
    for arguments in (
        {"folder": 5},
        {"folder": "a\0b"},
        {"folder": two_pieces, "catalog": 5},
        *({"folder": two_pieces, "cache": cache} for cache in (-1, 1.5, "", "many", True, [])),
    ):
        with pytest.raises((ArgumentError, ArgumentTypeError)) as caught:
            tablebase.open(**arguments)
        assert one_sentence(caught.value)
    for cache in (0, 1 << 20, "1M", "0.5 MiB"):
        with tablebase.open(two_pieces, cache=cache) as tables:
            assert tables.probe_value(GAME, KNOWN) == ("loss", 8)


@pytest.mark.parametrize("method", sorted(good(Path())))
def test_closed_tables_answer_nothing(method: str, two_pieces: Path, tmp_path: Path) -> None:
    """Not even where nothing has to be read; the sentence says how to go on."""
    tables = tablebase.open(two_pieces)
    tables.probe(GAME, KNOWN)
    tables.close()
    tables.close()
    with pytest.raises(TablebaseError, match=r"closed.*tablebase\.open"):
        getattr(tables, method)(**good(tmp_path)[method])
    assert str(two_pieces) in repr(tables)


def test_what_closed_tables_have_given_answers_nothing(two_pieces: Path) -> None:
    """A prober and a query, also one that is answered from counts, and one in the middle of its rows."""
    game = doushouqi()
    tables = tablebase.open(two_pieces)
    position = tables.probe(game, KNOWN).asked
    counted = tables.mine(GAME, "SELECT count(*) FROM positions")
    listed = tables.mine(GAME, "SELECT p1 FROM positions")
    tables.close()
    for ask in (lambda: tables.prober.slices(game).look_up(position), counted.fetchall, listed.df, lambda: list(listed)):
        with pytest.raises(TablebaseError, match="closed"):
            ask()


def test_states_of_a_game_of_chance(piglet_tables: Path, ask: Ask) -> None:
    """`probe` answers as the command does, and refuses in the same sentence."""
    with tablebase.open(piglet_tables) as tables:
        (expected,) = ask("probe", PIG, "0,0 1 0", "--format", "json", "--data", piglet_tables).json
        assert tables.probe(PIG, "0,0 1 0").to_dict() == expected
        assert tables.get(PIG, "0,0 1 0").to_dict() == expected
        for name, text in ((PIG, "nowhere"), ("pig-target=30", "0,0 1 0")):
            answer = ask("probe", name, text, "--data", piglet_tables)
            with pytest.raises(TablebaseError) as caught:
                tables.probe(name, text)
            assert answer.errors == [f"error: {caught.value}"]
        assert tables.get("pig-target=30", "0,0 1 0", "nothing") == "nothing"
        with pytest.raises(TablebaseError):
            tables.probe(PIG, 5)
