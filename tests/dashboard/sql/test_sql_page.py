"""Ask your own question: every example runs, mistakes are told where they stand, and nothing else is possible."""

from __future__ import annotations

import io
import re
import time
from typing import TYPE_CHECKING, Any

import pandas as pd
import pyarrow as pa
import pytest

from dashboard.widgets.tables import make_frame
from pipelines.questions.games import find_remarkable_game
from pipelines.questions.measured import Basis
from pipelines.questions.sql import SqlAnswer, SqlQuestion
from pipelines.report.query_examples import QUERY_EXAMPLES, example_settings
from pipelines.report.show.figures import build_figure
from pipelines.report.show.html import draw_chart
from pipelines.report.sql import compose_sql, list_numeric_columns, tabulate_answer
from pipelines.runs.library import Library
from pipelines.runs.query import Answer, answer_query
from pipelines.runs.query_parameters import bind_parameters, find_parameters
from tests.dashboard.reading import read_page_text, read_verbatim_texts

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from streamlit.testing.v1 import AppTest

    from pipelines.report.query_examples import QueryExample
    from pipelines.runs.library import Run
    from pipelines.runs.query_parameters import ParameterValue


@pytest.fixture
def open_sql_page(open_dashboard_page: Callable[..., AppTest]) -> Callable[..., AppTest]:
    """Open the page at a query, and wait for its answer."""

    def open_and_ask(*folder: Path, **address: str | list[str]) -> AppTest:
        return wait_for_answer(click_to_answer(open_dashboard_page("sql.py", *folder, **address)))

    return open_and_ask


def click_to_answer(at: AppTest) -> AppTest:
    """Have the query of the address answered, if it waits for a click."""
    button = next((button for button in at.button if button.key == "answer-address"), None)
    return button.click().run() if button else at


def wait_for_answer(at: AppTest) -> AppTest:
    """Refresh the page until the answer is there."""
    deadline = time.monotonic() + 30
    while any("stopped after" in str(getattr(one.proto, "text", "")) for one in at.get("progress")):
        assert time.monotonic() < deadline
        time.sleep(0.2)
        at.run()
    return at


every_example = pytest.mark.parametrize("example", QUERY_EXAMPLES, ids=lambda example: example.title)


@every_example
def test_an_example_runs_and_its_chart_fits(library: Library, example: QueryExample) -> None:
    runs = library.runs()
    parameters = bind_parameters(example.sql, example_settings(example.sql, runs), {}, runs)
    question = SqlQuestion(sql=example.sql, chart=example.kind, x=example.x, y=example.y)
    answered = SqlAnswer(
        question, answer_query(runs, example.sql, parameters=parameters), parameters, Basis()
    )
    table = tabulate_answer(answered)
    assert len(table.rows) > 0
    assert max(map(len, example.sql.splitlines())) <= 52, "breaks in the editor"
    sheet = compose_sql(answered, lambda _: {})
    assert re.fullmatch(r"[A-Z\d].*\d.*\.", sheet.verdict)
    assert not sheet.warnings
    assert set(example.words) <= set(table.columns)
    if example.kind:
        assert example.y in list_numeric_columns(table)
        (chart,) = sheet.charts
        figure = build_figure(chart)
        drawn = sum(len(trace.x or ()) for trace in figure.data)
        assert drawn >= len(table.rows), "each row has a mark, and a line may have points of its own"
        assert "_" not in str(figure.layout.yaxis.title.text)
        assert draw_chart(chart)
    parquet = io.BytesIO()
    make_frame(table).to_parquet(parquet, index=False)
    assert len(pd.read_parquet(parquet)) == len(table.rows)


