"""The slow, obvious twin of the table `positions`: every placement of a slice as a dictionary of columns.

Of the package it uses the data (`Game`), the naive moves, positions as text, and a probe of each position for its value.
What the features of Dou Shou Qi tell is worked out here from the board and the strengths of the animals.
"""

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import combinations
from typing import Any

from tablebase.commands.tablebase import Tablebase
from tablebase.game import Game
from tablebase.game.moves import Move, Position
from tablebase.game.notation import render
from tablebase.positions.material import parse_materials
from tablebase.tables.values import Value
from tablebase_rules._jungle import ANIMALS, DENS, STRENGTHS, TRAPS, WATER
from twins import naive
from twins.walk import box_measures

Row = dict[str, Any]
Rated = tuple[Move, naive.Pair]
"""A move, and its value for the mover."""
WAYS = ((1, 0), (-1, 0), (0, 1), (0, -1))


def rows_of(tables: Tablebase, game: Game, material: str, side: int = 0, pieces: int | None = None) -> list[Row]:
    """All rows of a slice, or of all tiers of a material, with columns for a number of pieces (by default those that it has)."""
    kinds = parse_materials(game, material)[0].kinds
    placements = _placements(game, kinds)
    ours, others = ([Position(placed, mover) for placed in placements] for mover in (side, 1 - side))
    values, other_values = tables.probe_values(game, ours), tables.probe_values(game, others)
    return [
        row_of(game, material, position, _pair_of(value), pieces or len(kinds), _pair_of(other), rated)
        for position, value, other, rated in zip(ours, values, other_values, rated_moves(tables, game, ours), strict=True)
    ]


def moves_of(tables: Tablebase, game: Game, material: str, side: int = 0) -> list[Row]:
    kinds = parse_materials(game, material)[0].kinds
    positions = [Position(placed, side) for placed in _placements(game, kinds)]
    values = tables.probe_values(game, positions)
    return [
        row
        for position, value, rated in zip(positions, values, rated_moves(tables, game, positions), strict=True)
        for row in _move_rows(game, material, position, _pair_of(value), rated)
    ]


def rated_moves(tables: Tablebase, game: Game, positions: list[Position]) -> list[list[Rated]]:
    played = [[] if naive.escaped(game, each) else list(dict.fromkeys(naive.moves(game, each))) for each in positions]
    going = [[move for move in moves if not _ends(game, each, move)] for each, moves in zip(positions, played, strict=True)]
    children = [naive.after(each, move) for each, moves in zip(positions, going, strict=True) for move in moves]
    found = iter(tables.probe_values(game, children))
    return [
        [(move, naive.worth(game, each, move, lambda _: _pair_of(next(found)))) for move in moves]
        for each, moves in zip(positions, played, strict=True)
    ]


def _ends(game: Game, position: Position, move: Move) -> bool:
    enemies = [kind for kind, _ in position.pieces if game.side_of(kind) != position.side]
    return move.wins or (move.captured is not None and len(enemies) == 1)


def _text(game: Game, move: Move) -> str:
    return game.board.names[move.origin] + game.board.names[move.target]


def _move_rows(game: Game, material: str, position: Position, value: naive.Pair, rated: list[Rated]) -> Iterator[Row]:
    about = row_of(game, material, position, value, len(position.pieces), value, rated)
    keeping = [move for move, (outcome, _) in rated if outcome == value[0]]
    for move, worth in rated:
        (x, y), (u, v) = game.board.cells[move.origin], game.board.cells[move.target]
        child = naive.after(position, move)
        if game.swap is not None:
            child = _exchanged(game, child)
        yield {
            **{name: about[name] for name in ("material", "pieces", "side", "position")},
            "move": _text(game, move),
            "piece": game.kinds[move.kind].symbol,
            "origin": game.board.names[move.origin],
            "target": game.board.names[move.target],
            "captures": None if move.captured is None else game.kinds[move.captured].symbol,
            "jump": abs(x - u) > 1 or abs(y - v) > 1,
            "ends": _ends(game, position, move),
            "quiet": move.captured is None and not move.wins,
            "outcome": worth[0],
            "distance": worth[1],
            "position_outcome": value[0],
            "position_distance": value[1],
            "is_best": worth == value,
            "is_only": keeping == [move],
            "child": None if _ends(game, position, move) else render(game, child),
        }


