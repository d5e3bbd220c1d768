"""Kernels are loaded from a cache that cannot hold stale code; where a kernel fails, the plain rules play."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from engine.games import find_game, game_names, start_state
from engine.kernels import code_cache, loader
from engine.kernels.code_cache import kernel_fingerprint
from engine.kernels.loader import can_compile_games, find_kernel, needs_compiling
from engine.luck import Luck
from engine.play import play_out
from engine.strategies import read_player

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable

    from tests.processes import RunProcess

    RunPython = Callable[..., subprocess.CompletedProcess[str]]
    from engine.catalogue import Catalogue

ROOT = Path(__file__).parents[3]

pytestmark = pytest.mark.skipif(not can_compile_games(), reason="Numba is not installed")


@pytest.fixture(scope="session")
def run_python(run_process: RunProcess) -> RunPython:
    """Return a function that runs code in a new process in a copy of the project; it must succeed."""

    def run_code(code: str, folder: Path = ROOT, **environment: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-W", "error", "-c", code]
        done = run_process(command, cwd=folder, env={**os.environ, **environment})
        assert done.returncode == 0, done.stderr
        return done

    return run_code


def test_the_cache_folder_is_named_after_the_fingerprint(run_python: RunPython, tmp_path: Path) -> None:
    code = (
        "from engine.kernels.code_cache import code_folder, kernel_fingerprint; "
        "print(code_folder('bloxx').name == kernel_fingerprint('bloxx'), code_folder('bloxx').parent)"
    )
    assert run_python(code, REROLL_CACHE=str(tmp_path)).stdout == f"True {tmp_path}\n"


def test_code_for_another_processor_has_another_fingerprint(run_python: RunPython) -> None:
    """A home that several machines share must not show a kernel as compiled that only the others have compiled."""
    code = "from engine.kernels.code_cache import kernel_fingerprint; print(kernel_fingerprint('bloxx'))"
    here, elsewhere = run_python(code).stdout, run_python(code, NUMBA_CPU_NAME="haswell").stdout
    assert len(here) == len(elsewhere) > 10
    assert here != elsewhere


@pytest.mark.parametrize(
    ("edited", "stale"),
    [
        ("polyomino.py", {"bloxx", "blokus", "blokus-dice", "spexxx", ""}),
        ("kernels/luck.py", {"bloxx", "blokus", "blokus-dice", "spexxx", ""}),
        ("games/spexxx/dice.py", {"spexxx"}),
        ("games/spexxx/turn.py", {"spexxx"}),
        ("games/blokus_dice/ruleset.py", {"blokus-dice"}),
        ("games/blokus/kernel/rules.py", {"blokus"}),
    ],
)
def test_an_edit_makes_the_compiled_code_stale_that_can_contain_it(
    edited: str, stale: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Constants of rules and rulesets become part of compiled code."""
    copied_engine = tmp_path / "engine"
    shutil.copytree(ROOT / "engine", copied_engine, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(code_cache, "_PROJECT_FOLDER", tmp_path)

    def read_fingerprints() -> dict[str, str]:
        return {game: kernel_fingerprint.__wrapped__(game) for game in [*game_names(), ""]}

    before = read_fingerprints()
    assert len(set(before.values())) == len(before)
    with (copied_engine / edited).open("a") as file:
        file.write("NEW_CONSTANT = 1\n")
    after = read_fingerprints()
    assert {game for game in before if before[game] != after[game]} == stale


def test_the_fingerprint_of_a_game_does_not_depend_on_what_was_loaded_before(run_python: RunPython) -> None:
    """Importing a kernel changes settings of Numba."""
    code = (
        "from engine.kernels.loader import find_kernel; "
        "from engine.kernels.code_cache import kernel_fingerprint; "
        "from engine.catalogue import Catalogue; "
        "{}; print(kernel_fingerprint('spexxx'))"
    )
    alone = run_python(code.format("pass")).stdout
    assert run_python(code.format("find_kernel(Catalogue().find_ruleset('bloxx-2p'))")).stdout == alone


def test_another_copy_of_the_project_finds_the_compiled_code(run_python: RunPython, tmp_path: Path) -> None:
    """The functions for luck are compiled by this project, and then loaded by a copy of it in another folder."""
    copied = tmp_path / "copy"
    for package in ("engine", "data/rulesets"):
        shutil.copytree(ROOT / package, copied / package, ignore=shutil.ignore_patterns("__pycache__"))
    code = (
        "from engine.kernels.code_cache import prepare_numba; prepare_numba(); "
        "from engine.kernels.luck import random_word; import engine; "
        "print(engine.__path__[0], sum(random_word.stats.cache_hits.values()))"
    )
    here, there = (
        run_python(code, folder, REROLL_CACHE=str(tmp_path / "cache")).stdout.split()
        for folder in (ROOT, copied)
    )
    assert here == [str(ROOT / "engine"), "0"]
    assert there == [str(copied / "engine"), "1"]


def test_games_are_compiled_even_if_the_cache_folder_cannot_be_created(
    run_python: RunPython, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("not a folder")
    code = (
        "from engine.kernels.code_cache import code_folder; "
        "print(code_folder().is_dir(), code_folder().name.startswith('reroll-kernels-'))"
    )
    assert run_python(code, REROLL_CACHE=str(tmp_path / "file")).stdout == "True True\n"


def test_an_environment_variable_disables_kernels(run_python: RunPython) -> None:
    code = (
        "import sys; from engine.catalogue import Catalogue; from engine.kernels.loader import find_kernel; "
        "print(find_kernel(Catalogue().find_ruleset('bloxx-2p')), 'numba' in sys.modules)"
    )
    assert run_python(code, REROLL_KERNELS="0").stdout == "None False\n"


def test_the_engine_does_not_load_numba_before_it_is_needed(run_python: RunPython) -> None:
    code = "import sys, engine.catalogue, engine.games, pipelines.simulate.simulate; print('numba' in sys.modules)"
    assert run_python(code).stdout == "False\n"


def test_a_kernel_that_cannot_be_imported_is_reported_once_and_the_plain_rules_play(
    run_python: RunPython, tmp_path: Path
) -> None:
    """Numba raises KeyError for a compiler option that it does not know."""
    code = """
import numba
def njit(*_, **__):
    raise KeyError("no_such_option")
numba.njit = njit
from engine.catalogue import Catalogue
from engine.kernels.loader import find_kernel, needs_compiling
from pipelines.design.designs import design_simulation
from pipelines.simulate.shards import play_game
for name in ("bloxx-2p", "bloxx-3p"):
    ruleset = Catalogue().find_ruleset(name)
    print(find_kernel(ruleset), needs_compiling(ruleset))
    design = design_simulation(ruleset, ["greedy"] * ruleset.players, blocks=1)
    print(len(play_game(design, 0, 0).plies) > 10)
"""
    done = run_python(code, REROLL_CACHE=str(tmp_path))
    assert done.stdout == "None False\nTrue\n" * 2
    (line,) = done.stderr.splitlines()
    assert line == (
        "bloxx: the compiled game does not work here (KeyError: 'no_such_option'); "
        "the plain rules play the same games, but slower"
    )


def test_a_kernel_that_cannot_be_compiled_is_reported_once_and_the_plain_rules_play(
    catalogue: Catalogue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ruleset = catalogue.find_ruleset("bloxx-2p")
    kernel = find_kernel(ruleset)
    assert kernel

    def play(*_: object, **__: object) -> None:
        raise TypeError("first line\nsecond line")

    monkeypatch.setattr(type(kernel), "play", play)
    monkeypatch.setattr(loader, "_compiled_games", set())
    monkeypatch.setattr(loader, "_broken_games", set())
    monkeypatch.setattr(loader, "code_folder", lambda _: tmp_path)
    assert needs_compiling(ruleset)
    assert [find_kernel(ruleset), find_kernel(ruleset)] == [None, None]
    assert not needs_compiling(ruleset)
    assert capsys.readouterr().err == (
        "bloxx: the compiled game does not work here (TypeError: first line second line); "
        "the plain rules play the same games, but slower\n"
    )
    assert not (tmp_path / "bloxx.compiled").exists()
    players = [read_player(find_game("bloxx"), "greedy").decide] * ruleset.players
    assert play_out(start_state(ruleset), players, Luck(1, 0))[0].is_over