def test_an_example_keeps_the_ruleset_that_is_chosen_if_its_log_has_the_answer(
    tmp_path: Path, play_run: Callable[..., None]
) -> None:
    """Spexxx has no pieces; the example about pieces was empty where the largest run is one of Spexxx."""
    play_run(tmp_path, "alone", "spexxx-2p", "greedy", "greedy", games=16)
    play_run(tmp_path, "cubes", "spexxx-4p", "greedy", "random", "builder", "noisy", games=12)
    play_run(tmp_path, "shapes", "bloxx-2p", "greedy", "random", games=4)
    play_run(tmp_path, "more", "bloxx-3p", "greedy", "random", "noisy", games=6)
    runs = Library(tmp_path).runs()
    first, pieces = (
        next(one.sql for one in QUERY_EXAMPLES if one.title == title)
        for title in ("Who scores how much?", "Which pieces come first?")
    )
    assert example_settings(first, runs) == {"run": "cubes"}
    assert example_settings(pieces, runs) == {"ruleset": "bloxx-3p"}
    assert example_settings(pieces, runs, {"ruleset": "spexxx-4p"}) == {"ruleset": "bloxx-3p"}
    assert example_settings(pieces, runs, {"run": "shapes"}) == {"ruleset": "bloxx-2p"}
    assert example_settings(pieces, runs, {"ruleset": "bloxx-2p"}) == {"ruleset": "bloxx-2p"}
    assert example_settings(first, runs, {"ruleset": "bloxx-2p"}) == {"run": "shapes"}
    parameters = bind_parameters(pieces, example_settings(pieces, runs), {}, runs)
    assert answer_query(runs, pieces, parameters=parameters).rows


def test_the_first_example_gives_one_mean_for_each_strategy_of_one_run(library: Library) -> None:
    """Means over several rulesets, games or mixes of opponents would mean nothing."""
    example, runs = QUERY_EXAMPLES[0], library.runs()
    parameters = bind_parameters(example.sql, example_settings(example.sql, runs), {}, runs)
    answer = answer_query(runs, example.sql, parameters=parameters)
    found = {strategy: (n, mean) for strategy, n, mean, _half in answer.rows}
    run = next(run for run in runs if run.name == parameters["run"])
    with run.connect() as connection:
        rows = connection.execute(
            "SELECT strategy, count(*), avg(score) FROM seats GROUP BY strategy"
        ).fetchall()
    assert len(answer.rows) == len(found) == len(rows)
    for strategy, n, mean in rows:
        assert found[strategy] == (n, pytest.approx(mean))


def test_the_closest_games_of_the_example_are_those_with_the_smallest_margin_of_the_winner(
    library: Library,
) -> None:
    """As everywhere else: the winner's distance to the next player, not to the last one."""
    (example,) = [one for one in QUERY_EXAMPLES if one.title == "Which games were closest?"]
    run = library.run("three")
    values: dict[str, ParameterValue] = {"ruleset": run.summary.rulesets[0].name}
    _, game_id, margin, _ = answer_query([run], example.sql, parameters=values).rows[0]
    closest = find_remarkable_game(run, "margin", is_lowest=True)
    assert closest
    assert (game_id, margin) == (closest.game_id, closest.value)


@every_example
def test_an_example_has_no_rows_over_an_empty_library(example: QueryExample) -> None:
    values: dict[str, ParameterValue] = {"ruleset": "none", "run": "none", "game_id": 0}
    parameters = {name: values[name] for name in find_parameters(example.sql)}
    assert answer_query([], example.sql, parameters=parameters).rows == []


@every_example
def test_an_example_is_answered_on_the_page(
    open_sql_page: Callable[..., AppTest], example: QueryExample
) -> None:
    at = open_sql_page()
    next(pills for pills in at.button_group if pills.key == "sql-example").set_value(example.title).run()
    wait_for_answer(at)
    assert not at.exception
    assert not at.error
    assert re.fullmatch(r"## [A-Z\d].*\.", at.markdown[0].value)
    assert "row" in read_page_text(at)
    assert len(at.get("plotly_chart")) == bool(example.kind)
    assert at.text_area[0].value == example.sql


