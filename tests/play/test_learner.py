"""Learners: their value function, what they learn from games against themselves, and the file that keeps them."""

import json
import math
import tracemalloc
import zlib
from base64 import b64encode
from itertools import combinations, pairwise
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from support.checks import before_release
from support.program import Ask, assert_one_sentence

import tablebase
from tablebase.errors import TablebaseError
from tablebase.game import load_game
from tablebase.game.moves import Position, mirrored
from tablebase.play.learning.learner import Learner
from tablebase.play.learning.self_play import Training, Turn, best_moves, measure, play_alone, targets, train
from tablebase.play.learning.value_function import MOST_WEIGHTS, ValueFunction
from tablebase.play.match import Match
from tablebase.play.player import Seat
from tablebase.play.players import open_player
from tablebase.probe.prober import Prober
from tablebase.system.files.outputs import lock_of, locked

PAWNS, FOX, JUNGLE = load_game("hexapawn"), load_game("foxhounds-6x6"), load_game("doushouqi")


def trained(games: int, seed: int = 1) -> Learner:
    learner = Learner(PAWNS, PAWNS.initial, Training(order=3, seed=seed))
    go_on(learner, games)
    return learner


def go_on(learner: Learner, games: int) -> None:
    for number in train(learner.values, learner.start, learner.training, range(learner.games, games)):
        learner.games = number + 1


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "pawns.learner"


def test_a_step_is_down_the_gradient() -> None:
    """By finite differences: a step changes each weight by the slope of the cross-entropy, and no other weight."""
    values, random = ValueFunction(FOX, 2), np.random.default_rng(1)
    shape: Any = values.weights.shape
    values.weights = random.normal(scale=0.1, size=shape)
    position, target, small = FOX.initial, 0.3, 1e-5

    def loss() -> float:
        chance, wanted = (1 + float(values.expected([position])[0])) / 2, (1 + target) / 2
        return -wanted * math.log(chance) - (1 - wanted) * math.log(1 - chance)

    groups, before = values.groups([position])[0], values.weights.copy()
    slopes = {}
    for group in set(groups.tolist()):
        ends = []
        for sign in (1, -1):
            values.weights[0, group] = before[0, group] + sign * small
            ends.append(loss())
        slopes[group] = (ends[0] - ends[1]) / (2 * small)
        values.weights[0, group] = before[0, group]
    values.learn(position, target, rate=0.5)
    step = values.weights - before
    assert set(np.flatnonzero(step[0]).tolist()) == slopes.keys()
    assert not step[1].any()
    for group, slope in slopes.items():
        assert step[0, group] == pytest.approx(-0.5 / len(groups) * slope, rel=1e-4)


@pytest.mark.parametrize(("game", "order"), [(FOX, 1), (PAWNS, 2), *before_release((FOX, 4), (JUNGLE, 3))], ids=str)
def test_groups_are_those_of_a_plain_count(game: Any, order: int) -> None:
    """Positions that have a group in common, by squares or by how its pieces stand to each other, share a weight for it."""

    def plain(position: Position) -> list[tuple[Any, ...]]:
        pieces = min(position, mirrored(game, position)).pieces if game.mirror else position.pieces
        found: list[tuple[Any, ...]] = []
        for size in range(1, order + 1):
            for group in combinations(pieces, size):
                found.append(("placed", *group))
                if size > 1:
                    cells = game.board.cells
                    file, rank = cells[group[0][1]]
                    found.append(("related", *((kind, cells[at][0] - file, cells[at][1] - rank) for kind, at in group)))
        return found

    values, random, position = ValueFunction(game, order), Random(5), game.initial
    assert values.weights.shape[1] <= 2 * MOST_WEIGHTS
    shared: dict[tuple[Any, ...], set[int]] = {}
    for _ in range(12):
        groups, named = values.groups([position])[0].tolist(), plain(position)
        assert len(groups) == len(named)
        for group in named:
            shared[group] = shared.get(group, set(groups)) & set(groups)
        if game.result(position) is not None:
            break
        position = random.choice(list(game.moves(position).values()))._replace(won="")
    assert all(shared.values())


