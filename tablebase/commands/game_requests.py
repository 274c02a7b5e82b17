"""Stateless commands, from JSON to JSON, for servers of games of chance or of several players: new game, move, computer's move.

Requests are objects of JSON with these fields and no others:

- `game`: the name, with its variant, as in ``harehedgehog-players=3``; by default ``harehedgehog`` (see `default_game`).
- `position`: for `move` and `computer_move`; the text or the `description` of an earlier answer.
- `code`: for `move`, the move to make.
- `seed`: a whole number that decides all draws; by default they are random.
- `settings`: for `computer_move`, an object with settings of the player ``computer``, such as ``{"depth": 3}``.

An answer to any request has `success`; if that is false, `error` is a sentence about the error and its remedy. Otherwise it has:

- `game`, and `position` as text, to be sent back; and `description`, the parts of the position.
- `to_move`: the number of the player to move, from 1; null if the game is over.
- `moves`: a list of objects with `code` and `text`, empty if the game is over.
- `code`: the move that was made; null for a new game.
- `cards`: a list of objects with `card` and `text`, for each draw before this position.
- `places`: the place of each player, from 1; null unless the game is over.
- `values`: for the computer's move, the points that it expects for each player.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import wraps
from random import Random, SystemRandom
from typing import TYPE_CHECKING, Any, cast

from tablebase.commands import lib
from tablebase.errors import RulesError, TablebaseError, quoted
from tablebase.game.capabilities import missing
from tablebase.game.companions import companions
from tablebase.game.installed import load_rules
from tablebase.game.stochastic import State, StochasticGame
from tablebase.play.match import Match
from tablebase.play.player_records import check_setting
from tablebase.play.players import find_player

if TYPE_CHECKING:
    from tablebase.search.maxn import LeafTables

MOST_NODES = 5_000_000
"""States that a computer's move may look at, which takes some seconds."""
LONGEST = 10_000
"""Characters of a text."""


def default_game() -> str | None:
    """The game of requests without `game`: ``COMMANDED`` of the first module ``NAME_players`` that has it; None without any."""
    return next((module.COMMANDED for module in companions("_players", "players") if hasattr(module, "COMMANDED")), None)


def _command(needed: set[str], allowed: set[str]) -> Callable[[Callable[..., dict[str, Any]]], Callable[..., dict[str, Any]]]:
    """A command with the fields that its requests need, and with further fields that they may have."""

    def made(function: Callable[..., dict[str, Any]]) -> Callable[..., dict[str, Any]]:
        @wraps(function)
        def answered(request: Any, *more: Any) -> dict[str, Any]:
            try:
                if not isinstance(request, dict):
                    raise TablebaseError(f"invalid request: expected a JSON object, such as {json.dumps({'game': default_game()})}")
                unknown = [name for name in request if name not in needed | allowed | {"game", "seed"}]
                if unknown:
                    raise TablebaseError(f"unknown field {quoted(str(unknown[0]))} in the request: remove the field")
                if missing := sorted(needed - request.keys()):
                    raise TablebaseError(f"missing field '{missing[0]}' in the request: add the field")
                return {"success": True, **function(request, *more)}
            except TablebaseError as error:
                return {"success": False, "error": str(error)}

        return answered

    return made


@_command(set(), set())
def new_game(request: Any) -> dict[str, Any]:
    """The start of a game.

    Examples
    --------
    >>> new_game({"game": "harehedgehog-players=3"})["position"]
    '0:68:3,0:68:3,0:68:3 1'
    >>> new_game({"game": "harehedgehog-players=1"})
    {'success': False, 'error': 'harehedgehog has players from 2 to 6, not 1'}
    """
    game = _game(request)
    return _answer(game, Match(game, game.start, _random(request)))


@_command({"position", "code"}, set())
def move(request: Any) -> dict[str, Any]:
    """A position after a move, and after all draws that follow it.

    Examples
    --------
    >>> move({"position": "0:68:3,0:68:3 1", "code": 5})["position"]
    '5:53:3,0:68:3 2'
    >>> move({"position": "0:68:3,0:68:3 1", "code": 8})["error"]
    'the move 8 is not legal in 0:68:3,0:68:3 1: choose one of 1, 2, 3, 4, 5, 6, 7, 9, 10'
    """
    game = _game(request)
    return _made(game, _match(game, request), _whole_number(request["code"], "the code of a move"))


