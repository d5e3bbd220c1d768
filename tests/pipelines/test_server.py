"""Starting the dashboard: on this machine only, on a port that is free."""

from __future__ import annotations

import http.client
import os
import signal
import socket
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from engine.game import InvalidError
from pipelines import server

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


@pytest.fixture
def taken() -> Iterator[int]:
    """A port that somebody listens on."""
    with socket.create_server((server.ADDRESS, 0)) as listening:
        yield listening.getsockname()[1]


def test_a_port_that_is_taken_is_told(taken: int) -> None:
    with pytest.raises(InvalidError, match=f"port {taken} is taken"):
        server.free_port(taken)


def test_the_next_free_port_is_taken_when_none_was_named(taken: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "PORT", taken)
    assert server.free_port(None) > taken


def test_the_dashboard_starts_where_its_settings_are() -> None:
    assert (server.home() / ".streamlit" / "config.toml").is_file()
    assert {
        "--server.address=127.0.0.1",
        "--server.enableXsrfProtection=true",
        "--server.enableCORS=true",
    } <= set(server.SAFE)


def _press_ctrl_c(process: subprocess.Popen[str]) -> None:
    os.killpg(process.pid, signal.SIGINT)


@pytest.mark.slow
@pytest.mark.parametrize("ends", [_press_ctrl_c, subprocess.Popen.terminate])
def test_the_dashboard_answers_and_ends_with_ctrl_c_or_when_it_is_told_to(
    tmp_path: Path, ends: Callable[[subprocess.Popen[str]], None]
) -> None:
    port = server.free_port(None)
    command = [sys.executable, "-m", "pipelines", "dashboard", "--no-browser", "--port", str(port)]
    with subprocess.Popen(  # noqa: S603 - our own command
        [*command, "--data", str(tmp_path)],
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
        cwd=tmp_path,
    ) as process:
        lines = iter(process.stdout or [])
        said = next(line for line in lines if line.startswith("The dashboard"))
        assert said == f"The dashboard is at http://127.0.0.1:{port} (Ctrl-C ends it)\n"
        connection = http.client.HTTPConnection(server.ADDRESS, port, timeout=10)
        connection.request("GET", "/")
        assert connection.getresponse().status == http.client.OK
        connection.close()
        ends(process)
        assert process.wait(timeout=30) == 0
        assert server.free_port(port) == port  # the server has ended too
