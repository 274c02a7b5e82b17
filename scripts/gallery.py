"""Pictures of the tables of two and three pieces of Dou Shou Qi, and the page that shows them.

    python scripts/gallery.py --data data

Draws every picture with `tablebase plot` into ``docs/images`` and writes ``docs/gallery.md``, in which each picture stands
with the command that draws it and with what there is to see. All numbers on the page are counted from the tables.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import tablebase.cli
from tablebase.catalog.catalog import Catalog, Counts
from tablebase.charts.selection import Choice, choose
from tablebase.charts.tallies import count_distances, count_parity, count_squares, parity_pair
from tablebase.cli.output import say
from tablebase.errors import TablebaseError
from tablebase.game import Outcome, load_game

GAME = load_game("doushouqi")
DOCS = Path(__file__).parent.parent / "docs"
HEAD = """# Gallery

Pictures of the tables of two and three pieces of Dou Shou Qi, each with the command that draws it.
Outcomes are those of the side to move, which is White throughout: with Black to move the colours are exchanged.
Stalemates are left out, as they are among the positions of `tablebase stats`.
`python scripts/gallery.py --data data` makes this page and its pictures, and counts every number on it from the tables.
"""


@dataclass(frozen=True)
class Source:
    """The tables that a picture shows.

    Parameters
    ----------
    catalog : Catalog
    choice : Choice
    """

    catalog: Catalog
    choice: Choice


@dataclass(frozen=True)
class Picture:
    """A picture and what there is to see.

    Parameters
    ----------
    file : str
        Its name.
    title : str
    chart : str
        What `plot` calls it.
    pieces : int or None
        Of which slices, if by number of pieces.
    material : str or None
        Of which slices, if by name.
    options : tuple of str
        What else is asked of `plot`.
    tell : callable
        Gives sentences of what it shows.
    """

    file: str
    title: str
    chart: str
    pieces: int | None
    material: str | None
    options: tuple[str, ...]
    tell: Callable[[Source], Iterator[str]]

    @property
    def words(self) -> list[str]:
        """The command, without where tables and pictures are."""
        pieces = [] if self.pieces is None else ["--pieces", str(self.pieces)]
        material = [] if self.material is None else ["--material", self.material]
        return ["plot", self.chart, GAME.name, *pieces, *material, *self.options]


def percent(part: int, whole: int) -> str:
    """A share."""
    return f"{100 * part / whole:.1f}%"


def listed(names: Iterable[str]) -> str:
    """Names in a sentence."""
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def tell_distances(source: Source) -> Iterator[str]:
    """How outcomes divide, where the middle is, and where the end."""
    found, totals = count_distances(source.catalog, source.choice), source.choice.outcomes
    shares = [f"{percent(totals[one], source.choice.positions)} are {word}" for one, word in WORDS.items()]
    yield f"Of all positions {listed(shares)}."
    odd, even = all(d % 2 for d in found[Outcome.WIN]), not any(d % 2 for d in found[Outcome.LOSS])
    if odd and even:
        yield "Wins take an odd and losses an even number of plies, for the winner makes the last move."
    both = Counter(found[Outcome.WIN]) + Counter(found[Outcome.LOSS])
    most = max(both, key=lambda distance: both[distance])
    yield f"The commonest distance is {most}, with {both[most]:,} positions."
    yield f"Half of all wins and losses end within {middle(both)} plies."
    for outcome, word in ((Outcome.WIN, "win"), (Outcome.LOSS, "loss")):
        last = max(found[outcome])
        yield f"The longest {word} takes {last} plies, in {found[outcome][last]:,} positions."


def middle(counts: Mapping[int, int]) -> int:
    """The least distance within which half of the positions end."""
    passed = 0
    for distance in sorted(counts):
        passed += counts[distance]
        if 2 * passed >= sum(counts.values()):
            return distance
    raise TablebaseError("there are no wins and losses to show")


def tell_squares(piece: int, outcome: Outcome) -> Callable[[Source], Iterator[str]]:
    """Where the share of an outcome is greatest and least, and where the piece never stands."""

    def tell(source: Source) -> Iterator[str]:
        choice, word = source.choice, WORDS[outcome]
        tally = count_squares(choice, source.catalog.folder, piece)
        shares = {name: counts[outcome] / sum(counts.values()) for name, counts in tally.items()}
        for extreme, how in ((max, "greatest"), (min, "least")):
            share = extreme(shares.values())
            where = alternatives([name for name in GAME.board.names if shares.get(name) == share])
            yield f"The share of {word} is {how}, {100 * share:.1f}%, where {choice.piece_name(piece)} stands on {where}."
        yield f"Over all squares it is {percent(choice.outcomes[outcome], choice.positions)}."
        never = [name for name in GAME.board.names if name not in tally]
        yield f"The piece cannot stand on the {len(never)} empty squares, {listed(never)}."

    return tell


def alternatives(names: Sequence[str]) -> str:
    """Names of which any will do."""
    return listed(names).replace(" and ", " or ")


def tell_draws(source: Source) -> Iterator[str]:
    """Where there are no draws, and where most."""
    lines = source.choice.lines
    without = [line for line in lines if not line.draws]
    yield f"In {len(without)} of the {len(lines)} materials there is no draw at all."
    same = [line for line in lines if len(set(str(line.material).split("v"))) == 1]
    if same and not any(line.draws for line in same):
        yield "Among them are all in which both sides have the same."
    most = max(map(draw_share, lines))
    where = [str(line.material) for line in lines if draw_share(line) == most]
    yield f"The greatest share is {100 * most:.1f}%, with {listed(where)}."
    yield f"Over all materials together it is {percent(sum(line.draws for line in lines), source.choice.positions)}."


def draw_share(line: Counts) -> float:
    """The share of draws in a slice."""
    return line.draws / line.positions


def tell_parity(source: Source) -> Iterator[str]:
    """What odd and even distances are worth, and whether every single one is like the others."""
    choice = source.choice
    pair = parity_pair(choice, ())
    tally = count_parity(choice, source.catalog.folder, pair)
    names = listed(map(choice.piece_name, pair))
    wins = {key: counts[Outcome.WIN] / sum(counts.values()) for key, counts in tally.items()}
    for is_even, word in ((False, "odd"), (True, "even")):
        total = sum((counts for key, counts in tally.items() if key[1] == is_even), Counter())
        shares = [f"{percent(total[one], sum(total.values()))} {name}" for one, name in WORDS.items()]
        yield f"Where {names} are an {word} distance apart there are {listed(shares)}."
    least, most = min(wins[key] for key in wins if not key[1]), max(wins[key] for key in wins if key[1])
    if least > most:
        odd, even = (f"{100 * share:.1f}%" for share in (least, most))
        yield f"At every single odd distance the side to move wins at least {odd}, at no even one more than {even}."
    draws = {key[1] for key, counts in tally.items() if counts[Outcome.DRAW]}
    if len(draws) == 1:
        yield f"All draws are at {'even' if True in draws else 'odd'} distances."


WORDS = {Outcome.WIN: "wins", Outcome.LOSS: "losses", Outcome.DRAW: "draws"}
PICTURES = (
    Picture("distances-2.svg", "Distances with two pieces", "distances", 2, None, (), tell_distances),
    Picture("distances-3.svg", "Distances with three pieces", "distances", 3, None, ("--log",), tell_distances),
    Picture("draws-2.png", "Draws with two pieces", "draws", 2, None, (), tell_draws),
    Picture("draws-1-2.png", "Draws of one piece against two", "draws", None, "?v??", (), tell_draws),
    Picture("squares-RvE.png", "A rat against an elephant", "squares", None, "RvE", (), tell_squares(1, Outcome.WIN)),
    Picture(
        "squares-CTvL.png",
        "A lion against cat and tiger",
        "squares",
        None,
        "CTvL",
        ("--piece", "3", "--outcome", "draw"),
        tell_squares(3, Outcome.DRAW),
    ),
    Picture("parity-CvC.svg", "Parity: cat against cat", "parity", None, "CvC", (), tell_parity),
    Picture("parity-RvE.svg", "Parity: rat against elephant", "parity", None, "RvE", (), tell_parity),
)


def section(picture: Picture, source: Source) -> str:
    """The part of the page about a picture."""
    command = " ".join(f"'{word}'" if "?" in word else word for word in picture.words)
    lines = [
        f"## {picture.title}",
        "",
        f"![{picture.title}](images/{picture.file})",
        "",
        "```sh",
        f"tablebase {command} --output {picture.file}",
        "```",
        "",
        *picture.tell(source),
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
    for picture in PICTURES:
        if tablebase.cli.run([*picture.words, "--data", str(data), "--output", str(images / picture.file)]):
            raise TablebaseError(f"{picture.file} could not be drawn, for the reason above")
    (docs / "gallery.md").write_text("\n".join([HEAD, *parts]))


def complete(catalog: Catalog, picture: Picture) -> Choice:
    """The slices of a picture, all of which must be there."""
    choice = choose(GAME, catalog, picture.pieces, [picture.material] if picture.material else [])
    if choice.missing:
        command = f"tablebase build {GAME.name} --pieces 3 --data {catalog.folder}"
        raise TablebaseError(f"{choice.missing} slices that {picture.file} shows have not been built: run '{command}'")
    return choice


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one sentence, as the other commands do."""

    def error(self, message: str) -> NoReturn:
        """Raise `TablebaseError` with the sentence."""
        raise TablebaseError(message)


def parser() -> Parser:
    """The options."""
    options = Parser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--data", type=Path, default=Path("data"), metavar="DIR", help="folder of the tables")
    options.add_argument("--docs", type=Path, default=DOCS, metavar="DIR", help="where the page goes, by default docs")
    return options


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the gallery; the exit code. Every known fault is one sentence on stderr."""
    try:
        chosen = parser().parse_args(arguments)
        make_gallery(chosen.data, chosen.docs)
    except TablebaseError as fault:
        say(f"error: {fault}")
        return fault.exit_code
    except OSError as fault:
        say(f"error: {fault.strerror or fault}{f' ({fault.filename})' if fault.filename else ''}: name another folder")
        return TablebaseError.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
