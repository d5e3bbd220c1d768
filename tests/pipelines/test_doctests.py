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
    if "__main__" not in found.name
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings_hold(name: str) -> None:
    failed, _ = doctest.testmod(importlib.import_module(name))
    assert failed == 0
