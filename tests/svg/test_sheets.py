"""Sheets: where pictures and captions stand on pages, what is nested, and the files that come of it."""

import re
import shutil
import subprocess
import zlib
from pathlib import Path
from xml.etree.ElementTree import Element

import pytest
from support.pictures import SVG, every, parsed

from tablebase import svg
from tablebase.errors import MissingExtraError, TablebaseError
from tablebase.game.installed import load_rules
from tablebase.svg.printing import printed
from tablebase.svg.sheets import LEADING, LETTER, MARGIN, PAGES, wrapped

START = "ppp/3/PPP w"
PAWNS = svg.board("hexapawn", START, arrows=["a1a2"])
TALL = svg.board("doushouqi", "7/7/3t3/7/7/R6/4E2/7/7 w")
OWN = '<svg xmlns="http://www.w3.org/2000/svg" width="40px" height="20px"><path id="a" d="M0 0h9"/><use href="#a"/></svg>'


def boxes_of(page: str) -> list[tuple[float, float, float, float]]:
    """Left, upper, right and lower edge of each picture of a page."""
    found = []
    for node in parsed(page).findall(f"{SVG}svg"):
        x, y, width, height = (float(node.attrib[name]) for name in ("x", "y", "width", "height"))
        found.append((x, y, x + width, y + height))
    return found


def letters_of(root: Element) -> list[tuple[float, float]]:
    """The upper left corner of each letter that stands on the page itself."""
    paths = [path for group in root.findall(f"{SVG}g") for path in group.findall(f"{SVG}path")]
    places = [re.match(r"translate\(([-0-9.e]+) ([-0-9.e]+)\)", path.attrib["transform"]) for path in paths]
    return [(float(place[1]), float(place[2])) for place in places if place]


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize(("picture", "count"), [(PAWNS, 1), (PAWNS, 2), (PAWNS, 11), (TALL, 5), (TALL, 40), (OWN, 13)])
def test_nothing_overlaps(picture: str, count: int, page: str) -> None:
    """All pictures are there, within the margins and in their own shape; letters stand outside, and none is missing."""
    caption, title = "12: won by White in 21\na1a2, only move", "A title\nbelow it"
    sheet = svg.sheet([(picture, caption)] * count, title=title, page=page)
    paper = PAGES[page]
    pages = [boxes_of(one) for one in sheet]
    assert sum(map(len, pages)) == count
    root = parsed(picture)
    # A picture without a viewBox says in pixels how large it is.
    box = root.get("viewBox", "0 0 40 20").split()
    for text, boxes in zip(sheet, pages, strict=True):
        assert parsed(text).attrib["width"] == f"{paper.width:g}mm"
        letters = letters_of(parsed(text))
        words = title + (f"page 1 of {len(sheet)}" if len(sheet) > 1 else "") + len(boxes) * caption
        assert len(letters) == len("".join(words.split()))
        for number, (left, upper, right, lower) in enumerate(boxes):
            assert left >= MARGIN - 0.1
            assert upper > MARGIN
            assert right <= paper.width - MARGIN + 0.1
            assert lower + 2 * LEADING * LETTER <= paper.height - MARGIN + 0.1
            assert (lower - upper) / (right - left) == pytest.approx(float(box[3]) / float(box[2]), rel=0.01)
            for other in boxes[:number]:
                assert other[2] < left + 0.01 or other[3] < upper or other[0] > right - 0.01
            assert not [(x, y) for x, y in letters if left - LETTER < x < right and upper - LETTER < y < lower]
        assert all(0 < x < paper.width - LETTER and 0 < y < paper.height - LETTER for x, y in letters)


def test_one_page_is_used_while_boards_are_large_enough() -> None:
    """Boards are the smaller the more there are; then pages are added, each but the last full."""
    widths, pages = [], []
    for count in (1, 2, 5, 12, 16, 17):
        sheet = svg.sheet([PAWNS] * count)
        left, _, right, _ = boxes_of(sheet[0])[0]
        widths.append(right - left)
        pages.append([len(boxes_of(one)) for one in sheet])
    assert widths == sorted(widths, reverse=True)
    assert widths[-1] >= 38
    assert [len(one) for one in pages[:3]] == [1, 1, 1]
    many = [len(boxes_of(one)) for one in svg.sheet([PAWNS] * 60)]
    assert len(many) > 1
    assert len(set(many[:-1])) == 1


