"""Pages in a real browser: by mouse and by keyboard, narrow and dark, with and without JavaScript."""

import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from playwright.sync_api import Browser, Locator, Page, expect, sync_playwright
from support.browsers import Visit
from support.web import EMPTY, PAGES, START, in_thread

from tablebase.commands.tablebase import Tablebase
from tablebase.game import Outcome
from tablebase.play.records import Record, write_record
from tablebase.web.app import create_app
from tablebase.web.settings import ServerSettings

pytestmark = pytest.mark.full
RACE = Record("harehedgehog", 1, ("a", "b"), "0:68:3,0:68:3 1", 0, ("1", "{miss}", "5"), (1, 2), "player 1 wins: broken off")
VERBS = {Outcome.WIN: "wins", Outcome.LOSS: "loses"}
Open = Callable[..., Visit]


@pytest.fixture(scope="module")
def base(two_games: Path) -> Iterator[str]:
    app = create_app(ServerSettings(two_games, mine=True))
    with in_thread(uvicorn.Config(app, log_level="warning", ws="none", timeout_graceful_shutdown=1)) as address:
        yield address


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Debian's Chromium; without it the test is skipped, but not where all checks must run."""
    program = shutil.which("chromium")
    if program is None:
        assert not os.environ.get("CI"), "Chromium must be installed here"
        pytest.skip("Chromium is not installed")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        yield started
        started.close()


@pytest.fixture
def visit(browser: Browser, base: str) -> Iterator[Open]:
    """Opens windows of the browser; at the end, none of them may have asked another machine or reported an error."""
    opened: list[Visit] = []

    def open_window(**options: Any) -> Visit:
        opened.append(Visit(browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options}), base))
        return opened[-1]

    yield open_window
    for one in opened:
        one.context.close()
    assert not [error for one in opened for error in one.errors]


def verdict(page: Page) -> Locator:
    return page.locator("#verdict")


def square(page: Page, name: str) -> Locator:
    return page.locator(f"[data-square={name}]")


@contextmanager
def leads_to(page: Page, address: str) -> Iterator[None]:
    """What is done inside leads to an address, without a reload."""
    page.evaluate("window.same = true")
    yield
    page.wait_for_url(re.compile(f"{re.escape(address)}$"))
    assert page.evaluate("window.same")


def test_setting_up_by_drag(visit: Open, tables: Tablebase) -> None:
    """Pieces are dragged from the box, on the board, and off it."""
    page = visit().go(EMPTY)
    with leads_to(page, "/7/R6/7_w"):
        page.get_by_role("button", name="White rat").drag_to(square(page, "a2"))
    with leads_to(page, "/7/7/7/7/3e3/7/7/R6/7_w"):
        page.get_by_role("button", name="Black elephant").drag_to(square(page, "d5"))
    value = tables.probe_value("doushouqi", "7/7/7/7/3e3/7/7/R6/7 w")
    expect(verdict(page)).to_have_text(f"White to move {VERBS[value.outcome]} in {value.distance} plies")
    page.get_by_label("Move freely").check()
    with leads_to(page, "/7/7/7/7/3e3/7/R6/7/7_w"):
        square(page, "a2").drag_to(square(page, "a3"))
    with leads_to(page, "/7/7/7/7/7/7/R6/7/7_w"):
        square(page, "d5").drag_to(page.locator("#text"))
    page.go_back()
    page.wait_for_url("**/7/7/7/7/3e3/7/R6/7/7_w")
    expect(square(page, "d5")).to_have_attribute("aria-label", "d5, Black elephant")


def test_setting_up_by_click(visit: Open, tables: Tablebase) -> None:
    """A piece of the box stays chosen, so that clicks put it on squares; the outcome is that of the tables."""
    page = visit().go(EMPTY)
    page.get_by_role("button", name="White tiger").click()
    with leads_to(page, "/T6/7/7_w"):
        square(page, "a3").click()
    page.get_by_role("button", name="Black lion").click()
    with leads_to(page, "/7/7/2l4/7/7/7/T6/7/7_w"):
        square(page, "c7").click()
    value = tables.probe_value("doushouqi", "7/7/2l4/7/7/7/T6/7/7 w")
    expect(verdict(page)).to_have_text(f"White to move {VERBS[value.outcome]} in {value.distance} plies")
    with leads_to(page, "/7/7/2l4/7/7/7/T6/7/7_b"):
        page.get_by_role("link", name="Black to move", exact=True).click()
    with leads_to(page, "/7/7/4l2/7/7/7/6T/7/7_b"):
        page.get_by_role("link", name="Mirror").click()
    page.get_by_label("Remove").check()
    with leads_to(page, "/7/7/4l2/7/7/7/7/7/7_b"):
        square(page, "g3").click()


