"""Small games in the package's vocabulary, each for something that only some rules have, and random positions of any game."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache
from typing import Any

from hypothesis import strategies as st

from tablebase.game import Board, Escape, Game, Kind, Outcome, Side, Step, load_game
from tablebase.game.moves import Position

Directions = tuple[tuple[int, int], ...]
SIDES = (Side("w", "White"), Side("b", "Black"))
ORTHOGONAL = ((0, 1), (-1, 0), (1, 0), (0, -1))
DIAGONAL = ((-1, 1), (1, 1), (-1, -1), (1, -1))


def neighbours(board: Board, square: int, directions: Directions) -> list[int]:
    file, rank = board.cells[square]
    return [board.numbers[file + f, rank + r] for f, r in directions if (file + f, rank + r) in board.numbers]


def walk(board: Board, squares: Iterable[int], directions: Directions, victims: str = "") -> tuple[Step, ...]:
    """Steps from each of these squares to those of them that are next to it."""
    there = [*squares]
    ways = ((s, t) for s in there for t in neighbours(board, s, directions) if t in there)
    return tuple(Step(s, t, victims=frozenset(victims)) for s, t in ways)


def shuttle(squares: Iterable[int]) -> tuple[Step, ...]:
    """Steps up and down a line of squares with consecutive numbers."""
    line = [*squares]
    return tuple(Step(s, t) for s in line for t in (s - 1, s + 1) if t in line)


def slides(board: Board, square: int, reach: int) -> Iterator[tuple[int, frozenset[int]]]:
    """Squares in a straight line up to `reach` off, each with the squares in between."""
    for way in ORTHOGONAL:
        path = [square]
        while len(path) <= reach and (further := neighbours(board, path[-1], (way,))):
            path += further
            yield path[-1], frozenset(path[1:-1])


def symmetries(board: Board) -> dict[str, tuple[int, ...]]:
    last_file, last_rank = board.width - 1, board.height - 1
    return {
        "mirror": tuple(board.numbers[last_file - f, r] for f, r in board.cells),
        "swap": tuple(board.numbers[last_file - f, last_rank - r] for f, r in board.cells),
    }


def small(**fields: Any) -> Game:
    """A game of these kinds on a board, for tests of what a description may say; no move draws unless it is told."""
    return Game(**{"name": "tiny", "title": "Tiny", "sides": SIDES, "no_move": Outcome.DRAW} | fields)


@cache
def pond() -> Game:
    """Rat < tiger < lion, the rat takes the lion; dens b1 b4, water b2 b3, traps in the corners."""
    board = Board.full(3, 4)
    dens, water = board.squares("b1 b4"), set(board.squares("b2 b3"))
    traps = (set(board.squares("a1 c1")), set(board.squares("a4 c4")))
    takes = {"R": "RL", "T": "RT", "L": "RTL"}

    def kind(letter: str, side: int) -> Kind:
        squares = tuple(s for s in range(len(board)) if s not in dens and (letter == "R" or s not in water))
        steps = []
        for origin in squares:
            ways = [(target, frozenset[int]()) for target in neighbours(board, origin, ORTHOGONAL)]
            if letter != "R":
                file, rank = board.cells[origin]
                ways = [(target, empty) for target, empty in ways if target not in water]
                ways += [(board.numbers[2 - file, rank], frozenset({board.numbers[1, rank]}))] if rank in (1, 2) else []
            for target, empty in ways:
                if target == dens[side]:
                    continue
                taken = "RTL" if target in traps[side] else "" if origin in traps[1 - side] else takes[letter]
                taken = "R" if origin in water else "" if target in dens else taken
                victims = frozenset(taken.lower() if side == 0 else taken)
                steps.append(Step(origin, target, empty, True, victims, target == dens[1 - side]))
        return Kind(letter if side == 0 else letter.lower(), letter, side, squares, tuple(steps))

    kinds = tuple(kind(letter, side) for side in (0, 1) for letter in "RTL")
    return Game("pond", "Pond", board, SIDES, kinds, "l1t/1r1/1R1/T1L w", Outcome.DRAW, 6, **symmetries(board))


@cache
def brook() -> Game:
    """The pond with rats that stay in and beside the water, so that a jumper has the most squares while a rat is in its way."""
    game = pond()
    bank = set(game.board.squares("a2 b2 c2 a3 b3 c3"))

    def kept(kind: Kind) -> Kind:
        steps = tuple(step for step in kind.steps if {step.origin, step.target} <= bank)
        return replace(kind, squares=tuple(s for s in kind.squares if s in bank), steps=steps) if kind.name == "R" else kind

    return replace(game, name="brook", start="3/1r1/1R1/3 w", kinds=tuple(map(kept, game.kinds)), max_pieces=3)


@cache
def hunt() -> Game:
    """Hounds go up the board; the fox takes hounds and wins on rank 1; the cub only gets in the way."""
    board = Board.full(3, 4)
    every = range(len(board))
    up = ((-1, 1), (0, 1), (1, 1))
    hounds = [
        Step(s, t, frozenset(), True, frozenset("fc" if board.cells[s][0] != board.cells[t][0] else ""))
        for s in every
        for t in neighbours(board, s, up)
    ]
    home = tuple(s for s in every if board.cells[s][1] > 0)
    fox = [Step(s, t, frozenset(), True, frozenset("H"), t not in home) for s in home for t in neighbours(board, s, ORTHOGONAL)]
    kinds = (
        Kind("H", "hound", 0, tuple(every), tuple(hounds), limit=3),
        Kind("f", "fox", 1, home, tuple(fox)),
        Kind("c", "cub", 1, tuple(every), walk(board, every, DIAGONAL)),
    )
    return Game("hunt", "Hunt", board, SIDES, kinds, "fc1/3/3/HHH w", Outcome.LOSS, 5)


@cache
def twins() -> Game:
    """Pawns step straight, take diagonally and win on the last rank; kings step and take like rooks of one step."""
    board = Board.full(3, 4)

    def pawn(side: int) -> Kind:
        ahead, goal = 1 - 2 * side, 3 * (1 - side)
        squares = tuple(s for s in range(len(board)) if board.cells[s][1] != goal)
        steps = []
        for s in squares:
            steps += [Step(s, t, wins=board.cells[t][1] == goal) for t in neighbours(board, s, ((0, ahead),))]
            for t in neighbours(board, s, ((-1, ahead), (1, ahead))):
                steps.append(Step(s, t, frozenset(), False, frozenset("PK" if side else "pk"), board.cells[t][1] == goal))
        return Kind("p" if side else "P", "pawn", side, squares, tuple(steps), limit=2)

    def king(side: int) -> Kind:
        every = tuple(range(len(board)))
        return Kind("Kk"[side], "king", side, every, walk(board, every, ORTHOGONAL, ("pk", "PK")[side]))

    kinds = (pawn(0), king(0), pawn(1), king(1))
    return Game("twins", "Twins", board, SIDES, kinds, "pkp/3/3/PKP w", Outcome.LOSS, 6, **symmetries(board))


@cache
def sisters() -> Game:
    """A (up to two), B and c step and take like rooks of one step on 3 x 2; no move loses."""
    board = Board.full(3, 2)
    every = tuple(range(len(board)))

    sorts = (("A", 0, "c", 2), ("B", 0, "c", 1), ("c", 1, "AB", 1))
    kinds = tuple(Kind(a, a, side, every, walk(board, every, ORTHOGONAL, victims), limit) for a, side, victims, limit in sorts)
    return Game("sisters", "Sisters", board, SIDES, kinds, "c2/AAB w", Outcome.LOSS, 4)


@cache
def shelter(ending: str, files: int = 8, march: int = 1) -> Game:
    """A runner on a1-h1 that may first take the enemy on a2; the runner's own fate afterwards is the `ending`.

    Afterwards the runner runs to h1 and wins ("win"), neither side can win ("draw"), or the other enemy y runs to b2 and wins
    ("loss"); until then the enemy on a2 threatens to win. With "gate" it does not, and the runner wins only if a2 is empty.
    The board may have more `files` for the runner, and the threat may need a `march` of several steps.
    """
    board = Board.full(files, 2)
    road, a2 = range(files), board.square("a2")
    wins = ending in ("win", "gate")
    gate = frozenset({a2} if ending == "gate" else ())
    runner = [Step(s, s + 1, gate if s == files - 2 else frozenset(), wins=wins and s == files - 2) for s in road[:-1]]
    runner += [Step(0, a2, frozenset(), False, frozenset("x")), Step(a2, 1)]
    runner += [] if wins else [Step(files - 1, files - 2)]
    marched = range(a2, a2 + march)
    threat = () if ending == "gate" else tuple(Step(s, s + 1, wins=s == marched[-1]) for s in marched)
    upper = tuple(range(a2 + 2, 2 * files))
    enemy = [Step(s, s - 1, wins=s == upper[0]) for s in upper]
    if ending != "loss":
        enemy = [*shuttle(upper[-2:])]
    kinds = (
        Kind("A", "runner", 0, (*(road[:-1] if wins else road), a2), tuple(runner)),
        Kind("x", "threat", 1, tuple(marched), threat),
        Kind("y", "enemy", 1, upper if ending == "loss" else upper[-2:], tuple(enemy)),
    )
    start = f"x{files - 2}y/A{files - 1} w"
    return Game(f"shelter-{ending}", "Shelter", board, SIDES, kinds, start, Outcome.DRAW, 3)


@cache
def skaters(width: int, height: int) -> Game:
    """A walks one square, B and c skate up to two if the first is empty; c takes B alone; the far rank wins; no move loses."""
    board = Board.full(width, height)

    def kind(symbol: str, side: int, reach: int) -> Kind:
        goal = (height - 1) * (1 - side)
        victims = frozenset("B" if side else "c")
        squares = tuple(s for s in range(len(board)) if board.cells[s][1] != goal)
        ways = ((s, t, between) for s in squares for t, between in slides(board, s, reach))
        steps = tuple(Step(s, t, between, True, victims, board.cells[t][1] == goal) for s, t, between in ways)
        return Kind(symbol, symbol, side, squares, steps)

    kinds = (kind("A", 0, 1), kind("B", 0, 2), kind("c", 1, 2))
    start = f"{'/'.join(['c' + str(width - 1), *[str(width)] * (height - 2), 'AB' + str(width - 2)])} w"
    return Game("skaters", "Skaters", board, SIDES, kinds, start, Outcome.LOSS, 3, symmetries(board)["mirror"])


@cache
def corners(width: int, height: int) -> Game:
    """A walks; c goes to a square diagonally off by either of two ways round the corner, of which one must be empty."""
    board = Board.full(width, height)
    every = range(len(board))
    walks = walk(board, every, ORTHOGONAL, "c")
    turns = [
        Step(s, t, frozenset({corner}), victims=frozenset("A"))
        for s in every
        for t in neighbours(board, s, DIAGONAL)
        for corner in neighbours(board, s, ORTHOGONAL)
        if corner in neighbours(board, t, ORTHOGONAL)
    ]
    kinds = (Kind("A", "walker", 0, tuple(every), walks), Kind("c", "turner", 1, tuple(every), tuple(turns)))
    start = "/".join([f"c{width - 1}", *[str(width)] * (height - 2), f"A{width - 1}"])
    return Game("corners", "Corners", board, SIDES, kinds, f"{start} w", Outcome.LOSS, 2, symmetries(board)["mirror"])


@cache
def odometer(hand: int, gauge: int, porch: bool = False) -> Game:
    """A hand on a line of `hand` squares and a gauge that wins by its `gauge`-th step; y goes to and fro.

    The gauge steps with the hand at the left and the right end in turn. With y and no x on the board, White wins: with the hand at
    the right in 2 * `hand` * `gauge` - 1 plies and, with Black to move, in one ply more. A `porch` has two more squares, from
    which the hand goes to the other, by taking x there, and then to the right end of its line, never back.
    """
    cells = [(file, rank) for rank, length in enumerate((hand, gauge + 1, 4)) for file in range(length)]
    board = Board(26, 3, tuple(cells))
    marks, yard = board.square("a2"), board.square("a3")
    squares = list(range(hand))
    steps = [*shuttle(squares)]
    every = frozenset([*squares, *([yard + 2, yard + 3] if porch else [])])
    if porch:
        steps += [Step(yard + 2, yard + 3, frozenset(), False, frozenset("x")), Step(yard + 3, squares[-1])]
    ticks = [
        Step(marks + k, marks + k + 1, every - {squares[-1] if k % 2 else squares[0]}, wins=k == gauge - 1) for k in range(gauge)
    ]
    kinds = (
        Kind("H", "hand", 0, tuple(sorted(every)), tuple(steps)),
        Kind("G", "gauge", 0, tuple(range(marks, marks + gauge)), tuple(ticks)),
        Kind("x", "idler", 1, (yard + 3,), ()),
        Kind("y", "pacer", 1, (yard, yard + 1), shuttle((yard, yard + 1))),
    )
    start = "y2x22/G25/H25 w" if porch else "y25/G25/H25 w"
    return Game(f"odometer-{hand}-{gauge}{'-porch' * porch}", "Odometer", board, SIDES, kinds, start, Outcome.DRAW, 4)


@cache
def pacers() -> Game:
    """A paces on a1 and b1, b on a2 and b2; no move draws."""
    board = Board.full(2, 2)
    kinds = tuple(Kind("Ab"[side], "pacer", side, line, shuttle(line)) for side, line in enumerate(((0, 1), (2, 3))))
    return Game("pacers", "Pacers", board, SIDES, kinds, "b1/A1 w", Outcome.DRAW, 2)


def tiered(game: Game, symbols: str) -> Game:
    """The same rules without colour swap, these kinds divided into tiers."""
    kinds = tuple(replace(kind, tiered=kind.symbol in symbols) for kind in game.kinds)
    return replace(game, name=f"{game.name}-tiered", kinds=kinds, swap=None)


@cache
def rooks() -> Game:
    """Two like rooks that go up to two squares, if nothing is between, and two like walkers; each takes the other; a mirror."""
    board = Board.full(3, 4)

    def kind(symbol: str, side: int, reach: int) -> Kind:
        every, victims = tuple(range(len(board))), frozenset("Rp") - {symbol}
        steps = tuple(Step(s, t, between, True, victims) for s in every for t, between in slides(board, s, reach))
        return Kind(symbol, symbol, side, every, steps, limit=2)

    kinds, mirror = (kind("R", 0, 2), kind("p", 1, 1)), symmetries(board)["mirror"]
    return Game("rooks", "Rooks", board, SIDES, kinds, "p1p/3/3/R1R w", Outcome.DRAW, 4, mirror=mirror)


@cache
def ladder(away: str = "") -> Game:
    """C climbs one rung, or two if the first is empty, and takes diagonally ahead; w walks and takes C; x stays on the sides.

    A climber watches its own file from its rung up. Where none watches it, w has got away with Black to move (`away`
    is "b"), with White to move ("w"), or with either ("wb").
    """
    board = Board.full(3, 4)
    every = tuple(range(len(board)))
    sides = tuple(s for s in every if board.cells[s][0] != 1)
    rungs = [*walk(board, every, ((0, 1),))]
    rungs += [Step(s, s + 6, frozenset({s + 3})) for s in every if s + 6 in every]
    rungs += [Step(s, t, quiet=False, victims=frozenset("wx")) for s in every for t in neighbours(board, s, ((-1, 1), (1, 1)))]
    kinds = (
        Kind("C", "climber", 0, every, tuple(rungs), limit=2, tiered=True),
        Kind("w", "watcher", 1, every, walk(board, every, ORTHOGONAL, "C")),
        Kind("x", "idler", 1, sides, walk(board, sides, ORTHOGONAL)),
    )
    watched = {s: frozenset(range(s, len(board), 3)) for s in every}
    escape = Escape("w", {"C": watched}, to_move=frozenset("wb".index(side) for side in away)) if away else None
    mirror = symmetries(board)["mirror"]
    return Game(f"ladder{away}", "Ladder", board, SIDES, kinds, "w1x/3/3/CC1 w", Outcome.DRAW, 4, mirror, escape=escape)


@cache
def herd(sort: str) -> Game:
    """Dogs go up, straight or to the right; the wolf steps like a rook, but never to or from a3; no move loses.

    No piece can escape ("open"), or a dog guards the squares that it could reach, with room ("reach"), or its rank and all
    above, without room and with White to move ("white"), or with room and Black to move ("black").
    """
    board = Board.full(4, 4)
    every = range(len(board))
    kennel = tuple(s for s in every if s not in board.squares("d1 c3 a4"))
    lair = tuple(s for s in every if s not in board.squares("a1 b2 d4"))
    inland = [s for s in lair if board.names[s] != "a3"]
    up = walk(board, kennel, ((0, 1), (1, 1)))
    kinds = (
        Kind("D", "dog", 0, kennel, up, limit=2, tiered=True),
        Kind("w", "wolf", 1, lair, walk(board, inland, ORTHOGONAL)),
    )
    reach: dict[int, frozenset[int]] = {}
    for square in reversed(kennel):
        reach[square] = frozenset({square}).union(*(reach[step.target] for step in up if step.origin == square))
    above = {square: frozenset(range(4 * (square // 4), len(board))) for square in kennel}
    escape = {
        "open": None,
        "reach": Escape("w", {"D": reach}, room=True),
        "white": Escape("w", {"D": above}, to_move=frozenset({0})),
        "black": Escape("w", {"D": above}, room=True, to_move=frozenset({1})),
    }[sort]
    return Game(f"herd-{sort}", "Herd", board, SIDES, kinds, "w3/4/4/DD2 w", Outcome.LOSS, 3, escape=escape)


@cache
def gates(length: int, room: bool) -> Game:
    """A dog goes up a line and a wolf to and fro on it; from each square the dog guards all others but one, or all.

    Left open is the wolf's square number 0, 62, 63, 64 or the last, as far as there is one. With `room` also the next
    lower one is open, which without it is guarded.
    """
    board = Board(26, 5, tuple((s % 26, s // 26) for s in range(length)))
    every = tuple(range(length))
    left_open = (0, 62, 63, 64, length - 1, length)
    guarded = {s: frozenset(every) - {left_open[s % 6], left_open[s % 6] - room} for s in every}
    kinds = (
        Kind("D", "dog", 0, every, tuple(Step(s, s + 1) for s in every[:-1]), tiered=True),
        Kind("w", "wolf", 1, every, shuttle(every)),
    )
    start, escape = "/".join(["26"] * 4 + ["D24w"]), Escape("w", {"D": guarded}, room=room)
    return Game(f"gates-{length}{'-room' * room}", "Gates", board, SIDES, kinds, f"{start} w", Outcome.LOSS, 2, escape=escape)


@cache
def marathon(length: int, dogs: int, escape: bool = False) -> Game:
    """Dogs run along a line of `length` squares and a wolf goes to and fro on two others; no move loses; none can escape.

    White runs out of moves: with n steps left, White to move loses in 2 n and Black to move wins in 2 n + 1.
    """
    ranks = -(-length // 26)
    cells = [(s % 26, s // 26) for s in range(length)]
    board = Board(26, ranks + 1, (*cells, (0, ranks), (1, ranks)))
    track, yard = tuple(range(length)), (length, length + 1)
    kinds = (
        Kind("D", "dog", 0, track, tuple(Step(s, s + 1) for s in track[:-1]), limit=dogs, tiered=True),
        Kind("w", "wolf", 1, yard, shuttle(yard)),
    )
    guard = Escape("w", {"D": dict.fromkeys(track, frozenset(yard))}) if escape else None
    start = "/".join(["w25", *["26"] * (ranks - 1), f"{'D' * dogs}{26 - dogs}"])
    name = f"marathon-{length}-{dogs}{'-escape' * escape}"
    return Game(name, "Marathon", board, SIDES, kinds, f"{start} w", Outcome.LOSS, 1 + dogs, escape=guard)


def positions(game: Game, most: int | None = None) -> st.SearchStrategy[Position]:
    @st.composite
    def draw_one(draw: st.DrawFn) -> Position:
        own = [[n for n, kind in enumerate(game.kinds) if kind.side == side for _ in range(kind.limit)] for side in (0, 1)]
        kinds = [draw(st.sampled_from(own[0])), draw(st.sampled_from(own[1]))]
        spare = [*own[0], *own[1]]
        for kind in kinds:
            spare.remove(kind)
        size = min(len(spare), (most or game.max_pieces) - 2)
        kinds += draw(st.permutations(spare))[: draw(st.integers(0, size))]
        free = set(range(len(game.board)))
        pieces = []
        for kind in kinds:
            square = draw(st.sampled_from(sorted(free.intersection(game.kinds[kind].squares))))
            free.remove(square)
            pieces.append((kind, square))
        return Position(tuple(sorted(pieces)), draw(st.integers(0, 1)))

    return draw_one()


def with_tiers() -> tuple[Game, ...]:
    """Games with tiers, tiered toys first: with a mirror or without, and with one tiered kind or two."""
    return tiered(hunt(), "H"), tiered(twins(), "Pp"), ladder(), herd("open"), load_game("foxhounds-4x4")
