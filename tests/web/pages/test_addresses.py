"""Addresses: of a position, which is the position; of what is not there; and of nothing outside."""

import re
from pathlib import Path
from xml.etree.ElementTree import Element

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.checks import thinned
from support.html import addresses, classed, identified, parsed, said, shown
from support.web import PAGES, START, TestClient

from tablebase.game import Game, load_game
from tablebase.game.moves import Position
from tablebase.web.app import create_app
from tablebase.web.pages.addresses import Addresses
from tablebase.web.settings import ServerSettings


@st.composite
def placements(draw: st.DrawFn) -> tuple[Game, Position]:
    """Pieces of any kinds on any squares, whether or not the game goes on."""
    game = load_game(draw(st.sampled_from(["doushouqi", "hexapawn", "hexapawn-5x4", "foxhounds", "hasenspiel-10x8"])))
    squares = draw(st.lists(st.integers(0, len(game.board) - 1), unique=True, max_size=8))
    kinds = [draw(st.integers(0, len(game.kinds) - 1)) for _ in squares]
    return game, Position(tuple(sorted(zip(kinds, squares, strict=True))), draw(st.integers(0, 1)))


@settings(max_examples=settings().max_examples // 3)
@given(placements())
def test_every_placement_has_a_page(client: TestClient, placed: tuple[Game, Position]) -> None:
    """A board that can be set up has a page under its own address, with the board in words, whatever its status."""
    game, position = placed
    address = Addresses().position(game.name, game.format(position))
    assert re.fullmatch("[-A-Za-z0-9/_]+", address), "it needs no escapes"
    answer = client.get(address, follow_redirects=False)
    assert answer.status_code in (200, 400, 404)
    page = parsed(answer.text)
    assert identified(page, "position").get("data-position") == game.format(position)
    alt = next(classed(page, "board")).get("alt", "")
    for kind, square in position.pieces:
        assert f"{game.kinds[kind].name} {game.board.names[square]}" in alt
    assert alt.endswith(f"{game.sides[position.side].name} to move.")


@pytest.mark.parametrize(
    ("written", "status", "target"),
    [
        ("/hexapawn/position/ppp/3/PPP%20w", 307, START),
        ("/hexapawn/position/ppp/3/PPP_W", 307, START),
        ("/HEXAPAWN/position/ppp/3/PPP_w", 307, START),
        ("/hexapawn/position?position=ppp/3/PPP+w", 303, START),
        ("/hexapawn/position?position=+ppp%2F3%2FPPP%20w+", 303, START),
        ("/hexapawn/position/", 303, START),
        ("/hexapawn", 307, "/hexapawn/"),
        ("/hexapawn-3x3/", 307, "/hexapawn/"),
        ("/pig/position?position=0,0 1 0", 303, "/pig/position/0,0_1_0"),
        ("/pig-players=2/position/0,0%201%200", 307, "/pig/position/0,0_1_0"),
        ("/doushouqi/material/rve", 307, "/doushouqi/material/RvE"),
        ("/doushouqi/material/CRvE", 307, "/doushouqi/material/RCvE"),
        ("/doushouqi/material?name=+rve", 303, "/doushouqi/material/rve"),
    ],
)
def test_other_spellings(written: str, status: int, target: str, client: TestClient) -> None:
    """Whatever a position, a game or a material was written like, it is found under its one address."""
    answer = client.get(written, follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (status, target)


@pytest.mark.parametrize(
    ("address", "status", "words"),
    [
        ("/chess/", 404, "unknown game 'chess'"),
        ("/pig/records", 404, "cannot use 'records' with pig, which has no tables by material"),
        ("/hexapawn/?size=6x6", 400, "unknown parameter 'size'"),
        ("/hexapawn/board/ppp/3/PPP_w.svg?them=dark", 400, "(did you mean 'theme'?)"),
        ("/pig/?pieces=2", 404, "leave out pieces"),
        ("/pig/position/0,0_1_0", 404, "No table of Pig has been built."),
        ("/awari/board/2,2,2,0_2,2,2,0_s.svg", 404, "awari does not support pictures"),
        ("/nowhere/to/be/found", 404, "No page exists at this address."),
        ("/hexapawn/position/" + "p" * 600 + "_w", 400, "longer than 500 characters"),
        ("/hexapawn/position/%00%FF_w", 400, "has 1 ranks"),
        ("/doushouqi/material/RvE@1", 400, "has a tier"),
        ("/foxhounds-4x4/material/FvHH", 400, "choose a slice from"),
        ("/doushouqi/?pieces=" + "9" * 5000, 400, "must be a whole number"),
        ("/doushouqi/material/RCvE", 404, "The table RCvE of Dou Shou Qi has not been built."),
        ("/doushouqi/material/RCvE", 404, "Estimated cost of the missing tables on one processor"),
        ("/hexapawn-8x8/position/pppppppp/8/8/8/8/8/8/PPPPPPPP_w", 404, "is too large, because tables"),
        ("/hexapawn/board/ppp/3/PPP_w.svg?theme=pink", 400, "unknown theme 'pink'"),
        ("/hexapawn/board/ppp/3/PPP_w.svg?arrows=a1z9", 400, "z9"),
        ("/hexapawn/board/ppp/3/PPP_w.svg?arrows=" + "a1a2," * 30, 400, "too many arrows (30)"),
        ("/hexapawn/piece/Q.svg", 400, "'Q' is not a piece of hexapawn"),
    ],
)
def test_what_cannot_be_shown(address: str, status: int, words: str, client: TestClient, two_games: Path) -> None:
    """A page with one sentence and the right status, without a path of the machine."""
    page = shown(client, address, status)
    text = said(page)
    assert words in text
    assert str(two_games) not in text
    assert "Traceback" not in text


@pytest.mark.parametrize("page", ["position/nonsense", "material/XvY", "play?seat=nobody"])
def test_an_error_leads_back_to_its_game(page: str, client: TestClient) -> None:
    wrong = shown(client, f"/hexapawn/{page}", 400)
    assert [said(link) for link in identified(wrong, "main").iter("a")] == ["Back to Hexapawn", "List of games"]
    assert {"/hexapawn/", "/hexapawn/play"} <= addresses(wrong)


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("/doushouqi/position/7/7/7/7/7/7/7/R6/7_w", "Black has no pieces: place at least one piece of each side."),
        ("/doushouqi/position/7/7/7/7/7/7/7/7/7_w", "White has no pieces: place at least one piece of each side."),
        ("/doushouqi/position/7/7/7/7/7/7/3r3/RR5/7_w", "(White rat) on the board (2): use at most 1."),
        ("/doushouqi/position/3r3/7/7/7/7/7/7/R6/7_b", "cannot stand on d9 while the game continues: use another square."),
        ("/hexapawn/position/P2/1P1/2p_w", "cannot stand on"),
        ("/hexapawn/position/P2/1p1/3_b", "The pawn has reached a3: White won"),
        ("/hexapawn/position/3/1P1/3_b", "Black has no pieces left: White won"),
        ("/doushouqi/position/3R3/7/7/7/7/7/7/e6/7_b", "The rat has reached d9: White won"),
        ("/hexapawn/position/1p1/1P1/3_w", "White has no legal move: Black won"),
    ],
)
def test_positions_without_moves(address: str, words: str, client: TestClient) -> None:
    """The end of a game is the heading; a board on which no game goes on is still shown, so that setting it up can go on."""
    ends = words.endswith(" won")
    page = shown(client, address, 200 if ends else 400)
    assert words in said(page)
    assert said(identified(page, "verdict")) == (words if ends else "No position yet")
    assert next(classed(page, "board")).get("alt")


