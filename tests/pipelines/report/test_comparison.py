"""A comparison names what the games of a block share: only what they really do."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pipelines.experiments.comparison import compare_strategies
from pipelines.report.comparison import describe_basis
from reroll import Library

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("ruleset", "strategies", "opening", "shared"),
    [
        ("bloxx-2p", ("greedy", "random"), 0, "The 2 games of a block have the same dice and differ in"),
        ("bloxx-2p", ("greedy", "random"), 3, "have the same dice and opening and differ in"),
        ("blokus-duo", ("noisy", "random"), 4, "The 2 games of a block have the same opening and differ in"),
        ("blokus-duo", ("noisy", "random"), 0, "The 2 games of a block differ in who plays which seat."),
    ],
)
def test_the_basis_names_only_what_the_games_of_a_block_share(
    tmp_path: Path, ruleset: str, strategies: tuple[str, ...], opening: int, shared: str
) -> None:
    run = Library(tmp_path).simulate(ruleset, strategies, blocks=3)
    comparison = replace(compare_strategies(run, with_controls=False), opening=opening)
    assert shared in describe_basis(comparison)
