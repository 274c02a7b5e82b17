"""Charts: their counts against positions probed one by one, what is drawn of them, and what is refused."""

import csv
import re
import subprocess
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from itertools import combinations, pairwise, product
from pathlib import Path
from shutil import which
from typing import Any

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from support.program import Ask

import tablebase
from tablebase.catalog.catalog import Catalog
from tablebase.commands import training
from tablebase.commands.tablebase import Tablebase
from tablebase.errors import MissingTableError
from tablebase.game import Outcome, load_game
from tablebase.game.moves import Position
from tablebase.game.notation import render
from tablebase.mining.charts import figures
from tablebase.mining.charts.drawing import amount, power, whole_percent
from tablebase.mining.charts.figures import Chart, matrices
from tablebase.mining.charts.style import PALETTES, Style
from tablebase.mining.charts.tallies import PLURALS, Counting, select_slices, totals
from tablebase.play.learning.self_play import Measure
from tablebase.positions.material import parse_material
from tablebase.system.compute.messages import in_time
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
    kinds = parse_material(GAME, material).kinds
    position = Position(tuple(sorted(zip(kinds, squares, strict=True))), 0)
    return not tables.probe(GAME.name, render(GAME, position)).moves


@pytest.fixture
def catalog(two_pieces: Path) -> Iterator[Catalog]:
    with closing(Catalog(two_pieces)) as opened:
        yield opened


def by(rows: Sequence[Mapping[str, Any]], *keys: str) -> dict[Any, Counter[Outcome]]:
    """Rows of counts by some columns."""
    return {tuple(row[key] for key in keys): Counter({one: row[word] for one, word in PLURALS.items()}) for row in rows}


@pytest.mark.parametrize("material", ["RvC", "LvE", "PvD"])
@pytest.mark.parametrize("where", [None, "p1_rank > p2_rank -- above"])
def test_counts_are_those_of_all_positions_probed(tables: Tablebase, catalog: Catalog, material: str, where: str | None) -> None:
    """Outcomes by distance, by square and by steps are what probing every position gives, also with a condition."""
    slices_, counting = select_slices(GAME, catalog, patterns=[material]), Counting(catalog, where)
    expected: list[dict[Any, Counter[Outcome]]] = [{}, {}, {}, {}]
    for (one, other), outcome, distance in probed(tables, material):
        cells = GAME.board.cells[one], GAME.board.cells[other]
        if where is not None and cells[0][1] <= cells[1][1]:
            continue
        between = sum(abs(a - b) for a, b in zip(*cells, strict=True))
        keys = distance if outcome is not Outcome.DRAW else None, GAME.board.names[one], GAME.board.names[other], between
        for counts, key in zip(expected, keys, strict=True):
            counts.setdefault((key,), Counter())[outcome] += 1
    assert by(counting.count(slices_, ["distance"]), "distance") == expected[0]
    assert [by(counting.squares(slices_, piece), "square") for piece in (1, 2)] == expected[1:3]
    chart = figures.parity(counting, [slices_])
    assert by(chart.rows, "distance_1_2") == expected[3]
    assert all(row["even"] == (row["distance_1_2"] % 2 == 0) for row in chart.rows)
    assert f": {sum(expected[3].values(), Counter()).total():,} positions" in chart.caption
    of_stats = sum(line.positions for line in catalog.counts(GAME, "material") if line.material == material)
    assert (where is None) == (of_stats == sum(row["positions"] for row in chart.rows))


def test_stalemates_are_left_out(shut_in: Path) -> None:
    """Where there are stalemates the charts count just the other positions, as `stats` does."""
    with closing(Catalog(shut_in)) as catalog:
        slices_ = select_slices(GAME, catalog, patterns=["CvWD"])
        rows = Counting(catalog).squares(slices_, 1)
        of_stats = sum(line.positions for line in catalog.counts(GAME, "material") if line.material == "CvWD")
    placements = sum(1 for one in product(*[GAME.kinds[kind].squares for kind in slices_.materials[0].kinds]) if len(set(one)) == 3)
    expected: dict[tuple[str], Counter[Outcome]] = {}
    with tablebase.open(shut_in) as tables:
        for squares, outcome, _ in probed(tables, "CvWD"):
            expected.setdefault((GAME.board.names[squares[0]],), Counter())[outcome] += 1
    assert by(rows, "square") == expected
    assert of_stats == sum(row["positions"] for row in rows) < placements


