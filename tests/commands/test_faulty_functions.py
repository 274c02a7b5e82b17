"""Faults of authors in games by functions: every command says in a sentence which function is wrong, and where."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.functions import Misere, Rows
from support.program import Ask, assert_refused

from tablebase.errors import RulesError
from tablebase.game import guards
from tablebase.game.installed import load_rules
from tablebase.game.rules import OVER

pytestmark = pytest.mark.usefixtures("small_games")


def test_a_fault_of_the_rules_is_a_sentence(ask: Ask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever a function of an author fails: it names the function and the position."""
    assert ask("build", "rows", "--data", tmp_path / "data").code == 0

    def failing(*_: object) -> object:
        raise ValueError("no idea")

    monkeypatch.setattr(Rows, "result", guards.guarded("result", failing))
    playing = ["match", "rows", "--player", "random", "--player", "random", "--games", "2"]
    asking = ["probe", "rows", ".........", "--data", tmp_path / "data"]
    for command in (asking, ["build", "rows", "--data", tmp_path / "new"], ["count", "rows"], ["perft", "rows"], playing):
        assert_refused(ask(*command), 2, "(.........) of rows fails (ValueError: no idea): run 'tablebase check-rules rows'")
    assert_refused(ask("verify", "rows", "--data", tmp_path / "data"), 1, "of rows fails (ValueError: no idea)")
    results = {row["result"] for row in ask("check-rules", "rows", "--format", "json").json}
    assert results == {"ok", "result(.........) of rows fails (ValueError: no idea)"}


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
    ("fault", "command", "said"),
    [
        ("list", "build", "moves(.........) of rows returns ['a1', 'b1', "),
        ("list", "match", "moves(.........) of rows returns ['a1', 'b1', "),
        ("stuck", "build", "in ........., result is None, but nobody has a move"),
        ("stuck", "match", "in ........., the game is not over, but nobody has a move"),
        ("silent", "build", "to_move is OVER, but result is None"),
        ("silent", "match", "to_move is OVER, but result is None"),
        ("three", "build", "two players have the places (2, 1, 0), not one of ((1, 2), (2, 1), (1, 1))"),
        ("letter", "build", "to_move(.........) of rows returns 'x', but must return int"),
        ("letter", "match", "to_move(.........) of rows returns 'x', but must return int"),
        ("third", "build", "in ........., to_move is 2, but players have the numbers 0 and 1"),
        ("third", "match", "in ........., to_move is 2, but there are 2 players"),
        ("after", "build", "result is 'row', but to_move is "),
        ("lumped", "build", "what has been solved of rows is wrong: "),
    ],
)
def test_functions_that_do_not_agree(
    fault: str, command: str, said: str, ask: Ask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each is a sentence with a position, and nothing is left on disk."""
    monkeypatch.setattr("support.functions.rows", lambda: type("Vague", (Rows,), VAGUE[fault])())
    load_rules.cache_clear()
    words = ["--player", "random", "--player", "random", "--games", "2"] if command == "match" else []
    answer = ask(command, "rows", *words, "--data", tmp_path if command == "build" else tmp_path.parent)
    assert_refused(answer, 1 if fault == "lumped" else 2, said, "run 'tablebase check-rules rows'")
    assert not list(tmp_path.rglob("*.h5*"))


@pytest.mark.parametrize(
    ("part", "value", "said"),
    [
        ("start", None, "Partial has no start: give it a value that can be hashed"),
        ("start", [1], "start of Partial is [1], but must be a value that can be hashed, such as a text or a tuple"),
        ("title", 7, "title of Partial is 7, but must be a text"),
        ("options", 7, "options of Partial is 7, but must be a dict"),
        ("sides", ("Black", "White"), "sides of Partial is ('Black', 'White'), but must be 2 objects of the class Side"),
    ],
)
def test_parts_that_are_missing(part: str, value: object, said: str) -> None:
    """A game without them is refused, for any command."""

    class Partial(Misere):
        def __init__(self) -> None:
            super().__init__(3)
            vars(self).pop(part, None)
            if value is not None:
                setattr(self, part, value)

    with pytest.raises(RulesError) as fault:
        Partial().check_parts()
    assert str(fault.value).startswith(said)
