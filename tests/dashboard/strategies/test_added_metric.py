"""A measure is one record: what adds it to `METRICS` adds it to verdicts, options, forms and tables."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from pipelines.cli import app
from pipelines.design.metrics import METRICS, Metric, PlaceResults
from pipelines.runs.library import Library
from tests.dashboard.reading import read_tables

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray
    from streamlit.testing.v1 import AppTest


def measure_worst_seat(game: PlaceResults) -> NDArray[np.float64]:
    worst: NDArray[np.float64] = game.scores[:, game.own].min(axis=1).astype(float)
    return worst


@pytest.fixture
def added_metric(monkeypatch: pytest.MonkeyPatch) -> Metric:
    metric = Metric(
        name="worst",
        title="score of the worst seat",
        estimand="the lowest score of {a} minus that of {b}",
        wins="{winner} secures {amount} more than {loser}",
        exceeds="{more} secures {amount} more than {fewer}",
        one="safe point",
        many="safe points",
        measure=measure_worst_seat,
        follows_scores=True,
    )
    monkeypatch.setitem(METRICS, metric.name, metric)
    return metric


@pytest.mark.slow
def test_a_measure_is_added_by_one_record(
    added_metric: Metric, open_dashboard_page: Callable[..., AppTest], tmp_path: Path
) -> None:
    words = ["compare", "bloxx-3p", "greedy", "random", "--blocks", "30", "--metric", added_metric.name]
    options = ["--data", str(tmp_path), "--name", "safe", "--workers", "1", "--quiet"]
    played = CliRunner().invoke(app, [*words, *options, "--json"])
    assert played.exit_code == 0, played.stderr
    answer = json.loads(played.stdout)
    assert answer["verdict"].startswith("greedy secures ")
    assert answer["estimand"].startswith("the lowest score of greedy minus that of random")
    report = (
        CliRunner().invoke(app, ["compare", "--run", "safe", "--details", "--data", str(tmp_path)]).stdout
    )
    assert "A − B in safe points" in " ".join(report.split())

    with Library(tmp_path).run("safe").connect() as connection:
        ((greedy, random),) = connection.execute(
            """
            SELECT avg(score) FILTER (strategy = 'greedy'), avg(score) FILTER (strategy = 'random')
            FROM (SELECT game_id, strategy, min(score) AS score FROM seats GROUP BY ALL)
            """
        ).fetchall()
    assert answer["pairs"][0]["difference"]["estimate"] == pytest.approx(greedy - random)

    at = open_dashboard_page("strategies.py", tmp_path, run="safe", statistics="true")
    assert not at.exception
    assert "A − B in safe points" in read_tables(at)[0][0]
    at = open_dashboard_page("strategies.py", tmp_path, ruleset="bloxx-2p", metric=added_metric.name)
    assert added_metric.title in at.selectbox(key="ask-metric").options
    assert at.selectbox(key="ask-metric").value == added_metric.name