@pytest.mark.full
def test_escapes(client: TestClient) -> None:
    """What an address says stands in a page as text, never as markup."""
    bad = "<script>alert(1)</script>"
    for address in (
        f"/{bad}/",
        f"/hexapawn/position/{bad}",
        f"/hexapawn/position?position={bad}",
        f"/hexapawn/play?seat=person&seat=tables&moves={bad}",
        f"/hexapawn/play?seat={bad}&seat=person",
        f"/harehedgehog/play?seat=person&seat=person&start={bad}&moves={bad}",
        f"/doushouqi/material/{bad}",
        f"/doushouqi/?pieces={bad}",
        f"/hexapawn/replay?seat={bad}&seat=b&start={bad}&moves={bad}",
        f"/hexapawn/replay?seat={bad}&seat=b&moves=a1a2&at={bad}",
        f'/mine?game={bad}&statement="></textarea>{bad}',
    ):
        answer = client.get(address)
        assert answer.status_code in (200, 400, 404)
        assert "<script>" not in answer.text
        parsed(answer.text)


OTHERS = (
    "/hexapawn/board/ppp/3/PPP_w.svg",
    "/hexapawn/piece/P.svg",
    "/hexapawn",
    "/hexapawn/position",
    "/nowhere",
    "/metrics",
    "/api/v1/games",
)


@pytest.mark.parametrize("address", thinned([*PAGES, *OTHERS], 3))
def test_head(address: str, client: TestClient) -> None:
    page, head = (client.request(method, address, follow_redirects=False) for method in ("GET", "HEAD"))
    assert (head.status_code, head.content) == (page.status_code, b"")
    for name in ("content-type", "location", "etag", "cache-control", *["content-length"] * (address != "/metrics")):
        assert head.headers.get(name) == page.headers.get(name)


def test_methods_that_are_not_answered(client: TestClient) -> None:
    refused = client.put("/hexapawn/play")
    assert (refused.status_code, refused.headers["allow"]) == (405, "GET, HEAD")
    assert "does not support the request method" in said(parsed(refused.text))


