"""What the tables of a folder say of a state: bounds of the chance to win, for each player, and for each move."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from tablebase.errors import MissingTableError
from tablebase.game.kernels import Region, call_index, winner_of
from tablebase.game.stochastic import CHANCE, OVER, State, StochasticGame
from tablebase.stochastic.chances import UNIT
from tablebase.stochastic.compiled import compiled
from tablebase.stochastic.files import LayerFile, built_regions, layer_path, layers_stamp
from tablebase.tables.cached_chunks import CachedChunks
from tablebase.tables.folder import check_folder

Chances = tuple[int, int]
"""In units, the chances of winning that player 0 and player 1 can force."""
UNKNOWN: Chances = (0, 0)


@dataclass(frozen=True)
class Bounds:
    """Bounds of a player's chance to win under best play."""

    lower: float  # what the player can force
    upper: float  # one minus what the other one can force

    @property
    def outcome(self) -> str | None:
        """``win`` or ``loss`` if that is certain; else None."""
        return "win" if self.lower == 1 else "loss" if self.upper == 0 else None

    def to_dict(self) -> dict[str, Any]:
        """The fields of a probe."""
        return {"outcome": self.outcome, "distance": None, "lower": self.lower, "upper": self.upper}


@dataclass(frozen=True)
class DrawAnswer:
    """An outcome of chance, and what it is worth to the player whose move led to it."""

    probability: Fraction
    label: str
    position: str
    bounds: Bounds

    def to_dict(self) -> dict[str, Any]:
        """What JSON says of it."""
        return {"probability": str(self.probability), "card": self.label, "position": self.position} | {
            name: value for name, value in self.bounds.to_dict().items() if name in ("lower", "upper")
        }


