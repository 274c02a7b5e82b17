"""What the catalog says of the tables of games with chance: one row for the file of a layer."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Connection, delete, insert
from sqlalchemy.orm import Session

from tablebase.catalog.registration import Values, contents, digest, values
from tablebase.catalog.schema import GameRow, LayerRow
from tablebase.game.stochastic import StochasticGame
from tablebase.tables.format import file_sha256

if TYPE_CHECKING:
    # Reading the catalog alone needs no HDF5.
    from tablebase.stochastic.files import LayerFile

LAYER = contents(LayerRow)


def of_layer(folder: Path, file: LayerFile, seconds: float | None = None) -> Values:
    """What the catalog has to say of a layer's file, in the order of `LAYER`."""
    row = {
        "game": file.game.name,
        "region": file.region.name,
        "layer": file.layer.name,
        "file": file.path.relative_to(folder).as_posix(),
        "bytes": file.path.stat().st_size,
        "file_sha256": file_sha256(file.path),
        "values_sha256": file.values_sha256,
        "rules_digest": file.game.digest,
        **vars(file.counts),
        "seconds": seconds if seconds is None else float(seconds),
    }
    return tuple(row[name] for name in LAYER)


def enter_layer(session: Session, game: StochasticGame, row: Values) -> None:
    """Write a layer's row into the catalog; an older one of the same file is replaced."""
    session.merge(GameRow(name=game.name, title=game.title, rules_digest=game.digest, side_letters="", kinds=""))
    session.flush()
    session.execute(delete(LayerRow).where(LayerRow.file == row[LAYER.index("file")]))
    insert_layer(session, row)


def insert_layer(session: Session, row: Values) -> None:
    """Write a layer's row, and its seal, into a catalog that has its game, and no layer of the same file."""
    session.execute(insert(LayerRow).values(**dict(zip(LAYER, row, strict=True)), seal=digest(row)))


def read_layers(connection: Connection) -> dict[str, tuple[Values, str]]:
    """The rows of all layers, by file, each with its seal."""
    rows = values(connection, LayerRow, [*LAYER, "seal"], ["id"])
    return {row[LAYER.index("file")]: (tuple(row[:-1]), row[-1]) for row in rows}


def layers_fault(connection: Connection) -> str | None:
    """Why the rows about layers are not those that were written; None if they are."""
    broken = next((file for file, (row, seal) in read_layers(connection).items() if digest(row) != seal), None)
    return None if broken is None else f"is not as it was written (in the row about {broken})"
