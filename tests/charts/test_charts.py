"""Charts: their counts against positions probed one by one, what is drawn of them, and what is refused."""

from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure
from support.program import Ask

import tablebase
from tablebase.catalog.catalog import Catalog
from tablebase.charts import drawing
from tablebase.charts.charted_slices import select_slices
from tablebase.charts.tallies import DrawMatrix, count_distances, count_parity, count_squares, draw_matrices, parity_pair
from tablebase.commands.tablebase import Tablebase
from tablebase.errors import MissingTableError
from tablebase.game import Outcome, load_game
from tablebase.game.moves import Position
from tablebase.game.notation import render
from tablebase.slices.material import parse_material
from tablebase_rules.doushouqi import game as doushouqi

pytest.importorskip("matplotlib")

GAME = doushouqi()
BY_SIGN = {1: Outcome.WIN, 0: Outcome.DRAW, -1: Outcome.LOSS}


def probed(tables: Tablebase, material: str) -> Iterator[tuple[tuple[int, ...], Outcome, int]]:
    """Squares, outcome and distance of every position of a slice with White to move, stalemates left out."""
    homes = [GAME.kinds[kind].squares for kind in parse_material(GAME, material).kinds]
    squares = np.array([one for one in product(*homes) if len(set(one)) == len(one)], dtype=np.int8)
    outcomes, distances = tables.probe_squares(GAME.name, material, 0, squares)
    for one, outcome, distance in zip(squares.tolist(), outcomes.tolist(), distances.tolist(), strict=True):
        if outcome or not is_stalemate(tables, material, one):
            yield tuple(one), BY_SIGN[outcome], distance


def is_stalemate(tables: Tablebase, material: str, squares: list[int]) -> bool:
    """Whether White has no move."""
    kinds = parse_material(GAME, material).kinds
    position = Position(tuple(sorted(zip(kinds, squares, strict=True))), 0)
    return not tables.probe(GAME.name, render(GAME, position)).moves


@pytest.fixture
def catalog(two_pieces: Path) -> Iterator[Catalog]:
    """The catalog of all two-piece tables."""
    with closing(Catalog(two_pieces)) as opened:
        yield opened


@pytest.mark.parametrize("material", ["RvC", "LvE", "PvD"])
def test_counts_are_those_of_all_positions_probed(tables: Tablebase, catalog: Catalog, material: str) -> None:
    """Outcomes by distance, by the square of either piece and by Manhattan distance are what probing every position gives."""
    slices_ = select_slices(GAME, catalog, patterns=[material])
    distances: dict[Outcome, Counter[int]] = {Outcome.WIN: Counter(), Outcome.LOSS: Counter()}
    squares: list[dict[str, Counter[Outcome]]] = [{}, {}]
    apart: dict[tuple[int, bool], Counter[Outcome]] = {}
    total: Counter[Outcome] = Counter()
    for (one, other), outcome, distance in probed(tables, material):
        total[outcome] += 1
        if outcome is not Outcome.DRAW:
            distances[outcome][distance] += 1
        for place, square in enumerate((one, other)):
            squares[place].setdefault(GAME.board.names[square], Counter())[outcome] += 1
        between = sum(abs(a - b) for a, b in zip(GAME.board.cells[one], GAME.board.cells[other], strict=True))
        apart.setdefault((between, between % 2 == 0), Counter())[outcome] += 1
    assert (slices_.outcomes, slices_.positions) == (total, total.total())
    assert count_distances(catalog, slices_) == distances
    assert [count_squares(catalog, slices_, piece) for piece in (1, 2)] == squares
    assert count_parity(catalog, slices_, parity_pair(slices_, ())) == apart


