"""Chromium, and a server for it in a thread of this process."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from support.web import in_thread
from tablebase.web.app import create_app
from tablebase.web.settings import Settings

AXE = Path(__file__).parents[1] / "web/pages/node_modules/axe-core/axe.min.js"
WAIT = 30_000
"""Milliseconds that a page may take, on a machine that is busy with other tests."""
expect.set_options(timeout=WAIT)


@contextmanager
def served(folder: Path, **settings: Any) -> Iterator[str]:
    """A server of the tables of a folder; gives its address."""
    app = create_app(Settings(folder, **settings))
    with in_thread(uvicorn.Config(app, log_level="warning", ws="none", timeout_graceful_shutdown=1)) as address:
        yield address


@contextmanager
def chromium() -> Iterator[Browser]:
    """Debian's Chromium; without it the test is skipped, but not where all checks must run."""
    program = shutil.which("chromium")
    if program is None:
        assert not os.environ.get("CI"), "Chromium must be installed here"
        pytest.skip("Chromium is not installed")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


class Visit:
    """A page of a browser, which must neither ask another machine than the server nor report an error."""

    def __init__(self, context: BrowserContext, base: str) -> None:
        self.context, self.base = context, base
        self.faults: list[str] = []
        context.on("request", self._note)
        self.page: Page = context.new_page()
        self.page.set_default_timeout(WAIT)
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("console", lambda said: self._hear(said.type, said.text))

    def go(self, address: str) -> Page:
        """Open an address of the server, and wait until all of it is there."""
        self.page.goto(self.base + address, wait_until="load")
        return self.page

    def _note(self, request: Any) -> None:
        if not request.url.startswith((self.base, "data:", "blob:")):
            self.faults.append(f"a request to {request.url}")

    def _hear(self, kind: str, text: str) -> None:
        # Statuses are answers; what a policy forbids, and faults of scripts, are not.
        if kind == "error" and "the server responded with a status of" not in text:
            self.faults.append(text)

    def findings(self) -> list[str]:
        """Serious and critical findings of axe-core on the page as it is."""
        if not AXE.is_file():
            assert not os.environ.get("CI"), "axe-core must be installed here"
            pytest.skip("axe-core is not installed: run npm install --prefix tests/web/pages")
        # In a world of its own, since the page's policy allows no scripts of others.
        session = self.context.new_cdp_session(self.page)
        frame = session.send("Page.getFrameTree")["frameTree"]["frame"]["id"]
        world = session.send("Page.createIsolatedWorld", {"frameId": frame, "worldName": "axe"})["executionContextId"]
        script = AXE.read_text(encoding="utf-8")
        session.send("Runtime.evaluate", {"expression": script, "contextId": world})
        answer = session.send(
            "Runtime.evaluate",
            {
                "expression": "axe.run().then(found => found.violations)",
                "contextId": world,
                "awaitPromise": True,
                "returnByValue": True,
            },
        )
        session.detach()
        return [
            f"{one['id']} ({one['impact']}): {one['nodes'][0]['html'][:200]}"
            for one in answer["result"]["value"]
            if one["impact"] in ("serious", "critical")
        ]
