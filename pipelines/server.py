"""Starting the dashboard: a process of its own on the loopback address, watched until it answers."""

from __future__ import annotations

import http.client
import importlib.util
import os
import socket
import subprocess
import sys
import time
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from engine.game import InvalidError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ADDRESS: Final = "127.0.0.1"
PORT: Final = 8501
TRIED: Final = 50
"""Ports that are tried when none was named."""
PATIENCE: Final = 60.0
"""Seconds until the page has to answer."""


def serve(data: Path, port: int | None, ready: Callable[[str], None]) -> int:
    """Run the dashboard until it ends; `ready(address)` is called once it answers. Return its exit code.

    Raises InvalidError if the port is taken, or if the dashboard is not there or does not start.
    """
    chosen = free_port(port)
    command = [
        sys.executable,
        "-m",
        "streamlit",
        "run",
        str(app()),
        *flags(settings()),
        "--server.port",
        str(chosen),
    ]
    with subprocess.Popen(command, env={**os.environ, "REROLL_DATA": str(data)}) as process:  # noqa: S603 - our own list
        try:
            _wait_until_it_answers(process, chosen)
            ready(f"http://{ADDRESS}:{chosen}")
            return process.wait()
        except KeyboardInterrupt:
            return 0  # Ctrl-C is how a dashboard is ended
        finally:
            process.terminate()


def free_port(port: int | None) -> int:
    """Return the port that was named, or the first free one; raise InvalidError if it is taken."""
    for tried in range(PORT, PORT + TRIED) if port is None else [port]:
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((ADDRESS, tried))
            except OSError:
                continue
            return tried
    if port is None:
        raise InvalidError(f"no port from {PORT} to {PORT + TRIED - 1} is free; name one with --port")
    raise InvalidError(f"port {port} is taken; choose another one, or leave --port out to get a free one")


def app() -> Path:
    """Return the dashboard's script, found without importing it."""
    found = importlib.util.find_spec("dashboard")
    for folder in (found.submodule_search_locations or []) if found else []:
        if (Path(folder) / "app.py").is_file():
            return Path(folder) / "app.py"
    raise InvalidError("the dashboard is not installed with this Reroll")


def settings() -> dict[str, Any]:
    """Return the settings of the dashboard: from the checkout, or from the installed package."""
    folder = app().parent
    for path in (folder.parent / ".streamlit" / "config.toml", folder / ".streamlit" / "config.toml"):
        if path.is_file():
            return tomllib.loads(path.read_text(encoding="utf-8"))
    return {"server": {"address": ADDRESS, "headless": True}, "browser": {"gatherUsageStats": False}}


def flags(settings: dict[str, Any]) -> list[str]:
    """Write settings as flags, so that they hold wherever the command is started.

    >>> flags({"server": {"headless": True, "port": 1}})
    ['--server.headless=true', '--server.port=1']
    """
    return [f"--{key}={value}" for key, value in _flat(settings, "")]


def _flat(settings: dict[str, Any], prefix: str) -> Iterator[tuple[str, str]]:
    for key, value in settings.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{key}.")
        elif isinstance(value, list):
            yield from ((prefix + key, str(item)) for item in value)
        else:
            yield prefix + key, str(value).lower() if isinstance(value, bool) else str(value)


def _wait_until_it_answers(process: subprocess.Popen[bytes], port: int) -> None:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if process.poll() is not None:
            raise InvalidError(f"the dashboard did not start (exit code {process.returncode})")
        if _answers(port):
            return
        time.sleep(0.1)
    raise InvalidError(f"the dashboard did not answer within {PATIENCE:g} seconds")


def _answers(port: int) -> bool:
    connection = http.client.HTTPConnection(ADDRESS, port, timeout=2)
    try:
        connection.request("GET", "/_stcore/health")
        return connection.getresponse().status == http.client.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
