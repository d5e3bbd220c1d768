"""Compiling tells how far it is."""

from __future__ import annotations

import subprocess
import sys
from types import ModuleType

import pytest

from engine.kernels.compile_progress import watched

numba = pytest.importorskip("numba")

SOURCE = """
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
def module(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A module with two functions to compile, one that is compiled already, and one that nobody calls."""
    made = ModuleType("compiling_example")
    exec(SOURCE, vars(made))  # noqa: S102 - the text above
    monkeypatch.setitem(sys.modules, made.__name__, made)
    return made


def test_functions_are_counted_as_they_are_compiled(module: ModuleType) -> None:
    told: list[tuple[int, int]] = []
    with watched("compiling_example", lambda *step: told.append(step)):
        assert module.outer(1) == 4
        assert told == [(0, 3), (1, 3), (2, 3)]
    assert told[-1] == (3, 3)


def test_other_types_of_arguments_count_once_and_other_modules_never(module: ModuleType) -> None:
    told: list[tuple[int, int]] = []
    with watched("compiling_example", lambda *step: told.append(step)):
        module.inner(1)
        module.inner(1.5)
        numba.njit(lambda x: x)(1)
    assert told == [(0, 3), (1, 3), (3, 3)]


def test_an_error_does_not_look_like_the_end(module: ModuleType) -> None:
    told: list[tuple[int, int]] = []
    context = watched("compiling_example", lambda *step: told.append(step))
    context.__enter__()
    module.inner(1)
    assert not context.__exit__(ZeroDivisionError, ZeroDivisionError(), None)
    assert told == [(0, 3), (1, 3)]


def test_nothing_is_loaded_for_nobody() -> None:
    program = """
import sys
from engine.kernels.compile_progress import watched
with watched("engine", None):
    print("numba" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)  # noqa: S603 - the text above
    assert done.stdout == "False\n"
