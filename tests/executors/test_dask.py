"""The executor on a cluster, where there is none: addresses without a scheduler, no Dask, and workers that do not answer."""

from __future__ import annotations

import pytest

from tablebase.errors import ClusterError, MissingExtraError
from tablebase.executors.dask import DaskExecutor, no_offer


@pytest.mark.parametrize(
    ("address", "fault"),
    [
        ("nowhere", "'nowhere' is not the address of a scheduler"),
        ("tcp://127.0.0.1", "'tcp://127.0.0.1' is not the address of a scheduler"),
        ("tls://127.0.0.1:1", r"'tls://127.0.0.1:1' is not the address of a scheduler \(Dask has not been configured for TLS"),
        ("tcp://127.0.0.1:1", "there is no scheduler of Dask at tcp://127.0.0.1:1"),
    ],
)
def test_an_address_without_a_scheduler(address: str, fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A sentence that says how to start one."""
    monkeypatch.setattr("tablebase.executors.dask.CONNECT", 0.5)
    with pytest.raises(ClusterError, match=f"^{fault}.*: start it with 'dask scheduler'") as refused:
        DaskExecutor(scheduler=address)
    assert refused.value.address == address


def test_without_dask(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sentence says what to install."""
    monkeypatch.setattr("tablebase.errors.find_spec", lambda _: None)
    with pytest.raises(MissingExtraError, match=r"^clusters need distributed: .*\[cluster\]'$"):
        DaskExecutor()


def test_a_worker_that_does_not_answer() -> None:
    """Another program is not what it needs."""
    assert no_offer(OSError("timed out")).what == "does not answer (timed out)"
    assert no_offer(ImportError("no such thing")).what == "cannot load this program (ImportError: no such thing)"
