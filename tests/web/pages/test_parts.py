"""What pages are made of: matrices, histograms, words, and the page for statements."""

import shutil
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from support.html import classed, identified, said, shown
from support.program import Ask
from support.web import TestClient, client_of

from tablebase.catalog.catalog import Catalog, Counts
from tablebase.game import load_game
from tablebase.web.pages.game import Cell, matrices
from tablebase.web.pages.histogram import histogram

GAME = load_game("doushouqi")


def counts(material: str, side: str, draws: int, positions: int) -> Counts:
    """Statistics of a slice, of which only the draws matter."""
    return Counts(len(material) - 1, 1, 1, positions, 0, positions, 0, 0, draws, None, None, material, side)


def test_rows_are_those_of_the_side_with_more() -> None:
    """The most even materials come first; a matrix has at least as many rows as columns."""
    given = [counts(name, "w", 1, 10) for name in ("RCWvE", "RCvWE", "RvCWE", "RvCWD")]
    even, first, second = matrices(GAME, given, divided=True)
    assert [(matrix.side, matrix.columns) for matrix in (even, first, second)] == [(0, ["WE"]), (0, ["E"]), (1, ["R"])]
    assert second.rows == [("CWD", [Cell("RvCWD", 1, 10)]), ("CWE", [Cell("RvCWE", 1, 10)])]


def test_a_histogram() -> None:
    """Heights are logarithms, so that one position among millions is seen; wins and losses of a distance stand side by side."""
    made = histogram([("win", 1, 9), ("loss", 2, 1), ("win", 3, 10**6 - 1), ("loss", 3, 999)])
    assert made.rows == [(1, 9, 0), (2, 0, 1), (3, 10**6 - 1, 999)]
    drawn = list(ElementTree.fromstring(made.drawing).iter())
    bars = [one for one in drawn if one.tag.endswith("rect")]
    assert [one.get("class") for one in bars] == ["win", "loss", "win", "loss"]
    heights = [float(one.get("height", "")) for one in bars]
    assert [height / heights[2] for height in heights] == [pytest.approx(part, abs=0.001) for part in (1 / 6, 0.0502, 1, 1 / 2)]
    left, right = bars[2:]
    assert float(left.get("x", "")) + float(left.get("width", "")) == pytest.approx(float(right.get("x", "")), abs=0.02)
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


def test_layers_alone_are_no_tables(piglet_tables: Path, ask: Ask) -> None:
    """A game with chance is listed with its layers, and has no positions for statements."""
    statement = "SELECT game, count(*) AS layers FROM layers GROUP BY game"
    rows = ask("sql", statement, "--format", "json", "--data", piglet_tables).json
    with client_of(piglet_tables, mine=True) as client:
        cards = {said(next(card.iter("code"))): said(card) for card in shown(client, "/").iter("li")}
        assert not list(shown(client, "/mine").iter("option"))
    assert len(rows) == 2
    for row in rows:
        assert f"{row['layers']} layer" in cards[row["game"]]


def test_a_game_of_chance_has_a_page(piglet_tables: Path, ask: Ask) -> None:
    """Each variant that is built is linked, and shows the chances of its states, from the start by links to all others."""
    with client_of(piglet_tables) as client:
        links = {str(link.get("href")) for card in shown(client, "/").iter("li") for link in card.iter("a")}
        name = next(link.strip("/") for link in sorted(links) if link.startswith("/pig-"))
        [start] = [str(link.get("href")) for link in shown(client, f"/{name}/").iter("a") if said(link) == "Look up a position"]
        page = shown(client, start)
        moves = [str(link.get("href")) for link in classed(page, "move")]
        for address in moves:
            position = address.partition("/position/")[2].replace("_", " ")
            [expected] = ask("probe", name, position, "--data", piglet_tables, "--format", "json").json
            assert f"{expected['lower']:.6f}" in said(shown(client, address))
    assert moves


def test_statements_are_off_unless_asked_for(two_games: Path) -> None:
    with client_of(two_games) as client:
        assert "start it with --mine" in said(shown(client, "/mine", 404))
        assert not [link for link in shown(client, "/").iter("a") if link.get("href") == "/mine"]


def test_the_page_for_statements(client: TestClient) -> None:
    """A statement of the address stands in the editor, and the game is chosen; examples have addresses, too."""
    page = shown(client, "/mine?game=hexapawn&statement=SELECT+%27a%27+%3C+%27b%27")
    assert said(identified(page, "statement")) == "SELECT 'a' < 'b'"
    assert [said(one) for one in page.iter("option") if "selected" in one.attrib] == ["hexapawn"]
    [first, *_] = [link for link in page.iter("a") if link.get("data-statement")]
    followed = shown(client, str(first.get("href")))
    assert said(identified(followed, "statement")) == " ".join(str(first.get("data-statement")).split())
