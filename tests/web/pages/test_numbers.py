"""Pages show the numbers that the command line shows for the same question, and what they are made of."""

import re
import shutil
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import urljoin
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import pytest
from support.checks import at_least_one
from support.html import classed, identified, rows_of, said, shown
from support.program import Ask, random_position
from support.web import TestClient, client_of

from tablebase.catalog.catalog import Catalog
from tablebase.game import guards, load_game
from tablebase.game.installed import game_names, load_rules
from tablebase.game.notation import render
from tablebase.positions.material import parse_material
from tablebase.web.pages.game import matrices
from tablebase.web.pages.histogram import histogram
from tablebase_rules.noughts import Noughts

GAMES = {"doushouqi": ("RvE", "LvT", "CvC", "EvR"), "hexapawn": ("PPPvPPP", "PPvP", "PvPP", "PvP"), "foxhounds-4x4": ("FvHH@2",)}
EACH = 6
"""Positions of each material."""


def address(text: str) -> str:
    return text.replace(" ", "_")


def worth(row: dict[str, Any]) -> str:
    if row["outcome"] == "draw":
        return "draw"
    return "wins immediately" if (row["outcome"], row["distance"]) == ("win", 1) else f"{row['outcome']} in {row['distance']}"


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
    links = [link for link in page.iter("a") if link.get("data-said") is not None]
    if len(rows) < 2:
        rows = []
    moves = ["", *(row["best"] for row in rows[:-1])][: len(rows)]
    for link, row, last in zip(links, rows, moves, strict=True):
        assert (link.get("data-position"), link.get("data-best"), link.get("data-last")) == (
            row["position"],
            row["best"] or "",
            last,
        )
        assert link.get("href") == f"/{name}/position/{address(row['position'])}"
        number = "" if row["distance"] in (None, 0) else f" {row['distance']} "
        assert number in link.get("data-said", "")
    assert [said(link).endswith("!") for link in links[1:]] == [row["is_only"] for row in rows[:-1]]


def number(text: str) -> int:
    """A number that a page shows, with a percentage or a unit behind it."""
    return int(text.split()[0].replace(",", ""))


@pytest.mark.parametrize("name", list(GAMES))
def test_a_game(name: str, client: TestClient, two_games: Path, ask: Ask) -> None:
    page = shown(client, f"/{name}/?pieces=2" if name == "doushouqi" else f"/{name}/")
    # A field leads to a material, and a line says that wide matrices scroll.
    [form] = [one for one in page.iter("form") if one.get("action") == f"/{name}/material"]
    assert [one.get("name") for one in form.iter("input")] == ["name"]
    assert "scroll sideways" in said(identified(page, "main"))
    totals = ask("stats", name, "--format", "json", "--data", two_games).json
    shown_totals = rows_of(next(page.iter("table")))
    assert [(number(row[0]), number(row[1]), number(row[5])) for row in shown_totals] == [
        (row["pieces"], row["positions"], row["longest_win"]) for row in totals
    ]
    assert [row[4] for row in shown_totals] == [f"{100 * row['draws'] / row['positions']:.1f} %" for row in totals]
    sums: dict[str, Counter[str]] = {}
    for row in ask("stats", name, "--by", "material", "--format", "json", "--data", two_games).json:
        sums.setdefault(row["material"], Counter()).update(draws=row["draws"], positions=row["positions"])
    links = [
        (str(link.get("href")).rpartition("/")[2], link.get("title")) for link in page.iter("a") if "/material/" in str(link.attrib)
    ]
    assert dict(links) == {name: f"{name}: {100 * sum_['draws'] / sum_['positions']:.1f} % drawn" for name, sum_ in sums.items()}


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
        line = [said(link) for link in page.iter("a") if link.get("data-said") is not None]
        sides = [side.name.capitalize() for side in rules.sides]
        assert [step.partition(":")[0] for step in line[1:]] == [sides[ply % 2] for ply in range(len(line) - 1)]
        if name in game_names():
            assert f"{row['positions']:,} positions solved" in said(identified(shown(client, "/"), "main"))


def test_records(client: TestClient, two_games: Path, ask: Ask) -> None:
    """Each with its distance, and with a small board that leads to the position."""
    rows = ask("sql", "SELECT max(longest_win), max(longest_loss) FROM slice_counts", "--data", two_games, "--format", "json").json
    page = shown(client, "/doushouqi/records")
    cards = list(classed(page, "record"))
    assert [said(card).split()[0] for card in (cards[0], cards[10])] == list(map(str, rows[0].values()))
    for card in cards:
        [image] = card.iter("img")
        [link, _] = card.iter("a")
        assert str(link.get("href")).replace("/position/", "/board/") + ".svg?theme=light" == image.get("src")


def test_pictures_of_rules_follow_the_theme(client: TestClient) -> None:
    """Lines without a colour of their own are light in the dark; a game without a picture shows its start as text."""
    address = "/noughts/board/x../.../....svg"
    light, dark = (client.get(f"{address}?theme={theme}").text for theme in ("light", "dark"))
    assert re.search('<svg [^>]* color="#d8dbe2"', dark)
    assert light != dark
    page = shown(client, "/noughts/position/x../.../...", 404)
    assert [one.get("srcset") for one in page.iter("source")] == [f"{address}?theme=dark"]
    for page in (shown(client, "/awari/"), shown(client, "/awari/play"), shown(client, "/")):
        covers = [one for one in page.iter() if "cover" in one.get("class", "").split()]
        assert "2,2,2,0 2,2,2,0 s" in [said(one) for one in covers]
        assert not [image for one in covers for image in one.iter("img") if "icon" in str(image.get("src"))]


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


