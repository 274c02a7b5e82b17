"""Learners: their value function, what they learn from games against themselves, and the file that keeps them."""

import json
import math
import tracemalloc
from collections.abc import Callable
from io import BytesIO
from itertools import combinations, pairwise
from pathlib import Path
from random import Random
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import numpy as np
import pytest
from support.program import Ask, assert_one_sentence

import tablebase
from tablebase.errors import TablebaseError
from tablebase.files.outputs import lock_of, locked
from tablebase.game import load_game
from tablebase.game.moves import Position, mirrored
from tablebase.play.learning.learner import LARGEST, Learner, load_learner, new_learner, save_learner
from tablebase.play.learning.self_play import Training, Turn, best_moves, measure, play_alone, targets, train
from tablebase.play.learning.value_function import MOST_WEIGHTS, ValueFunction
from tablebase.play.match import Match
from tablebase.play.player import Seat
from tablebase.play.players import open_player
from tablebase.probe.prober import Prober

PAWNS, FOX, JUNGLE = load_game("hexapawn"), load_game("foxhounds-6x6"), load_game("doushouqi")


def trained(games: int, seed: int = 1) -> Learner:
    """A learner of Hexapawn."""
    learner = new_learner(PAWNS, PAWNS.initial, Training(order=3, seed=seed))
    go_on(learner, games)
    return learner


