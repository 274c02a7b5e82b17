"""Tiers of games by compiled functions: solved, written, read and checked, against the slow twin."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.compiled import INVALID, Node, NumberGraph, line
from support.crafted import craft, sets, text
from support.faults import StoppedError
from twins import exact as twin

import tablebase
from tablebase.checking.tiers import verify_tier
from tablebase.errors import CapacityError, CorruptTableError, RulesError, StaleTableError
from tablebase.functions.exact import tier_solver
from tablebase.functions.exact.tier_files import TierFile, tier_path, write_tier
from tablebase.functions.exact.tier_listing import list_tiers
from tablebase.functions.exact.tier_solver import GroupSolver, Shelf, coding_for, new_shelf
from tablebase.functions.exact.tiers import TierGroup, tiers_of
from tablebase.game.compiled import DRAWN, LOST, WON, CompiledGame
from tablebase.game.key_lists import find_places, unrank, with_lists
from tablebase.game.native import rules_of
from tablebase.game.values import Outcome, Value
from tablebase.system.compute import threads
from tablebase.system.compute.kernel_cache import COMPILES
from tablebase.tables.checkpoints import TableCheckpoint
from tablebase.tables.values import FULL, NARROW_ANY

LISTED = replace(NumberGraph.functions, rank=None, unrank=None)


def solved(game: CompiledGame) -> Iterator[tuple[int, Shelf]]:
    """Solve the tiers of a game, each with the shelf that it is on."""
    tiers, shelves, longest = tiers_of(game), dict[int, Shelf](), dict[int, int]()
    for group in tiers.groups:
        coding = coding_for([longest[tier] for tier in group.after])
        shelf = new_shelf([(tier, tiers.sizes[tier]) for tier in (*group.tiers, *group.after)], coding, rules_of(game))
        for tier in group.after:
            codes = shelves[tier].of(tier)
            shelf.of(tier)[:] = np.where(codes == shelves[tier].coding.void, coding.void, codes)
        GroupSolver(game, group, shelf).solve()
        for tier in group.tiers:
            shelves[tier] = shelf
            codes = shelf.of(tier)
            longest[tier] = max([shelf.coding.value(code).distance or 0 for code in codes.tolist() if code != shelf.coding.void])
            yield tier, shelf


def values_of(game: NumberGraph) -> dict[int, Value]:
    """The value of each position for the player to move; void ranks must be those behind the positions."""
    values = {}
    for tier, shelf in solved(game):
        codes, members = shelf.of(tier).tolist(), game.members[tier]
        assert codes[len(members) :] == [shelf.coding.void] * INVALID
        values |= {position: shelf.coding.value(code) for position, code in zip(members, codes, strict=False)}
    return values


def listed_values(game: NumberGraph) -> dict[int, Value]:
    """The value of each position that is listed."""
    tiers, shelves, values = list_tiers(game, 1 << 30), dict[int, Any](), dict[int, Value]()
    for group in tiers.groups:
        members = (*group.tiers, *group.after)
        rules = with_lists(game.rules, {tier: tiers.keys[tier] for tier in members})
        shelf = new_shelf([(tier, tiers.sizes[tier]) for tier in members], NARROW_ANY, rules)
        for tier in group.after:
            shelf.of(tier)[:] = shelves[tier]
        GroupSolver(game, group, shelf).solve()
        for tier in group.tiers:
            shelves[tier] = shelf.of(tier)
            keys = tiers.keys[tier].tolist()
            values |= {key: shelf.coding.value(code) for key, code in zip(keys, shelf.of(tier).tolist(), strict=True)}
    return values


def files_of(folder: Path, game: CompiledGame, stack: ExitStack, change: Any = lambda *_: None) -> list[TierFile]:
    """The files of all tiers, open, whose codes may be changed before they are written."""
    files = []
    for tier, shelf in list(solved(game)):
        codes = shelf.of(tier).copy()
        change(tier, codes)
        path = tier_path(folder, game, tier)
        write_tier(path, game, tier, sorted(game.after(tier)), codes, shelf.coding, None).rename(path)
        files.append(stack.enter_context(closing(TierFile(path, game, str(tier)))))
    return files


def check(files: Sequence[TierFile]) -> None:
    for file in files:
        verify_tier(file, [other for other in files if other is not file])


@st.composite
def games(draw: st.DrawFn) -> NumberGraph:
    """Any graph in tiers: players move in any order, into circles, to themselves, and never back to an earlier tier."""
    size = draw(st.integers(2, 14))
    tiers = sorted(draw(st.lists(st.integers(0, 3), min_size=size, max_size=size)))
    tiers = [tier - tiers[0] for tier in tiers]
    nodes = []
    for number in range(size):
        later = [other for other in range(size) if tiers[other] >= tiers[number]]
        after = draw(st.lists(st.sampled_from(later), min_size=number == 0, max_size=4))
        result = 0 if after else draw(st.sampled_from((WON, LOST, DRAWN)))
        nodes.append(Node(draw(st.integers(0, 1)), after, result))
    # All moves may lead to one position.
    return NumberGraph(nodes, tiers, most_moves=4 * size)


def twin_values(game: NumberGraph) -> dict[int, tuple[str, int | None]]:
    """The value of each position that can be reached, for the player to move."""
    return {
        position: ("draw" if winner is None else "win" if winner == game.nodes[position].player else "loss", distance)
        for position, (winner, distance) in twin.values(game).items()
    }


@settings(max_examples=4 * settings().max_examples)
@given(games())
def test_values_of_any_graph(game: NumberGraph) -> None:
    """Each value is that of the twin: circles within tiers and across them, several moves in a row, draws that are ends."""
    found, expected = values_of(game), twin_values(game)
    assert {position: found[position] for position in expected} == expected


@settings(max_examples=2 * settings().max_examples)
@given(games())
def test_values_of_listed_positions(game: NumberGraph) -> None:
    """Without ranks, exactly the positions that the start leads to are listed, with the values of the twin."""
    game.functions = LISTED
    assert listed_values(game) == twin_values(game)


def test_a_move_to_an_earlier_tier_is_refused() -> None:
    """Of listed positions, the tier must not fall."""
    game = NumberGraph([Node(0, [1]), Node(1, [2]), Node(0, result=LOST)], [1, 0, 0])
    game.functions = LISTED
    with pytest.raises(RulesError, match="a move leads from tier 1 of numbers to tier 0: number tiers"):
        list_tiers(game, 1 << 30)
    game = line(5)
    game.functions = LISTED
    with pytest.raises(CapacityError, match="listing the positions of numbers needs more than"):
        list_tiers(game, 8)


@given(st.sets(st.integers(0, (1 << 62) - 1), min_size=1, max_size=60), st.sets(st.integers(0, 300), min_size=1, max_size=60))
def test_ranks_of_listed_positions(far: set[int], near: set[int]) -> None:
    """They are places in the sorted list of a tier, of positions far apart or close together; others have none."""
    lists = {1: np.array(sorted(far)), 3: np.array(sorted(near))}
    rules = with_lists([7, 7], lists)

    def places(number: int, keys: list[int]) -> list[int]:
        found, room = np.array(keys), np.empty((3, len(keys)), np.int64)
        room[0] = number
        find_places(rules, room[0], found, len(keys), room[1], room[2])
        return found.tolist()

    for number, keys in lists.items():
        known = keys.tolist()
        assert [unrank(rules, number, place) for place in range(len(known))] == known
        others = sorted({key + step for key in known for step in (-1, 1)} - set(known))
        assert places(number, known + others) == [*range(len(known)), *[-1] * len(others)]
    for absent in (-1, 0, 2, 4):
        assert places(absent, [min(far)]) == [-1]


@given(games(), st.data())
def test_every_wrong_code_is_found(tmp_path_factory: pytest.TempPathFactory, game: NumberGraph, data: st.DataObject) -> None:
    """The check accepts the tables of any graph, and no table in which one code is another one."""
    with ExitStack() as stack:
        files = files_of(tmp_path_factory.mktemp("sound"), game, stack)
        check(files)
        tier = data.draw(st.sampled_from([file.tier for file in files]))
        rank = data.draw(st.integers(0, len(game.members[tier]) - 1))

        def change(changed: int, codes: Any) -> None:
            if changed == tier:
                codes[rank] = data.draw(st.sampled_from([code for code in range(40) if code != codes[rank]]))

        wrong = files_of(tmp_path_factory.mktemp("wrong"), game, stack, change)
        with pytest.raises(CorruptTableError, match="contains an error"):
            check(wrong)


def test_a_loss_takes_the_longest_way() -> None:
    """Position 0 is lost within its tier in two plies, but by the way out of it in four."""
    nodes = [Node(0, [1, 2]), Node(1, [0, 5]), Node(1, [3]), Node(0, [4]), Node(1, [5]), Node(0, result=LOST)]
    assert values_of(NumberGraph(nodes, [0, 0, 1, 1, 1, 2]))[0] == ("loss", 4)


@pytest.mark.parametrize("length", [124, 125, 126, 127, 300])
def test_distances_beyond_a_byte(length: int, tmp_path: Path) -> None:
    """They take two bytes from 126 plies on; the positions of an earlier tier and the check follow."""
    game = line(length)
    assert values_of(game)[0] == ("win" if length % 2 else "loss", length)
    with ExitStack() as stack:
        files = files_of(tmp_path, game, stack)
        check(files)
        assert [file.coding for file in files] == [NARROW_ANY, FULL if length > 125 else NARROW_ANY]
        assert files[1].counts.longest_win == length - 1 + length % 2


@pytest.mark.parametrize(("length", "first"), [(125, Node(0, [1])), (200, Node(1, [1]))], ids=["in a row", "later tiers"])
def test_a_move_before_a_long_line(length: int, first: Node, tmp_path: Path) -> None:
    """A win in 126 plies takes two bytes; so does a group without circles, if its moves lead to a group that has them."""
    nodes = [Node(node.player, [1 + child for child in node.after], node.result) for node in line(length).nodes]
    game = NumberGraph([first, *nodes], [0] * 126 + [1] if length == 125 else [0, *[1] * 200, 2])
    assert values_of(game)[0] == ("win", length + 1)
    with ExitStack() as stack:
        files = files_of(tmp_path, game, stack)
        check(files)
        assert max(file.counts.longest_win or 0 for file in files) == length + 1


def test_functions_that_contradict_each_other() -> None:
    """A move to a tier that `after` lacks, a rank behind the last one, and more moves than there may be, are sentences."""
    nodes = [Node(0, [1, 2]), Node(1, result=LOST), Node(1, result=LOST)]
    sound = NumberGraph(nodes, [0, 1, 2])
    assert values_of(sound)[0] == ("win", 1)

    class Undeclared(NumberGraph):
        def after(self, tier: int) -> set[int]:
            return super().after(tier) - {2}

    class Short(NumberGraph):
        def size(self, tier: int) -> int:
            return super().size(tier) - INVALID - (tier == 1)

    for game in (Undeclared(nodes, [0, 1, 2]), Short([*nodes[:2], Node(1, result=WON)], [0, 1, 1])):
        with pytest.raises(RulesError, match=r"in 0, moves, rank, tier and after contradict each other.*check-rules numbers"):
            dict(solved(game))
    with pytest.raises(RulesError, match="more moves than most_moves"):
        dict(solved(NumberGraph([Node(0, [1] * 5), nodes[1]], [0, 1], most_moves=4)))


@pytest.mark.skipif(not COMPILES, reason="nothing is compiled")
def test_a_function_that_cannot_be_compiled_is_named() -> None:
    """Tables need it together with others."""
    game = line(3)
    game.functions = replace(NumberGraph.functions, tier=lambda rules, position: rules.unknown + position)
    shelf = new_shelf([(0, 3)], NARROW_ANY, rules_of(game))
    with pytest.raises(RulesError, match="tier of numbers cannot be compiled"):
        GroupSolver(game, TierGroup((0,), (), False), shelf)


def codes_of(game: CompiledGame) -> list[bytes]:
    return [shelf.of(tier).tobytes() for tier, shelf in solved(game)]


def test_lists_of_moves_may_need_too_much_memory() -> None:
    """The sentence names the tiers, what they need, and `unmoves`; a tier without circles needs neither."""
    game = line(4)
    game.functions = replace(NumberGraph.functions, unmoves=None)
    tiers = tiers_of(game)
    shelf = new_shelf([(tier, tiers.sizes[tier]) for tier in (0, 1)], NARROW_ANY, rules_of(game))
    with pytest.raises(CapacityError, match=r"solving 0 of numbers needs 84 bytes.*function unmoves"):
        GroupSolver(game, tiers.group_of(0), shelf, allowed=83).solve()
    game = NumberGraph([Node(0, [1]), Node(1, result=LOST)], [0, 1])
    game.functions = replace(NumberGraph.functions, unmoves=None)
    assert values_of(game)[0] == ("win", 1)


def few_at_a_time(patch: pytest.MonkeyPatch) -> None:
    """Give threads a few ranks at a time, and room for a few predecessors."""
    for name, value in {"BLOCK": 3, "ROUND": 2, "TOLD": 1, "FEW": 0}.items():
        patch.setattr(tier_solver, name, value)


@pytest.mark.parametrize("unmoves", [NumberGraph.functions.unmoves, None], ids=["unmoves", "lists"])
@given(games())
def test_bytes_do_not_depend_on_threads(unmoves: Any, game: NumberGraph) -> None:
    """The same codes with one thread and three, in small parts and large ones, with `unmoves` and with lists of moves."""
    expected = codes_of(game)
    game.functions = replace(NumberGraph.functions, unmoves=unmoves)
    assert codes_of(game) == expected
    with pytest.MonkeyPatch.context() as patch:
        few_at_a_time(patch)
        assert codes_of(game) == expected
        with threads.use(3):
            assert codes_of(game) == expected


@pytest.mark.parametrize("unmoves", [NumberGraph.functions.unmoves, None], ids=["unmoves", "lists"])
def test_a_block_with_many_predecessors(monkeypatch: pytest.MonkeyPatch, unmoves: Any) -> None:
    """Those of a second position, for which there is no room, are told later."""
    few_at_a_time(monkeypatch)
    lost = Node(1, result=LOST)
    nodes = [Node(0, [6, 1]), Node(0, [6]), Node(0, [7]), Node(0, [7]), Node(1, [0]), Node(0, [4]), lost, lost]
    game = NumberGraph(nodes, [0] * 8, most_moves=2)
    game.functions = replace(NumberGraph.functions, unmoves=unmoves)
    assert [value.distance for _, value in sorted(values_of(game).items())] == [1, 1, 1, 1, 2, 3, 0, 0]


def test_the_first_position_may_have_the_most_predecessors(monkeypatch: pytest.MonkeyPatch) -> None:
    """There is room for a list of them, or the solver would never come to an end."""
    few_at_a_time(monkeypatch)
    game = NumberGraph([Node(0, [0, 3]), Node(1, [0]), Node(1, [0]), Node(1, result=LOST)], [0, 0, 0, 1])
    game.functions = replace(NumberGraph.functions, unmoves=None)
    shelf = new_shelf([(tier, tiers_of(game).sizes[tier]) for tier in (0, 1)], NARROW_ANY, rules_of(game))
    shelf.of(1)[0] = NARROW_ANY.code(Value(Outcome.LOSS, 0))
    rounds = iter(range(100))
    GroupSolver(game, tiers_of(game).group_of(0), shelf, lambda: next(rounds)).solve()
    assert [NARROW_ANY.value(code).distance for code in shelf.of(0)[:3].tolist()] == [1, 2, 2]


@pytest.mark.parametrize("unmoves", [NumberGraph.functions.unmoves, None], ids=["unmoves", "lists"])
@pytest.mark.parametrize(("length", "rounds"), [(9, 4), (130, 400)])
def test_a_group_that_is_stopped_is_resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, unmoves: Any, length: int, rounds: int
) -> None:
    """Stopped again and again, after a few rounds each, it comes to the same codes."""
    few_at_a_time(monkeypatch)
    game = line(length)
    game.functions = replace(NumberGraph.functions, unmoves=unmoves)
    tiers, starts = tiers_of(game), 0
    group = tiers.group_of(0)

    def tick() -> None:
        nonlocal left
        left -= 1
        if left == 0:
            raise StoppedError

    while True:
        shelf = new_shelf([(tier, tiers.sizes[tier]) for tier in (0, 1)], NARROW_ANY, rules_of(game))
        shelf.of(1)[:] = [3] + [255] * INVALID
        left, starts = rounds, starts + 1
        try:
            GroupSolver(game, group, shelf, tick, TableCheckpoint(tmp_path / "0.h5", "numbers")).solve()
            break
        except StoppedError:
            continue
    assert starts > 5
    assert shelf.of(0).tobytes() == next(shelf.of(0).tobytes() for tier, shelf in solved(line(length)) if tier == 0)


def test_positions_with_too_many_moves() -> None:
    """Counts of the moves that stay in a group have a byte."""
    nodes = [Node(0, list(range(1, 256))), *[Node(1, [0])] * 255]
    fewer = [Node(0, list(range(1, 255))), *nodes[1:255]]
    assert values_of(NumberGraph(fewer, [0] * 255, most_moves=300))[0].distance is None
    with pytest.raises(CapacityError, match="255 different moves in a group of tiers, but only 254"):
        dict(solved(NumberGraph(nodes, [0] * 256, most_moves=300)))


def test_tiers_of_a_declaration() -> None:
    """Tiers that lead to each other are one group, after all that they lead to."""
    nodes = [Node(0, [1]), Node(1, [0, 2]), Node(0, [2, 3]), Node(1, result=LOST)]
    tiers = tiers_of(NumberGraph(nodes, [0, 1, 2, 3]))
    assert [(group.tiers, group.after, group.is_cyclic) for group in tiers.groups] == [
        ((3,), (), False),
        ((2,), (3,), True),
        ((0, 1), (2,), True),
    ]
    assert [group.tiers for group in tiers.needed({2})] == [(3,), (2,)]
    with pytest.raises(RulesError, match="unknown tier '7'"):
        tiers.numbered("7")


def test_a_file_of_other_rules_or_of_another_tier(tmp_path: Path) -> None:
    game, other = line(5), line(6)
    with ExitStack() as stack:
        files = files_of(tmp_path, game, stack)
        last, first = (file.path for file in files)
    with pytest.raises(StaleTableError):
        TierFile(first, other, "0")
    with pytest.raises(CorruptTableError, match="does not contain the table 1 of numbers"):
        TierFile(first, game, "1")
    craft(last, sets("number", 2))
    with pytest.raises(CorruptTableError, match="its number belongs to another tier"):
        TierFile(last, game, "1")
    craft(first, text("counts", b"[]"))
    with pytest.raises(CorruptTableError, match="contains invalid position counts"):
        TierFile(first, game, "0")


def test_texts_are_looked_up(tmp_path: Path) -> None:
    """One that is not a position has no value, even if functions take -1 for a position; nor has a negative number."""
    game = line(5)
    with ExitStack() as stack:
        files_of(tmp_path, game, stack)
    with tablebase.open(tmp_path) as tables:
        answers = tables.probe_many(game, ["0", "x", "5"])
        assert [answers.values(), list(answers.errors)] == [
            [tables.probe_value(game, "0"), None, tables.probe_value(game, "5")],
            [1],
        ]
        assert tables.probe_many(game, np.array([-1])).values() == [None]


def test_counts_are_checked(tmp_path: Path) -> None:
    """A file that counts other positions than it has is wrong, even if all codes are right."""
    game = line(5)
    with ExitStack() as stack:
        files = files_of(tmp_path, game, stack)
        check(files)
        path = files[1].path
    with h5py.File(path) as file:
        counts = bytes(file.attrs["counts"])
    assert b'"wins": 3' in counts
    craft(path, text("counts", counts.replace(b'"wins": 3', b'"wins": 2')))
    with ExitStack() as stack:
        again = [stack.enter_context(closing(TierFile(file.path, game, file.name))) for file in files]
        with pytest.raises(CorruptTableError, match="statistics that do not match its values"):
            check(again)
