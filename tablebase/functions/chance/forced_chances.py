"""Chances each of two players can force in a state, as far as a folder's tables know."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tablebase.errors import MissingTableError
from tablebase.functions.chance.chances import UNIT
from tablebase.functions.chance.compiled import compiled
from tablebase.functions.chance.files import LayerFile, built_regions, layer_path
from tablebase.game.kernels import call_compiled, winner_of
from tablebase.game.stochastic import CHANCE, OVER, State, StochasticGame
from tablebase.game.values import Bounds
from tablebase.tables.cached_chunks import CachedChunks
from tablebase.tables.folder import check_folder

Chances = tuple[int, int]
"""In units, the chances of winning that player 0 and player 1 can force."""
UNKNOWN: Chances = (0, 0)


class ForcedChances:
    """The tables of a game of two players in a folder. All of them are asked, since the bounds of each are true.

    Safe to use from several threads. `MissingTableError` if there is no table of the game.
    """

    def __init__(self, folder: Path, game: StochasticGame, chunks: CachedChunks | None = None) -> None:
        """Keep decompressed chunks with others, or in a cache of its own."""
        check_folder(folder, built=True)
        self.game = game
        self.chunks = chunks or CachedChunks()
        self.compiled = compiled(game)
        self.regions = [
            (region, [LayerFile(layer_path(folder, game, region, layer), game, region, layer) for layer in layers])
            for region, layers in built_regions(folder, game, self.compiled.region)
        ]
        if not self.regions:
            limits = " ".join(f"--{name} {value}" for name, value in game.limits.items())
            raise MissingTableError(game.name, folder, options=limits)

    def close(self) -> None:
        """Close all files."""
        for _, files in self.regions:
            for file in files:
                file.close()

    def chances(self, state: State, passed: frozenset[State] = frozenset()) -> Chances:
        """Return both forced chances in a state, in units, as far as the tables know.

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
            draws = [(draw.probability, self.after_move(draw.state, passed)) for draw in self.game.draws(state)]
            mine, others = (int(sum(weight * chances[player] for weight, chances in draws)) for player in (0, 1))
            return mine, others
        after = [self.after_move(child, passed) for child in self.game.moves(state).values()]
        best = [(max if player == mover else min)(chances[player] for chances in after) for player in (0, 1)]
        return best[0], best[1]

    def after_move(self, state: State, passed: frozenset[State] = frozenset()) -> Chances:
        """Return both forced chances after a move; unknown in a later turn's state, with a choice, that no table has."""
        stored = self._stored(state)
        if stored is not None:
            return stored
        chooses = self.game.to_move(state) >= 0 and len(self.game.moves(state)) > 1
        return UNKNOWN if chooses and self.game.begins_turn(state) else self.chances(state, passed)

    def _stored(self, state: State) -> Chances | None:
        """The best bounds that any table has."""
        found = list(self._found(state, generous=False))
        return (max(mine for mine, _ in found), max(others for _, others in found)) if found else None

    def stalling(self, state: State) -> float | None:
        """Return the chance left after all that the players could force if all unknown to tables were good for them."""
        found = list(self._found(state, generous=True))
        return max((max(UNIT - mine - others, 0) / UNIT for mine, others in found), default=None)

    def _found(self, state: State, *, generous: bool) -> Iterator[Chances]:
        row = self.compiled.row(state)
        for region, files in self.regions:
            if region.generous != generous:
                continue
            number, player = (-1, -1) if row is None else call_compiled(self.compiled.kernels.index, region.rules, row)
            file = next((file for file in files if file.layer.begin <= number < file.layer.end), None)
            if file is not None:
                mine, others = file.chances_at(number, self.chunks)
                yield (mine, others) if player == 0 else (others, mine)


def bounds_of(chances: Chances, player: int) -> Bounds:
    """The bounds of a player's chance to win."""
    return Bounds(chances[player] / UNIT, (UNIT - chances[1 - player]) / UNIT)
