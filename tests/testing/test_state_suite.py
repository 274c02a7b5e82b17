"""The conformance suite of games with chance passes good rules, and each check finds the fault that it is there for."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from support.pigs import COMPILED, PLAIN, Small, failures, only_failure

from tablebase.errors import NotationError
from tablebase.game.stochastic import OVER, Draw, State, StochasticGame
from tablebase.testing import StochasticGameTests, check_rules, functions
from tablebase_rules import pig


class TestPig(StochasticGameTests):
    """The rules that come with the package pass."""

    samples = 500

    def game(self) -> StochasticGame:
        """The game to 100."""
        return pig.game()


def test_good_rules_pass() -> None:
    """With and without kernels, and each check has looked at something."""
    for game, names in ((Small(2), PLAIN + COMPILED), (Small(3), PLAIN)):
        results = check_rules(game, samples=300)
        assert [result.name for result in results] == names
        assert [result.failure for result in results if result.failure] == []
        assert all(result.cases > 0 and result.shows.endswith(".") for result in results)


def test_a_test_class_fails_with_the_sentence() -> None:
    """A test inherited from `StochasticGameTests` fails with what the check says."""

    class Broken(TestPig):
        def game(self) -> StochasticGame:
            return heavy_die()

    with pytest.raises(AssertionError, match="add up to 7/6, not to 1"):
        Broken().run_check("draws")


# Faults of the plain functions, each in a game that is faultless otherwise.
SMALL = Small()
LAST_FACE = -1


def faulty(**changes: Callable[..., Any]) -> Callable[[], StochasticGame]:
    """The small game with results of methods changed; each function gets the right result and what the method was given."""

    def changed(name: str, change: Callable[..., Any]) -> Callable[..., Any]:
        honest = getattr(Small, name)
        return lambda self, given: change(honest(self, given), given)

    return type("Faulty", (Small,), {name: changed(name, change) for name, change in changes.items()})


def other_face(face: int, **fields: Any) -> Callable[[], StochasticGame]:
    """The small game with another draw in the place of a face's."""

    def change(draws: tuple[Draw, ...], _: State) -> tuple[Draw, ...]:
        found = list(draws)
        found[face] = replace(found[face], **fields)
        return tuple(found)

    return faulty(draws=change)


def never_die(draws: tuple[Draw, ...], _: State) -> tuple[Draw, ...]:
    """The last face never comes, the first one instead; the sum is right."""
    first, second, last = draws
    return replace(first, probability=Fraction(2, 3)), second, replace(last, probability=Fraction(0))


def on_edge(draws: tuple[Draw, ...], state: State) -> tuple[Draw, ...]:
    """The die may also stand on its edge, which takes the roll back."""
    halved = [replace(draw, probability=draw.probability / 2) for draw in draws]
    return (*halved, Draw(Fraction(1, 2), "edge", (*state[:-1], 0)))


def at_beginnings_only(state: State, _: str) -> State:
    """States in the middle of a turn cannot be read."""
    if not SMALL.begins_turn(state):
        raise NotationError("a turn must begin")
    return state


heavy_die = other_face(LAST_FACE, probability=Fraction(1, 2))
strict = faulty(parse=at_beginnings_only)
listed = faulty(
    draws=lambda draws, _: tuple(replace(draw, state=list(draw.state)) for draw in draws),
    parse=lambda state, _: list(state) if state[-2] or state[-1] else state,
)


def with_data(**data: Any) -> Callable[[], StochasticGame]:
    """The small game with other data."""

    def make() -> StochasticGame:
        game = Small()
        vars(game).update(data)
        return game

    return make


def ranked(places: Any) -> Callable[[], StochasticGame]:
    """The small game with these places at its end."""
    return faulty(places=lambda *_: places)


def growing() -> StochasticGame:
    """A number more after a roll: only rolling is wrong, and its state works as the right one does."""

    class Growing(Small):
        def moves(self, state: State) -> dict[int, State]:
            return {code: (*after[:6], *[0] * code) for code, after in super().moves(state[:6]).items()}

        def format(self, state: State) -> str:
            return " ".join(map(str, state))

        def parse(self, text: str) -> State:
            return tuple(map(int, text.split()))

    def trimmed(honest: Callable[..., Any]) -> Callable[..., Any]:
        return lambda _, state: honest(state[:6])

    for name in ("to_move", "draws", "begins_turn"):
        setattr(Growing, name, trimmed(getattr(SMALL, name)))
    return Growing()


def placed() -> StochasticGame:
    """A digest that depends on where in memory the game is."""
    return type("Placed", (Small,), {"digest": property(lambda game: str(id(game)))})()  # type: ignore[no-any-return]


