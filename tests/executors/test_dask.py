"""The executor on a cluster passes the public suite."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tablebase.executors.dask import DaskExecutor
from tablebase.executors.executor import Executor, Limits
from tablebase.testing import ExecutorTests


class TestDaskExecutor(ExecutorTests):
    """Workers of Dask."""

    def executor(self, limits: Limits) -> Executor:
        """Started for each run."""
        return DaskExecutor(limits)
