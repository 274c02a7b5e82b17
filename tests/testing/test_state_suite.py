"""The conformance suite of games with chance passes good rules, and each check finds the fault that it is there for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any
from unittest import SkipTest

import numpy as np
import pytest

from tablebase.errors import NotationError, RulesError
from tablebase.game.kernels import BEGINS, LABEL, OVER, STATE, WEIGHT, Kernels, Layer, Region
from tablebase.game.stochastic import CHANCE, Draw, State, StochasticGame
from tablebase.testing import STATE_CHECKS, StochasticGameTests, check_rules, kernel_faults, states
from tablebase_rules import pig

PLAIN = ["start", "states", "moves", "draws", "turns", "places", "notation", "play", "digest"]
COMPILED = ["kernels", "index", "layers"]
Expand = Callable[..., tuple[int, int]]


class Small(pig.Pig):
    """Pig for three with a die of three faces, to four points, which has no kernels; faulty ones are made of it."""

    def __init__(self, players: int = 3) -> None:
        super().__init__(3, 4, players)


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


def failures(game: StochasticGame, samples: int = 300) -> dict[str, str]:
    """The failure of each check that fails."""
    return {result.name: result.failure for result in check_rules(game, samples=samples) if result.failure}


def only_failure(game: StochasticGame, name: str) -> str:
    """The failure of a check, all others being passed."""
    found = failures(game)
    assert list(found) == [name], found
    return found[name]


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
    assert [check.name for check in STATE_CHECKS] == PLAIN + COMPILED


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
    """Whoever has won may hold once more."""

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


# Faults of the compiled functions. These are made to lie where they are called, which needs no compiling.


def lying(monkeypatch: pytest.MonkeyPatch, name: str, lie: Callable[..., Any]) -> None:
    """Let a compiled function's results be changed; `lie` is given them and the arguments."""
    honest = getattr(kernel_faults, name)
    monkeypatch.setattr(kernel_faults, name, lambda *arguments: lie(honest(*arguments), *arguments))


def other_player(result: tuple[int, int], *_: Any) -> tuple[int, int]:
    """The other one is to move."""
    who, count = result
    return (1 - who if who >= 0 else who), count


def other_winner(result: tuple[int, int], *_: Any) -> tuple[int, int]:
    """The other one has won."""
    who, count = result
    return who, 1 - count if who == OVER else count


def other_rows(column: int, value: Callable[[Any], Any], mover: Callable[[int], bool]) -> Callable[..., tuple[int, int]]:
    """A column of the first row is another one."""

    def lie(result: tuple[int, int], _: Any, __: Any, ___: Any, ____: Any, rows: Any) -> tuple[int, int]:
        if mover(result[0]):
            rows[0, column] = value(rows[0, column])
        return result

    return lie


def too_many(result: tuple[int, int], *_: Any) -> tuple[int, int]:
    """More rows than there are."""
    who, count = result
    return who, count if who == OVER else 4


def no_rows(result: tuple[int, int], *_: Any) -> tuple[int, int]:
    """Nothing follows."""
    who, count = result
    return who, count if who == OVER else 0


def beyond(result: tuple[int, int], *arguments: Any) -> tuple[int, int]:
    """A row behind the last one is filled."""
    arguments[-1].base[-1] = 0
    return result


def changing(result: tuple[int, int], *arguments: Any) -> tuple[int, int]:
    """The state is changed."""
    arguments[2][0] += 1
    return result


LIES: Mapping[str, tuple[Callable[..., Any], str]] = {
    "another player": (other_player, "to move, the plain ones"),
    "another winner": (other_winner, "as the winner, the plain ones"),
    "another code": (other_rows(LABEL, lambda code: code + 7, lambda who: who >= 0), "the compiled functions list (7 "),
    "another face": (other_rows(LABEL, lambda face: face + 1, lambda who: who == CHANCE), "the compiled functions list (2 1/3 "),
    "a face without a label": (other_rows(LABEL, lambda _: 3, lambda who: who == CHANCE), "has no label"),
    "another weight": (other_rows(WEIGHT, lambda _: 2, lambda who: who == CHANCE), "list (1 1/2 "),
    "a weight of 0": (other_rows(WEIGHT, lambda _: 0, lambda who: who == CHANCE), "a weight is not above 0"),
    "another beginning": (other_rows(BEGINS, lambda begins: 1 - begins, lambda who: who >= 0), "the plain ones list (0 1 "),
    "another state": (other_rows(STATE, lambda score: score + 1, lambda who: who == CHANCE), "the plain ones list (1 1/3 1 "),
    "too many rows": (too_many, "there are 4 rows, but there must be 1 to 3"),
    "no rows": (no_rows, "there are 0 rows, but there must be 1 to 3"),
    "rows behind the last one": (beyond, "more rows are filled than the 3 that there are"),
    "a state that is changed": (changing, "the state itself is changed"),
}


