"""The conformance suite of games with chance passes good rules, and each check finds the fault that it is there for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any
from unittest import SkipTest

import pytest
from support.pigs import COMPILED, PLAIN, Small, failures, only_failure

from tablebase.errors import NotationError
from tablebase.game.stochastic import OVER, Draw, State, StochasticGame
from tablebase.testing import STATE_CHECKS, StochasticGameTests, check_rules, states
from tablebase_rules import pig


class TestPig(StochasticGameTests):
    """The rules that come with the package pass."""

    samples = 500

    def game(self) -> StochasticGame:
        """The game to 100."""
        return pig.game()


class TestThreePlayers(StochasticGameTests):
    """A game without kernels passes, three tests skipped."""

    samples = 500

    def game(self) -> StochasticGame:
        """With a small die."""
        return Small()


def test_good_rules_pass() -> None:
    """With and without kernels, and each check has looked at something."""
    for game, names in ((Small(2), PLAIN + COMPILED), (Small(3), PLAIN)):
        results = check_rules(game, samples=300)
        assert [result.name for result in results] == names
        assert [result.failure for result in results if result.failure] == []
        assert all(result.cases > 0 and result.shows.endswith(".") for result in results)


def test_each_check_is_a_test() -> None:
    """`StochasticGameTests` has one documented test for each check and no other."""
    tests = {name: test.__doc__ for name, test in vars(StochasticGameTests).items() if name.startswith("test_")}
    assert tests == {f"test_{check.name}": check.shows for check in STATE_CHECKS}
    assert [check.name for check in STATE_CHECKS] == [*PLAIN, *COMPILED, "evaluation"]


def test_a_test_class_skips_what_does_not_apply() -> None:
    """A test of kernels that the game does not have is skipped by name."""
    with pytest.raises(SkipTest, match="pig has no index"):
        TestThreePlayers().run_check("index")


def test_a_test_class_fails_with_the_sentence() -> None:
    """A test inherited from `StochasticGameTests` fails with what the check says; one without a game says what is missing."""

    class Broken(TestPig):
        def game(self) -> StochasticGame:
            return HeavyDie()

    with pytest.raises(AssertionError, match="add up to 7/6, not to 1"):
        Broken().run_check("draws")
    with pytest.raises(NotImplementedError, match="StochasticGameTests must define game"):
        StochasticGameTests().run_check("draws")


# Faults of the plain functions, each in a game that is faultless otherwise.


class Alone(Small):
    """A game that says it is for one player."""

    def __init__(self) -> None:
        super().__init__()
        self.players = 1


class StartInTheMiddle(Small):
    """The first player has a total already."""

    def __init__(self) -> None:
        super().__init__()
        self.start = (0, 0, 0, 0, 2, 0)


class StartAtTheEnd(Small):
    """The first player has won already."""

    def __init__(self) -> None:
        super().__init__()
        self.start = (4, 0, 0, 1, 0, 0)


class Growing(Small):
    """A number more after a roll."""

    def moves(self, state: State) -> dict[int, State]:
        """Only rolling is wrong, and its state works as the right one does."""
        return {code: (*after[:6], *[0] * code) for code, after in super().moves(state[:6]).items()}

    def to_move(self, state: State) -> int:
        """As for the right one."""
        return super().to_move(state[:6])

    def draws(self, state: State) -> tuple[Draw, ...]:
        """As for the right one."""
        return super().draws(state[:6])

    def begins_turn(self, state: State) -> bool:
        """As for the right one."""
        return super().begins_turn(state[:6])

    def format(self, state: State) -> str:
        """As it is."""
        return " ".join(map(str, state))

    def parse(self, text: str) -> State:
        """As it is."""
        return tuple(map(int, text.split()))


class Listed(Small):
    """States after a draw are lists."""

    def draws(self, state: State) -> tuple[Draw, ...]:
        """The right ones otherwise."""
        return tuple(replace(draw, state=list(draw.state)) for draw in super().draws(state))  # type: ignore[arg-type]

    def parse(self, text: str) -> State:
        """A list while a total is open."""
        state = super().parse(text)
        return list(state) if state[-2] or state[-1] else state  # type: ignore[return-value]


class Nobody(Small):
    """The player to move does not exist."""

    def to_move(self, state: State) -> int:
        """The third player is called the fourth."""
        mover = super().to_move(state)
        return 3 if mover == 2 else mover


class Stuck(Small):
    """Two points in a turn cannot be held, nor can the die be rolled."""

    def moves(self, state: State) -> dict[int, State]:
        """None with such a total."""
        return {} if state[-2] == 2 else super().moves(state)


class Restless(Small):
    """A player who has won may hold once more."""

    def moves(self, state: State) -> dict[int, State]:
        """Also where the game is over."""
        return super().moves(state) or {pig.HOLD: self.start}


class Worded(Small):
    """Codes are words."""

    def moves(self, state: State) -> dict[int, State]:
        """By the words for people."""
        return {self.code_text(code): after for code, after in super().moves(state).items()}  # type: ignore[misc]


class Drawn(Small):
    """A game whose draws are changed by a function."""

    def change(self, draws: tuple[Draw, ...]) -> tuple[Draw, ...]:
        """To be defined."""
        raise NotImplementedError

    def draws(self, state: State) -> tuple[Draw, ...]:
        """The changed ones."""
        return self.change(super().draws(state))


class HeavyDie(Drawn):
    """The last face has a probability of a half."""

    def change(self, draws: tuple[Draw, ...]) -> tuple[Draw, ...]:
        """The first draws are right."""
        return (*draws[:-1], replace(draws[-1], probability=Fraction(1, 2)))


class NeverDie(Drawn):
    """The last face never comes, the first one instead."""

    def change(self, draws: tuple[Draw, ...]) -> tuple[Draw, ...]:
        """The sum is right."""
        first, second, last = draws
        return replace(first, probability=Fraction(2, 3)), second, replace(last, probability=Fraction(0))


class FloatingDie(Drawn):
    """Probabilities are not exact."""

    def change(self, draws: tuple[Draw, ...]) -> tuple[Draw, ...]:
        """Of the last face."""
        return (*draws[:-1], replace(draws[-1], probability=1 / 3))  # type: ignore[arg-type]


class TwinDie(Drawn):
    """Two faces look alike."""

    def change(self, draws: tuple[Draw, ...]) -> tuple[Draw, ...]:
        """The second one has the first one's label."""
        return (draws[0], replace(draws[1], label=draws[0].label), draws[2])


