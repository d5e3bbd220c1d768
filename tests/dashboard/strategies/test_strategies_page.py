"""The page Strategies, over real comparisons."""

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
from tests.dashboard.reading import read_page_text, read_tables, read_verbatim_texts

if TYPE_CHECKING:
    from collections.abc import Callable

    from streamlit.testing.v1 import AppTest


@pytest.fixture(scope="module")
def comparison_library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """A library of a duel, a round robin in which a strategy never wins, and one in which all strategies have a rating."""
    library = Library(tmp_path_factory.mktemp("compared"))
    catalogue = Catalogue()
    duel = design_comparison(catalogue.find_ruleset("bloxx-3p"), ["greedy", "random"], blocks=30, seed=3)
    simulate_run(duel, library.runs_folder / "duel.duckdb", workers=1)
    three = ["greedy", "noisy", "random"]
    robin = design_comparison(catalogue.find_ruleset("bloxx-2p"), three, blocks=30, seed=4, log="scores")
    simulate_run(robin, library.runs_folder / "robin.duckdb", workers=1)
    close = design_comparison(
        catalogue.find_ruleset("bloxx-2p"),
        ["greedy", "noisy", "noisy:sigma=9"],
        blocks=30,
        seed=4,
        log="scores",
    )
    simulate_run(close, library.runs_folder / "close.duckdb", workers=1)
    return library


def test_the_page_shows_the_verdict_the_command_and_the_checks(
    open_dashboard_page: Callable[..., AppTest], comparison_library: Library
) -> None:
    at = open_dashboard_page("strategies.py", comparison_library.folder, run="duel")
    assert not at.exception
    comparison = compare_strategies(comparison_library.run("duel"))
    verdict = comparison.verdict[0].upper() + comparison.verdict[1:]
    assert verdict in read_page_text(at)
    assert comparison.command in read_verbatim_texts(at)
    (row,) = read_tables(at)[0]
    assert row["A - B"] == format_interval(comparison.pairs[0].difference, signed=True)
    assert row["blocks"] == 30
    for control in comparison.controls:
        assert control.says in read_page_text(at)


def test_finished_comparisons_are_linked(
    open_dashboard_page: Callable[..., AppTest], comparison_library: Library
) -> None:
    at = open_dashboard_page("strategies.py", comparison_library.folder)
    links = [button for button in at.button if str(button.key).startswith("strategies-open-")]
    assert [button.key for button in links] == [
        f"strategies-open-{run}" for run in ("close", "robin", "duel")
    ]
    assert links[2].label.replace("\\", "") == comparison_library.run("duel").summary.title
    links[2].click().run()
    assert at.query_params == {"run": "duel"}
    assert compare_strategies(comparison_library.run("duel")).command in read_verbatim_texts(at)
    assert not [button for button in at.button if str(button.key).startswith("strategies-open-")]


def test_twin_games_are_listed_by_their_difference_and_can_be_shown(
    open_dashboard_page: Callable[..., AppTest], comparison_library: Library
) -> None:
    at = open_dashboard_page("strategies.py", comparison_library.folder, run="duel")
    assert "the games part at ply" in read_page_text(at)
    differences = [abs(int(str(row["difference"]))) for row in read_tables(at)[-1]]
    assert len(differences) == 8
    assert differences == sorted(differences, reverse=True)
    before = read_page_text(at)
    label = "Show where two games first differ"
    next(box for box in at.selectbox if box.label == label).select_index(5).run()
    assert "the games part at ply" in read_page_text(at)
    assert read_page_text(at) != before


def test_every_seat_has_an_effect_with_an_interval(
    open_dashboard_page: Callable[..., AppTest], comparison_library: Library
) -> None:
    at = open_dashboard_page("strategies.py", comparison_library.folder, run="duel")
    (effects,) = (rows for rows in read_tables(at) if "effect" in rows[0])
    comparison = compare_strategies(comparison_library.run("duel"))
    assert [row["seat"] for row in effects] == [edge.seat for edge in comparison.seats]
    for row, edge in zip(effects, comparison.seats, strict=True):
        assert edge.score
        assert row["effect"] == format_interval(edge.score, signed=True)
    assert f"interval from {comparison.blocks} blocks" in read_page_text(at)


