"""Positions that a statement names, by ``position = '…'``, by IN, or in a list that it joins: they are looked up, not searched for.

A list is looked up if it is written out in the statement, so that it can be read without running anything of the rest. Functions
of SQL find the row of a position, however it is written, and write what a row says as it was asked.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
from sqlglot import exp

from tablebase.errors import NotationError, TablebaseError
from tablebase.game import Game
from tablebase.game.moves import Position, swapped
from tablebase.game.notation import parse, read_move, render
from tablebase.mining.column import POSITION
from tablebase.mining.own_tables import OwnTables
from tablebase.mining.reading import TABLES, children, conditions_on, parts_of, sources, written
from tablebase.mining.sandbox import sandbox, scratch
from tablebase.mining.selection import Selection, check_built
from tablebase.positions.location import Address, StoredSlice, aliases, locate, own_position
from tablebase.positions.material import material_of

AS_ROW, AS_DISTINCT_ROW, AS_ASKED = "as_row", "as_distinct_row", "as_asked"
MOST_LOCATED = 6
"""Pieces up to which distinct rows are found; materials of more take long to locate."""


def as_row(game: Game, text: str) -> str:
    """Text of a position as its row in `positions` has it: with side 0 to move if the game has colour swap.

    Any other text stays as it is.
    """
    position = _parsed(game, text)
    return text if position is None else render(game, _of_row(game, position))


def as_distinct_row(game: Game, text: str) -> str:
    """Text of an equivalent position as its row in `distinct_positions` has it; of more than six pieces, that of `as_row`.

    Any other text stays as it is.
    """
    position = _parsed(game, text)
    if position is None:
        return text
    row = _of_row(game, position)
    if len(row.pieces) > MOST_LOCATED:
        return render(game, row)
    location = locate(game, material_of(game, row), row.side)
    image = game.swap if location.swapped and game.swap is not None else range(len(game.board))
    pieces = ((kind, image[row.pieces[own][1]]) for kind, own in zip(location.material.kinds, location.pairing, strict=True))
    stored = Position(tuple(sorted(pieces)), location.side)
    distinct = next(slice_ for slice_ in aliases(game, location.material, location.side) if slice_.distinct)
    return render(game, own_position(game, distinct, stored))


def as_asked(game: Game, text: str, asked: str) -> str:
    """A position or move of a row, in the colours of the position that was asked.

    A position must have the same side to move as the row's; `as_row` has turned the position that was asked into that of the
    row.
    """
    position = _parsed(game, asked)
    if position is None or _of_row(game, position) == position or game.swap is None:
        return text
    own = _parsed(game, text)
    if own is not None:
        return render(game, swapped(game, own))
    try:
        return "".join(game.board.names[game.swap[square]] for square in read_move(game, text))
    except NotationError:
        return text


FUNCTIONS: dict[str, tuple[Callable[..., str], str]] = {
    AS_ROW: (as_row, "a"),
    AS_DISTINCT_ROW: (as_distinct_row, "a"),
    AS_ASKED: (as_asked, "a, b"),
}
"""The functions by name, with the parameters that they have in SQL."""


def declare_functions(connection: duckdb.DuckDBPyConnection) -> None:
    """Let statements be planned that call the functions; a transaction that is rolled back forgets them."""
    for name, (_, parameters) in FUNCTIONS.items():
        connection.execute(f"CREATE MACRO {name}({parameters}) AS concat({parameters})")


def register_functions(connection: duckdb.DuckDBPyConnection, game: Game) -> None:
    """Let statements call the functions, which are null where an argument is."""
    for name, (function, parameters) in FUNCTIONS.items():
        types: list[Any] = ["VARCHAR" for _ in parameters.split(", ")]
        connection.create_function(name, partial(function, game), types, "VARCHAR")


def _parsed(game: Game, text: str) -> Position | None:
    """A position; None if the text is none."""
    try:
        return parse(game, text)
    except NotationError:
        return None


def _of_row(game: Game, position: Position) -> Position:
    return swapped(game, position) if position.side and game.swap is not None else position


WRITTEN_OUT = {
    *(exp.Values, exp.Tuple, exp.Unnest, exp.Explode, exp.Array, exp.Literal, exp.Null),
    *(exp.CTE, exp.Subquery, exp.Select, exp.From, exp.Star, exp.Column, exp.Alias),
    *(exp.Table, exp.TableAlias, exp.Identifier),
}
"""Parts of a list, which has the same rows whenever it is read."""
ROW_FUNCTIONS = {AS_ROW: as_row, AS_DISTINCT_ROW: as_distinct_row}
MOST = 1 << 20
"""Longer lists are not looked up."""
Texts = frozenset[str]


def look_up(game: Game, known: Selection, selection: Selection, texts: Texts, folder: Path) -> Selection:
    """The part of a selection in which positions are stored, given as text; a text that no row has names nothing.

    `known` has all slices of the table that is read, `selection` those that are left of it. Raise `MissingTableError` if a
    position is in a slice that has not been built, and `TablebaseError` if it is in an alias that is not known.
    """
    slices = {(slice_.material, slice_.side): slice_ for slice_ in known}
    indices: dict[StoredSlice, set[int]] = {}
    addresses: dict[StoredSlice, Address] = {}
    for text in texts:
        position = _parsed(game, text)
        # With colour swap, side 0 is to move in all rows.
        if position is None or render(game, position) != text or (position.side and game.swap is not None):
            continue
        material = material_of(game, position)
        slice_ = slices.get((material, position.side))
        if slice_ is None:
            check_built(game, known, material, folder)
        elif slice_ in selection:
            if slice_ not in addresses:
                addresses[slice_] = Address(game, slice_.location)
            indices.setdefault(slice_, set()).add(addresses[slice_].index(position))
    return {slice_: replace(selection[slice_], indices=frozenset(found)) for slice_, found in indices.items()}


def named_positions(game: Game, table: exp.Table, own: OwnTables, seen: Collection[exp.Table] = ()) -> Texts | None:
    """Texts one of which is the position of each row of a table that matters; None if the statement does not list them.

    Tables of the user's own are lists as well; positions of the tables in `seen` are not to be derived from those of others.
    Raise `TablebaseError` if a table of the user's own lists positions with the side to move that no row has.
    """
    return _Conditions(game, table, own, seen).texts(conditions_on(table))


class _Conditions:
    """Conditions on the rows of a table of positions."""

    def __init__(self, game: Game, table: exp.Table, own: OwnTables, seen: Collection[exp.Table]) -> None:
        self.game = game
        self.own, self.seen = {name.lower(): each for name, each in own.items()}, [*seen, table]
        # Without the table's name it can be no other: two columns of this name would be ambiguous.
        self.names = {table.alias_or_name.lower(), ""}
        self.others = [source for source in sources(table) if source is not table]
        self.lists = _written_with(table, self.own)

    def texts(self, conditions: Iterable[exp.Expr]) -> Texts | None:
        """The positions that satisfy all of the conditions; None if none of these lists any."""
        found = [texts for part in parts_of(conditions) if (texts := self._texts(part)) is not None]
        return frozenset.intersection(*found) if found else None

    def _texts(self, part: exp.Expr) -> Texts | None:
        if isinstance(part, exp.Or):
            return _union([self.texts([side]) for side in part.flatten()])
        if isinstance(part, exp.In) and self._is_position(part.this):
            return _union([self._checked(entry) for entry in part.iter_expressions() if entry is not part.this])
        if isinstance(part, exp.EQ):
            sides = (part.this, part.expression), (part.expression, part.this)
            found = (self._checked(value) for column, value in sides if self._is_position(column))
            return next((texts for texts in found if texts is not None), None)
        return None

    def _is_position(self, column: exp.Expr) -> bool:
        named = isinstance(column, exp.Column) and column.table.lower() in self.names and not column.db
        return named and column.name.lower() == POSITION

    def _checked(self, value: exp.Expr) -> Texts | None:
        """Return an expression's values; raise `TablebaseError` if an own table lists positions no row has for their side."""
        texts, side = self._values(value), self.game.sides[1]
        if not texts or not self.own or self.game.swap is None or not isinstance(value, exp.Column | exp.Subquery):
            return texts
        others = [text for text in texts if text.endswith(f" {side.letter}")]
        if any(as_row(self.game, text) != text for text in others):
            name = next((column.sql() for column in value.find_all(exp.Column)), "…")
            error = f"{len(others)} of {len(texts)} positions in {written(value)} have {side.name} to move, but no row does"
            raise TablebaseError(f"{error}: write {AS_ROW}({name}) to exchange colours")
        return texts

    def _values(self, value: exp.Expr) -> Texts | None:
        """Return an expression's possible values in any row; None if not known."""
        if isinstance(value, exp.Null):
            return frozenset()
        if isinstance(value, exp.Literal) and value.is_string:
            return frozenset([value.name])
        if isinstance(value, exp.Subquery | exp.Values):
            return self._read(exp.Star(), value)
        if _calls_row_function(value):
            [argument], function = value.expressions, ROW_FUNCTIONS[value.name.lower()]
            texts = self._values(argument)
            return None if texts is None else frozenset(function(self.game, text) for text in texts)
        return self._column(value) if isinstance(value, exp.Column) else None

    def _column(self, column: exp.Column) -> Texts | None:
        """Return another table's column values."""
        called = [other for other in self.others if not column.table or other.alias_or_name.lower() == column.table.lower()]
        if len(called) != 1:
            return None
        [source] = called
        if not (isinstance(source, exp.Table) and source.name.lower() in TABLES):
            return self._read(column, source)
        known = any(source is table for table in self.seen)
        return None if known or column.name.lower() != POSITION else named_positions(self.game, source, self.own, self.seen)

    def _read(self, column: exp.Expr, source: exp.Expr) -> Texts | None:
        """Read the column of a list; None if the list is not written out, or too long."""
        if not _is_written_out(source, {*self.lists, *self.own}):
            return None
        lists = f"WITH {', '.join(map(written, self.lists.values()))} " if self.lists else ""
        calls = any(_calls_row_function(node) for each in (source, *self.lists.values()) for node in each.walk())
        # An idle database would keep a table that is registered.
        with sandbox(1) if calls or self.own else scratch() as connection:
            for name, table in self.own.items():
                connection.register(name, table)
            if calls:
                register_functions(connection, self.game)
            try:
                rows = connection.execute(f"{lists}SELECT {written(column)} FROM {written(source)} LIMIT {MOST + 1}").fetchall()
            except duckdb.Error:
                # It refers to tables beside it.
                return None
        # Nothing but text can be compared with positions.
        return frozenset(text for (text, *_) in rows if isinstance(text, str)) if len(rows) <= MOST else None


