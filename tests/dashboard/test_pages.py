"""All pages over a small real library: what they show, and how they use the address."""

from __future__ import annotations

import json
import shutil
import time
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from dashboard import replay
from dashboard.cached import dashboard_library
from dashboard.library.simulate_form import DETAILS_KEY
from dashboard.widgets.markdown import escape_markdown
from engine.catalogue import Catalogue
from pipelines.design.designs import design_simulation
from pipelines.notes.baseline import Baseline, BaselineStore, run_baseline, strategy_baseline
from pipelines.notes.store import NoteStore
from pipelines.runs.library import Library
from pipelines.runs.unfinished_run import begin_run
from pipelines.service import jobs
from tests.command_line import run_reroll
from tests.dashboard.reading import (
    CellValue,
    open_menu,
    read_offered_files,
    read_page_links,
    read_page_text,
    read_tables,
)
from tests.pipelines.report.sheet_readers import open_details
from tests.waiting import wait_until

if TYPE_CHECKING:
    from collections.abc import Callable

    from streamlit.testing.v1 import AppTest

    from pipelines.runs.unfinished_run import UnfinishedRun

VIEWS_FOLDER = Path(__file__).parents[2] / "dashboard" / "views"
PAGE_SCRIPTS = sorted(path.name for path in VIEWS_FOLDER.glob("[a-z]*.py"))
HOSTILE_TAG = "<b>x</b> [a](javascript:alert(1)) :red[y] $z$"
every_page = pytest.mark.parametrize("page", PAGE_SCRIPTS)


@every_page
def test_a_page_opens_over_real_games(open_dashboard_page: Callable[..., AppTest], page: str) -> None:
    at = open_dashboard_page(page)
    assert not at.exception
    assert not at.error
    assert at.title[0].value
    assert not any(one.proto.select_all for one in at.multiselect), "Enter would choose all names that match"


@pytest.mark.parametrize(("page", "key"), [("scores.py", "spread"), ("strategies.py", "spread")])
def test_a_pinned_baseline_changes_no_page(
    open_dashboard_page: Callable[..., AppTest], library: Library, tmp_path: Path, page: str, key: str
) -> None:
    """Commands pin it, and pages do not show it: neither the run nor a strategy of it."""
    (tmp_path / "runs").symlink_to(library.runs_folder)

    def read_page(baseline: Baseline | None) -> tuple[str, str]:
        if baseline:
            BaselineStore(tmp_path).pin(baseline)
        at = open_dashboard_page(page, tmp_path)
        assert not at.exception
        return read_page_text(at), next(o.proto.spec for o in at.get("plotly_chart") if key in o.proto.id)

    plain = read_page(None)
    for pinned in (strategy_baseline("greedy"), run_baseline(library.run("three"))):
        assert read_page(pinned) == plain


@pytest.mark.parametrize("page", ["library.py", "scores.py", "strategies.py"])
def test_a_broken_file_of_notes_closes_no_page(
    open_dashboard_page: Callable[..., AppTest], library: Library, tmp_path: Path, page: str
) -> None:
    (tmp_path / "runs").symlink_to(library.runs_folder)
    NoteStore(tmp_path).path.write_bytes(b"not a database at all, but long enough for one " * 30)
    at = open_dashboard_page(page, tmp_path)
    assert not at.exception
    assert len(at.button) + len(at.get("plotly_chart")) > 0