@pytest.mark.parametrize(("run", "charts"), [("duel", 0), ("robin", 0), ("close", 1)])
def test_ratings_are_explained_and_drawn_if_all_strategies_have_one(
    open_dashboard_page: Callable[..., AppTest], comparison_library: Library, run: str, charts: int
) -> None:
    at = open_dashboard_page("strategies.py", comparison_library.folder, run=run)
    (ratings,) = (rows for rows in read_tables(at) if "rating" in rows[0])
    assert [row["strategy"] for row in ratings] == [
        side.strategy for side in compare_strategies(comparison_library.run(run)).sides
    ]
    assert "400 points more mean odds of ten to one" in read_page_text(at)
    assert read_page_text(at).count("The strength of each strategy") == charts


def test_three_strategies_have_a_matrix_and_the_address_selects_a_pair(
    open_dashboard_page: Callable[..., AppTest], comparison_library: Library
) -> None:
    at = open_dashboard_page("strategies.py", comparison_library.folder, run="robin", pair="2")
    assert not at.exception
    matrix = read_tables(at)[0]
    assert {row["minus the column"] for row in matrix} == set(matrix[0]) - {"minus the column"}
    assert matrix[-1]["minus the column"] == "random"
    comparison = compare_strategies(comparison_library.run("robin"))
    assert f"{comparison.pairs[2].a} and once with {comparison.pairs[2].b}" in read_page_text(at)
    at.selectbox(key="pair-robin").select_index(1).run()
    assert at.query_params["pair"] == "1"
    assert f"{comparison.pairs[1].a} and once with {comparison.pairs[1].b}" in read_page_text(at)
    assert "has no logged plies" in read_page_text(at)


@pytest.mark.parametrize(
    "address", [{"run": "gone"}, {"run": "duel", "pair": "x"}, {"run": "duel", "pair": "99"}]
)
def test_an_invalid_address_breaks_no_page(
    open_dashboard_page: Callable[..., AppTest], comparison_library: Library, address: dict[str, str]
) -> None:
    at = open_dashboard_page("strategies.py", comparison_library.folder, **address)
    assert not at.exception


def test_a_started_comparison_shows_progress_and_then_its_report(
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
    deadline = time.monotonic() + 60
    while job.state != "finished" and time.monotonic() < deadline:
        time.sleep(0.2)
    at.run()
    assert not at.exception
    assert "Checks of this comparison" in read_page_text(at)
    assert compare_strategies(library.run(name)).blocks == 60


def test_a_comparison_of_one_strategy_is_refused(
    open_dashboard_page: Callable[..., AppTest], tmp_path: object
) -> None:
    at = open_dashboard_page("strategies.py", tmp_path)
    at.selectbox(key="ask-ruleset").set_value("bloxx-2p").run()
    at.multiselect(key="ask-strategies-bloxx").set_value(["greedy"])
    at.button(key="ask-go").click().run()
    assert len(at.error) == 1
    assert "from 2 to" in at.error[0].value


def test_the_preview_plays_the_first_blocks_of_the_same_run(comparison_library: Library) -> None:
    """The preview is shown while the processes start; its numbers are those of the run."""
    design = design_comparison(Catalogue().find_ruleset("bloxx-3p"), ["greedy", "random"], blocks=30, seed=3)
    previews = list(preview_comparison(design))
    assert previews[0].blocks == 10
    assert previews[-1].blocks == 30
    comparison = compare_strategies(comparison_library.run("duel"))
    assert previews[-1].pairs[0].difference == comparison.pairs[0].difference
    assert [preview.blocks for preview in preview_comparison(design, lambda: True)] == [10]
