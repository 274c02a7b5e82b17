"""What Prometheus is told: how many requests there were, how they ended, and how long they took."""

from __future__ import annotations

import os
from functools import cache

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.multiprocess import MultiProcessCollector

SHARED = "PROMETHEUS_MULTIPROC_DIR"
"""Names the folder in which several processes keep their numbers; it must be set before the client library is loaded."""
SECONDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""Upper bounds of durations that are counted together."""


class Metrics:
    """The numbers of one application, in a registry of their own."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        labels = ("method", "route", "status")
        self._requests = Counter("tablebase_requests", "Requests answered.", labels, registry=self.registry)
        self._seconds = Histogram(
            "tablebase_request_seconds", "Seconds to answer a request.", ("route",), registry=self.registry, buckets=SECONDS
        )
        # Looking up a child by its labels takes longer than counting.
        self._count = cache(lambda *values: self._requests.labels(*values))
        self._time = cache(lambda route: self._seconds.labels(route))

    def note(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request.

        Parameters
        ----------
        method : str
        route : str
            The template of its address, of which there are few.
        status : int
        seconds : float
        """
        self._count(method, route, str(status)).inc()
        self._time(route).observe(seconds)

    def shown(self) -> tuple[bytes, str]:
        """The numbers as text, those of all processes if they share a folder, and the text's media type."""
        registry = self.registry
        if os.environ.get(SHARED):
            registry = CollectorRegistry()
            MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        return generate_latest(registry), CONTENT_TYPE_LATEST
