"""The layers of games with chance, as commands and servers list them."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from tablebase.api.row_types import LayerRow
from tablebase.errors import MissingTableError
from tablebase.game.stochastic import StochasticGame

if TYPE_CHECKING:
    from tablebase.catalog.catalog import Catalog


def layer_rows(catalog: Catalog, game: StochasticGame) -> list[LayerRow]:
    """The layers of a game as `tablebase stats --format json` writes them; `MissingTableError` if there are none."""
    rows = [row for row in catalog.layers(game) if (catalog.folder / row["file"]).exists()]
    if not rows:
        raise MissingTableError(game.name, catalog.folder, options="")
    return [cast(LayerRow, {name: row[name] for name in LayerRow.__annotations__}) for row in rows]
