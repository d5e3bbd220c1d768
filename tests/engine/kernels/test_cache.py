"""Compiled code is kept where nothing stale can be taken for new, and a machine without such a place still plays."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from engine.kernels.contract import can_compile_games

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(not can_compile_games(), reason="Numba is not installed")


def run_python(code: str, **environment: str) -> str:
    """What a fresh process prints."""
    done = subprocess.run(  # noqa: S603 - our own code
        [sys.executable, "-W", "error", "-c", code],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_the_cache_is_named_by_what_goes_into_it(tmp_path: Path) -> None:
    code = "from engine.kernels.contract import kernel_fingerprint, prepare_numba; print(prepare_numba().name == kernel_fingerprint(), prepare_numba().parent)"
    assert run_python(code, REROLL_CACHE=str(tmp_path)) == f"True {tmp_path}"


def test_without_a_place_for_the_cache_games_are_compiled_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    code = "from engine.kernels.contract import prepare_numba; print(prepare_numba().is_dir(), prepare_numba().name.startswith('reroll-kernels-'))"
    assert run_python(code, REROLL_CACHE=str(tmp_path / "file")) == "True True"


def test_kernels_can_be_done_without() -> None:
    code = (
        "import sys; from engine.catalogue import Catalogue; from engine.kernels.contract import kernel; "
        "print(kernel(Catalogue().find('bloxx-2p')), 'numba' in sys.modules)"
    )
    assert run_python(code, REROLL_KERNELS="0") == "None False"


def test_the_engine_does_not_load_numba_before_it_is_needed() -> None:
    code = "import sys, engine.catalogue, engine.games, pipelines.simulate.simulate; print('numba' in sys.modules)"
    assert run_python(code) == "False"
