"""The possible games after each move, beside what it forces: against plain Python, by a graph or move by move."""

from functools import cache
from pathlib import Path

import pytest
from support.program import Ask
from twins import walk as naive_walk
from twins.walk import walk, walked

import tablebase
from tablebase.game import load_game
from tablebase.game.moves import Position
from tablebase.play import graph_player
from tablebase.play.match import Match
from tablebase.play.player import Seat
from tablebase.play.players import open_player

GAMES = ("hasenspiel-4x6", "hexapawn", "foxhounds-4x4")


@cache
def expected(name: str, position: Position) -> dict[str, tuple[str, int, int, tuple[int, int]]]:
    """Of each move: outcome and plies for its side, games after it, and those that each side wins, all of them walked."""
    game, values, found = load_game(name), naive_walk.values(walked(name)), {}
    for move, child in game.moves(position).items():
        outcome, plies = values[child._replace(won="")]
        games, won = naive_walk.games(walk(game, child)) if not child.won else (1, (int(position.side == 0), position.side))
        found[move] = ("win" if outcome == "loss" else "loss", plies + 1, games, won)
    return found


def rows(name: str, position: Position, **options: object) -> dict[str, tuple[str, int, int, tuple[int, int]]]:
    """What `count` says of each move."""
    game = load_game(name)
    first, second = (f"won_{side.letter}" for side in game.sides)
    said = tablebase.count(name, game.format(position), divide=True, **options)
    for row in said:
        won = row[first] if position.side == 0 else row[second]
        assert row["share"] == pytest.approx(won / row["games"])
        assert row["position"] == game.format(game.moves(position)[row["move"]])
    ranks = [
        (row["outcome"] or "", -row["distance"] if row["outcome"] == "win" else row["distance"] or 0, row["share"]) for row in said
    ]
    # In the alphabet, too, a win comes after a loss.
    assert ranks == sorted(ranks, reverse=True)
    return {row["move"]: (row["outcome"], row["distance"], row["games"], (row[first], row[second])) for row in said}


@pytest.mark.parametrize("name", GAMES)
def test_moves_are_those_of_plain_python(name: str) -> None:
    """From the start and after each of its moves."""
    start = load_game(name).initial
    for position in (start, *walked(name).children[start]):
        assert rows(name, position) == expected(name, position)


def test_large_boards_are_counted_move_by_move(tmp_path: Path, hexapawns: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there are too many positions, tables say what moves force; without them, nothing does."""
    monkeypatch.setattr(graph_player, "LIMIT", 10)
    game = load_game("hexapawn")
    assert rows("hexapawn", game.initial, data=hexapawns) == expected("hexapawn", game.initial)
    unknown = rows("hexapawn", game.initial, data=tmp_path / "none")
    assert {one[:2] for one in unknown.values()} == {(None, None)}
    assert {move: one[2:] for move, one in unknown.items()} == {
        move: one[2:] for move, one in expected("hexapawn", game.initial).items()
    }


def test_games_by_functions(tmp_path: Path) -> None:
    """The games after all moves are those of the start, drawn ones included."""
    said = tablebase.count("noughts", divide=True, data=tmp_path / "none")
    assert sum(row["games"] for row in said) == tablebase.count("noughts")["games"] == 255_168


def test_the_command(ask: Ask) -> None:
    """It says what Python says; the games add up to those of the start; after the end there are no moves."""
    said = ask("count", "foxhounds-6x6", "--divide", "--format", "json").json
    assert said == tablebase.count("foxhounds-6x6", divide=True)
    assert sum(row["games"] for row in said) == 982_462_133_247


@pytest.mark.full
def test_the_first_moves_of_hasenspiel() -> None:
    """On 8x8 both lose in 44, and the games add up to the known number, of which Black wins 1.49 %."""
    said = tablebase.count("hasenspiel", divide=True)
    assert [(row["move"], row["outcome"], row["distance"]) for row in said] == [("d8c7", "loss", 44), ("d8e7", "loss", 44)]
    games = sum(row["games"] for row in said)
    assert games == 2_479_385_048_689_677_432_127_960_469_169
    assert round(100 * (1 - sum(row["share"] * row["games"] for row in said) / games), 2) == 1.49


def test_the_ranking_gives_them_as_a_hint() -> None:
    game = load_game("hexapawn")
    with open_player("ranking", Seat(game, game.initial)) as player:
        assert player.hint(Match(game, game.initial)).splitlines() == [
            "move  best outcome  possible games      won",
            "b1b2  loss in 6                 66  39.39 %",
            "a1a2  loss in 4                 34  55.88 %",
            "c1c2  loss in 4                 34  55.88 %",
        ]
