"""Players of games of chance or of several players: what they are, which there are, and which settings they take.

A player is written as its name, with settings behind a colon: ``computer:depth=5,objective=lead``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path
from random import Random

from tablebase.game.stochastic import State, StochasticGame
from tablebase.play.player_records import PlayerRecord, loaded_later, names_of, read_settings, record_for


class StatePlayer(ABC):
    """Chooses moves in states; made by `open_state_player`.

    Its `remark` is what it has to say about its last move, and may be empty.
    """

    def __init__(self) -> None:
        self.remark = ""

    def __enter__(self) -> StatePlayer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @abstractmethod
    def choose(self, state: State, random: Random) -> int:
        """The code of a legal move in a state in which the game is not over.

        `random` is the source of all chance, so that a seed repeats a game.
        """

    def close(self) -> None:
        """Give back what it holds; it chooses no move afterwards."""
        self.remark = ""


class RandomPlayer(StatePlayer):
    """Makes any legal move."""

    def __init__(self, game: StochasticGame) -> None:
        super().__init__()
        self._game = game

    def choose(self, state: State, random: Random) -> int:
        """One of the legal codes, all alike."""
        return random.choice(list(self._game.moves(state)))


def _not_compiled(game: StochasticGame) -> str | None:
    return None if game.kernels() is not None else "its rules are not compiled"


def _not_two(game: StochasticGame) -> str | None:
    return None if game.players == 2 else "tables are for two players"


STATE_PLAYERS = (
    PlayerRecord(
        "computer",
        "looks ahead, and evaluates where it ends; with tables at its leaves",
        loaded_later("tablebase.play.lookahead_player"),
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
    PlayerRecord("random", "makes any move", lambda game, _folder, _settings: RandomPlayer(game)),
    PlayerRecord(
        "tables",
        "makes the move whose chance is the best for certain; any move where the tables know nothing",
        loaded_later("tablebase.play.chance_tables"),
        refuses=_not_two,
    ),
)
"""All players, first the one that plays if none is named."""


def state_player_names(game: StochasticGame | None = None) -> tuple[str, ...]:
    """Names of all players, or of those that can play a game."""
    return names_of(STATE_PLAYERS, game)


def open_state_player(text: str, game: StochasticGame, folder: Path = Path("data")) -> StatePlayer:
    """Make a player, written as its name with settings behind a colon, to be closed after its last game.

    The folder is for players that use tables. `TablebaseError` if there is no such player, it cannot play the game, or it does not
    take the settings.

    Examples
    --------
    >>> from random import Random
    >>> from tablebase.game.installed import load_rules
    >>> game = load_rules("pig-die=2-target=1")
    >>> with open_state_player("random", game) as player:
    ...     player.choose(game.start, Random(1)) in game.moves(game.start)
    True
    """
    name, _, rest = text.partition(":")
    record = record_for(game, name, STATE_PLAYERS)
    known = [*record.settings, *(game.weights if record.weighs else ())]
    player: StatePlayer = record.make(game, folder, read_settings(name, rest, known))
    return player
