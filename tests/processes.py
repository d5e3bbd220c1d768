"""Fixtures for tests that need a process of their own. A test that asks for one of them is marked `process`."""

from __future__ import annotations

import socket
import subprocess
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

RunProcess = Callable[..., subprocess.CompletedProcess[str]]
StartProcess = Callable[..., subprocess.Popen[Any]]


def free_port() -> int:
    """Return a free port of this machine. Dashboards that start at one moment would all choose the first one from 8501 on."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


@pytest.fixture(scope="session")
def run_process() -> RunProcess:
    """Return a function that runs a program to its end, as `subprocess.run` does, and returns what it wrote as text."""

    def run_to_end(
        command: Sequence[str],
        *,
        check: bool = False,
        **options: Any,  # noqa: ANN401 - those of subprocess.run
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(command, check=check, capture_output=True, text=True, **options)  # noqa: S603

    return run_to_end


@pytest.fixture(scope="session")
def start_process() -> Iterator[StartProcess]:
    """Return a function that starts a program, as `subprocess.Popen` does. What still runs at the end is killed."""
    processes: list[subprocess.Popen[str]] = []

    def start_in_background(
        command: Sequence[str],
        **options: Any,  # noqa: ANN401 - those of subprocess.Popen
    ) -> subprocess.Popen[str]:
        processes.append(subprocess.Popen(command, text=True, **options))  # noqa: S603
        return processes[-1]

    yield start_in_background
    for process in processes:
        process.kill()  # does nothing if it has ended
