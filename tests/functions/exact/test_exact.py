"""Exact values of games by functions against the slow twin: listed, solved, written, read and checked; and counts."""

from contextlib import closing
from pathlib import Path
from typing import Any

import h5py
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.crafted import craft, drops, sets, text
from support.functions import WON, WORDS, GraphGame, Misere, Rows, circle
from twins import exact as twin
from twins.graphs import games as games_of

from tablebase.checking.exact import verify_exact
from tablebase.errors import CapacityError, CorruptTableError, RulesError, StaleTableError
from tablebase.functions.exact import listed, paths
from tablebase.functions.exact.exact import solve
from tablebase.functions.exact.files import ExactFile, exact_path, sorted_keys, write_exact
from tablebase.functions.exact.listed import list_positions
from tablebase.functions.exact.paths import count_games, leaves_by_depth, leaves_by_move
from tablebase.game.functions import FunctionGame
from tablebase.game.values import Value
from tablebase.probe.from_codes import CodesSource
from tablebase.tables.store import Store
from tablebase.tables.values import FULL, NARROW_ANY

MUCH = 1 << 33
GOLDEN = "94a06e90a4c3dce73f3d4fe763680646a5077d121dd2ac72e092231264151441"
"""SHA-256 of the keys and codes of noughts and crosses, each of which the twin confirms."""


def built(folder: Path, game: FunctionGame[Any], change: Any = lambda _: None) -> Path:
    """The file of a game, whose codes may be changed before they are written."""
    positions = list_positions(game, MUCH)
    codes, _ = solve(positions)
    keys, order = sorted_keys(game, positions.positions)
    codes = codes[order]
    change(codes)
    path = exact_path(folder, game.name)
    write_exact(path, game, keys, codes).rename(path)
    return path


@pytest.mark.parametrize("game", [circle(), Misere(12), Rows(), Rows(3, 2, 3), Rows(2, 3, 2)], ids=lambda game: game.name)
def test_values_are_those_of_the_twin(game: FunctionGame[Any], tmp_path: Path) -> None:
    """For each player; circles, several moves in a row, lost by an own move, shared places, and symmetries."""
    with closing(ExactFile(built(tmp_path, game), game)) as file:
        verify_exact(file)
    store, expected = Store(tmp_path), twin.values(game)
    with closing(store), closing(CodesSource(store, game)) as source:
        for position, (winner, distance) in expected.items():
            for player in (0, 1):
                outcome = "draw" if winner is None else "win" if winner == player else "loss"
                assert source.value(position, player) == (outcome, distance), (position, player)
    assert file.positions == len({game.canonical(position) for position in expected})


@st.composite
def graphs(draw: st.DrawFn) -> GraphGame:
    """Any graph: players move in any order, into circles and to themselves, and a place may be shared."""
    size = draw(st.integers(2, 12))
    names = WORDS[:size]
    children = st.lists(st.sampled_from(names), min_size=1, max_size=4, unique=True).map(tuple)
    nodes = st.one_of(st.sampled_from(list(WON.values())), st.tuples(st.integers(0, 1), children))
    graph: dict[str, Any] = {name: draw(nodes) for name in names}
    graph["a"] = draw(st.tuples(st.integers(0, 1), children))
    return GraphGame(graph)


@settings(max_examples=4 * settings().max_examples)
@given(graphs())
def test_values_of_any_graph(game: GraphGame) -> None:
    """Each code that is found stands for the value of the twin; that files hold what is found is tried above."""
    found, expected = list_positions(game, MUCH), twin.values(game)
    codes, coding = solve(found)
    assert set(found.positions) == set(expected)
    for position, code in zip(found.positions, codes.tolist(), strict=True):
        winner, distance = expected[position]
        outcome = "draw" if winner is None else "win" if winner == game.viewer(position) else "loss"
        assert coding.value(code) == (outcome, distance), position


@given(graphs(), st.data())
def test_every_wrong_value_is_found(tmp_path_factory: pytest.TempPathFactory, game: GraphGame, data: st.DataObject) -> None:
    """One value that is another one is named, whichever it is."""

    def change(codes: Any) -> None:
        place = data.draw(st.integers(0, len(codes) - 1))
        others = [code for code in range(40) if code != codes[place]]
        codes[place] = data.draw(st.sampled_from(others))

    path = built(tmp_path_factory.mktemp("graph"), game, change)
    with closing(ExactFile(path, game)) as file, pytest.raises(CorruptTableError, match="contains an error"):
        verify_exact(file)


def test_texts_that_are_none_are_a_sentence(tmp_path: Path) -> None:
    """Bytes that are no text, where a position should be."""
    game = Misere(5)
    positions = list_positions(game, MUCH)
    keys, order = sorted_keys(game, positions.positions)
    keys[-1] = b"\xff"
    path = exact_path(tmp_path, game.name)
    write_exact(path, game, keys, solve(positions)[0][order]).rename(path)
    with closing(ExactFile(path, game)) as file, pytest.raises(CorruptTableError, match=r"position \(UnicodeDecodeError"):
        verify_exact(file)