def test_setting_up_by_keyboard(visit: Open) -> None:
    """Arrows, letters, Enter and Delete are enough, and the focus stays where it was."""
    page = visit().go("/hexapawn/position/3/3/3_w")
    square(page, "a3").focus()
    page.keyboard.press("ArrowRight")
    with leads_to(page, "/1p1/3/3_w"):
        page.keyboard.press("p")
    expect(square(page, "b3")).to_be_focused()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    with leads_to(page, "/1p1/3/1P1_w"):
        page.keyboard.press("P")
    expect(verdict(page)).to_have_text("White to move wins in 1 ply")
    with leads_to(page, "/1p1/1P1/3_b"):
        page.keyboard.press("Enter")
        page.keyboard.press("ArrowUp")
        page.keyboard.press("Enter")
    expect(verdict(page)).to_have_text("Black has no legal move: White won")
    with leads_to(page, "/1p1/3/3_b"):
        page.keyboard.press("Delete")


def test_moves_on_the_board(visit: Open) -> None:
    """A legal move is made by two clicks; another one is refused in a sentence."""
    page = visit().go(START)
    square(page, "a1").click()
    expect(page.locator(".square.target")).to_have_count(1)
    square(page, "b1").click()
    with leads_to(page, "/hexapawn/position/ppp/1P1/P1P_b"):
        square(page, "b2").click()
    square(page, "a3").drag_to(square(page, "a1"))
    expect(page.locator("#said")).to_contain_text("is not legal")
    with leads_to(page, "/hexapawn/position/1pp/1p1/P1P_w"):
        square(page, "a3").drag_to(square(page, "b2"))


def test_the_line(visit: Open) -> None:
    """It is stepped through by buttons and by keys, with the moves of each ply, which are arrows while they are pointed at."""
    page = visit().go(START)
    board, at = page.locator("#frame img"), page.locator("#at")
    expect(board).to_have_attribute("src", re.compile("arrows=b1b2"))
    page.locator("[data-move=a1a2]").focus()
    expect(board).to_have_attribute("src", re.compile("arrows=a1a2"))
    page.get_by_role("button", name="One ply forward").click()
    expect(verdict(page)).to_have_text("Black to move wins in 5 plies")
    expect(page.locator("[data-move]")).to_have_count(4)
    expect(page.get_by_role("link", name="Play from here")).to_have_attribute("href", re.compile(r"start=ppp/1P1/P1P(_|\+|%20)b$"))
    expect(at).to_have_text("1 of 6: Black to move wins in 5 plies")
    expect(board).to_have_attribute("src", re.compile(r"/ppp/1P1/P1P_b\.svg.*last=b1b2"))
    page.get_by_role("button", name="To the end of the line").click()
    expect(at).to_have_text(re.compile("^6 of 6: The pawn has reached"))
    page.keyboard.press(",")
    expect(at).to_have_text(re.compile("^5 of 6: Black to move wins in 1 ply"))
    expect(verdict(page)).to_have_text("Black to move wins in 1 ply")
    page.locator("[data-move=c2c1]").hover()
    expect(board).to_have_attribute("src", re.compile("/1p1/PPp/3_b.*arrows=c2c1"))
    page.locator("h1").hover()
    expect(board).to_have_attribute("src", re.compile("/1p1/PPp/3_b.*last="))
    page.get_by_role("button", name="To the start of the line").click()
    expect(verdict(page)).to_have_text("White to move loses in 6 plies")
    expect(board).to_have_attribute("src", re.compile(r"/ppp/3/PPP_w\.svg.*arrows=b1b2"))
    with leads_to(page, "/hexapawn/position/ppp/1P1/P1P_b"):
        page.locator("#line [data-last=b1b2]").click()
    expect(verdict(page)).to_be_focused()