def test_stalemates_are_left_out(shut_in: Path) -> None:
    """Where there are stalemates the charts count just the other positions, as `stats` does."""
    with closing(Catalog(shut_in)) as catalog:
        slices_ = select_slices(GAME, catalog, patterns=["CvWD"])
        tally = count_squares(catalog, slices_, 1)
    placements = sum(1 for one in product(*[GAME.kinds[kind].squares for kind in slices_.materials[0].kinds]) if len(set(one)) == 3)
    expected: dict[str, Counter[Outcome]] = {}
    with tablebase.open(shut_in) as tables:
        for squares, outcome, _ in probed(tables, "CvWD"):
            expected.setdefault(GAME.board.names[squares[0]], Counter())[outcome] += 1
    assert tally == expected
    assert slices_.positions == sum(counts.total() for counts in tally.values()) < placements


def test_a_number_of_pieces_is_all_its_slices(catalog: Catalog) -> None:
    """The numbers published for two pieces are the sums of what each chart is drawn of."""
    slices_ = select_slices(GAME, catalog, pieces=2)
    published = Counter({Outcome.WIN: 82_852, Outcome.LOSS: 64_501, Outcome.DRAW: 12_715})
    assert slices_.outcomes == published
    found = count_distances(catalog, slices_)
    assert {one: sum(counts.values()) for one, counts in found.items()} == {Outcome.WIN: 82_852, Outcome.LOSS: 64_501}
    assert (max(found[Outcome.WIN]), max(found[Outcome.LOSS])) == (33, 34)
    tally = count_parity(catalog, slices_, parity_pair(slices_, ()))
    assert sum(tally.values(), Counter[Outcome]()) == published
    (matrix,) = draw_matrices(slices_)
    assert (matrix.draws.sum(), matrix.positions.sum()) == (12_715, 160_068)


def test_what_is_not_built_is_told(shut_in: Path) -> None:
    """A caption says how many of the slices are there, unless all are."""
    catalog = Catalog(shut_in)
    built = select_slices(GAME, catalog, pieces=3)
    # With two against one and one against two pieces there are twice 28 pairs with 8 single pieces.
    assert len(built.lines) + built.missing == 2 * 28 * 8
    assert f"({len(built.lines)} of 448 slices)" in built.caption
    assert "slices" not in select_slices(GAME, catalog, pieces=2).caption
    with pytest.raises(MissingTableError, match="the table RCvE of doushouqi has not been built: run 'tablebase build"):
        select_slices(GAME, catalog, patterns=["RCvE"])
    catalog.close()