@_command({"position"}, {"settings"})
def computer_move(request: Any, tables: LeafTables | None = None) -> dict[str, Any]:
    """A position after the move that looking ahead finds best; `tables` have known values of the game's leaves."""
    game = _game(request)
    match = _match(game, request)
    chosen = lib.lookahead_player.parse_settings(game, _settings(request, game))
    foresight = replace(chosen.foresight, nodes=MOST_NODES)
    lookahead = lib.lookahead.Lookahead(game, foresight, tables if chosen.tables else None, chosen.weights)
    _legal(match)
    found = lookahead.search(match.position, match.random.getrandbits(lib.lookahead_player.SEED_BITS))
    return {**_made(game, match, found.best), "values": [value / lib.kernels.POINT for value in found.values]}


COMMANDS: Mapping[str, Callable[[Any], dict[str, Any]]] = {"new": new_game, "move": move, "computer": computer_move}
"""The commands by the names that they have for clients."""


def _made(game: StochasticGame, match: Match[State], code: int) -> dict[str, Any]:
    legal = _legal(match)
    if str(code) not in legal:
        raise RulesError(f"the move {code} is not legal in {game.format(match.position)}: choose one of {', '.join(legal)}")
    match.play(str(code))
    return {**_answer(game, match), "code": code}


def _legal(match: Match[State]) -> Mapping[str, State]:
    if not match.legal():
        raise RulesError(f"the game is over in {match.rules.format(match.position)}: start a new game")
    return match.legal()


def _answer(game: StochasticGame, match: Match[State]) -> dict[str, Any]:
    state, ending = match.position, match.ending()
    return {
        "game": game.name,
        "position": game.format(state),
        "description": game.describe(state),
        "to_move": None if ending else match.player + 1,
        "moves": [{"code": int(move), "text": game.move_text(state, move)} for move in match.legal()],
        "code": None,
        "cards": [{"card": event.text, "text": game.draw_text(event.text)} for event in match.events if event.drawn],
        "places": list(ending.places) if ending else None,
    }


def _game(fields: dict[str, Any]) -> StochasticGame:
    rules = load_rules(_text(fields.get("game", default_game()), "the game"))
    if lacks := missing(rules, "chance"):
        raise RulesError(f"{rules.name} {lacks}: choose a game with chance moves, such as {default_game()}")
    return cast("StochasticGame", rules)


def _match(game: StochasticGame, fields: dict[str, Any]) -> Match[State]:
    position = fields["position"]
    text = game.text_of(position) if isinstance(position, dict) else _text(position, "the position")
    return Match(game, game.parse(text), _random(fields))


def _random(fields: dict[str, Any]) -> Random:
    seed = fields.get("seed")
    if seed is not None and _whole_number(seed, "the seed") < 0:
        raise TablebaseError(f"invalid seed {seed}: expected 0 or a positive whole number")
    return SystemRandom() if seed is None else Random(seed)


def _settings(fields: dict[str, Any], game: StochasticGame) -> dict[str, str]:
    settings, record = fields.get("settings", {}), find_player("computer")
    if not isinstance(settings, dict):
        raise TablebaseError('invalid settings: expected a JSON object, such as {"depth": 3}')
    for name in settings:
        check_setting(record.name, str(name), record.settings_in(game))
    return {name: _setting_text(value, name) for name, value in settings.items()}


def _setting_text(value: Any, name: str) -> str:
    """A value of JSON as it is written on the command line: true as yes, a list with strokes."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return "/".join(_setting_text(one, name) if not isinstance(one, list) else "" for one in value)
    if isinstance(value, float):
        return str(value)
    return str(_whole_number(value, f"the setting {name}")) if isinstance(value, int) else _text(value, f"the setting {name}")


def _text(value: Any, what: str) -> str:
    if not isinstance(value, str) or len(value) > LONGEST:
        raise TablebaseError(f"{what} must be a string of at most {LONGEST:,} characters")
    return value


def _whole_number(value: Any, what: str) -> int:
    # Truth values are whole numbers to Python; of large numbers it refuses to write the digits.
    if type(value) is not int or abs(value) >= 1 << 64:
        raise TablebaseError(f"{what} must be a whole number of at most 64 bits")
    return value
