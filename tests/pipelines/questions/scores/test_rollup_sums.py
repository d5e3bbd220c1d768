"""The difference of two strategies or rulesets, paired by luck, agrees with one that is computed result by result."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from pipelines.questions.scores.rollup_sums import ScoreGroup, difference_of_means
from pipelines.runs.library import Library, connect_runs
from pipelines.statistics import group_difference, mean_interval

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture(scope="module")
def runs_of_one_seed(tmp_path_factory: pytest.TempPathFactory, play_run: Callable[..., None]) -> Library:
    """Two runs with the same luck under two rulesets."""
    folder: Path = tmp_path_factory.mktemp("library")
    play_run(folder, "plain", "bloxx-2p", "greedy", "random", games=60)
    play_run(folder, "touch", "bloxx-touch-2p", "greedy", "random", games=60)
    return Library(folder)


@pytest.mark.parametrize("seats", [(), (1,)])
def test_two_strategies_of_a_run_are_paired_by_block(
    runs_of_one_seed: Library, seats: tuple[int, ...]
) -> None:
    run = runs_of_one_seed.run("plain")
    sha256 = run.summary.rulesets[0].sha256
    groups = [ScoreGroup(sha256, name) for name in ("greedy", "random")]
    with connect_runs([run]) as connection:
        found = difference_of_means(connection, groups[0], groups[1], seats)
    table = run.pandas("SELECT score, strategy, seat, block FROM seats JOIN games USING (game_id)")
    table = table[table["seat"].isin(seats or (0, 1))]
    right = group_difference(
        table["score"].to_numpy(np.float64),
        (table["strategy"] == "greedy").to_numpy(bool),
        np.unique(table["block"], return_inverse=True)[1],
    )
    assert found
    assert right
    assert tuple(found.score) == pytest.approx(tuple(right.difference))


def test_equal_blocks_of_two_runs_with_the_same_seed_are_one_block(runs_of_one_seed: Library) -> None:
    """So the interval is that of the differences of blocks, as a paired t-interval has it."""
    runs = [runs_of_one_seed.run(name) for name in ("plain", "touch")]
    groups = [ScoreGroup(run.summary.rulesets[0].sha256, "greedy") for run in runs]
    with connect_runs(runs) as connection:
        found = difference_of_means(connection, groups[1], groups[0], ())
    means = [
        run.pandas(
            "SELECT avg(score) AS score FROM seats JOIN games USING (game_id) WHERE strategy = 'greedy' "
            "GROUP BY block ORDER BY block"
        )["score"].to_numpy(np.float64)
        for run in runs
    ]
    change = means[1] - means[0]
    right = mean_interval(float(change.mean()), float(change.std(ddof=1)), len(change))
    assert found
    assert right
    assert tuple(found.score) == pytest.approx(tuple(right))


def test_too_few_blocks_have_no_difference(small_library: Library) -> None:
    run = small_library.run("three")
    group = ScoreGroup(run.summary.rulesets[0].sha256, "greedy")
    with connect_runs([run]) as connection:
        assert difference_of_means(connection, group, group._replace(strategy="random"), ()) is None
