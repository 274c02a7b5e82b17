"""Errors of the functions of a `CompiledGame`: wrong ranks, tiers that are not declared, moves that cannot be taken back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from itertools import chain
from random import Random
from typing import Any

from tablebase.errors import NotationError
from tablebase.game.compiled import DRAWN, CompiledGame
from tablebase.testing.contract import positions

MOST = 1 << 63
LEVELS = 1000
"""Maximum number of tiers with tested ranks."""


def positions_and_ranks(bench: Any, rng: Random) -> Iterator[int]:
    """Yield positions of random play, and positions of random ranks in the same tiers."""
    game: CompiledGame = bench.game
    tiers = {game.functions.tier(game.numbers, position) for position in positions(bench, Random(rng.random()))}
    if not game.is_ranked:
        return positions(bench, rng)
    sizes = {tier: game.size(tier) for tier in sorted(tiers)[:LEVELS]}
    drawn = (rng.choice(list(sizes)) for _ in range(bench.samples))
    found = (game.position_at(tier, rng.randrange(sizes[tier])) for tier in drawn)
    return chain(positions(bench, rng), (position for position in found if position is not None))


def ranks_error(game: CompiledGame, position: int) -> str | None:
    """Describe a rank out of range, or positions of one rank with different moves."""
    text, (tier, rank) = game.format(position), game.place(position)
    if not 0 <= position < MOST:
        return f"the position {text} is {position}, but must be a number of 63 bits"
    if game.is_ranked and not 0 <= rank < game.size(tier):
        return f"the rank of {text} is {rank}, but tier {tier} has {game.size(tier)} ranks"
    stored = game.position_at(tier, rank)
    if stored is None:
        name = f"unrank({tier}, {rank})" if game.is_ranked else f"canonical of {text}"
        return f"{name} leads to a position with another {'rank' if game.is_ranked else 'canonical one or tier'}"
    if (same := _followers(game, stored)) != _followers(game, position):
        return f"{text} and {game.format(stored)} are equivalent, but have different moves: {_followers(game, position)} and {same}"
    return None


def _followers(game: CompiledGame, position: int) -> tuple[int, list[tuple[int, int, bool]]]:
    """Return the result if the game is over, and for each move, its place and whether the player moves again (False in a draw)."""
    out, rules = [0] * game.most_moves, game.numbers
    count = game.functions.moves(rules, position, out)
    player, children = game.functions.to_move(rules, position), set()
    for child in out[: max(count, 0)]:
        again = game.functions.to_move(rules, child) == player
        is_draw = game.functions.moves(rules, child, [0] * game.most_moves) == DRAWN
        children.add((*game.place(child), again and not is_draw))
    return min(count, 0), sorted(children)


def tiers_error(game: CompiledGame, position: int) -> str | None:
    """Describe a move to a tier that `after` does not return."""
    tier = game.place(position)[0]
    after = set(game.after(tier)) if game.is_ranked else set()
    for child in game.moves(position).values():
        reached = game.place(child)[0]
        if not game.is_ranked and reached < tier:
            return f"a move leads from {game.format(position)} in tier {tier} to tier {reached}, which is smaller"
        if game.is_ranked and reached not in after:
            return f"a move leads from {game.format(position)} to {game.format(child)}, but after({tier}) lacks {reached}"
    return None


def unmoves_error(game: CompiledGame, position: int) -> str | None:
    """Describe a move within a group of tiers that `unmoves` does not take back, or an unmove that is not a move."""
    assert game.functions.unmoves is not None
    out, place = [0] * game.most_moves, game.place(position)
    for child in game.moves(position).values():
        tier = game.place(child)[0]
        if tier == place[0] or (game.is_ranked and place[0] in set(game.after(tier))):
            count = game.functions.unmoves(game.numbers, child, out)
            if place not in map(game.place, out[:count]):
                return f"unmoves of {game.format(child)} lacks {game.format(position)}, which leads to it"
    count = game.functions.unmoves(game.numbers, position, out)
    for before in out[:count]:
        if place not in map(game.place, game.moves(before).values()):
            return f"unmoves of {game.format(position)} has {game.format(before)}, which does not lead to it"
    return None


def machine_error(game: CompiledGame, position: int) -> str | None:
    """Describe a difference between the plain and the compiled functions."""
    # Numba is slow to load.
    from tablebase.game.native import call_all, read_texts

    functions, numbers = game.functions, game.numbers
    for name, found in call_all(game, position).items():
        if name in ("moves", "unmoves"):
            out = [0] * game.most_moves
            count = getattr(functions, name)(numbers, position, out)
            expected: Any = (count, out[: max(count, 0)])
        elif name == "unrank":
            assert functions.unrank is not None
            expected = functions.unrank(numbers, *game.place(position))
        else:
            expected = getattr(functions, name)(numbers, position)
        if found != expected:
            return f"{name} of {game.format(position)} is {found} when compiled, but {expected} in Python"
    # Each letter is also left out, doubled, or exchanged for another one of the text.
    text = game.format(position)
    texts = list({text[:at] + new + text[at + 1 :]: None for at, old in enumerate(text) for new in ("", 2 * old, *text)})
    for one, found in zip(texts, read_texts(game, texts).tolist(), strict=True):
        expected = -1
        with suppress(NotationError):
            expected = game.parse(one) if found >= 0 else found
        if found != expected:
            return f"read of {one!r} is {found}, but parse has {expected}"
    return None