def test_width_and_gap_are_those_asked_for() -> None:
    boxes = boxes_of(svg.sheet([PAWNS] * 7, width=50, gap=0)[0])
    assert {round(right - left, 2) for left, _, right, _ in boxes} == {50}
    assert boxes[1][0] == pytest.approx(boxes[0][2])
    assert boxes[3][1] == pytest.approx(boxes[0][3])


def test_a_page_is_well_formed_and_its_identifiers_are_its_own() -> None:
    """The same picture twice, and one of another maker, whose references still lead to what they meant."""
    linked = OWN.replace('href="#a"', 'xmlns:xlink="http://www.w3.org/1999/xlink" xlink:href="#a" fill="url(#a)"')
    root = parsed(svg.sheet([PAWNS, PAWNS, OWN, linked], title="<&>")[0])
    names = [node.attrib["id"] for node in root.iter() if "id" in node.attrib]
    assert len(names) == len(set(names))
    uses = [node.attrib["href"] for node in every(root, "use")]
    assert {one.removeprefix("#") for one in uses} <= set(names)
    filled = re.findall(r"url\(#([^)]+)\)", " ".join(node.get("fill", "") for node in root.iter()))
    assert filled
    assert set(filled) <= set(names)
    titles = [node.text for node in every(root, "title")]
    assert titles[0] == "<&>"
    assert titles.count("White pawn a1") == 2


def test_captions_are_broken_between_words() -> None:
    assert wrapped("10: won by White in 20\nc7c6, only move", 40) == ["10: won by White in 20", "c7c6, only move"]
    assert wrapped("won by White in 20", 20) == ["won by White", "in 20"]
    assert wrapped("won by White in 20", 20, 0) == ["won by", "White in", "20"]
    assert wrapped("", 40) == []


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"boards": []}, "a sheet must have 1 to 1,000 boards, not 0"),
        ({"boards": [(PAWNS,)]}, "a board of a sheet must be a picture or a pair (picture, caption), not "),
        ({"boards": [(PAWNS, 7)]}, "a caption must be a string, not 7"),
        ({"title": None}, "the title must be a string, not None"),
        ({"boards": [(PAWNS, "word " * 800)]}, "does not fit on the page below its picture: shorten the caption"),
        ({"page": "a5"}, "unknown page 'a5': choose a4 or letter"),
        ({"theme": "blue"}, "unknown theme 'blue'"),
        ({"width": 200}, "pictures 200 mm wide do not fit on the page"),
        ({"gap": -1}, "the gap between pictures must be from 0 to"),
        ({"boards": ["ppp/3/PPP w"]}, "'ppp/3/PPP w' is not SVG"),
        ({"boards": ["<svg/>"]}, "has neither a viewBox nor a size"),
        ({"boards": ['<svg viewBox="0 0 0 1"/>']}, "invalid viewBox '0 0 0 1': expected four numbers"),
    ],
)
def test_what_is_refused(options: dict[str, object], said: str) -> None:
    with pytest.raises(TablebaseError, match=re.escape(said)):
        svg.sheet(**{"boards": [PAWNS], **options})  # type: ignore[arg-type]


def pages_of(pdf: bytes) -> int:
    """Number of pages of a PDF, whose objects may be in compressed streams."""
    streams = re.findall(rb"stream\r?\n(.*?)\r?\nendstream", pdf, re.DOTALL)
    texts = [pdf]
    for one in streams:
        try:
            texts.append(zlib.decompress(one))
        except zlib.error:
            continue
    return len(re.findall(rb"/Type\s*/Page\b", b" ".join(texts)))


