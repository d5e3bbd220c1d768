"""The line protocol: answers, errors, time limits, and the end of all programs that were started."""

from __future__ import annotations

import os
import re
import shlex
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from engine.line_protocol import Program, ProgramEndedError, ProgramError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.processes import RunProcess

ECHO_PROGRAM = """
import sys, time
for line in sys.stdin:
    command, _, rest = line.strip().partition(" ")
    if command == "say":
        print("\\n= " + rest + "\\nand more\\n", flush=True)
    elif command == "refuse":
        print("?7 " + rest + "\\n", flush=True)
    elif command == "slowly":
        for letter in "= done":
            print(letter, end="", flush=True)
            time.sleep(0.05)
        print("\\r\\n\\r", flush=True)
    elif command == "die":
        print("complaint", file=sys.stderr, flush=True)
        sys.exit(int(rest))
    elif command == "talk":
        print("thinking\\n= " + rest + "\\n\\ninfo nodes 12", flush=True)
    elif command == "flood":
        print("= " + "x" * 3_000_000 + "\\n", flush=True)
"""


@pytest.fixture
def start_program() -> Iterator[Callable[[str], Program]]:
    """A function that starts a program from Python source. All programs are closed after the test."""
    started = []

    def start(text: str = ECHO_PROGRAM) -> Program:
        started.append(Program(shlex.join([sys.executable, "-c", text])))
        return started[-1]

    yield start
    for program in started:
        program.close()


def test_an_answer_has_no_status_character_and_may_have_several_lines(
    start_program: Callable[..., Program],
) -> None:
    program = start_program()
    assert program.send_command("say hello", 20) == "hello\nand more"
    assert program.send_command("slowly", 20) == "done"
    assert program.send_command("say again", 20) == "again\nand more"


def test_an_error_answer_is_raised_and_the_program_continues(start_program: Callable[..., Program]) -> None:
    program = start_program()
    with pytest.raises(ProgramError, match="answered 'refuse this' with the error 'this'"):
        program.send_command("refuse this", 20)
    assert program.send_command("say hello", 20) == "hello\nand more"


def test_a_program_that_ends_is_reported_with_its_exit_code_and_its_last_words(
    start_program: Callable[..., Program],
) -> None:
    program = start_program()
    with pytest.raises(ProgramEndedError, match="ended with code 3 at 'die 3'; its last words: complaint"):
        program.send_command("die 3", 20)
    assert not program.is_running
    with pytest.raises(ProgramEndedError, match="was ended before 'say'"):
        program.send_command("say", 20)


def test_lines_around_an_answer_are_skipped_and_shown_with_the_next_error(
    start_program: Callable[..., Program],
) -> None:
    program = start_program()
    for number in ("1", "2"):
        assert program.send_command(f"talk {number}", 20) == number
    with pytest.raises(ProgramError, match=r"in time; its last words: .*info nodes 12"):
        program.send_command("silence", 0.3)


@pytest.mark.parametrize(("line", "message"), [("silence", "in time"), ("flood", "does not end its answer")])
def test_a_program_that_answers_nothing_or_too_much_is_closed(
    start_program: Callable[..., Program], line: str, message: str
) -> None:
    program = start_program()
    program.send_command("say hello", 20)
    with pytest.raises(ProgramError, match=message):
        program.send_command(line, 0.3 if line == "silence" else 20)
    assert not program.is_running


def test_a_process_that_a_program_has_started_ends_with_it(
    start_program: Callable[..., Program], tmp_path: Path
) -> None:
    child = tmp_path / "child"
    program = start_program(
        "import subprocess, sys\n"
        "started = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        f"open({str(child)!r}, 'w').write(str(started.pid))\n"
        "for line in sys.stdin: print('=\\n', flush=True)\n"
    )
    assert program.send_command("anything", 20) == ""
    program.close()
    _wait_for_end(int(child.read_text()))


def test_programs_end_with_the_process_that_started_them(run_process: RunProcess, tmp_path: Path) -> None:
    """This includes programs that never read from their closed pipe."""
    text = "import os, time; print('= ' + str(os.getpid()) + '\\n', flush=True); time.sleep(600)"
    pid_file, command = tmp_path / "pid", shlex.join([sys.executable, "-c", text])
    script = tmp_path / "script.py"
    script.write_text(
        "from pathlib import Path\nfrom engine.line_protocol import Program\n"
        f"program = Program({command!r})\nPath({str(pid_file)!r}).write_text(program.send_command('pid', 20))\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    done = run_process([sys.executable, script], env=environment)
    assert done.returncode == 0
    _wait_for_end(int(pid_file.read_text()))


def _wait_for_end(pid: int) -> None:
    end = time.monotonic() + 20
    while Path(f"/proc/{pid}").exists() and " Z " not in Path(f"/proc/{pid}/stat").read_text():
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("no-such-program-here --quiet", "cannot be started: No such file or directory"),
        ("'unfinished", "cannot be started: expected a program and its arguments"),
        ("''", "cannot be started"),
        ("/etc", "cannot be started: Permission denied"),
    ],
)
def test_a_command_that_cannot_be_started_is_rejected(command: str, message: str) -> None:
    with pytest.raises(ProgramError, match=re.escape(message)):
        Program(command)
