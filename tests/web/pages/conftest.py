"""Fixtures of the tests of pages."""

from __future__ import annotations

from support.pages import client, two_games

__all__ = ["client", "two_games"]