def test_the_page_opens_with_the_answer_of_its_first_example_and_its_chart(
    open_sql_page: Callable[..., AppTest], library: Library
) -> None:
    at, example = open_sql_page(), QUERY_EXAMPLES[0]
    assert not at.exception
    assert at.dataframe[0].value.columns.tolist() == ["strategy", "n", "mean", "mean_half"]
    assert len(at.get("plotly_chart")) == 1
    assert next(pills for pills in at.button_group if pills.key == "sql-example").value == example.title
    settings = example_settings(example.sql, library.runs())
    assert f"$run = {settings['run']}" in read_page_text(at).replace("\\", "")
    assert not at.query_params
    assert not read_verbatim_texts(at)  # nobody has asked it yet
    next(button for button in at.button if button.label == "Ask").click().run()
    wait_for_answer(at)
    assert len(at.get("plotly_chart")) == 1
    assert at.query_params["sql"] in (example.sql, [example.sql])
    assert at.query_params["kind"] in (example.kind, [example.kind])
    assert read_verbatim_texts(at) == [example.sql]
    at.text_area[0].set_value("")
    next(button for button in at.button if button.label == "Ask").click().run()
    wait_for_answer(at)
    assert at.text_area[0].value == example.sql


def test_the_editor_shows_the_query_of_the_address_also_after_back(
    open_sql_page: Callable[..., AppTest],
) -> None:
    at = open_sql_page(sql="SELECT 1 AS one")
    at.query_params["sql"] = "SELECT 2 AS two"  # as after Back
    wait_for_answer(at.run())
    assert at.text_area[0].value == "SELECT 2 AS two"
    at.query_params.clear()
    wait_for_answer(at.run())
    assert at.text_area[0].value == QUERY_EXAMPLES[0].sql
    assert "mean_half" in at.dataframe[0].value.columns


def test_a_parameter_of_the_first_answer_is_changed_in_its_field(
    open_sql_page: Callable[..., AppTest], library: Library
) -> None:
    at = open_sql_page()
    box = at.selectbox(key="sql-value-run")
    other = next(name for name in box.options if name != box.value and library.run(name).summary.is_sample)
    box.set_value(other).run()
    wait_for_answer(at)
    assert at.query_params["set"] in (f"run={other}", [f"run={other}"])
    assert f"$run = {other}" in read_page_text(at).replace("\\", "")
    assert len(at.get("plotly_chart")) == 1


def test_a_query_is_put_into_the_address_and_the_history(open_sql_page: Callable[..., AppTest]) -> None:
    at = open_sql_page()
    at.text_area[0].set_value("SELECT 41 + 1 AS answer")
    next(button for button in at.button if button.label == "Ask").click().run()
    wait_for_answer(at)
    assert at.query_params["sql"] in ("SELECT 41 + 1 AS answer", ["SELECT 41 + 1 AS answer"])
    assert at.dataframe[0].value["answer"].tolist() == [42]
    at.text_area[0].set_value("SELECT 1 AS one")
    next(button for button in at.button if button.label == "Ask").click().run()
    wait_for_answer(at)
    assert read_verbatim_texts(at) == ["SELECT 1 AS one", "SELECT 41 + 1 AS answer"]
    at.button(key="sql-again-1").click().run()
    wait_for_answer(at)
    assert at.dataframe[0].value["answer"].tolist() == [42]
    assert at.text_area[0].value == "SELECT 41 + 1 AS answer"


def test_a_typed_query_without_the_columns_of_the_chart_before_is_drawn_without_a_word(
    open_sql_page: Callable[..., AppTest],
) -> None:
    asked = {
        "sql": "SELECT seat AS here, 1 AS number FROM seats LIMIT 2",
        "chart": "bar",
        "x": "here",
        "y": "number",
    }
    at = wait_for_answer(open_sql_page(**asked))
    at.text_area(key="sql-text").set_value("SELECT 2 AS other, 3 AS more")
    next(button for button in at.button if button.label == "Ask").click().run()
    wait_for_answer(at)
    assert [warning.value for warning in at.warning] == []
    assert at.session_state["sql-x"] == "other"


def test_a_mistake_is_shown_with_its_place(open_sql_page: Callable[..., AppTest]) -> None:
    at = open_sql_page(sql="SELECT strategy,\n  scor\nFROM seats")
    assert at.error[0].value.startswith("Line 2, column 3")
    assert "score" in at.error[0].value
    assert at.code[0].value == "  scor\n  ^"
    assert any(caption.value.startswith("DuckDB says: Binder Error") for caption in at.caption)


def test_a_misspelt_word_is_mended_with_one_click(open_sql_page: Callable[..., AppTest]) -> None:
    at = open_sql_page(sql="SELECT strateg\nFROM seats")
    assert "Did you mean strategy?" in at.error[0].value
    at.button(key="sql-mend").click().run()
    wait_for_answer(at)
    assert not at.error
    assert at.text_area[0].value == "SELECT strategy\nFROM seats"


