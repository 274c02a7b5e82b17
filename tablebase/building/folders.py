"""The folder that a command changes: locked, and without anything that interrupted work has left."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path

from tablebase.system.files.outputs import DRAFT_SUFFIX, locked
from tablebase.tables.checkpoints import discard_finished


def lock(folder: Path) -> AbstractContextManager[None]:
    """Lock the folder, so that nothing else changes its tables; the lock ends with this process at the latest."""
    return locked(folder / ".lock", f"another build is running in {folder}: wait for it, or name another folder")


def remove_drafts(folder: Path) -> None:
    """Delete what this build or an interrupted one leaves behind, except the checkpoints of tables that are still missing."""
    discard_finished(folder)
    for draft in folder.glob(f"*/.*{DRAFT_SUFFIX}"):
        draft.unlink(missing_ok=True)
