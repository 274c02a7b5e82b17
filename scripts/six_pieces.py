"""What all of six pieces would take on a cluster: work, memory, disk, and time on a given number of workers.

    python scripts/six_pieces.py
    python scripts/six_pieces.py --pieces 5 --data data --memory 8G --memory 24G --workers 16

Nothing is built. Slices and placements are counted. Seconds are those that `tablebase estimate` predicts for a machine that is
as fast as the one that built all of five pieces; the tables in the folder `--data` correct them. Times by the clock come of a
simulation, in which each worker does one table at a time, in order of pieces, once all tables are done that it depends on.
docs/cluster.md shows the result.
"""

from __future__ import annotations

import argparse
import heapq
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

from tablebase.building.estimate import Pace, cells, costs_in, disk, estimate, memory, solver_memory
from tablebase.building.plan import dependency_graph, with_dependencies
from tablebase.cli.options import Format, parse_size
from tablebase.cli.output import write_rows
from tablebase.game import Game, load_game
from tablebase.slices.location import stored_materials
from tablebase.slices.material import Material, material_name
from tablebase.solvers.registry import AUTO, solver_for

GAME = "doushouqi"
HOUR = 3600.0
SLOWER = 2.7
"""Build time relative to the reference machine: all of five pieces took 3,455 CPU-seconds on a busy machine."""
MEMORIES = ("8G", "16G", "24G", "32G", "64G", "128G")
WORKERS = (2, 16, 64, 256)
Graph = Mapping[Material, tuple[Material, ...]]


def main() -> None:
    """Print all tables of the plan."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pieces", type=int, default=6)
    parser.add_argument("--data", type=Path, default=Path("nowhere"), help="folder of tables whose seconds correct the prediction")
    parser.add_argument("--memory", action="append", help="memory of a worker; may be repeated; the last one counts for the times")
    parser.add_argument("--workers", type=int, action="append", help="how many there are; may be repeated")
    arguments = parser.parse_args()
    for section in plan(arguments.pieces, arguments.data, arguments.memory or MEMORIES, arguments.workers or WORKERS):
        write_rows(section, Format.TABLE)
        print()


def _pace(game: Game, allowed: int, data: Path) -> Pace:
    costs = costs_in(game, data)
    return Pace(game, AUTO, allowed, costs, None if costs else SLOWER)


def plan(pieces: int, data: Path, memories: Sequence[str], workers: Sequence[int]) -> list[list[dict[str, Any]]]:
    """The tables of the plan: work by pieces, memory of the largest tables, solvers by memory, chains, times by the clock."""
    game = load_game(GAME)
    wanted = stored_materials(game, pieces)
    graph = dependency_graph(game, with_dependencies(game, list(wanted)))
    most = parse_size(memories[-1])
    # Each is asked for many times.
    seconds = cache(_pace(game, most, data).seconds)
    return [
        work(game, range(2, pieces + 1), data, most),
        largest(game, wanted),
        solvers(game, wanted, memories),
        [longest_chain(game, graph, lambda _: 1, "tables"), longest_chain(game, graph, seconds, "CPU-seconds")],
        [clock(game, graph, count, size, data) for size in memories[-2:] for count in workers],
    ]


def work(game: Game, pieces: range, data: Path, most: int) -> list[dict[str, Any]]:
    """Tables, distinct slices and placements, CPU-hours and disk, by number of pieces."""
    lines = estimate(game, pieces, [], data, None if costs_in(game, data) else SLOWER, allowed=most)
    return [
        {
            "pieces": line.pieces,
            "tables": line.tables,
            "distinct slices": line.distinct,
            "their placements": line.distinct_placements,
            "CPU-hours": round(line.cpu_seconds / HOUR, 2),
            "GB on disk": round(line.disk / 1e9, 3),
        }
        for line in lines
        if line.pieces in pieces
    ]


def largest(game: Game, wanted: Sequence[Material]) -> list[dict[str, Any]]:
    """The tables that need the most memory with each of two solvers, and how much with the other one."""
    found = []
    for solver in ("planes", "lean"):
        material = max(wanted, key=partial(memory, game, solver=solver))
        found.append(
            {
                "largest with": solver,
                "table": material_name(game, material),
                "codes": cells(game, material),
                "GB with planes": round(memory(game, material, "planes") / 1e9, 1),
                "GB with lean": round(memory(game, material, "lean") / 1e9, 1),
                "GB on disk": round(disk(game, [material], []) / 1e9, 1),
            }
        )
    return found


def solvers(game: Game, wanted: Sequence[Material], memories: Sequence[str]) -> list[dict[str, Any]]:
    """How many tables are solved how, by the memory of a worker."""
    rows = []
    for size in memories:
        allowed = parse_size(size)
        fitting = [one for one in wanted if memory(game, one, AUTO, allowed) <= allowed]
        chosen = Counter(solver_for(game, one, AUTO, solver_memory(game, one, allowed)).names[0] for one in fitting)
        too_large = len(wanted) - len(fitting)
        rows.append({"memory of a worker": size, "planes": chosen["planes"], "lean": chosen["lean"], "too large": too_large})
    return rows


def longest_chain(game: Game, graph: Graph, weight: Callable[[Material], float], unit: str) -> dict[str, Any]:
    """The chain of tables, each of which needs the one before it, that is longest in a unit."""

    @cache
    def length(material: Material) -> float:
        return weight(material) + max(map(length, graph[material]), default=0)

    material = max(graph, key=length)
    chain, whole = [material], length(material)
    while before := graph[chain[0]]:
        chain.insert(0, max(before, key=length))
    return {"longest chain, in": unit, "is": round(whole), "tables": " ".join(material_name(game, one) for one in chain)}


def clock(game: Game, graph: Graph, workers: int, size: str, data: Path) -> dict[str, Any]:
    """Hours by the clock on a number of workers with this much memory each; tables that are too large are left out."""
    allowed = parse_size(size)
    fitting = {one for one in graph if memory(game, one, AUTO, allowed) <= allowed}
    some = {one: before for one, before in graph.items() if one in fitting}
    seconds = _pace(game, allowed, data).seconds
    expected = {one: seconds(one) for one in some}
    return {
        "workers": workers,
        "memory of each": size,
        "tables": len(some),
        "CPU-hours": round(sum(expected.values()) / HOUR, 1),
        "hours by the clock": round(simulated(some, workers, expected) / HOUR, 2),
    }


def simulated(graph: Graph, workers: int, seconds: Mapping[Material, float]) -> float:
    """Seconds until all keys of a graph are done, if each worker begins the first one in its order that is ready."""
    left = {key: len(before) for key, before in graph.items()}
    order = {key: number for number, key in enumerate(graph)}
    after: dict[Material, list[Material]] = {key: [] for key in graph}
    for key, before in graph.items():
        for other in before:
            after[other].append(key)
    ready = [(order[key], key) for key, count in left.items() if not count]
    heapq.heapify(ready)
    running: list[tuple[float, int, Material]] = []
    now = 0.0
    while ready or running:
        while ready and len(running) < workers:
            number, key = heapq.heappop(ready)
            heapq.heappush(running, (now + seconds[key], number, key))
        now, _, key = heapq.heappop(running)
        for other in after[key]:
            left[other] -= 1
            if not left[other]:
                heapq.heappush(ready, (order[other], other))
    return now


if __name__ == "__main__":
    main()
