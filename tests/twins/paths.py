"""Path counts of small games on texts and coordinates, by rules written anew: nothing here knows the package."""

DIAGONALS = ((-1, 1), (1, 1), (-1, -1), (1, -1))
Cell = tuple[int, int]
"""File and rank, from 0."""


def hexapawn(rows: tuple[str, ...], own: str, depth: int) -> int:
    """Lines of `depth` moves from a board of rows, the top one first; the side to move has the pawns `own`."""
    foe, ahead, goal = ("p", -1, 0) if own == "P" else ("P", 1, len(rows) - 1)
    total = 0
    for y, row in enumerate(rows):
        for x, cell in enumerate(row):
            for sideways in (-1, 0, 1) if cell == own else ():
                to = x + sideways
                if not (0 <= to < len(row) and 0 <= y + ahead < len(rows)) or rows[y + ahead][to] != (foe if sideways else "."):
                    continue
                after = [list(line) for line in rows]
                after[y][x], after[y + ahead][to] = ".", own
                if depth == 1:
                    total += 1
                elif y + ahead != goal:
                    total += hexapawn(tuple("".join(line) for line in after), foe, depth - 1)
    return total


def foxhounds(size: int, fox: Cell, hounds: frozenset[Cell], fox_moves: bool, depth: int) -> int:
    """Lines of `depth` moves in Fox & Hounds."""
    if has_escaped(size, fox, hounds):
        return 0
    total = 0
    for piece in [fox] if fox_moves else sorted(hounds):
        for x, y in DIAGONALS if fox_moves else DIAGONALS[:2]:
            cell = piece[0] + x, piece[1] + y
            if not on_board(size, cell) or cell == fox or cell in hounds:
                continue
            if depth == 1:
                total += 1
            elif fox_moves:
                total += foxhounds(size, cell, hounds, False, depth - 1)
            else:
                total += foxhounds(size, fox, hounds - {piece} | {cell}, True, depth - 1)
    return total


def has_escaped(size: int, fox: Cell, hounds: frozenset[Cell]) -> bool:
    """Whether no hound could ever come to the fox's square, nor to one of those beside it."""
    reach, edge = set(hounds), set(hounds)
    while edge:
        edge = {(x + dx, y + 1) for x, y in edge for dx in (-1, 1) if on_board(size, (x + dx, y + 1))}
        reach |= edge
    beside = [(fox[0] + x, fox[1] + y) for x, y in DIAGONALS]
    return fox not in reach and any(on_board(size, cell) and cell not in reach for cell in beside)


def hasenspiel(rabbit: Cell, pawns: frozenset[Cell], rabbit_moves: bool, depth: int) -> int:
    """Lines of `depth` moves in Hasenspiel, with the usual early win."""
    if not rabbit_moves and number(rabbit) < min(map(number, pawns)) + 4:
        return 0
    total = 0
    for piece in [rabbit] if rabbit_moves else sorted(pawns):
        for x, y in DIAGONALS if rabbit_moves else DIAGONALS[:2]:
            cell = piece[0] + x, piece[1] + y
            if not on_board(8, cell) or cell == rabbit or cell in pawns:
                continue
            if depth == 1:
                total += 1
            elif rabbit_moves:
                total += hasenspiel(cell, pawns, False, depth - 1)
            else:
                total += hasenspiel(rabbit, pawns - {piece} | {cell}, True, depth - 1)
    return total


def number(cell: Cell) -> int:
    """Number of a dark square, row by row."""
    return 4 * cell[1] + cell[0] // 2


def on_board(size: int, cell: Cell) -> bool:
    """Whether there is such a square."""
    return 0 <= cell[0] < size and 0 <= cell[1] < size
