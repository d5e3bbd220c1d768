"""What takes texts from strangers is fuzzed, guided by what of the code the inputs reach (`run_fuzz_program.py`)."""

from __future__ import annotations

import importlib.util
import re
import socket
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

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
    "ladder",
)
RESULT_PATTERN: Final = re.compile(
    r"(\w+): (\d+) inputs, (\d+) edges, (\d+) features, (\d+) kept, nothing found\n"
)


def run_fuzz_program(*words: str) -> subprocess.CompletedProcess[str]:
    """Run the program beside this file; a visible skip where there is no atheris for this Python or machine."""
    done = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, str(FUZZ_PROGRAM), *words], capture_output=True, text=True, check=False
    )
    if done.returncode == ATHERIS_MISSING_EXIT_CODE:
        pytest.skip(done.stdout.strip())
    assert "Traceback" not in done.stderr, done.stderr
    return done


def test_every_target_is_fuzzed() -> None:
    assert tuple(run_fuzz_program().stdout.split()) == TARGET_NAMES


@pytest.mark.parametrize(
    ("seconds", "runs"), [(2, 1_000), pytest.param(180, -1, marks=pytest.mark.night)], ids=["short", "long"]
)
@pytest.mark.parametrize("target", TARGET_NAMES)
def test_no_input_does_more_than_be_read_or_refused(
    target: str, seconds: int, runs: int, record_property: Callable[[str, object], None]
) -> None:
    done = run_fuzz_program(target, "--seconds", str(seconds), "--runs", str(runs))
    told = RESULT_PATTERN.fullmatch(done.stdout)
    assert told, done.stdout
    assert int(told[3]) > 20, "nothing of the code was watched"
    record_property("inputs", int(told[2]))


def test_a_fault_behind_four_letters_is_found() -> None:
    """The fuzzer sees how far an input came: by chance nobody would find it among so few."""
    done = run_fuzz_program("planted", "--seconds", "60", "--runs", "400000")
    assert done.returncode == 1
    assert "RuntimeError: found" in done.stdout
    assert "b'dice" in done.stdout


@pytest.fixture(scope="module")
def fuzz_module() -> ModuleType:
    """The program as a module."""
    spec = importlib.util.spec_from_file_location("fuzz", FUZZ_PROGRAM)
    assert spec
    assert spec.loader
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def test_what_an_input_must_not_do_is_seen(
    fuzz_module: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tmp_path / "own"
    own.mkdir()
    watch = fuzz_module.Watch(own)
    ways: list[Callable[[], object]] = [
        Path("/etc/hostname").read_bytes,
        (tmp_path / "elsewhere").touch,
        Path(__file__).unlink,
        Path(__file__).with_name("new").mkdir,
        lambda: subprocess.run([sys.executable, "-V"], check=False),
        lambda: eval("1 + 1"),  # noqa: S307 - what must not happen
        lambda: socket.create_connection(("127.0.0.1", 9)),
    ]
    for way in ways:
        with pytest.raises(fuzz_module.Escaped), watch.on():
            way()
    with watch.on():
        (own / "mine").write_text(FUZZ_PROGRAM.read_text(encoding="utf-8"), encoding="utf-8")
    monkeypatch.setattr(fuzz_module, "SECONDS", 0.05)
    with pytest.raises(AssertionError, match="it took"), watch.on():
        sum(range(10**7))
    assert [path.name for path in tmp_path.iterdir()] == ["own"]
