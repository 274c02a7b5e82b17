"""Pages in a browser, and what is wrong with them."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

AXE = Path(__file__).parents[1] / "web/pages/node_modules/axe-core/axe.min.js"
WAIT = 30_000
"""Milliseconds that a page may take, on a machine that is busy with other tests."""
expect.set_options(timeout=WAIT)


class Visit:
    """A page of a browser, which must neither ask another machine than the server nor report an error."""

    def __init__(self, context: BrowserContext, base: str) -> None:
        self.context, self.base = context, base
        self.errors: list[str] = []
        context.on("request", self._note)
        self.page: Page = context.new_page()
        self.page.set_default_timeout(WAIT)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", lambda said: self._hear(said.type, said.text))

    def go(self, address: str) -> Page:
        """Open an address of the server, and wait until all of it is there."""
        self.page.goto(self.base + address, wait_until="load")
        return self.page

    def _note(self, request: Any) -> None:
        if not request.url.startswith((self.base, "data:", "blob:")):
            self.errors.append(f"a request to {request.url}")

    def _hear(self, kind: str, text: str) -> None:
        # Statuses are answers; what a policy forbids, and faults of scripts, are not.
        if kind == "error" and "the server responded with a status of" not in text:
            self.errors.append(text)

    def findings(self, *rules: str) -> list[str]:
        """Serious and critical findings of axe-core on the page as it is, by all rules that are on or by these alone."""
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
                "expression": f"axe.run({json.dumps({'runOnly': rules} if rules else {})}).then(found => found.violations)",
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
