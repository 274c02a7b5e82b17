"""The stateless commands: games played through them, and all that they refuse."""

import json
from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.checks import at_least_one

from tablebase.commands import game_requests
from tablebase.commands.game_requests import COMMANDS, LONGEST, move, new_game
from tablebase.game.installed import load_rules
from tablebase_rules._harehedgehog import CARD_TEXTS

START = "0:68:3,0:68:3 1"
FIELDS = ["success", "game", "position", "description", "to_move", "moves", "code", "cards", "places"]
MOST = 150
"""Moves after which a random game is broken off."""

rules: Callable[[str], Any] = load_rules


def asked(command: str, **fields: Any) -> dict[str, Any]:
    return dict(json.loads(json.dumps(COMMANDS[command](json.loads(json.dumps(fields))))))


def play_through(name: str, seed: int) -> str:
    """Play a random game through the commands; each reply is held against the rules. Returns why it ended."""
    game, random = rules(name), Random(seed)
    reply = asked("new", game=name)
    state = game.start
    for number in range(MOST):
        assert list(reply) == FIELDS
        assert (reply["success"], reply["game"]) == (True, name)
        assert game.parse(reply["position"]) == state
        assert game.parse(game.text_of(reply["description"])) == state
        over = game.to_move(state) < 0 or game.is_deadlock(state)
        legal = {} if over else game.moves(state)
        assert [(one["code"], one["text"]) for one in reply["moves"]] == [(code, game.code_text(code)) for code in legal]
        if over:
            assert reply["to_move"] is None
            assert reply["places"] == list(game.standing(state))
            return "over"
        assert (reply["to_move"], reply["places"]) == (game.to_move(state) + 1, None)
        # Now and then as far ahead as possible, so that games end.
        code = max(legal) if random.random() < 0.2 else random.choice(list(legal))
        position = reply[random.choice(["position", "description"])]
        reply = asked("move", game=name, position=position, code=code, seed=seed * MOST + number)
        state = legal[code]
        for card in reply["cards"]:
            assert card["text"] == CARD_TEXTS[card["card"]]
            state = {draw.label: draw.state for draw in game.draws(state)}[card["card"]]
        assert reply["code"] == code
    return "long"


VARIANTS = [
    "",
    "-players=3",
    "-players=6",
    "-deck=exhaust",
    "-players=4-again=may-card_chain=draw",
    "-lettuce_pay=leaving-rounds=9",
]


@pytest.mark.parametrize(
    "count", [len(VARIANTS), pytest.param(40, marks=pytest.mark.full), pytest.param(200, marks=pytest.mark.release)]
)
def test_games_through_the_commands(count: int) -> None:
    """Each reply's legal moves are those of the rules, and its description is the position; some games come to their ends."""
    ends = [play_through(f"harehedgehog{VARIANTS[seed % len(VARIANTS)]}", seed) for seed in range(count)]
    assert ends.count("over") > count // 10


def test_the_computer_moves() -> None:
    """What looking ahead finds, by the settings, with the values in points; it is repeated by its seed."""
    reply = asked("computer", position="61:6:0,59:0:0 1", seed=0, settings={"depth": 1})
    assert list(reply) == [*FIELDS, "values"]
    assert (reply["code"], reply["places"], reply["to_move"], reply["moves"]) == (3, [1, 2], None, [])
    assert reply["values"] == [10_000, 177]
    place = {"game": "harehedgehog-cards=none", "position": "9:200:0,10:5:0 1", "seed": 0}
    own, lead, cut, weighed = (
        asked("computer", **place, settings={"depth": 1, **settings})
        for settings in ({}, {"objective": "lead"}, {"objective": "lead", "cuts": [1]}, {"carrots": 0, "squares": 2.5})
    )
    # By hand, in tests/search/test_lookahead.py; nineteen squares cost 190 carrots.
    assert lead["code"] == cut["code"] == -1 < own["code"]
    assert (weighed["code"], weighed["values"]) == (19, [28 * 7.5, 10 * 7.5])
    settings = {"depth": 3, "sort": True, "stop": False, "alpha-beta": True, "objective": "lead", "cards": "expectation"}
    again = [asked("computer", position=START, seed=5, settings=settings) for _ in range(2)]
    assert again[0] == again[1]


