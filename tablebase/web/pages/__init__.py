"""Pages for people, rendered by the server: addresses to copy, plain HTML, and a little JavaScript that can be missing."""

from __future__ import annotations

from tablebase.web.pages.rendering import problem_page, reason, static
from tablebase.web.pages.routes import router

__all__ = ["problem_page", "reason", "router", "static"]
