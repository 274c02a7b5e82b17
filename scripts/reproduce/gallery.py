"""Pictures of the two- and three-piece tables of Dou Shou Qi, and the page that shows them.

    python -m scripts.reproduce.gallery --data data

Draws every picture with `tablebase plot` into ``docs/images`` and writes ``docs/gallery.md``, which shows each picture
with the command that draws it and a description. All numbers on the page are counted from the tables.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from tqdm import tqdm

from tablebase.catalog.catalog import Catalog
from tablebase.commands.program import run
from tablebase.errors import TablebaseError
from tablebase.game import Outcome, load_game
from tablebase.mining.charts.tallies import ChartSlices, Counting, Row, select_slices, totals
from tablebase.system.compute.messages import say

GAME = load_game("doushouqi")
DOCS = Path(__file__).parents[2] / "docs"
HEAD = """# Gallery

These charts show the two- and three-piece tables of Dou Shou Qi, with the commands that draw them.
In all charts, White is to move, and outcomes are for White.
The charts do not include stalemates.
`python -m scripts.reproduce.gallery --data data` generates this page and its pictures. All numbers come from the tables.
"""


class Source(NamedTuple):
    """The tables that a picture shows."""

    catalog: Catalog
    slices: ChartSlices


class Picture(NamedTuple):
    """A picture and its description."""

    file: str
    title: str
    chart: str  # its name for `plot`
    pieces: int | None  # of the slices, if selected by it
    material: str | None  # of the slices, if selected by it
    options: tuple[str, ...]  # others of `plot`
    describe: Callable[[Source], Iterator[str]]  # yields sentences about what it shows

    @property
    def arguments(self) -> list[str]:
        """Arguments of the command, without the folders of tables and pictures."""
        pieces = [] if self.pieces is None else ["--pieces", str(self.pieces)]
        material = [] if self.material is None else ["--material", self.material]
        return ["plot", self.chart, GAME.name, *pieces, *material, *self.options]


def percent(part: int, whole: int) -> str:
    """A share as a percentage."""
    return f"{100 * part / whole:.1f}%"


def listed(names: Iterable[str]) -> str:
    """Names as a list in a sentence."""
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def describe_distances(source: Source) -> Iterator[str]:
    """Shares of the outcomes, and the median and the longest distances."""
    rows = Counting(source.catalog).count(source.slices, ["distance"])
    outcomes = totals(rows)
    counts = {
        outcome: {row["distance"]: row[word] for row in rows if row[word] and outcome is not Outcome.DRAW}
        for outcome, word in WORDS.items()
    }
    shares = [f"{percent(outcomes[outcome], sum(outcomes.values()))} are {word}" for outcome, word in WORDS.items()]
    yield f"Of all positions, {listed(shares)}."
    both = Counter(counts[Outcome.WIN]) + Counter(counts[Outcome.LOSS])
    yield f"Half of all wins and losses end within {median(both)} plies."
    for outcome in (Outcome.WIN, Outcome.LOSS):
        longest = max(counts[outcome])
        yield f"The longest {WORDS[outcome]} take {longest} plies ({counts[outcome][longest]:,} positions)."


def median(counts: Mapping[int, int]) -> int:
    """The smallest distance within which half of the positions end."""
    ended = 0
    for distance in sorted(counts):
        ended += counts[distance]
        if 2 * ended >= sum(counts.values()):
            return distance
    raise TablebaseError("there are no wins and losses to show")


def describe_squares(piece: int, outcome: Outcome) -> Callable[[Source], Iterator[str]]:
    """Return the squares where the share of an outcome is highest and lowest."""

    def describe(source: Source) -> Iterator[str]:
        slices, word = source.slices, WORDS[outcome]
        rows = Counting(source.catalog).squares(slices, piece)
        shares = {row["square"]: row[word] / row["positions"] for row in rows}
        for extreme, how in ((max, "highest"), (min, "lowest")):
            share = extreme(shares.values())
            where = alternatives([name for name in GAME.board.names if shares.get(name) == share])
            yield f"The share of {word} is {how} ({100 * share:.1f}%) when {slices.piece_name(piece)} stands on {where}."
        yield f"{slices.piece_name(piece)} cannot stand on the blank squares."

    return describe


def alternatives(names: Sequence[str]) -> str:
    """Names as a list of alternatives in a sentence."""
    return listed(names).replace(" and ", " or ")


def describe_draws(source: Source) -> Iterator[str]:
    """Materials without draws, and those with the largest share."""
    rows = Counting(source.catalog).count(source.slices, ["material"])
    without = [row for row in rows if not row["draws"]]
    yield f"Of the {len(rows)} materials, {len(without)} do not have any draws."
    largest = max(map(draw_share, rows))
    where = [row["material"] for row in rows if draw_share(row) == largest]
    yield f"The largest share of draws is {100 * largest:.1f}%, in {listed(where)}."
    yield f"Of all positions, {percent(totals(rows)[Outcome.DRAW], sum(row['positions'] for row in rows))} are draws."


def draw_share(row: Row) -> float:
    """The share of draws of a material."""
    return float(row["draws"] / row["positions"])


def describe_parity(source: Source) -> Iterator[str]:
    """Outcomes at odd and at even distances, and whether parity decides at each single distance."""
    slices = source.slices
    pair = slices.parity_pair()
    rows = Counting(source.catalog).parity(slices, f"distance_{pair[0]}_{pair[1]}")
    names = listed(map(slices.piece_name, pair))
    for is_even, word in ((False, "odd"), (True, "even")):
        counts = totals(row for row in rows if row["even"] is is_even)
        shares = [f"{percent(counts[outcome], sum(counts.values()))} {name}" for outcome, name in WORDS.items()]
        yield f"If {names} are an {word} number of steps apart, the outcomes are {listed(shares)}."
    lowest_odd = min(row["wins"] / row["positions"] for row in rows if not row["even"])
    highest_even = max(row["wins"] / row["positions"] for row in rows if row["even"])
    if lowest_odd > highest_even:
        odd, even = (f"{100 * share:.1f}%" for share in (lowest_odd, highest_even))
        lead = f"at least {odd} of positions for each odd number of steps and at most {even} for each even number"
        yield f"The side to move wins {lead}."
    draws = {row["even"] for row in rows if row["draws"]}
    if len(draws) == 1:
        yield f"All draws occur at {'even' if True in draws else 'odd'} numbers of steps."


WORDS = {Outcome.WIN: "wins", Outcome.LOSS: "losses", Outcome.DRAW: "draws"}
PICTURES = (
    Picture("distances-2.svg", "Distances with two pieces", "distances", 2, None, (), describe_distances),
    Picture("distances-3.svg", "Distances with three pieces", "distances", 3, None, ("--log",), describe_distances),
    Picture("draws-2.png", "Draws with two pieces", "draws", 2, None, (), describe_draws),
    Picture("draws-1-2.png", "Draws of one piece against two", "draws", None, "?v??", (), describe_draws),
    Picture("squares-RvE.png", "A rat against an elephant", "squares", None, "RvE", (), describe_squares(1, Outcome.WIN)),
    Picture(
        "squares-CTvL.png",
        "A lion against cat and tiger",
        "squares",
        None,
        "CTvL",
        ("--piece", "3", "--outcome", "draw"),
        describe_squares(3, Outcome.DRAW),
    ),
    Picture("parity-CvC.svg", "Parity: cat against cat", "parity", None, "CvC", (), describe_parity),
    Picture("parity-RvE.svg", "Parity: rat against elephant", "parity", None, "RvE", (), describe_parity),
)


def section(picture: Picture, source: Source) -> str:
    """The part of the page about a picture."""
    command = " ".join(f"'{word}'" if "?" in word else word for word in picture.arguments)
    lines = [
        f"## {picture.title}",
        "",
        f"![{picture.title}](images/{picture.file})",
        "",
        "```sh",
        f"tablebase {command} --output {picture.file}",
        "```",
        "",
        *picture.describe(source),
        "",
    ]
    return "\n".join(lines)


def make_gallery(data: Path, docs: Path) -> None:
    """Draw all pictures and write the page."""
    catalog = Catalog(data)
    try:
        sources = [Source(catalog, complete(catalog, picture)) for picture in PICTURES]
        parts = [section(picture, source) for picture, source in zip(PICTURES, sources, strict=True)]
    finally:
        catalog.close()
    images = docs / "images"
    images.mkdir(parents=True, exist_ok=True)
    for picture in tqdm(PICTURES, unit="picture", disable=None):
        if run([*picture.arguments, "--data", str(data), "--output", str(images / picture.file)]):
            raise TablebaseError(f"{picture.file} could not be drawn; the reason is stated above")
    (docs / "gallery.md").write_text("\n".join([HEAD, *parts]))


def complete(catalog: Catalog, picture: Picture) -> ChartSlices:
    """The slices of a picture, all of which must have been built."""
    slices = select_slices(GAME, catalog, picture.pieces, [picture.material] if picture.material else [])
    if slices.missing:
        command = f"tablebase build {GAME.name} --pieces 3 --data {catalog.folder}"
        raise TablebaseError(f"{slices.missing} slices that {picture.file} shows have not been built: run '{command}'")
    return slices


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the gallery and return the exit code."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--data", type=Path, default=Path("data"), metavar="DIR", help="folder of the tables")
    options.add_argument("--docs", type=Path, default=DOCS, metavar="DIR", help="folder for the page; default: docs")
    given = options.parse_args(arguments)
    try:
        make_gallery(given.data, given.docs)
    except TablebaseError as error:
        say(f"error: {error}")
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