def test_the_articles_positions_are_read() -> None:
    """It knows a mark for missing a turn: on a lettuce square that is eating, elsewhere missing; more may be said."""
    game = rules("harehedgehog")

    def hare(square: int, misses: bool, **more: Any) -> dict[str, Any]:
        return {"square": square, "carrots": 5, "lettuces": 1, "misses_turn": misses, **more}

    for hares, text in (
        ([hare(7, True), hare(3, True)], "7:5:1e,3:5:1m 1"),
        ([hare(7, False), hare(0, False)], "7:5:1,0:5:1 1"),
        ([hare(3, True, waits="eat"), hare(0, False)], "3:5:1e,0:5:1 1"),
        ([hare(3, False), hare(22, True, waits="miss")], "3:5:1,22:5:1m 1"),
    ):
        description = {"hares": hares, "to_move": 1}
        assert game.text_of(description) == text
        assert asked("move", position=description, code=0)["success"] is bool(hares[0]["misses_turn"])
        assert game.text_of(game.describe(game.parse(text))) == text
    three = rules("harehedgehog-players=3")
    for text in ("64:0:0#1,7:5:1e,3:5:1 2", "3:5:1,0:0:0,0:0:3 1 draw:6", "3:5:1,0:0:0,0:0:3 1 choice"):
        assert three.text_of(three.describe(three.parse(text))) == text


def refused(command: str, request: Any) -> str:
    reply = COMMANDS[command](request)
    assert list(reply) == ["success", "error"]
    assert reply["success"] is False
    sentence = reply["error"]
    assert isinstance(sentence, str)
    assert len(sentence.splitlines()) == 1
    assert len(sentence) < 700
    return sentence


