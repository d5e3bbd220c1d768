"""The page Strategies, over real comparisons."""

from __future__ import annotations

import fcntl
import re
import time
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dashboard.strategies.comparison_choice import _offered_strategies, write_estimate
from dashboard.widgets.markdown import escape_markdown
from engine import games
from engine.catalogue import Catalogue
from engine.strategies import built_in_strategies
from engine.wording import capitalise
from pipelines.design.designs import design_comparison
from pipelines.design.short_names import short_names
from pipelines.experiments.comparison import (
    MEASURING_SECONDS,
    START_SECONDS,
    GamePace,
    compare_strategies,
    measure_pace,
    preview_comparison,
)
from pipelines.notes.store import NoteFilter, NoteStore
from pipelines.records.strategies import LadderRecord, list_ladder_records
from pipelines.report.estimates import format_interval, set_sentence
from pipelines.report.verdicts import list_consequences, write_comparison
from pipelines.report.wording import format_duration
from pipelines.report.yardsticks import describe_ladder
from pipelines.runs.library import Library
from pipelines.runs.unfinished_run import UnfinishedRun, begin_run
from pipelines.service import jobs
from pipelines.simulate.simulate import simulate_run
from pipelines.statistics import Interval
from pipelines.statistics.rounding import set_minus_signs
from tests.dashboard.reading import (
    read_page_links,
    read_page_text,
    read_tables,
    read_verbatim_texts,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from streamlit.testing.v1 import AppTest


@pytest.fixture
def linked_library(comparison_library: Library, tmp_path: Path) -> Library:
    """The same runs in a folder of its own, in which a test may keep notes."""
    (tmp_path / "runs").symlink_to(comparison_library.runs_folder)
    return Library(tmp_path)


def test_a_finished_run_that_compares_nothing_is_named_and_the_page_shows_others(
    open_dashboard_page: Callable[..., AppTest],
) -> None:
    """Greedy has two of the three seats; the page once waited for a comparison of this name without end."""
    at = open_dashboard_page("strategies.py", run="three")
    assert not at.exception
    assert [error.value.replace("\\", "") for error in at.error] == [
        "The run three compares nothing: only comparisons do, and simulations with another strategy for every player."
    ]


def test_the_comparison_that_the_page_opens_with_is_kept(
    open_dashboard_page: Callable[..., AppTest],
    linked_library: Library,
    press_keep: Callable[[AppTest], None],
) -> None:
    at = open_dashboard_page("strategies.py", linked_library.folder)
    press_keep(at)
    (note,) = NoteStore(linked_library.folder).search(NoteFilter()).notes
    assert (note.kind, note.page, list(note.address)) == ("comparison", "strategies", ["run"])
    (kept,) = note.address["run"]
    at.button(key="strategies-report").click().run()
    assert kept in at.query_params["run"]  # it is the one that the page has shown
    at.button(key="strategies-new").click().run()
    press_keep(at)
    newest = NoteStore(linked_library.folder).search(NoteFilter()).notes[0]
    assert "run" not in newest.address


def wait_for_checks(at: AppTest) -> None:
    """Wait until the checks of the comparison, which run in a thread, are shown."""
    deadline = time.monotonic() + 60
    while "Checking this comparison" in read_page_text(at) and time.monotonic() < deadline:
        time.sleep(0.2)
        at.run()


def test_the_page_shows_the_verdict_first_and_the_numbers_for_statisticians_on_request(
    open_dashboard_page: Callable[..., AppTest], comparison_library: Library
) -> None:
    at = open_dashboard_page("strategies.py", comparison_library.folder, run="duel")
    assert not at.exception
    comparison = compare_strategies(comparison_library.run("duel"))
    for sentence in (write_comparison(comparison), *list_consequences(comparison)):
        assert set_sentence(sentence)[:-1] in read_page_text(at)
    assert list_consequences(comparison)[0].startswith("greedy wins ")
    charts = [chart.proto.spec for chart in at.get("plotly_chart")]
    assert not any("ahead of random" in chart for chart in charts), (
        "a single lead stands in the sentence alone"
    )
    assert not read_tables(at)
    wait_for_checks(at)
    said = read_page_text(at)
    assert "Checking" not in said
    assert "mirror" not in said

    at = open_dashboard_page("strategies.py", comparison_library.folder, run="duel", statistics="true")
    wait_for_checks(at)
    assert comparison.command in read_verbatim_texts(at)
    (row,) = read_tables(at)[0]
    assert row["A − B in points"] == format_interval(comparison.pairs[0].difference, signed=True)
    assert row["A wins of 100"] == format_interval(comparison.pairs[0].win_share, scale=100)
    assert row["blocks"] == 30
    # A seat of a duel wins less often than its strategy: the page shows one figure.
    assert not any("wins of 100 games" in rows[0] for rows in read_tables(at) if "strategy" in rows[0])
    (shown,) = (rows for rows in read_tables(at) if "control" in rows[0])
    for control, row in zip(comparison.controls, shown, strict=True):
        start, *_ = control.says.partition(" (blocks: ")  # as many as there was time for
        assert str(row["finding"]).startswith(start)


def test_quantiles_that_are_equal_in_all_resamples_are_not_called_exact(
    open_dashboard_page: Callable[..., AppTest], tmp_path: Path
) -> None:
    """Greedy wins all games, so its quantiles of the win are 1 in every bootstrap sample."""
    library = Library(tmp_path)
    design = design_comparison(
        Catalogue().find_ruleset("bloxx-2p"),
        ["greedy", "random"],
        blocks=30,
        metric="win",
        seed=3,
        log="scores",
    )
    simulate_run(design, library.runs_folder / "wins.duckdb", workers=1)
    at = open_dashboard_page("strategies.py", tmp_path, run="wins", statistics="true")
    (quantiles,) = (rows for rows in read_tables(at) if "games" in rows[0])
    assert {row["difference"] for row in quantiles} == {"+100 (no interval)"}
    assert not [row for rows in read_tables(at) for row in rows if "every time" in str(row)]


def test_a_stopped_comparison_says_which_intervals_allow_for_the_stop(
    open_dashboard_page: Callable[..., AppTest], tmp_path: Path
) -> None:
    library = Library(tmp_path)
    design = design_comparison(
        Catalogue().find_ruleset("bloxx-2p"), ["greedy", "random"], until_decided=True, seed=3, log="scores"
    )
    simulate_run(design, library.runs_folder / "decided.duckdb", workers=1)
    at = open_dashboard_page("strategies.py", tmp_path, run="decided", statistics="true")
    assert not at.exception
    said = (
        "95 % intervals. Only the intervals of the difference that decides when to stop are valid at every look, "
        "as long as the blocks played are typical of those to come; all others are those of a fixed number of blocks."
    )
    assert sum(said in caption.value for caption in at.caption) == 1


def test_of_comparisons_of_one_size_the_page_opens_on_the_first_in_its_lists(
    open_dashboard_page: Callable[..., AppTest], tmp_path: Path, play_run: Callable[..., None]
) -> None:
    """What was simulated last says nothing of what people want to know first."""
    for name, ruleset in (
        ("wanted", "bloxx-2p"),
        ("variant", "bloxx-touch-2p"),
        ("last", "spexxx-children-2p"),
    ):
        play_run(tmp_path, name, ruleset, "greedy", "random", games=24)
    at = open_dashboard_page("strategies.py", tmp_path)
    assert at.selectbox(key="strategies-run").value == "wanted"


def test_only_the_comparisons_of_the_game_of_the_shown_one_are_offered(
    open_dashboard_page: Callable[..., AppTest], play_run: Callable[..., None], tmp_path: Path
) -> None:
    """Another game leads to its largest comparison; the form of a new one is beside the comparisons of all games."""
    for name, ruleset, count in (
        ("first", "bloxx-2p", 60),
        ("second", "bloxx-touch-2p", 24),
        ("small", "spexxx-children-2p", 20),
        ("large", "spexxx-2p", 24),
    ):
        play_run(tmp_path, name, ruleset, "greedy", "random", games=count)
    at = open_dashboard_page("strategies.py", tmp_path)
    assert [option.rpartition(" ")[2] for option in at.selectbox(key="strategies-run").options] == [
        "comparison",
        "first",
        "second",
    ]
    at.segmented_control(key="strategies-game").set_value("spexxx").run()
    assert at.query_params == {"run": "large"}
    assert at.selectbox(key="strategies-run").label == "One of 2 comparisons"
    at.button(key="strategies-new").click().run()
    assert at.segmented_control(key="strategies-game").value is None
    assert len(at.selectbox(key="strategies-run").options) == 5


def test_a_ladder_has_one_heading_and_says_how_each_of_its_strategies_plays(
    open_dashboard_page: Callable[..., AppTest], tmp_path: Path
) -> None:
    at = open_dashboard_page("strategies.py", tmp_path, ruleset="bloxx-2p")
    records = list_ladder_records(Catalogue().find_ruleset("bloxx-2p"))
    assert [heading.value for heading in (*at.header, *at.subheader) if "really" not in heading.value] == [
        escape_markdown(set_minus_signs(describe_ladder("BLOXX! for 2 players", records)))
    ]
    said = read_page_text(at)
    assert "**Planner**: Weighs what a placement does to the sheet" in said
    for name in short_names(records).values():
        assert f"**{capitalise(name)}" in said


def test_the_page_opens_on_the_newest_verdict_and_its_pictures_and_opens_the_form_when_asked(
    open_dashboard_page: Callable[..., AppTest], comparison_library: Library
) -> None:
    at = open_dashboard_page("strategies.py", comparison_library.folder)
    verdict = write_comparison(compare_strategies(comparison_library.run("close")))
    assert f"## {verdict[0].upper()}{verdict[1:]}." in read_page_text(at)
    assert at.markdown[0].value.startswith("## ")
    ladder = list_ladder_records(Catalogue().find_ruleset("bloxx-2p"))
    assert describe_ladder("BLOXX! for 2 players", ladder) in read_page_text(at)
    assert "not those of a comparison here, so a lead differs a little" in read_page_text(at)
    assert len(at.get("plotly_chart")) == 3, "those of the comparison, and the ladder"
    choice = at.selectbox(key="strategies-run")
    assert (choice.label, choice.value) == ("One of 3 comparisons", "close")
    assert choice.proto.label_visibility.value == 0  # it is visible
    assert len(choice.options) == 4, "the comparisons, and a new one"
    assert "ask-go" not in {button.key for button in at.button}
    at.button(key="strategies-new").click().run()
    assert not at.exception
    assert at.query_params["ruleset"] in ("bloxx-2p", ["bloxx-2p"])
    assert at.selectbox(key="ask-ruleset").value == "bloxx-2p"
    assert at.button(key="ask-go").label == "Compare"
    at.selectbox(key="strategies-run").set_value("duel").run()
    assert at.query_params == {"run": "duel"}
    assert "ask-go" not in {button.key for button in at.button}


def test_the_page_opens_on_the_comparison_with_the_most_games_although_a_smaller_one_is_newer(
    open_dashboard_page: Callable[..., AppTest], play_run: Callable[..., None], tmp_path: Path
) -> None:
    play_run(tmp_path, "larger", "bloxx-2p", "greedy", "random", games=60)
    play_run(tmp_path, "newer", "bloxx-2p", "greedy", "random", games=40, seed=9)
    at = open_dashboard_page("strategies.py", tmp_path)
    assert at.selectbox(key="strategies-run").value == "larger"
    spread, _ladder = at.get("plotly_chart")
    assert "final score in points" in spread.proto.spec, "a single lead stands in the sentence alone"


def test_games_that_are_too_few_for_a_verdict_do_not_hide_the_form(
    open_dashboard_page: Callable[..., AppTest], play_run: Callable[..., None], tmp_path: Path
) -> None:
    play_run(tmp_path, "tiny", "bloxx-2p", "greedy", "random", games=4)
    at = open_dashboard_page("strategies.py", tmp_path)
    assert not at.exception
    assert at.button(key="ask-go").label == "Compare"
    assert any("tiny" in option for option in at.selectbox(key="strategies-run").options)


def test_the_form_stands_beside_what_the_ladder_and_a_comparison_say_about_its_ruleset(
    open_dashboard_page: Callable[..., AppTest], comparison_library: Library
) -> None:
    at = open_dashboard_page("strategies.py", comparison_library.folder, ruleset="bloxx-3p")
    records = list_ladder_records(Catalogue().find_ruleset("bloxx-3p"))
    (*_, top) = records.values()
    assert f"; {top.games:,} games)" in describe_ladder("BLOXX!", records)
    assert describe_ladder("BLOXX! for 3 players", records) in read_page_text(at)
    for record in records.values():
        assert not record.games or f"{record.games:,}" in read_page_text(at)
    assert write_comparison(compare_strategies(comparison_library.run("duel")))[1:] in read_page_text(at)
    assert len(at.get("plotly_chart")) == 1
    at.selectbox(key="ask-ruleset").set_value("bloxx-mini").run()
    assert "Nobody has compared strategies of" in read_page_text(at)
    assert not at.get("plotly_chart")


@pytest.mark.slow
def test_the_form_is_changed_beside_an_open_drawer(
    comparison_library: Library, open_dashboard_page: Callable[..., AppTest]
) -> None:
    address = {"ruleset": "bloxx-2p", "seed": "5", "perfect-play": "true"}
    at = open_dashboard_page("strategies.py", comparison_library.folder, **address)
    at.selectbox(key="ask-metric").set_value("win").run()
    at.text_input(key="ask-seed").set_value("").run()
    assert not at.exception
    assert "win" in at.query_params["metric"]
    assert "seed" not in at.query_params
    assert "true" in at.query_params["perfect-play"]


def test_fields_keep_the_values_of_the_address_where_the_browser_skipped_their_first_drawing(
    comparison_library: Library, open_dashboard_page: Callable[..., AppTest]
) -> None:
    address = {"ruleset": "bloxx-2p", "metric": "win", "blocks": "200", "seed": "5", "until-decided": "true"}
    at = open_dashboard_page("strategies.py", comparison_library.folder, **address).run()
    metric, seed = at.selectbox(key="ask-metric").proto, at.text_input(key="ask-seed").proto
    assert (metric.options[metric.default], seed.default) == ("share of the win", "5")
    assert at.checkbox(key="ask-until").proto.default


@settings(deadline=None)
@given(st.floats(-50, 50), st.floats(0.01, 30), st.integers(1, 5000))
def test_a_ladder_names_the_strongest_strategy_only_if_the_interval_of_its_lead_is_above_zero(
    lead: float, half: float, games: int
) -> None:
    low, high = lead - half, lead + half
    top = LadderRecord(1.0, "", 3, 3, "greedy", Interval(lead, low, high), games)
    lowest = LadderRecord(None, "", 1, 3, "", None, 0)
    said = describe_ladder("Chess", {"random": lowest, "greedy": lowest, "planner": top})
    assert ("strongest" in said) == (low > 0)
    assert ("not clearly ahead of greedy" in said) == (low <= 0 <= high)
    assert ("behind greedy" in said) == (high < 0)
    assert f"{games:,} game" in said
    ends = [abs(float(text)) for text in re.findall(r"interval (\S+) to (\S+);", said.replace("−", "-"))[0]]
    assert sorted(ends) == pytest.approx(sorted(map(abs, (low, high))), abs=half / 5)


def test_twin_games_are_listed_by_their_difference_and_can_be_shown(
    open_dashboard_page: Callable[..., AppTest], comparison_library: Library
) -> None:
    at = open_dashboard_page("strategies.py", comparison_library.folder, run="duel", statistics="true")
    assert "The two games part in round" in read_page_text(at)
    assert "greedy" in read_page_text(at)
    (twins,) = (rows for rows in read_tables(at) if {"difference", "player"} <= rows[0].keys())
    differences = [abs(int(str(row["difference"]))) for row in twins]
    assert len(differences) == 8
    assert differences == sorted(differences, reverse=True)
    assert {row["player"] for row in twins} <= {1, 2, 3}
    box = next(box for box in at.selectbox if str(box.key).startswith("twins-"))
    for index in (0, 5):
        box.select_index(index).run()
        assert not at.exception
        assert "The two games part in round" in read_page_text(at)
        links = read_page_links(at)
        for game in (twins[index]["game of greedy"], twins[index]["game of random"]):
            assert any(f"game-number={game}" in link for link in links.values()), links


def test_every_seat_has_an_effect_with_an_interval(
    open_dashboard_page: Callable[..., AppTest], comparison_library: Library
) -> None:
    at = open_dashboard_page("strategies.py", comparison_library.folder, run="duel", statistics="true")
    (effects,) = (rows for rows in read_tables(at) if "effect" in rows[0])
    comparison = compare_strategies(comparison_library.run("duel"))
    assert [row["player"] for row in effects] == [edge.seat + 1 for edge in comparison.seats]
    for row, edge in zip(effects, comparison.seats, strict=True):
        assert edge.score
        assert row["effect"] == format_interval(edge.score, signed=True)
    assert f"interval from {comparison.blocks} blocks" in read_page_text(at)


@pytest.mark.parametrize(("run", "charts"), [("duel", 0), ("robin", 0), ("close", 1)])
def test_ratings_are_explained_and_drawn_if_all_strategies_have_one(
    open_dashboard_page: Callable[..., AppTest], comparison_library: Library, run: str, charts: int
) -> None:
    at = open_dashboard_page("strategies.py", comparison_library.folder, run=run, statistics="true")
    sides = compare_strategies(comparison_library.run(run)).sides
    (ratings,) = (rows for rows in read_tables(at) if "rating" in rows[0])
    assert [row["strategy"] for row in ratings] == [
        short_names(side.strategy for side in sides)[side.strategy] for side in sides
    ]
    assert "400 points more mean odds of ten to one" in read_page_text(at)
    assert ("The strength of each strategy" in read_page_text(at)) == bool(charts)


def test_three_strategies_have_a_matrix_and_the_address_selects_a_pair(
    open_dashboard_page: Callable[..., AppTest], comparison_library: Library
) -> None:
    at = open_dashboard_page(
        "strategies.py", comparison_library.folder, run="robin", pair="2", statistics="true"
    )
    assert not at.exception
    matrix = read_tables(at)[0]
    assert {row["minus the column"] for row in matrix} == set(matrix[0]) - {"minus the column"}
    assert matrix[-1]["minus the column"] == "random"
    comparison = compare_strategies(comparison_library.run("robin"))
    names = short_names(comparison.strategies)
    assert (
        f"once with {names[comparison.pairs[2].a]} and once with {names[comparison.pairs[2].b]}"
        in read_page_text(at)
    )
    at.selectbox(key="pair-robin").select_index(1).run()
    assert at.query_params["pair"] == "1"
    assert (
        f"once with {names[comparison.pairs[1].a]} and once with {names[comparison.pairs[1].b]}"
        in read_page_text(at)
    )


@pytest.mark.parametrize(
    "address", [{"run": "gone"}, {"run": "duel", "pair": "x"}, {"run": "duel", "pair": "99"}]
)
def test_an_invalid_address_breaks_no_page(
    open_dashboard_page: Callable[..., AppTest], comparison_library: Library, address: dict[str, str]
) -> None:
    at = open_dashboard_page("strategies.py", comparison_library.folder, **address)
    assert not at.exception


@pytest.mark.slow
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
    assert "of a block have the same dice" in read_page_text(at)
    name = at.query_params["run"]
    library = Library(tmp_path)  # type: ignore[arg-type]
    job = jobs.Job(library, name)
    deadline = time.monotonic() + 60
    while job.state != "finished" and time.monotonic() < deadline:
        time.sleep(0.2)
    at.run()
    assert not at.exception
    assert "Details" in [expander.label for expander in at.expander]
    assert compare_strategies(library.run(name)).blocks == 60


def test_a_comparison_that_is_being_finished_or_stopped_says_so(
    open_dashboard_page: Callable[..., AppTest], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    design = design_comparison(Catalogue().find_ruleset("bloxx-2p"), ["greedy", "random"], blocks=500, seed=1)
    partial = begin_run(tmp_path / "runs" / "slow.duckdb", design, free_name=False)
    log = jobs.Job(Library(tmp_path), "slow").log
    log.parent.mkdir()
    with log.open("w") as held, partial.claim():  # as the process of a job does
        fcntl.flock(held, fcntl.LOCK_EX)
        with monkeypatch.context() as patch:
            patch.setattr(UnfinishedRun, "games_done", 1000)
            for page, address in (("strategies.py", {"run": "slow"}), ("library.py", {})):
                at = open_dashboard_page(page, tmp_path, **address)
                assert at.get("progress")[0].proto.text.endswith(
                    "1,000 games. Finishing: writing the file and the report …"
                )
                assert "Stop" not in [button.label for button in at.button]
        at = open_dashboard_page("strategies.py", tmp_path, run="slow")
        assert not at.exception
        assert at.get("progress")[0].proto.text.startswith("0 of 1,000 games")
        at.button(key="strategies-stop").click().run()
        assert at.get("progress")[0].proto.text.startswith("Stopping … 0 of 1,000 games")
        assert at.button(key="strategies-stop").disabled


@pytest.mark.slow
def test_the_form_is_filled_from_its_address_and_every_change_is_written_there(
    open_dashboard_page: Callable[..., AppTest], tmp_path: object
) -> None:
    at = open_dashboard_page(
        "strategies.py",
        tmp_path,
        ruleset="spexxx-2p",
        strategies=["greedy", "noisy:sigma=3"],
        metric="margin",
        blocks="60",
        **{"until-decided": "1"},
        seed="5",
    )
    assert not at.exception
    assert not at.warning
    assert at.selectbox(key="ask-ruleset").value == "spexxx-2p"
    assert at.multiselect(key="ask-strategies-spexxx").value == ["greedy", "noisy:sigma=3"]
    assert at.selectbox(key="ask-metric").value == "margin"
    assert (at.number_input(key="ask-blocks").value, at.checkbox(key="ask-until").value) == (60, True)
    at.selectbox(key="ask-ruleset").set_value("bloxx-2p").run()
    at.checkbox(key="ask-until").uncheck().run()
    assert at.multiselect(key="ask-strategies-bloxx").value == ["planner", "greedy"]
    assert at.query_params == {
        "ruleset": "bloxx-2p",
        "strategies": ["planner", "greedy"],
        "metric": "margin",
        "blocks": "60",
        "seed": "5",
    }
    at.query_params.clear()  # as after Back
    at.run()
    assert (at.number_input(key="ask-blocks").value, at.text_input(key="ask-seed").value) == (1_000, "")


def test_a_browser_that_draws_the_form_late_shows_what_its_fields_hold(
    open_dashboard_page: Callable[..., AppTest], tmp_path: object
) -> None:
    """A browser that misses the first drawing of a field fills it with its default, so that must be the value."""
    at = open_dashboard_page(
        "strategies.py", tmp_path, ruleset="bloxx-2p", strategies=["greedy", "noisy:sigma=3"], blocks="60"
    )
    at.run()
    assert not at.exception
    lineup = at.multiselect(key="ask-strategies-bloxx")
    assert [lineup.options[at_place] for at_place in lineup.proto.default] == ["greedy", "noisy:sigma=3"]
    ruleset = at.selectbox(key="ask-ruleset")
    assert ruleset.options[ruleset.proto.default] == "BLOXX!, 2 players"
    assert at.number_input(key="ask-blocks").proto.default == 60


@pytest.mark.slow
def test_what_the_address_of_the_form_names_wrongly_is_said(
    open_dashboard_page: Callable[..., AppTest], tmp_path: object
) -> None:
    at = open_dashboard_page(
        "strategies.py",
        tmp_path,
        ruleset="nope",
        strategies=["greedy", "gready"],
        metric="luck",
        blocks="0",
        **{"until-decided": "maybe"},
    )
    assert not at.exception
    (said,) = (one.value.replace("\\", "") for one in at.warning)
    for named in ("ruleset nope", "'gready'", "measure luck", "not 0", "until-decided maybe"):
        assert named in said
    lineup = at.multiselect(key=f"ask-strategies-{_game_of(at)}")
    assert lineup.value == ["greedy", "gready"]
    at.number_input(key="ask-blocks").set_value(60).run()
    (said,) = (one.value.replace("\\", "") for one in at.warning)
    assert "gready" in said
    assert "not 7" not in said  # the message follows the fields at once
    at.multiselect(key=str(lineup.key)).set_value(["greedy", "random"]).run()
    assert not at.warning


def _game_of(at: AppTest) -> str:
    return Catalogue().find_ruleset(str(at.selectbox(key="ask-ruleset").value)).game


def test_the_form_estimates_the_games_and_their_time_before_the_click() -> None:
    design = design_comparison(Catalogue().find_ruleset("bloxx-2p"), ["greedy", "random"], blocks=600, seed=3)
    paces = list(measure_pace(design))
    assert paces[-1].seconds >= MEASURING_SECONDS
    assert [pace.games % 2 for pace in paces] == [0] * len(paces)
    assert paces[-1].estimate_seconds(1200) == pytest.approx(2 * paces[-1].estimate_seconds(600))
    assert len(list(measure_pace(design, lambda: True))) <= 1
    assert write_estimate(design, None).startswith("1,200 games; measuring")
    said = write_estimate(design, GamePace(50, 2.0))
    left = START_SECONDS + GamePace(50, 2.0).estimate_seconds(1200)
    assert said == f"1,200 games, about {format_duration(left)} on this machine (an estimate from 50 games)"
    assert "1,200 games, a few seconds on this machine" in write_estimate(design, GamePace(5000, 0.1))
    decided = design_comparison(
        Catalogue().find_ruleset("bloxx-2p"), ["greedy", "random"], blocks=600, until_decided=True, seed=3
    )
    assert write_estimate(decided, GamePace(50, 2.0)).startswith("At most 1,200 games, at most about ")


@pytest.mark.slow
def test_a_comparison_of_one_strategy_is_refused(
    open_dashboard_page: Callable[..., AppTest], tmp_path: object
) -> None:
    at = open_dashboard_page("strategies.py", tmp_path)
    at.selectbox(key="ask-ruleset").set_value("bloxx-2p").run()
    at.multiselect(key="ask-strategies-bloxx").set_value(["greedy"])
    at.button(key="ask-go").click().run()
    assert len(at.error) == 1
    assert "from 2 to" in at.error[0].value


@pytest.mark.parametrize(
    ("ruleset", "lineup"),
    [
        ("bloxx-2p", ["planner", "greedy"]),
        ("blokus-duo", ["mobility", "greedy"]),
        ("blokus-dice-2p", ["learned", "greedy"]),
        ("spexxx-2p", ["learned", "greedy"]),
        ("bloxx-mini", ["greedy", "random"]),  # has no ladder
    ],
)
def test_the_form_begins_with_the_strongest_quick_strategy_and_greedy(
    ruleset: str, lineup: list[str]
) -> None:
    rules = Catalogue().find_ruleset(ruleset)
    offered = _offered_strategies(rules)
    assert offered[:2] == lineup
    assert sorted(offered) == sorted(built_in_strategies(games.find_game(rules.game)))


def test_the_preview_plays_the_first_blocks_of_the_same_run(comparison_library: Library) -> None:
    """The preview is shown while the processes start; its numbers are those of the run."""
    design = design_comparison(Catalogue().find_ruleset("bloxx-3p"), ["greedy", "random"], blocks=30, seed=3)
    previews = list(preview_comparison(design))
    assert previews[0].blocks == 10
    assert previews[-1].blocks == 30
    comparison = compare_strategies(comparison_library.run("duel"))
    assert previews[-1].pairs[0].difference == comparison.pairs[0].difference
    assert [preview.blocks for preview in preview_comparison(design, lambda: True)] == [10]


def test_no_other_comparison_stands_in_for_one_that_does_not_exist(
    open_dashboard_page: Callable[..., AppTest], linked_library: Library
) -> None:
    at = open_dashboard_page("strategies.py", linked_library.folder, run="nope")
    assert not at.exception
    assert [error.value for error in at.error] == [
        "There is no comparison nope. It may have been renamed or deleted."
    ]
    assert not at.warning
    assert not at.get("plotly_chart")
    assert not at.header
    assert at.selectbox(key="strategies-run").value is None
    assert "duel" in " ".join(at.selectbox(key="strategies-run").options)
    at.button(key="strategies-new").click().run()
    assert at.button(key="ask-go").label == "Compare"
