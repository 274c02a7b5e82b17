"""Torture the program: kill it, damage its files, fill its disk, close its outputs, kill its servers; count what comes of it.

    python -m scripts.torture
    python -m scripts.torture --tries 200 --only kill --only catalog-flip --seed 3

An undisturbed build of Dou Shou Qi gives the reference. Each try then does something harmful at a random moment or place,
and ends with a question whose right answer is known. Whatever happens, the program may finish the work, or refuse it in one
sentence; it must not hang, print a traceback, leave a process behind, give a wrong answer, or leave tables or a catalog
that differ from the reference once the build has been repeated. docs/reliability.md shows the results of a long run.

Needs Linux and the packages of the extra `test`; the scenario `full-disk` needs the right to mount a file system, and
`postgresql` PostgreSQL's programs.
"""

from __future__ import annotations

import argparse
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

from tqdm import tqdm

from scripts.torture import scenarios, servers
from scripts.torture.commands import TortureError
from scripts.torture.reference import Torture

SCENARIOS: dict[str, Callable[[Torture], str]] = {
    "kill": scenarios.kill,
    "batch": scenarios.kill_batch,
    "full-disk": scenarios.full_disk,
    "table-flip": scenarios.table_flip,
    "catalog-flip": scenarios.catalog_flip,
    "crafted": scenarios.crafted,
    "closed-outputs": scenarios.closed_outputs,
    "two-builds": scenarios.two_builds,
    "held-catalog": scenarios.held_catalog,
    "locked-tables": scenarios.locked_tables,
    "readers": scenarios.readers,
    "fork": scenarios.fork,
    "dask": servers.dask,
    "postgresql": servers.postgresql,
}


def torture_all(torture: Torture, names: list[str], tries: int) -> dict[str, Counter[str]]:
    """Count outcomes of tries by scenario."""
    outcomes: dict[str, Counter[str]] = {name: Counter() for name in names}
    for name in names:
        for _ in tqdm(range(tries), desc=name, leave=False, disable=None):
            try:
                outcomes[name][SCENARIOS[name](torture)] += 1
            except TortureError as fault:
                outcomes[name][f"FAULT {fault}"] += 1
    return outcomes


def report(outcomes: Mapping[str, Counter[str]]) -> bool:
    """Print how often each outcome was seen, a row for each scenario; returns whether one of them is a fault."""
    print("| scenario | tries | outcomes |\n|---|---|---|")
    for name, counts in outcomes.items():
        print(f"| {name} | {counts.total()} | {', '.join(f'{text}: {count}' for text, count in sorted(counts.items()))} |")
    return any(text.startswith("FAULT") for counts in outcomes.values() for text in counts)


def main() -> None:
    """Print tries and outcomes; exit with 1 if anything happened that must not."""
    parser = argparse.ArgumentParser("torture", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tries", type=int, default=50, help="tries of each scenario")
    parser.add_argument("--pieces", type=int, default=3, help="build all tables of up to this many pieces")
    parser.add_argument("--only", action="append", choices=SCENARIOS, help="a scenario; may be repeated; by default all")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    # A shell ignores it in the programs that it starts in the background.
    signal.signal(signal.SIGQUIT, signal.SIG_DFL)
    with tempfile.TemporaryDirectory() as scratch:
        torture = Torture(Path(scratch), arguments.pieces, arguments.seed)
        outcomes = torture_all(torture, arguments.only or list(SCENARIOS), arguments.tries)
    sys.exit(report(outcomes))


if __name__ == "__main__":
    main()