HARE = {"square": 0, "carrots": 68, "lettuces": 3, "misses_turn": False}
SETTINGS: list[tuple[str, Any, str]] = [
    ("level", 5, "has no setting 'level'"),
    ("depth", 2.5, "the depth must be a whole number of at most 9 digits, not '2.5'"),
    ("depth", {}, "the setting depth must be a string"),
    ("depth", 10**400, "the setting depth must be a whole number"),
    ("cuts", [1, [2]], "the cuts must be numbers of moves"),
    ("cuts", [], "the cuts must be numbers of moves"),
    ("stop", "maybe", "the setting stop must be yes or no, not 'maybe'"),
    ("carrots", float("nan"), "the weight of carrots must be a number from 0 to 100"),
    ("carrots", "many", "the weight of carrots must be a number, not 'many'"),
]
BAD: list[tuple[str, Any, str]] = [
    ("new", None, "invalid request: expected a JSON object"),
    ("new", {"game": 3}, "the game must be a string"),
    ("new", {"game": "doushouqi"}, "doushouqi has no chance moves: choose a game with chance moves, such as harehedgehog"),
    ("new", {"game": "harehedgehog-players=1"}, "has players from 2 to 6, not 1"),
    ("new", {"players": 1}, "unknown field 'players'"),
    ("new", {"seed": -1}, "invalid seed -1: expected 0 or a positive whole number"),
    ("new", {"seed": 1.0}, "the seed must be a whole number"),
    ("new", {"seed": 1 << 64}, "the seed must be a whole number"),
    ("move", {"position": START}, "missing field 'code'"),
    ("move", {"code": 1}, "missing field 'position'"),
    ("move", {"position": START, "code": 8}, "the move 8 is not legal"),
    ("move", {"position": START, "code": True}, "the code of a move must be a whole number"),
    ("move", {"position": START, "code": 10**5000}, "the code of a move must be a whole number"),
    ("move", {"position": 5, "code": 1}, "the position must be a string"),
    ("move", {"position": "x" * (LONGEST + 1), "code": 1}, "the position must be a string of at most 10,000 characters"),
    ("move", {"position": "0:68:3,0:68:3", "code": 1}, "is not a state of harehedgehog"),
    ("move", {"position": "0:68:3,0:68:3,0:68:3 1", "code": 1}, "has 2 players here"),
    ("move", {"position": "64:0:0#1,0:68:3 2", "code": 1}, "the game is over"),
    ("move", {"position": {}, "code": 1}, "the position lacks 'hares'"),
    ("move", {"position": {"hares": [HARE, HARE], "to_move": 1, "x": 1}, "code": 1}, "unknown field 'x'"),
    ("move", {"position": {"hares": [HARE, 3], "to_move": 1}, "code": 1}, "'hares' must be a list of 2 objects"),
    ("move", {"position": {"hares": [HARE], "to_move": 1}, "code": 1}, "has 2 players here"),
    ("move", {"position": {"hares": [HARE, HARE], "to_move": "1"}, "code": 1}, "'to_move' must be a whole number"),
    ("move", {"position": {"hares": [HARE, HARE], "to_move": 3}, "code": 1}, "number of the player to move"),
    ("move", {"position": {"hares": [HARE, HARE], "to_move": 1, "words": ["a b"]}, "code": 1}, "'words' must be a list of words"),
    ("move", {"position": {"hares": [{**HARE, "carrots": -1}, HARE], "to_move": 1}, "code": 1}, "'carrots' of hare 1 must be"),
    ("move", {"position": {"hares": [HARE, {**HARE, "square": 65}], "to_move": 1}, "code": 1}, "the square of player 2"),
    ("move", {"position": {"hares": [HARE, {**HARE, "misses_turn": 0}], "to_move": 1}, "code": 1}, "must be true or false"),
    ("move", {"position": {"hares": [HARE, {**HARE, "waits": "eat"}], "to_move": 1}, "code": 1}, "'waits' of hare 2 must be"),
    ("move", {"position": {"hares": [HARE, {**HARE, "misses_turn": True, "waits": "x"}], "to_move": 1}, "code": 1}, "'waits' of"),
    ("move", {"position": {"hares": [HARE, {**HARE, "rank": 1}], "to_move": 1}, "code": 1}, "has a finishing rank on square 0"),
    ("computer", {"position": START, "settings": []}, "invalid settings: expected a JSON object"),
    *(("computer", {"position": START, "settings": {name: value}}, said) for name, value, said in SETTINGS),
    ("computer", {"position": START, "code": 1}, "unknown field 'code'"),
    ("computer", {"position": "64:0:0#1,0:68:3 2"}, "the game is over"),
]


@pytest.mark.parametrize(("command", "request_", "sentence"), BAD)
def test_what_is_refused(command: str, request_: Any, sentence: str) -> None:
    assert sentence in refused(command, request_)


def test_searches_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(game_requests, "MOST_NODES", 5000)
    said = refused("computer", {"position": START, "settings": {"depth": 20}})
    assert said.startswith("looking 20 turns ahead in 0:68:3,0:68:3 1 needs more than the supported 5,000 positions")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=10,
)
NAMES = ["game", "position", "code", "seed", "settings"]
WORDS = st.sampled_from(["harehedgehog", "pig", START, "64:0:0#1,0:68:3 2", "0:68:3,0:68:3 1 choice", "players=3"])


@given(command=st.sampled_from(sorted(COMMANDS)), request_=st.dictionaries(st.sampled_from(NAMES), WORDS | JSON) | JSON)
@example(command="move", request_={"position": "\ud800", "code": 1})
@example(command="new", request_={"game": "\ud800-\n"})
def test_whatever_is_put_in(command: str, request_: Any) -> None:
    reply = COMMANDS[command](request_)
    assert json.loads(json.dumps(reply))["success"] in (True, False)
    if not reply["success"]:
        assert len(reply["error"].splitlines()) == 1


def test_other_games_are_played_through_the_same_commands() -> None:
    reply = new_game({"game": "pig-target=4"})
    assert reply["description"] == {"text": "0,0 1 0"}
    reply = move({"game": reply["game"], "position": reply["description"], "code": 1, "seed": 2})
    assert reply["success"] is True
    assert [card["text"] == card["card"] for card in at_least_one(reply["cards"])] == [True]
    assert "invalid state of pig: expected" in refused("move", {"game": "pig", "position": {"text": 3}, "code": 1})
