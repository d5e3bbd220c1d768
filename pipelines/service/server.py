"""Starting the dashboard: a process of its own on the loopback address, watched until it answers."""

from __future__ import annotations

import http.client
import importlib.util
import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from engine.errors import InvalidError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LOOPBACK_ADDRESS: Final = "127.0.0.1"
DEFAULT_PORT: Final = 8501
PORTS_TRIED: Final = 50
"""Ports that are tried when none was named."""
ALLOWED_HOSTS: Final = (LOOPBACK_ADDRESS, "localhost")
"""What a browser may call this machine: a stranger's page whose name leads here (DNS rebinding) calls it otherwise."""
SECURITY_OPTIONS: Final = (
    f"--server.address={LOOPBACK_ADDRESS}",
    "--server.headless=true",
    "--server.enableXsrfProtection=true",
    "--server.enableCORS=true",  # which refuses pages of other sites
    *(
        f"--server.allowedHosts={host}" for host in ALLOWED_HOSTS
    ),  # and those that come under a name of their own
    "--server.enableAgentApi=false",
    "--browser.gatherUsageStats=false",
)
"""Said on the command line too, so that no settings file elsewhere can open the dashboard to a network."""
START_TIMEOUT_SECONDS: Final = 60.0
"""Seconds until the page has to answer."""
STOP_TIMEOUT_SECONDS: Final = 10.0
"""Seconds that it may take to end."""


def serve_dashboard(data: Path, port: int | None, ready: Callable[[str], None]) -> int:
    """Run the dashboard until it ends; `ready(address)` is called once it answers. Return its exit code.

    Ctrl-C ends it, and so does SIGTERM, which leaves with SystemExit. Raises InvalidError if the port is taken, or if
    the dashboard is not there or does not start.
    """
    with _exit_on_sigterm(), start_dashboard(data, port) as (process, address):
        try:
            ready(address)
            return process.wait()
        except KeyboardInterrupt:
            return 0  # Ctrl-C is how a dashboard is ended


@contextmanager
def _exit_on_sigterm() -> Iterator[None]:
    """Let SIGTERM leave this process the ordinary way, so that no process of its own outlives it."""

    def exit_process(number: int, _frame: object) -> None:
        signal.signal(number, signal.SIG_IGN)  # a second one must not disturb the first
        raise SystemExit(128 + number)

    before = signal.signal(signal.SIGTERM, exit_process)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def start_dashboard(
    data: Path, port: int | None, *, quiet: bool = False
) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """Have the dashboard running and answering as long as the context lasts: its process and its address.

    Raises what `serve_dashboard` raises.
    """
    chosen = find_free_port(port)
    command = [sys.executable, "-m", "dashboard", f"--server.port={chosen}", *SECURITY_OPTIONS]
    environment = {**os.environ, "REROLL_DATA": str(data.absolute())}
    output = subprocess.DEVNULL if quiet else None
    folder = find_dashboard_folder()
    with subprocess.Popen(command, cwd=folder, env=environment, stdout=output, stderr=output) as process:  # noqa: S603 - our own list
        try:
            _wait_until_answering(process, chosen)
            yield process, f"http://{LOOPBACK_ADDRESS}:{chosen}"
        finally:
            _stop_process(process)


def _stop_process(process: subprocess.Popen[bytes]) -> None:
    """Have a process end, be it that it does not want to."""
    process.terminate()
    try:
        process.wait(STOP_TIMEOUT_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()


def find_free_port(port: int | None) -> int:
    """Return the port that was named, or the first free one; raise InvalidError if it is taken."""
    for tried in range(DEFAULT_PORT, DEFAULT_PORT + PORTS_TRIED) if port is None else [port]:
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((LOOPBACK_ADDRESS, tried))
            except OSError:
                continue
            return tried
    if port is None:
        raise InvalidError(
            f"no port from {DEFAULT_PORT} to {DEFAULT_PORT + PORTS_TRIED - 1} is free; name one with --port"
        )
    raise InvalidError(f"port {port} is taken; choose another one, or leave --port out to get a free one")


def find_dashboard_script() -> Path:
    """Return the dashboard's script, found without importing it."""
    found = importlib.util.find_spec("dashboard")
    for folder in (found.submodule_search_locations or []) if found else []:
        if (Path(folder) / "app.py").is_file():
            return Path(folder) / "app.py"
    raise InvalidError("the dashboard is not installed with this Reroll")


def find_dashboard_folder() -> Path:
    """Return the folder to start in: Streamlit reads `.streamlit/config.toml` there, be it checkout or package."""
    folder = find_dashboard_script().parent
    return next((place for place in (folder.parent, folder) if (place / ".streamlit").is_dir()), folder)


def _wait_until_answering(process: subprocess.Popen[bytes], port: int) -> None:
    end = time.monotonic() + START_TIMEOUT_SECONDS
    while time.monotonic() < end:
        if process.poll() is not None:
            raise InvalidError(f"the dashboard did not start (exit code {process.returncode})")
        if _is_answering(port):
            return
        time.sleep(0.03)
    raise InvalidError(f"the dashboard did not answer within {START_TIMEOUT_SECONDS:g} seconds")


def _is_answering(port: int) -> bool:
    connection = http.client.HTTPConnection(LOOPBACK_ADDRESS, port, timeout=2)
    try:
        connection.request("GET", "/_stcore/health")
        return connection.getresponse().status == http.client.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
