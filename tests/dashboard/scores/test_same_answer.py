"""Page, study, notebook and command give the same n, mean and interval to one question about scores."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from pipelines.cli.run_report import query_results
from pipelines.notebook.html import run_html
from pipelines.questions.scores.answer import answer_scores
from pipelines.questions.scores.distributions import DistributionsAnswer
from pipelines.questions.scores.question import ScoresQuestion
from pipelines.questions.source import QuestionSource
from pipelines.report.estimates import format_interval
from pipelines.runs.library import Library
from pipelines.statistics import mean_interval
from pipelines.studies.sections import describe_address
from pipelines.studies.sources import StudySource
from tests.dashboard.reading import read_page_text, read_tables

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from streamlit.testing.v1 import AppTest


@pytest.fixture(scope="module")
def scores_library(tmp_path_factory: pytest.TempPathFactory, play_run: Callable[..., None]) -> Library:
    """Two runs of one ruleset with different line-ups."""
    folder: Path = tmp_path_factory.mktemp("scores")
    play_run(folder, "plain", "bloxx-2p", "greedy", "random", games=24)
    play_run(folder, "noise", "bloxx-2p", "greedy", "noisy", games=12, log="scores")
    return Library(folder)


PLAYER_1 = {"rulesets": ["bloxx-2p"], "strategies": ["greedy"], "seats": ["0"]}


@pytest.mark.parametrize(
    "address",
    [
        {"rulesets": ["bloxx-2p"]},
        {"rulesets": ["bloxx-2p"], "lineups": ["all"]},
        {"rulesets": ["bloxx-2p"], "runs": ["plain"]},
        PLAYER_1,
        {**PLAYER_1, "runs": ["plain"]},
        {"rulesets": ["bloxx-2p"], "compare": ["Players"], "runs": ["plain"]},
        {"rulesets": ["bloxx-2p"], "of": ["Gaps"], "runs": ["plain"]},
    ],
)
def test_page_and_study_give_the_same_n_mean_and_interval(
    scores_library: Library, open_dashboard_page: Callable[..., AppTest], address: dict[str, list[str]]
) -> None:
    section = describe_address(StudySource(scores_library), "scores", address)
    at = open_dashboard_page("scores.py", scores_library.folder, **address)
    assert not at.exception
    assert not at.warning
    assert not section.warning
    shown = read_tables(at)[0]
    (table,) = section.tables
    assert len(shown) == len(table.rows) > 0
    for row, (_, results, blocks, mean, _) in zip(shown, table.texts, strict=True):
        assert (f"{row['results']:,}", f"{row['blocks']:,}") == (results, blocks)
        estimate, low, high = map(float, re.findall(r"-?[\d.]+", mean.replace("−", "-")))
        half = float(str(row["± 95 %"]))
        assert estimate == pytest.approx(float(str(row["mean"])), abs=0.51 * 10 ** -count_digits(mean))
        assert (high - low) / 2 == pytest.approx(half, abs=1.1 * 10 ** -count_digits(mean))
    assert section.verdict.partition(" ")[0].lower() in read_page_text(at).lower()


def count_digits(text: str) -> int:
    """Return the number of decimals of the first number of a text."""
    found = re.search(r"\d+(?:\.(\d+))?", text)
    return len(found[1] or "") if found else 0


def test_a_filter_by_player_counts_the_results_of_that_seat_only(
    scores_library: Library, open_dashboard_page: Callable[..., AppTest]
) -> None:
    """The truth is counted result by result, so that a wrong filter on the page is found."""
    results = []
    for name in ("plain", "noise"):
        with scores_library.run(name).connect() as connection:
            results += connection.execute(
                "SELECT score FROM seats WHERE strategy = 'greedy' AND seat = 0"
            ).fetchall()
    scores = [score for (score,) in results]
    pooled = {**PLAYER_1, "lineups": ["all"]}
    at = open_dashboard_page("scores.py", scores_library.folder, **pooled)
    (row,) = read_tables(at)[0]
    assert (row["strategy"], row["results"]) == ("greedy", len(scores))
    assert row["mean"] == pytest.approx(sum(scores) / len(scores), abs=0.0051)
    assert f"{len(scores)} results from 2 runs." in read_page_text(at)
    section = describe_address(StudySource(scores_library), "scores", pooled)
    assert "Player 1 only, greedy only." in section.basis
    assert [table_row[0] for table_row in section.tables[0].rows] == ["greedy"]


@pytest.mark.parametrize(
    ("filters", "count"),
    [
        ({}, "48 results from 1 run."),
        ({"lineups": ["all"]}, "72 results from 2 runs."),
        ({"lineups": ["greedy, noisy:sigma=2.3"]}, "24 results from 1 run."),
        ({"runs": ["plain"]}, "48 results from 1 run."),
        ({"seats": ["1"], "lineups": ["all"]}, "36 results from 2 runs."),
        ({"strategies": ["random"]}, "24 results from 1 run."),
        ({"strategies": ["noisy:sigma=2.3"]}, "12 results from 1 run."),
        ({"compare": ["Players"], "runs": ["noise"]}, "24 results from 1 run."),
    ],
)
def test_the_count_of_results_beside_the_numbers_is_that_of_the_results(
    scores_library: Library,
    open_dashboard_page: Callable[..., AppTest],
    filters: dict[str, list[str]],
    count: str,
) -> None:
    at = open_dashboard_page("scores.py", scores_library.folder, rulesets=["bloxx-2p"], **filters)
    assert count in read_page_text(at)
    assert sum(int(str(row["results"])) for row in read_tables(at)[0]) == int(count.partition(" ")[0])


def test_notebook_and_command_give_the_numbers_of_the_question_on_their_run(scores_library: Library) -> None:
    run = scores_library.run("plain")
    question = ScoresQuestion(rulesets=("bloxx-2p",), runs=("plain",))
    answer, _ = answer_scores(question, QuestionSource(scores_library))
    assert isinstance(answer, DistributionsAnswer)
    with run.connect() as connection:
        blocks = dict(
            connection.execute(
                "SELECT strategy, list(score ORDER BY block) FROM (SELECT strategy, block, avg(score) AS score "
                "FROM seats JOIN games USING (game_id) GROUP BY ALL) GROUP BY ALL"
            ).fetchall()
        )
    html, rows = run_html(run), {row[1]: row for row in query_results(run)}
    for one in answer.groups:
        own = blocks[one.strategy]
        sd = (sum((score - sum(own) / len(own)) ** 2 for score in own) / (len(own) - 1)) ** 0.5
        assert one.mean.interval == pytest.approx(mean_interval(sum(own) / len(own), sd, len(own)))
        assert rows[one.strategy][2:4] == (24, format_interval(one.mean.interval))
        assert format_interval(one.mean.interval) in html
