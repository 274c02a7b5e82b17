"""The engine: against the tables and with tables inside the search, its interface and limits, and rules that tables do not know."""

import threading
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support import toys
from support.checks import at_least_one
from support.games import GAMES, after, drawn, sampled
from twins import minimax, naive

from tablebase.commands.program import run
from tablebase.commands.tablebase import Tablebase
from tablebase.errors import CapacityError, CorruptTableError, StaleTableError, TablebaseError
from tablebase.game import Evaluation, Outcome, load_game
from tablebase.game.moves import Position, legal_moves
from tablebase.game.notation import parse, render_move
from tablebase.positions.location import locate
from tablebase.positions.material import material_name, material_of, parse_material
from tablebase.probe.prober import Prober
from tablebase.search import Analysis, Engine, Options, Repetition
from tablebase.search.evaluation import material_and_mobility
from tablebase.search.frames import MOST_DEPTH
from tablebase.search.table_cache import CHUNK, FEWEST_CHUNKS, TableCache
from tablebase.search.transposition import REPEATER_LOSES
from tablebase.tables.folder import table_path
from tablebase.tables.store import Store
from tablebase.tables.values import FULL, Value, recode

JUNGLE = load_game("doushouqi")
SMALL = Options(hash_bytes=1 << 20, table_bytes=1 << 22)
EXACT = replace(SMALL, exact=True)
ALONE = parse(JUNGLE, "7/2c4/7/7/7/7/3C3/7/7 w")


def analysed(engine: Engine, position: Position, **limits: int) -> list[Analysis]:
    """All answers of a search."""
    return list(engine.analyse(position, **limits))  # type: ignore[arg-type]


def test_exact_searches_agree_with_tables(more_tables: Tablebase) -> None:
    """To the ply, for every position of two and three pieces that is decided within the depth."""
    engine, decided = Engine(JUNGLE, options=EXACT), 0
    for position in drawn(JUNGLE, 2, 40) + drawn(JUNGLE, 3, 20):
        value = more_tables.probe_value(JUNGLE, position)
        answers = analysed(engine, position, depth=6)
        assert [answer.depth for answer in answers] == ([1, 2, 3, 4, 5, 6] if legal_moves(JUNGLE, position) else [0])
        for answer in answers:
            within = value.distance is not None and value.distance <= answer.depth
            assert answer.value == (value if within else None)
            decided += within
    assert decided > 50


def test_what_play_proves_is_true(more_tables: Tablebase) -> None:
    """A selective search never claims what tables deny, and the distance that it claims, of a win or a loss, is no shorter."""
    engine, claims = Engine(JUNGLE, options=SMALL), set()
    for position in drawn(JUNGLE, 3, 50, seed=2):
        value = more_tables.probe_value(JUNGLE, position)
        for answer in analysed(engine, position, depth=8):
            if answer.value is not None and legal_moves(JUNGLE, position):
                assert answer.value.outcome == value.outcome
                assert answer.value.distance is not None
                assert value.distance is not None
                assert answer.value.distance >= value.distance
                claims.add(value.outcome)
    assert claims == {Outcome.WIN, Outcome.LOSS}


def test_null_moves_do_not_hide_zugzwang() -> None:
    """A mirrored pair of lost positions, which a null move that cuts off by itself takes for won at depth 8."""
    game = load_game("hexapawn-5x4")
    for text in ("ppp1p/3p1/1P3/P1PPP w", "p1ppp/1p3/3P1/PPP1P w"):
        position = parse(game, text)
        [*_, exact] = Engine(game, options=EXACT).analyse(position, depth=12)
        assert exact.value == Value(Outcome.LOSS, 12)
        found = [answer.value for answer in Engine(game, options=SMALL).analyse(position, depth=18)]
        assert {value.outcome for value in found if value} == {Outcome.LOSS}


def test_limits() -> None:
    """By nodes to the node, by time to a fraction of a second, and by another thread's word; what was found so far is kept."""
    start = parse(JUNGLE, JUNGLE.start)
    engine = Engine(JUNGLE, options=SMALL)
    one, other = (analysed(each, start, nodes=5_000) for each in (Engine(JUNGLE, options=SMALL), Engine(JUNGLE, options=SMALL)))
    assert [replace(answer, seconds=0.0) for answer in one] == [replace(answer, seconds=0.0) for answer in other]
    assert 0 < one[-1].nodes <= 5_000
    begin = time.monotonic()
    answers = analysed(engine, start, seconds=0.3)  # type: ignore[arg-type]
    assert answers
    assert time.monotonic() - begin < 5
    timer = threading.Timer(0.3, engine.stop)
    timer.start()
    assert analysed(engine, start, depth=60)[-1].depth < 60
    timer.join()
    first = analysed(Engine(JUNGLE, options=SMALL), start, nodes=1)
    assert [(answer.depth, answer.value, len(answer.line)) for answer in first] == [(0, None, 1)]
    assert first[0].best in {render_move(JUNGLE, move) for move in legal_moves(JUNGLE, start)}


