"""Moves of the named players: a position in, a move out, and nothing kept between."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import lru_cache
from pathlib import Path
from random import Random, SystemRandom
from typing import Any

from tablebase.errors import RulesError, TablebaseError
from tablebase.game.installed import load_rules
from tablebase.game.rules import P, Rules
from tablebase.play.match import Match
from tablebase.play.player import SEEDS, Player, Seat
from tablebase.play.player_records import read_settings
from tablebase.play.players import find_player, open_player, player_names
from tablebase.web.context import with_spaces

Open = Callable[..., AbstractContextManager[Player]]
QUICK = ("tables", "fuzzy", "random")
"""Players that need no process of their own."""
FILES = ("boxes", "file")
"""Settings that name files, which a client has no business with."""


def is_quick(player: str | None, game: str) -> bool:
    """Return whether a player moves at once."""
    name = player_names(load_rules(game))[0] if player is None else player
    return name.partition(":")[0] in QUICK


@lru_cache(maxsize=2)
def kept_player(name: str, seat: Seat, **settings: Any) -> AbstractContextManager[Player]:
    """Like `open_player`; the last players stay open, since some look at all positions of a game before they move."""
    return nullcontext(open_player(name, seat, **settings))


def chosen_move(
    folder: Path,
    opened: Open = open_player,
    *,
    game: str,
    position: str | None = None,
    moves: Sequence[str] = (),
    player: str | None = None,
    settings: Mapping[str, str | float] | None = None,
    seed: int | None = None,
) -> dict[str, Any]:
    """The move of a player, with the fields of `tablebase.web.api.play.PlayAnswer`.

    The game has begun at `position`, by default its start, and `moves` have been played since. The player and its settings are
    those of ``tablebase play``; `seed` decides all chance. The player is opened by `opened`.
    """
    rules: Rules[Any] = load_rules(game)
    seed = SystemRandom().randrange(SEEDS) if seed is None else seed
    # Numbers are read as texts are, so that all players take both.
    name, given = player or player_names(rules)[0], {key: str(value) for key, value in (settings or {}).items()}
    record = find_player(name)
    written = read_settings(record.name, name.partition(":")[2], record.settings_in(rules))
    for setting in FILES:
        if setting in given or setting in written:
            raise TablebaseError(f"the setting {setting} needs a file, but the server does not store files: leave out {setting}")
    match = _match(rules, position, moves)
    before = match.position
    with opened(name, Seat(rules, match.start, match.player, folder), **given) as chooser:
        move = chooser.choose(match, Random(seed))
        remark = chooser.remark
    after = before if move is None else match.legal()[move]
    return {
        "game": rules.name,
        "position": rules.format(before),
        "player": name,
        "move": move,
        "after": rules.format(after),
        "remark": remark,
        "seed": seed,
        # Of games with chance, nobody knows it before the next draw.
        "ending": None if "chance" in rules.can else _ending(match, move),
    }


def _match(rules: Rules[P], position: str | None, moves: Sequence[str]) -> Match[P]:
    if moves and "chance" in rules.can:
        raise RulesError(f"cannot replay moves of {rules.name}, which has chance moves: send the position after the moves")
    start = rules.initial if position is None else rules.parse(with_spaces(rules, position))
    rules.check(start)
    if rules.to_move(start) < 0:
        raise RulesError(f"{rules.format(start)} has no player to move (game over or chance move): give another position")
    match = Match(rules, start)
    for text in moves:
        match.play(text if text in match.legal() else rules.read_move(text.lower()))
    if match.ending() is not None:
        raise RulesError(f"the game is over in {rules.format(match.position)}: begin a new game")
    return match


def _ending(match: Match[Any], move: str | None) -> dict[str, str | None] | None:
    if move is None:
        match.resign()
    else:
        match.play(move)
    ending = match.ending()
    if ending is None:
        return None
    winner = None if ending.winner is None else match.rules.sides[ending.winner].letter
    return {"winner": winner, "why": ending.why}