def test_rules_that_stop_in_the_middle(tmp_path: Path) -> None:
    """Where the rules that check a table have no move, but the game goes on."""

    class Stuck(Misere):
        def moves(self, position: tuple[int, int]) -> dict[int, tuple[int, int]]:
            return {} if position[0] == 3 else super().moves(position)

    path = built(tmp_path, Misere(5))
    with closing(ExactFile(path, Misere(5))) as file:
        file.rules = Stuck(5)
        with pytest.raises(CorruptTableError, match="has neither moves nor a result"):
            verify_exact(file)


def test_long_games_have_wide_codes(tmp_path: Path) -> None:
    """Of 126 plies one byte knows nothing."""
    nodes: dict[str, Any] = {f"n{n}": (0, (f"n{n + 1}",)) for n in range(130)}
    for most, coding in ((125, NARROW_ANY), (126, FULL)):
        game = GraphGame({**nodes, f"n{most}": WON[0]}, f"long{most}", "n0")
        path = built(tmp_path, game)
        with closing(ExactFile(path, game)) as file:
            assert file.coding == coding
            assert file.counts().longest_win == most
            verify_exact(file)


def test_counts(tmp_path: Path) -> None:
    """Up to symmetry there are 765 positions, of which 138 are final: a published number."""
    with closing(ExactFile(built(tmp_path, Rows()), Rows())) as file:
        counts = file.counts()
        assert file.values_sha256 == GOLDEN
    assert (counts.positions, counts.final) == (765, 138)
    assert counts.wins + counts.losses + counts.draws == 765 - 138
    assert len(twin.values(Rows())) == 5478
    assert (counts.longest_win, counts.longest_loss) == (5, 4)


def test_files_of_others_are_refused(tmp_path: Path) -> None:
    """Of another game, and of other rules of the same name."""
    path = built(tmp_path, Misere(5))
    with pytest.raises(CorruptTableError, match="does not contain the table of circle"):
        ExactFile(path, circle())
    with pytest.raises(StaleTableError):
        ExactFile(path, Misere(6))


@pytest.mark.parametrize(
    "change",
    [
        sets("positions", 10**12),
        sets("positions", 764),
        drops("values_sha256"),
        text("format", b"tablebase"),
        lambda file: file.__delitem__("keys"),
        lambda file: file["codes"].id.write_direct_chunk((0,), b"no frame"),
        lambda file: file.move("keys", "more") or file.__setitem__("keys", h5py.SoftLink("/more")),
    ],
    ids=["many", "fewer", "no digest", "of another sort", "no keys", "no frame", "a link"],
)
def test_forged_files_are_refused(change: Any, tmp_path: Path) -> None:
    """Though the seal fits."""
    path = built(tmp_path, Rows())
    craft(path, change)
    with pytest.raises(CorruptTableError, match=r"all\.h5"), closing(ExactFile(path, Rows())) as file:
        verify_exact(file)


def test_too_large_is_said_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """By number, which is looked at now and then."""
    monkeypatch.setattr(listed, "MOST_POSITIONS", 700)
    with pytest.raises(CapacityError, match="more than the supported 700 positions"):
        list_positions(Rows(), MUCH)


def test_two_positions_of_one_text_are_refused() -> None:
    class Short(Misere):
        def format(self, position: tuple[int, int]) -> str:
            return str(position[0])

    with pytest.raises(RulesError, match=r"misere returns '0' for two different positions"):
        sorted_keys(Short(5), list_positions(Short(5), MUCH).positions)


def test_a_value_is_that_of_the_named_player(tmp_path: Path) -> None:
    """After two stones the same player moves again, so nothing is turned around."""
    game = Misere(9)
    built(tmp_path, game)
    store = Store(tmp_path)
    with closing(store), closing(CodesSource(store, game)) as source:
        answer = source.probe((5, 0))
        again = next(move for move in answer.moves if move.move == "2")
        assert game.to_move(again.child) == 0
        value = source.value(again.child, 0)
        assert again.value == Value(value.outcome, None if value.distance is None else value.distance + 1)


@pytest.mark.parametrize("stones", range(1, 9))
def test_games_are_those_of_the_twin(stones: int) -> None:
    game = Misere(stones)
    counts, games = count_games(game, game.start), games_of(twin.graph(game), game.start)
    assert (counts.games, *counts.won) == (sum(games.values()), games[0], games[1])
    assert counts.reachable == len(twin.values(game))


def test_a_circle_is_refused() -> None:
    """Wherever it is; from behind it, the games can be counted."""
    with pytest.raises(RulesError, match="the games of circle: the position a can occur again, so a game may"):
        count_games(circle(), "a")
    assert count_games(circle(), "c").games == 3


def test_progress_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "TICK", 1000)
    told: list[int] = []
    count_games(Rows(), Rows().start, lambda done, _: told.append(done))
    assert len(told) > 2
    assert told == sorted(told)


def test_lines_of_moves() -> None:
    """9, 72, 504, … and no longer all of them as soon as games end; by move, they add up."""
    counts = [depth.leaves for depth in leaves_by_depth(Rows(), Rows().start, 9)]
    assert counts[:5] == [9, 72, 504, 3024, 15120]
    assert counts[5:] == [54720, 148176, 200448, 127872]
    assert sum(leaves_by_move(Rows(), Rows().start, 6).values()) == 54720
    assert leaves_by_move(circle(), "b", 1) == {"a": 1, "y": 1, "c": 1}
    assert leaves_by_move(circle(), "b", 2) == {"a": 2, "y": 0, "c": 2}