def test_a_error_in_a_picture_hides_no_other_game(two_pieces: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All games are listed, and its positions are shown as text."""

    def failing(_: object, position: str) -> str:
        raise KeyError(position)

    monkeypatch.setattr(Noughts, "svg", guards.guarded("svg", failing))
    with client_of(two_pieces) as client:
        assert "Hexapawn" in said(identified(shown(client, "/"), "main"))
        assert "Noughts and crosses" in said(identified(shown(client, "/noughts/"), "main"))
        answer = client.get("/noughts/board/.../.../....svg")
        assert "svg(.../.../...) of noughts fails (KeyError" in answer.text


def test_rows_are_those_of_the_side_with_more() -> None:
    """The most even materials come first; a matrix has at least as many rows as columns."""
    given: list[Any] = [{"material": name} for name in ("RCWvE", "RCvWE", "RvCWE", "RvCWD")]
    even, first, second = matrices(load_game("doushouqi"), given, divided=True)
    assert [(matrix.side, matrix.columns) for matrix in (even, first, second)] == [(0, ["WE"]), (0, ["E"]), (1, ["R"])]
    assert second.rows == [("CWD", [given[3]]), ("CWE", [given[2]])]


def test_a_histogram() -> None:
    """Axes have names; by logarithms, one position among millions is seen; wins and losses of a distance stand side by side."""
    made = histogram([("win", 1, 9), ("loss", 2, 1), ("win", 3, 10**6 - 1), ("loss", 3, 999)])
    assert made.rows == [(1, 9, 0), (2, 0, 1), (3, 10**6 - 1, 999)]
    drawn = list(ElementTree.fromstring(made.drawing).iter())
    bars = [one for one in drawn if one.tag.endswith("rect")]
    assert [one.get("class") for one in bars] == ["win", "loss", "win", "loss"]
    heights = [float(one.get("height", "")) for one in bars]
    assert [height / heights[2] for height in heights] == [pytest.approx(part, abs=0.001) for part in (1 / 6, 0.0502, 1, 1 / 2)]
    left, right = bars[2:]
    assert float(left.get("x", "")) + float(left.get("width", "")) == pytest.approx(float(right.get("x", "")), abs=0.02)
    assert [one.text for one in drawn if one.get("class") == "name"] == ["positions (logarithmic scale)", "plies to the end"]
    assert [one.text for one in drawn if one.get("class") == "amount"] == ["1", "10", "100", "1,000", "10,000", "100,000"]


def test_a_damaged_table(two_games: Path, tmp_path: Path) -> None:
    """The page names the table within the folder, and not where the folder is."""
    folder = tmp_path / "damaged"
    shutil.copytree(two_games, folder)
    [path] = folder.glob("doushouqi/*/RvE.h5")
    path.write_bytes(path.read_bytes()[:-1])
    with client_of(folder) as client:
        sentence = said(shown(client, "/doushouqi/position/7/7/7/7/3e3/7/7/R6/7_w", 503))
    assert str(path.relative_to(folder)) in sentence
    assert str(folder) not in sentence


@pytest.mark.parametrize("address", ["/", "/doushouqi/", "/doushouqi/material/RvE", "/doushouqi/records"])
def test_the_catalog_is_opened_once(address: str, two_games: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a page reads in it is read together, and kept for the next request."""
    opened = []

    def counted(folder: Path, **options: Any) -> Catalog:
        opened.append(folder)
        return Catalog(folder, **options)

    monkeypatch.setattr("tablebase.web.known_catalog.Catalog", counted)
    with client_of(two_games) as client:
        first, second = (client.get(address) for _ in range(2))
    assert (first.status_code, first.text) == (200, second.text)
    assert opened == [two_games]


def test_a_game_of_chance_has_pages(piglet_tables: Path, ask: Ask) -> None:
    """It is listed with its layers, and shows the chances of states after the start; it has no positions for statements."""
    statement = "SELECT game, count(*) AS layers FROM layers GROUP BY game"
    rows = ask("sql", statement, "--format", "json", "--data", piglet_tables).json
    assert len(rows) == 2
    with client_of(piglet_tables, mine=True) as client:
        assert not list(shown(client, "/mine").iter("option"))
        cards = {said(next(card.iter("code"))): said(card) for card in shown(client, "/").iter("li")}
        for row in rows:
            assert f"{row['layers']} layer" in cards[row["game"]]
        name = rows[0]["game"]
        [start] = [str(link.get("href")) for link in shown(client, f"/{name}/").iter("a") if said(link) == "Look up a position"]
        for link in at_least_one(classed(shown(client, start), "move")):
            address = str(link.get("href"))
            position = address.partition("/position/")[2].replace("_", " ")
            [expected] = ask("probe", name, position, "--data", piglet_tables, "--format", "json").json
            assert f"{expected['lower']:.6f}" in said(shown(client, address))


def test_the_page_for_statements(client: TestClient) -> None:
    """A statement of the address stands in the editor, and the game is chosen; examples have addresses, too."""
    page = shown(client, "/mine?game=hexapawn&statement=SELECT+%27a%27+%3C+%27b%27")
    assert said(identified(page, "statement")) == "SELECT 'a' < 'b'"
    assert [said(one) for one in page.iter("option") if "selected" in one.attrib] == ["hexapawn"]
    wrong = identified(shown(client, "/mine?game=hexapawn&statement=SELECT", 400), "said")
    assert (wrong.get("role"), wrong.get("class")) == ("alert", "result problem")
    [first, *_] = [link for link in page.iter("a") if link.get("data-statement")]
    followed = shown(client, str(first.get("href")))
    assert said(identified(followed, "statement")) == " ".join(str(first.get("data-statement")).split())