@pytest.mark.parametrize("address", PAGES)
def test_what_every_page_has(address: str, client: TestClient) -> None:
    """A title of its own, one main heading, a language, a link past the navigation; and nothing that its policy forbids."""
    answer = client.get(address)
    policy = answer.headers["content-security-policy"]
    assert "default-src 'self'" in policy
    assert "unsafe" not in policy
    page = parsed(answer.text)
    assert page.get("lang") == "en"
    assert said(next(page.iter("title"))) not in ("", "· tablebase")
    assert len(list(page.iter("h1"))) == 1
    assert next(page.iter("a")).get("href") == "#main"
    assert not list(page.iter("style"))
    for one in page.iter():
        assert not [name for name in one.attrib if name == "style" or name.startswith("on")]
        assert one.tag != "script" or one.get("src")
    names = [one.get("id") for one in page.iter() if one.get("id")]
    assert len(names) == len(set(names))
    labels = [one.get("aria-labelledby") for one in page.iter() if one.get("aria-labelledby")]
    assert set(labels) <= set(names)


def walk(client: TestClient, first: str, most: int, left_out: tuple[str, ...]) -> dict[str, Element | None]:
    """The pages that links lead to, nearest first, but those whose addresses begin like this; None for what is no page."""
    found: dict[str, Element | None] = {}
    pending = [first]
    while pending and len(found) < most:
        address = pending.pop(0).partition("#")[0]
        if not address or address in found or address.startswith(left_out):
            continue
        answer = client.get(address)
        page = found[address] = parsed(answer.text) if answer.headers["content-type"].startswith("text/html") else None
        if answer.status_code != 200:
            assert answer.status_code in (400, 404), address
            assert page is not None, address
            assert any(words in said(page) for words in ("been built", "is too large, because tables", "No position yet")), address
        # A script completes this value: it is not an address yet.
        pending += [] if page is None else sorted(one for one in addresses(page) if not one.endswith(("/board/", "/position/")))
    return found


# The first page left out finds what can be forced from every position of the whole board.
@pytest.mark.parametrize(("count", "left_out"), [(50, ("/foxhounds/position/",)), pytest.param(150, (), marks=pytest.mark.full)])
def test_links_lead_to_pages_of_this_server(count: int, left_out: tuple[str, ...], client: TestClient) -> None:
    """Whatever a page names is here: nothing is loaded from elsewhere, and links are not broken."""
    found = walk(client, "/", count, left_out)
    assert len(found) == count
    for address, page in found.items():
        for named in set() if page is None else addresses(page):
            assert re.match(r"(/(?!/)|#)", named), (address, named)


ROOT = "/games/tables"


@pytest.mark.parametrize("removed", thinned([True, False], 2))
@pytest.mark.parametrize(("root", "headers"), [(ROOT, {"x-forwarded-prefix": "/other"}), ("", {"x-forwarded-prefix": f"{ROOT}/"})])
def test_behind_a_proxy(root: str, headers: dict[str, str], removed: bool, two_games: Path) -> None:
    """All links of all pages begin with the root path and are answered, whether or not the proxy removes it from the request."""
    proxy = TestClient(create_app(ServerSettings(two_games, root=root)), client=("127.0.0.1", 1), raise_server_exceptions=False)
    before = "" if removed else ROOT
    with proxy:
        for address in ("/", "/hexapawn/", START, "/hexapawn/play?seat=person&seat=tables", "/static/nothing.css"):
            answer = proxy.get(before + address, headers=headers)
            named = addresses(parsed(answer.text))
            assert (answer.status_code, len(named) > 3) == (404 if address.startswith("/static") else 200, True)
            assert all(one.startswith((f"{ROOT}/", "#")) for one in named), named
            for one in named:
                if "/static/" in one:
                    found = proxy.get(one.removeprefix(ROOT if removed else ""), headers=headers)
                    assert found.status_code == 200, one
        assert proxy.get(f"{before}/api/v1/probe", headers=headers).json()["detail"].startswith("the parameter game is missing")
        assert proxy.get(f"{before}/api/v1/openapi.json", headers=headers).json()["servers"] == [{"url": ROOT}]
        assert "<html" in proxy.get(f"{before}/nothing", headers=headers).text
        assert proxy.get(ROOT, headers=headers).status_code == 200


@pytest.mark.parametrize(
    ("client", "prefix"),
    [("10.0.0.1", ROOT), ("127.0.0.1", "//evil.example"), ("127.0.0.1", "https://evil.example"), ("127.0.0.1", 'a"b')],
)
def test_a_prefix_that_is_not_trusted(client: str, prefix: str, two_games: Path) -> None:
    """It comes from elsewhere, or could lead links to another server."""
    with TestClient(create_app(ServerSettings(two_games)), client=(client, 1)) as asking:
        named = addresses(parsed(asking.get("/", headers={"x-forwarded-prefix": prefix}).text))
    assert "/hexapawn/" in named
