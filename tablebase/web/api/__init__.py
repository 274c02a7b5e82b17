"""JSON for programs."""

from __future__ import annotations

from fastapi import APIRouter

from tablebase.web.api import games, play, probe, stats, work

router = APIRouter()
for module in (games, probe, stats, play, work):
    router.include_router(module.router)