def test_a_number_of_pieces_is_all_its_slices(catalog: Catalog) -> None:
    """The numbers published for two pieces are the sums of the rows of each chart."""
    slices_, counting = select_slices(GAME, catalog, pieces=2), Counting(catalog)
    published = {Outcome.WIN: 82_852, Outcome.LOSS: 64_501, Outcome.DRAW: 12_715}
    rows = counting.count(slices_, ["distance"])
    for some in (rows, counting.count(slices_, ["material", "side"]), figures.parity(counting, [slices_]).rows):
        assert totals(some) == published
    assert max(row["distance"] for row in rows if row["wins"] and row["distance"]) == 33
    assert max(row["distance"] for row in rows if row["losses"]) == 34
    still = figures.open_after(counting, [slices_]).rows
    assert (still[0]["open"], still[0]["share"], still[-1]["open"]) == (82_852 + 64_501, 1.0, 0)
    assert [one["open"] - other["open"] for one, other in pairwise(still)] == [row["positions"] for row in rows if row["distance"]]
    assert [row["plies"] for row in still] == [0, *(row["distance"] for row in rows if row["distance"])]


def test_what_is_not_built_is_told(shut_in: Path) -> None:
    """A caption says how many of the slices are there, unless all are."""
    catalog = Catalog(shut_in)
    built = select_slices(GAME, catalog, pieces=3)
    # With two against one and one against two pieces there are twice 28 pairs with 8 single pieces.
    assert len(built.slices) + built.missing == 2 * 28 * 8
    assert built.shown == f"3 pieces ({len(built.slices)} of 448 slices)"
    assert select_slices(GAME, catalog, pieces=2).shown == "2 pieces"
    with pytest.raises(MissingTableError, match="the table RCvE of doushouqi has not been built: run 'tablebase build"):
        select_slices(GAME, catalog, patterns=["RCvE"])
    catalog.close()