WRONG: Mapping[str, tuple[Callable[[], StochasticGame], str, str]] = {
    "one player": (with_data(players=1), "start", "pig has 1 players, but a game needs two or more"),
    "a start in the middle of a turn": (
        with_data(start=(0, 0, 0, 0, 2, 0)),
        "start",
        "no turn begins at the start, 0,0,0 1 2",
    ),
    "a start at the end": (with_data(start=(4, 0, 0, 1, 0, 0)), "start", "the game is over at the start, 4,0,0 2 0"),
    "chance that is denied": (with_data(can=frozenset()), "draws", "but pig has no chance moves"),
    "a number too many": (growing, "states", "has 7 numbers, but the start has 6"),
    "states that are lists": (listed, "states", "is not a tuple of whole numbers"),
    "a player that is none": (
        faulty(to_move=lambda mover, _: 3 if mover == 2 else mover),
        "moves",
        "3 is to move, but players are numbered from 0 to 2",
    ),
    "a player without a move": (
        faulty(moves=lambda moves, state: {} if state[-2] == 2 else moves),
        "moves",
        "has no moves, but a player is to move",
    ),
    "moves after the end": (
        faulty(moves=lambda moves, _: moves or {pig.HOLD: SMALL.start}),
        "moves",
        "has moves, but no player is to move",
    ),
    "codes that are words": (
        faulty(moves=lambda moves, _: {SMALL.code_text(code): after for code, after in moves.items()}),
        "states",
        "has a move with the code 'hold', which is not a whole number",
    ),
    "probabilities that do not add up": (heavy_die, "draws", "add up to 7/6, not to 1"),
    "a probability of 0": (
        faulty(draws=never_die),
        "draws",
        "has the probability Fraction(0, 1), which is not a fraction above 0",
    ),
    "a floating-point probability": (other_face(LAST_FACE, probability=1 / 3), "draws", "has the probability 0.333"),
    "labels alike": (other_face(1, label="1"), "draws", "has two draws with the same label among 1, 1, 3"),
    "a label of two words": (other_face(0, label="a one"), "draws", "a draw has the label 'a one', which is not a word"),
    "an end in the middle of a turn": (
        faulty(begins_turn=lambda begins, state: begins and SMALL.to_move(state) != OVER),
        "turns",
        "the game is over in the middle of a turn",
    ),
    "a beginning that is a number": (
        faulty(begins_turn=lambda begins, state: state == SMALL.start or int(begins)),
        "turns",
        "returns 0, but must return bool",
    ),
    "a turn that comes back": (faulty(draws=on_edge), "turns", "occurs twice within a turn"),
    "places of two": (ranked((1, 2)), "places", "has the places (1, 2), which are not a tuple of 3 whole numbers"),
    "no places": (ranked(None), "places", "of pig returns None, but must return tuple"),
    "a list of places": (ranked([1, 2, 2]), "places", "returns [1, 2, 2], but must return tuple"),
    "a place that nobody can have": (ranked((1, 3, 3)), "places", "a place is one more than"),
    "nobody first": (ranked((2, 2, 3)), "places", "a place is one more than"),
    "a place left out": (ranked((1, 1, 2)), "places", "a place is one more than"),
    "a move without words": (faulty(code_text=lambda *_: ""), "words", "has an empty move_text"),
    "a picture that is none": (faulty(svg=lambda *_: "a picture"), "pictures", "by svg begins with 'a picture', not with <svg"),
    "a text that says too little": (
        faulty(format=lambda _, state: SMALL.format((*state[:-2], 0, state[-1]))),
        "notation",
        "which is read as",
    ),
    "a text that cannot be read": (strict, "notation", "which is read as a turn must begin"),
    "a text of two lines": (faulty(format=lambda text, _: text.replace(" ", "\n", 1)), "notation", "which is not one line"),
    "an option that is a fraction": (
        with_data(options={**SMALL.options, "share": 0.5}),
        "digest",
        "the option 'share' is 0.5",
    ),
    "a digest that changes": (placed, "digest", "built again from a copy, pig has digest"),
}


@pytest.mark.parametrize(("make", "name", "said"), WRONG.values(), ids=WRONG)
def test_a_error_of_the_rules_is_found(make: Callable[[], StochasticGame], name: str, said: str) -> None:
    """Its check says what is wrong; others may fail, too, where the rules cannot even be played."""
    found = failures(make())
    assert said in found[name]
    if name not in ("start", "states", "moves"):
        assert list(found) == [name]


def test_what_follows_is_written_too() -> None:
    """States that random play has not come to, beside those that it has."""
    assert "which is read as a turn must begin" in failures(strict(), samples=1)["notation"]


def test_every_plain_check_is_tried() -> None:
    """There is a wrong game for each, but for `play`, which cannot fail."""
    assert {name for _, name, _ in WRONG.values()} == {*PLAIN} - {"play"}


def test_rules_that_raise_are_a_failure() -> None:
    """With the state in which they did."""

    def fail(_: object, state: State) -> None:
        raise ZeroDivisionError(f"{state[-1]}")

    failure = only_failure(faulty(places=fail)(), "places")
    assert failure.startswith("places(")
    assert failure.endswith(" 0) of pig fails (ZeroDivisionError: 0)")


def test_endless_play_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is no failure, but the sentence counts the games that did not end."""
    monkeypatch.setattr(functions, "LONGEST", 100)

    def never_held(moves: dict[int, State], _: State) -> dict[int, State]:
        return {code: SMALL.start if code == pig.HOLD else after for code, after in moves.items()}

    results = {result.name: result for result in check_rules(faulty(moves=never_held)(), samples=300)}
    assert results["play"].shows == "Random play may never end: 4 of 4 games had not ended after 100 states."
    assert results["play"].failure is None
    ended = next(result for result in check_rules(Small(), samples=300) if result.name == "play")
    assert ended.shows.startswith("Random play ends: 4 games had ")
