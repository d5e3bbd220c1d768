"""Readers of untrusted texts are fuzzed, guided by the code that the inputs reach (`fuzz.py`)."""

from __future__ import annotations

import importlib.util
import re
import secrets
import socket
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from tests.processes import RunProcess

    RunFuzzProgram = Callable[..., subprocess.CompletedProcess[str]]

FUZZ_PROGRAM: Final = Path(__file__).with_name("fuzz.py")
ATHERIS_MISSING_EXIT_CODE: Final = 3
TARGET_NAMES: Final = (
    "notation",
    "ruleset",
    "pentobi",
    "log",
    "document",
    "unfinished",
    "strategy",
    "address",
    "form",
    "sql",
    "markup",
)
RESULT_PATTERN: Final = re.compile(
    r"(\w+): (\d+) inputs, (\d+) edges, (\d+) features, (\d+) kept, nothing found\n"
)


@pytest.fixture(scope="session")
def run_fuzz_program(run_process: RunProcess) -> RunFuzzProgram:
    """Return a function that runs the program `fuzz.py`; skip the test if it lacks atheris on this Python or machine."""

    def run_program(*words: str) -> subprocess.CompletedProcess[str]:
        done = run_process([sys.executable, str(FUZZ_PROGRAM), *words])
        if done.returncode == ATHERIS_MISSING_EXIT_CODE:
            pytest.skip(done.stdout.strip())
        assert "Traceback" not in done.stderr, done.stderr
        return done

    return run_program


def test_every_target_is_fuzzed(run_fuzz_program: RunFuzzProgram) -> None:
    assert tuple(run_fuzz_program().stdout.split()) == TARGET_NAMES


def test_no_random_change_of_an_input_does_more_than_be_read_or_refused(
    run_fuzz_program: RunFuzzProgram,
) -> None:
    done = run_fuzz_program("changes", "--runs", "250", "--seed", str(secrets.randbelow(10**6)))
    assert done.returncode == 0, done.stdout
    assert [line.split(":")[0] for line in done.stdout.splitlines()] == list(TARGET_NAMES)


@pytest.mark.night
@pytest.mark.parametrize("target", TARGET_NAMES)
def test_no_input_does_more_than_be_read_or_refused(
    run_fuzz_program: RunFuzzProgram,
    target: str,
    record_property: Callable[[str, object], None],
) -> None:
    done = run_fuzz_program(target, "--seconds", "180")
    result = RESULT_PATTERN.fullmatch(done.stdout)
    assert result, done.stdout
    assert int(result[3]) > 20, "the code was not instrumented"
    record_property("inputs", int(result[2]))


def test_a_fault_behind_four_letters_is_found(
    run_fuzz_program: RunFuzzProgram,
) -> None:
    """The fuzzer sees how far an input comes; random inputs would not find the fault among so few."""
    done = run_fuzz_program("planted", "--seconds", "60", "--runs", "400000")
    assert done.returncode == 1
    assert "RuntimeError: found" in done.stdout
    assert "b'dice" in done.stdout


@pytest.fixture(scope="module")
def fuzz_module() -> ModuleType:
    """The program `fuzz.py`, imported as a module."""
    spec = importlib.util.spec_from_file_location("fuzz", FUZZ_PROGRAM)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_forbidden_effects_of_an_input_are_detected(
    fuzz_module: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tmp_path / "own"
    own.mkdir()
    watch = fuzz_module.SandboxWatch(own)
    forbidden: list[Callable[[], object]] = [
        Path("/etc/hostname").read_bytes,
        (tmp_path / "elsewhere").touch,
        Path(__file__).unlink,
        Path(__file__).with_name("new").mkdir,
        lambda: subprocess.run([sys.executable, "-V"], check=False),
        lambda: eval("1 + 1"),  # noqa: S307 - the test needs it
        lambda: socket.create_connection(("127.0.0.1", 9)),
    ]
    for action in forbidden:
        with pytest.raises(fuzz_module.SandboxEscape), watch.watch_input():
            action()
    with watch.watch_input():
        (own / "mine").write_text(FUZZ_PROGRAM.read_text(encoding="utf-8"), encoding="utf-8")
    monkeypatch.setattr(fuzz_module, "INPUT_TIMEOUT_SECONDS", 0.05)
    with pytest.raises(AssertionError, match="it took"), watch.watch_input():
        sum(range(10**7))
    assert [path.name for path in tmp_path.iterdir()] == ["own"]
