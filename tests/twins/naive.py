"""The slow, obvious twin of each kernel, in plain Python.

Of the package it uses only the data (`Game`) and the tuples (`Position`, `Move`). It knows no mirror,
no colour swap, no aliases and no coding: a value is a pair such as ``("win", 3)`` or ``("draw", None)``.
"""

from collections.abc import Callable, Iterable
from functools import cache, partial
from itertools import combinations, product

from tablebase.game import Game, Step
from tablebase.game.moves import Move, Position

Pair = tuple[str, int | None]
"""Outcome for the side to move, and distance."""

Kinds = tuple[int, ...]
"""Kind numbers of both sides, ascending."""

Placement = frozenset[tuple[int, int]]
"""Kind number and square of each piece."""

REVERSED = {"win": "loss", "loss": "win", "draw": "draw"}


# Moves


@cache
def moves(game: Game, position: Position) -> list[Move]:
    on = {square: kind for kind, square in position.pieces}
    found = []
    for number, origin in position.pieces:
        if game.kinds[number].side != position.side:
            continue
        for step in _steps(game, number)[origin]:
            if any(square in on for square in step.empty):
                continue
            if step.target not in on:
                if step.quiet:
                    found.append(Move(number, origin, step.target, None, step.wins))
            elif game.kinds[on[step.target]].symbol in step.victims:
                found.append(Move(number, origin, step.target, on[step.target], step.wins))
    return found


@cache
def _steps(game: Game, kind: int) -> list[list[Step]]:
    return [[step for step in game.kinds[kind].steps if step.origin == square] for square in range(len(game.board))]


def after(position: Position, move: Move) -> Position:
    others = [piece for piece in position.pieces if piece[1] not in (move.origin, move.target)]
    return Position(tuple(sorted([*others, (move.kind, move.target)])), 1 - position.side)


def escaped(game: Game, position: Position) -> bool:
    """Whether the runner stands unguarded and, if it needs room, beside an unguarded square."""
    escape = game.escape
    if escape is None or position.side not in escape.to_move:
        return False
    guarded = set[int]()
    for kind, square in position.pieces:
        guarded |= set(escape.guarded.get(game.kinds[kind].symbol, {}).get(square, ()))
    for kind, square in position.pieces:
        if game.kinds[kind].symbol == escape.runner and square not in guarded:
            beside = {step.target for step in game.kinds[kind].steps if step.origin == square}
            return not escape.room or len(beside - guarded) > 0
    return False


def perft(game: Game, position: Position, plies: int) -> int:
    if plies == 0:
        return 1
    if escaped(game, position):
        return 0
    return sum(perft(game, after(position, move), plies - 1) for move in moves(game, position) if plies == 1 or not move.wins)


# Solving


def placements(game: Game, kinds: Kinds) -> list[tuple[tuple[int, int], ...]]:
    """Every way to put these pieces on different squares; identical pieces are not told apart."""
    alike = [[(kind, square) for square in game.kinds[kind].squares] for kind in sorted(set(kinds))]
    ways = product(*(combinations(pieces, kinds.count(pieces[0][0])) for pieces in alike))
    placed = [tuple(sorted(piece for some in way for piece in some)) for way in ways]
    return sorted(pieces for pieces in placed if len({square for _, square in pieces}) == len(kinds))


@cache
def solve(game: Game, kinds: Kinds) -> dict[Position, Pair]:
    """The value of every position of a material, both sides to move, one depth after another.

    A position is decided at a depth by a prospect of that depth, so only those that have one are looked at: parents of
    what was decided one ply before, and positions with a prospect outside the material; at first all of them.
    """
    unknown = [Position(pieces, side) for pieces in placements(game, kinds) for side in (0, 1)]
    prospects = {position: _prospects(game, position) for position in unknown}
    parents: dict[Position, list[Position]] = {position: [] for position in unknown}
    outside: dict[int, list[Position]] = {}
    for position, some in prospects.items():
        for prospect in some:
            if isinstance(prospect, Position):
                parents[prospect].append(position)
            elif prospect[1] is not None:
                outside.setdefault(prospect[1], []).append(position)
    values: dict[Position, Pair] = {}
    depth, decided = 0, dict[Position, Pair]()
    while depth == 0 or decided or depth <= max(outside, default=0):
        due = unknown if depth == 0 else [*(p for child in decided for p in parents[child]), *outside.get(depth, [])]
        decided = {}
        for position in due:
            if position not in values:
                known = [parent(values.get(p)) if isinstance(p, Position) else p for p in prospects[position]]
                pair = _at_depth(game, depth, known)
                if pair is not None:
                    decided[position] = pair
        values |= decided
        depth += 1
    return values | {position: ("draw", None) for position in unknown if position not in values}


def _prospects(game: Game, position: Position) -> list[Pair | Position]:
    """What each move is worth; where a piece has escaped there is one prospect, the result."""
    found = [_prospect(game, position, move) for move in moves(game, position)]
    if not found or not escaped(game, position):
        return found
    return [escape_value(game, position)]


