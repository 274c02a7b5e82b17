"""JSON for programs."""

from __future__ import annotations

from fastapi import APIRouter

from tablebase.web.api import games, probe, stats

router = APIRouter()
for module in (games, probe, stats):
    router.include_router(module.router)
