"""Compiling tells how far it is."""

from __future__ import annotations

import subprocess
import sys
from types import ModuleType

import pytest

from engine.kernels.compile_progress import report_compile_progress

numba = pytest.importorskip("numba")

MODULE_SOURCE = """
import numba

@numba.njit
def inner(x):
    return x + 1

@numba.njit
def outer(x):
    return inner(x) * 2

@numba.njit("int64(int64)")
def ready(x):
    return x

@numba.njit
def unused(x):
    return x
"""


@pytest.fixture
def numba_module(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A module with two functions to compile, one that is compiled already, and one that nobody calls."""
    made = ModuleType("compiling_example")
    exec(MODULE_SOURCE, vars(made))  # noqa: S102 - the text above
    monkeypatch.setitem(sys.modules, made.__name__, made)
    return made


def test_functions_are_counted_as_they_are_compiled(numba_module: ModuleType) -> None:
    told: list[tuple[int, int]] = []
    with report_compile_progress("compiling_example", lambda *step: told.append(step)):
        assert numba_module.outer(1) == 4
        assert told == [(0, 3), (1, 3), (2, 3)]
    assert told[-1] == (3, 3)


def test_other_types_of_arguments_count_once_and_other_modules_never(numba_module: ModuleType) -> None:
    told: list[tuple[int, int]] = []
    with report_compile_progress("compiling_example", lambda *step: told.append(step)):
        numba_module.inner(1)
        numba_module.inner(1.5)
        numba.njit(lambda x: x)(1)
    assert told == [(0, 3), (1, 3), (3, 3)]


def test_an_error_does_not_look_like_the_end(numba_module: ModuleType) -> None:
    told: list[tuple[int, int]] = []
    context = report_compile_progress("compiling_example", lambda *step: told.append(step))
    context.__enter__()
    numba_module.inner(1)
    assert not context.__exit__(ZeroDivisionError, ZeroDivisionError(), None)
    assert told == [(0, 3), (1, 3)]


def test_numba_is_not_loaded_when_nobody_asks_for_progress() -> None:
    program = """
import sys
from engine.kernels.compile_progress import report_compile_progress
with report_compile_progress("engine", None):
    print("numba" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)  # noqa: S603 - the text above
    assert done.stdout == "False\n"