def test_all_pages_list_games_in_one_order(
    open_dashboard_page: Callable[..., AppTest],
    library: Library,
    play_run: Callable[..., None],
    tmp_path: Path,
) -> None:
    every = ["BLOXX!", "Blokus", "Blokus Dice", "Spexxx"]
    shutil.copytree(library.runs_folder, tmp_path / "runs", copy_function=shutil.copyfile)
    play_run(tmp_path, "dice", "blokus-dice-2p", "greedy", "random", games=4)

    def read_tiles(at: AppTest) -> list[str]:
        titles = [text.value.removeprefix("## ").replace("\\", "") for text in at.markdown]
        return [title for title in titles if title in every]

    assert read_tiles(open_dashboard_page("library.py", tmp_path)) == every
    at = open_dashboard_page("runs.py", tmp_path)
    assert at.pills(key="kind-of-game").options == ["BLOXX!", "Blokus Dice"]
    at = open_dashboard_page("play.py", tmp_path)
    assert read_tiles(at) == every
    assert at.selectbox(key="play-ruleset-").options[0].startswith("BLOXX!")
    at = open_dashboard_page("rules.py", tmp_path)
    assert at.segmented_control(key="rules-game").options == every
    at = open_dashboard_page("scores.py", tmp_path)
    rows = [one.options for one in at.pills if str(one.key).startswith("rulesets-")]
    shown = [one for row in rows for one in row]
    assert shown == ["2 players", "3 players", "3 players", "2 players"]


@every_page
def test_a_page_over_an_empty_library_says_what_to_do(
    open_dashboard_page: Callable[..., AppTest], tmp_path: Path, page: str
) -> None:
    at = open_dashboard_page(page, tmp_path)
    assert not at.exception
    to_do = {"play.py": "Or choose rules and seats", "library.py": "Not played yet"}  # playing needs no games
    assert to_do.get(page, "You have no games yet") in read_page_text(at)
    assert page != "library.py" or at.button(key="load-examples").label == "Load the examples"


@every_page
def test_a_broken_run_file_breaks_no_page(
    open_dashboard_page: Callable[..., AppTest], library: Library, tmp_path: Path, page: str
) -> None:
    (tmp_path / "runs").mkdir()
    shutil.copyfile(library.runs_folder / "three.duckdb", tmp_path / "runs" / "three.duckdb")
    (tmp_path / "runs" / "broken.duckdb").write_bytes(b"not a DuckDB file" * 1000)
    at = open_dashboard_page(page, tmp_path)
    assert not at.exception
    assert "You have no games yet" not in read_page_text(at)
    if page in {"library.py", "runs.py"}:
        assert "broken.duckdb" in read_page_text(at)


def read_score_table(at: AppTest) -> list[dict[str, CellValue]]:
    """Return the table in the details of the page Scores."""
    return next(rows for rows in read_tables(open_details(at)) if "sd" in rows[0])


def test_the_score_table_agrees_with_the_run(
    open_dashboard_page: Callable[..., AppTest], library: Library
) -> None:
    at = open_dashboard_page("scores.py", rulesets=["bloxx-3p"])
    with library.run("three").connect() as con:
        rows = con.execute(
            "SELECT strategy, count(*), avg(score), stddev_samp(score), min(score), max(score) "
            "FROM seats GROUP BY ALL ORDER BY ALL"
        ).fetchall()
        blocks = con.execute("SELECT count(DISTINCT block) FROM games").fetchall()[0][0]
    shown_rows = [
        (row["strategy"], row["results"], row["mean"], row["sd"], row["lowest"], row["highest"])
        for row in read_score_table(at)
    ]
    assert [row[:2] for row in shown_rows] == [row[:2] for row in rows]
    for shown, expected in zip(shown_rows, rows, strict=True):
        assert shown[2:] == pytest.approx(expected[2:], abs=0.005)
    assert {row["blocks"] for row in read_score_table(at)} == {blocks}


def test_the_address_sets_the_filters(open_dashboard_page: Callable[..., AppTest]) -> None:
    at = open_dashboard_page(
        "scores.py",
        rulesets=["bloxx-touch-3p", "bloxx-3p"],
        strategies=["greedy"],
        players=["2"],
        shape="Cumulative",
    )
    assert [(row["ruleset"], row["strategy"]) for row in read_score_table(at)] == [
        ("bloxx-touch-3p", "greedy"),
        ("bloxx-3p", "greedy"),
    ]
    assert {row["results"] for row in read_score_table(at)} == {16}
    assert at.selectbox(key="shape").value == "Cumulative"


