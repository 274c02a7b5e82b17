"""Pages show the numbers that the command line shows for the same question."""

from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import urljoin
from xml.etree.ElementTree import Element

import pytest
from fastapi.testclient import TestClient
from support.html import classed, identified, rows_of, said, shown
from support.program import Ask, random_position
from support.web import client_of

from tablebase.game import guards, load_game
from tablebase.game.installed import game_names, load_rules
from tablebase.game.notation import render
from tablebase.slices.material import parse_material
from tablebase_rules.noughts import Noughts

GAMES = {"doushouqi": ("RvE", "LvT", "CvC", "EvR"), "hexapawn": ("PPPvPPP", "PPvP", "PvPP", "PvP"), "foxhounds-4x4": ("FvHH@2",)}
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
    """What a page says of a position, from an answer of the command line; after the end, what its sentence ends with."""
    outcome, distance = answer["outcome"], answer["distance"]
    if not answer["moves"]:
        winner = next((side.name for side in load_game(answer["game"]).sides if side.letter == answer.get("winner")), None)
        return "a draw" if winner is None else f": {winner} won"
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
        heading, expected = said(identified(page, "verdict")), verdict(answer, side)
        assert heading == expected if answer["moves"] else heading.endswith(expected)
        moves = [[said(part) for part in link] for link in classed(page, "move")]
        assert [(move, value) for move, _, value in moves] == [(row["move"], worth(row)) for row in answer["moves"]]
        links = [link.get("href") for link in classed(page, "move")]
        assert links == [f"/{name}/position/{address(row['position'])}" for row in answer["moves"]]
        explained = ["line", name, text, "--explain", "--data", two_games]
        check_line(page, name, ask(*explained, "--format", "json").json)
        sentences = [said(one) for one in identified(page, "why")] if moves else []
        assert sentences == (ask(*explained).out.splitlines() if moves else [])


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
    assert [said(link).endswith("!") for link in links[1:]] == [row["is_only"] for row in rows[:-1]]
    for link, row in zip(links, rows, strict=True):
        number = "" if row["distance"] in (None, 0) else f" {row['distance']} "
        assert number in link.get("data-said", "")


def number(text: str) -> int:
    """A number that a page shows, with a percentage or a unit behind it."""
    return int(text.split()[0].replace(",", ""))


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


@pytest.mark.parametrize("name", ["noughts", "morris", "mens_morris-men=3"])
def test_games_by_functions(name: str, ask: Ask, tmp_path: Path) -> None:
    """The page of a game adds up `stats`, that of its start has the value of `probe` and all moves; the list counts positions."""
    data = tmp_path / "data"
    assert ask("build", name, "--data", data).code == 0
    rules = load_rules(name)
    text = rules.format(rules.initial)
    rows = ask("stats", name, "--data", data, "--format", "json").json
    row: dict[str, int] = {field: sum(one[field] for one in rows) for field in ("positions", "final", "wins", "losses", "draws")}
    row |= {field: max(one[field] or 0 for one in rows) for field in ("longest_win", "longest_loss")}
    [answer] = ask("probe", name, text, "--data", data, "--format", "json").json
    with client_of(data) as client:
        [cells] = rows_of(next(shown(client, f"/{name}/").iter("table")))
        assert [cell.replace(",", "") for cell in cells] == list(map(str, row.values()))
        page = shown(client, f"/{name}/position/{address(text)}")
        assert said(identified(page, "verdict")) == verdict(answer, rules.sides[0].name)
        assert {said(link).split()[0] for link in classed(page, "move")} == {move["move"] for move in answer["moves"]}
        if name in game_names():
            assert f"{row['positions']:,} positions solved" in said(identified(shown(client, "/"), "main"))


def test_texts_of_dots_have_pages(ask: Ask, tmp_path: Path) -> None:
    """Links to positions whose text would climb in an address lead to them, also where a client shortens addresses."""
    name = "noughts-m=2-n=2-k=2"
    ask("build", name, "--data", tmp_path / "data")
    with client_of(tmp_path / "data") as client:
        page = shown(client, f"/{name}/position/..%2F..")
        links = {urljoin("http://server/", link.get("href", "")).removeprefix("http://server") for link in page.iter("a")}
        after = sorted(link for link in links if "x" in link.rpartition("/")[2])
        assert len(after) == 6
        for link in after:
            assert "Position, written as in ../.." in said(identified(shown(client, link), "main"))


def test_a_fault_in_a_picture_hides_no_other_game(two_pieces: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All games are listed, and its positions are shown as text."""

    def failing(_: object, position: str) -> str:
        raise KeyError(position)

    monkeypatch.setattr(Noughts, "svg", guards.guarded("svg", failing))
    with client_of(two_pieces) as client:
        assert "Hexapawn" in said(identified(shown(client, "/"), "main"))
        assert "Noughts and crosses" in said(identified(shown(client, "/noughts/"), "main"))
        answer = client.get("/noughts/board/.../.../....svg")
        assert "svg(.../.../...) of noughts fails (KeyError" in answer.text
