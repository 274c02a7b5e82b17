"""Progress of long work on standard error: a bar on a terminal, elsewhere a plain line a minute."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib import import_module
from io import StringIO
from logging import INFO
from threading import Event, RLock, Thread
from typing import Any

from tqdm import tqdm

from tablebase.system.compute.messages import Stage, logger, say

INTERVAL = 60.0
"""Seconds between two plain lines."""
PLAIN = "{desc}: {percentage:.0f}% ({n_fmt} of {total_fmt} {unit}), {elapsed} passed, {remaining} left"
PLAIN_WITHOUT_TOTAL = "{desc}: {n_fmt} {unit}, {elapsed} passed"
COMPILING = "compiling, which takes up to a minute or two the first time"
# By default bars of several processes share a lock, of which Python complains in child processes that are killed.
tqdm.set_lock(RLock())


class _NotebookLine:
    """The file of a bar in a notebook: one output that each line replaces, so that a saved notebook has one line."""

    def __init__(self) -> None:
        self._output: Any = None

    def write(self, text: str) -> None:
        """Show a line; blanks, which clear one on a terminal, change nothing."""
        if (line := text.strip()) and self._output is None:
            self._output = import_module("IPython.display").display({"text/plain": line}, raw=True, display_id=True)
        elif line:
            self._output.update({"text/plain": line}, raw=True)

    def flush(self) -> None:
        """Nothing: a line is shown when it is written."""


class Progress:
    """Progress of the work."""

    def __init__(self, title: str, unit: str, total: int | None = None, done: int = 0, *, verbose: bool = False) -> None:
        """Count units up to a total that `reach` may set later, some of them done before; only if `verbose`, `note` writes."""
        self._title, self._verbose = title, verbose
        self._in_notebook = _in_notebook()
        self.is_bar = (sys.stderr.isatty() or self._in_notebook) and logger.isEnabledFor(INFO)
        self._bar = tqdm(
            total=total,
            initial=done,
            desc=title,
            unit=unit,
            unit_scale=True,
            leave=False,
            file=StringIO() if not self.is_bar else _NotebookLine() if self._in_notebook else sys.stderr,
            dynamic_ncols=True,
        )
        self._stages: dict[str, Stage] = {}
        self._ended = Event()
        self._compiling = False

    def update(self, count: int = 1) -> None:
        """Count more as done."""
        self._bar.update(count)

    def reach(self, done: int, total: int | None = None) -> None:
        """Set how much has been done since the start, and the total if that is known only now."""
        if total is not None:
            self._bar.total = total
        self.update(done - self._bar.n)

    def name(self, title: str) -> None:
        """Call what is being done now by another name."""
        self._title = title
        self._bar.set_description_str(title)

    def at(self, name: str, stage: Stage) -> None:
        """Show which stage some part of the work has reached."""
        self._stages[name] = stage
        self._show_stages()

    def leave(self, name: str) -> None:
        """Show a part of the work no more."""
        self._stages.pop(name, None)
        self._show_stages()

    def _show_stages(self) -> None:
        # A copy, since the thread of plain lines reads it, too.
        self._bar.set_postfix_str(", ".join(f"{name} {_text(stage)}" for name, stage in list(self._stages.items())))

    def note(self, sentence: str) -> None:
        """Write a line about one step, if these are wanted."""
        if self._verbose:
            self.write(sentence)

    def write(self, sentence: str, level: int = INFO) -> None:
        """Write a line above the bar, by default a status message."""
        # Takes the bar away while the line is written.
        with self._bar.external_write_mode(file=sys.stderr):
            logger.log(level, "%s", sentence)

    def show_compiling(self, compiling: bool) -> None:
        """Say that kernels are being compiled: beside the bar as long as it takes, and in a plain line once."""
        if self.is_bar:
            self._bar.set_description_str(f"{self._title} ({COMPILING})" if compiling else self._title)
        elif compiling and not self._compiling:
            say(f"{self._title}: {COMPILING}")
        self._compiling = self._compiling or compiling

    def write_lines(self) -> None:
        """Write a plain line each minute, until the end; runs in a thread."""
        while not self._ended.wait(INTERVAL):
            self._bar.bar_format = PLAIN if self._bar.total else PLAIN_WITHOUT_TOTAL
            at_work = f"; at work: {self._bar.postfix}" if self._bar.postfix else ""
            say(f"{self._bar}{at_work}")

    def close(self) -> None:
        """Leave nothing of the bar behind, in a notebook its last line."""
        self._ended.set()
        if self.is_bar and self._in_notebook and not self._bar.disable:
            self._bar.refresh()
        self._bar.close()


def _in_notebook() -> bool:
    """Return whether standard error is shown by a notebook, which can redraw a line."""
    return type(sys.stderr).__module__.startswith("ipykernel.")


def _text(stage: Stage) -> str:
    if stage.total:
        return f"{stage.name} {stage.done / stage.total:.0%}"
    return f"{stage.name} {stage.done}" if stage.done else stage.name


@contextmanager
def progress(
    title: str, unit: str, total: int | None = None, done: int = 0, *, verbose: bool = False, compiles: bool = False
) -> Iterator[Progress]:
    """Show a `Progress` in the block; parameters are its own, and whether kernels may have to be compiled."""
    with ExitStack() as stack:
        shown = Progress(title, unit, total, done, verbose=verbose)
        stack.callback(shown.close)
        if not shown.is_bar:
            thread = Thread(target=shown.write_lines, daemon=True)
            thread.start()
            # Closed first, so that no line comes after the end.
            stack.callback(thread.join)
            stack.callback(shown.close)
        if compiles:
            from tablebase.system.compute.compiling import when_compiling

            stack.enter_context(when_compiling(shown.show_compiling))
        yield shown


@contextmanager
def compiling_said(title: str) -> Iterator[None]:
    """Say once in a plain line if kernels are compiled in the block, for work that writes what it finds as it goes."""
    from tablebase.system.compute.compiling import when_compiling

    said = False

    def show(compiling: bool) -> None:
        nonlocal said
        if compiling and not said:
            say(f"{title}: {COMPILING}")
            said = True

    with when_compiling(show):
        yield
