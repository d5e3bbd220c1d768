"""The runs that the tests of the page Strategies look at."""

from __future__ import annotations

import pytest

from engine.catalogue import Catalogue
from pipelines.design.designs import design_comparison
from pipelines.runs.library import Library
from pipelines.simulate.simulate import simulate_run


@pytest.fixture(scope="package")
def comparison_library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """A library of a duel, a round robin in which a strategy never wins, and one in which all strategies have a rating."""
    library = Library(tmp_path_factory.mktemp("compared"))
    catalogue = Catalogue()
    duel = design_comparison(catalogue.find_ruleset("bloxx-3p"), ["greedy", "random"], blocks=30, seed=3)
    simulate_run(duel, library.runs_folder / "duel.duckdb", workers=1)
    three = ["greedy", "noisy", "random"]
    robin = design_comparison(catalogue.find_ruleset("bloxx-2p"), three, blocks=30, seed=4, log="scores")
    simulate_run(robin, library.runs_folder / "robin.duckdb", workers=1)
    close = design_comparison(
        catalogue.find_ruleset("bloxx-2p"),
        ["greedy", "noisy", "noisy:sigma=9"],
        blocks=30,
        seed=4,
        log="scores",
    )
    simulate_run(close, library.runs_folder / "close.duckdb", workers=1)
    return library
