"""A pinned strategy or run is drawn in its own style on every page of results, changes no number, and can be unpinned."""

from __future__ import annotations

import json
import re
import shutil
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest

from dashboard.queries import cached
from dashboard.scores.beside_baseline import scope_baseline
from engine.catalogue import Catalogue
from pipelines.design.comparison import design_comparison
from pipelines.notes.baseline import BaselineStore, run_baseline, strategy_baseline
from pipelines.notes.store import NoteStore
from pipelines.questions.scores.scope import scope_of_run
from pipelines.runs.library import Library
from pipelines.simulate.simulate import simulate_run
from pipelines.viewer.palette import BASELINE_COLOUR, BASELINE_LOOK, assign_looks
from tests.dashboard.reading import open_menu, read_page_text, read_tables

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from streamlit.testing.v1 import AppTest


@pytest.fixture(scope="module")
def played_library(library: Library, tmp_path_factory: pytest.TempPathFactory) -> Library:
    """The shared runs, with a comparison and a second run under the rules of `three`."""
    folder = tmp_path_factory.mktemp("pinned")
    shutil.copytree(library.runs_folder, folder / "runs")
    rules = Catalogue().find_ruleset("bloxx-3p")
    duel = design_comparison(rules, ["noisy", "random"], blocks=10, seed=3)
    simulate_run(duel, folder / "runs" / "duel.duckdb", workers=1)
    robin = design_comparison(rules, ["greedy", "noisy", "random"], blocks=10, seed=4, log="scores")
    simulate_run(robin, folder / "runs" / "robin.duckdb", workers=1)
    return Library(folder)


@pytest.fixture
def pinned(played_library: Library, tmp_path: Path) -> Library:
    """The same runs in a folder of its own, in which a test may pin a baseline."""
    (tmp_path / "runs").symlink_to(played_library.runs_folder)
    return Library(tmp_path)


def chart(at: AppTest, key: str) -> dict[str, Any]:
    assert not at.exception
    found = next(one for one in at.get("plotly_chart") if key in one.proto.id)
    figure: dict[str, Any] = json.loads(found.proto.spec)
    return figure


