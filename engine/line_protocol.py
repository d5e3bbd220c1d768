"""Programs that are controlled line by line with the Go Text Protocol (GTP, version 2, Gunnar Farnebäck).

A command is one line. The answer begins with `=`, or with `?` if the command failed, and ends with an empty line.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import re
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
"""A longer answer is an error of the program."""

_STATUS_PATTERN: Final = re.compile(rb"^[=?]", re.MULTILINE)

_running_programs: Final[set[Program]] = set()
"""The programs that this process has started. They are closed when the process exits."""


class ProgramError(GameError):
    """A program did not answer a command correctly."""


class ProgramEndedError(ProgramError):
    """A program has ended."""


class ProgramStartError(ProgramError):
    """A program cannot be started, or fails before it is asked for a move: it is missing, or plays something else."""


class Program:
    """A running program. It has its own process group, which is killed as a whole."""

    def __init__(self, command: str) -> None:
        """Start the program without a shell; raise ProgramError if it cannot be started."""
        self.command: Final = command
        self._last_lines: deque[str] = deque(maxlen=5)
        try:
            words = shlex.split(command)
            self._process = subprocess.Popen(  # noqa: S603 - the user named this command
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
        self._stderr_reader = threading.Thread(target=self._read_stderr, daemon=True)
        self._stderr_reader.start()

    def send_command(self, line: str, seconds: float) -> str:
        """Send a command and return its answer without the `=`.

        Raises ProgramEndedError if the program has ended, ProgramError if it answers with `?`, answers something
        that is not GTP, or does not answer within `seconds`. Any other exception while waiting closes the program,
        because a late answer would be taken for the answer to the next command.
        """
        if not self.is_running:
            raise ProgramEndedError(f"the program was ended before {line!r}")
        try:
            answer = self._read_answer(line, time.monotonic() + seconds)
        except BaseException:
            self.close()
            raise
        status, content = answer[:1], answer[1:].lstrip("0123456789").strip()
        if status == "=":
            return content
        if status == "?":
            raise ProgramError(f"the program answered {line!r} with the error {content[:200]!r}")
        self.close()
        raise ProgramError(f"the program answered {line!r} with {answer[:80]!r}, which is not GTP")

    def _read_answer(self, line: str, end: float) -> str:
        assert self._process.stdin  # noqa: S101 - Popen was given PIPE
        assert self._process.stdout  # noqa: S101 - as above
        try:
            self._process.stdin.write(f"{line}\n".encode())
        except OSError:
            raise self._ended_error(line) from None
        received = b""
        with selectors.DefaultSelector() as selector:
            selector.register(self._process.stdout, selectors.EVENT_READ)
            while (answer := self._find_answer(received)) is None:
                if not selector.select(max(0.0, end - time.monotonic())):
                    if time.monotonic() < end:
                        continue
                    self._note_words(received)
                    raise ProgramError(f"the program did not answer {line!r} in time{self._last_words()}")
                chunk = os.read(self._process.stdout.fileno(), 1 << 16)
                if not chunk:
                    raise self._ended_error(line)
                received = (received + chunk.replace(b"\r", b"")).lstrip(b"\n")
                if len(received) > MAX_ANSWER_BYTES:
                    raise ProgramError(f"the program does not end its answer to {line!r}")
        return answer.decode(errors="replace").strip()

    def _find_answer(self, received: bytes) -> bytes | None:
        """Return the answer, which ends at the first empty line; None if it is not complete. What stands around it is noted.

        Some programs write lines of their own before or after an answer. Without a status, all before the empty line is the answer.
        """
        start = match.start() if (match := _STATUS_PATTERN.search(received)) else 0
        answer, empty_line, rest = received[start:].partition(b"\n\n")
        if not empty_line:
            return None
        self._note_words(received[:start])
        self._note_words(rest)
        return answer

    def _note_words(self, written: bytes) -> None:
        """Keep what a program wrote outside its answers for its next error."""
        for line in written[-300:].splitlines():
            if words := line.decode(errors="replace").strip():
                self._last_lines.append(words)

    def _last_words(self) -> str:
        return f"; its last words: {' / '.join(self._last_lines)[-300:]}" if self._last_lines else ""

    def _ended_error(self, line: str) -> ProgramEndedError:
        """Close the program and return the error that reports its exit code and the last lines of its stderr."""
        end = time.monotonic() + 1
        while time.monotonic() < end and not os.waitid(
            os.P_PID, self._process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG
        ):
            time.sleep(0.01)  # the pipes are closed, so it is about to exit: wait for its own exit code
        self.close()
        self._stderr_reader.join(timeout=1)
        code = self._process.returncode
        return ProgramEndedError(f"the program ended with code {code} at {line!r}{self._last_words()}")

    def _read_stderr(self) -> None:
        """Read stderr all the time, so that the program never blocks on a full pipe. Keep the last lines."""
        assert self._process.stderr  # noqa: S101 - Popen was given PIPE
        with (
            self._process.stderr as pipe,
            open(pipe.fileno(), "rb", closefd=False) as stream,
            contextlib.suppress(OSError),
        ):
            while line := stream.readline(4096):
                if words := line[:300].decode(errors="replace").strip():
                    self._last_lines.append(words)

    @property
    def is_running(self) -> bool:
        return self._process.returncode is None

    def close(self) -> None:
        """Kill the program and all processes in its group."""
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
    """Kill all programs that this process has started."""
    for program in list(_running_programs):
        program.close()


atexit.register(close_all_programs)
