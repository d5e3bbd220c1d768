"""The list of results in a range holds those that plain Python finds among all results of a run."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pipelines.questions.scores.distributions import list_results_in_range
from pipelines.questions.scores.scope import scope_of_run
from pipelines.questions.source import QuestionSource

if TYPE_CHECKING:
    from pipelines.runs.library import Library


@pytest.mark.parametrize("part", ["", "gaps"])
@pytest.mark.parametrize(("strategies", "seats"), [((), ()), ((), (0, 2)), (("greedy",), (1,))])
def test_a_range_lists_the_results_of_the_chosen_players_and_strategies(
    small_library: Library,
    strategies: tuple[str, ...],
    seats: tuple[int, ...],
    part: str,
) -> None:
    run = small_library.run("three")
    low, high = (-12, -4) if part else (-20, 30)
    rows = run.arrow(f"SELECT game_id, seat, points FROM parts WHERE part = '{part}'").to_pylist()  # noqa: S608 - a name of this test
    points = {(row["game_id"], row["seat"]): row["points"] for row in rows}
    right = [
        (run.name, game, one.seat, one.strategy, one.score)
        for game in range(run.summary.games)
        for one in run.list_seats(game)
        if low <= (points[game, one.seat] if part else one.score) <= high
        and (not strategies or one.strategy in strategies)
        and (not seats or one.seat in seats)
    ]
    scope = scope_of_run(run, run.summary.rulesets[0].sha256)
    scope = replace(scope, strategies=strategies or scope.strategies, seats=seats)
    source = QuestionSource(small_library)
    listed = list_results_in_range(scope, source, part, (low, high), 1000)
    assert right
    assert [one[:5] for one in listed] == right
    first = list_results_in_range(scope, source, part, (low, high), 1)
    assert first == listed[:1]