def test_the_page_scores_names_the_reconstructed_tables(open_dashboard_page: Callable[..., AppTest]) -> None:
    at = open_details(open_dashboard_page("scores.py", rulesets=["bloxx-3p", "bloxx-touch-3p"]))
    said = read_page_text(at).replace("*", "")
    assert "Not printed in the rulebook of BLOXX!, our reconstruction: numbers, coloured rows, dice" in said


def test_the_course_of_scores_needs_logged_plies(
    open_dashboard_page: Callable[..., AppTest],
) -> None:
    at = open_dashboard_page("scores.py", rulesets=["bloxx-2p"], view="Course")
    assert not at.exception
    assert "not logged" in read_page_text(at)


def read_replay_scene(at: AppTest) -> dict[str, object]:
    """Return the scene that the page gives to the replay component."""
    scene: dict[str, object] = read_replay_data(at)["scene"]
    return scene


def test_the_address_opens_a_game(open_dashboard_page: Callable[..., AppTest], library: Library) -> None:
    at = open_dashboard_page("replay.py", run="three", **{"game-number": "6"})
    scene = read_replay_scene(at)
    assert (scene["run"], scene["game_id"]) == ("three", 5)
    assert scene["strategies"] == [seat.strategy for seat in library.run("three").list_seats(5)]
    assert len(scene["steps"]) == library.run("three").game(5).plies  # type: ignore[arg-type]  # JSON
    number = at.number_input(key="replay-game")
    assert (number.label, number.value) == ("Game, 1 to 24", 6)
    assert "Not printed in the rulebook text; our reconstruction: numbers" in read_page_text(at)


@pytest.mark.parametrize(
    ("game", "said"),
    [
        ("25", "Run three has no game 25, only games 1 to 24. Showing game 1."),
        ("0", "Game: expected a whole number from 1 on, not 0."),
        ("x", "Game: expected a whole number from 1 on, not x."),
    ],
)
def test_an_unknown_game_in_the_address_is_reported_and_the_first_game_opened(
    open_dashboard_page: Callable[..., AppTest], game: str, said: str
) -> None:
    at = open_dashboard_page("replay.py", run="three", **{"game-number": game})
    assert not at.exception
    assert [warning.value.replace("\\", "") for warning in at.warning] == [said]
    assert read_replay_scene(at)["game_id"] == 0


def test_the_arrow_button_opens_the_next_game_and_changes_the_address(
    open_dashboard_page: Callable[..., AppTest],
) -> None:
    at = open_dashboard_page("replay.py", run="three", **{"game-number": "6"}, move="18")
    next(button for button in at.button if button.label == "→").click().run()
    assert read_replay_scene(at)["game_id"] == 6
    assert {key: at.query_params[key] for key in at.query_params} in (
        {"run": "three", "game-number": "7"},
        {"run": ["three"], "game-number": ["7"]},
    )


def test_a_run_without_plies_cannot_be_replayed(open_dashboard_page: Callable[..., AppTest]) -> None:
    at = open_dashboard_page("replay.py", run="scores-only")
    assert not at.exception
    assert "--log scores" in at.error[0].value.replace("\\", "")
    assert "Review this game" not in [button.label for button in at.button]


def read_replay_data(at: AppTest) -> dict[str, Any]:
    """Return all data that the page gives to the replay component."""
    parts: list[dict[str, Any]] = [json.loads(part.proto.json) for part in at.get("bidi_component")]
    return next(data for data in parts if "scene" in data)


def read_button_labels(at: AppTest) -> list[str]:
    """Return the labels of all buttons."""
    return [button.label for button in at.button]


def push_button(at: AppTest, label: str) -> None:
    """Push the button with a label."""
    next(button for button in at.button if button.label == label).click().run()


