"""Fuzz the readers of untrusted texts with atheris (libFuzzer for Python), guided by the code that the inputs reach.

python tests/faults/fuzz.py                          # print the names of the targets
python tests/faults/fuzz.py log --seconds 60         # fuzz one target, or `all` one after the other
python tests/faults/fuzz.py log --keep /tmp/corpus   # store the inputs in that folder and continue from them next time
python tests/faults/fuzz.py log --input FILE         # run the target on one input

Each target (package `fuzzing`) checks its results. In addition, no input may take long, open a file outside its own
folder (except to read files of the code), start a program, use the network, or make Python compile a text. The exit code
is 0 if no fault was found, 1 if one was found (the input is printed), 3 if atheris is missing.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import importlib.util
import io
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

PROJECT_ROOT: Final = Path(__file__).parents[2]
WATCHED_PACKAGES: Final = ("engine", "pipelines", "dashboard", "tomllib", "fuzzing")
INPUT_TIMEOUT_SECONDS: Final = 5.0
"""Processor time that one input may take."""
HANG_TIMEOUT_SECONDS: Final = 60
MEMORY_LIMIT_MEGABYTES: Final = 2048

WRITE_FLAGS: Final = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
FORBIDDEN_EVENTS: Final = (
    "subprocess.",
    "socket.",
    "os.system",
    "os.exec",
    "os.posix_spawn",
    "os.spawn",
    "os.fork",
    "pty.",
)
FORBIDDEN_OUTSIDE_FOLDER: Final = (
    "os.remove",
    "os.rename",
    "os.link",
    "os.symlink",
    "os.mkdir",
    "os.rmdir",
    "os.truncate",
    "os.chmod",
)
SUMMARY_PATTERN: Final = re.compile(r"^#(\d+)\s+DONE\s+cov: (\d+) ft: (\d+) corp: (\d+)/", re.MULTILINE)


class SandboxEscape(BaseException):
    """An input had a forbidden effect. It is no Exception, so that the tested code does not catch it."""


class SandboxWatch:
    """Watches the requests of the code to the system while it runs on an input. `folder` is the only writable place."""

    def __init__(self, folder: Path) -> None:
        self._folder = str(folder)
        self._code = tuple(
            {
                str(PROJECT_ROOT),
                sys.prefix,
                sys.base_prefix,
                os.path.realpath(sys.prefix),
                os.path.realpath(sys.base_prefix),
            }
        )
        self._is_on = False
        sys.addaudithook(self._audit_event)

    @contextlib.contextmanager
    def watch_input(self) -> Iterator[None]:
        """Watch the code in this context. Raises SandboxEscape, or AssertionError if the code takes too long."""
        started = time.process_time()
        self._is_on = True
        try:
            yield
        finally:
            self._is_on = False
        seconds = time.process_time() - started
        assert seconds < INPUT_TIMEOUT_SECONDS, f"it took {seconds:.1f} s"

    def _audit_event(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self._is_on:
            return
        if violation := self._find_violation(event, arguments):
            self._is_on = False
            raise SandboxEscape(violation)

    def _find_violation(self, event: str, arguments: tuple[Any, ...]) -> str | None:
        """Return a description of the event if it is forbidden, else None."""
        if event.startswith(FORBIDDEN_EVENTS):
            return f"{event} {arguments!r}"
        if event == "open" and isinstance(arguments[0], str | bytes | os.PathLike):
            path = os.path.abspath(os.fsdecode(arguments[0]))  # noqa: PTH100 - Path would ask the system
            allowed = (
                (self._folder,) if arguments[2] & WRITE_FLAGS else (self._folder, *self._code, os.devnull)
            )
            return None if path.startswith(allowed) else f"it opens {path}"
        if event.startswith(FORBIDDEN_OUTSIDE_FOLDER):
            path = os.path.abspath(os.fsdecode(arguments[0]))  # noqa: PTH100
            return None if path.startswith(self._folder) else f"{event} {path}"
        if event == "compile":
            name = os.fsdecode(arguments[1] or "")
            return None if name.startswith(self._code) else f"it compiles {arguments[0]!r:.80} of {name}"
        return None


def import_targets() -> ModuleType:
    """Return the package `fuzzing`, which has the targets."""
    sys.path[:0] = [str(PROJECT_ROOT), str(Path(__file__).parent)]
    return importlib.import_module("fuzzing")


def fuzz_in_process(name: str, folder: Path, options: list[str]) -> None:
    """Fuzz a target in this process, which libFuzzer ends. `folder` gets the corpus and the files of the target."""
    os.environ["REROLL_KERNELS"] = "0"
    import atheris

    compiled = [
        ".".join(path.relative_to(PROJECT_ROOT).with_suffix("").parts)
        for path in PROJECT_ROOT.glob("engine/games/*/kernel/*.py")
    ]
    own = folder / "own"
    shutil.rmtree(own, ignore_errors=True)
    own.mkdir()
    with (
        contextlib.redirect_stderr(io.StringIO()),
        atheris.instrument_imports(include=WATCHED_PACKAGES, exclude=compiled),
    ):
        targets = import_targets()
        from engine import games

        for game in games.game_names():
            games.find_game(game)
        target = (targets.planted if name == "planted" else targets.TARGETS[name])(own)
    for number, seed in enumerate(target.seeds):
        (folder / "corpus" / f"seed-{number:04}").write_bytes(seed)
    words = {word for seed in target.seeds for word in re.findall(rb"[A-Za-z_]{3,20}", seed)}
    (folder / "words").write_text(
        "".join(f'"{word.decode()}"\n' for word in sorted(words)[:400]), encoding="ascii"
    )
    for seed in target.seeds:
        target.once(seed)  # load everything that is loaded on first use
    watch = SandboxWatch(own)

    def try_watched_input(data: bytes) -> None:
        with watch.watch_input():
            target.once(data)

    single_inputs = [option for option in options if not option.startswith("-")]
    words_option = [f"-dict={folder / 'words'}"] if words else []
    atheris.Setup(
        [
            name,
            *([] if single_inputs else [str(folder / "corpus")]),
            *words_option,
            f"-max_len={target.longest}",
            f"-timeout={HANG_TIMEOUT_SECONDS}",
            f"-rss_limit_mb={MEMORY_LIMIT_MEGABYTES}",
            f"-artifact_prefix={folder}/found-",
            *options,
        ],
        try_watched_input,
    )
    atheris.Fuzz()


def change_input(data: bytes, source: random.Random, longest: int) -> bytes:
    """Return an input with one to four random changes: bytes replaced, removed, repeated or added."""
    changed = bytearray(data)
    for _ in range(source.randint(1, 4)):
        start = source.randint(0, len(changed))
        end = min(len(changed), start + source.choice((1, 1, 2, 8, 64)))
        match source.randrange(4):
            case 0:
                changed[start:end] = source.randbytes(end - start)
            case 1:
                del changed[start:end]
            case 2:
                changed[start:start] = changed[start:end] * source.randint(1, 3)
            case _:
                changed[start:start] = source.choice(
                    (b"\x00", b"\xff", b"-1", b"9" * 30, b'"', b"\n", b"\x1b[2J")
                )
    return bytes(changed[:longest])


def try_random_changes(inputs_per_target: int, seed: int) -> int:
    """Try the first inputs of all targets and random changes of them, without atheris; return the exit code."""
    os.environ["REROLL_KERNELS"] = "0"
    source = random.Random(seed)
    for name, make_target in import_targets().TARGETS.items():
        with tempfile.TemporaryDirectory() as temporary:
            target = make_target(Path(temporary))
            for first in target.seeds:
                target.once(first)  # load everything that is loaded on first use
            watch = SandboxWatch(Path(temporary))
            for _ in range(inputs_per_target):
                data = change_input(source.choice(target.seeds), source, target.longest)
                try:
                    with watch.watch_input():
                        target.once(data)
                except BaseException:
                    sys.stdout.write(f"{name}: {data!r}\n")
                    raise
        sys.stdout.write(
            f"{name}: {len(target.seeds)} first inputs and {inputs_per_target} changes, nothing found\n"
        )
    return 0


def fuzz_target(name: str, folder: Path, options: list[str]) -> tuple[int, str]:
    """Fuzz a target in a new process; return its exit code and its output."""
    (folder / "corpus").mkdir(parents=True, exist_ok=True)
    for old in folder.glob("found-*"):
        old.unlink()
    done = subprocess.run(  # noqa: S603 - this program itself
        [sys.executable, __file__, name, "--inside", str(folder), *options],
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def print_result(name: str, folder: Path, code: int, output: str) -> int:
    """Print the result of a target; return the exit code of this program."""
    summary = SUMMARY_PATTERN.search(output)
    if code == 0 and summary:
        inputs, edges, features, stored = map(int, summary.groups())
        sys.stdout.write(
            f"{name}: {inputs} inputs, {edges} edges, {features} features, {stored} kept, nothing found\n"
        )
        return 0
    if code == 0:
        sys.stdout.write(f"{name}: nothing found\n")
        return 0
    for path in folder.glob("found-*"):
        sys.stdout.write(f"{name}: {path.name}: {path.read_bytes()!r}\n")
    _, found, trace = output.partition("=== Uncaught Python exception: ===")
    excerpt = (
        re.split(r"^(?:INFO|==|#\d)", trace, maxsplit=1, flags=re.MULTILINE)[0] if found else output[-4000:]
    )
    sys.stdout.write(f"{excerpt.strip()}\n")
    return 1


def main() -> int:
    """Run the command line; return the exit code."""
    parser = argparse.ArgumentParser(description="Fuzz the readers of untrusted texts.")
    parser.add_argument("name", nargs="?")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--runs", type=int, default=-1)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--input", type=Path)
    parser.add_argument("--inside", type=Path, help=argparse.SUPPRESS)
    arguments, options = parser.parse_known_args()
    if arguments.inside:
        fuzz_in_process(arguments.name, arguments.inside, options)
    if arguments.name == "changes":
        return try_random_changes(max(arguments.runs, 1), arguments.seed)
    if importlib.util.find_spec("atheris") is None:
        sys.stdout.write("atheris is not installed; it has wheels for Python 3.11 to 3.13 on Linux x86-64\n")
        return 3
    if not arguments.name:
        sys.stdout.write("\n".join(import_targets().TARGETS) + "\n")
        return 0
    if arguments.name == "all":
        return max(run_fuzzing(name, arguments) for name in import_targets().TARGETS)
    return run_fuzzing(arguments.name, arguments)


def run_fuzzing(name: str, arguments: argparse.Namespace) -> int:
    """Fuzz a target with the options of the command line; return the exit code."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.keep.absolute() / name if arguments.keep else Path(temporary)
        limits = (
            [str(arguments.input.absolute())]
            if arguments.input
            else [f"-max_total_time={arguments.seconds}", f"-runs={arguments.runs}"]
        )
        return print_result(name, folder, *fuzz_target(name, folder, [*limits, f"-seed={arguments.seed}"]))


if __name__ == "__main__":
    sys.exit(main())
