"""Players of games of chance or of several players: which there are, by name, and which settings they take.

A player is written as its name, with settings behind a colon: ``computer:depth=5,objective=lead``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from random import Random

from tablebase.errors import TablebaseError, did_you_mean, quoted
from tablebase.game.stochastic import State, StochasticGame
from tablebase.play.settings import read_settings
from tablebase.play.state_player import StatePlayer


class RandomPlayer(StatePlayer):
    """Makes any legal move."""

    def __init__(self, game: StochasticGame) -> None:
        super().__init__()
        self._game = game

    def choose(self, state: State, random: Random) -> int:
        """One of the legal codes, all alike."""
        return random.choice(list(self._game.moves(state)))


Make = Callable[[StochasticGame, Path, Mapping[str, str]], StatePlayer]
"""Called with a game, the folder of its tables, and the settings as texts."""


@dataclass(frozen=True)
class StatePlayerRecord:
    """What is known of a player before it is made.

    Parameters
    ----------
    name : str
    about : str
        How it plays, in a few words.
    make : callable
    settings : mapping of str to str
        The settings it takes, each with what it means; all may be left out.
    weighs : bool
        Whether the weights of the game's evaluation are settings, too.
    refuses : callable
        Why it cannot play a game, as a clause; None if it can.
    """

    name: str
    about: str
    make: Make
    settings: Mapping[str, str] = field(default_factory=dict)
    weighs: bool = False
    refuses: Callable[[StochasticGame], str | None] = lambda _game: None


def _loaded_later(module: str) -> Make:
    """The function `make` of a module, which is not loaded before it is called."""

    def make(game: StochasticGame, folder: Path, settings: Mapping[str, str]) -> StatePlayer:
        player: StatePlayer = import_module(module).make(game, folder, settings)
        return player

    return make


def _not_compiled(game: StochasticGame) -> str | None:
    return None if game.kernels() is not None else "its rules are not compiled"


def _not_two(game: StochasticGame) -> str | None:
    return None if game.players == 2 else "tables are for two players"


STATE_PLAYERS = (
    StatePlayerRecord(
        "computer",
        "looks ahead, and evaluates where it ends; with tables at its leaves",
        _loaded_later("tablebase.play.lookahead_player"),
        {
            "depth": "turns of all players that it looks ahead, from 1 to 20; by default one more than there are players, or 4",
            "objective": "own for its own value (the default), lead for its least lead over the others",
            "stop": "yes or no: whether it looks no further after a player has finished; by default yes",
            "alpha-beta": "yes or no: whether it leaves out what cannot matter; for two players and lead only; by default no",
            "sort": "yes or no: whether it looks first at what seems best; by default no",
            "cuts": "how many of the moves that seem best it looks at in each turn, as in 0/0/8/8/4; 0 for all, the default",
            "cards": "draw for one outcome of chance (the default), expectation for the average of all",
            "tables": "yes or no: whether it uses tables where there are any; by default yes",
        },
        weighs=True,
        refuses=_not_compiled,
    ),
    StatePlayerRecord("random", "makes any move", lambda game, _folder, _settings: RandomPlayer(game)),
    StatePlayerRecord(
        "tables",
        "makes the move whose chance is the best for certain; any move where the tables know nothing",
        _loaded_later("tablebase.play.chance_tables"),
        refuses=_not_two,
    ),
)
"""All players, first the one that plays if none is named."""


def state_player_names(game: StochasticGame | None = None) -> tuple[str, ...]:
    """Names of all players, or of those that can play a game."""
    return tuple(record.name for record in STATE_PLAYERS if game is None or record.refuses(game) is None)


def open_state_player(text: str, game: StochasticGame, folder: Path = Path("data")) -> StatePlayer:
    """Make a player, to be closed after its last game.

    Parameters
    ----------
    text : str
        Its name, with settings behind a colon.
    game : StochasticGame
    folder : Path
        The tablebase, for players that use tables.

    Raises
    ------
    TablebaseError
        If there is no such player, it cannot play the game, or it does not take the settings.

    Examples
    --------
    >>> from random import Random
    >>> from tablebase.game.registry import load_rules
    >>> game = load_rules("pig-die=2-target=1")
    >>> with open_state_player("random", game) as player:
    ...     player.choose(game.start, Random(1)) in game.moves(game.start)
    True
    """
    name, _, rest = text.partition(":")
    record = next((record for record in STATE_PLAYERS if record.name == name), None)
    if record is None:
        names = state_player_names()
        raise TablebaseError(f"there is no player {quoted(name)}{did_you_mean(name, names)}: choose {', '.join(names)}")
    fault = record.refuses(game)
    if fault is not None:
        choice = ", ".join(state_player_names(game))
        raise TablebaseError(f"the player {name} cannot play {game.name}, because {fault}: choose {choice}")
    known = [*record.settings, *(game.weights if record.weighs else ())]
    return record.make(game, folder, read_settings(name, rest, known))
