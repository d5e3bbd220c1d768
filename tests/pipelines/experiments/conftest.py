"""Runs that tests of comparisons share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pipelines.design.designs import design_comparison
from pipelines.simulate.simulate import simulate_run

if TYPE_CHECKING:
    from engine.catalogue import Catalogue
    from pipelines.runs.run import Run


@pytest.fixture(scope="session")
def duel_run(catalogue: Catalogue, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Return a run with twelve blocks of a duel with three seats."""
    planned = design_comparison(catalogue.find_ruleset("bloxx-3p"), ["greedy", "random"], blocks=12, seed=7)
    return simulate_run(planned, tmp_path_factory.mktemp("duel") / "duel.duckdb", workers=1)


@pytest.fixture(scope="session")
def opening_run(catalogue: Catalogue, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Return a run with four blocks of a game without dice."""
    planned = design_comparison(catalogue.find_ruleset("blokus-3p"), ["greedy", "random"], blocks=4, seed=7)
    return simulate_run(planned, tmp_path_factory.mktemp("opened") / "opened.duckdb", workers=1)
