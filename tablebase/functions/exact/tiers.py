"""Tiers of a game by compiled functions: which there are, how large they are, and which are solved together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache

import numpy as np
from numpy.typing import NDArray

from tablebase.errors import RulesError, did_you_mean, quoted
from tablebase.game.compiled import TIER_NAME, CompiledGame
from tablebase.system.compute.circles import circles

MOST_TIERS = 1 << 20
"""Tiers have smaller numbers."""


@dataclass(frozen=True)
class TierGroup:
    """Tiers that are solved together, since moves lead back and forth between them, or stay in one."""

    tiers: tuple[int, ...]
    after: tuple[int, ...]  # the other tiers that moves lead to
    is_cyclic: bool  # whether a move stays in the group


@dataclass(frozen=True)
class Tiers:
    """All tiers of a game, in the order in which they are solved."""

    groups: tuple[TierGroup, ...]
    sizes: Mapping[int, int]  # ranks
    names: Mapping[int, str]
    keys: Mapping[int, NDArray[np.int64]] = field(default_factory=dict)  # sorted positions of tiers that are listed

    def __iter__(self) -> Iterator[int]:
        return (tier for group in self.groups for tier in group.tiers)

    def group_of(self, tier: int) -> TierGroup:
        """Return the group of a tier."""
        return next(group for group in self.groups if tier in group.tiers)

    def numbered(self, name: str) -> int:
        """Return the number of a tier with a name; `RulesError` without one."""
        for number, known in self.names.items():
            if known == name:
                return number
        raise RulesError(f"unknown tier {quoted(name)}{did_you_mean(name, self.names.values())}: see 'tablebase estimate'")

    def needed(self, tiers: set[int]) -> tuple[TierGroup, ...]:
        """Return the groups of some tiers, with all that they depend on."""
        needed, found = set(tiers), []
        for group in reversed(self.groups):
            if needed.intersection(group.tiers):
                found.append(group)
                needed.update(group.after)
        return tuple(reversed(found))


@cache
def tiers_of(game: CompiledGame) -> Tiers:
    """List the tiers that moves from the start can lead to, by what a game with ranks declares.

    Raises
    ------
    RulesError
        If numbers or names of tiers are not valid.
    """
    first = game.place(game.start)[0]
    after = {first: tuple(game.after(first))}
    for tier in (waiting := [first]):
        for other in after[tier]:
            if not 0 <= other < MOST_TIERS:
                raise RulesError(f"after({tier}) of {game.name} returns tier {other}: number tiers from 0 to {MOST_TIERS - 1:,}")
            if other not in after:
                after[other] = tuple(game.after(other))
                waiting.append(other)
    return grouped(game, after, {})


def grouped(game: CompiledGame, after: Mapping[int, tuple[int, ...]], keys: Mapping[int, NDArray[np.int64]]) -> Tiers:
    """Group tiers by where their moves lead."""
    sizes = {tier: len(keys[tier]) if keys else game.size(tier) for tier in after}
    names = {tier: game.tier_name(tier) for tier in after}
    if len(set(names.values())) < len(names) or not all(map(TIER_NAME.fullmatch, names.values())):
        rule = "made of letters, digits, dots, hyphens and underscores"
        raise RulesError(f"tier_name() of {game.name} must return a different name for each tier, {rule}")
    tiers, groups = list(after), []
    numbers = {tier: number for number, tier in enumerate(tiers)}
    for circle in circles([np.array([numbers[other] for other in others], np.int64) for others in after.values()]):
        members = [tiers[number] for number in circle]
        outside = {other for tier in members for other in after[tier]} - set(members)
        cyclic = any(other in members for tier in members for other in after[tier])
        groups.append(TierGroup(tuple(sorted(members)), tuple(sorted(outside)), cyclic))
    return Tiers(tuple(groups), sizes, names, keys)
