"""Pages show the numbers that the command line shows for the same question."""

import re
from pathlib import Path
from random import Random
from typing import Any
from xml.etree.ElementTree import Element

import pytest
from fastapi.testclient import TestClient
from support.checks import at_least_one
from support.html import classed, identified, rows_of, said, shown
from support.program import Ask, random_position

from tablebase.game import load_game
from tablebase.game.notation import render
from tablebase.slices.material import material_name, materials, parse_material

GAMES = {"doushouqi": ("RvE", "LvT", "CvC", "EvR"), "hexapawn": ("PPPvPPP", "PPvP", "PvPP", "PvP"), "foxhounds-4x4": ("FvHH@2",)}
FIELDS = ("positions", "wins", "losses", "draws", "stalemates")
EACH = 6
"""Positions of each material."""


def address(text: str) -> str:
    """A position as it stands in an address."""
    return text.replace(" ", "_")


def worth(row: dict[str, Any]) -> str:
    """What a page says of a move, from a row of the command line."""
    if row["outcome"] == "draw":
        return "draw"
    return "wins at once" if (row["outcome"], row["distance"]) == ("win", 1) else f"{row['outcome']} in {row['distance']}"


def verdict(answer: dict[str, Any], name: str) -> str:
    """What a page says of a position, from an answer of the command line."""
    outcome, distance = answer["outcome"], answer["distance"]
    if not answer["moves"]:
        return f"{name} cannot move, and {'draws' if outcome == 'draw' else 'has lost'}"
    if outcome == "draw":
        return f"{name} to move draws"
    return f"{name} to move {'wins' if outcome == 'win' else 'loses'} in {distance} {'ply' if distance == 1 else 'plies'}"


@pytest.mark.parametrize(("name", "names"), GAMES.items(), ids=list(GAMES))
def test_positions(name: str, names: tuple[str, ...], client: TestClient, two_games: Path, ask: Ask) -> None:
    """Outcome, distance, all moves and the line of random positions."""
    game, random = load_game(name), Random(7)
    listed = [parse_material(game, text) for text in names]
    positions = [
        render(game, random_position(game, material, random.randrange(2), random)) for material in listed for _ in range(EACH)
    ]
    for text in dict.fromkeys(positions):
        answer = ask("probe", name, text, "--format", "json", "--data", two_games).json[0]
        page = shown(client, f"/{name}/position/{address(text)}")
        side = next(side.name for side in game.sides if side.letter == answer["side"])
        assert said(identified(page, "verdict")) == verdict(answer, side)
        moves = [[said(part) for part in link] for link in classed(page, "move")]
        assert [(move, value) for move, _, value in moves] == [(row["move"], worth(row)) for row in answer["moves"]]
        links = [link.get("href") for link in classed(page, "move")]
        assert links == [f"/{name}/position/{address(row['position'])}" for row in answer["moves"]]
        check_line(page, name, ask("line", name, text, "--format", "json", "--data", two_games).json)


def check_line(page: Element, name: str, rows: list[dict[str, Any]]) -> None:
    """The line of a page is that of the command line."""
    links = [link for link in page.iter("a") if link.get("data-said") is not None]
    if len(rows) < 2:
        assert not links
        return
    assert [(link.get("data-position"), link.get("data-best")) for link in links] == [
        (row["position"], row["best"] or "") for row in rows
    ]
    assert [link.get("data-last") for link in links] == ["", *(row["best"] for row in rows[:-1])]
    assert [link.get("href") for link in links] == [f"/{name}/position/{address(row['position'])}" for row in rows]
    for link, row in zip(links, rows, strict=True):
        number = "" if row["distance"] in (None, 0) else f" {row['distance']} "
        assert number in link.get("data-said", "")


def number(text: str) -> int:
    """A number that a page shows, with a percentage or a unit behind it."""
    return int(text.split()[0].replace(",", ""))


