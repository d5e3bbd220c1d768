"""A library with a run of each kind of answer, which the tests of sheets share and do not change."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pipelines.design.designs import design_comparison
from pipelines.runs.library import Library
from pipelines.simulate.simulate import simulate_run
from tests.dashboard.pages import open_dashboard_page, scan_packages_once

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.ruleset import Ruleset

__all__ = ["open_dashboard_page", "scan_packages_once"]


@pytest.fixture(scope="session")
def answered_library(
    tmp_path_factory: pytest.TempPathFactory, play_run: Callable[..., None], ruleset: Ruleset
) -> Library:
    """A run `plain` with a log and a comparison `duel` of the same strategies."""
    folder = tmp_path_factory.mktemp("answered")
    play_run(folder, "plain", ruleset.name, "greedy", "random")
    duel = design_comparison(ruleset, ["greedy", "random"], blocks=20, seed=3)
    simulate_run(duel, folder / "runs" / "duel.duckdb", workers=1)
    return Library(folder)
