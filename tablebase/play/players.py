"""The players: which there are, by name, which games each can play, and which settings it takes.

They have the same names wherever a player is named: on the command line, in matches, on pages. A player is written as its name,
with settings behind a colon: ``engine:level=3``, ``computer:depth=5,objective=lead``.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from tablebase.errors import ArgumentError, did_you_mean, quoted
from tablebase.game.companions import companions
from tablebase.game.rules import Rules
from tablebase.play.player import Player, RandomPlayer, Seat
from tablebase.play.player_records import PlayerRecord, check_setting, loaded_later, read_settings

ADVISERS = ("engine:nodes=30000", "computer")
"""Players that advise where no table has the value, in this order: each takes a fraction of a second."""
FUZZ = {"fuzz": "probability of each inferior move relative to a best move, from 0 (only best moves) to 1 (random moves)"}
FAIR_FUZZ = {"fuzz": f"{FUZZ['fuzz']}; or fair, to give a perfect opponent a winning chance of 1/2"}


def _endless(rules: Any) -> str | None:
    from tablebase.graph.reachable import one_way_sides

    return None if one_way_sides(rules) else "a game may never end"


FIRST = (
    PlayerRecord(
        "computer",
        "searches a few turns ahead and evaluates the resulting positions with tables or an evaluation function",
        loaded_later("tablebase.play.lookahead_player"),
        {
            "depth": "number of turns to search, from 1 to 20; by default, the larger of 4 and the number of players + 1",
            "objective": "value to maximize, own (value of the player, the default) or lead (lead over the other players)",
            "stop": "yes (the default) to search no further than a turn in which a player finishes, or no",
            "alpha-beta": "yes to prune with alpha-beta (only for two players with objective=lead), or no (the default)",
            "sort": "yes to search promising moves first, or no (the default)",
            "cuts": "maximum numbers of moves to search in successive turns, such as 0/0/8/8/4; 0 (the default) for all moves",
            "cards": "treatment of chance: draw (one random outcome, the default) or expectation (the average of all outcomes)",
            "tables": "yes (the default) to use existing tables, or no",
        },
        weighs=True,
        needs="lookahead",
        refuses=lambda rules: None if rules.kernels() is not None else "the rules are not compiled",
    ),
    PlayerRecord(
        "tables",
        "makes the best moves (fastest win, slowest loss; in games with chance, highest lower bound)",
        loaded_later("tablebase.play.from_tables", "TablesPlayer"),
        FUZZ,
        needs_tables=True,
        strategy=loaded_later("tablebase.play.strategy", "Shortest"),
        refuses=lambda rules: None if rules.players == 2 else "tables are for two players",
    ),
    PlayerRecord(
        "fuzzy",
        "plays from the tables, with mistakes; by default, fuzz is 0.1",
        loaded_later("tablebase.play.from_tables", "TablesPlayer", fuzz=0.1),
        FUZZ,
        needs_tables=True,
        refuses=lambda rules: None if rules.players == 2 else "tables are for two players",
    ),
)
"""Players that come before those of single games."""
LAST = (
    PlayerRecord(
        "ranking",
        "ranks moves by result under best play, then by distance, then by the share of possible games won after the move",
        loaded_later("tablebase.play.ranking"),
        FAIR_FUZZ,
        fair=True,
        strategy=loaded_later("tablebase.play.ranking", "ranking"),
        needs="game graphs",
        refuses=_endless,
    ),
    PlayerRecord(
        "exploit",
        "makes the moves with the best chance of winning against a weakened player",
        loaded_later("tablebase.play.exploit_player"),
        {
            "fuzz": "weakness (fuzz) of the opponent, from 0 to 1, or fair (the default), for equal winning chances",
            "against": "weakened opponent; by default, the first of foxbox, ranking and tables that supports the game",
        },
        fair=True,
        needs="game graphs",
        refuses=_endless,
    ),
    PlayerRecord(
        "matchboxes",
        "draws beads from matchboxes to choose moves, and removes a bead after each loss",
        loaded_later("tablebase.play.learning.matchbox_player"),
        {
            "boxes": "JSON file with the boxes of one or both sides",
            "resigns": "yes (the default) to resign at an empty box, or no to make a random move",
            "taken": "beads (POSITION:MOVE) to remove first, such as ppp/1P1/P1P_b:a3b2, separated by spaces; only without boxes",
        },
        needs="game graphs",
        refuses=_endless,
    ),
    PlayerRecord(
        "learner",
        "makes the moves with the best values learned by self-play",
        loaded_later("tablebase.play.learning.learner"),
        {"file": "file with a trained player, written by 'tablebase train'; required"},
        needs_file=True,
        needs="learning",
    ),
    PlayerRecord(
        "engine",
        "searches deeply with alpha-beta, using tables where they exist",
        loaded_later("tablebase.play.engine_player"),
        {
            "level": "strength, from 1 (a short search with mistakes) to 10 (a million positions per move); by default, 5",
            "nodes": "maximum number of positions to search per move, instead of a level",
            "tables": "yes (the default) to use tables, or no",
        },
        needs="search",
    ),
    PlayerRecord("random", "makes random moves", RandomPlayer),
)
"""Players that come after those of single games."""


@cache
def all_players() -> tuple[PlayerRecord, ...]:
    """All players; of those that can play a game, the first one plays if none is named.

    A module ``NAME_players`` next to the rules ``NAME`` may have players of that game, as records in its tuple ``PLAYERS``.
    """
    return (*FIRST, *(record for module in companions("_players", "players") for record in getattr(module, "PLAYERS", ())), *LAST)


def player_names(rules: Rules[Any] | None = None) -> tuple[str, ...]:
    """Names of all players, or of those that can play a game."""
    return tuple(record.name for record in all_players() if rules is None or record.unsupported(rules) is None)


def find_player(text: str) -> PlayerRecord:
    """The record of a player, whatever its settings; `TablebaseError` if there is none of that name."""
    name = text.partition(":")[0]
    for record in all_players():
        if record.name == name:
            return record
    names = player_names()
    raise ArgumentError(f"unknown player {quoted(name)}{did_you_mean(name, names)}: choose {', '.join(names)}")


def adviser_of(rules: Rules[Any]) -> str | None:
    """Return the first of `ADVISERS` that can play a game; None if none can."""
    return next((name for name in ADVISERS if find_player(name).unsupported(rules) is None), None)


def open_player(text: str, seat: Seat, **settings: Any) -> Player:
    """Make a player, to be closed after its last game, from its name, perhaps with settings behind a colon, and further settings.

    Raise `TablebaseError` if there is no such player, it cannot play the game, or it does not take the settings, or `CapacityError`
    if it has to know all positions of the game, and there are too many.

    Examples
    --------
    >>> from random import Random
    >>> from tablebase.game import load_game
    >>> from tablebase.play.match import Match
    >>> game = load_game("hexapawn")
    >>> with open_player("ranking", Seat(game, game.initial, side=0)) as player:
    ...     player.choose(Match(game, game.initial), Random(1))
    'b1b2'
    """
    rules, record = seat.rules, find_player(text)
    unsupported = record.unsupported(rules)
    if unsupported is not None:
        choice = ", ".join(player_names(rules))
        raise ArgumentError(f"the player {record.name} cannot play {rules.name}, because {unsupported}: choose {choice}")
    known = record.settings_in(rules)
    written = read_settings(record.name, text.partition(":")[2], known)
    for setting in settings:
        check_setting(record.name, setting, known)
        if setting in written:
            raise ArgumentError(f"the setting {setting} of the player {record.name} is given twice: give {setting} only once")
    player: Player = record.make(seat, **written, **settings)
    return player