def test_a_button_starts_the_review_of_a_game(
    open_dashboard_page: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replay, "PLAYOUT_EFFORT", 0.1)
    at = open_dashboard_page("replay.py", run="three", **{"game-number": "6"})
    assert (read_replay_data(at)["review"], read_replay_data(at)["isReviewed"]) == (None, False)
    push_button(at, "Review this game")
    assert read_replay_data(at)["isReviewed"] is True
    wait_until(lambda: "Hide the review" in read_button_labels(at.run()))
    review = read_replay_data(at)["review"]
    assert review["done"] == review["steps"]
    assert len(review["scores"]) == len(read_replay_scene(at)["steps"]) + 1  # type: ignore[arg-type]  # JSON
    push_button(at, "Hide the review")
    assert (read_replay_data(at)["review"], read_replay_data(at)["isReviewed"]) == (None, False)
    assert not at.exception
    other_session = open_dashboard_page("replay.py", run="three", **{"game-number": "6"}, review="1")
    assert read_replay_data(other_session)["review"] == review  # reviews are shared by all sessions


def test_the_button_of_the_replay_that_starts_the_review_draws_the_whole_page_anew(
    open_dashboard_page: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replay, "PLAYOUT_EFFORT", 0.1)
    at = open_dashboard_page("replay.py", run="three", **{"game-number": "6"})
    at.session_state["replay-review-three-5"] = at.session_state["replay-command"] = (
        True  # as its callback does
    )
    at.run()
    assert not at.exception
    assert read_replay_data(at)["isReviewed"] is True
    assert {"Stop the review", "Hide the review"} & set(read_button_labels(at))


def test_a_game_is_offered_in_the_forms_of_the_command(open_dashboard_page: Callable[..., AppTest]) -> None:
    offered = read_offered_files(open_dashboard_page("replay.py", run="three", **{"game-number": "6"}))
    assert {one.label for one in offered.values()} == {"JSON", "CSV", "TXT"}
    exported = run_reroll(
        "export", "three", "--game", "6", "--as", "txt", "--data", dashboard_library().folder
    )
    assert offered["three-6.txt"].write() == exported.stdout


def test_an_unfinished_review_shows_its_first_results_and_can_be_stopped(
    open_dashboard_page: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replay, "PLAYOUT_EFFORT", 20.0)
    at = open_dashboard_page("replay.py", run="three", **{"game-number": "7"}, review="1")
    wait_until(lambda: read_replay_data(at.run())["review"]["done"] > 0)
    review = read_replay_data(at)["review"]
    assert review["done"] < review["steps"]
    assert any(review["wins"])
    assert review["ledgers"] is None
    push_button(at, "Stop the review")
    assert not at.exception
    assert (read_replay_data(at)["review"], read_replay_data(at)["isReviewed"]) == (None, False)
    assert "Review this game" in read_button_labels(at)


def test_each_score_of_a_game_has_its_standing_in_the_run(
    open_dashboard_page: Callable[..., AppTest], library: Library
) -> None:
    at = open_dashboard_page("replay.py", run="three", **{"game-number": "6"})
    with library.run("three").connect() as con:
        scores = [score for (score,) in con.execute("SELECT score FROM seats").fetchall()]
    for seat, standing in zip(
        library.run("three").list_seats(5), read_replay_data(at)["standings"], strict=True
    ):
        worse = sum(score < seat.score for score in scores)
        equal = sum(score == seat.score for score in scores)
        assert standing == {"beaten": pytest.approx((worse + equal / 2) / len(scores)), "n": 72}


@pytest.mark.parametrize(
    ("wanted", "query"),
    [
        (
            "The closest finish",
            """SELECT game_id FROM (SELECT game_id, list(score ORDER BY rank) AS placed FROM seats GROUP BY ALL
            HAVING count(*) FILTER (rank = 1) = 1) ORDER BY placed[1] - placed[2], game_id""",
        ),
        ("The record score", "SELECT game_id FROM seats ORDER BY score DESC, game_id"),
    ],
)
def test_the_menu_opens_remarkable_games(
    open_dashboard_page: Callable[..., AppTest], library: Library, wanted: str, query: str
) -> None:
    at = open_dashboard_page("replay.py", run="three", **{"game-number": "1"})
    at.menu_button(key="replay-goto").click(wanted).run()
    with library.run("three").connect() as con:
        first = con.execute(query).fetchall()[0][0]
    assert read_replay_scene(at)["game_id"] == first