@dataclass(frozen=True)
class MoveAnswer:
    """A legal move, and what it is worth to the player who makes it."""

    code: int
    text: str
    position: str
    bounds: Bounds
    draws: tuple[DrawAnswer, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """What JSON says of it."""
        fields = {"move": str(self.code), "position": self.position, **self.bounds.to_dict()}
        return {**fields, "outcomes": [draw.to_dict() for draw in self.draws]} if self.draws else fields


@dataclass(frozen=True)
class StateAnswer:
    """What the tables say of a state."""

    game: StochasticGame
    position: str
    side: str  # the number of the player to move, from 1; ``chance`` where a card is drawn; empty if the game is over
    bounds: Bounds  # for that player; for the first one if no player is to move
    stalling: float | None  # the part of the chance that nobody can force, at least; None if no generous table has the state
    moves: tuple[MoveAnswer, ...]  # best first
    draws: tuple[DrawAnswer, ...] = ()  # where chance moves

    @property
    def best(self) -> str | None:
        """The code of the first of the moves."""
        return str(self.moves[0].code) if self.moves else None

    def to_dict(self) -> dict[str, Any]:
        """What `tablebase probe --format json` writes of a state; its fields are stable."""
        fields: dict[str, Any] = {"game": self.game.name, "position": self.position, "side": self.side, **self.bounds.to_dict()}
        fields |= {"stalling": self.stalling, "best": self.best, "moves": [move.to_dict() for move in self.moves]}
        return {**fields, "outcomes": [draw.to_dict() for draw in self.draws]} if self.draws else fields


class StateProber:
    """The tables of a game of two players in a folder. All of them are asked, since the bounds of each are true.

    Safe to use from several threads. `MissingTableError` if there is no table of the game.
    """

    def __init__(self, folder: Path, game: StochasticGame, chunks: CachedChunks | None = None) -> None:
        """Keep decompressed chunks with others, or in a cache of its own."""
        check_folder(folder, built=True)
        self.game = game
        self._chunks = chunks or CachedChunks()
        self._compiled = compiled(game)
        self._regions = list(_built(folder, game))
        if not self._regions:
            limits = " ".join(f"--{name} {value}" for name, value in game.limits.items())
            raise MissingTableError(game.name, folder, options=limits)

    def __enter__(self) -> StateProber:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close all files."""
        for _, files in self._regions:
            for file in files:
                file.close()

    def probe(self, state: State) -> StateAnswer:
        """Bounds of a state and of all its moves, best first."""
        mover = self.game.to_move(state)
        bounds = bounds_of(self.chances(state), max(mover, 0))
        moves = []
        for code, after in self.game.moves(state).items():
            draws = self._draws(after, mover) if self.game.to_move(after) == CHANCE else ()
            worth = bounds_of(self._after_move(after), mover)
            # No move is worth more than the position; a table may know that of the latter only.
            worth = Bounds(worth.lower, max(worth.lower, min(worth.upper, bounds.upper)))
            moves.append(MoveAnswer(code, self.game.code_text(code), self.game.format(after), worth, draws))
        moves.sort(key=lambda move: (-move.bounds.lower, -move.bounds.upper, move.code))
        side = str(mover + 1) if mover >= 0 else "chance" if mover == CHANCE else ""
        draws = self._draws(state, 0) if mover == CHANCE else ()
        return StateAnswer(self.game, self.game.format(state), side, bounds, self._stalling(state), tuple(moves), draws)

    def line(self, state: State, most: int) -> Iterator[tuple[StateAnswer, str]]:
        """The likeliest line: of each state what is known, and the best move or the likeliest draw; at most `most` states."""
        for _ in range(most):
            answer = self.probe(state)
            mover = self.game.to_move(state)
            if mover == OVER:
                yield answer, ""
                return
            if mover == CHANCE:
                likeliest = max(self.game.draws(state), key=lambda draw: draw.probability)
                yield answer, likeliest.label
                state = likeliest.state
            else:
                yield answer, answer.best or ""
                state = self.game.moves(state)[answer.moves[0].code]

    def chances(self, state: State, passed: frozenset[State] = frozenset()) -> Chances:
        """What each player can force in a state, in units, as far as the tables know.

        Of a state that has been `passed` on the way nothing is known: players without a choice may go round in circles.
        """
        if state in passed:
            return UNKNOWN
        passed |= {state}
        stored = self._stored(state)
        if stored is not None:
            return stored
        mover = self.game.to_move(state)
        if mover == OVER:
            winner = winner_of(self.game.places(state))
            return UNIT * (winner == 0), UNIT * (winner == 1)
        if mover == CHANCE:
            draws = [(draw.probability, self._after_move(draw.state, passed)) for draw in self.game.draws(state)]
            mine, others = (int(sum(weight * chances[player] for weight, chances in draws)) for player in (0, 1))
            return mine, others
        after = [self._after_move(child, passed) for child in self.game.moves(state).values()]
        best = [(max if player == mover else min)(chances[player] for chances in after) for player in (0, 1)]
        return best[0], best[1]

    def _after_move(self, state: State, passed: frozenset[State] = frozenset()) -> Chances:
        """What each player can force after a move; nothing in a state of a later turn, with a choice, that no table has."""
        stored = self._stored(state)
        if stored is not None:
            return stored
        chooses = self.game.to_move(state) >= 0 and len(self.game.moves(state)) > 1
        return UNKNOWN if chooses and self.game.begins_turn(state) else self.chances(state, passed)

    def _draws(self, state: State, player: int) -> tuple[DrawAnswer, ...]:
        """The outcomes of a state in which chance moves, as a player sees them."""
        return tuple(
            DrawAnswer(draw.probability, draw.label, self.game.format(draw.state), bounds_of(self._after_move(draw.state), player))
            for draw in self.game.draws(state)
        )

    def _stored(self, state: State) -> Chances | None:
        """The best bounds that any table has."""
        found = list(self._found(state, generous=False))
        return (max(mine for mine, _ in found), max(others for _, others in found)) if found else None

    def _stalling(self, state: State) -> float | None:
        """What is left of the chance after all that the players could force if what no table knows were good for them."""
        found = list(self._found(state, generous=True))
        return max((max(UNIT - mine - others, 0) / UNIT for mine, others in found), default=None)

    def _found(self, state: State, *, generous: bool) -> Iterator[Chances]:
        """What each table of one sort has."""
        row = self._compiled.row(state)
        for region, files in self._regions:
            if region.generous != generous:
                continue
            number, player = (-1, -1) if row is None else call_index(self._compiled.kernels.index, region.rules, row)
            file = next((file for file in files if file.layer.begin <= number < file.layer.end), None)
            if file is not None:
                mine, others = file.chances_at(number, self._chunks)
                yield (mine, others) if player == 0 else (others, mine)


class StateProbers:
    """The probers of a folder's games, each opened on first use, and anew after a table of its game has come or gone."""

    def __init__(self, folder: Path, chunks: CachedChunks) -> None:
        self._folder, self._chunks = folder, chunks
        self._opened: dict[tuple[str, str], tuple[Any, StateProber]] = {}

    def of(self, game: StochasticGame) -> StateProber:
        """The prober of a game; errors as of `StateProber`."""
        key, stamp = (game.name, game.digest), layers_stamp(self._folder, game)
        opened = self._opened.get(key)
        if opened is None or opened[0] != stamp:
            # The former one is not closed, because another thread may be asking it; losing the last reference closes its files.
            opened = self._opened[key] = stamp, StateProber(self._folder, game, self._chunks)
        return opened[1]

    def close(self) -> None:
        """Close all files."""
        while self._opened:
            self._opened.popitem()[1][1].close()


def bounds_of(chances: Chances, player: int) -> Bounds:
    """The bounds of a player's chance to win."""
    return Bounds(chances[player] / UNIT, (UNIT - chances[1 - player]) / UNIT)


def _built(folder: Path, game: StochasticGame) -> Iterator[tuple[Region, list[LayerFile]]]:
    """The regions of which there are files, with their open layers."""
    for region, layers in built_regions(folder, game, compiled(game).region):
        yield region, [LayerFile(layer_path(folder, game, region, layer), game, region, layer) for layer in layers]