def escape_value(game: Game, position: Position) -> Pair:
    assert game.escape is not None
    runner = game.kinds[game.by_symbol[game.escape.runner]]
    return ("win" if runner.side == position.side else "loss", 0)


def _prospect(game: Game, position: Position, move: Move) -> Pair | Position:
    """What a move is worth to the mover or, if it stays in the material, the position it leads to."""
    if move.captured is None and not move.wins:
        return after(position, move)
    return worth(game, position, move, partial(value, game))


def worth(game: Game, position: Position, move: Move, known: Callable[[Position], Pair]) -> Pair:
    """What a move is worth to the mover, if this is what the positions are worth that moves lead to."""
    child = after(position, move)
    if move.wins or all(game.kinds[kind].side == position.side for kind, _ in child.pieces):
        return "win", 1
    outcome, distance = known(child)
    return REVERSED[outcome], None if distance is None else distance + 1


def _at_depth(game: Game, depth: int, known: list[Pair | None]) -> Pair | None:
    """What a position is worth if it is decided at this depth; `known` has None for moves not understood yet."""
    if not known:
        return ("loss", 0) if game.no_move.value == "loss" else ("draw", None)
    if ("win", depth) in known:
        return ("win", depth)
    lost = [pair for pair in known if pair is not None and pair[0] == "loss" and pair[1] is not None and pair[1] <= depth]
    return ("loss", depth) if len(lost) == len(known) else None


def parent(pair: Pair | None) -> Pair | None:
    if pair is None or pair[1] is None:
        return pair
    return REVERSED[pair[0]], pair[1] + 1


def value(game: Game, position: Position) -> Pair:
    return solve(game, tuple(kind for kind, _ in position.pieces))[position]


def merit(pair: Pair) -> tuple[int, int]:
    """More for a value that a player prefers: a win to a draw to a loss, an early win, a late loss."""
    outcome, distance = pair
    if distance is None:
        return (1, 0)
    return (2, -distance) if outcome == "win" else (0, distance)


def better(first: Pair, second: Pair) -> bool:
    return merit(first) > merit(second)


def best(game: Game, position: Position, known: Callable[[Position], Pair]) -> Pair:
    """What the best move of a position makes it worth; ``("stalemate", None)`` where a side without a move draws."""
    if not moves(game, position):
        return ("loss", 0) if game.no_move.value == "loss" else ("stalemate", None)
    if escaped(game, position):
        return escape_value(game, position)
    return max((worth(game, position, move, known) for move in moves(game, position)), key=merit)


# Tiers


@cache
def level(game: Game, kind: int, square: int) -> int:
    """The most steps in a row that end on a square, those that win left out."""
    before = [step.origin for step in game.kinds[kind].steps if step.target == square and not step.wins]
    return max((level(game, kind, origin) + 1 for origin in before), default=0)


def tier(game: Game, pieces: Iterable[tuple[int, int]]) -> tuple[int, ...]:
    """For each tiered kind among these pieces, their levels added up."""
    placed = list(pieces)
    tiered = sorted({kind for kind, _ in placed if game.kinds[kind].tiered})
    return tuple(sum(level(game, kind, square) for other, square in placed if other == kind) for kind in tiered)


# Indexing


def groups(game: Game, kinds: Kinds) -> list[tuple[int, int]]:
    """Kinds and their counts in index order: as in the material, but the single piece with most squares last, tiers aside."""
    counted = [(kind, kinds.count(kind)) for kind in sorted(set(kinds))]
    singles = [(len(game.kinds[kind].squares), kind) for kind, count in counted if count == 1 and not game.kinds[kind].tiered]
    if singles:
        row = (max(singles)[1], 1)
        counted = [group for group in counted if group != row] + [row]
    return counted


def listing(game: Game, kinds: Kinds, advance: tuple[int, ...] = ()) -> list[Placement | None]:
    """What each index of a tier stands for, None where pieces would share a square."""
    total = dict(zip([kind for kind in sorted(set(kinds)) if game.kinds[kind].tiered], advance, strict=True))
    ways = [
        [one for one in _choices(game, group) if group[0] not in total or tier(game, one) == (total[group[0]],)]
        for group in groups(game, kinds)
    ]
    leads: dict[Placement, None] = {}
    for choice in ways[0]:
        if game.mirror is None or _image(game, choice) not in leads:
            leads[choice] = None
    combined = (frozenset[tuple[int, int]]().union(*parts) for parts in product(leads, *ways[1:]))
    return [whole if len({square for _, square in whole}) == len(kinds) else None for whole in combined]


def _choices(game: Game, group: tuple[int, int]) -> list[Placement]:
    """Every placement of a group, ordered by the last square, then the one before it, and so on."""
    kind, count = group
    chosen = combinations(game.kinds[kind].squares, count)
    return [frozenset((kind, square) for square in squares) for squares in sorted(chosen, key=lambda squares: squares[::-1])]


def _image(game: Game, placement: Placement) -> Placement:
    assert game.mirror is not None
    return frozenset((kind, game.mirror[square]) for kind, square in placement)
