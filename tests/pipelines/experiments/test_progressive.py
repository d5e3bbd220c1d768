"""Experiments in steps: every block is played once and in order, and stopping ends them after a step."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import pytest

from pipelines.design.designs import design_simulation
from pipelines.experiments.progressive import (
    MAX_DOUBLED_BLOCKS,
    doubling_steps,
    play_design_blocks,
    play_steps,
)
from pipelines.simulate import compiled_games
from pipelines.simulate.shards import timed_steps

if TYPE_CHECKING:
    from engine.catalogue import Catalogue


def join_lists(first: list[int], second: list[int]) -> list[int]:
    return first + second


def test_doubling_steps_play_as_many_blocks_as_all_steps_before() -> None:
    steps = list(doubling_steps(300, first=60))
    assert [len(step.blocks) for step in steps] == [60, 60, 120, 60]
    assert [step.is_last for step in steps] == [False, False, False, True]
    assert [step.blocks for step in doubling_steps(7, first=60)] == [range(7)]


def test_doubling_steps_stop_growing_so_that_stopping_loses_little() -> None:
    sizes = [len(step.blocks) for step in doubling_steps(100_000, first=60)]
    assert max(sizes) == MAX_DOUBLED_BLOCKS
    assert sum(sizes) == 100_000


def test_timed_steps_follow_the_time_that_a_step_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fast steps double; a step that takes four times the planned time is followed by one of a quarter."""
    clock = itertools.chain([0.0, 0.01, 1.0, 1.01, 2.0, 3.6], itertools.repeat(9.0))
    monkeypatch.setattr("pipelines.simulate.shards.time.monotonic", lambda: next(clock))
    steps = timed_steps(80)
    assert [len(step.blocks) for step in steps] == [10, 20, 40, 10]


@pytest.mark.parametrize("total", [1, 10, 57])
def test_every_block_is_played_once_and_in_order(total: int) -> None:
    results = list(play_steps(timed_steps(total), list, join_lists))
    assert results[-1] == (list(range(total)), True)
    assert [is_over for _, is_over in results[:-1]] == [False] * (len(results) - 1)


def test_a_stopped_experiment_ends_after_its_step() -> None:
    assert list(play_steps(timed_steps(50), list, join_lists, stopped=lambda: True)) == [
        (list(range(10)), True)
    ]


def test_the_plain_rules_play_the_same_blocks(catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch) -> None:
    design = design_simulation(catalogue.find_ruleset("bloxx-2p"), ["greedy", "random"], blocks=4, seed=1)
    compiled = play_design_blocks(design, range(1, 3))
    monkeypatch.setattr(compiled_games, "find_design_kernel", lambda _: None)
    plain = play_design_blocks(design, range(1, 3))
    assert all(plain[name].to_pylist() == compiled[name].to_pylist() for name in ("games", "seats"))