@pytest.mark.slow
def test_the_menu_opens_the_game_with_the_most_changes_of_the_lead(
    open_dashboard_page: Callable[..., AppTest], library: Library
) -> None:
    """The changes are counted here from the plies."""
    run = library.run("three")
    changes = []
    for game in range(run.summary.games):
        with run.connect() as con:
            log = con.execute(
                "SELECT round, seat, score FROM plies WHERE game_id = ? AND seat >= 0 ORDER BY ply", [game]
            ).fetchall()
        scores: dict[int, int] = {}
        leaders: list[int] = []
        for number, (round_, seat, score) in enumerate(log):
            scores[seat] = score
            if number + 1 < len(log) and log[number + 1][0] == round_:
                continue
            best = [seat for seat, score in scores.items() if score == max(scores.values())]
            leaders += best if len(best) == 1 else []
        changes.append(sum(earlier != later for earlier, later in pairwise(leaders)))
    at = open_dashboard_page("replay.py", run="three", **{"game-number": "1"})
    at.menu_button(key="replay-goto").click("The most changes of the lead").run()
    assert read_replay_scene(at)["game_id"] == changes.index(max(changes))
    assert max(changes) > 1


@pytest.mark.parametrize("page", ["replay.py", "whatif.py"])
def test_a_run_that_does_not_exist_is_not_replaced_by_another_one(
    open_dashboard_page: Callable[..., AppTest], page: str
) -> None:
    place = {"game-number": "8", "move": "12"} if page == "replay.py" else {}
    at = open_dashboard_page(page, run="thre", **place)
    assert not at.exception
    assert at.title
    assert "no " in at.warning[0].value
    assert "named thre" in at.warning[0].value
    assert not at.number_input  # neither the choice of a game nor of a move
    assert [button.label for button in at.button][-2:] == ["Open three", "Open another run"]
    at.button(key="open-three").click().run()
    assert not at.warning
    assert at.query_params["run"] == "three"


@pytest.mark.slow
def test_a_simulation_started_on_the_page_appears_in_the_library(
    open_dashboard_page: Callable[..., AppTest], tmp_path: Path
) -> None:
    at = open_dashboard_page("library.py", tmp_path)
    at.button(key="play-bloxx").click().run()
    at.selectbox(key="new-ruleset").select("bloxx-2p").run()
    at.number_input(key="new-games").set_value(10).run()
    open_menu(at, DETAILS_KEY)
    at.text_input(key="new-seed").set_value("3").run()
    at.button(key="new-play").click().run()
    assert not at.exception
    deadline = time.monotonic() + 60
    while not (runs := Library(tmp_path).runs()):
        logs = {path.name: path.read_text() for path in tmp_path.glob("jobs/*.log")}
        assert time.monotonic() < deadline, (sorted(tmp_path.rglob("*")), logs)
        time.sleep(0.2)
    assert (runs[0].summary.games, runs[0].summary.seed) == (10, 3)
    assert "All about these scores" in read_page_links(at.run())


@pytest.mark.parametrize("seed", ["-1", "many", "99999999999999999999999"])
def test_an_invalid_seed_is_refused(
    open_dashboard_page: Callable[..., AppTest], tmp_path: Path, seed: str
) -> None:
    at = open_dashboard_page("library.py", tmp_path, play="bloxx")
    open_menu(at, DETAILS_KEY)
    at.text_input(key="new-seed").set_value(seed).run()
    at.button(key="new-play").click().run()
    assert "The seed must be a whole number" in at.error[0].value
    assert not list(tmp_path.glob("runs/*"))


