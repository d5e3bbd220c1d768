"""Programs that are asked line by line, as the Go Text Protocol (GTP, version 2, Gunnar Farnebäck) has it.

A command is one line. Its answer begins with `=`, or with `?` if it failed, and ends with an empty line.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import selectors
import shlex
import signal
import subprocess
import threading
import time
from collections import deque
from typing import Final

from engine.errors import GameError

MAX_ANSWER_BYTES: Final = 1 << 20
"""Bytes; who says more has lost the thread."""

_running_programs: Final[set[Program]] = set()
"""The programs that this process has started: they must not outlive it."""


class ProgramError(GameError):
    """A program did not do what was asked of it."""


class ProgramEndedError(ProgramError):
    """A program is no longer there."""


class Program:
    """A running program. It leads a process group of its own, and whatever is in that ends with it."""

    def __init__(self, command: str) -> None:
        """Start it, without a shell; raise ProgramError if that cannot be done."""
        self.command: Final = command
        self._said: deque[str] = deque(maxlen=5)
        try:
            words = shlex.split(command)
            self._process = subprocess.Popen(  # noqa: S603 - what the user asked for
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,
            )
        except (OSError, ValueError, IndexError) as error:
            why = error.strerror if isinstance(error, OSError) else "expected a program and its arguments"
            raise ProgramError(f"the program {command!r} cannot be started: {why}") from None
        _running_programs.add(self)
        self._listener = threading.Thread(target=self._read_stderr, daemon=True)
        self._listener.start()

    def send_command(self, line: str, seconds: float) -> str:
        """Send a command and return its answer without the `=`.

        Raises EndedError if the program has ended, ProgramError if it answers `?`, or nothing readable, or not in
        time. Whatever else interrupts it ends the program: what it would say later would answer another command.
        """
        if not self.is_running:
            raise ProgramEndedError(f"the program was ended before {line!r}")
        try:
            answer = self._read_answer(line, time.monotonic() + seconds)
        except BaseException:
            self.close()
            raise
        status, said = answer[:1], answer[1:].lstrip("0123456789").strip()
        if status == "=":
            return said
        if status == "?":
            raise ProgramError(f"the program answered {line!r} with the error {said[:200]!r}")
        self.close()
        raise ProgramError(f"the program answered {line!r} with {answer[:80]!r}, which is not GTP")

    def _read_answer(self, line: str, end: float) -> str:
        assert self._process.stdin  # noqa: S101 - it has pipes
        assert self._process.stdout  # noqa: S101 - as above
        try:
            self._process.stdin.write(f"{line}\n".encode())
        except OSError:
            raise self._ended_error(line) from None
        received = b""
        with selectors.DefaultSelector() as selector:
            selector.register(self._process.stdout, selectors.EVENT_READ)
            while not received.endswith(b"\n\n"):
                if not selector.select(max(0.0, end - time.monotonic())):
                    if time.monotonic() < end:
                        continue
                    raise ProgramError(f"the program did not answer {line!r} in time")
                chunk = os.read(self._process.stdout.fileno(), 1 << 16)
                if not chunk:
                    raise self._ended_error(line)
                received = (received + chunk.replace(b"\r", b"")).lstrip(b"\n")
                if len(received) > MAX_ANSWER_BYTES:
                    raise ProgramError(f"the program does not end its answer to {line!r}")
        return received.decode(errors="replace").strip()

    def _ended_error(self, line: str) -> ProgramEndedError:
        end = time.monotonic() + 1
        while time.monotonic() < end and not os.waitid(
            os.P_PID, self._process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG
        ):
            time.sleep(
                0.01
            )  # it has closed its pipes and is about to go: its own code says more than our kill
        self.close()
        self._listener.join(timeout=1)
        last = f"; its last words: {' / '.join(self._said)[-300:]}" if self._said else ""
        return ProgramEndedError(f"the program ended with code {self._process.returncode} at {line!r}{last}")

    def _read_stderr(self) -> None:
        """Read what it writes for people, so that it never waits for a reader."""
        assert self._process.stderr  # noqa: S101 - it has pipes
        with (
            self._process.stderr as pipe,
            open(pipe.fileno(), "rb", closefd=False) as stream,
            contextlib.suppress(OSError),
        ):
            while line := stream.readline(4096):
                if words := line[:300].decode(errors="replace").strip():
                    self._said.append(words)

    @property
    def is_running(self) -> bool:
        return self._process.returncode is None

    def close(self) -> None:
        """End it and all that it has started."""
        _running_programs.discard(self)
        if not self.is_running:
            return
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe:
                pipe.close()


def close_all_programs() -> None:
    """End all programs that this process has started."""
    for program in list(_running_programs):
        program.close()


atexit.register(close_all_programs)