def test_the_documentation_of_a_table_leads_to_its_rows(open_sql_page: Callable[..., AppTest]) -> None:
    at = open_sql_page()
    at.button(key="sql-first-rows").click().run()
    wait_for_answer(at)
    assert list(at.dataframe[0].value.columns)[:2] == ["run", "game_id"]
    assert at.text_area[0].value == "SELECT *\nFROM seats\nLIMIT 100"


@pytest.mark.parametrize("sql", ["DROP VIEW games", "SELECT 1; SELECT 2", "COPY (SELECT 1) TO '/tmp/x'", ""])
def test_anything_but_a_question_is_refused(open_sql_page: Callable[..., AppTest], sql: str) -> None:
    at = open_sql_page(sql=sql)
    assert not at.exception
    if sql:
        assert "expected one query" in at.error[0].value.replace("\\", "")


def test_only_the_chosen_runs_are_asked(open_sql_page: Callable[..., AppTest]) -> None:
    sql = "SELECT DISTINCT run FROM games ORDER BY run"
    at = open_sql_page(sql=sql, runs=["three"])
    assert at.dataframe[0].value["run"].tolist() == ["three"]
    assert not at.warning


@pytest.mark.parametrize("names", [["nowhere"], ["three", "nowhere"]])
def test_without_a_run_that_the_address_names_nothing_is_answered(
    open_sql_page: Callable[..., AppTest], tmp_path: Path, names: list[str]
) -> None:
    for folder in ((), (tmp_path,)):
        at = open_sql_page(*folder, sql="SELECT DISTINCT run FROM games", runs=names)
        assert "There is no run nowhere. Choose runs, and ask again." in at.warning[0].value
        assert not at.dataframe
        assert "sql-work" not in at.session_state


def test_the_answer_names_a_damaged_file_of_the_library(
    open_sql_page: Callable[..., AppTest], tmp_path: Path
) -> None:
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "torn.duckdb").write_bytes(b"no run")
    at = open_sql_page(tmp_path, sql="SELECT count(*) AS n FROM games")
    (said,) = [one.value.replace("\\", "") for one in at.warning]
    assert "torn.duckdb: not a run file" in said
    assert said.endswith("; the answer is that of the other runs.")


def test_the_page_says_that_there_are_more_rows(
    open_sql_page: Callable[..., AppTest],
) -> None:
    at = open_sql_page(sql="SELECT range AS n FROM range(20000)")
    assert "The first 10,000 rows; the answer has more" in read_page_text(at)
    assert len(at.dataframe[0].value) == 10_000


def test_a_very_long_query_is_answered_without_an_address(open_sql_page: Callable[..., AppTest]) -> None:
    at = open_sql_page()
    at.text_area[0].set_value(f"SELECT 7 AS seven -- {'x' * 7000}")
    next(button for button in at.button if button.label == "Ask").click().run()
    wait_for_answer(at)
    assert "sql" not in at.query_params
    assert at.dataframe[0].value["seven"].tolist() == [7]


def test_an_empty_library_can_be_queried(open_sql_page: Callable[..., AppTest], tmp_path: Path) -> None:
    at = open_sql_page(tmp_path, sql="SELECT count(*) AS n FROM games")
    assert at.dataframe[0].value["n"].tolist() == [0]
    at = open_sql_page(tmp_path)
    assert not at.exception
    assert not at.error
    assert "sql-work" not in at.session_state  # the example has no values for its parameters
    assert at.text_area[0].value == QUERY_EXAMPLES[0].sql


def test_a_query_that_takes_long_is_stopped_by_a_button(open_dashboard_page: Callable[..., AppTest]) -> None:
    sql = "SELECT count(*) FROM range(10000000) a, range(10000000) b WHERE (a.range * b.range) % 7 = 3"
    at = click_to_answer(open_dashboard_page("sql.py", sql=sql))
    at.button(key="sql-stop").click().run()
    wait_for_answer(at)
    assert [info.value for info in at.info] == ["The query was stopped."]
    assert not at.error


