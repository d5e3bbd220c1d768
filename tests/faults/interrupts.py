"""Interrupt commands of the command line at random moments, and measure how they end.

    python tests/faults/interrupts.py [--trials 200] [--seed 1]

Every command runs in a copy of a small library and gets one or two SIGINT as from a terminal, which sends them to all its
processes. It must end in time, print no traceback, and leave no process behind.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

COMMANDS: Final[dict[str, tuple[tuple[str, ...], float]]] = {
    "simulate": (("simulate", "bloxx-2p", "-s", "greedy,random", "--games", "40000"), 4.0),
    "simulate with one worker": (
        ("simulate", "bloxx-2p", "-s", "rollout,random", "--games", "400", "--workers", "1"),
        4.0,
    ),
    "simulate by the plain rules": (("simulate", "bloxx-2p", "-s", "greedy,random", "--games", "400"), 4.0),
    "simulate with own code": (
        ("simulate", "bloxx-2p", "-s", "mine,random", "--games", "400", "--code", "mine.py"),
        4.0,
    ),
    "compare": (("compare", "bloxx-2p", "greedy", "random", "--blocks", "20000"), 4.0),
    "resume": (("resume", "half"), 4.0),
    "whatif": (
        (
            "whatif",
            "made",
            "--game",
            "1",
            "--move",
            "4",
            "--player",
            "1",
            "--strategy",
            "random",
            "--continuations",
            "50000",
        ),
        4.0,
    ),
    "review": (("review", "made", "--game", "1"), 3.0),
    "ask": (("ask", "/scores?runs=made"), 3.0),
    "verify": (("verify", "made"), 5.0),
    "games": (("games", "--sort", "comeback"), 1.5),
    "card": (("card", "bloxx-2p", "--blocks", "5000"), 4.0),
    "rule": (("rule", "bloxx-2p", "--vary", "gap_penalty=0..4", "--blocks", "5000"), 4.0),
    "openings": (("openings", "blokus-duo", "--blocks", "5000"), 4.0),
    "show": (("show", "made", "--game", "1"), 1.5),
    "ls": (("ls",), 1.2),
    "info": (("info", "made"), 1.5),
    "sql": (
        ("sql", "SELECT count(*) FROM range(100000) a, range(1000000) b WHERE a.range % 7 = b.range % 3"),
        4.0,
    ),
    "export": (("export", "made", "--as", "json", "--out", "exported"), 2.5),
    "import": (("import", "games.txt"), 2.0),
    "rulesets": (("rulesets",), 1.0),
    "strategies": (("strategies",), 1.0),
    "doctor": (("doctor",), 4.0),
    "bench": (("bench",), 4.0),
    "demo": (("demo", "--no-serve"), 5.0),
    "dashboard": (("dashboard", "--no-browser"), 4.0),
    "play": (("play", "bloxx-2p", "--seats", "me,greedy"), 4.0),
    "play against a slow strategy": (("play", "bloxx-2p", "--seats", "rollout:playouts=4096,me"), 4.0),
    "note": (("note", "made", "--game", "1", "--move", "4", "--text", "too greedy"), 0.9),
    "lessons": (("lessons", "made"), 1.5),
    "notes": (("notes", "greedy", "--export", "notes.json"), 0.6),
    "baseline": (("baseline", "--strategy", "greedy"), 0.7),
    "study": (("study", "made", "made#1", "--review", "--out", "study.html"), 3.0),
    "publish": (("publish", "--out", "site"), 2.5),
    "renew": (("renew", "made"), 1.2),
    "rm": (("rm", "made", "--yes"), 0.9),
    "rm with a question": (("rm", "made"), 1.5),
    "docs": (("docs", "first-hour"), 0.5),
    "help": (("help", "simulate"), 0.5),
}
"""The words of each command, and about how many seconds it takes or until when it is interrupted."""

MINE: Final = "def mine(state, source):\n    return source.choice(state.actions)\n"
START_TIMEOUT_SECONDS: Final = 10.0
END_TIMEOUT_SECONDS: Final = 20.0
ORPHAN_TIMEOUT_SECONDS: Final = 1.0
FIRST_LIMIT_SECONDS: Final = 2.0
"""Seconds within which a command must end after one Ctrl-C."""
SECOND_LIMIT_SECONDS: Final = 0.5
"""Seconds within which a command must end after the second Ctrl-C: at once, on a busy machine."""


class Trial(NamedTuple):
    """How a command ended after Ctrl-C."""

    command: str
    after: float
    """Seconds from the start of the command to the first SIGINT."""
    second_after: float | None
    """Seconds from the first to the second SIGINT, or None for only one."""
    code: int
    seconds: float
    """Seconds from the last SIGINT to the end."""
    errors: str
    """What the command wrote to stderr."""
    finished_before: bool
    """Whether the command was over before it could be interrupted."""
    orphans: int
    """Processes of the command that still run after its end."""

    @property
    def fault(self) -> str | None:
        """What is wrong with the end of the command, or None."""
        if "Traceback" in self.errors or "Error" in self.errors or "Warning" in self.errors:
            return "it printed an error"
        if self.orphans:
            return f"it left {self.orphans} processes behind"
        if self.finished_before:
            return None
        if self.code not in {130, 0}:
            return f"exit code {self.code}"
        limit = FIRST_LIMIT_SECONDS if self.second_after is None else SECOND_LIMIT_SECONDS
        return f"it took {self.seconds:.2f} s" if self.seconds > limit else None


def prepare_library(folder: Path) -> None:
    """Make the runs and files that the commands use."""
    words = ["simulate", "bloxx-2p", "-s", "greedy,random", "--seed", "1", "--quiet"]
    run_command([*words, "--games", "1200", "--out", str(folder / "runs" / "made.duckdb")])
    run_command(["export", "made", "--game", "1", "--out", str(folder / "games.txt"), "--data", str(folder)])
    run_command(
        ["note", "made", "--game", "1", "--text", "greedy wins", "--favourite", "--data", str(folder)]
    )
    run_command(["review", "made", "--games", "2", "--data", str(folder)])
    (folder / "mine.py").write_text(MINE, encoding="utf-8")
    begin = "from pathlib import Path; import sys; from engine.catalogue import Catalogue; "
    begin += "from pipelines.design.designs import design_simulation; "
    begin += "from pipelines.runs.unfinished_run import begin_run; "
    begin += "design = design_simulation(Catalogue().find_ruleset('bloxx-2p'), ['greedy', 'random'], blocks=20000); "
    begin += "begin_run(Path(sys.argv[1]), design.model_copy(update={'shard_blocks': 2000}), free_name=False)"
    target = folder / "runs" / "half.duckdb"
    subprocess.run([sys.executable, "-c", begin, str(target)], check=True)  # noqa: S603 - our own program


def run_command(words: Sequence[str]) -> None:
    """Run a command to its end."""
    subprocess.run([sys.executable, "-m", "pipelines", *words], check=True, stdout=subprocess.DEVNULL)  # noqa: S603


def interrupt_command(library: Path, command: str, after: float, second_after: float | None) -> Trial:
    """Run a command in a copy of the library and interrupt it `after` seconds after Python handles signals."""
    with tempfile.TemporaryDirectory() as text, tempfile.TemporaryFile() as errors:
        folder = Path(text) / "library"
        shutil.copytree(library, folder, copy_function=shutil.copyfile)
        kernels = {"REROLL_KERNELS": "0"} if "plain" in command else {}
        input_reader, input_writer = os.pipe()  # stays open: commands that ask a person wait for an answer
        process = subprocess.Popen(  # noqa: S603 - our own command
            [sys.executable, "-m", "pipelines", *COMMANDS[command][0]],
            cwd=folder,
            stdin=input_reader,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            start_new_session=True,
            env={**os.environ, **kernels, "REROLL_DATA": str(folder)},
        )
        _wait_for_handler(process)
        time.sleep(after)
        is_over = process.poll() is not None
        if not is_over:
            os.killpg(process.pid, signal.SIGINT)
            if second_after is not None:
                time.sleep(second_after)
                is_over = process.poll() is not None
                if not is_over:
                    os.killpg(process.pid, signal.SIGINT)
        interrupted = time.monotonic()
        try:
            code = process.wait(END_TIMEOUT_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            code = process.wait()
        seconds = time.monotonic() - interrupted
        orphans = _wait_for_orphans(process.pid)
        os.close(input_reader)
        os.close(input_writer)
        errors.seek(0)
        said = errors.read().decode(errors="replace")
    is_before = is_over and "stopping" not in said
    return Trial(command, after, second_after, code, seconds, said, is_before, orphans)


def _wait_for_handler(process: subprocess.Popen[bytes]) -> None:
    """Wait until the command handles Ctrl-C: until its second thread runs.

    Python itself prints a traceback if it is interrupted while it starts, in the first hundredth of a second.
    """
    threads, end = Path(f"/proc/{process.pid}/task"), time.monotonic() + START_TIMEOUT_SECONDS
    while process.poll() is None and len(list(threads.iterdir())) < 2 and time.monotonic() < end:
        time.sleep(0.001)


def _wait_for_orphans(session: int) -> int:
    """Wait for the other processes of a session to end; kill those that do not, and return how many they were."""
    left: list[int] = []
    end = time.monotonic() + ORPHAN_TIMEOUT_SECONDS
    while time.monotonic() < end:
        left = [int(path.name) for path in Path("/proc").glob("[0-9]*") if _session_of(path) == session]
        if not left:
            return 0
        time.sleep(0.05)
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    return len(left)


def _session_of(path: Path) -> int | None:
    """Return the session of the process with this folder in /proc, or None if it has ended."""
    try:
        fields = (path / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return int(fields[3]) if fields[0] != "Z" else None


def interrupt_at_random(library: Path, dice: random.Random, command: str) -> Trial:
    """Interrupt a command once or twice at random moments."""
    after = dice.uniform(0, COMMANDS[command][1])
    second_after = dice.choice([None, dice.uniform(0.01, 0.6)])
    return interrupt_command(library, command, after, second_after)


def main() -> int:
    """Interrupt the commands in turn and print every trial, then a summary; return 1 if one ended badly."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--trials", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", help="name of one command")
    arguments = parser.parse_args()
    dice, trials = random.Random(arguments.seed), []
    with tempfile.TemporaryDirectory() as text:
        library = Path(text)
        prepare_library(library)
        names = [arguments.only] if arguments.only else list(COMMANDS)
        for number in range(arguments.trials):
            trial = interrupt_at_random(library, dice, names[number % len(names)])
            trials.append(trial)
            sys.stdout.write(f"{trial._replace(errors='')} {trial.fault or 'good'}\n")
            if trial.fault:
                sys.stdout.write(f"{trial.errors}\n")
            sys.stdout.flush()
    for is_second in (False, True):
        seconds = sorted(
            trial.seconds
            for trial in trials
            if (trial.second_after is not None) == is_second and not trial.finished_before
        )
        if seconds:
            quantiles = [seconds[int(share * (len(seconds) - 1))] for share in (0.5, 0.9, 0.99, 1)]
            shown = ", ".join(f"{value:.2f}" for value in quantiles)
            sys.stdout.write(
                f"{'second' if is_second else 'first'} Ctrl-C: {len(seconds)} trials, "
                f"seconds to the end: median, 90 %, 99 %, longest: {shown}\n"
            )
    bad = sum(trial.fault is not None for trial in trials)
    sys.stdout.write(f"{bad} of {len(trials)} ended badly\n")
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