@pytest.mark.parametrize(("lie", "said"), LIES.values(), ids=LIES)
def test_a_fault_of_expand_is_found(lie: Callable[..., Any], said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """`kernels` says how the compiled function differs from the plain ones."""
    lying(monkeypatch, "call_expand", lie)
    assert said in failures(Small(2))["kernels"]


def test_a_state_with_other_numbers_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """`kernels` compares how many numbers there are."""
    kernels = Small(2).kernels()
    assert kernels is not None
    monkeypatch.setattr(Small, "kernels", lambda _: replace(kernels, fields=6))
    assert "the compiled functions have 6 numbers in a state, the plain ones 5" in failures(Small(2))["kernels"]


def test_weights_need_not_add_up_to_anything(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only their shares count."""

    def doubled(result: tuple[int, int], *arguments: Any) -> tuple[int, int]:
        arguments[-1][:, WEIGHT] *= 2
        return result

    lying(monkeypatch, "call_expand", doubled)
    assert failures(Small(2)) == {}


INDICES: Mapping[str, tuple[str, Callable[..., Any], str]] = {
    "numbers shifted": ("call_index", lambda found, *_: (found[0] + (found[0] >= 0), found[1]), "its number is"),
    "a number too large": ("call_index", lambda found, *_: (found[0] + 10**6, found[1]), "but there are no such"),
    "a negative number": ("call_index", lambda found, *_: (-2, found[1]), "but there are no such"),
    "a player that is none": ("call_index", lambda found, *_: (found[0], 2), "but there are no such"),
    "the other player": ("call_index", lambda found, *_: (found[0], abs(1 - found[1])), "is to move in"),
    "a state that is missing": ("call_state_at", lambda found, *arguments: found and arguments[2] != 0, "which has no state"),
}


@pytest.mark.parametrize(("name", "lie", "said"), INDICES.values(), ids=INDICES)
def test_a_fault_of_the_numbers_is_found(name: str, lie: Callable[..., Any], said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """`index` finds numbers and states that do not lead to each other."""
    lying(monkeypatch, name, lie)
    assert said in failures(Small(2))["index"]


def test_all_numbers_are_looked_at_if_they_are_few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also those that random play does not lead to: a score of 1 cannot be rolled."""
    game = Small(2)
    number, _ = kernel_faults.number_of(game, (1, 1, 0, 0, 0))
    lying(monkeypatch, "call_index", lambda found, *_: (0, found[1]) if found[0] == number else found)
    assert f"the state of number {number} is (1, 1, 0, 0, 0), but its number is 0" in only_failure(game, "index")


def split(layers: list[tuple[int, int]], block: int) -> Callable[..., Region]:
    """A way to divide the numbers of the small game, of which there are 112."""
    return lambda *_: Region("all", {}, small_rules(), tuple(Layer(f"{a} to {b}", a, b) for a, b in layers), block)


def small_rules() -> Any:
    """The array of the small game's rules."""
    kernels = Small(2).kernels()
    assert kernels is not None
    return kernels.rules


LAYERS: Mapping[str, tuple[list[tuple[int, int]], int, str]] = {
    "small totals first": ([(0, 16), (16, 112)], 16, "which is not in the same layer or an earlier one"),
    "a gap": ([(0, 16), (32, 112)], 16, "must begin at 16 and be blocks of 16"),
    "an empty layer": ([(0, 0), (0, 112)], 16, "must begin at 0 and be blocks of 16"),
    "a block that divides no layer": ([(0, 112)], 15, "must begin at 0 and be blocks of 15"),
    "numbers that are in no layer": ([(0, 16)], 16, "which is not in the same layer or an earlier one"),
}


@pytest.mark.parametrize(("layers", "block", "said"), LAYERS.values(), ids=LAYERS)
def test_a_fault_of_the_layers_is_found(
    layers: list[tuple[int, int]], block: int, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`layers` finds ranges that do not fit together, and moves that lead the wrong way."""
    monkeypatch.setattr(Small, "region", split(layers, block))
    assert said in failures(Small(2))["layers"]


def test_states_that_are_not_stored_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """`layers` finds more of them in a row than there may be: the die, which is always between."""
    kernels = Small(2).kernels()
    assert kernels is not None
    monkeypatch.setattr(Small, "kernels", lambda _: replace(kernels, deepest=0))
    assert "is followed by more than 0 states that have no number" in only_failure(Small(2), "layers")


def test_an_endless_way_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    """`layers` follows no state for ever."""
    lying(monkeypatch, "call_index", lambda *_: (-1, -1))
    assert "is followed by more than 1 states that have no number" in failures(Small(2))["layers"]


def test_a_fault_on_the_way_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """`layers` expands with an attacker, which `kernels` does not."""

    def lie(result: tuple[int, int], *arguments: Any) -> tuple[int, int]:
        return no_rows(result) if arguments[3] >= 0 else result

    lying(monkeypatch, "call_expand", lie)
    assert "there are 0 rows, but there must be 1 to 3" in only_failure(Small(2), "layers")


def test_a_variant_without_tables_has_no_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its compiled functions are checked, but there is no region whose numbers could be."""

    def refuse(*_: Any) -> Region:
        raise RulesError("there are no tables of this variant")

    monkeypatch.setattr(Small, "region", refuse)
    assert [result.name for result in check_rules(Small(2), samples=50)] == [*PLAIN, "kernels"]


def test_kernels_are_a_record() -> None:
    """The names of columns that the tests above rely on are those of the contract."""
    assert (LABEL, WEIGHT, BEGINS, STATE) == (0, 1, 2, 3)
    assert isinstance(Small(2).kernels(), Kernels)
    assert np.array_equal(small_rules(), [4, 0, 2, 3])
