"""Games by functions without chance on the command line: every command that takes them, and faults of their authors."""

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from support.catalogs import rows
from support.functions import Misere, Rows
from support.program import Ask, assert_refused, flip
from twins import exact as twin

import tablebase
from tablebase.building import exact_kind
from tablebase.errors import CorruptTableError, NotationError, RulesError, TablebaseError
from tablebase.game import guards
from tablebase.game.installed import load_rules
from tablebase.game.rules import OVER
from tablebase.probe.answers import Unanswered
from tablebase.system.compute import machine

pytestmark = pytest.mark.usefixtures("small_games")
FILE = "rows/exact/all.h5"


@pytest.fixture(name="data")
def built(tmp_path: Path, ask: Ask) -> Path:
    for name in ("rows", "misere"):
        assert ask("build", name, "--data", tmp_path / "data").code == 0
    return tmp_path / "data"


def test_stats_are_counts_of_all_positions(ask: Ask, data: Path) -> None:
    [row] = ask("stats", "misere", "--data", data, "--format", "json").json
    values = twin.values(load_rules("misere"))  # type: ignore[arg-type]
    game = Misere(7)
    going_on = {position: value for position, value in values.items() if position[0]}
    assert row["positions"] == len(values)
    assert row["final"] == len(values) - len(going_on)
    assert row["wins"] == sum(winner == game.to_move(position) for position, (winner, _) in going_on.items())
    assert row["losses"] == len(going_on) - row["wins"]
    assert max(row["longest_win"], row["longest_loss"]) == max(plies for _, plies in values.values() if plies is not None)
    assert rows(data, "SELECT positions FROM exact WHERE game = 'rows'") == [{"positions": 765}]


def test_lines_with_moves_in_a_row(ask: Ask, data: Path) -> None:
    """Every row is the value for whom it names; after the last move, for the first player."""
    found = ask("line", "misere", "--data", data, "--format", "json").json
    values = twin.values(Misere(7))
    for row in found:
        stones, player = int(row["position"][0]), int(row["position"][2]) - 1
        winner, plies = values[stones, player]
        assert row["distance"] == plies
        assert row["outcome"] == ("win" if winner == (player if stones else 0) else "loss")
        assert row["side"] == (str(player + 1) if stones else "")
    assert [row["distance"] for row in found] == list(range(found[0]["distance"], -1, -1))
    assert any(one["side"] == other["side"] for one, other in pairwise(found))


def test_drawn_line_to_the_end(ask: Ask, data: Path) -> None:
    found = ask("line", "rows", "--data", data, "--format", "json").json
    assert len(found) == 10
    assert {row["outcome"] for row in found} == {"draw"}
    shown = ask("probe", "rows", found[-1]["position"], "--data", data).out
    assert "the game is over: it is a draw" in shown


def test_probe_in_python(data: Path) -> None:
    with tablebase.open(data) as tables:
        answers = tables.probe_many("rows", [".........", "xx.......", "x...o....", "ooo......"])
        assert [getattr(one, "outcome", None) for one in answers] == ["draw", None, "draw", None]
        unknown = tables.probe_many("misere", ["9/1"])[0]
    assert "cannot be reached in games of misere" in str(unknown.error)  # type: ignore[union-attr]


def test_tables_play_perfectly(ask: Ask, data: Path, tmp_path: Path) -> None:
    record = tmp_path / "games.txt"
    options = ["--games", "20", "--seed", "3", "--opening", "0", "--data", data, "--output", record]
    won, lost = ask("match", "rows", "--player", "tables", "--player", "random", *options, "--format", "json").json
    assert (won["player"], won["losses"], lost["player"]) == ("tables", 0, "random")
    assert won["wins"] > 10
    assert ask("match-stats", record).code == 0


def test_play_at_the_terminal(typed: Ask, data: Path) -> None:
    answer = typed(["b1", "b3", "a2"], "play", "rows", "--side", "1", "--player", "tables", "--seed", "1", "--data", data)
    assert answer.code == 0, answer.err
    assert "won by player 2 in 6 plies" in answer.out


