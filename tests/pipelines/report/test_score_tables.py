"""Tables of answers in the words and numbers of people."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import numpy as np

from pipelines.experiments.review_results import Candidate, Decision
from pipelines.questions.measured import Measured
from pipelines.questions.scores.distributions import GroupScores, ResultInRange
from pipelines.report.game import decision_table
from pipelines.report.score_tables import tabulate_distributions, tabulate_results
from pipelines.statistics import Distribution, Interval

if TYPE_CHECKING:
    from pipelines.experiments.review_results import Review


def test_a_list_of_results_counts_players_from_1_and_has_moves() -> None:
    table = tabulate_results(
        "Results", [ResultInRange("demo", 3, 0, "greedy", 12, 1, 20, 61, is_logged=True)]
    )
    assert list(zip(table.columns, table.rows[0], strict=True)) == [
        ("score", 12),
        ("player", 1),
        ("strategy", "greedy"),
        ("game", 4),
        ("rank", 1),
        ("rounds", 20),
        ("moves", 61),
        ("run", "demo"),
    ]
    assert table.links == ("replay?run=demo&game-number=4",)
    unlogged = [ResultInRange("demo", 3, 0, "greedy", 12, 1, 20, 61, is_logged=False)]
    table = tabulate_results("Results", unlogged)
    assert (table.links, table.caption) == ((), "Their plies were not logged.")


def test_a_mean_without_an_interval_has_a_real_minus_sign_and_says_why() -> None:
    scores = Distribution(np.array([-3, -2]), np.array([1, 1]))
    group = GroupScores("bloxx-2p", "BLOXX!", "", "random", "random", scores, Measured(None, 1), 2)
    table = tabulate_distributions([group])
    cells = dict(zip(table.columns, table.texts[0], strict=True))
    assert (cells["mean"], cells["from"], cells["to"]) == ("\N{MINUS SIGN}2.50", "\N{EN DASH}", "\N{EN DASH}")
    assert table.caption == "An interval needs at least two blocks of games."


def test_the_wins_lost_are_numbers_also_where_a_decision_is_judged_by_points() -> None:
    equal, won = Interval(0, 0, 0), Interval(0.004348, 0.000004, 0.041)
    chosen = Candidate(
        action=0, notation="out", score=equal, win_share=won, n=96, points_behind=equal, wins_behind=equal
    )
    lost = Interval(0.01, -0.02, 0.04)
    decided = Decision(
        3, 0, 2, chosen, chosen, equal, lost, "good", "good", win_nearly_decided=True, candidates=(chosen,)
    )
    decisions = [decided, replace(decided, lost_wins=equal), replace(decided, win_nearly_decided=False)]
    table = decision_table(cast("Review", SimpleNamespace(decisions=decisions)), every=True)
    judged, wins = (
        [row[table.columns.index(name)] for row in table.rows] for name in ("judged by", "wins of 100 lost")
    )
    assert judged == ["points", "points", "wins"]
    assert wins == ["1.0 (\N{MINUS SIGN}2.0 to 4.0)", "0 exactly", "1.0 (\N{MINUS SIGN}2.0 to 4.0)"]
    assert "judged by points" in table.caption