def test_sides_are_chosen_and_tiers_added_up(tmp_path: Path, ask: Ask) -> None:
    """In a game without colour swap, one side to move can be asked for alone; all tiers of a material are one cell."""
    assert ask("build", "foxhounds-2x2", "--data", tmp_path).code == 0
    game = load_game("foxhounds-2x2")
    with closing(Catalog(tmp_path)) as catalog:
        both, hounds = select_slices(game, catalog), select_slices(game, catalog, side="h")
        (matrix,) = matrices(game, Counting(catalog).count(both, ["material", "side"]))
    assert {slice_.side for slice_ in both.slices} == {0, 1}
    assert [slice_.side for slice_ in hounds.slices] == [1] * (len(both.slices) // 2)
    assert (both.missing, hounds.missing) == (0, 0)
    assert (matrix[2].tolist(), len(both.materials)) == ([[0.0]], 2)


def test_numbers_are_written_as_people_read_them() -> None:
    """No share is 0 and all are 100, but a few are <1 and nearly all are >99; large numbers are words or powers."""
    assert [whole_percent(share) for share in (0, 0.001, 0.5, 0.999, 1)] == ["0", "<1", "50", ">99", "100"]
    assert [amount(number) for number in (950, 54_515, 30_297_857, 1.41e9)] == ["950", "54,515", "30.3 million", "1.41 billion"]
    assert [power(number) for number in (1, 10, 1000, 0.01, 20)] == ["1", "10", "10³", "10⁻²", ""]


def row(name: str, wins: int, losses: int, draws: int, **keys: Any) -> dict[str, Any]:
    return {"slices": name, **keys, "wins": wins, "losses": losses, "draws": draws, "positions": wins + losses + draws}


def test_a_matrix_shows_rows_and_columns_by_letters() -> None:
    """Rows are the first side's letters from the top, columns the second's, and what has not been built is empty."""
    counts = {"RCvW": (3, 0, 1), "RCvD": (5, 0, 0), "TLvW": (1, 1, 2), "TLvE": (0, 0, 3), "RvW": (1, 0, 0)}
    rows = [row("all", *numbers, material=name, side="w") for name, numbers in counts.items()]
    first, second = matrices(GAME, rows)
    assert (first[:2], second[:2]) == ((("RC", "TL"), ("W", "D", "E")), (("R",), ("W",)))
    figure = Chart("Title", "Caption", rows, lambda frame, rows: figures._draw_draws(GAME, frame, rows)).figure(Style())
    axes, other, bar = figure.axes
    FigureCanvasAgg(figure).draw()  # type: ignore[no-untyped-call]
    cells = [one.get_window_extent().width / (one.get_xlim()[1] - one.get_xlim()[0]) for one in (axes, other)]
    assert cells[0] == pytest.approx(cells[1], rel=0.2)
    assert [label.get_text() for label in axes.get_yticklabels()] == ["RC", "TL"]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["W", "D", "E"]
    assert axes.get_ylim()[0] > axes.get_ylim()[1]
    assert (axes.get_ylabel(), axes.get_xlabel()) == ("White's pieces", "Black's pieces")
    shares = {text.get_position(): text.get_text() for text in axes.texts}
    assert shares == {(0, 0): "25", (1, 0): "0", (0, 1): "50", (2, 1): "100"}
    assert bar.get_xlabel() == "share of draws"


PARITY = [row("RvC", 3, 1, 0, b=1, even=False), row("RvC", 0, 4, 0, b=2, even=True), row("RvC", 1, 3, 0, b=3, even=False)]


@pytest.mark.parametrize("ground", PALETTES)
def test_bars_of_parity_add_up(ground: Any) -> None:
    """Odd values come first, then even ones and totals; shares are stacked to one, and the legend names outcomes that occur."""
    chart = Chart("Title", "Caption", PARITY, lambda frame, rows: figures._draw_shares("b", frame, rows))
    figure: Any = chart.figure(Style(ground=ground))
    [axes] = figure.axes
    heights, bottoms, places = (
        np.array([getattr(bar, f"get_{what}")() for bar in axes.patches]).reshape(3, -1) for what in ("height", "y", "x")
    )
    assert heights[0].tolist() == pytest.approx([3 / 4, 1 / 4, 0, 1 / 2, 0, 1 / 3])
    assert heights.sum(axis=0).tolist() == pytest.approx([1] * 6)
    assert bottoms[1:] == pytest.approx(heights.cumsum(axis=0)[:-1])
    assert np.diff(places[0]).tolist() == pytest.approx([1, 2, 2, 1, 1])
    assert [label.get_text() for label in axes.get_xticklabels()] == ["1", "3", "2", "odd", "even", "all"]
    assert [text.get_text() for text in axes.texts] == ["4", "4", "4", "8", "4", "12"]
    assert names(figure) == ["wins", "losses"]
    hatches = {bar.get_hatch() or "" for bar in axes.patches}
    assert len(hatches) == (3 if ground == "grey" else 1)


def test_cells_too_small_to_read() -> None:
    """The sentence names what fits, and the width that all need."""
    letters = "RCWDPTLE"
    pairs = [f"{a}{b}" for number, a in enumerate(letters) for b in letters[number + 1 :]]
    rows = [row("all", 1, 0, 1, material=f"Rv{pair}", side="w") for pair in pairs]
    chart = Chart("", "", rows, lambda frame, rows: figures._draw_draws(GAME, frame, rows))
    with pytest.raises(tablebase.TablebaseError, match=r"28 columns, but only \d+ .* --width (\d+)mm") as refused:
        chart.figure(Style(width=60))
    width = float(re.findall(r"--width (\d+)mm", str(refused.value))[0])
    sizes: set[Any] = {label.get_fontsize() for label in chart.figure(Style(width=width)).axes[0].get_xticklabels()}
    assert (min(sizes) >= 6, width > 60) == (True, True)


WIDTHS = {"88mm": 88.0, "8cm": 80.0, "3.5in": 88.9, "column": 88.0, "page": 180.0}


LEGIBLE: dict[str, dict[str, Any]] = {
    "distances": {},
    "survival": {},
    "squares": {"material": "RvE"},
    "draws": {},
    "parity": {"material": ["CvC", "TvT"]},
    "values": {"by": "first"},
}


@pytest.mark.parametrize("chart", LEGIBLE)
def test_every_chart_is_legible_in_a_column(chart: Any, tables: Tablebase) -> None:
    """At 88 mm no text is smaller than 6 points or outside the page, ticks do not overlap, and the page is as wide as said."""
    figure: Any = tables.plot(chart, GAME.name, width="88mm", style="grey", **LEGIBLE[chart])
    canvas: Any = FigureCanvasAgg(figure)
    canvas.draw()
    assert figure.get_size_inches()[0] * 25.4 == pytest.approx(88)
    renderer = canvas.get_renderer()
    texts = [text for text in figure.findobj(lambda one: hasattr(one, "get_fontsize")) if text.get_text()]
    assert min(text.get_fontsize() for text in texts) >= 6
    drawn, (width, height) = figure.get_tightbbox(renderer), figure.get_size_inches()
    assert min(drawn.x0, drawn.y0) > -0.01
    assert (drawn.x1 < width + 0.01, drawn.y1 < height + 0.01) == (True, True)
    for axes in figure.axes:
        low, high = sorted(axes.get_xlim())
        labels = [label for label in axes.xaxis.get_ticklabels() if low <= label.get_position()[0] <= high and label.get_text()]
        its = sorted((label.get_window_extent(renderer) for label in labels), key=lambda box: box.x0)
        assert all(one.x1 <= other.x0 + 0.5 for one, other in pairwise(its))


@pytest.mark.parametrize("width", WIDTHS)
def test_fonts_are_embedded_and_pages_as_wide_as_asked(width: str, tables: Tablebase, tmp_path: Path) -> None:
    """PDF has TrueType fonts alone and SVG has text, also if the figure is saved by the caller."""
    figure = tables.plot("draws", GAME.name, width=width, title="$5 and $6 of words", height="7cm")
    figure.savefig(tmp_path / "a.pdf")
    [box] = re.findall(rb"/MediaBox \[ ?0 0 ([\d.]+) ([\d.]+)", (tmp_path / "a.pdf").read_bytes())
    assert [float(side) * 25.4 / 72 for side in box] == pytest.approx([WIDTHS[width], 70], abs=0.01)
    assert b"/Type3" not in (tmp_path / "a.pdf").read_bytes()
    if which("pdffonts"):
        listed = subprocess.run(["pdffonts", tmp_path / "a.pdf"], capture_output=True, text=True, check=True).stdout
        assert all("TrueType" in line for line in listed.splitlines()[2:])
    figure.savefig(tmp_path / "a.svg")
    assert ">$5 and $6 of words</text>" in (tmp_path / "a.svg").read_text()


def test_equal_pieces_that_have_to_pass_each_other(tables: Tablebase, tmp_path: Path) -> None:
    """The paper's claim: cat against cat, the side to move wins at odd numbers of steps, and loses at even ones."""
    passing = "to_home_2 < to_den_1 AND to_home_1 < to_den_2 AND p1_rank > 1 AND p2_rank < 9"
    figure = tables.plot("parity", GAME.name, material="CvC", where=passing, width="88mm", csv=tmp_path / "parity.csv")
    with (tmp_path / "parity.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows[0].keys() == {"slices", "distance_1_2", "even", "wins", "losses", "draws", "positions"}
    for even, certain in (("false", "wins"), ("true", "losses")):
        some = [row for row in rows if row["even"] == even]
        assert some
        assert all(row[certain] == row["positions"] for row in some)
    assert "steps between the two pieces (|files| + |ranks|)" in figure.axes[0].get_xlabel().replace("\n", " ")


def test_long_counts_say_how_long(tables: Tablebase, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before anything is read, the number of indices and the time; a chart from the catalog says nothing."""
    monkeypatch.setattr("tablebase.mining.charts.tallies.RATE", 10.0)
    tables.plot("distances", GAME.name, material="CvC")
    assert not caplog.messages
    tables.plot("distances", GAME.name, material="CvC", where="p1_rank > 1", workers=1)
    [said] = caplog.messages
    indices = int(re.findall(r"^reading ([\d,]+) indices, which takes about ", said)[0].replace(",", ""))
    assert said.endswith(f"about {in_time(indices / 10)}")
    assert indices > 1000


def test_materials_are_panels(tables: Tablebase) -> None:
    """Each has its name, its bars, and the scale of the others."""
    figure: Any = tables.plot("values", GAME.name, material=["CvC", "TvT"], by="even_1_2")
    first, second = figure.axes
    assert [axes.get_title() for axes in (first, second)] == ["CvC", "TvT"]
    assert first.get_ylim() == second.get_ylim()
    # See the statements in docs/mining.md: 390 wins at even distances, and 927 at odd ones.
    assert [round(bar.get_height(), 9) for bar in first.patches[:2]] == [round(927 / 1196, 9), round(390 / 1156, 9)]


def test_more_panels_than_fit_into_a_row(pawn_tables: Tablebase, caplog: pytest.LogCaptureFixture) -> None:
    """They are in several rows, each panel legible; matrices of draws are one, as a sentence says."""
    materials = [f"{'P' * white}v{'P' * black}" for white in (1, 2, 3) for black in (1, 2, 3)]
    for chart in ("distances", "squares"):
        figure: Any = pawn_tables.plot(chart, "hexapawn", material=materials, width="88mm")
        FigureCanvasAgg(figure).draw()  # type: ignore[no-untyped-call]
        panels = [axes for axes in figure.axes if axes.get_title()]
        assert [axes.get_title() for axes in panels] == materials
        boxes = [axes.get_window_extent() for axes in panels]
        assert len({round(box.y0) for box in boxes}) == 5
        assert min(box.width for box in boxes) / figure.dpi * 25.4 > 20
        assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))
    assert not caplog.messages
    figure = pawn_tables.plot("draws", "hexapawn")
    [said] = caplog.messages
    assert said.startswith("drawing one matrix for all numbers of pieces")
    axes, _ = figure.axes
    assert [label.get_text() for label in axes.get_yticklabels()] == ["P", "PP", "PPP"]
    # There are no draws in this game.
    assert {text.get_position(): text.get_text() for text in axes.texts} == dict.fromkeys(product(range(3), range(3)), "0")


@pytest.mark.parametrize("kind", ["bar", "line", "points", "heat"])
def test_a_statement_is_drawn(kind: Any, tables: Tablebase, tmp_path: Path) -> None:
    """The axes have the names of columns, the legend names several columns, and the numbers come from the statement."""
    statement = "SELECT to_den_1, even_1_2, count(*) AS n FROM positions WHERE material = 'CvC' GROUP BY ALL ORDER BY ALL"
    figure: Any = tables.plot("query", GAME.name, statement, kind=kind, csv=tmp_path / "a.csv")
    rows = tables.mine(GAME.name, statement).fetchall()
    axes = figure.axes[0]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("to_den_1", "even_1_2" if kind == "heat" else "")
    assert kind == "heat" or names(figure) == ["even_1_2", "n"]
    assert len((tmp_path / "a.csv").read_text().splitlines()) == len(rows) + 1
    if kind == "heat":
        [mesh] = axes.collections
        assert sorted(mesh.get_array().compressed()) == sorted(n for _, _, n in rows)
    elif kind != "bar":
        assert len(axes.get_lines()) == 2
        # One outcome after the other: the last row with each value counts.
        assert dict(zip(*axes.get_lines()[1].get_data(), strict=True)) == {x: n for x, _, n in rows}


def names(figure: Figure) -> list[str]:
    """What the legend names."""
    (legend,) = figure.legends
    return [text.get_text() for text in legend.get_texts()]


def test_chances_by_fuzz(tmp_path: Path) -> None:
    """A curve for each player, which are those of plain numbers; the even chance is marked where there is one."""
    with tablebase.open(tmp_path) as tables:
        figure: Any = tables.plot("chances", "foxhounds-4x4", player=["foxbox", "tables"])
        (axes,) = figure.axes
        foxbox, other, even, marks = axes.lines
        assert foxbox.get_linestyle() != other.get_linestyle()
        assert foxbox.get_marker() != other.get_marker()
        assert list(even.get_ydata()) == [0.5, 0.5]
        found = tablebase.exploit("foxhounds-4x4", fuzz=list(foxbox.get_xdata()))
        assert list(foxbox.get_ydata()) == pytest.approx([row["chance"] for row in found])
        assert (f"{marks.get_xdata()[0]:.6f}", set(marks.get_ydata())) == ("0.095558", {0.5})
        assert names(figure)[0] == "foxbox: even at 0.095558"
        hounds = tables.plot("chances", "foxhounds-4x4", side="h", position="2F1/4/4/1H1H f")
        assert set(names(hounds)) == {"foxbox", "ranking", "tables"}
        for wrong, said in (({"material": "FvHH"}, "cannot use --material with the chart"), ({"piece": 1}, "cannot use --piece")):
            with pytest.raises(tablebase.TablebaseError, match=said):
                tables.plot("chances", "foxhounds-4x4", **wrong)


def test_the_curve_of_a_learner_is_what_its_rows_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An error of 1 before the first game is drawn at 1, and the title has the size of the board."""
    drawn: list[Any] = []
    monkeypatch.setattr("tablebase.mining.charts.drawing.save", lambda figure, *_: drawn.append(figure))
    curve = [Measure(0, 0.0, 255, 0.9, 105, 0.77, 1.0), Measure(50, 0.1, 258, 1.0, 127, 1.0, 0.54)]
    training._draw(load_game("foxhounds"), curve, tmp_path / "a.svg")
    [figure] = drawn
    assert [list(line.get_ydata()) for line in figure.axes[0].lines] == [[0.9, 1.0], [0.77, 1.0], [1.0, 0.54]]
    assert len({line.get_marker() for line in figure.axes[0].lines}) == 3
    assert "Fox & Hounds 8x8" in figure.get_suptitle()