def _written_with(table: exp.Table, own: Collection[str]) -> dict[str, exp.CTE]:
    """The tables in WITHs around a table that are written out, by name in lower case; none if names hide each other."""
    ctes: list[exp.CTE] = []
    node: exp.Expr | None = table
    while node is not None:
        # Those further out come first, since later ones may read them.
        ctes = [*(cte for with_ in children(node, exp.With) for cte in with_.expressions), *ctes]
        node = node.parent
    if len({cte.alias.lower() for cte in ctes}) < len(ctes):
        return {}
    written: dict[str, exp.CTE] = {}
    for cte in ctes:
        if _is_written_out(cte, {*written, *own}):
            written[cte.alias.lower()] = cte
    return written


def _is_written_out(source: exp.Expr, lists: Collection[str]) -> bool:
    """Return whether a table consists of what is written in the statement, and of such lists."""
    tables = [node.name.lower() for node in source.find_all(exp.Table)]
    known = all(type(node) in WRITTEN_OUT or _calls_row_function(node) for node in source.walk())
    return known and all(name in lists for name in tables)


def _calls_row_function(node: exp.Expr) -> bool:
    return isinstance(node, exp.Anonymous) and node.name.lower() in ROW_FUNCTIONS and len(node.expressions) == 1


def _union(parts: Collection[Texts | None]) -> Texts | None:
    """The texts of all parts; None if there is no part, or one is not known."""
    known = [part for part in parts if part is not None]
    return frozenset.union(*known) if known and len(known) == len(parts) else None
