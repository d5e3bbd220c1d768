"""What all tests share: the shipped rulesets, and a small library of real games."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from engine.catalogue import Catalogue
from pipelines.design import design
from pipelines.library import Library
from pipelines.simulate import simulate

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture(scope="session")
def catalogue() -> Catalogue:
    """The shipped rulesets."""
    return Catalogue()


@pytest.fixture(scope="session")
def played() -> Callable[..., None]:
    """Plays a small run into a library."""

    def play(folder: Path, name: str, ruleset: str, *lineup: str, games: int = 24, log: str = "full") -> None:
        settled = design(Catalogue().find(ruleset), lineup, games_at_least=games, seed=7, log=log)
        simulate(settled, folder / "runs" / f"{name}.duckdb", workers=1)

    return play


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory, played: Callable[..., None]) -> Library:
    """Three small runs of real games; read only, since every test shares it."""
    folder = tmp_path_factory.mktemp("library")
    played(folder, "three", "bloxx-3p", "greedy", "greedy", "random")
    played(folder, "hanging", "bloxx-touch-3p", "greedy", "greedy", "random")
    played(folder, "scores-only", "bloxx-2p", "greedy", "random", log="scores")
    return Library(folder)