def test_a_game_too_large_leaves_nothing(ask: Ask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the memory that `estimate` names it can be built, whether the machine has it or the user allows it."""
    [line] = ask("estimate", "rows", "--format", "json").json
    assert line["positions"] == 765
    folder = tmp_path / "new"
    monkeypatch.setattr(machine, "memory", lambda: line["memory"] - 1)
    for command in (["build", "rows", "--data", folder], ["estimate", "rows"]):
        assert_refused(ask(*command), 3, "the table of rows needs more than the", "choose a smaller variant")
    assert not folder.exists()
    monkeypatch.setattr(machine, "memory", lambda: line["memory"])
    for command in (["estimate", "rows"], ["build", "rows", "--data", tmp_path / "other"]):
        sentence = f"needs more than the available {line['memory'] - 1:,} bytes", "or a larger --memory"
        assert_refused(ask(*command, "--memory", line["memory"] - 1), 3, *sentence)
        assert ask(*command, "--memory", line["memory"]).code == 0
    assert ask("build", "rows", "--data", folder).code == 0
    assert (folder / FILE).stat().st_size <= line["disk"]


def test_out_of_memory_names_a_smaller_variant(ask: Ask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(exact_kind, "list_positions", full)
    for command in (["build", "rows", "--data", tmp_path / "new"], ["estimate", "rows"]):
        assert_refused(ask(*command), 3, "the table of rows does not fit into memory: choose a smaller variant")


def test_an_estimate_says_what_it_does_and_ends(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    assert ask("estimate", "rows").err == "listing all positions of rows for up to 1 min\n"
    monkeypatch.setattr(exact_kind, "PATIENCE", 0.0)
    assert_refused(ask("estimate", "rows"), 3, "rows has more than 1 positions", "build the table with --for 1h")


def test_solvers_that_there_are(ask: Ask, tmp_path: Path) -> None:
    folder, batch = tmp_path / "new", tmp_path / "batch.toml"
    for name in ("nonsense", "planes"):
        said = f"unknown solver '{name}' for rows: choose auto or exact"
        assert_refused(ask("build", "rows", "--solver", name, "--data", folder), 2, said)
        with pytest.raises(TablebaseError, match=said):
            tablebase.build("rows", solver=name, data=folder)
        batch.write_text(f'[[build]]\ngame = "rows"\nsolver = "{name}"\n')
        assert_refused(ask("batch", batch, "--data", folder), 2, said)
        assert_refused(ask("build", "pig", "--solver", name, "--data", folder), 2, "choose auto or bounds")
    assert not folder.exists()
    assert ask("build", "rows", "--solver", "exact", "--data", folder).code == 0


def test_workers_that_cannot_help(ask: Ask, tmp_path: Path) -> None:
    said = "using 1 worker instead of 2, because one process builds and checks the table of rows"
    for command in (["build", "rows", "--data", tmp_path], ["verify", "rows", "--data", tmp_path], ["estimate", "rows"]):
        answer = ask(*command, "--workers", 2)
        assert (answer.code, said in answer.err.splitlines()) == (0, True)
        assert said not in ask(*command, "--workers", 1).err


def test_a_wrong_solver_is_not_believed(ask: Ask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    right = exact_kind.solve

    def wrong(listed: object) -> object:
        codes, coding = right(listed)  # type: ignore[arg-type]
        codes[100] = codes[100] + 2
        return codes, coding

    monkeypatch.setattr(exact_kind, "solve", wrong)
    answer = ask("build", "rows", "--data", tmp_path)
    assert_refused(answer, 1, "contains an error")
    assert not list(tmp_path.rglob("*.h5*"))


def test_moves_in_words(ask: Ask, tmp_path: Path) -> None:
    ask("build", "kalah-pits=2-seeds=1", "--data", tmp_path)
    words = ["probe", "kalah-pits=2-seeds=1", "1,1,0 1,1,0 s", "--data", tmp_path]
    shown = ask(*words).out
    assert "move   meaning" in shown
    assert "1      sows 1 from pit 1" in shown
    assert "meaning" not in ask(*words, "--format", "json").out


def test_positions_of_an_author(data: Path) -> None:
    """From Python a position may be a value of the author's, but nothing else, and no value that is not a position."""
    with tablebase.open(data) as tables:
        assert tables.probe("misere", (7, 0)).value == tables.probe("misere", "7/1").value
        for wrong in ([7, 0], 7, (7, "0"), (7, 0, 0)):
            with pytest.raises(NotationError, match=r"invalid misere position of type .*: expected a string such as '7/1'"):
                tables.probe("misere", wrong)


@pytest.mark.full
def test_a_damaged_chunk_is_named(data: Path) -> None:
    """By whoever reads it, though the seal was not looked at."""
    path = data / FILE
    flip(path, path.stat().st_size - 700)
    with tablebase.open(data) as tables:
        answers = tables.probe_many("rows", list(twin.values(Rows())))
        errors = {type(one.error) for one in answers if isinstance(one, Unanswered)}
    assert errors == {CorruptTableError}


def test_hints(typed: Ask, data: Path) -> None:
    words = ["play", "rows", "--side", "1", "--player", "random", "--seed", "1", "--from", "xo.......", "--data"]
    assert "player 1 to move: win in 5 plies, best move" in typed(["hint", "quit"], *words, data).out
    assert "no hint: no table of rows is in the catalog of" in typed(["hint", "quit"], *words, data.parent / "none").out
    # Positions that are tuples.
    words = ["play", "misere", "--side", "1", "--player", "random", "--seed", "1", "--data"]
    assert ", best move " in typed(["hint", "quit"], *words, data).out


def test_a_error_of_the_rules_is_a_sentence(ask: Ask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert ask("build", "rows", "--data", tmp_path / "data").code == 0

    def failing(*_: object) -> object:
        raise ValueError("no idea")

    monkeypatch.setattr(Rows, "result", guards.guarded("result", failing))
    playing = ["match", "rows", "--player", "random", "--player", "random", "--games", "2"]
    asking = ["probe", "rows", ".........", "--data", tmp_path / "data"]
    for command in (asking, ["build", "rows", "--data", tmp_path / "new"], ["count", "rows"], ["perft", "rows"], playing):
        assert_refused(ask(*command), 2, "(.........) of rows fails (ValueError: no idea): run 'tablebase check-rules rows'")
    assert_refused(ask("verify", "rows", "--data", tmp_path / "data"), 1, "of rows fails (ValueError: no idea)")
    checked = ask("check-rules", "rows", "--format", "json")
    assert checked.code == 1
    assert {row["result"] for row in checked.json} == {"ok", "result(.........) of rows fails (ValueError: no idea)"}


VAGUE: dict[str, dict[str, Callable[..., Any]]] = {
    "list": {"moves": lambda game, position: list(Rows.moves(game, position))},
    "stuck": {"moves": lambda *_: {}},
    "silent": {
        "result": lambda *_: None,
        "to_move": lambda game, position: OVER if Rows.result(game, position) else position.count("x") - position.count("o"),
    },
    "three": {"result": lambda game, position: (ending := Rows.result(game, position)) and ending._replace(places=(2, 1, 0))},
    "letter": {"to_move": lambda *_: "x"},
    "third": {"to_move": lambda *_: 2},
    "after": {"to_move": lambda game, position: max(Rows.to_move(game, position), 0)},
    "lumped": {"canonical": lambda game, position: "xo./.../..." if position.count(".") == 7 else Rows.canonical(game, position)},
}
"""Functions that return what they must not, or do not agree with others."""


@pytest.mark.parametrize(
    ("error", "command", "said"),
    [
        ("list", "build", "moves(.........) of rows returns ['a1', 'b1', "),
        ("list", "match", "moves(.........) of rows returns ['a1', 'b1', "),
        ("stuck", "build", "in ........., result is None, but no player has a move"),
        ("stuck", "match", "in ........., the game is not over, but no player has a move"),
        ("silent", "build", "to_move is OVER, but result is None"),
        ("silent", "match", "to_move is OVER, but result is None"),
        ("three", "build", "the places of the two players are (2, 1, 0), but must be one of ((1, 2), (2, 1), (1, 1))"),
        ("letter", "build", "to_move(.........) of rows returns 'x', but must return int"),
        ("letter", "match", "to_move(.........) of rows returns 'x', but must return int"),
        ("third", "build", "in ........., to_move is 2, but players have the numbers 0 and 1"),
        ("third", "match", "in ........., to_move is 2, but there are 2 players"),
        ("after", "build", "result is 'row', but to_move is "),
        ("lumped", "build", "the new table of rows contains an error ("),
    ],
)
def test_functions_that_do_not_agree(
    error: str, command: str, said: str, ask: Ask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("support.functions.rows", lambda: type("Vague", (Rows,), VAGUE[error])())
    load_rules.cache_clear()
    words = ["--player", "random", "--player", "random", "--games", "2"] if command == "match" else []
    answer = ask(command, "rows", *words, "--data", tmp_path if command == "build" else tmp_path.parent)
    assert_refused(answer, 1 if error == "lumped" else 2, said, "run 'tablebase check-rules rows'")
    assert not list(tmp_path.rglob("*.h5*"))


@pytest.mark.parametrize(
    ("part", "value", "said"),
    [
        ("start", None, "the class Partial has no attribute 'start': set 'start' to a value that can be hashed"),
        ("start", [1], "'start' of the class Partial must be a value that can be hashed"),
        ("title", 7, "'title' of the class Partial must be a string, not 7"),
        ("options", 7, "'options' of the class Partial must be a dict, not 7"),
        ("sides", ("Black", "White"), "'sides' of the class Partial must be 2 objects of the class Side, not ('Black',"),
    ],
)
def test_parts_that_are_missing(part: str, value: object, said: str) -> None:
    class Partial(Misere):
        def __init__(self) -> None:
            super().__init__(3)
            vars(self).pop(part, None)
            if value is not None:
                setattr(self, part, value)

    with pytest.raises(RulesError) as error:
        Partial().check_parts()
    assert str(error.value).startswith(said)