def go_on(learner: Learner, games: int) -> None:
    """Train a learner until it has played so many games."""
    for number in train(learner.values, learner.start, learner.training, range(learner.games, games)):
        learner.games = number + 1


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a learner is kept."""
    return tmp_path / "pawns.learner"


# Values


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


@pytest.mark.parametrize(("game", "order"), [(FOX, 1), (FOX, 4), (PAWNS, 2), (JUNGLE, 3)], ids=str)
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


# Learning


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
        learner = new_learner(game, game.initial, Training(order=3))
        go_on(learner, games)
        learner.values.weights *= sign
        found.append(measure(learner.values, game.initial, prober.of(game), games, 0.0))
    prober.close()
    new, learned, wrong = found
    assert learned.kept == learned.kept_in_choices == 1.0
    assert max(new.kept, wrong.kept) < 0.95
    assert learned.error < 0.5 < 0.9 < new.error < wrong.error


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ({"order": 6}, "the order must be a number of pieces from 1 to 5, not 6"),
        ({"rate": 0.0}, "the rate must be a number above 0 and at most 1, not 0"),
        ({"exploration": 1.5}, "the exploration must be a number from 0 to 1, not 1.5"),
        ({"trace": math.nan}, "the trace must be a number from 0 to 1, not nan"),
    ],
)
def test_bad_settings_are_one_sentence(setting: dict[str, Any], said: str) -> None:
    with pytest.raises(TablebaseError) as fault:
        Training(**setting)
    assert str(fault.value) == said


# The file


def test_the_file_keeps_the_learner(path: Path) -> None:
    """Trained in two parts it is what it is in one, to the last byte, and another seed makes another one."""
    save_learner(path, trained(10))
    learner = load_learner(path, PAWNS, PAWNS.initial)
    go_on(learner, 20)
    save_learner(path, learner)
    whole = path.read_bytes()
    save_learner(path, trained(20))
    assert path.read_bytes() == whole
    save_learner(path, trained(20, seed=2))
    assert path.read_bytes() != whole


def about(**fields: Any) -> Callable[[dict[str, Any]], None]:
    """Changes what the file says about the learner."""

    def change(parts: dict[str, Any]) -> None:
        document = {**json.loads(parts["about"].tobytes()), **fields}
        parts["about"] = np.frombuffer(json.dumps(document).encode(), np.uint8)

    return change


DAMAGE: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "another game": (about(game="pig"), "is a learner of another game ('pig', not 'hexapawn')"),
    "other rules": (about(digest="0"), "is a learner of another digest ('0', not "),
    "another start": (about(start="3/ppp/PPP w"), "is a learner of another start ('3/ppp/PPP w', not 'ppp/3/PPP w')"),
    "another format": (about(format="learner 0"), "is not the file of a learner"),
    "no settings": (about(training={}), "is not the file of a learner"),
    "bad settings": (about(training={**vars(Training()), "order": 9}), "is not the file of a learner"),
    "another order": (about(training={**vars(Training()), "order": 2}), "is not the file of a learner"),
    "a bad curve": (about(curve=[{"games": 1}]), "is not the file of a learner"),
    "a list": (lambda parts: parts.update(about=np.frombuffer(b"[]", np.uint8)), "is not the file of a learner"),
    "no weights": (lambda parts: parts.pop("weights"), "is not the file of a learner"),
    "weights of another shape": (lambda parts: parts.update(weights=parts["weights"][:1]), "is not the file of a learner"),
    "weights that are not numbers": (lambda parts: parts.update(weights=parts["weights"] * np.nan), "is not the file of a learner"),
    "objects": (lambda parts: parts.update(weights=np.array([{}])), "is not the file of a learner"),
}


@pytest.mark.parametrize(("damage", "fault"), DAMAGE.values(), ids=DAMAGE)
def test_a_file_of_something_else_is_refused(damage: Callable[[dict[str, Any]], object], fault: str, path: Path) -> None:
    save_learner(path, trained(1))
    with np.load(path) as arrays:
        parts: dict[str, Any] = dict(arrays)
    damage(parts)
    packed = BytesIO()
    np.savez_compressed(packed, **parts)
    path.write_bytes(packed.getvalue())
    with pytest.raises(TablebaseError) as refused:
        load_learner(path, PAWNS, PAWNS.initial)
    assert f"{path} {fault}" in str(refused.value)
    assert str(refused.value).endswith(": name another file, or delete it")


def test_bytes_that_are_no_learner_are_refused(path: Path) -> None:
    """Whatever is missing or changed, it is one sentence."""
    save_learner(path, trained(1))
    whole = path.read_bytes()
    for content in (b"", b"\xff" * 99, whole[: len(whole) // 2], whole[:200] + b"\0" * 40 + whole[240:]):
        path.write_bytes(content)
        with pytest.raises(TablebaseError, match="is not the file of a learner: name another file, or delete it"):
            load_learner(path, PAWNS)
    with pytest.raises(TablebaseError, match="none"):
        load_learner(path.with_name("none"), PAWNS)


def test_files_without_end_are_not_read(path: Path) -> None:
    """No more than the largest file, and no part that would be larger when it is unpacked."""
    with pytest.raises(TablebaseError, match=r"^/dev/zero has more than 33,554,432 bytes: name another file"):
        open_player("learner:file=/dev/zero", Seat(PAWNS, PAWNS.initial))
    with ZipFile(path, "w", ZIP_DEFLATED) as parts:
        for name in ("about.npy", "weights.npy"):
            parts.writestr(name, bytes(4 * LARGEST))
    assert path.stat().st_size < LARGEST // 10
    tracemalloc.start()
    with pytest.raises(TablebaseError, match="is not the file of a learner"):
        load_learner(path, PAWNS)
    assert tracemalloc.get_traced_memory()[1] < 2 * LARGEST
    tracemalloc.stop()


# The player, and the command


def test_it_plays_as_any_player(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It makes the moves of which its values expect most, on either side, and says what it expects."""
    learner = trained(200)
    save_learner(path, learner)
    monkeypatch.setenv("HOME", str(path.parent))
    with open_player(f"learner:file=~/{path.name}", Seat(PAWNS, PAWNS.initial)) as player:
        match = Match(PAWNS, PAWNS.initial)
        while match.ending() is None:
            best = best_moves(learner.values, match.position, match.legal())
            move = player.choose(match, Random(1))
            assert move in best.moves
            assert player.remark.startswith(f"it expects {best.expected * (1 - 2 * match.player):+.2f}, between -1")
            match.play(move)
    with pytest.raises(TablebaseError, match="needs what 'tablebase train' has written: name it as in learner:file=FILE"):
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
        ("--games", 50): "has played 50 games: ask for more with --games",
        ("--games", 60, "--order", 4): "has the order 3: leave out --order, or name another file with --output",
        ("--games", 60, "--rate", 2): "the rate must be a number above 0 and at most 1, not 2",
        ("--games", 60, "--curve", "a.txt"): "a.txt is not the name of a picture",
    }.items():
        assert_one_sentence(ask(*words, *more), said)
    assert_one_sentence(ask("train", "pig", "--output", path), "because it has no pieces on squares")
    late = ask(*words, "--games", 1000, "--for", "0.001s")
    assert [row["games"] for row in late.json] == [0, 20, 30, 40, 50, 51]
    untold = ask("train", "hexapawn", "--output", path.with_name("new"), "--games", 1, "--data", path.with_name("none"))
    assert (untold.code, "the learner is not measured: " in untold.err) == (0, True)
    words = ("train", "hexapawn", "--output", path.with_name("other"), "--curve", curve, "--data", path.with_name("none"))
    assert_one_sentence(ask(*words), "hexapawn", "build")


def test_one_training_at_a_time_writes_a_file(path: Path) -> None:
    """A second one is refused before it plays, and what the first has learned is not lost."""
    with locked(lock_of(path), "taken"), pytest.raises(TablebaseError, match=r"another training is writing to .*: wait for it"):
        tablebase.train("hexapawn", output=path, games=10)
    assert not path.exists()