def _choices(game: Game, value: naive.Pair, rated: list[Rated]) -> Row:
    outcomes = [outcome for _, (outcome, _) in rated]
    keeping = [_text(game, move) for move, (outcome, _) in rated if outcome == value[0]]
    return {
        "best": min((_text(game, move) for move, worth in rated if worth == value), default=None),
        "winning_moves": outcomes.count("win"),
        "drawing_moves": outcomes.count("draw"),
        "losing_moves": outcomes.count("loss"),
        "only_move": keeping[0] if len(keeping) == 1 else None,
        "best_moves": sum(worth == value for _, worth in rated),
        "quiet": all(move.captured is None and not move.wins for move, _ in rated),
    }


def _pair_of(value: Value) -> naive.Pair:
    return str(value.outcome), value.distance


def _placements(game: Game, kinds: tuple[int, ...]) -> list[tuple[tuple[int, int], ...]]:
    """The pieces on different squares; identical pieces in the order of their squares."""
    ways: list[tuple[tuple[int, int], ...]] = [()]
    for kind in kinds:
        ways = [
            (*way, (kind, square))
            for way in ways
            for square in game.kinds[kind].squares
            if all(square != there for _, there in way) and not (way and way[-1][0] == kind and way[-1][1] > square)
        ]
    return ways


def row_of(
    game: Game, material: str, position: Position, value: naive.Pair, pieces: int, other: naive.Pair, rated: list[Rated]
) -> Row:
    steps = naive.moves(game, position)
    advance = ",".join(map(str, naive.tier(game, position.pieces)))
    row: Row = {
        "material": f"{material}@{advance}" if advance else material,
        "pieces": len(position.pieces),
        "side": game.sides[position.side].letter,
        "outcome": value[0],
        "distance": value[1],
        "stalemate": value[0] == "draw" and not steps,
        "position": render(game, position),
        **_images(game, position),
        "twin_outcome": other[0],
        "twin_distance": other[1],
        "zugzwang": (zugzwang := _zugzwang(game, position, value, other)),
        "mutual_zugzwang": zugzwang and value[0] == other[0] == "loss",
        **_choices(game, value, rated),
    }
    going = [] if naive.escaped(game, position) else steps
    taken = [move for move in going if move.captured is not None]
    for place in range(pieces):
        there = position.pieces[place] if place < len(position.pieces) else None
        row |= _piece(game, place + 1, there)
        row[f"capturable_{place + 1}"] = None if there is None else any(move.target == there[1] for move in taken)
    row |= {"mobility": len(going), "captures": len(taken)}
    if game.name == "doushouqi":
        row |= _jungle(game, position, pieces)
    if game.name.startswith("foxhounds"):
        row |= box_measures(game, position)
    return row


def _piece(game: Game, number: int, there: tuple[int, int] | None) -> Row:
    names = [f"p{number}", f"p{number}_square", f"p{number}_file", f"p{number}_rank"]
    if there is None:
        return dict.fromkeys(names)
    file, rank = game.board.cells[there[1]]
    return dict(zip(names, [game.kinds[there[0]].symbol, game.board.names[there[1]], file + 1, rank + 1], strict=True))


def _images(game: Game, position: Position) -> Row:
    text, mirror, twin = render(game, position), None, None
    if game.mirror is not None:
        mirrored = sorted((kind, game.mirror[square]) for kind, square in position.pieces)
        mirror = render(game, Position(tuple(mirrored), position.side))
    if game.swap is not None:
        twin = render(game, _exchanged(game, position)._replace(side=position.side))
    return {"mirror": mirror, "twin": twin, "canonical": min(text, mirror or text)}


def _exchanged(game: Game, position: Position) -> Position:
    assert game.swap is not None
    pieces = sorted((game.twins[kind], game.swap[square]) for kind, square in position.pieces)
    return Position(tuple(pieces), 1 - position.side)


def _zugzwang(game: Game, position: Position, value: naive.Pair, other: naive.Pair) -> bool | None:
    """Whether each side has a worse outcome when it has to move than when the other one has to."""
    sides = [position, Position(position.pieces, 1 - position.side)]
    if any(naive.escaped(game, each) or not naive.moves(game, each) for each in sides):
        return None
    points = {"loss": 0, "draw": 1, "win": 2}
    mine, yours = points[value[0]], points[other[0]]
    return mine < 2 - yours and yours < 2 - mine