def test_sides_are_chosen_and_tiers_added_up(tmp_path: Path, ask: Ask) -> None:
    """In a game without colour swap, one side to move can be asked for alone; all tiers of a material are one cell."""
    assert ask("build", "foxhounds-2x2", "--data", tmp_path).code == 0
    game = load_game("foxhounds-2x2")
    with closing(Catalog(tmp_path)) as catalog:
        both, hounds = select_slices(game, catalog), select_slices(game, catalog, side="h")
    assert {line.side for line in both.lines} == {"f", "h"}
    assert [line.side for line in hounds.lines] == ["h"] * (len(both.lines) // 2)
    assert (both.missing, hounds.missing) == (0, 0)
    (matrix,) = draw_matrices(both)
    assert matrix.positions.tolist() == [[both.positions]]
    assert len(both.materials) == 2


def test_numbers_in_cells_are_not_rounded_to_nothing_or_all() -> None:
    """None is 0 and all is 100, but a few are <1 and nearly all are >99."""
    board = load_game("hexapawn").board
    counts = dict(zip(board.names, (0, 1, 500, 999, 1000), strict=False))
    tally = {square: Counter({Outcome.DRAW: count, Outcome.WIN: 1000 - count}) for square, count in counts.items()}
    axes = drawing.draw_squares("", "", board, tally, Outcome.DRAW).axes[0]
    assert [text.get_text() for text in axes.texts] == ["0", "<1", "50", ">99", "100"]


def test_a_matrix_shows_rows_and_columns_by_letters() -> None:
    """Rows are the first side's letters from the top, columns the second's, and what has not been built is empty."""
    matrix = DrawMatrix(("RC", "TL"), ("W", "D", "E"), np.array([[1, 0, 0], [2, 0, 3]]), np.array([[4, 5, 0], [4, 0, 3]]))
    figure = drawing.draw_draws("Caption", ("White", "Black"), [matrix, matrix])
    axes, other, bar = figure.axes
    assert [label.get_text() for label in axes.get_yticklabels()] == ["RC", "TL"]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["W", "D", "E"]
    assert axes.get_ylim()[0] > axes.get_ylim()[1]
    assert (axes.get_ylabel(), axes.get_xlabel()) == ("White's pieces", "Black's pieces")
    shares = {text.get_position(): text.get_text() for text in axes.texts}
    assert shares == {(0, 0): "25", (1, 0): "0", (0, 1): "50", (2, 1): "100"}
    assert len(other.texts) == len(axes.texts)
    assert bar.get_xlabel() == "share of draws"


def test_bars_of_parity_add_up() -> None:
    """Shares are stacked to one at each distance and in total, even ones hatched, with the number of positions above."""
    tally = {
        (1, False): Counter({Outcome.WIN: 3, Outcome.LOSS: 1}),
        (2, True): Counter({Outcome.DRAW: 4}),
        (3, False): Counter({Outcome.WIN: 1, Outcome.LOSS: 3}),
    }
    figure = drawing.draw_parity("Caption", ("White's rat", "Black's cat"), tally)
    left, right = figure.axes
    for axes, wins, even, counts in (
        (left, [0.75, 0, 0.25], [False, True, False], ["4", "4", "4"]),
        (right, [0.5, 0, 4 / 12], [False, True, False], ["8", "4", "12"]),
    ):
        heights = np.array([bar.get_height() for bar in axes.patches]).reshape(3, -1)
        assert heights[0].tolist() == pytest.approx(wins)
        assert heights.sum(axis=0).tolist() == pytest.approx([1, 1, 1])
        bottoms = np.array([bar.get_y() for bar in axes.patches]).reshape(3, -1)
        assert bottoms[1:] == pytest.approx(heights.cumsum(axis=0)[:-1])
        assert [bool(bar.get_hatch()) for bar in axes.patches] == even * 3
        assert [text.get_text() for text in axes.texts] == counts
    assert [label.get_text() for label in right.get_xticklabels()] == ["odd", "even", "all"]
    assert figure.get_suptitle().startswith("Outcomes by the distance of White's rat and Black's cat\n")


def test_a_matrix_too_large_to_read() -> None:
    rows = tuple(map(str, range(drawing.LIMIT + 1)))
    matrix = DrawMatrix(rows, ("R",), np.zeros((len(rows), 1), dtype=np.int64), np.ones((len(rows), 1), dtype=np.int64))
    with pytest.raises(tablebase.TablebaseError, match="choose fewer materials"):
        drawing.draw_draws("", ("White", "Black"), [matrix])


def names(figure: Figure) -> list[str]:
    """What the legend names."""
    (legend,) = figure.legends
    return [text.get_text() for text in legend.get_texts()]


def test_chances_by_fuzz(tmp_path: Path) -> None:
    """A curve for each player, which are those of plain numbers; the even chance is marked where there is one."""
    with tablebase.open(tmp_path) as tables:
        figure = tables.plot("chances", "foxhounds-4x4", player=["foxbox", "tables"])
        (axes,) = figure.axes
        foxbox, _, even, marks = axes.lines
        assert list(even.get_ydata()) == [0.5, 0.5]
        found = tablebase.exploit("foxhounds-4x4", fuzz=list(foxbox.get_xdata()))
        assert list(foxbox.get_ydata()) == pytest.approx([row["chance"] for row in found])
        assert (f"{marks.get_xdata()[0]:.6f}", list(marks.get_ydata())) == ("0.095558", [0.5, 0.5])
        assert names(figure)[0] == "foxbox: even at 0.095558"
        hounds = tables.plot("chances", "foxhounds-4x4", side="h", position="2F1/4/4/1H1H f")
        assert set(names(hounds)) == {"foxbox", "ranking", "tables"}
        for wrong, said in (({"material": "FvHH"}, "--material is for .* not for chances"), ({"piece": 1}, "--piece is for")):
            with pytest.raises(tablebase.TablebaseError, match=said):
                tables.plot("chances", "foxhounds-4x4", **wrong)
