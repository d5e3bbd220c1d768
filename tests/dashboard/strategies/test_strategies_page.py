"""The page Strategies, over real comparisons: what it says is what the games say."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from dashboard.widgets.tables import format_interval
from engine.catalogue import Catalogue
from pipelines.design.comparison import design_comparison
from pipelines.experiments.compare.comparison import compare_strategies
from pipelines.experiments.compare.first_blocks import preview_comparison
from pipelines.runs.library import Library
from pipelines.service import jobs
from pipelines.simulate.simulate import simulate_run
from tests.dashboard.reading import read_tables, read_verbatim_texts

if TYPE_CHECKING:
    from collections.abc import Callable

    from streamlit.testing.v1 import AppTest


@pytest.fixture(scope="module")
def comparison_library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """A duel, a round robin that one never wins, and one where everybody has a rating."""
    library = Library(tmp_path_factory.mktemp("compared"))
    rules = Catalogue()
    duel = design_comparison(rules.find_ruleset("bloxx-3p"), ["greedy", "random"], blocks=30, seed=3)
    simulate_run(duel, library.runs_folder / "duel.duckdb", workers=1)
    three = ["greedy", "noisy", "random"]
    robin = design_comparison(rules.find_ruleset("bloxx-2p"), three, blocks=30, seed=4, log="scores")
    simulate_run(robin, library.runs_folder / "robin.duckdb", workers=1)
    close = design_comparison(
        rules.find_ruleset("bloxx-2p"), ["greedy", "noisy", "noisy:sigma=9"], blocks=30, seed=4, log="scores"
    )
    simulate_run(close, library.runs_folder / "close.duckdb", workers=1)
    return library


def read_page_text(at: AppTest) -> str:
    kinds = (at.title, at.header, at.markdown, at.caption, at.info, at.warning, at.error)
    return "\n".join(str(element.value) for kind in kinds for element in kind).replace("\\", "")


def test_the_verdict_is_that_of_the_comparison(
    open_dashboard_page: Callable[..., AppTest], comparison_library: Library
) -> None:
    at = open_dashboard_page("strategies.py", comparison_library.folder, run="duel")
    assert not at.exception
    found = compare_strategies(comparison_library.run("duel"))
    verdict = found.verdict[0].upper() + found.verdict[1:]
    assert verdict in read_page_text(at)
    assert found.command in read_verbatim_texts(at)
    (row,) = read_tables(at)[0]
    assert row["A - B"] == format_interval(found.pairs[0].difference, signed=True)
    assert row["blocks"] == 30
    for control in found.controls:
        assert control.says in read_page_text(at)


def test_finished_comparisons_are_linked(
    open_dashboard_page: Callable[..., AppTest], comparison_library: Library
) -> None:
    at = open_dashboard_page("strategies.py", comparison_library.folder)
    offered = [button for button in at.button if str(button.key).startswith("strategies-open-")]
    assert [button.key for button in offered] == [
        f"strategies-open-{run}" for run in ("close", "robin", "duel")
    ]
    assert offered[2].label.replace("\\", "") == comparison_library.run("duel").summary.title
    offered[2].click().run()
    assert at.query_params == {"run": "duel"}
    assert compare_strategies(comparison_library.run("duel")).command in read_verbatim_texts(at)
    assert not [button for button in at.button if str(button.key).startswith("strategies-open-")]


def test_games_behind_the_difference_lead_to_the_replay(
    open_dashboard_page: Callable[..., AppTest], comparison_library: Library
) -> None:
    at = open_dashboard_page("strategies.py", comparison_library.folder, run="duel")
    assert "the games part at ply" in read_page_text(at)
    differences = [abs(int(str(row["difference"]))) for row in read_tables(at)[-1]]
    assert len(differences) == 8
    assert differences == sorted(differences, reverse=True)
    before = read_page_text(at)
    next(one for one in at.selectbox if one.label == "Show where two games first differ").select_index(5).run()
    assert "the games part at ply" in read_page_text(at)
    assert read_page_text(at) != before


def test_every_seat_has_its_edge_with_an_interval(
    open_dashboard_page: Callable[..., AppTest], comparison_library: Library
) -> None:
    at = open_dashboard_page("strategies.py", comparison_library.folder, run="duel")
    (edges,) = (rows for rows in read_tables(at) if "effect" in rows[0])
    found = compare_strategies(comparison_library.run("duel"))
    assert [row["seat"] for row in edges] == [edge.seat for edge in found.seats]
    for row, edge in zip(edges, found.seats, strict=True):
        assert edge.score
        assert row["effect"] == format_interval(edge.score, signed=True)
    assert f"interval from {found.blocks} blocks" in read_page_text(at)


@pytest.mark.parametrize(("run", "drawn"), [("duel", 0), ("robin", 0), ("close", 1)])
def test_ratings_are_explained_and_drawn_where_the_table_does_not_say_it_all(
    open_dashboard_page: Callable[..., AppTest], comparison_library: Library, run: str, drawn: int
) -> None:
    at = open_dashboard_page("strategies.py", comparison_library.folder, run=run)
    (own,) = (rows for rows in read_tables(at) if "rating" in rows[0])
    assert [row["strategy"] for row in own] == [
        one.strategy for one in compare_strategies(comparison_library.run(run)).sides
    ]
    assert "400 points more mean odds of ten to one" in read_page_text(at)
    assert read_page_text(at).count("The strength of each strategy") == drawn


def test_three_strategies_make_a_matrix_and_the_address_names_a_pair(
    open_dashboard_page: Callable[..., AppTest], comparison_library: Library
) -> None:
    at = open_dashboard_page("strategies.py", comparison_library.folder, run="robin", pair="2")
    assert not at.exception
    grid = read_tables(at)[0]
    assert {row["minus the column"] for row in grid} == set(grid[0]) - {"minus the column"}
    assert grid[-1]["minus the column"] == "random"
    found = compare_strategies(comparison_library.run("robin"))
    assert f"{found.pairs[2].a} and once with {found.pairs[2].b}" in read_page_text(at)
    at.selectbox(key="pair-robin").select_index(1).run()
    assert at.query_params["pair"] == "1"
    assert f"{found.pairs[1].a} and once with {found.pairs[1].b}" in read_page_text(at)
    assert "has no logged plies" in read_page_text(at)


@pytest.mark.parametrize(
    "address", [{"run": "gone"}, {"run": "duel", "pair": "x"}, {"run": "duel", "pair": "99"}]
)
def test_an_address_that_leads_nowhere_breaks_nothing(
    open_dashboard_page: Callable[..., AppTest], comparison_library: Library, address: dict[str, str]
) -> None:
    at = open_dashboard_page("strategies.py", comparison_library.folder, **address)
    assert not at.exception


def test_a_comparison_is_started_shows_a_first_interval_at_once_and_ends_in_its_report(
    open_dashboard_page: Callable[..., AppTest], tmp_path: object
) -> None:
    at = open_dashboard_page("strategies.py", tmp_path)
    assert "You have no games yet" in read_page_text(at)
    at.selectbox(key="ask-ruleset").set_value("bloxx-2p").run()
    at.multiselect(key="ask-strategies-bloxx").set_value(["greedy", "random"])
    at.number_input(key="ask-blocks").set_value(60)
    at.text_input(key="ask-seed").set_value("5")
    at.button(key="ask-go").click().run()
    assert not at.exception
    assert not at.error
    assert "blocks of 2 games" in read_page_text(at)
    name = at.query_params["run"]
    library = Library(tmp_path)  # type: ignore[arg-type]
    job = jobs.Job(library, name)
    until = time.monotonic() + 60
    while job.state != "finished" and time.monotonic() < until:
        time.sleep(0.2)
    at.run()
    assert not at.exception
    assert "Checks of this comparison" in read_page_text(at)
    assert compare_strategies(library.run(name)).blocks == 60


def test_an_impossible_comparison_is_refused_in_one_line(
    open_dashboard_page: Callable[..., AppTest], tmp_path: object
) -> None:
    at = open_dashboard_page("strategies.py", tmp_path)
    at.selectbox(key="ask-ruleset").set_value("bloxx-2p").run()
    at.multiselect(key="ask-strategies-bloxx").set_value(["greedy"])
    at.button(key="ask-go").click().run()
    assert len(at.error) == 1
    assert "from 2 to" in at.error[0].value


def test_the_preview_shows_the_first_blocks_of_the_same_run(comparison_library: Library) -> None:
    """What is shown while the processes start is what the run will hold."""
    design = design_comparison(Catalogue().find_ruleset("bloxx-3p"), ["greedy", "random"], blocks=30, seed=3)
    looks = list(preview_comparison(design))
    assert looks[0].blocks == 10
    assert looks[-1].blocks == 30
    whole = compare_strategies(comparison_library.run("duel"))
    assert looks[-1].pairs[0].difference == whole.pairs[0].difference
    assert [look.blocks for look in preview_comparison(design, lambda: True)] == [10]
