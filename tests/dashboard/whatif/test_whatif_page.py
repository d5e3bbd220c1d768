"""The page What if: questions in the address, answers, and saved continuations."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pipelines.runs.library import Library
from pipelines.simulate.verify import verify_run
from tests.dashboard.reading import read_page_text, read_tables

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from streamlit.testing.v1 import AppTest


def wait_for_answer(at: AppTest) -> AppTest:
    """Wait until all continuations are played, and rerun the page."""
    for slot in ("whatif", "whatif-many"):
        if slot in at.session_state:
            at.session_state[slot][1].wait(120)
    return at.run()


def read_address(at: AppTest) -> dict[str, str]:
    return {key: value if isinstance(value, str) else value[0] for key, value in at.query_params.items()}


QUESTION = {
    "run": "three",
    "game": "1",
    "ply": "20",
    "seat": "1",
    "strategy": "random",
    "n": "80",
    "seed": "3",
}


def test_a_question_in_the_address_is_answered(
    open_dashboard_page: Callable[..., AppTest],
) -> None:
    at = wait_for_answer(open_dashboard_page("whatif.py", **QUESTION))
    assert not at.exception
    assert "80 continuations of each branch" in read_page_text(at)
    assert read_address(at) == QUESTION


def test_a_change_without_effect_is_reported_in_words_and_has_no_chart_of_differences(
    open_dashboard_page: Callable[..., AppTest],
) -> None:
    """The strategy of seat 1 is `random` in both branches."""
    at = wait_for_answer(open_dashboard_page("whatif.py", **{**QUESTION, "n": "1200"}))
    assert (
        "Nothing changes in any of 1,200 continuations: both branches must end in the same way."
        in read_page_text(at)
    )
    assert "seat 1 scores the same in both branches, every time" in read_page_text(at)
    assert len(at.get("plotly_chart")) == 1


def test_nothing_is_played_before_the_visitor_asks(open_dashboard_page: Callable[..., AppTest]) -> None:
    """An address without a change is not a question."""
    at = open_dashboard_page("whatif.py", run="three", game="1")
    assert not at.exception
    assert "whatif" not in at.session_state
    assert "continuations of each branch" not in read_page_text(at)
    at.button[-1].click().run()
    assert "continuations of each branch" in read_page_text(wait_for_answer(at))
    assert read_address(at)["ply"] == str(at.number_input[1].value)


def test_switching_between_one_game_and_many_changes_the_address(
    open_dashboard_page: Callable[..., AppTest],
) -> None:
    at = open_dashboard_page("whatif.py", run="three", game="1")
    at.button(key="whatif-ask-many").click().run()
    assert read_address(at)["games"] == "all"
    at.button(key="many-one").click().run()
    assert read_address(at) == {"run": "three"}
    assert not at.exception


def test_continuations_are_saved_as_a_run_and_an_invalid_name_is_refused(
    open_dashboard_page: Callable[..., AppTest], library: Library, tmp_path: Path
) -> None:
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "three.duckdb").write_bytes((library.runs_folder / "three.duckdb").read_bytes())
    at = wait_for_answer(open_dashboard_page("whatif.py", tmp_path, **QUESTION))
    at.text_input(key="whatif-name").set_value("mine").run()
    at.button(key="whatif-save").click().run(timeout=120)
    assert not at.exception
    assert "Saved 160 games as mine" in read_page_text(at)
    saved = Library(tmp_path).run("mine")
    assert saved.summary.kind == "whatif"
    verify_run(saved, workers=1)
    at.text_input(key="whatif-name").set_value("../mine").run()
    at.button(key="whatif-save").click().run(timeout=60)
    assert "cannot be the name of a run" in read_page_text(at)
    assert not list(tmp_path.glob("*.duckdb"))
    library_page = open_dashboard_page("library.py", tmp_path)
    assert "What if seat 1 played random" in read_page_text(library_page)


def test_a_question_about_many_games_is_answered_and_stays_in_the_address(
    open_dashboard_page: Callable[..., AppTest],
) -> None:
    at = wait_for_answer(
        open_dashboard_page(
            "whatif.py",
            run="three",
            games="all",
            where="round:2",
            seat="0",
            strategy="random",
            n="10",
            most="12",
        )
    )
    assert not at.exception
    assert "10" in {str(row["continuations"]) for row in read_tables(at)[-1]}
    assert "positions" in read_page_text(at)
    assert read_address(at)["where"] == "round:2"
    assert (read_address(at)["n"], read_address(at)["seed"]) == ("10", "0")
    assert read_address(
        wait_for_answer(open_dashboard_page("whatif.py", **read_address(at)))
    ) == read_address(at)
    count = len(read_tables(at)[-1])
    assert 2 <= count <= 12


@pytest.mark.parametrize(
    ("question", "message"),
    [
        ({"strategy": "gredy"}, "unknown strategy"),
        ({"where": "ply", "games": "all", "strategy": "gredy"}, "unknown strategy"),
        ({"games": "all", "where": "round:900", "seat": "0", "strategy": "random"}, "has no round 900"),
    ],
)
def test_an_invalid_question_is_refused(
    open_dashboard_page: Callable[..., AppTest], question: dict[str, str], message: str
) -> None:
    at = wait_for_answer(open_dashboard_page("whatif.py", run="three", **question))
    assert not at.exception
    assert message in " ".join(str(error.value).replace("\\", "") for error in at.error)
