"""Awari with rows as lists, sown by walking from pit to pit, without the package.

A pit is known by its owner and its number from the owner's left.
"""

from twins.graphs import DRAW, Graph, Place, explored

Pits = dict[tuple[str, int], int]
OTHER = {"s": "n", "n": "s"}


def written(pits: Pits, taken: dict[str, int], mover: str) -> str:
    rows = [",".join(str(pits[pit]) for pit in sorted(pits) if pit[0] == side) + f",{taken[side]}" for side in "sn"]
    return f"{rows[0]} {rows[1]} {mover}"


def read(text: str) -> tuple[Pits, dict[str, int], str]:
    south, north, mover = text.split()
    pits: Pits = {}
    taken = {}
    for side, row in (("s", south), ("n", north)):
        *stones, taken[side] = map(int, row.split(","))
        pits |= {(side, number): some for number, some in enumerate(stones)}
    return pits, taken, mover


def graph(size: int, seeds: int) -> Graph:
    """All positions of the game with so many pits a side, and so many stones in each."""
    total = 2 * size * seeds

    def following(pit: tuple[str, int]) -> tuple[str, int]:
        side, number = pit
        return (side, number + 1) if number + 1 < size else (OTHER[side], 0)

    def played(pits: Pits, chosen: tuple[str, int]) -> tuple[Pits, int]:
        """The pits after a move, and the captured stones."""
        pits, hand, way = dict(pits), pits[chosen], [chosen]
        pits[chosen] = 0
        while hand:
            way.append(following(way[-1]))
            if way[-1] != chosen:
                pits[way[-1]] += 1
                hand -= 1
        captured, at = 0, way[-1]
        while at[0] != chosen[0] and pits[at] in (2, 3):
            captured, pits[at] = captured + pits[at], 0
            at = (at[0], at[1] - 1) if at[1] else chosen
        return pits, captured

    def look(text: str) -> Place:
        pits, taken, mover = read(text)
        other = OTHER[mover]
        filled = [pit for pit in pits if pit[0] == mover and pits[pit]]
        if not filled:
            taken[other] = total - taken[mover]
        for side in "sn":
            if taken[side] > total / 2:
                return Place(None, {}, "sn".index(side))
        if not filled:
            return Place(None, {}, DRAW)
        after = {pit: played(pits, pit) for pit in filled}
        feeding = {pit for pit, (board, _) in after.items() if any(board[there] for there in board if there[0] == other)}
        return Place(
            "sn".index(mover),
            {
                str(pit[1] + 1): written(board, taken | {mover: taken[mover] + captured}, other)
                for pit, (board, captured) in after.items()
                if not feeding or pit in feeding
            },
        )

    return explored(written({(side, number): seeds for side in "sn" for number in range(size)}, {"s": 0, "n": 0}, "s"), look)
