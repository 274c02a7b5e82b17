"""Kalah with every seed at a place of its own, sown by walking from hole to hole, without the package.

A hole is known by its owner and its distance from the owner's store, which has distance 0; seeds are a list of holes.
"""

from twins.graphs import DRAW, Graph, Place, explored

Hole = tuple[str, int]


def following(hole: Hole, mover: str, pits: int) -> Hole:
    """The hole in which the next seed is sown; the other player's store is passed over."""
    owner, distance = hole
    other = "ns"["sn".index(owner)]
    if distance == 0 or (distance == 1 and owner != mover):
        return other, pits
    return owner, distance - 1


def written(seeds: list[Hole], mover: str, pits: int) -> str:
    rows = [",".join(str(seeds.count((side, distance))) for distance in range(pits, -1, -1)) for side in "sn"]
    return f"{rows[0]} {rows[1]} {mover}"


def read(text: str) -> tuple[list[Hole], str]:
    *rows, mover = text.split()
    counts = [(side, [*map(int, row.split(","))]) for side, row in zip("sn", rows, strict=True)]
    return [(side, len(row) - 1 - place) for side, row in counts for place, number in enumerate(row) for _ in range(number)], mover


def graph(pits: int, number: int, capture: str) -> Graph:
    def moved(seeds: list[Hole], mover: str, chosen: Hole) -> str:
        sown = seeds.count(chosen)
        seeds, last = [seed for seed in seeds if seed != chosen], chosen
        for _ in range(sown):
            last = following(last, mover, pits)
            seeds.append(last)
        owner, distance = last
        other = "ns"["sn".index(mover)]
        facing = other, pits + 1 - distance
        if distance and owner == mover and seeds.count(last) == 1 and (capture == "always" or facing in seeds):
            seeds = [(mover, 0) if seed in (last, facing) else seed for seed in seeds]
        playing = {seed[0] for seed in seeds if seed[1]}
        if len(playing) < 2:
            return written([(side, 0) for side, _ in seeds], "-", pits)
        return written(seeds, mover if last == (mover, 0) else other, pits)

    def look(text: str) -> Place:
        seeds, mover = read(text)
        if mover == "-":
            lead = seeds.count(("s", 0)) - seeds.count(("n", 0))
            return Place(None, {}, DRAW if lead == 0 else int(lead < 0))
        moves = {str(pits + 1 - hole[1]): moved(seeds, mover, hole) for hole in set(seeds) if hole[0] == mover and hole[1]}
        return Place("sn".index(mover), moves)

    return explored(
        written([(side, distance) for side in "sn" for distance in range(1, pits + 1) for _ in range(number)], "s", pits), look
    )