def _jungle(game: Game, position: Position, pieces: int) -> Row:
    row: Row = {}
    placed = dict(enumerate(position.pieces, start=1))
    nearest = {0: [99], 1: [99]}
    for number in range(1, pieces + 1):
        if number not in placed:
            row |= dict.fromkeys([f"to_den_{number}", f"to_home_{number}", f"swims_{number}", f"region_{number}"])
            continue
        kind, square = placed[number]
        letter, side = _letter(game, kind), game.side_of(kind)
        steps = _ways_to_den(game, letter in "LT", letter == "R", side).get(square, 99)
        nearest[side].append(steps)
        row |= {f"to_den_{number}": steps, f"swims_{number}": square in WATER, f"region_{number}": _region(game, side, square)}
        row[f"to_home_{number}"] = _apart(game, square, DENS[side])
    for one, other in combinations(range(1, pieces + 1), 2):
        row |= _pair(game, f"{one}_{other}", placed[one], placed[other]) if other in placed else _no_pair(f"{one}_{other}")
    mine, yours = min(nearest[position.side]), min(nearest[1 - position.side])
    row["first"] = "nobody" if mine == yours == 99 else "mover" if mine <= yours else "other"
    return row


def _letter(game: Game, kind: int) -> str:
    return game.kinds[kind].symbol.upper()


def _region(game: Game, side: int, square: int) -> str:
    if square in TRAPS[1 - side]:
        return "trap"
    rank = game.board.cells[square][1] + 1
    own = rank if side == 0 else 10 - rank
    return "home" if own <= 3 else "river" if own <= 6 else "away"


def _apart(game: Game, one: int, other: int) -> int:
    (x, y), (u, v) = game.board.cells[one], game.board.cells[other]
    return abs(x - u) + abs(y - v)


def _no_pair(numbers: str) -> Row:
    return dict.fromkeys(f"{name}_{numbers}" for name in ("distance", "even", "relation", "passing"))


def _pair(game: Game, numbers: str, one: tuple[int, int], other: tuple[int, int]) -> Row:
    y, v = game.board.cells[one[1]][1], game.board.cells[other[1]][1]
    apart = _apart(game, one[1], other[1])
    mine, yours = game.side_of(one[0]), game.side_of(other[0])
    a, b = _letter(game, one[0]), _letter(game, other[0])
    takes, taken = (_takes(a, b), _takes(b, a)) if mine != yours else (False, False)
    onwards = v - y if mine == 0 else y - v
    return {
        f"distance_{numbers}": apart,
        f"even_{numbers}": apart in range(0, 20, 2),
        f"relation_{numbers}": "equal" if takes == taken else "stronger" if takes else "weaker",
        f"passing_{numbers}": "beside" if onwards == 0 else "ahead" if onwards > 0 else "behind",
    }


def _takes(one: str, other: str) -> bool:
    assert {one, other} <= set(ANIMALS)
    return STRENGTHS[one] >= STRENGTHS[other] or one + other == "RE"


@cache
def _ways_to_den(game: Game, jumps: bool, swims: bool, side: int) -> Mapping[int, int]:
    """Fewest steps to the enemy den from every square that has a way, found from the den backwards."""
    board, own_den, goal = game.board, DENS[side], DENS[1 - side]
    before: dict[int, list[int]] = {}
    for square in range(len(board)):
        if square in DENS or (square in WATER and not swims):
            continue
        for x, y in WAYS:
            file, rank = board.cells[square]
            file, rank = file + x, rank + y
            while jumps and board.numbers.get((file, rank)) in WATER:
                file, rank = file + x, rank + y
            target = board.numbers.get((file, rank))
            if target is not None and target != own_den and (swims or target not in WATER):
                before.setdefault(target, []).append(square)
    found, waiting = {goal: 0}, deque([goal])
    while waiting:
        square = waiting.popleft()
        for one in before.get(square, []):
            if one not in found:
                found[one] = found[square] + 1
                waiting.append(one)
    return found


def counted(rows: Iterable[Mapping[str, Any]], names: Iterable[str]) -> Counter[tuple[Any, ...]]:
    wanted = list(names)
    return Counter(tuple(row[name] for name in wanted) for row in rows)
