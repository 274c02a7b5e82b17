"""The engine with tables inside the search: what it looks up, and what it does without."""

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from support.checks import at_least_one
from support.games import after, drawn
from twins import minimax, naive

from tablebase.commands.program import run
from tablebase.commands.tablebase import Tablebase
from tablebase.errors import CorruptTableError, StaleTableError
from tablebase.game import Outcome, load_game
from tablebase.game.moves import Position, legal_moves
from tablebase.game.notation import parse
from tablebase.probe.prober import Prober
from tablebase.search import Engine, Options
from tablebase.search.evaluation import material_and_mobility
from tablebase.search.table_cache import CHUNK, FEWEST_CHUNKS, TableCache
from tablebase.slices.location import locate
from tablebase.slices.material import material_name, material_of, parse_material
from tablebase.tables.folder import table_path
from tablebase.tables.store import Store
from tablebase.tables.values import FULL, recode

JUNGLE = load_game("doushouqi")
SMALL = Options(hash_bytes=1 << 20, table_bytes=1 << 22)
EXACT = replace(SMALL, exact=True)


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
    if strength:
        answers = [
            [(one.value, one.best) for one in engine.analyse("7/7/3t3/7/7/C6/3wE2/7/7 w", depth=2)]
            for engine in (Engine(JUNGLE, Prober(one), EXACT) for one in (folder, three_pieces))
        ]
        assert answers[0] == answers[1] != []


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