def test_threads_change_no_exact_score() -> None:
    """Three threads that share a table, each with its own board."""
    alone, together = Engine(JUNGLE, options=EXACT), Engine(JUNGLE, options=replace(EXACT, threads=3))
    for position in sampled(JUNGLE, 5):
        scores = [[answer.score for answer in analysed(engine, position, depth=5)] for engine in (alone, together)]
        assert scores[0] == scores[1]


def test_lines_lead_to_their_scores() -> None:
    """The last position of an exact line has the score of the line by the evaluation alone, or ends the game."""
    engine, evaluation = Engine(JUNGLE, options=EXACT), JUNGLE.evaluation
    assert evaluation is not None
    for position in sampled(JUNGLE, 5):
        for answer in analysed(engine, position, depth=4):
            ends = after(JUNGLE, position, answer.line)
            if answer.value is None:
                assert len(ends) == answer.depth
                assert answer.score == minimax.minimax(JUNGLE, evaluation, ends[-1], 0) * (-1) ** answer.depth
            else:
                assert len(ends) == answer.value.distance


def test_threats_at_the_horizon_are_answered() -> None:
    """A cat that will be in the den: seen at depth 1, since replies to a threat are searched beyond the depth."""
    position = parse(JUNGLE, "7/2C4/7/7/7/7/3d3/7/7 w")
    assert analysed(Engine(JUNGLE, options=SMALL), position, depth=1)[-1].value == Value(Outcome.WIN, 3)
    assert analysed(Engine(JUNGLE, options=EXACT), position, depth=1)[-1].value is None


def test_repetitions() -> None:
    """A side that is behind repeats if that draws, does not if it loses, and need not care if there is no such rule."""
    start = parse(JUNGLE, "7/7/7/7/3e3/7/7/7/R6 w")
    past = [start, *after(JUNGLE, start, ("a1a2", "d5d6", "a2a1", "d6d5", "a1a2", "d5d6", "a2a1", "d6d5"))][:-1]
    found = {}
    for rule in Repetition:
        [*_, found[rule]] = Engine(JUNGLE, options=replace(EXACT, repetition=rule)).analyse(start, depth=1, past=past)
    assert found[Repetition.NONE].score < 0
    assert (found[Repetition.DRAW].score, found[Repetition.DRAW].best) == (0, "a1a2")
    assert found[Repetition.LOSS].score < 0
    assert found[Repetition.LOSS].best != "a1a2"
    # Once before is not enough, nor is a repetition of what was before a capture.
    [*_, second] = Engine(JUNGLE, options=replace(EXACT, repetition=Repetition.DRAW)).analyse(start, depth=1, past=past[4:])
    assert second.score == found[Repetition.NONE].score


def test_the_second_time_within_a_search_is_enough() -> None:
    """Two pieces that can only go to and fro are back after four plies, by a move of the second side."""
    game = toys.pacers()
    one = parse(game, game.start)
    evaluation = Evaluation({"A": (100,) * 4, "b": (50,) * 4})
    scores = {}
    for rule in Repetition:
        engine = Engine(game, options=replace(EXACT, repetition=rule), evaluation=evaluation)
        scores[rule] = [answer.score for answer in engine.analyse(one, depth=5)]
    assert scores[Repetition.NONE] == [50] * 5
    assert scores[Repetition.DRAW] == [50] * 3 + [0] * 2
    assert scores[Repetition.LOSS] == [50] * 3 + [REPEATER_LOSES] * 2


def test_the_limit_of_progress_draws() -> None:
    """A win that takes more plies without a capture than the limit allows is none."""
    position = parse(JUNGLE, "7/7/2C4/7/7/7/7/6d/7 w")
    scores = {}
    for limit in (0, 3, 4, 5, 10**30):
        [*_, last] = Engine(JUNGLE, options=replace(EXACT, progress=limit)).analyse(position, depth=5)
        scores[limit] = last.value
    won = Value(Outcome.WIN, 5)
    assert scores == {0: won, 3: None, 4: None, 5: won, 10**30: won}


