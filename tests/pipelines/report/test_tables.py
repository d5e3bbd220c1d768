"""Tables of answers in the words and numbers of people."""

from __future__ import annotations

from pipelines.questions.scores.results_in_range import ResultInRange
from pipelines.report.tables.scores import tabulate_results


def test_a_list_of_results_counts_players_from_1_and_has_moves() -> None:
    table = tabulate_results(
        "Results", [ResultInRange("demo", 3, 0, "greedy", 12, 1, 20, 61, is_logged=True)]
    )
    assert dict(zip(table.columns, table.rows[0], strict=True)) == {
        "run": "demo",
        "game": 4,
        "player": 1,
        "strategy": "greedy",
        "score": 12,
        "rank": 1,
        "rounds": 20,
        "moves": 61,
    }
