"""The dashboard as people start it, and what it takes."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from pipelines.service.server import find_free_port

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextlib.contextmanager
def serving(data: Path) -> Iterator[tuple[int, str]]:
    """Start the dashboard by the command that people use: its process and its address."""
    port = find_free_port(None)
    command = [
        sys.executable,
        "-m",
        "pipelines",
        "dashboard",
        "--no-browser",
        "--port",
        str(port),
        "--data",
        str(data),
    ]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, start_new_session=True) as process:  # noqa: S603 - our own command
        try:
            yield process.pid, f"http://127.0.0.1:{port}"
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGTERM)
            time.sleep(1)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


class Taken:
    """What a process and its children take, watched while they live."""

    def __init__(self, process: int) -> None:
        self._process = process
        self._seconds: dict[int, float] = {}
        self.peak = 0
        """The most bytes ever held in memory."""

    @property
    def seconds(self) -> float:
        """Processor time, of all that were ever seen."""
        return sum(self._seconds.values())

    async def watch(self) -> None:
        """Look twice a second, without end."""
        while True:
            self.look()
            await asyncio.sleep(0.5)

    def look(self) -> None:
        held = 0
        for one in self._family():
            with contextlib.suppress(OSError):
                fields = Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split()
                self._seconds[one] = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
                held += int(fields[21]) * os.sysconf("SC_PAGE_SIZE")
        self.peak = max(self.peak, held)

    def _family(self) -> set[int]:
        parents = {}
        for entry in Path("/proc").iterdir():
            if entry.name.isdecimal():
                with contextlib.suppress(OSError, IndexError, ValueError):
                    parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
        found = {self._process}
        for _ in range(4):
            found |= {child for child, parent in parents.items() if parent in found}
        return found
