"""The page Strategies, over real comparisons: what it says is what the games say."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from dashboard.widgets.tables import told
from engine.catalogue import Catalogue
from pipelines.design.comparison import contest
from pipelines.experiments.compare.comparison import comparison
from pipelines.experiments.compare.first_blocks import preview
from pipelines.runs.library import Library
from pipelines.service import jobs
from pipelines.simulate.simulate import simulate
from tests.dashboard.reading import tables, verbatim

if TYPE_CHECKING:
    from collections.abc import Callable

    from streamlit.testing.v1 import AppTest


@pytest.fixture(scope="module")
def compared(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """A duel, a round robin that one never wins, and one where everybody has a rating."""
    library = Library(tmp_path_factory.mktemp("compared"))
    rules = Catalogue()
    duel = contest(rules.find("bloxx-3p"), ["greedy", "random"], blocks=30, seed=3)
    simulate(duel, library.runs_folder / "duel.duckdb", workers=1)
    three = ["greedy", "noisy", "random"]
    robin = contest(rules.find("bloxx-2p"), three, blocks=30, seed=4, log="scores")
    simulate(robin, library.runs_folder / "robin.duckdb", workers=1)
    close = contest(
        rules.find("bloxx-2p"), ["greedy", "noisy", "noisy:sigma=9"], blocks=30, seed=4, log="scores"
    )
    simulate(close, library.runs_folder / "close.duckdb", workers=1)
    return library


def words(at: AppTest) -> str:
    kinds = (at.title, at.header, at.markdown, at.caption, at.info, at.warning, at.error)
    return "\n".join(str(element.value) for kind in kinds for element in kind).replace("\\", "")


def test_the_verdict_is_that_of_the_comparison(opened: Callable[..., AppTest], compared: Library) -> None:
    at = opened("strategies.py", compared.folder, run="duel")
    assert not at.exception
    found = comparison(compared.run("duel"))
    verdict = found.verdict[0].upper() + found.verdict[1:]
    assert verdict in words(at)
    assert found.command in verbatim(at)
    (row,) = tables(at)[0]
    assert row["A - B"] == told(found.pairs[0].difference, signed=True)
    assert row["blocks"] == 30
    for control in found.controls:
        assert control.says in words(at)


def test_what_has_been_compared_is_led_to(opened: Callable[..., AppTest], compared: Library) -> None:
    at = opened("strategies.py", compared.folder)
    offered = [button for button in at.button if str(button.key).startswith("strategies-open-")]
    assert [button.key for button in offered] == [
        f"strategies-open-{run}" for run in ("close", "robin", "duel")
    ]
    assert offered[2].label.replace("\\", "") == compared.run("duel").summary.title
    offered[2].click().run()
    assert at.query_params == {"run": "duel"}
    assert comparison(compared.run("duel")).command in verbatim(at)
    assert not [button for button in at.button if str(button.key).startswith("strategies-open-")]


def test_games_behind_the_difference_lead_to_the_replay(
    opened: Callable[..., AppTest], compared: Library
) -> None:
    at = opened("strategies.py", compared.folder, run="duel")
    assert "the games part at ply" in words(at)
    differences = [abs(int(str(row["difference"]))) for row in tables(at)[-1]]
    assert len(differences) == 8
    assert differences == sorted(differences, reverse=True)
    before = words(at)
    next(one for one in at.selectbox if one.label == "Where do they part?").select_index(5).run()
    assert "the games part at ply" in words(at)
    assert words(at) != before


def test_every_seat_has_its_edge_with_an_interval(opened: Callable[..., AppTest], compared: Library) -> None:
    at = opened("strategies.py", compared.folder, run="duel")
    (edges,) = (rows for rows in tables(at) if "edge" in rows[0])
    found = comparison(compared.run("duel"))
    assert [row["seat"] for row in edges] == [edge.seat for edge in found.seats]
    for row, edge in zip(edges, found.seats, strict=True):
        assert edge.score
        assert row["edge"] == told(edge.score, signed=True)
    assert f"interval from {found.blocks} blocks" in words(at)


@pytest.mark.parametrize(("run", "drawn"), [("duel", 0), ("robin", 0), ("close", 1)])
def test_ratings_are_explained_and_drawn_where_the_table_does_not_say_it_all(
    opened: Callable[..., AppTest], compared: Library, run: str, drawn: int
) -> None:
    at = opened("strategies.py", compared.folder, run=run)
    (own,) = (rows for rows in tables(at) if "rating" in rows[0])
    assert [row["strategy"] for row in own] == [one.strategy for one in comparison(compared.run(run)).sides]
    assert "400 points are odds of ten to one" in words(at)
    assert words(at).count("How strong is each?") == drawn


def test_three_strategies_make_a_matrix_and_the_address_names_a_pair(
    opened: Callable[..., AppTest], compared: Library
) -> None:
    at = opened("strategies.py", compared.folder, run="robin", pair="2")
    assert not at.exception
    grid = tables(at)[0]
    assert {row["less the column"] for row in grid} == set(grid[0]) - {"less the column"}
    assert grid[-1]["less the column"] == "random"
    found = comparison(compared.run("robin"))
    assert f"{found.pairs[2].a} and once with {found.pairs[2].b}" in words(at)
    at.selectbox(key="pair-robin").select_index(1).run()
    assert at.query_params["pair"] == "1"
    assert f"{found.pairs[1].a} and once with {found.pairs[1].b}" in words(at)
    assert "keeps no plies" in words(at)


@pytest.mark.parametrize(
    "address", [{"run": "gone"}, {"run": "duel", "pair": "x"}, {"run": "duel", "pair": "99"}]
)
def test_an_address_that_leads_nowhere_breaks_nothing(
    opened: Callable[..., AppTest], compared: Library, address: dict[str, str]
) -> None:
    at = opened("strategies.py", compared.folder, **address)
    assert not at.exception


def test_a_comparison_is_started_shows_a_first_interval_at_once_and_ends_in_its_report(
    opened: Callable[..., AppTest], tmp_path: object
) -> None:
    at = opened("strategies.py", tmp_path)
    assert "Nothing has been played yet" in words(at)
    at.selectbox(key="ask-ruleset").set_value("bloxx-2p").run()
    at.multiselect(key="ask-strategies-bloxx").set_value(["greedy", "random"])
    at.number_input(key="ask-blocks").set_value(60)
    at.text_input(key="ask-seed").set_value("5")
    at.button(key="ask-go").click().run()
    assert not at.exception
    assert not at.error
    assert "blocks of 2 games" in words(at)
    name = at.query_params["run"]
    library = Library(tmp_path)  # type: ignore[arg-type]
    job = jobs.Job(library, name)
    until = time.monotonic() + 60
    while job.state != "finished" and time.monotonic() < until:
        time.sleep(0.2)
    at.run()
    assert not at.exception
    assert "Can it be trusted?" in words(at)
    assert comparison(library.run(name)).blocks == 60


def test_wrong_wishes_are_refused_in_a_line(opened: Callable[..., AppTest], tmp_path: object) -> None:
    at = opened("strategies.py", tmp_path)
    at.selectbox(key="ask-ruleset").set_value("bloxx-2p").run()
    at.multiselect(key="ask-strategies-bloxx").set_value(["greedy"])
    at.button(key="ask-go").click().run()
    assert len(at.error) == 1
    assert "from 2 to" in at.error[0].value


def test_the_first_look_shows_the_first_blocks_of_the_very_run(compared: Library) -> None:
    """What is shown while the processes start is what the run will hold."""
    design = contest(Catalogue().find("bloxx-3p"), ["greedy", "random"], blocks=30, seed=3)
    looks = list(preview(design))
    assert looks[0].blocks == 10
    assert looks[-1].blocks == 30
    whole = comparison(compared.run("duel"))
    assert looks[-1].pairs[0].difference == whole.pairs[0].difference
    assert [next(iter(preview(design, lambda: True)), None)] == [None]