def test_files(tmp_path: Path) -> None:
    """One PDF with all pages; one SVG and one PNG of the paper's size for each; the same bytes each time."""
    rules = load_rules("noughts")
    drawn = rules.svg(rules.initial)
    assert drawn is not None
    single, several = svg.sheet([PAWNS, drawn], title="one"), svg.sheet([TALL] * 30, title="many", page="letter")
    assert single.write(tmp_path / "one.svg") == [tmp_path / "one.svg"]
    assert (tmp_path / "one.svg").read_text(encoding="utf-8") == single[0]
    numbered = [tmp_path / f"many-{number}.svg" for number in range(1, len(several) + 1)]
    assert len(several) > 1
    assert several.write(str(tmp_path / "many.svg")) == numbered
    assert [path.read_text(encoding="utf-8") for path in numbered] == list(several)
    for sheet, name, count in ((single, "one", 1), (several, "many", len(several))):
        pdf = tmp_path / f"{name}.pdf"
        assert sheet.write(pdf) == [pdf]
        content = pdf.read_bytes()
        assert content.startswith(b"%PDF-")
        assert pages_of(content) == count
        sheet.write(pdf)
        assert pdf.read_bytes() == content
        pictures = sheet.write(tmp_path / f"{name}.PNG")
        assert len(pictures) == count
        for path in pictures:
            head = path.read_bytes()[:24]
            assert head.startswith(b"\x89PNG\r\n\x1a\n")
            size = [int.from_bytes(head[at : at + 4]) / 150 * 25.4 for at in (16, 20)]
            assert size == pytest.approx(list(sheet.paper), abs=0.2)


@pytest.mark.parametrize("text", ["é <&>\"' 😀", "\x00\x07\x1b", "\ud800", "#{}[]@~^*_`|\\\\$", "a\tb\rc", "\n\n"], ids=ascii)
def test_any_text_can_be_a_caption_or_a_title(text: str, tmp_path: Path) -> None:
    """Signs of SVG and of typst stand for themselves, and what XML does not allow is replaced."""
    sheet = svg.sheet([(PAWNS, text)], title=text)
    root = parsed(sheet[0])
    if text.startswith("é"):
        assert [node.text for node in every(root, "text")] == [text, text]
    for name in ("a.svg", "a.pdf", "a.png"):
        assert sheet.write(tmp_path / name) == [tmp_path / name]


@pytest.mark.skipif(not shutil.which("pdftotext"), reason="needs pdftotext, of Debian's package poppler-utils")
def test_a_pdf_can_be_searched(tmp_path: Path) -> None:
    """Each page has its title, captions and number as text, not only as drawn letters."""
    title, caption = "Pawns #1", "a1 *wins*"
    sheet = svg.sheet([(PAWNS, caption), (PAWNS, "é"), *[(TALL, "")] * 28], title=title)
    (path,) = sheet.write(tmp_path / "a.pdf")
    run = ["pdftotext", "-layout", path, "-"]
    first, second, *_ = subprocess.run(run, capture_output=True, check=True, timeout=60, encoding="utf-8").stdout.split("\f")
    lines = [line.split() for line in first.splitlines() if line.strip()]
    assert lines == [title.split(), [*caption.split(), "é"], f"page 1 of {len(sheet)}".split()]
    assert (title in second, caption in second) == (True, False)


def test_files_that_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another suffix; what typst cannot draw; PDF and PNG without the extra, which SVG does not need."""
    sheet = svg.sheet([PAWNS])
    with pytest.raises(TablebaseError, match=r"invalid file name .*a\.jpg for a sheet: choose a name that ends in \.pdf or"):
        sheet.write(tmp_path / "a.jpg")
    with pytest.raises(TablebaseError, match=r"a picture of the sheet cannot be drawn .*: save the sheet as SVG"):
        printed(svg.Sheet([svg.Svg("<svg")], PAGES["a4"], ""), "pdf")
    monkeypatch.setattr("tablebase.errors.find_spec", lambda _: None)
    for name in ("a.pdf", "a.png"):
        with pytest.raises(MissingExtraError, match=r"sheets as PDF or PNG need typst: .*\[print\]"):
            sheet.write(tmp_path / name)
    sheet.write(tmp_path / "a.svg")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.svg"]
