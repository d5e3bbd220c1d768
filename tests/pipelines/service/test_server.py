"""The server of the dashboard listens on this machine only, on a free port, and ends with all its processes.

The open files of the dashboard: the limit is raised, what sessions left is closed, and a lack of files is said once.
"""

from __future__ import annotations

import asyncio
import errno
import gc
import http.client
import logging
import os
import resource
import signal
import socket
import subprocess
import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from engine.errors import InvalidError
from pipelines.cli import app
from pipelines.service import server
from pipelines.service.server import (
    EXHAUSTED_SECONDS,
    OpenFileWatch,
    count_open_files,
    is_without_file_error,
    raise_open_file_limit,
)
from tests.processes import free_port
from tests.waiting import wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.processes import StartProcess


@pytest.fixture
def taken_port() -> Iterator[int]:
    """A port on which another server listens."""
    with socket.create_server((server.LOOPBACK_ADDRESS, 0)) as listening:
        yield listening.getsockname()[1]


def test_a_taken_port_is_refused(taken_port: int) -> None:
    with pytest.raises(InvalidError, match=f"port {taken_port} is taken"):
        server.find_free_port(taken_port)


def test_the_next_free_port_is_taken_when_none_was_named(
    taken_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "DEFAULT_PORT", taken_port)
    assert server.find_free_port(None) > taken_port


def test_a_dashboard_without_its_packages_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "plotly", None)  # as if it were not installed
    with pytest.raises(InvalidError, match=r"needs plotly; .* pip install -e '\.\[dashboard\]'"):
        server.check_dashboard_packages()
    for command in (["dashboard", "--no-browser"], ["demo", "--no-browser"]):
        done = CliRunner().invoke(app, command)
        assert done.exit_code == 2
        assert done.stderr.count("\n") == 1
        assert "in a clone of Reroll, pip install -e '.[dashboard]'" in done.stderr


@pytest.mark.parametrize("origin", ["https://example.org", "http://127.0.0.1:9000", "http://[::1]:9000"])
def test_an_origin_may_frame_the_pages(origin: str) -> None:
    assert server.check_origin(origin) == origin


@pytest.mark.parametrize(
    "text",
    [
        "",
        "*",
        "example.org",
        "https://*.example.org",
        "https://a.example/page",
        "https://a; script-src *",
        "data:x",
    ],
)
def test_what_is_no_origin_may_not_frame_the_pages(text: str, tmp_path: Path) -> None:
    words = ["dashboard", "--no-browser", "--data", str(tmp_path), "--embed-in", text]
    done = CliRunner().invoke(app, words)
    assert (done.exit_code, done.stdout) == (2, "")
    assert "expected the origin of a site, such as https://example.org" in done.stderr


def test_the_dashboard_starts_where_its_settings_are() -> None:
    assert (server.find_dashboard_folder() / ".streamlit" / "config.toml").is_file()
    assert {
        "--server.address=127.0.0.1",
        "--server.enableXsrfProtection=true",
        "--server.enableCORS=true",
        "--server.allowedHosts=127.0.0.1",
        "--server.allowedHosts=localhost",
    } <= set(server.SECURITY_OPTIONS)


@pytest.mark.parametrize(
    ("to_all", "how", "code"),
    [
        pytest.param(True, signal.SIGINT, 0, id="Ctrl-C"),
        pytest.param(False, signal.SIGTERM, 128 + signal.SIGTERM, id="SIGTERM"),
    ],
)
def test_the_dashboard_answers_and_ends_with_all_that_it_started(
    start_process: StartProcess, tmp_path: Path, *, to_all: bool, how: signal.Signals, code: int
) -> None:
    port = free_port()
    command = [sys.executable, "-m", "pipelines", "dashboard", "--no-browser", "--port", str(port)]
    with start_process(
        [*command, "--data", str(tmp_path)],
        stdout=subprocess.PIPE,
        start_new_session=True,
        cwd=tmp_path,
    ) as process:
        assert process.stdout
        lines = iter(process.stdout)
        message = next(line for line in lines if line.startswith("The dashboard"))
        assert message == f"The dashboard is at http://127.0.0.1:{port} (press Ctrl-C to stop it)\n"
        connection = http.client.HTTPConnection(server.LOOPBACK_ADDRESS, port, timeout=10)
        connection.request("GET", "/")
        assert connection.getresponse().status == http.client.OK
        connection.close()
        if to_all:
            os.killpg(process.pid, how)
        else:
            process.send_signal(how)
        assert process.wait(timeout=30) == code
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)  # no process of the group is left