def test_targets_by_hand() -> None:
    """Half of what the best move promised, half of what came of it; after a random move only the promise."""
    turns = [Turn(PAWNS.initial, best, explored) for best, explored in ((0.0, False), (0.5, True), (1.0, False), (-1.0, False))]
    assert targets(turns, 0.5) == [0.25, 0.5, 0.0, -1.0]
    assert targets(turns, 0.0) == [0.0, 0.5, 1.0, -1.0]
    assert targets([], 0.5) == []


def test_games_are_played_by_the_rules() -> None:
    """Each position is reached by a move from the one before, by one of the best unless it explores."""
    values = trained(30).values
    for seed in range(20):
        turns = play_alone(values, PAWNS.initial, 0.3, Random(seed))
        assert turns[0].position == PAWNS.initial
        for one, after in pairwise(turns):
            moves = PAWNS.moves(one.position)
            best = best_moves(values, one.position, moves)
            assert one.best == best.expected
            assert after.position in (moves.values() if one.explored else [moves[move] for move in best.moves])


def test_it_learns(tmp_path: Path) -> None:
    """By the tables it keeps every outcome after 200 games of Fox & Hounds 4x4; untrained it does not, nor the wrong way round."""
    game = load_game("foxhounds-4x4")
    tablebase.build(game, data=tmp_path / "tables")
    prober, found = Prober(tmp_path / "tables"), []
    for games, sign in ((0, 1), (200, 1), (200, -1)):
        learner = Learner(game, game.initial, Training(order=3))
        go_on(learner, games)
        learner.values.weights *= sign
        found.append(measure(learner.values, game.initial, prober.of(game), games, 0.0))
    prober.close()
    new, learned, wrong = found
    assert learned.kept == learned.kept_in_choices == 1.0
    assert max(new.kept, wrong.kept) < 0.95
    assert learned.error < 0.5 < 0.9 < new.error < wrong.error


def loaded(path: Path) -> Learner:
    learner = Learner(PAWNS, PAWNS.initial)
    learner.load(path)
    return learner


def test_the_file_keeps_the_learner(path: Path) -> None:
    """Trained in two parts it is what it is in one, to the last byte, and another seed makes another one."""
    trained(10).save(path)
    learner = loaded(path)
    go_on(learner, 20)
    learner.save(path)
    whole = path.read_bytes()
    trained(20).save(path)
    assert path.read_bytes() == whole
    trained(20, seed=2).save(path)
    assert path.read_bytes() != whole


def packed(weights: Any) -> str:
    return b64encode(zlib.compress(weights.tobytes())).decode()


WEIGHTS = ValueFunction(PAWNS, 3).weights
DAMAGE: dict[str, tuple[dict[str, Any], str]] = {
    "another game": ({"game": "pig"}, "contains a learner with a different game ('pig', not 'hexapawn')"),
    "bad settings": ({"training": {**vars(Training()), "order": 9}}, "does not contain a learner"),
    "another order": ({"training": {**vars(Training()), "order": 2}}, "does not contain a learner"),
    "a bad curve": ({"curve": [{"games": 1}]}, "does not contain a learner"),
    "games without end": ({"games": math.inf}, "does not contain a learner"),
    "weights of nothing": ({"weights": None}, "does not contain a learner"),
    "weights that are not packed": ({"weights": "AAAA"}, "does not contain a learner"),
    "too many weights": ({"weights": packed(np.repeat(WEIGHTS, 2))}, "does not contain a learner"),
    "weights that are not numbers": ({"weights": packed(WEIGHTS * np.nan)}, "does not contain a learner"),
}