def test_boxes_learn_from_a_visitor(visit: Open) -> None:
    """What a game has cost is kept over the next one, which is played on the board, and forgotten at once."""
    page = visit().go("/hexapawn/play?seat=person&seat=matchboxes&moves=b1b2+a3a2+b2c3")
    page.get_by_role("link", name="New game").click()
    expect(verdict(page)).to_have_text("White to move")
    square(page, "b1").click()
    square(page, "b2").click()
    expect(page.locator("#news")).to_contain_text("Black: ")
    expect(page.locator("#news")).to_contain_text("a3b2")
    expect(page.locator("#learned")).to_have_text("Games won: White 1, Black 0; beads removed: 1.")
    page.get_by_role("link", name="Forget").click()
    expect(page.locator("#learned")).to_have_text("Games won: White 0, Black 0; beads removed: 0.")


def test_a_race(visit: Open) -> None:
    """A person moves, and the computers after him move by themselves, one after the other."""
    page = visit().go("/harehedgehog-players=3/play")
    page.get_by_label("Search depth of the computer").select_option("2")
    page.get_by_role("button", name="Begin").click()
    expect(verdict(page)).to_have_text("Player 1 to move")
    page.get_by_role("link", name="5 squares ahead").click()
    # What looks ahead may have to be compiled.
    expect(page.locator("#news")).to_contain_text("Player 3: ", timeout=60_000)
    expect(verdict(page)).to_have_text("Player 1 to move", timeout=60_000)
    expect(page.locator("#position img")).to_have_attribute("alt", re.compile("^Player 1 is on square 5 "))


def test_a_record_is_replayed(visit: Open) -> None:
    """Pasted, then stepped through by clicks and keys; what a player expects of each position is said."""
    page = visit().go("/harehedgehog/replay")
    page.get_by_label("Record").fill(write_record(RACE))
    page.get_by_role("button", name="Replay").click()
    expect(verdict(page)).to_have_text("Player 1 to move")
    page.get_by_role("link", name="Run a search").click()
    expect(page.locator("#remark")).to_contain_text("points after", timeout=60_000)
    page.get_by_label("One position forward").click()
    expect(page.locator("#made")).to_have_text("Player 1: 1 square ahead")
    expect(page.get_by_label("One position forward")).to_be_focused()
    page.keyboard.press(".")
    expect(page.locator("#made")).to_have_text("Miss a turn.")
    expect(page.locator("#position img")).to_have_attribute("alt", re.compile("^Player 1 is on square 1 .*misses a turn"))
    page.keyboard.press(",")
    expect(page.locator("[aria-current=step]")).to_have_text("Player 1: 1 square ahead")


def test_keyboard_only(visit: Open) -> None:
    """The first key leads past the navigation; moves and buttons are reached and pressed by keys, with the focus in sight."""
    page = visit().go(START)
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    for _ in range(10):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.dataset.move") == "a1a2":
            break
        outline = "getComputedStyle(document.activeElement).outlineStyle"
        assert page.evaluate(outline) == "solid", page.evaluate("document.activeElement.outerHTML")
    with leads_to(page, "/hexapawn/position/ppp/P2/1PP_b"):
        page.keyboard.press("Enter")
    expect(verdict(page)).to_be_focused()


def test_without_javascript(visit: Open) -> None:
    page = visit(java_script_enabled=False).go(START)
    expect(verdict(page)).to_have_text("White to move loses in 6 plies")
    expect(page.locator("#frame img")).to_have_attribute("alt", re.compile("^White: pawn a1, pawn b1"))
    expect(page.locator("#tools")).to_be_hidden()
    expect(page.locator(".stepper")).to_be_hidden()
    page.locator("[data-move=b1b2]").click()
    expect(verdict(page)).to_have_text("Black to move wins in 5 plies")
    page.get_by_role("link", name="Swap colours").click()
    expect(verdict(page)).to_have_text("White to move wins in 5 plies")
    page.get_by_label("Position", exact=True).fill("1p1/3/1P1 w")
    page.get_by_role("button", name="Show").click()
    expect(verdict(page)).to_have_text("White to move wins in 1 ply")
    page.get_by_role("link", name="Play from here").click()
    page.get_by_role("button", name="Begin").click()
    page.get_by_role("link", name="b1b2").click()
    expect(verdict(page)).to_have_text(re.compile("^You won after 1 ply: "))


