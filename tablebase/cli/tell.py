"""Commands that tell what there is: games, stats, count, sql."""

from __future__ import annotations

from typing import Annotated

import typer

from tablebase.cli.options import DEFAULT_DATA, By, Data, Format, GameName, Size, Style, Variant, Workers, chosen_game


def games(style: Style = Format.TABLE) -> None:
    """List the games that are installed."""
    from tablebase.cli.output import write_rows
    from tablebase.registry import game_names, load_game, variants

    rows = []
    for name in game_names():
        game = load_game(name)
        kinds = " ".join(kind.symbol for kind in game.kinds)
        row = {"game": name, "title": game.title, "squares": len(game.board), "pieces": kinds, "start": game.start}
        rows.append({**row, "variants": " ".join(variants(name))})
    write_rows(rows, style, ["game", "title", "variants", "squares", "pieces", "start"])


def stats(
    game: GameName,
    size: Size = None,
    variant: Variant = None,
    by: Annotated[By, typer.Option("--by", help="A line for each number of pieces or each slice.")] = By.PIECES,
    data: Data = DEFAULT_DATA,
    style: Style = Format.TABLE,
) -> None:
    """Count wins, losses and draws of the side to move over the tables that are built, aliases included."""
    from dataclasses import asdict

    from tablebase.catalog import Catalog
    from tablebase.cli.output import write_rows
    from tablebase.errors import TablebaseError
    from tablebase.store import unregistered_sentence

    rules = chosen_game(game, size, variant)
    catalog = Catalog(data)
    rows = [asdict(line) for line in catalog.counts(rules, by.value)]
    catalog.close()
    if not rows:
        raise TablebaseError(unregistered_sentence(rules, data))
    columns = [name for name in rows[0] if name not in ("material", "side")]
    if by is By.MATERIAL:
        columns = ["material", "side", *columns]
    write_rows(rows, style, columns)


def count(
    game: GameName,
    size: Size = None,
    variant: Variant = None,
    position: Annotated[str | None, typer.Option("--from", metavar="POSITION", help="Start here, not at the beginning.")] = None,
    workers: Workers = 1,
    style: Style = Format.TABLE,
) -> None:
    """Count the positions that can be reached and the games that are possible, exactly; needs no tables."""
    from time import perf_counter

    from tqdm import tqdm

    from tablebase import threads
    from tablebase.cli.output import write_rows
    from tablebase.graph import check_finite
    from tablebase.notation import parse
    from tablebase.walks import count as counted

    rules = chosen_game(game, size, variant)
    check_finite(rules)
    start = parse(rules, rules.start if position is None else position)
    begin = perf_counter()
    with tqdm(desc=f"count {rules.name}", unit="step", leave=False) as bar, threads.use(workers):

        def tick(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        found = counted(rules, start, tick)
    won = {f"won_{side.letter}": games for side, games in zip(rules.sides, found.won, strict=True)}
    row = {"game": rules.name, "reachable": found.reachable, "final": found.final, "games": found.games, **won}
    write_rows([{**row, "seconds": round(perf_counter() - begin, 2)}], style)


def sql(
    statement: Annotated[str, typer.Argument(metavar='"SELECT …"', help="A statement that reads; docs/guide.md lists the tables.")],
    data: Data = DEFAULT_DATA,
    style: Style = Format.TABLE,
) -> None:
    """Ask the catalog in SQL; nothing can be changed."""
    from tablebase.catalog import Catalog
    from tablebase.cli.output import write_rows
    from tablebase.mining.naming import distinct_names

    catalog = Catalog(data)
    names, rows = catalog.sql(statement)
    catalog.close()
    # Two columns may have one name in SQL, but not in a row here.
    columns = distinct_names(names)
    write_rows([dict(zip(columns, row, strict=True)) for row in rows], style, columns)


COMMANDS = (games, stats, count, sql)
