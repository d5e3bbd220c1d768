"""The progress of compiling is reported function by function."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING

import pytest

from engine.kernels.code_cache import report_compile_progress

if TYPE_CHECKING:
    from tests.processes import RunProcess

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
    """A module with two functions to compile, one that is already compiled, and one that is never called."""
    module = ModuleType("compiling_example")
    exec(MODULE_SOURCE, vars(module))  # noqa: S102 - the text above
    monkeypatch.setitem(sys.modules, module.__name__, module)
    return module


def test_functions_are_counted_as_they_are_compiled(numba_module: ModuleType) -> None:
    steps: list[tuple[int, int]] = []
    with report_compile_progress("compiling_example", lambda *step: steps.append(step)):
        assert numba_module.outer(1) == 4
        assert steps == [(0, 3), (1, 3), (2, 3)]
    assert steps[-1] == (3, 3)


def test_other_types_of_arguments_count_once_and_other_modules_never(numba_module: ModuleType) -> None:
    steps: list[tuple[int, int]] = []
    with report_compile_progress("compiling_example", lambda *step: steps.append(step)):
        numba_module.inner(1)
        numba_module.inner(1.5)
        numba.njit(lambda x: x)(1)
    assert steps == [(0, 3), (1, 3), (3, 3)]


def test_an_error_does_not_report_the_total(numba_module: ModuleType) -> None:
    steps: list[tuple[int, int]] = []
    context = report_compile_progress("compiling_example", lambda *step: steps.append(step))
    context.__enter__()
    numba_module.inner(1)
    assert not context.__exit__(ZeroDivisionError, ZeroDivisionError(), None)
    assert steps == [(0, 3), (1, 3)]


def test_numba_is_not_imported_without_a_progress_callback(run_process: RunProcess) -> None:
    program = """
import sys
from engine.kernels.code_cache import report_compile_progress
with report_compile_progress("engine", None):
    print("numba" in sys.modules)
"""
    done = run_process([sys.executable, "-c", program], check=True)
    assert done.stdout == "False\n"
