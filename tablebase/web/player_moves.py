"""Moves of the named players: a position in, a move out, and nothing kept between."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import lru_cache
from pathlib import Path
from random import Random, SystemRandom
from typing import Any

from tablebase.errors import RulesError, TablebaseError, quoted
from tablebase.game import Game
from tablebase.game.installed import load_rules
from tablebase.game.notation import parse, render, render_move
from tablebase.game.stochastic import StochasticGame
from tablebase.play.match import Match
from tablebase.play.player import Player, Seat
from tablebase.play.players import open_player
from tablebase.play.state_players import open_state_player

Open = Callable[..., AbstractContextManager[Player]]
QUICK = ("tables", "fuzzy", "random")
"""Players that need no process of their own."""
DEFAULT = ("tables", "computer")
"""Who plays if nobody is named: games of pieces, other games."""
SEEDS = 1_000_000
"""Upper bound of seeds that are drawn."""
FILES = ("boxes",)
"""Settings that name files, which a client has no business with."""


def is_quick(player: str | None, game: str) -> bool:
    """Whether a player moves at once."""
    name = DEFAULT[not isinstance(load_rules(game), Game)] if player is None else player
    return name.partition(":")[0] in QUICK


def kept_player(name: str, seat: Seat, **settings: Any) -> AbstractContextManager[Player]:
    """Like `open_player`; the last players stay open, since some look at all positions of a game before they move."""
    return nullcontext(_kept(name, seat, tuple(sorted(settings.items()))))


@lru_cache(maxsize=2)
def _kept(name: str, seat: Seat, settings: tuple[tuple[str, str], ...]) -> Player:
    return open_player(name, seat, **dict(settings))


def chosen_move(
    folder: Path,
    opened: Open = open_player,
    *,
    game: str,
    position: str | None = None,
    moves: Sequence[str] = (),
    player: str | None = None,
    settings: Mapping[str, str] | None = None,
    seed: int | None = None,
) -> dict[str, Any]:
    """The move of a player, with the fields of `tablebase.web.api.play.PlayAnswer`.

    The game has begun at `position`, by default its start, and `moves` have been played since. The player and its settings are
    those of ``tablebase play``; `seed` decides all chance. A player of pieces is opened by `opened`.
    """
    rules = load_rules(game)
    seed = SystemRandom().randrange(SEEDS) if seed is None else seed
    given = dict(settings or {})
    for name in FILES:
        if name in given:
            raise TablebaseError(f"the setting {name} names a file, and nothing is kept here: leave it out")
    if isinstance(rules, StochasticGame):
        return _state_move(folder, rules, position, moves, player or DEFAULT[1], given, seed)
    match = _played(rules, position, moves)
    seat = Seat(rules, match.positions[0], match.side, folder)
    with opened(player or DEFAULT[0], seat, **given) as chooser:
        return _move(match, chooser, player or DEFAULT[0], seed)


def _played(game: Game, position: str | None, moves: Sequence[str]) -> Match:
    """A match as it stands, in which somebody is to move."""
    match = Match(game, parse(game, game.start if position is None else position))
    for text in moves:
        _make(match, text)
    if match.ending() is not None:
        raise RulesError(f"the game is over in {render(game, match.position)}: begin a new one")
    return match


def _move(match: Match, player: Player, name: str, seed: int) -> dict[str, Any]:
    """The move of a player in a game of pieces on squares."""
    game, before = match.game, render(match.game, match.position)
    move = player.choose(match, Random(seed))
    if move is None:
        match.resign()
    else:
        match.play(move)
    ending = match.ending()
    winner = None if ending is None or ending.winner is None else game.sides[ending.winner].letter
    return {
        "game": game.name,
        "position": before,
        "player": name,
        "move": None if move is None else render_move(game, move),
        "after": render(game, match.position),
        "remark": player.remark,
        "seed": seed,
        "ending": None if ending is None else {"winner": winner, "why": str(ending.why)},
    }


def _make(match: Match, text: str) -> None:
    """Make a move that is given as text."""
    legal = match.legal()
    word = text.replace("-", "").lower()
    if word not in legal:
        cure = f"choose one of {', '.join(legal)}" if legal else "begin a new game"
        raise RulesError(f"the move {quoted(text)} is not legal in {render(match.game, match.position)}: {cure}")
    match.play(legal[word])


def _state_move(
    folder: Path,
    game: StochasticGame,
    position: str | None,
    moves: Sequence[str],
    name: str,
    settings: Mapping[str, str],
    seed: int,
) -> dict[str, Any]:
    """The move of a player in a game of chance or of several players."""
    if moves:
        raise RulesError(f"{game.name} draws cards or dice between moves: leave out moves, and give the position that they led to")
    state = game.start if position is None else game.parse(position)
    legal = game.moves(state) if game.to_move(state) >= 0 else {}
    if not legal:
        raise RulesError(f"nobody is to move in {game.format(state)}: give a position in which somebody is")
    words = ",".join(f"{key}={value}" for key, value in settings.items())
    text = f"{name}{':' if words and ':' not in name else ',' if words else ''}{words}"
    with open_state_player(text, game, folder) as player:
        code = player.choose(state, Random(seed))
        remark = player.remark
    return {
        "game": game.name,
        "position": game.format(state),
        "player": name,
        "move": str(code),
        "after": game.format(legal[code]),
        "remark": remark,
        "seed": seed,
        "ending": None,
    }
