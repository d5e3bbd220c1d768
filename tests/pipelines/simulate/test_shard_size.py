"""The number of shards of a run: many while progress can be seen, one for a run that is played in a moment."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pipelines.design.designs import design_comparison, design_simulation
from pipelines.simulate import shards
from pipelines.simulate.shards import MAX_SHARDS, MIN_SHARDS, blocks_per_shard

if TYPE_CHECKING:
    from engine.ruleset import Ruleset


@pytest.mark.parametrize(
    ("blocks", "seconds", "wanted"),
    [
        (10, 0.001, 10),
        (10, 1.0, 1),
        (200, 0.001, 200),
        (320, 0.1, 20),
        (320, 1.0, 4),
        (1_000_000, 0.0001, 15_625),
        (1_000_000, 10.0, 245),
    ],
)
def test_a_run_is_one_shard_only_if_the_compiled_game_plays_it_in_a_moment(
    ruleset: Ruleset, monkeypatch: pytest.MonkeyPatch, blocks: int, seconds: float, wanted: int
) -> None:
    monkeypatch.setattr(shards, "_time_compiled_block", lambda *_: (64, seconds))
    assert blocks_per_shard(design_simulation(ruleset, ["greedy", "random"], blocks=blocks)) == wanted
    assert -(-blocks // wanted) <= MAX_SHARDS


def test_a_comparison_until_decided_can_end_after_each_of_its_first_blocks(
    ruleset: Ruleset, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shards, "_time_compiled_block", lambda *_: (64, 1e-6))
    planned = design_comparison(ruleset, ["greedy", "random"], blocks=400, until_decided=True)
    assert blocks_per_shard(planned) == planned.blocks // MIN_SHARDS
