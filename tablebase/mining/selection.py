"""What a question needs: slices, and values of their positions, chosen through the catalog before anything is decoded.

A condition that only speaks of the material, the side to move and the value has one answer for all positions of a
slice that have the same value. So it is put to DuckDB once for each such value that the catalog knows of.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import duckdb
import pyarrow as pa
from sqlglot import exp

from tablebase.catalog.catalog import Catalog
from tablebase.errors import TablebaseError
from tablebase.game import Game, Outcome
from tablebase.mining.sandbox import locked
from tablebase.slices.location import StoredSlice, locate, slices
from tablebase.slices.material import Material, check_piece_count, material_name, parse_material, parse_materials
from tablebase.tables.missing import missing_game, missing_pieces, missing_table
from tablebase.values import DRAW, STALEMATE, Coding, Value

SLICE_COLUMNS = ("material", "pieces", "side")
"""What a slice is called; the letters of its pieces, p1, p2, …, are decided by it, too."""
VALUE_COLUMNS = ("outcome", "distance", "stalemate")
NAMED = {"place": pa.int32(), "number": pa.int32(), "material": pa.string(), "pieces": pa.int16(), "side": pa.string()}
OCCURRING = pa.schema(
    [
        ("number", pa.int32()),
        ("value", pa.int32()),
        ("outcome", pa.string()),
        ("distance", pa.int16()),
        ("stalemate", pa.bool_()),
    ]
)


@dataclass(frozen=True, order=True)
class Occurring:
    """A value that positions of a slice have; the fields are columns of `positions`."""

    outcome: str
    distance: int | None
    stalemate: bool

    def code(self, coding: Coding) -> int:
        """Its code in a table."""
        if self.distance is None:
            return STALEMATE if self.stalemate else DRAW
        return coding.code(Value(Outcome(self.outcome), self.distance))


Selection = Mapping[StoredSlice, frozenset[Occurring]]
"""The slices that are wanted, and which of their values are."""


def known_slices(game: Game, folder: Path) -> Selection:
    """All slices that have been built in a folder, with all values that occur in them.

    Raises
    ------
    TablebaseError
        If there are none.
    """
    with closing(Catalog(folder)) as catalog:
        known = {place: frozenset(Occurring(*one) for one in some) for place, some in catalog.values(game).items()}
    names = {one: (material_name(game, one.material), game.sides[one.side].letter) for one in _slices(game, known)}
    found = {one: known[name] for one, name in names.items() if name in known}
    if not found:
        raise missing_game(game, folder)
    return found


def _slices(game: Game, known: Iterable[tuple[str, str]]) -> Iterable[StoredSlice]:
    """All slices of as many pieces as some known one has."""
    counts = sorted({parse_material(game, name).pieces for name, _ in known})
    return (one for count in counts for one in slices(game, count))


def chosen(game: Game, folder: Path, materials: Sequence[str], pieces: int | None, *, aliases: bool = False) -> Selection:
    """Slices that have been built and have positions.

    Parameters
    ----------
    game : Game
    folder : Path
        The tablebase.
    materials : sequence of str
        Slices by name.
    pieces : int or None
        All distinct slices of so many pieces, too; without materials and pieces, all distinct slices.
    aliases : bool
        Whether those that are not named need not be distinct.

    Raises
    ------
    MissingTableError
        If it asks for slices that have not been built.
    TablebaseError
        If none of them has a position.
    """
    known = known_slices(game, folder)
    named = [material for text in materials for material in parse_materials(game, text)]
    for material in named:
        _check_built(game, known, material, folder)
    if pieces is not None:
        _check_pieces(game, known, pieces, folder)
    count = (pieces,) if pieces is not None else () if named else {one.material.pieces for one in known}
    wanted = {
        one: values
        for one, values in known.items()
        if values and (one.material in named or ((aliases or one.distinct) and one.material.pieces in count))
    }
    if not wanted:
        raise TablebaseError(f"no slice of {game.name} that was asked for has a position")
    return wanted


def select(game: Game, known: Selection, condition: exp.Expr | None, names: set[str], folder: Path) -> Selection:
    """What a condition leaves of all that is known.

    Parameters
    ----------
    game : Game
    known : Selection
    condition : sqlglot expression or None
        What rows must satisfy; the parts of it that go by slice and value are used, the others are for later.
    names : set of str
        What the table is called in the condition; an empty name if its columns may stand alone.
    folder : Path
        Where the tables are, for the sentence that says what is missing.

    Raises
    ------
    MissingTableError
        If it asks for slices that have not been built.
    """
    of_slice = (*SLICE_COLUMNS, *_letters(known))
    parts = [part for part in _parts(condition) if _goes_by(part, (*of_slice, *VALUE_COLUMNS), names)]
    by_slice = [part for part in parts if _goes_by(part, of_slice, names)]
    for part in by_slice:
        _check_named(game, known, part, folder)
    if by_slice and not _evaluate(game, known, by_slice):
        wanted = " and ".join(part.sql(dialect="duckdb") for part in by_slice)
        raise TablebaseError(f"no slice of {game.name} that has been built in {folder} satisfies {wanted}")
    return _evaluate(game, known, parts)


def _check_built(game: Game, known: Selection, material: Material, folder: Path) -> None:
    """Raise an error unless the slices of a material are known."""
    if any(one.material == material for one in known):
        return
    table = locate(game, material, 0).material
    alike = next((material_name(game, one.material) for one in known if one.location.material == table), None)
    if alike is not None:
        name = material_name(game, material)
        raise TablebaseError(f"{name} plays like {alike}, which stands for it in distinct_positions: ask positions instead")
    raise missing_table(game, material, folder)


def union(selections: Sequence[Selection]) -> Selection:
    """What any of them wants."""
    found: dict[StoredSlice, frozenset[Occurring]] = {}
    for selection in selections:
        for one, values in selection.items():
            found[one] = found.get(one, frozenset()) | values
    return found


def _parts(condition: exp.Expr | None) -> list[exp.Expr]:
    """What all must hold."""
    if condition is None:
        return []
    if isinstance(condition, exp.Paren):
        return _parts(condition.this)
    return list(condition.flatten()) if isinstance(condition, exp.And) else [condition]


def _goes_by(part: exp.Expr, columns: Sequence[str], names: set[str]) -> bool:
    """Whether a part has one answer for all rows that are alike in some columns."""
    found = list(part.find_all(exp.Column))
    # A function of nothing may give something else for each row, as random() does.
    fixed = all(function.find(exp.Column) is not None for function in part.find_all(exp.Func))
    plain = part.find(exp.Select, exp.Star) is None
    # Of a longer name the table may be a column, and the column a field of it.
    own = all(column.name.lower() in columns and column.table.lower() in names and not column.db for column in found)
    return bool(found) and fixed and plain and own


def _check_named(game: Game, known: Selection, part: exp.Expr, folder: Path) -> None:
    """See that materials and numbers of pieces that are asked for by name are there."""
    for column, literal in _named(part):
        if column == "material" and literal.is_string:
            material = parse_material(game, literal.name)
            name = material_name(game, material)
            if name != literal.name:
                raise TablebaseError(f"the material {literal.name} is written {name}")
            _check_built(game, known, material, folder)
        if column == "pieces" and literal.is_int:
            _check_pieces(game, known, int(literal.name), folder)


def _check_pieces(game: Game, known: Selection, pieces: int, folder: Path) -> None:
    """See that some slice has so many pieces."""
    check_piece_count(game, pieces)
    if all(one.material.pieces != pieces for one in known):
        raise missing_pieces(game, pieces, folder)


def _named(part: exp.Expr) -> Iterable[tuple[str, exp.Literal]]:
    """Columns and the literals that they are to equal."""
    if isinstance(part, exp.EQ):
        sides = [(part.this, [part.expression]), (part.expression, [part.this])]
    elif isinstance(part, exp.In):
        sides = [(part.this, part.expressions)]
    else:
        return
    for column, literals in sides:
        if isinstance(column, exp.Column):
            yield from ((column.name.lower(), one) for one in literals if isinstance(one, exp.Literal))


def _evaluate(game: Game, known: Selection, parts: Sequence[exp.Expr]) -> Selection:
    """The slices and values for which all parts hold."""
    if not parts:
        return known
    groups = list(dict.fromkeys(known.values()))
    ordered = [list(values) for values in groups]
    numbers = {values: number for number, values in enumerate(groups)}
    letters = _letters(known)
    named = [
        {
            "place": place,
            "number": numbers[values],
            "material": material_name(game, one.material),
            "pieces": one.material.pieces,
            "side": game.sides[one.side].letter,
            **dict(zip(letters, (game.kinds[kind].symbol for kind in one.material.kinds), strict=False)),
        }
        for place, (one, values) in enumerate(known.items())
    ]
    values = [
        {"number": number, "value": place, "outcome": one.outcome, "distance": one.distance, "stalemate": one.stalemate}
        for number, some in enumerate(ordered)
        for place, one in enumerate(some)
    ]
    # Columns may be named with their table's name, which means nothing here.
    plain = [part.transform(lambda node: exp.column(node.name) if isinstance(node, exp.Column) else node) for part in parts]
    condition = " AND ".join(f"({part.sql(dialect='duckdb')})" for part in plain)
    found: dict[StoredSlice, set[Occurring]] = {}
    with locked(1) as connection:
        described = pa.schema(NAMED | dict.fromkeys(letters, pa.string()))
        connection.register("slices", pa.Table.from_pylist(named, schema=described))
        connection.register("occurring", pa.Table.from_pylist(values, schema=OCCURRING))
        question = f"SELECT place, number, value FROM slices JOIN occurring USING (number) WHERE {condition}"
        try:
            rows = connection.execute(question).fetchall()
        except duckdb.Error:
            # The statement itself may never come to what fails, or will tell that it does.
            return _one_by_one(game, known, parts)
        all_slices = list(known)
        for place, number, value in rows:
            found.setdefault(all_slices[place], set()).add(ordered[number][value])
    return {one: frozenset(found[one]) for one in known if one in found}


def _letters(known: Selection) -> list[str]:
    """Columns of the pieces' letters; null where a slice has fewer pieces."""
    return [f"p{number + 1}" for number in range(max((one.material.pieces for one in known), default=0))]


def _one_by_one(game: Game, known: Selection, parts: Sequence[exp.Expr]) -> Selection:
    """As `_evaluate`, the parts one after another; those that fail leave everything."""
    if len(parts) == 1:
        return known
    for part in parts:
        known = _evaluate(game, known, [part])
    return known