def test_materials(client: TestClient, two_games: Path, ask: Ask) -> None:
    """Counts, longest wins and losses and distances of every third material of two pieces."""
    game = load_game("doushouqi")
    counts = ask("stats", "doushouqi", "--by", "material", "--format", "json", "--data", two_games).json
    by_name = {row["material"]: row for row in counts}
    assert len(by_name) == 64
    for material in materials(game, 2)[::3]:
        name = "v".join(game.kinds[kind].symbol.upper() for kind in material.kinds)
        page = shown(client, f"/doushouqi/material/{name}")
        labels, *columns = zip(*rows_of(tables(page)[0]), strict=True)
        assert labels == ("Positions", "Wins", "Losses", "Draws", "Stalemates")
        own, other = by_name[name], by_name[f"{name[2]}v{name[0]}"]
        expected = [own] if name[0] == name[2] else [own, other]
        assert [[number(cell) for cell in column] for column in columns] == [[row[field] for field in FIELDS] for row in expected]
        label = "Either side" if name[0] == name[2] else "White"
        assert f"{label} to move" in said(tables(page)[0])
        assert f"{label} wins in {own['longest_win']} plies" in said(page)
        check_longest(page, name, two_games, ask)
        distances = [[number(cell) for cell in row] for row in rows_of(tables(page)[1])]
        assert sum(row[1] for row in distances) == own["wins"]
        assert sum(row[2] for row in distances) == own["losses"]
        assert max(row[0] for row in distances if row[1]) == own["longest_win"]


def check_longest(page: Element, name: str, folder: Path, ask: Ask) -> None:
    """The links to the longest wins and losses of a material lead to its own positions, which have these distances."""
    region = next(one for one in page.iter("section") if one.get("aria-labelledby") == "longest")
    for entry in at_least_one(next(region.iter("ul")).iter("li")):
        link = next(entry.iter("a"))
        words = re.fullmatch(r"(.+) (wins|loses) in (\d+) pl(?:y|ies)", said(entry))
        assert words, said(entry)
        label, verb, plies = words.groups()
        position = str(link.get("href")).removeprefix("/doushouqi/position/").replace("_", " ")
        answer = ask("probe", "doushouqi", position, "--format", "json", "--data", folder).json[0]
        assert (answer["outcome"], answer["distance"]) == ({"wins": "win", "loses": "loss"}[verb], int(plies))
        assert label in ("Either side", {"w": "White", "b": "Black"}[answer["side"]])
        letters = sorted(one for one in position[:-2] if one.isalpha())
        assert letters == sorted((name[0], name[2].lower()))


def tables(page: Element) -> list[Element]:
    """All tables of a page, in order."""
    return list(page.iter("table"))


@pytest.mark.parametrize("name", list(GAMES))
def test_a_game(name: str, client: TestClient, two_games: Path, ask: Ask) -> None:
    page = shown(client, f"/{name}/?pieces=2" if name == "doushouqi" else f"/{name}/")
    totals = ask("stats", name, "--format", "json", "--data", two_games).json
    shown_totals = rows_of(tables(page)[0])
    assert [(number(row[0]), number(row[1]), number(row[5])) for row in shown_totals] == [
        (row["pieces"], row["positions"], row["longest_win"]) for row in totals
    ]
    assert [row[4] for row in shown_totals] == [f"{100 * row['draws'] / row['positions']:.1f} %" for row in totals]
    cells: dict[str, list[dict[str, Any]]] = {}
    for row in ask("stats", name, "--by", "material", "--format", "json", "--data", two_games).json:
        cells.setdefault(row["material"], []).append(row)
    links = {
        str(link.get("href")).rpartition("/")[2]: str(link.get("title"))
        for link in page.iter("a")
        if "/material/" in str(link.get("href"))
    }
    expected = {
        material: f"{material}: {100 * sum(row['draws'] for row in rows) / sum(row['positions'] for row in rows):.1f} % drawn"
        for material, rows in cells.items()
    }
    assert links == expected


def test_the_list_of_games(client: TestClient, two_games: Path, ask: Ask) -> None:
    """Every game has its number of tables, of pieces and of values, or none."""
    page = shown(client, "/")
    cards = {said(next(card.iter("code"))): said(card) for card in page.iter("li")}
    statement = (
        "SELECT game, COUNT(*) AS n, MIN(pieces) AS least, MAX(pieces) AS most, SUM(cells) AS cells FROM tables GROUP BY game"
    )
    rows = ask("sql", statement, "--format", "json", "--data", two_games).json
    assert {row["game"] for row in rows} == {"doushouqi", "hexapawn", "foxhounds-4x4"}
    for row in rows:
        pieces = f"{row['least']}" if row["least"] == row["most"] else f"{row['least']} to {row['most']}"
        assert f"{row['n']} tables, {pieces} pieces, {row['cells']:,} values stored" in cards[row["game"]]
    assert "No table of it has been built here" in cards["hasenspiel"]
    assert "2 to 6 people or computers" in cards["harehedgehog"]


