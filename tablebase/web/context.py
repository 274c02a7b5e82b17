"""What every request finds: the open tablebase, and what the server was started with."""

from __future__ import annotations

from typing import cast

from fastapi import Request

from tablebase.api.tablebase import Tablebase
from tablebase.web.settings import Settings


def tables_of(request: Request) -> Tablebase:
    """The tablebase that the server has open; safe to use from several threads."""
    return cast(Tablebase, request.app.state.tables)


def settings_of(request: Request) -> Settings:
    """What the server was started with."""
    return cast(Settings, request.app.state.settings)
