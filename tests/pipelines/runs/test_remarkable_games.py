"""The closest finish and the largest comeback of a run, counted again from its games by the plain rules."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from engine import games
from engine.play import replay_actions
from pipelines.runs.library import Library
from pipelines.runs.remarkable_games import find_closest_finish, find_largest_comeback

if TYPE_CHECKING:
    from collections.abc import Callable

    from pipelines.runs.run import Run


@pytest.fixture(
    scope="module", params=[("bloxx-3p", "greedy", "greedy", "random"), ("blokus-dice-2p", "greedy")]
)
def run(
    request: pytest.FixtureRequest, play_run: Callable[..., None], tmp_path_factory: pytest.TempPathFactory
) -> Run:
    """A run of 24 games; in the second one the lowest score wins."""
    folder = tmp_path_factory.mktemp("remarkable")
    ruleset, *lineup = request.param
    play_run(folder, "played", ruleset, *(lineup if len(lineup) > 1 else 2 * lineup))
    return Library(folder).run("played")


def logged_winners(run: Run) -> dict[int, int]:
    """Return the winner of each logged game that has exactly one."""
    winners = {}
    for game_id in range(run.summary.games):
        first = [seat.seat for seat in run.seats(game_id) if seat.rank == 1]
        if run.game(game_id).logged and len(first) == 1:
            winners[game_id] = first[0]
    return winners


def test_the_closest_finish_has_the_smallest_margin(run: Run) -> None:
    margins = {}
    for game_id in logged_winners(run):
        scores = {seat.rank: seat.score for seat in run.seats(game_id)}
        margins[game_id] = abs(scores[1] - scores[2])
    with run.connect() as connection:
        found = find_closest_finish(connection)
    assert found
    assert (found.lead, found.game_id) == min((margin, game_id) for game_id, margin in margins.items())


def test_the_largest_comeback_is_that_of_the_scores_after_each_round(run: Run) -> None:
    deficits: dict[int, int] = {}
    for game_id, winner in logged_winners(run).items():
        ruleset = run.ruleset(run.game(game_id).ruleset)
        states = list(replay_actions(games.find_game(ruleset.game).start(ruleset), run.actions(game_id)))
        sign = -1 if ruleset.lowest_wins else 1
        rounds = [
            (before.round, [sign * score for score in after.scores])
            for before, after in pairwise(states)
            if before.seat >= 0
        ]
        ends = dict(rounds)  # the last ply of each round counts
        for number, scores in ends.items():
            if number >= run.game(game_id).rounds / 2:
                behind = max(scores[:winner] + scores[winner + 1 :]) - scores[winner]
                deficits[game_id] = max(behind, deficits.get(game_id, 0))
    with run.connect() as connection:
        found = find_largest_comeback(connection)
    largest = max(deficits.values())
    assert (found.deficit if found else 0) == largest
    assert found is None or found.game_id == min(one for one, points in deficits.items() if points == largest)