class WordyDie(Drawn):
    """A label of two words."""

    def change(self, draws: tuple[Draw, ...]) -> tuple[Draw, ...]:
        """Of the first face."""
        return (replace(draws[0], label="a one"), *draws[1:])


class OpenEnd(Small):
    """The end of the game is in the middle of a turn."""

    def begins_turn(self, state: State) -> bool:
        """Not where the game is over."""
        return super().begins_turn(state) and self.to_move(state) != OVER


class Unsure(Small):
    """Whether a turn begins is a number, once the game has gone on for a while."""

    def begins_turn(self, state: State) -> bool:
        """As the total is."""
        return True if state == self.start else int(super().begins_turn(state))  # type: ignore[return-value]


class Undecided(Small):
    """A roll may be taken back."""

    def draws(self, state: State) -> tuple[Draw, ...]:
        """The die may also stand on its edge."""
        draws = [replace(draw, probability=draw.probability / 2) for draw in super().draws(state)]
        return (*draws, Draw(Fraction(1, 2), "edge", (*state[:-1], 0)))


class Ranked(Small):
    """A game whose places are given."""

    given: Any = ()

    def places(self, _: State) -> tuple[int, ...]:
        """Always the same."""
        return self.given  # type: ignore[no-any-return]


class Forgetful(Small):
    """The total is not written."""

    def format(self, state: State) -> str:
        """As at the beginning of the turn."""
        return super().format((*state[:-2], 0, state[-1]))


class Strict(Small):
    """States in the middle of a turn cannot be read."""

    def parse(self, text: str) -> State:
        """Only what a turn begins with."""
        state = super().parse(text)
        if not self.begins_turn(state):
            raise NotationError("a turn must begin")
        return state


class Tall(Small):
    """States have two lines."""

    def format(self, state: State) -> str:
        """The player to move is below the scores."""
        return super().format(state).replace(" ", "\n", 1)


class Optional(Small):
    """An option is a fraction."""

    def __init__(self) -> None:
        super().__init__()
        self.options = {**self.options, "share": 0.5}  # type: ignore[dict-item]


class Placed(Small):
    """A digest that depends on where in memory the game is."""

    @property
    def digest(self) -> str:  # type: ignore[override]
        """Something else for each object."""
        return str(id(self))


def ranked(places: Any) -> StochasticGame:
    """A game with these places at its end."""
    game = Ranked()
    game.given = places
    return game