def test_the_last_answer_stays_in_view_until_a_query_has_taken_a_while(
    open_dashboard_page: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    def answer_slowly(runs: list[Run], sql: str, **options: Any) -> Answer:  # noqa: ANN401 - those of `answer_query`
        time.sleep(0.1)
        return answer_query(runs, sql, **options)

    monkeypatch.setattr("pipelines.runs.query.answer_query", answer_slowly)
    at = click_to_answer(open_dashboard_page("sql.py", sql="SELECT 1 AS one"))
    assert "Running" not in read_page_text(at)
    assert not [button for button in at.button if button.key == "sql-stop"]
    assert "1 row" in read_page_text(at)


def test_rows_with_a_run_and_a_game_lead_to_the_replay(open_sql_page: Callable[..., AppTest]) -> None:
    at = open_sql_page(sql="SELECT run, game_id, ply FROM plies WHERE run = 'three' ORDER BY ALL LIMIT 2")
    shown = at.dataframe[0].value
    assert shown["\u25b6"].tolist() == [
        "replay?run=three&game-number=1&move=1",
        "replay?run=three&game-number=1&move=2",
    ]


PARAMETER_SQL = "SELECT strategy, count(*) AS n FROM seats WHERE score >= $least AND strategy LIKE $t GROUP BY ALL ORDER BY ALL"


def test_parameters_have_fields_and_are_bound(open_sql_page: Callable[..., AppTest]) -> None:
    at = open_sql_page(sql=PARAMETER_SQL)
    assert not at.exception
    assert "Give a value to $least, $t" in read_page_text(at)
    assert not at.dataframe
    at.number_input(key="sql-value-least").set_value(-1000.0).run()
    at.selectbox(key="sql-kind-of-t").set_value("text").run()
    at.text_input(key="sql-value-t").set_value("gree%").run()
    wait_for_answer(at)
    assert not at.exception
    assert at.dataframe[0].value["strategy"].tolist() == ["greedy"]
    assert at.query_params["set"] == ["least=-1000", "t=gree%"]
    at.text_input(key="sql-value-t").set_value("' OR 1=1; DROP TABLE seats; --").run()
    wait_for_answer(at)
    assert "The answer is empty." in read_page_text(at)


def test_the_address_fills_the_fields_and_unknown_names_are_said(
    open_sql_page: Callable[..., AppTest],
) -> None:
    sql = "SELECT count(*) AS n FROM games WHERE run = $run AND game_id < $n AND ruleset = $ruleset"
    at = open_sql_page(sql=sql, set=["run=three", "n=5", "ruleset=bloxx-3p"])
    assert at.dataframe[0].value["n"].tolist() == [5]
    assert at.selectbox(key="sql-value-run").options == ["scores-only", "hanging", "three"]
    at.text_area[0].set_value(sql.replace("$n", "$n + 1"))
    next(button for button in at.button if button.label == "Ask").click().run()
    wait_for_answer(at)
    assert at.dataframe[0].value["n"].tolist() == [6]
    at = open_sql_page(
        sql=sql, set=["run=<b>gone", "n=many", "ruleset=bloxx-3p"], type=["n=number", "run=poem"]
    )
    said = [warning.value.replace("\\", "") for warning in at.warning]
    kinds = "the kinds are number, text, run, ruleset, strategy"
    assert sorted(said) == [
        f"Kind of a parameter: There is no kind of parameter poem; {kinds}.",
        "There is no run <b>gone.",
        "many is not a number.",
    ]
    assert not at.dataframe


def test_a_grid_has_minus_signs_and_dashes_as_other_tables_do(
    open_sql_page: Callable[..., AppTest],
) -> None:
    at = open_sql_page(sql="SELECT -15.69 AS lost, NULL AS missing, 1234 AS games")
    grid = at.dataframe[0]
    assert grid.proto.placeholder == "\N{EN DASH}"
    styler = pa.ipc.open_stream(grid.proto.arrow_data.styler.display_values).read_pandas()
    assert styler.iloc[0].tolist()[::2] == ["\N{MINUS SIGN}15.69", "1234"]
    assert grid.value["lost"].tolist() == [-15.69]  # rows are still sorted by their numbers
