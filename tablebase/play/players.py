"""The players: which there are, by name, which games each can play, and which settings it takes.

They have the same names wherever a player is named: on the command line, in matches, on pages.
"""

from __future__ import annotations

from typing import Any

from tablebase.game import Game
from tablebase.play.player import Player, Seat
from tablebase.play.player_records import PlayerRecord, check_setting, loaded_later, names_of, record_for, record_of

FUZZ = {"fuzz": "weight of a move that is not best, from 0 (only best moves) to 1 (any move)"}


def _not_fox_and_hounds(game: Game) -> str | None:
    return None if game.name.partition("-")[0] == "foxhounds" else "only Fox & Hounds has FoxBoxes"


def _endless(game: Game) -> str | None:
    from tablebase.graph.reachable import one_way_sides

    return None if one_way_sides(game) else "that game can go on for ever"


PLAYERS = (
    PlayerRecord(
        "tables",
        "makes the best moves: the quickest win, or the slowest loss",
        loaded_later("tablebase.play.from_tables"),
        FUZZ,
        needs_tables=True,
    ),
    PlayerRecord(
        "fuzzy",
        "like tables, but errs: its fuzz is 0.1 unless set",
        loaded_later("tablebase.play.from_tables", "make_fuzzy"),
        FUZZ,
        needs_tables=True,
    ),
    PlayerRecord(
        "foxbox",
        "keeps its result in Fox & Hounds, and makes the game as long or as hard as possible",
        loaded_later("tablebase.play.foxbox"),
        {"fuzz": f"{FUZZ['fuzz']}, or fair for an even chance of a perfect opponent"},
        refuses=_not_fox_and_hounds,
    ),
    PlayerRecord(
        "ranking",
        "ranks moves by forced result, by its length, and by the share of all games that are won",
        loaded_later("tablebase.play.ranking"),
        FUZZ,
        refuses=_endless,
    ),
    PlayerRecord(
        "matchboxes",
        "draws its moves as beads from matchboxes, and loses a bead with each lost game",
        loaded_later("tablebase.play.matchbox_player"),
        {"boxes": "JSON file that keeps the boxes"},
        refuses=_endless,
    ),
    PlayerRecord(
        "engine",
        "searches ahead, and ends in the tables where there are any",
        loaded_later("tablebase.play.engine_player"),
        {
            "level": "how much it searches, from 1 (little, and carelessly) to 10 (a million positions a move)",
            "nodes": "positions it may search for a move, instead of a level",
            "tables": "whether it uses tables: yes or no",
        },
    ),
)
"""All players, first the one that plays if none is named."""


def player_names(game: Game | None = None) -> tuple[str, ...]:
    """Names of all players, or of those that can play a game."""
    return names_of(PLAYERS, game)


def find_player(name: str) -> PlayerRecord:
    """The record of a player; `TablebaseError` if there is none of that name."""
    return record_of(name, PLAYERS)


def open_player(name: str, seat: Seat, **settings: Any) -> Player:
    """Make a player, to be closed after its last game.

    Parameters
    ----------
    name : str
    seat : Seat
        What it plays.
    **settings
        Those that its record lists.

    Raises
    ------
    TablebaseError
        If there is no such player, it cannot play the game, or it does not take the settings.
    CapacityError
        If it has to know all positions of the game, and there are too many.

    Examples
    --------
    >>> from random import Random
    >>> from tablebase.game import load_game
    >>> from tablebase.game.notation import parse, render_move
    >>> from tablebase.play.match import Match
    >>> game = load_game("hexapawn")
    >>> start = parse(game, game.start)
    >>> with open_player("ranking", Seat(game, start, side=0)) as player:
    ...     render_move(game, player.choose(Match(game, start), Random(1)))
    'b1b2'
    """
    record = record_for(seat.game, name, PLAYERS)
    for setting in settings:
        check_setting(name, setting, list(record.settings))
    player: Player = record.make(seat, **settings)
    return player