WRONG: Mapping[str, tuple[Callable[[], StochasticGame], str, str]] = {
    "one player": (Alone, "start", "pig has 1 players, but a game needs two or more"),
    "a start in the middle of a turn": (StartInTheMiddle, "start", "no turn begins at the start, 0,0,0 1 2"),
    "a start at the end": (StartAtTheEnd, "start", "the game is over at the start, 4,0,0 2 0"),
    "a number too many": (Growing, "states", "has 7 numbers, but the start has 6"),
    "states that are lists": (Listed, "states", "is not a tuple of whole numbers"),
    "a player that is none": (Nobody, "states", "the player to move is 3, but players are numbered from 0 to 2"),
    "a player without a move": (Stuck, "moves", "has no moves, but a player is to move"),
    "moves after the end": (Restless, "moves", "has moves, but no player is to move"),
    "codes that are words": (Worded, "moves", "has a move with the code 'hold', which is not a whole number"),
    "probabilities that do not add up": (HeavyDie, "draws", "add up to 7/6, not to 1"),
    "a probability of 0": (NeverDie, "draws", "has the probability Fraction(0, 1), which is not a fraction above 0"),
    "a floating-point probability": (FloatingDie, "draws", "has the probability 0.333"),
    "labels alike": (TwinDie, "draws", "has two draws with one label among 1, 1, 3"),
    "a label of two words": (WordyDie, "draws", "a draw has the label 'a one', which is not a word"),
    "an end in the middle of a turn": (OpenEnd, "turns", "the game is over in the middle of a turn"),
    "a beginning that is a number": (Unsure, "turns", "not True or False"),
    "a turn that comes back": (Undecided, "turns", "comes twice within a turn"),
    "places of two": (lambda: ranked((1, 2)), "places", "has the places (1, 2), which are not a tuple of 3 whole numbers"),
    "no places": (lambda: ranked(None), "places", "has the places None"),
    "a list of places": (lambda: ranked([1, 2, 2]), "places", "has the places [1, 2, 2]"),
    "a place that nobody can have": (lambda: ranked((1, 3, 3)), "places", "a place is one more than"),
    "nobody first": (lambda: ranked((2, 2, 3)), "places", "a place is one more than"),
    "a place left out": (lambda: ranked((1, 1, 2)), "places", "a place is one more than"),
    "a text that says too little": (Forgetful, "notation", "which is read as"),
    "a text that cannot be read": (Strict, "notation", "which is read as a turn must begin"),
    "a text of two lines": (Tall, "notation", "which is not one line"),
    "an option that is a fraction": (Optional, "digest", "the option 'share' is 0.5"),
    "a digest that changes": (Placed, "digest", "built again from a copy, pig has digest"),
}


@pytest.mark.parametrize(("make", "name", "said"), WRONG.values(), ids=WRONG)
def test_a_fault_of_the_rules_is_found(make: Callable[[], StochasticGame], name: str, said: str) -> None:
    """Its check says what is wrong; others may fail, too, where the rules cannot even be played."""
    found = failures(make())
    assert said in found[name]
    if name not in ("start", "states", "moves"):
        assert list(found) == [name]


def test_what_follows_is_written_too() -> None:
    """States that random play has not come to, beside those that it has."""
    assert "which is read as a turn must begin" in failures(Strict(), samples=1)["notation"]


@pytest.mark.parametrize("places", [(1, 2, 3), (1, 2, 2), (1, 1, 3), (1, 1, 1), (3, 1, 1)])
def test_players_may_share_places(places: tuple[int, ...]) -> None:
    """The places after those are left out, as in sports."""
    assert failures(ranked(places)) == {}


def test_every_plain_check_is_tried() -> None:
    """There is a wrong game for each, but for `play`, which cannot fail."""
    assert {name for _, name, _ in WRONG.values()} == {*PLAIN} - {"play"}


def test_rules_that_raise_are_a_failure() -> None:
    """With the state in which they did."""

    class Raising(Small):
        def places(self, state: State) -> tuple[int, ...]:
            raise ZeroDivisionError(f"{state[-1]}")

    failure = only_failure(Raising(), "places")
    assert failure.startswith("ZeroDivisionError: 0 (case: ")
    assert failure.endswith(" 0)")


def test_nothing_to_look_at_is_a_failure() -> None:
    """A check that found no case does not pass."""
    assert failures(Small(), samples=0)["notation"] == "nothing to check: pig has no states"


def test_endless_play_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is no failure, but the sentence counts the games that did not end."""
    monkeypatch.setattr(states, "LONGEST", 100)

    class Endless(Small):
        def moves(self, state: State) -> dict[int, State]:
            # No total is ever held.
            moves = super().moves(state)
            return {code: self.start if code == pig.HOLD else after for code, after in moves.items()}

    results = {result.name: result for result in check_rules(Endless(), samples=300)}
    assert results["play"].shows == "Random play may go on for ever: 4 of 4 games had not ended after 100 states."
    assert results["play"].failure is None
    ended = next(result for result in check_rules(Small(), samples=300) if result.name == "play")
    assert ended.shows.startswith("Random play ends: 4 games had ")
