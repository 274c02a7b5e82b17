"""Men's morris: moves against a slow twin, symmetries, results by hand, and published numbers."""

import re
from collections.abc import Iterator
from contextlib import closing
from itertools import islice
from math import comb
from pathlib import Path
from random import Random
from shutil import copy
from typing import Any

import pytest
from support.program import Ask
from twins import mens_morris as twin

import tablebase
from tablebase.functions.exact.tier_listing import list_tiers
from tablebase.functions.exact.tiers import tiers_of
from tablebase.game.compiled import Functions
from tablebase.game.installed import load_rules
from tablebase.game.ranks import bits
from tablebase.game.rules import OVER, legal
from tablebase.testing.contract import playout
from tablebase_rules import mens_morris
from tablebase_rules.mens_morris import MensMorris

VARIANTS = [(3, 2, "yes"), (6, 2, "no"), (4, 3, "yes"), (9, 3, "no")]


def positions(game: MensMorris, count: int) -> Iterator[int]:
    rng, tiers = Random(1), tiers_of(game)
    for _ in range(count // 100):
        yield from islice(playout(game, rng), 100)
    names = list(tiers)
    for _ in range(count):
        tier = rng.choice(names)
        position = game.position_at(tier, rng.randrange(tiers.sizes[tier]))
        if position is not None:
            yield position


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_moves_are_those_of_the_twin(variant: tuple[int, int, str]) -> None:
    """Each move with its text and the position after it, and who has lost."""
    _, rings, flying = variant
    game, captures, ends = mens_morris.game(*variant), 0, 0
    for position in positions(game, 300):
        text = game.format(position)
        found = twin.look(text, rings, flying=flying == "yes")
        assert {move: game.format(child) for move, child in legal(game, position).items()} == found.moves, text
        ending = game.result(position)
        assert (ending is None) == (found.mover is not None)
        assert game.to_move(position) == (OVER if ending else found.mover)
        if ending is not None:
            assert ending.winner == found.winner
            ends += 1
        captures += any("x" in move for move in found.moves)
    assert captures > 10
    assert ends > 0


def test_moves_by_hand() -> None:
    """Men in mills are taken only if all are; three men fly."""
    game = mens_morris.game(men=5, rings=2, flying="no")
    # Black has a mill on e1, c1 and a1, and in the first position a man on c4.
    for text, taken in (("w.w.bbb./.b.....w w 2", {"c5xc4"}), ("w.w.bbb./w....... w 2", {"c5xe1", "c5xc1", "c5xa1"})):
        assert {move for move in legal(game, game.parse(text)) if "x" in move} == taken
    # With nine men each, two rings can be full before all men are placed.
    for men, text, said in (
        (5, "wwb....b/wb.....b w 0", "White cannot move"),
        (5, "ww....../bbb..... w 0", "White has two men"),
        (9, "wwbwbbwb/bbwbwwbw w 2", "White cannot move"),
    ):
        played = mens_morris.game(men=men, rings=2, flying="no")
        ending = played.result(played.parse(text))
        assert ending is not None
        assert (ending.winner, ending.said) == (1, said)
    three = game.parse("w.w..b.b/w...b... w 0")
    flying = mens_morris.game(men=5, rings=2, flying="yes")
    # The man on b4 can close a mill on c5, and take one of three men.
    assert len(legal(game, three)) < len(legal(flying, three)) == 3 * 10 - 1 + 3


def test_ranks_of_nine_mens_morris() -> None:
    """Three men against three have 210,140 ranks, as in Malom's files; all tiers of moving men those of the product of orbits."""
    game = mens_morris.game(9, 3)
    sizes = {name: tiers_of(game).sizes[tier] for tier, name in tiers_of(game).names.items()}
    assert sizes["3-3"] == 210_140 == 158 * comb(21, 3)
    moving = [sizes[f"{own}-{other}"] for own in range(3, 10) for other in range(3, 10)]
    assert sum(moving) == 9_193_626_407


def test_three_against_three(tmp_path: Path) -> None:
    """Gasser: 83 % are won, and the longest loss takes 26 plies."""
    data = tmp_path / "data"
    tablebase.build("mens_morris", variant=["men=3", "rings=3"], data=data, tiers="3-3")
    with closing(tablebase.open(data)) as tables:
        row = next(row for row in tables.stats("mens_morris-men=3-rings=3").rows if row["tier"] == "3-3")
    assert row["ranks"] == 210_140
    assert (row["positions"], row["longest_loss"]) == (169_626, 26)
    assert round(100 * row["wins"] / row["positions"], 1) == 82.9


def without_ranks(men: int, flying: str) -> MensMorris:
    """A game whose positions are listed, without symmetry: a tier is the men placed and those lost."""

    class Listed(MensMorris):
        functions = Functions(mens_morris.to_move, mens_morris.moves, placed_and_lost)

    return Listed(men, 2, flying)


def placed_and_lost(_rules: Any, position: int) -> int:
    placed = position >> mens_morris.PLACED
    return placed << 5 | placed - bits(position & mens_morris.ALL) - bits(position >> 24 & mens_morris.ALL)


@pytest.mark.parametrize(
    ("men", "flying", "count"),
    [
        pytest.param(4, "no", 4_111_151, marks=pytest.mark.full),
        pytest.param(4, "yes", 4_111_327, marks=pytest.mark.full),
        pytest.param(5, "no", 17_844_721, marks=pytest.mark.release),
    ],
)
def test_known_numbers(men: int, flying: str, count: int) -> None:
    """A public solver counts as many positions, without symmetry."""
    assert sum(map(len, list_tiers(without_ranks(men, flying), 1 << 32).keys.values())) == count


@pytest.mark.full
def test_the_plan_of_nine_mens_morris(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ask: Ask) -> None:
    """The example of a batch file has no mistake, and ends with the opening."""
    copy(Path(__file__).parents[2] / "docs" / "examples" / "nine_mens_morris.toml", tmp_path)
    monkeypatch.chdir(tmp_path)
    answer = ask("batch", "nine_mens_morris.toml", "--dry-run")
    assert answer.code == 0, answer.err
    assert re.findall(r"^mens_morris-men=9-rings=3(.*?)  ", answer.out, re.MULTILINE)[-2:] == [" --tiers 9-9", ""]


@pytest.mark.parametrize("men", [4, pytest.param(5, marks=pytest.mark.full), pytest.param(6, marks=pytest.mark.full)])
@pytest.mark.parametrize("flying", ["yes", "no"])
def test_two_rings_are_drawn(men: int, flying: str, tmp_path: Path) -> None:
    """A public solver finds draws with four, five and six men, flying or not."""
    name = f"mens_morris-men={men}-flying={flying}"
    tablebase.build(name, data=tmp_path)
    with closing(tablebase.open(tmp_path)) as tables:
        assert tables.probe(name, load_rules(name).format(0)).outcome == "draw"
