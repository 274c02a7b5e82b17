"""Notices when kernels are compiled, which takes long enough for people to wonder."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

from tablebase.system.compute import jit
from tablebase.system.compute.numba_internals import event

KERNELS = jit.KERNELS
"""The version of the kernels, for modules that hold none: by importing `jit`, they would become a source of the kernels."""


class _Listener(event.Listener):
    def __init__(self, action: Callable[[bool], object]) -> None:
        self._action = action
        self._depth = 0

    def on_start(self, event: event.Event) -> None:  # noqa: ARG002 (one kernel is as good as another)
        self._depth += 1
        if self._depth == 1:
            self._action(True)

    def on_end(self, event: event.Event) -> None:  # noqa: ARG002
        self._depth -= 1
        if self._depth == 0:
            self._action(False)


def when_compiling(action: Callable[[bool], object]) -> AbstractContextManager[object]:
    """In the block, call ``action(True)`` when kernels begin to be compiled, and ``action(False)`` when that ends."""
    listening: AbstractContextManager[object] = event.install_listener("numba:compile", _Listener(action))
    return listening


def is_compiled(name: str) -> bool:
    """Return whether kernels of this name have been compiled, and are kept."""
    return jit.CACHE.load(f"{name}.compiled") is not None


def note_compiled(name: str) -> None:
    """Remember that they have."""
    jit.CACHE.save(f"{name}.compiled", b"")
