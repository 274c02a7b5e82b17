"""The server behind nginx, set up as docs/serve.md shows."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.processes import wait_for
from support.web import ask_raw, get_raw, served

pytestmark = pytest.mark.release
PAGE = Path(__file__).parents[2] / "docs" / "serve.md"
PROBE = "/api/v1/probe?game=doushouqi&position=7/7/7/7/3c3/7/7/R6/7%20w"


@pytest.fixture(scope="module")
def address(two_pieces: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of nginx: the page's settings, but for its certificate and the places of both sockets."""
    program = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin")
    if program is None:
        assert not os.environ.get("CI"), "nginx must be installed here"
        pytest.skip("nginx is not installed")
    folder = tmp_path_factory.mktemp("nginx")
    (shown,) = re.findall(r"^```nginx\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    for place, other in {"unix:/run/tablebase/socket": f"unix:{folder}/socket", "443 ssl": f"unix:{folder}/front"}.items():
        assert place in shown
        shown = shown.replace(place, other)
    settings = folder / "nginx.conf"
    temporary = "\n".join(f"{name}_temp_path {folder}/{name};" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    user = "user root;" if os.geteuid() == 0 else ""
    settings.write_text(
        f"{user} pid {folder}/pid; error_log {folder}/errors; events {{}} http {{ access_log off; {temporary}\n{shown} }}\n",
        encoding="utf-8",
    )
    with served("--data", two_pieces, "--unix-socket", folder / "socket", "--workers", "2"):
        nginx = subprocess.Popen([program, "-p", str(folder), "-c", str(settings), "-g", "daemon off;"])
        try:
            wait_for((folder / "front").exists)
            yield f"unix:{folder}/front"
        finally:
            nginx.terminate()
            nginx.wait()


def test_answers_pass_through(address: str) -> None:
    """Many in turn, over connections to the server that stay open."""
    for _ in range(50):
        assert get_raw(address, PROBE)[0]["distance"] == 8


def test_a_large_body_is_refused_by_the_proxy(address: str) -> None:
    head = "POST /api/v1/probe HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 1048577\r\n\r\n"
    status, headers, _ = ask_raw(address, head.encode())
    assert (status, headers["server"].partition("/")[0]) == (413, "nginx")


def test_numbers_for_prometheus_stay_inside(address: str) -> None:
    assert ask_raw(address, b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")[0] == 403
