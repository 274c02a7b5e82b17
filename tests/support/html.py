"""Pages as trees of elements, for tests."""

from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any
from xml.etree.ElementTree import Element, TreeBuilder

VOID = {"meta", "link", "img", "source", "input", "br", "hr"}


class _Reader(HTMLParser):
    """Refuses elements that are closed in another order than they were opened."""

    def __init__(self) -> None:
        super().__init__()
        self.tree, self.open = TreeBuilder(), list[str]()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len(dict(attrs)) == len(attrs), f"<{tag}> has an attribute twice"
        self.tree.start(tag, {name: value or "" for name, value in attrs})
        if tag in VOID:
            self.tree.end(tag)
        else:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, f"</{tag}> closes another element"
        self.tree.end(tag)

    def handle_data(self, data: str) -> None:
        if self.open:
            self.tree.data(data)


def parsed(text: str) -> Element:
    reader = _Reader()
    reader.feed(text)
    reader.close()
    assert not reader.open
    return reader.tree.close()


def said(element: Element) -> str:
    return " ".join("".join(element.itertext()).split())


def classed(root: Element, name: str) -> Iterator[Element]:
    return (one for one in root.iter() if name in one.get("class", "").split())


def identified(root: Element, name: str) -> Element:
    [found] = [one for one in root.iter() if one.get("id") == name]
    return found


def rows_of(table: Element) -> list[list[str]]:
    return [[said(cell) for cell in row] for row in table.findall("./tbody/tr")]


def addresses(root: Element) -> set[str]:
    found = {one.get(name) for one in root.iter() for name in ("href", "src", "srcset", "action", "data-address", "data-pictures")}
    return {address for address in found if address}


def shown(client: Any, address: str, status: int = 200) -> Element:
    answer = client.get(address, follow_redirects=False)
    assert answer.status_code == status, (address, answer.status_code, answer.headers.get("location"))
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    return parsed(answer.text)