@pytest.mark.parametrize(
    ("options", "limits", "sentence"),
    [
        ({}, {}, "give a depth, a time or a number of nodes"),
        ({}, {"depth": 0}, "the depth must be at least 1 ply, not 0"),
        ({}, {"seconds": -1.0}, "the time must be positive, not -1"),
        ({}, {"seconds": float("nan")}, "the time must be positive, not nan"),
        ({}, {"nodes": 0}, "the number of nodes must be positive, not 0"),
        ({}, {"depth": 3, "lines": 0}, "the number of lines must be positive, not 0"),
        ({}, {"depth": MOST_DEPTH + 1}, f"the supported {MOST_DEPTH} plies"),
        ({"hash_bytes": 63}, {}, "at least 64 bytes, not 63"),
        ({"hash_bytes": 1 << 50}, {}, "transposition table"),
        ({"threads": 0}, {}, "threads must be at least 1, not 0"),
        ({"table_bytes": -1}, {}, "the memory for tables must be at least 0"),
        ({"table_bytes": 1 << 50}, {}, "the table cache needs"),
        ({"table_pieces": -1}, {}, "the number of pieces to look up must be at least 0"),
        ({"progress": -1}, {}, "the number of plies without a capture must be at least 0"),
        *(({"repetition": word}, {}, f"unknown repetition rule '{word}': choose none, draw or loss") for word in ("xyz", None)),
    ],
)
def test_what_makes_no_sense_or_does_not_fit(options: dict[str, Any], limits: dict[str, Any], sentence: str) -> None:
    """Before the first answer, so that a caller that writes answers as they come has written nothing yet."""
    with pytest.raises(TablebaseError, match=sentence) as error:
        Engine(JUNGLE, options=replace(SMALL, **options)).analyse(ALONE, **limits)
    assert isinstance(error.value, CapacityError) == bool({1 << 50, MOST_DEPTH + 1}.intersection((options | limits).values()))


PAWNS = load_game("hexapawn")
PAWNS_START = parse(PAWNS, PAWNS.start)


def test_ways_of_the_same_move_are_one_line() -> None:
    """Where two steps go from one square to another, each move has one line all the same."""
    game, doubled = GAMES["corners"], 0
    engine = Engine(game, options=SMALL)
    for position in sampled(game, 12):
        moves = legal_moves(game, position)
        texts = sorted({render_move(game, move) for move in moves})
        answers = [answer for answer in engine.analyse(position, depth=2, lines=99) if answer.depth == 2]
        assert sorted(str(answer.best) for answer in answers) == texts
        doubled += len(moves) > len(texts)
    assert doubled


@pytest.mark.parametrize("lines", [1, 2, 3])
def test_a_search_without_a_depth_ends_when_all_is_proved(lines: int) -> None:
    """All lines of Hexapawn, which is over after seven plies; a search to a depth goes on."""
    engine = Engine(PAWNS, options=SMALL)
    answers = list(engine.analyse(PAWNS_START, nodes=10**9, lines=lines))
    assert answers[-1].depth <= 9
    assert [answer.rank for answer in answers[-lines:]] == list(range(1, lines + 1))
    assert all(answer.value for answer in answers[-lines:])
    assert list(engine.analyse(PAWNS_START, depth=20, lines=lines))[-1].depth == 20


def test_verdicts_on_repetitions() -> None:
    """Two pieces that go to and fro: the second side is the first to repeat a position, unless the first has done so before."""
    game = toys.pacers()
    start = parse(game, game.start)
    engine = Engine(game, options=replace(SMALL, exact=True, repetition=Repetition.LOSS))
    [*_, won] = engine.analyse(start, depth=4)
    assert (won.verdict, won.value) == ("win by repetition", None)
    past = [start, *after(game, start, ["a1b1", "a2b2", "b1a1", "b2a2"] * 2)]
    [lost] = engine.analyse(past[-1], depth=1, past=past[:-1])
    assert (lost.verdict, lost.value) == ("loss by repetition", None)