def test_a_dashboard_that_ignores_sigterm_is_killed(
    start_process: StartProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "STOP_TIMEOUT_SECONDS", 0.1)
    stubborn = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(flush=True); time.sleep(60)"
    with start_process([sys.executable, "-c", stubborn], stdout=subprocess.PIPE) as process:
        assert process.stdout
        process.stdout.readline()
        server._stop_process(process)
        assert process.wait(timeout=30) == -signal.SIGKILL


class LeftSession:
    """What Streamlit leaves of a session: an event loop that closes when the session is collected."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.circle = self

    def __del__(self) -> None:
        self.loop.close()


def open_files() -> int:
    count = count_open_files()
    assert count is not None
    return count


@pytest.fixture
def no_collection() -> Iterator[None]:
    """Let Python collect no garbage by itself."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def test_the_limit_of_open_files_is_raised_as_far_as_the_system_allows() -> None:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (200, before[1]))
    try:
        limit = raise_open_file_limit()
        assert 200 < limit == resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        assert limit == raise_open_file_limit()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


@pytest.mark.usefixtures("no_collection")
def test_the_files_of_sessions_that_left_are_closed() -> None:
    loops = [LeftSession().loop for _ in range(40)]
    assert not any(loop.is_closed() for loop in loops)
    limit = 8 * (len(loops) - 1)  # garbage is collected from an eighth of the limit on

    def are_closed_by_a_watch() -> bool:
        # Python collects nothing while another thread collects: a new watch tries again.
        assert not OpenFileWatch(limit).check(0.0)
        return all(loop.is_closed() for loop in loops)

    wait_until(are_closed_by_a_watch)


@pytest.mark.slow
def test_a_lack_of_files_ends_the_dashboard_unless_it_passes() -> None:
    gc.collect()
    # Threads of other tests may open or close a few files meanwhile.
    watch = OpenFileWatch(open_files() + 40)
    assert not watch.check(0.0)
    with ExitStack() as held:
        for _ in range(24):
            held.callback(os.close, os.open(os.devnull, os.O_RDONLY))
        with ExitStack() as more:
            for _ in range(16):
                more.callback(os.close, os.open(os.devnull, os.O_RDONLY))
            assert not watch.check(10.0)
        assert not watch.check(10.0 + EXHAUSTED_SECONDS)
        for _ in range(16):
            held.callback(os.close, os.open(os.devnull, os.O_RDONLY))
        assert not watch.check(100.0)
        assert not watch.check(99.0 + EXHAUSTED_SECONDS)
        assert watch.check(100.0 + EXHAUSTED_SECONDS)


@pytest.mark.parametrize(
    ("error", "logged"),
    [
        (OSError(errno.EMFILE, "Too many open files"), []),
        (OSError(errno.ECONNRESET, "Connection reset"), ["said"]),
        (None, ["said"]),
    ],
)
def test_the_log_is_not_filled_with_connections_that_find_no_file(
    error: OSError | None, logged: list[str]
) -> None:
    record = logging.LogRecord(
        "asyncio", logging.ERROR, "", 0, "said", (), (OSError, error, None) if error else None
    )
    assert [line.msg for line in [record] if is_without_file_error(line)] == logged
