"""Examples in docstrings are true."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import pipelines

MODULES = [
    found.name
    for found in pkgutil.walk_packages(pipelines.__path__, "pipelines.")
    if not found.name.endswith((".__main__", ".aec"))  # the latter wants an extra
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings_hold(name: str) -> None:
    failed, _ = doctest.testmod(importlib.import_module(name))
    assert failed == 0