def test_records(client: TestClient, two_games: Path, ask: Ask) -> None:
    """The longest wins of a page are what its links probe to, and the longest is that of the statistics."""
    for name in ("doushouqi", "hexapawn"):
        page = shown(client, f"/{name}/records")
        [*totals] = ask("stats", name, "--format", "json", "--data", two_games).json
        for outcome, title in (("win", "wins"), ("loss", "losses")):
            for line in totals:
                region = next(one for one in page.iter("div") if one.get("aria-labelledby") == f"{title}-{line['pieces']}")
                rows = rows_of(next(region.iter("table")))
                assert number(rows[0][0]) == line[f"longest_{outcome}"]
                assert [number(row[0]) for row in rows] == sorted((number(row[0]) for row in rows), reverse=True)
                for plies, material, side, position in rows[:3]:
                    answer = ask("probe", name, position, "--format", "json", "--data", two_games).json[0]
                    assert (answer["outcome"], answer["distance"]) == (outcome, number(plies))
                    assert material.isalpha()
                    assert side == ("White" if answer["side"] == "w" else "Black")


def test_what_a_missing_table_takes(client: TestClient, two_games: Path, ask: Ask) -> None:
    page = shown(client, "/doushouqi/position/7/7/7/7/3c3/7/7/R5C/7_w", 404)
    assert said(identified(page, "verdict")) == "Not built"
    assert "The table RCvC of Dou Shou Qi has not been built." in said(page)
    assert said(next(page.iter("pre"))) == "tablebase build doushouqi --material RCvC"
    rows = ask("estimate", "doushouqi", "--material", "RCvC", "--format", "json", "--data", two_games).json
    counts = [[number(row[0]), number(row[1]), number(row[2])] for row in rows_of(tables(page)[0])]
    expected = [
        [pieces, sum(row["pieces"] == pieces for row in rows), sum(row["placements"] for row in rows if row["pieces"] == pieces)]
        for pieces in (2, 3)
    ]
    assert counts == expected


def test_patterns(client: TestClient, two_games: Path, ask: Ask) -> None:
    """The patterns of a page are those of the catalog, where they have been searched for, and only there."""
    page = shown(client, "/doushouqi/material/RvE")
    statement = "SELECT condition FROM pattern_rules WHERE material = 'RvE' AND side = 'w'"
    kept = {row["condition"] for row in ask("sql", statement, "--format", "json", "--data", two_games).json}
    found = next(one for one in page.iter("div") if one.get("aria-labelledby") == "rules-1")
    rows = rows_of(next(found.iter("table")))
    assert 0 < len(rows) <= 12
    assert {row[0] for row in rows} <= kept
    assert "Patterns" not in said(shown(client, "/doushouqi/material/LvT"))


def chips(page: Element, title: str) -> list[str]:
    """The materials in a list of neighbours."""
    card = next(one for one in page.iter("div") if said(next(one.iter("h3"), one)) == title and one.get("class") == "card")
    return [said(link).removesuffix(" (not built)") for link in card.iter("a")]


@pytest.mark.parametrize("name", ["RvE", "CvC", "TvR"])
def test_neighbours_by_capture(name: str, client: TestClient) -> None:
    """A material with one piece more leads here if some piece of the other side can capture that piece."""
    game = load_game("doushouqi")
    wanted = parse_material(game, name)
    expected = set()
    for material in materials(game, 3):
        for kind in set(material.kinds):
            rest = list(material.kinds)
            rest.remove(kind)
            hunters = [other for other in rest if game.side_of(other) != game.side_of(kind)]
            captures = {victim for other in hunters for step in game.kinds[other].steps for victim in step.victims}
            if tuple(rest) == wanted.kinds and game.kinds[kind].symbol in captures:
                expected.add(material_name(game, material))
    page = shown(client, f"/doushouqi/material/{name}")
    listed = chips(page, "A move leads here from")
    assert len(listed) == len(set(listed))
    assert set(listed) == expected
    assert "A move leads to None." in said(page)


def test_neighbours_by_advance(client: TestClient) -> None:
    page = shown(client, "/foxhounds-4x4/material/FvHH@2")
    assert chips(page, "A move leads to") == ["FvHH@3"]
    assert chips(page, "A move leads here from") == ["FvHH@1"]
    assert not [link for link in page.iter("a") if link.get("class") == "absent"]