def test_at_the_root_the_move_is_the_tables(more_tables: Tablebase) -> None:
    """With the outcome and distance of a probe, as many lines as asked for, and no search."""
    with Tablebase(more_tables.folder) as tables:
        engine = Engine(JUNGLE, tables.prober, SMALL)
        for position in drawn(JUNGLE, 3, 20):
            probe = tables.probe(JUNGLE, position)
            answers = list(engine.analyse(position, depth=3, lines=2))
            assert [answer.best for answer in answers] == [move.move for move in probe.moves[:2]] or not probe.moves
            assert answers[0].value == probe.value
            assert {(answer.depth, answer.nodes) for answer in answers} == {(0, 0)}


def test_a_search_ends_in_tables(more_tables: Tablebase, three_pieces: Path) -> None:
    """With tables of two pieces, what is proved of three is true, further than the depth; and a line says where it ends."""
    beyond, reached = 0, 0
    with closing(Prober(three_pieces)) as prober:
        engine = Engine(JUNGLE, prober, replace(EXACT, table_pieces=2))
        for position in drawn(JUNGLE, 3, 200, seed=4):
            last = list(engine.analyse(position, depth=3))[-1]
            if last.value is not None and last.line:
                assert last.value.outcome is more_tables.probe_value(JUNGLE, position).outcome
                beyond += (last.value.distance or 0) > 3
            if last.reached is not None:
                end = after(JUNGLE, position, last.line)[-1]
                assert len(end.pieces) == 2
                assert last.reached == more_tables.probe_value(JUNGLE, end)
                reached += 1
    assert beyond > 1
    assert reached > 1
    assert not engine.missing


@pytest.mark.parametrize("pieces", [2, 3])
def test_scores_with_tables_are_those_of_minimax_over_tables(pieces: int, three_pieces: Path, more_tables: Tablebase) -> None:
    """Exactly, whichever chunks had to be read first, with room for the fewest chunks."""
    prober = Prober(three_pieces)
    engine = Engine(JUNGLE, prober, replace(EXACT, table_pieces=pieces, table_bytes=1))
    evaluation = JUNGLE.evaluation
    assert evaluation is not None

    def known(position: Position) -> naive.Pair | None:
        value = more_tables.probe_value(JUNGLE, position) if len(position.pieces) <= pieces else None
        return None if value is None else (str(value.outcome), value.distance)

    hits = 0
    for position in drawn(JUNGLE, pieces + 1, 12, seed=5):
        if legal_moves(JUNGLE, position):
            [*_, last] = engine.analyse(position, depth=2)
            assert last.score == minimax.minimax(JUNGLE, evaluation, position, 2, known=known)
            hits += last.table_hits
    prober.close()
    assert hits > 0


def check_depths(engine: Engine, position: Position, known: minimax.Known) -> int:
    """Compare the scores of depths 1 to 3 with those of the twin; return how many are results further away than the depth."""
    beyond, evaluation = 0, material_and_mobility(engine.game)
    for answer in engine.analyse(position, depth=3):
        assert answer.score == minimax.minimax(engine.game, evaluation, position, answer.depth, known=known)
        beyond += answer.value is not None and (answer.value.distance or 0) > answer.depth
    return beyond


def test_like_pieces_are_looked_up(hexapawns: Path) -> None:
    """Pawns beside pawns, in positions of up to four pieces, have the values of the twin."""
    game, prober = load_game("hexapawn"), Prober(hexapawns)
    engine = Engine(game, prober, replace(EXACT, table_pieces=4))

    def known(position: Position) -> naive.Pair | None:
        return naive.value(game, position) if len(position.pieces) <= 4 else None

    positions = [position for position in drawn(game, 5, 25) + drawn(game, 6, 25) if legal_moves(game, position)]
    assert sum(check_depths(engine, position, known) for position in positions) > 5
    prober.close()
    assert not engine.missing


def test_tiers_are_looked_up(tmp_path: Path) -> None:
    """From every position of tiers without a table, by steps that lead to tiers with one, which have the values of the twin."""
    game = load_game("foxhounds-4x4")
    assert run(["build", "foxhounds", "--size", "4x4", "--pieces", "3", "--data", str(tmp_path)]) == 0
    paths = {path.stem: path for path in (tmp_path / game.name / "3").glob("*.h5")}
    removed = {name for name in paths if int(name.partition("@")[2]) % 3}
    for name in removed:
        paths[name].unlink()

    def lacks(position: Position) -> bool:
        return material_name(game, material_of(game, position)) in removed

    def known(position: Position) -> naive.Pair | None:
        return None if lacks(position) else naive.value(game, position)

    prober = Prober(tmp_path)
    engine = Engine(game, prober, EXACT)
    placed = naive.placements(game, parse_material(game, min(paths)).kinds)
    positions = [Position(pieces, side) for pieces in placed for side in (0, 1)]
    positions = [position for position in positions if lacks(position) and legal_moves(game, position)]
    assert sum(check_depths(engine, position, known) for position in positions) > 30
    prober.close()
    assert engine.missing == removed


