"""A server whose catalog is in PostgreSQL answers like one whose catalog is a file, also after that database was away."""

import shutil
from pathlib import Path

import pytest
from support.html import parsed, said
from support.program import Ask
from support.servers import PASSWORD, Server
from support.tablebases import on_postgresql
from support.web import PROBLEM, ask_raw, assert_no_paths, served

pytestmark = pytest.mark.release
LOST = "7/7/7/7/3c3/7/7/R6/7%20w"
ANSWERS = (
    "/api/v1/stats?game=doushouqi",
    "/api/v1/stats?game=doushouqi&by=material",
    "/api/v1/materials?game=doushouqi",
    "/api/v1/material?game=doushouqi&material=RvC",
    "/api/v1/records?game=doushouqi&by=material",
    f"/api/v1/probe?game=doushouqi&position={LOST}",
)
PAGES = ("/", "/doushouqi/", "/doushouqi/material/RvC", "/doushouqi/records")


def asked(address: str, target: str) -> tuple[int, dict[str, str], str]:
    """Status, headers and text of an answer to GET, which names neither a path nor the password of the database."""
    status, headers, body = ask_raw(address, f"GET {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
    assert_no_paths(body.decode())
    assert PASSWORD not in body.decode()
    return status, headers, body.decode()


@on_postgresql
def test_a_catalog_in_postgresql(catalog_url: str, server: Server, two_pieces: Path, tmp_path: Path, ask: Ask) -> None:
    """Two workers; a table that is built meanwhile is shown; without the database answers from tables alone go on."""
    shutil.copytree(two_pieces / "doushouqi", tmp_path / "data" / "doushouqi")
    there = ("--data", tmp_path / "data", "--catalog", catalog_url)
    assert ask("reindex", *there).code == 0
    with served(*there, "--port", 0, "--workers", 2) as (_, address), served("--data", two_pieces, "--port", 0) as (_, other):
        for target in ANSWERS:
            assert asked(address, target)[::2] == (200, asked(other, target)[2])
        for target in PAGES:
            pages = [parsed(asked(one, target)[2]) for one in (address, other)]
            assert said(pages[0]) == said(pages[1])
        assert asked(address, "/api/v1/stats?game=hexapawn")[0] == 404
        assert ask("build", "hexapawn", *there).code == 0
        assert asked(address, "/api/v1/stats?game=hexapawn")[0] == 200
        server.kill()
        try:
            status, headers, text = asked(address, ANSWERS[0])
            assert (status, headers["content-type"]) == (503, PROBLEM)
            assert "the database of the catalog cannot be reached" in text
            assert asked(address, PAGES[0])[0] == 503
            assert asked(address, ANSWERS[-1])[0] == 200
        finally:
            server.start()
        assert [asked(address, target)[0] for target in ANSWERS] == [200] * len(ANSWERS)
