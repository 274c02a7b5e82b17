"""What the commands estimate and stats do for games of chance."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tablebase.cli.options import Format
from tablebase.game.stochastic import StochasticGame

if TYPE_CHECKING:
    from tablebase.building.chances import Estimate


def write_estimate(estimates: Sequence[Estimate], style: Format) -> None:
    """Write what the layers of a region need."""
    from dataclasses import asdict

    from tablebase.cli.output import in_bytes, in_time, write_rows
    from tablebase.compute import machine

    lines = [asdict(line) for line in estimates]
    if style is Format.TABLE:
        units = {"memory": in_bytes, "disk": in_bytes, "cpu_seconds": in_time}
        lines = [{name: units[name](value) if name in units else value for name, value in line.items()} for line in lines]
    write_rows(lines, style)
    if style is Format.TABLE:
        sys.stdout.write(f"\ndisk is an upper bound\nthere is: {in_bytes(machine.memory())} of memory\n")


def stats(game: StochasticGame, data: Path, style: Format, catalog: str | None) -> None:
    """Count states by how well their chances are known."""
    from contextlib import closing

    from tablebase.api.chances import layer_rows
    from tablebase.catalog.catalog import Catalog
    from tablebase.cli.output import write_rows

    with closing(Catalog(data, catalog=catalog)) as opened:
        write_rows(layer_rows(opened, game), style)
