"""Tables of answers in the words and numbers of people."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pipelines.experiments.review_results import Candidate, Decision
from pipelines.questions.measured import Measured
from pipelines.questions.scores.distributions import GroupScores, ResultInRange
from pipelines.report.game import describe_decided
from pipelines.report.score_tables import tabulate_distributions, tabulate_results
from pipelines.statistics import Distribution, Interval


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


def test_a_mean_without_an_interval_has_a_real_minus_sign_and_says_why() -> None:
    scores = Distribution(np.array([-3, -2]), np.array([1, 1]))
    group = GroupScores("bloxx-2p", "BLOXX!", "", "random", "random", scores, Measured(None, 1), 2)
    table = tabulate_distributions([group])
    cells = dict(zip(table.columns, table.texts[0], strict=True))
    assert (cells["mean"], cells["from"], cells["to"]) == ("\N{MINUS SIGN}2.50", "\N{EN DASH}", "\N{EN DASH}")
    assert table.caption == "An interval needs at least two blocks of games."


def test_a_win_is_called_settled_only_where_the_rules_determine_it() -> None:
    equal, won = Interval(0, 0, 0), Interval(0.004348, 0.000004, 0.041)
    chosen = Candidate(
        action=0, notation="out", score=equal, win_share=won, n=96, points_behind=equal, wins_behind=equal
    )
    lost = Interval(0.01, -0.02, 0.04)
    decision = Decision(
        3, 0, 2, chosen, chosen, equal, lost, "good", "good", win_nearly_decided=True, candidates=(chosen,)
    )
    assert describe_decided(decision) == "won 0.4 (0.0 to 4.1) of 100"
    assert describe_decided(replace(decision, lost_wins=equal)) == "settled"