@pytest.mark.parametrize(("damage", "error"), DAMAGE.values(), ids=DAMAGE)
def test_a_file_of_something_else_is_refused(damage: dict[str, Any], error: str, path: Path) -> None:
    trained(1).save(path)
    path.write_text(json.dumps({**json.loads(path.read_text()), **damage}))
    learner = Learner(PAWNS, PAWNS.initial)
    with pytest.raises(TablebaseError) as refused:
        learner.load(path)
    assert f"{path} {error}" in str(refused.value)
    assert str(refused.value).endswith(": use another file, or delete this file")
    assert (learner.games, learner.training, learner.values.weights.any()) == (0, Training(), False)


def test_files_without_end_are_not_read(path: Path) -> None:
    """No more than the largest file, and no more weights than there are when they are unpacked."""
    with path.open("wb") as file:
        file.truncate(Learner.largest + 1)
    with pytest.raises(TablebaseError, match="has more than 33,554,432 bytes: use another file, or delete this file"):
        loaded(path)
    trained(1).save(path)
    many = packed(np.zeros(Learner.largest, np.float32))
    assert len(many) < Learner.largest // 100
    path.write_text(json.dumps({**json.loads(path.read_text()), "weights": many}))
    learner = Learner(PAWNS, PAWNS.initial)
    tracemalloc.start()
    with pytest.raises(TablebaseError, match="does not contain a learner"):
        learner.load(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2 * Learner.largest


def test_it_plays_as_any_player(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It makes the moves of which its values expect most, on either side, and says what it expects."""
    learner = trained(200)
    learner.save(path)
    monkeypatch.setenv("HOME", str(path.parent))
    with open_player(f"learner:file=~/{path.name}", Seat(PAWNS, PAWNS.initial)) as player:
        match = Match(PAWNS, PAWNS.initial)
        while match.ending() is None:
            best = best_moves(learner.values, match.position, match.legal())
            move = player.choose(match, Random(1))
            assert move in best.moves
            assert player.remark.startswith(f"the learner expects a result of {best.expected * (1 - 2 * match.player):+.2f}")
            match.play(move)
    with pytest.raises(TablebaseError, match="needs a file from 'tablebase train': add the file, as in learner:file=FILE"):
        open_player("learner", Seat(PAWNS, PAWNS.initial))


def test_the_command(ask: Ask, path: Path, hexapawns: Path) -> None:
    """It measures and saves on the way, goes on from the file, draws the curve, and says what does not fit."""
    pytest.importorskip("matplotlib")
    words = ("train", "hexapawn", "--output", path, "--every", 20, "--data", hexapawns, "--format", "json")
    first = ask(*words, "--games", 30, "--order", 3)
    assert (first.code, [row["games"] for row in first.json]) == (0, [0, 20, 30])
    curve = path.with_suffix(".svg")
    rows = tablebase.train("hexapawn", output=path, games=50, every=20, curve=curve, data=hexapawns)
    assert [row["games"] for row in rows] == [0, 20, 30, 40, 50]
    assert rows[:3] == first.json
    assert curve.read_text().startswith("<?xml")
    for more, said in {
        ("--games", 50): "has played 50 games: set --games to a larger total",
        ("--games", 60, "--order", 4): "was trained with --order 3: leave out --order, or choose another file for --output",
    }.items():
        assert_one_sentence(ask(*words, *more), said)
    late = ask(*words, "--games", 1000, "--for", "0.001s")
    assert [row["games"] for row in late.json] == [0, 20, 30, 40, 50, 51]
    untold = ask("train", "hexapawn", "--output", path.with_name("new"), "--games", 1, "--data", path.with_name("none"))
    assert (untold.code, "cannot compare the learner with tables: " in untold.err) == (0, True)
    words = ("train", "hexapawn", "--output", path.with_name("other"), "--curve", curve, "--data", path.with_name("none"))
    assert_one_sentence(ask(*words), "hexapawn", "build")


def test_one_training_at_a_time_writes_a_file(path: Path) -> None:
    """A second one is refused before it plays, and what the first has learned is not lost."""
    with locked(lock_of(path), "taken"), pytest.raises(TablebaseError, match=r"another 'train' command is writing to .*: wait"):
        tablebase.train("hexapawn", output=path, games=10)
    assert not path.exists()