def lines(figure: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the outlines of a chart by name."""
    return {
        trace["name"]: trace for trace in figure["data"] if trace.get("mode") == "lines" and "name" in trace
    }


def test_a_pinned_strategy_has_its_own_look_and_every_number_stays(
    open_dashboard_page: Callable[..., AppTest], pinned: Library
) -> None:
    address: dict[str, Any] = {"rulesets": "bloxx-3p", "runs": "three"}
    before = open_dashboard_page("scores.py", pinned.folder, **address)
    BaselineStore(pinned.folder).pin(strategy_baseline("greedy"))
    after = open_dashboard_page("scores.py", pinned.folder, **address)
    plain, marked = lines(chart(before, "shape-chart")), lines(chart(after, "shape-chart"))
    assert list(plain) == ["greedy", "random"]
    assert list(marked) == ["greedy (baseline)", "random"]
    line = marked["greedy (baseline)"]["line"]
    assert (line["color"], line["dash"]) == BASELINE_LOOK
    assert [trace["y"] for trace in plain.values()] == [trace["y"] for trace in marked.values()]
    assert read_tables(before) == read_tables(after)
    assert "Baseline] greedy" in read_page_text(after)
    after.button(key="baseline-unpin").click().run()
    assert BaselineStore(pinned.folder).read_baseline() is None
    assert list(lines(chart(after, "shape-chart"))) == ["greedy", "random"]


def test_no_strategy_has_the_look_of_the_baseline() -> None:
    looks = assign_looks([f"s{number}" for number in range(60)])
    assert not any(look.is_baseline for look in looks.values())
    assert BASELINE_LOOK.symbol not in {look.symbol for look in looks.values()}


@pytest.mark.parametrize("compare", ["Strategies", "Players", "One by one"])
def test_a_pinned_run_is_drawn_beside_the_chosen_runs(
    open_dashboard_page: Callable[..., AppTest], pinned: Library, compare: str
) -> None:
    address: dict[str, Any] = {"rulesets": "bloxx-3p", "runs": "three", "compare": compare}
    before = open_dashboard_page("scores.py", pinned.folder, **address)
    BaselineStore(pinned.folder).pin(run_baseline(pinned.run("robin")))
    after = open_dashboard_page("scores.py", pinned.folder, **address)
    added = [trace for name, trace in lines(chart(after, "shape-chart")).items() if "(baseline)" in name]
    assert {trace["line"]["color"] for trace in added} == {BASELINE_COLOUR}
    assert {trace["name"] for trace in added} == {"greedy (baseline)", "random (baseline)"}
    assert read_tables(before) == read_tables(after)
    said = read_page_text(after)
    assert "Baseline, from run robin (line-up 2 greedy, noisy or " in said
    found = re.search(
        r"Mean points of the baseline, .*: greedy about ([\d.]+) \(.* results\) and random about [−\d.]+ \(",
        said,
    )
    assert found
    labels = [one["text"] for one in chart(after, "shape-chart")["layout"]["annotations"]]
    label = next(label for label in labels if "greedy (baseline)" in label and "±" in label)
    drawn = re.search(r"([\d.]+) ±", label)
    assert drawn
    assert abs(float(drawn[1]) - float(found[1])) <= 0.5


@pytest.mark.parametrize(("view", "key"), [("Parts", "parts"), ("Course", "course"), ("Players", "seat")])
def test_a_pinned_run_is_drawn_in_the_views_of_means(
    open_dashboard_page: Callable[..., AppTest], pinned: Library, view: str, key: str
) -> None:
    address: dict[str, Any] = {"rulesets": "bloxx-3p", "runs": "three", "view": view}
    before = open_dashboard_page("scores.py", pinned.folder, **address)
    BaselineStore(pinned.folder).pin(run_baseline(pinned.run("duel")))
    after = open_dashboard_page("scores.py", pinned.folder, **address)
    assert read_tables(before) == read_tables(after)
    traces = {trace["name"]: trace for trace in chart(after, f"{key}-chart")["data"] if "customdata" in trace}
    added = traces.pop("random (baseline)")
    assert list(traces) == ["greedy", "random"]
    assert added.get("line", added.get("marker"))["color"] == BASELINE_COLOUR
    assert view == "Course" or added["marker"]["symbol"] == "star"
    with pinned.run("duel").connect() as con:
        truth = {
            "Parts": "SELECT sum(points_sum) / sum(n) FROM part_totals WHERE strategy = 'random' GROUP BY part",
            "Course": "SELECT sum(score_sum) / sum(n) FROM score_by_round WHERE strategy = 'random' "
            "GROUP BY round HAVING 10 * sum(n) >= (SELECT count(*) FROM seats WHERE strategy = 'random')",
            "Players": "SELECT avg(score) FROM seats WHERE strategy = 'random' GROUP BY seat",
        }[view]
        means = sorted(float(mean) for (mean,) in con.execute(truth).fetchall())
    drawn = sorted(added["x" if view == "Parts" else "y"])
    assert drawn == pytest.approx(means)
    assert "Baseline, from run duel (line-up 2 noisy, random or noisy, 2 random): random" in read_page_text(
        after
    )


def test_a_pinned_run_is_drawn_beside_the_lengths_of_games(
    open_dashboard_page: Callable[..., AppTest], pinned: Library
) -> None:
    address: dict[str, Any] = {"rulesets": "bloxx-3p", "runs": "three", "view": "Length"}
    before = open_dashboard_page("scores.py", pinned.folder, **address)
    run = pinned.run("duel")
    BaselineStore(pinned.folder).pin(run_baseline(run))
    after = open_dashboard_page("scores.py", pinned.folder, **address)
    assert read_tables(before) == read_tables(after)
    drawn = lines(chart(after, "length-chart"))
    assert list(drawn)[1:] == [f"run duel (baseline) n = {run.summary.games}"]
    line = drawn[list(drawn)[1]]["line"]
    assert (line["color"], line["dash"]) == BASELINE_LOOK


def test_explore_outlines_all_results_of_a_pinned_run_on_the_bins_of_the_chosen_runs(
    open_dashboard_page: Callable[..., AppTest], pinned: Library
) -> None:
    address: dict[str, Any] = {"rulesets": "bloxx-3p", "runs": "three", "view": "Explore"}
    before = open_dashboard_page("scores.py", pinned.folder, **address)
    run = pinned.run("duel")
    BaselineStore(pinned.folder).pin(run_baseline(run))
    after = open_dashboard_page("scores.py", pinned.folder, **address)
    plain, marked = (find_histograms(at) for at in (before, after))
    (reference,) = marked.pop("references")
    assert plain.pop("references") == []
    assert plain == marked
    assert reference["name"].startswith("random (baseline)")
    assert (reference["colour"], reference["dash"]) == BASELINE_LOOK
    edges = next(one["edges"] for one in marked["measures"] if one["key"] == "score")
    with run.connect() as con:
        scores = [
            score for (score,) in con.execute("SELECT score FROM seats WHERE strategy = 'random'").fetchall()
        ]
    inside = [sum(low <= score < high for score in scores) for low, high in pairwise(edges)]
    assert reference["shares"]["score"] == pytest.approx([count / len(scores) for count in inside])


def find_histograms(at: AppTest) -> dict[str, Any]:
    """Return the data of the linked histograms."""
    assert not at.exception
    documents = [json.loads(one.proto.json) for one in at.get("bidi_component") if one.proto.json]
    found: dict[str, Any] = next(one for one in documents if "measures" in one)
    return found


@pytest.mark.parametrize(
    ("view", "run", "why"),
    [
        ("Scores", "scores-only", "it has no games of bloxx-3p"),
        ("Parts", "scores-only", "it has no games of bloxx-3p"),
        ("Length", "scores-only", "it has no games of bloxx-3p"),
        ("Explore", "scores-only", "it has no games of bloxx-3p"),
        ("Course", "robin", "its plies were not logged"),
        ("Squares", "duel", "maps are of the chosen runs only"),
    ],
)
def test_a_view_that_cannot_show_the_pinned_run_says_so_in_one_line(
    open_dashboard_page: Callable[..., AppTest], pinned: Library, view: str, run: str, why: str
) -> None:
    BaselineStore(pinned.folder).pin(run_baseline(pinned.run(run)))
    at = open_dashboard_page("scores.py", pinned.folder, rulesets="bloxx-3p", runs="three", view=view)
    assert not at.exception
    assert f"The baseline, run {run}, is not drawn here: {why}." in read_page_text(at)


def test_strategies_marks_the_baseline_and_offers_its_comparisons_first(
    open_dashboard_page: Callable[..., AppTest], pinned: Library
) -> None:
    before = open_dashboard_page("strategies.py", pinned.folder)
    # The first option is a new comparison; the page itself links to all of them.
    assert before.selectbox(key="strategies-run").options[1].endswith("robin")
    BaselineStore(pinned.folder).pin(run_baseline(pinned.run("duel")))
    at = open_dashboard_page("strategies.py", pinned.folder)
    assert at.selectbox(key="strategies-run").options[1].endswith("duel")
    at = open_dashboard_page("strategies.py", pinned.folder, run="robin")
    assert {name for name in lines(chart(at, "spread")) if "baseline" in name} == {
        "noisy (baseline)",
        "random (baseline)",
    }
    verdict = at.markdown[1].value
    at.button(key="pin-random").click().run()
    assert BaselineStore(pinned.folder).read_baseline() == strategy_baseline("random")
    assert [name for name in lines(chart(at, "spread")) if "baseline" in name] == ["random (baseline)"]
    assert BASELINE_COLOUR in json.dumps(chart(at, "spread"))
    assert at.markdown[1].value == verdict
    assert all("random" in option for option in at.selectbox(key="pair-robin").options[:2])
    new = open_dashboard_page("strategies.py", pinned.folder)
    new.button(key="strategies-new").click().run()
    (asked,) = [one for one in new.multiselect if str(one.key).startswith("ask-strategies-")]
    assert asked.value[0] == "random"


def test_a_what_if_shows_the_baseline_in_whole_games(
    open_dashboard_page: Callable[..., AppTest], pinned: Library
) -> None:
    BaselineStore(pinned.folder).pin(strategy_baseline("noisy:sigma=2.3"))
    at = open_dashboard_page(
        "whatif.py", pinned.folder, run="three", game="1", ply="20", seat="0", strategy="random", n="60"
    )
    for _ in range(60):
        if any("whatif-scores" in one.proto.id for one in at.get("plotly_chart")):
            break
        at.run()
    drawn = lines(chart(at, "whatif-scores"))
    assert list(drawn) == ["as played", "with the change", "noisy (baseline)"]
    assert "These are whole games, not continuations of this one." in read_page_text(at)
    BaselineStore(pinned.folder).unpin()
    unpinned = lines(chart(at.run(), "whatif-scores"))
    assert list(unpinned) == ["as played", "with the change"]


def test_what_a_rule_changes_marks_the_baseline_and_offers_it_first(
    open_dashboard_page: Callable[..., AppTest], pinned: Library
) -> None:
    question = {"ruleset": "bloxx-2p", "part": "effect"}
    address = {
        **question,
        "against": "bloxx-touch-2p",
        "lineup": "greedy,random",
        "blocks": "10",
        "seed": "5",
    }

    def answer() -> AppTest:
        at = open_dashboard_page("rules.py", pinned.folder, **address)
        at.session_state["rules-effect-work"][1].wait(120)
        return at.run()

    def offered() -> list[tuple[str, list[str]]]:
        at = open_dashboard_page("rules.py", pinned.folder, **question)
        return [(str(box.value), box.options) for box in at.selectbox if box.label.startswith("Player ")]

    plain, offered_before = chart(answer(), "changes"), offered()
    assert [value for value, _ in offered_before] == ["greedy", "random"]
    BaselineStore(pinned.folder).pin(strategy_baseline("greedy"))
    at = answer()
    marked = chart(at, "changes")
    assert [trace["name"] for trace in marked["data"]] == ["greedy (baseline)", "random"]
    assert marked["data"][0]["marker"]["color"] == BASELINE_COLOUR
    assert marked["data"][0]["marker"]["symbol"] == BASELINE_LOOK.symbol
    assert marked["layout"]["yaxis"]["ticktext"] == ["greedy (baseline)", "random"]
    assert [trace["x"] for trace in marked["data"]] == [trace["x"] for trace in plain["data"]]
    panels = [note["text"] for note in chart(at, "scores")["layout"]["annotations"]]
    assert any("greedy (baseline)" in text for text in panels)
    names = [name for name in offered_before[0][1] if name != "greedy"]
    assert offered() == [("random", ["greedy", *names]), ("greedy", ["greedy", *names])]
    BaselineStore(pinned.folder).pin(strategy_baseline("noisy:sigma=2.3"))
    assert [(value, options[0]) for value, options in offered()] == [
        ("greedy", "noisy:sigma=2.3"),
        ("noisy:sigma=2.3", "noisy:sigma=2.3"),
    ]


def test_a_run_is_pinned_in_the_library_and_a_deleted_one_is_named(
    open_dashboard_page: Callable[..., AppTest], library: Library, tmp_path: Path
) -> None:
    shutil.copytree(library.runs_folder, tmp_path / "runs")
    at = open_dashboard_page("library.py", tmp_path)
    open_menu(at, "menu-three").button(key="pin-three").click().run()
    assert "Baseline] run three" in read_page_text(at)
    assert at.button(key="pin-three").label == "Unpin the baseline"
    (tmp_path / "runs" / "three.duckdb").unlink()
    assert "run three, which is no longer here" in read_page_text(at.run())
    at.button(key="baseline-unpin").click().run()
    assert "Baseline]" not in read_page_text(at)


def test_hostile_names_are_text_and_a_broken_file_of_notes_closes_no_page(
    open_dashboard_page: Callable[..., AppTest], pinned: Library
) -> None:
    store = BaselineStore(pinned.folder)
    store.pin(strategy_baseline("<img src=x> [a](http://evil.example) :smile:"))
    at = open_dashboard_page("library.py", pinned.folder)
    notice = next(text.value for text in at.markdown if "Baseline]" in text.value)
    assert "\\<img" in notice
    assert "](http" not in notice
    NoteStore(pinned.folder).path.write_bytes(b"not a database at all, but long enough for one " * 30)
    for page in ("library", "scores", "strategies"):
        at = open_dashboard_page(f"{page}.py", pinned.folder)
        assert not at.exception
        assert len(at.button) + len(at.get("plotly_chart")) > 0


def test_a_pinned_run_does_not_stand_beside_itself(
    played_library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    three, robin = played_library.run("three"), played_library.run("robin")
    monkeypatch.setattr(cached, "baseline_run", lambda: three)
    scopes = [scope_of_run(run, run.summary.rulesets[0].sha256) for run in (three, robin)]
    assert scope_baseline(scopes[0]) is None
    beside = scope_baseline(scopes[1])
    assert beside
    assert (beside.runs, beside.strategies) == ((three,), ("greedy", "random"))