def test_deleting_a_run_needs_a_confirmation(
    open_dashboard_page: Callable[..., AppTest], library: Library, tmp_path: Path
) -> None:
    (tmp_path / "runs").mkdir()
    copy = Path(shutil.copyfile(library.runs_folder / "three.duckdb", tmp_path / "runs" / "three.duckdb"))
    at = open_dashboard_page("runs.py", tmp_path)
    assert open_menu(at, "menu-three").button(key="delete-three").disabled
    at.checkbox(key="sure-three").check().run()
    at.button(key="delete-three").click().run()
    assert not copy.exists()
    assert "You have no games yet" in read_page_text(at)


@pytest.fixture
def stopped_run(tmp_path: Path) -> UnfinishedRun:
    """An unfinished run without any game."""
    design = design_simulation(Catalogue().find_ruleset("bloxx-2p"), ["greedy", "random"], blocks=4, seed=1)
    return begin_run(tmp_path / "runs" / "half.duckdb", design, free_name=False)


@pytest.mark.slow
def test_a_stopped_run_can_be_resumed_on_the_page(
    open_dashboard_page: Callable[..., AppTest], stopped_run: UnfinishedRun, tmp_path: Path
) -> None:
    at = open_dashboard_page("library.py", tmp_path)
    assert at.button(key="resume-half").label == "Go on"
    at.button(key="resume-half").click().run()
    assert not at.exception
    wait_until(lambda: [run.name for run in Library(tmp_path).runs()] == ["half"])
    assert not stopped_run.folder.exists()


def test_a_title_is_shown_as_text_and_never_as_markup(
    open_dashboard_page: Callable[..., AppTest], stopped_run: UnfinishedRun, tmp_path: Path
) -> None:
    path = stopped_run.folder / "design.json"
    document = json.loads(path.read_text())
    path.write_text(json.dumps({**document, "title": "[link](http://127.0.0.1) <b>bold</b>"}))
    at = open_dashboard_page("library.py", tmp_path)
    assert not at.exception
    label = at.get("progress")[0].proto.text
    assert "\\[link\\]\\(http\\:\u2060//127.0.0.1\\) \\<b\\>bold\\</b\\>" in label


def test_a_stopped_run_names_its_ruleset_and_why_it_cannot_go_on(
    open_dashboard_page: Callable[..., AppTest], stopped_run: UnfinishedRun, tmp_path: Path
) -> None:
    log = jobs.Job(Library(tmp_path), stopped_run.name).log
    log.parent.mkdir()
    log.write_text("half: 0 of 8 games\nreroll: half needs code\n", encoding="utf-8")
    at = open_dashboard_page("library.py", tmp_path)
    assert escape_markdown("bloxx-2p") in at.get("progress")[0].proto.text
    assert [error.value for error in at.error] == ["half needs code"]


def test_a_stopped_run_can_be_removed_on_the_page(
    open_dashboard_page: Callable[..., AppTest], stopped_run: UnfinishedRun, tmp_path: Path
) -> None:
    at = open_dashboard_page("library.py", tmp_path)
    at.button(key="drop-half").click().run()
    assert not at.exception
    assert not stopped_run.folder.exists()
    assert not at.get("progress")


@pytest.mark.slow
def test_a_simulation_stopped_on_the_page_keeps_its_games(
    open_dashboard_page: Callable[..., AppTest], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REROLL_KERNELS", "0")  # slow enough to be stopped
    job = jobs.start_simulation(
        Library(tmp_path), "bloxx-2p", ["greedy", "random"], games=4000, seed=1, workers=1
    )
    wait_until(lambda: job.state == "running" and job.partial.games_done > 0)
    at = open_dashboard_page("library.py", tmp_path)
    at.button(key=f"stop-{job.name}").click().run()
    wait_until(lambda: job.state == "stopped")
    at.run()
    assert not at.exception
    assert at.button(key=f"resume-{job.name}").label == "Go on"
    assert 0 < job.partial.games_done < 4000
