"""Knowledge of matchboxes from one visitor: games won, and beads taken away. It is kept in the address alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from tablebase.errors import TablebaseError, quoted
from tablebase.game import Game
from tablebase.game.notation import render, render_move, whole_number
from tablebase.game.rules import Ending, Rules
from tablebase.play.learning.matchboxes import MOST, BeadDraw, last_drawn, read_taken, write_taken
from tablebase.play.match import Match
from tablebase.web.pages import words

TAKEN = "taken"
"""The setting of players that learn, with the beads that are gone."""
MOST_GAMES = 1_000_000


@dataclass(frozen=True)
class Learned:
    """Knowledge of the matchboxes at some seats from games before."""

    game: Game
    sides: Sequence[int]  # that they play
    won: tuple[int, ...]  # games, by side
    taken: tuple[BeadDraw, ...]

    def settings(self) -> dict[str, str]:
        """The setting of the player."""
        return {TAKEN: write_taken(self.game, self.taken)} if self.taken else {}

    def query(self) -> dict[str, str]:
        """The fields of an address; none before the first game."""
        return {**({"won": ",".join(map(str, self.won))} if any(self.won) else {}), **self.settings()}

    def after(self, match: Match[Any], ending: Ending) -> Learned:
        """Return their knowledge after one more game."""
        if ending.winner is None:
            return self
        won = tuple(count + (side == ending.winner) for side, count in enumerate(self.won))
        loser = 1 - ending.winner
        lost = last_drawn(self.game, match, loser, self.taken) if loser in self.sides and not self.is_full() else None
        return replace(self, won=won, taken=self.taken if lost is None else (*self.taken, lost))

    def is_full(self) -> bool:
        """Return whether there is no room for another bead in an address."""
        return len(self.taken) >= MOST

    def score(self) -> str:
        """Games won and beads gone, as a sentence."""
        won = ", ".join(f"{words.capital(side.name)} {count:,}" for side, count in zip(self.game.sides, self.won, strict=True))
        return f"Games won: {won}; beads removed: {len(self.taken)}."

    def beads(self) -> list[tuple[str, str]]:
        """The boxes and moves of the beads that are gone, the last one first."""
        return [(render(self.game, draw.box), render_move(self.game, draw.bead.move)) for draw in reversed(self.taken)]


def read_learned(rules: Rules[Any], sides: Sequence[int], won: str | None, taken: str | None) -> Learned:
    """Read the fields of an address; `TablebaseError` if they are invalid."""
    game: Any = rules
    counts = [whole_number(text) for text in won.split(",")] if won else [0] * game.players
    games = tuple(count for count in counts if count is not None and count <= MOST_GAMES)
    if len(counts) != game.players or len(games) != len(counts):
        raise TablebaseError(f"invalid won={quoted(won)}: write the number of games won by each side, as in 2,1")
    beads = read_taken(game, taken or "")
    for draw in beads:
        if draw.box.side not in sides:
            side = game.sides[draw.box.side].name
            raise TablebaseError(f"no matchboxes play {side}: remove the bead of {render(game, draw.box)} from 'taken'")
    return Learned(game, sides, games, beads)