def test_chunks_make_room_for_others(three_pieces: Path) -> None:
    """With room for the fewest chunks, those that were read before are read again, and nothing changes."""
    prober = Prober(three_pieces)
    options = replace(EXACT, table_pieces=2, transpositions=False)
    roomy, narrow = (Engine(JUNGLE, prober, replace(options, table_bytes=size)) for size in (1 << 24, 1))
    # The dog can take the cat, which leaves a slice of its own each time.
    positions = [parse(JUNGLE, f"7/7/7/7/3c3/3D3/7/7/{other}6 w") for other in "rwdptle"] * 2
    scores = [[answer.score for position in positions for answer in each.analyse(position, depth=1)] for each in (roomy, narrow)]
    prober.close()
    assert scores[0] == scores[1]
    read = [engine._searchers[0].cache.misses for engine in (roomy, narrow)]
    assert FEWEST_CHUNKS < read[0] < read[1]


@pytest.mark.parametrize("strength", [None, 1], ids=["built", "packed"])
def test_codes_are_read_from_any_chunks(strength: int | None, three_pieces: Path, tmp_path: Path) -> None:
    """What is kept together is the same, also where a file has larger chunks than that."""
    folder, position = three_pieces, parse(JUNGLE, "7/7/3t3/7/7/C6/4E2/7/7 w")
    if strength:
        words = ["pack", "doushouqi", "--material", "CEvT", "--strength", str(strength)]
        assert run([*words, "--data", str(folder), "--to", str(tmp_path)]) == 0
        folder = tmp_path
    with closing(Store(folder)) as store:
        cache = TableCache(JUNGLE, store)
        assert cache._add_slice(position) == 0
        cache.arrays = cache._assemble()
        table = store.table(JUNGLE, material_of(JUNGLE, position))
        expected = recode(table.read(position.side), table.coding, FULL)
        assert (len(cache.arrays.places), table.header.chunk > CHUNK) == (2, strength is not None)
        for number in (1, 0):
            cache._read_chunk(0, number)
            codes = expected[number * CHUNK :][:CHUNK]
            assert cache._codes[cache.arrays.places[number]][: len(codes)].tolist() == codes.tolist()


def test_captures_into_missing_tables_are_searched(copied: Path) -> None:
    """With a score as if there were no tables at all, which for none of these captures is that of a draw."""
    for path in at_least_one(sorted((copied / "doushouqi" / "2").glob("*.h5"))[1:]):
        path.unlink()
    prober = Prober(copied)
    options = replace(EXACT, transpositions=False)
    engine, without = Engine(JUNGLE, prober, options), Engine(JUNGLE, options=options)
    for other in "rwptle":
        # The dog can take the cat.
        position = f"7/7/7/7/3c3/3D3/7/7/{other}6 w"
        found, expected = ({a.best: a.score for a in each.analyse(position, depth=1, lines=9)} for each in (engine, without))
        assert found == expected
        assert found["d4d5"] != 0
    prober.close()
    assert engine.missing == {f"Dv{other.upper()}" for other in "rwptle"}


def test_a_stale_or_damaged_table_ends_the_search(copied: Path, two_pieces: Path) -> None:
    """In the middle of a search, with the error that every reader of the table has; the engine can search on without it."""
    position = parse(JUNGLE, "7/7/7/7/3c3/3C3/3d3/7/7 w")
    # White can take the cat, which leaves a cat against a dog.
    path = table_path(copied, JUNGLE, locate(JUNGLE, parse_material(JUNGLE, "CvD"), 1).material)
    path.write_bytes(path.read_bytes()[:-100])
    with closing(Prober(copied)) as prober, pytest.raises(CorruptTableError):
        list(Engine(JUNGLE, prober, replace(EXACT, table_bytes=1)).analyse(position, depth=4))
    other = replace(JUNGLE, no_move=Outcome.LOSS)
    with closing(Prober(two_pieces)) as prober, pytest.raises(StaleTableError):
        list(Engine(other, prober, EXACT).analyse(position, depth=4))
    assert list(Engine(JUNGLE, options=EXACT).analyse(position, depth=4))[-1].depth == 4