CUT = """() => {
  const wide = {n: "183,320,863,488", time: "57 min 38 s"}
  for (const cell of document.querySelectorAll("td.n"))
    if (/[a-z]/.test(cell.textContent)) cell.textContent = wide.time
    else if (cell.textContent.includes(",")) cell.firstChild.textContent = wide.n + " "
  const out = []
  for (const cell of document.querySelectorAll("th, td")) {
    const room = cell.closest(".scroll").getBoundingClientRect(), range = document.createRange()
    range.selectNodeContents(cell)
    const text = range.getBoundingClientRect()
    if (text.width && (text.right > room.right + 1 || text.left < room.left - 1 || cell.scrollWidth > cell.clientWidth + 1))
      out.push(cell.textContent.trim())
  }
  return out
}"""
"""Puts the largest numbers of five pieces, and a long time, into all cells, and gives the texts that are not seen whole."""

WIDTHS = (320, 360, 600, 900, 1280, 1920, 2560)


def test_nothing_is_cut(visit: Open) -> None:
    """No page is wider than the window, every cell of a table is seen whole, and the board is as large as it may be."""
    window = visit()
    for address in PAGES:
        page = window.go(address)
        page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 800})
            # Narrower windows need not show the largest numbers, which stay once they are there.
            if width >= 360:
                assert page.evaluate(CUT) == [], (address, width)
            assert page.evaluate("document.documentElement.scrollWidth") <= width, (address, width)
    window.go(START)
    for width in WIDTHS:
        window.page.set_viewport_size({"width": width, "height": 800})
        box = window.page.locator("#frame img").bounding_box()
        assert box is not None
        assert box["width"] > (550 if width == 2560 else 260), width


LETTERS = "texts => texts.map(one => parseFloat(getComputedStyle(one).fontSize) * one.getScreenCTM().a)"


def test_letters_of_charts(visit: Open) -> None:
    """On a telephone they have 10 pixels at least."""
    page = visit(viewport={"width": 390, "height": 844}).go("/doushouqi/material/RvE")
    assert min(page.locator(".histogram text").evaluate_all(LETTERS)) >= 10


DRAWN_IN = "theme => [...document.querySelectorAll('#frame img')].every(image => image.currentSrc.includes(theme))"


def test_accessibility(visit: Open) -> None:
    """Axe finds nothing serious on any kind of page, in both schemes; in the dark, the board is dark, too."""
    window = visit()
    for address in PAGES:
        page = window.go(address)
        # What a scheme changes are colours.
        for scheme, rules in (("light", ()), ("dark", ("color-contrast", "link-in-text-block"))):
            page.emulate_media(color_scheme=scheme)
            page.wait_for_function(DRAWN_IN, arg=f"theme={scheme}")
            assert not window.findings(*rules), (address, scheme)


STATEMENT = "SELECT outcome, count(*) AS n FROM positions WHERE pieces = 2 GROUP BY outcome ORDER BY outcome"


def test_statements(visit: Open, tables: Tablebase) -> None:
    """A statement is run without a reload; its result is a table, a chart of bars and a file; the address then holds it."""
    rows = [[str(value) for value in row] for row in tables.mine("doushouqi", STATEMENT).fetchall()]
    page = visit().go("/mine")
    page.get_by_label("Game").select_option("doushouqi")
    page.get_by_label("Statement").fill(STATEMENT)
    page.evaluate("window.same = true")
    page.get_by_role("button", name="Run").click()
    expect(page.locator("#said")).to_have_text(f"{len(rows)} rows", timeout=60_000)
    assert page.evaluate("window.same")
    cells = [row.locator("td").all_inner_texts() for row in page.locator("#result tbody tr").all()]
    assert [[cell.replace(",", "") for cell in row] for row in cells] == rows
    assert page.locator("#chart li .name").all_inner_texts() == [name for name, _ in rows]
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save as CSV").click()
    assert saved.value.path().read_text().splitlines() == ["outcome,n", *map(",".join, rows)]
    page.reload()
    expect(page.locator("#chart li")).to_have_count(len(rows))
    page.get_by_label("Statement").fill("SELECT nothing FROM positions")
    page.get_by_role("button", name="Run").click()
    expect(page.locator("#said")).to_contain_text("nothing")
    expect(page.locator("#result")).to_be_hidden()
