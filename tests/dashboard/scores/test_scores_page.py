"""The page Scores: every view is compared with the tables of the run."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from streamlit.testing.v1.element_tree import Block, MenuButton

from dashboard.scores import interactive_views
from engine import games
from pipelines.questions.scores import selection
from pipelines.report.charts import ScoreSeries, make_distribution
from pipelines.report.scores import arrange_series
from pipelines.statistics import wilson
from pipelines.viewer.palette import SeriesLook
from tests.dashboard.reading import (
    open_menu,
    read_offered_files,
    read_page_links,
    read_page_text,
    read_table_links,
    read_tables,
)
from tests.dashboard.scores.reading import query_rows, read_numbers
from tests.pipelines.report.sheet_readers import open_details

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from streamlit.testing.v1 import AppTest

    from pipelines.runs.library import Library

GAPS_TITLE = games.find_game("bloxx").parts["gaps"]
VIEWS = ("Scores", "Parts", "Course", "Players", "Length", "Squares", "Moves")

HEADLINES = {
    "Scores": r"Greedy scores about \S+ points with BLOXX! \(.*; random about .*; [\d,]+ and [\d,]+ results; 95 % intervals\)",
    "Parts": r"The largest difference lies in .*: random gets about \S+ (more|fewer) points there than greedy \(.* to .*[\d,]+ results; 95 % int",
    "Course": r"From round \d+ on greedy has clearly more points than random, after round \d+, the last that nine in ten games reach, about \S+ more \(.*[\d,]+ results; 95 % intervals\)",
    "Players": r"(Starting (helps|is a drawback for)|The seat (matters for|does not clearly matter for)|Starting does not clearly help) greedy.*: as player \d.*"
    r"[\d,]+ blocks; 95 % intervals",
    "Squares": r"\w+ covers (\w+ more often|no square clearly more or less often) than \w+.* results( each)?; 95 % intervals for all squares",
    "Moves": r"(It makes no clear difference which of its|The) \d+ first moves (greedy|of greedy are too rare)",
    "Length": r"(All [\d,]+ games|Games) of BLOXX! (take about .* \(.*; [\d,]+ games; 95 % interval\)|took)",
}
"""What the sentence above the picture of a view contains."""


SENTENCES = {
    "Scores": "How do [scores] of [all strategies] spread under [BLOXX!, 3 players] by [strategy]",
    "Parts": "How do [scores] of [all strategies] add up under [BLOXX!, 3 players] by [part]",
    "Course": "How do [scores] of [all strategies] grow under [BLOXX!, 3 players] by [round]",
    "Players": "How do [scores] of [all strategies] differ under [BLOXX!, 3 players] by [who starts]",
    "Length": "How do [lengths of games] with [all strategies] spread under [BLOXX!, 3 players] in [rounds]",
    "Squares": "Which [squares] do [all strategies] cover under [BLOXX!, 3 players] and [how often]",
    "Moves": "How do [scores] of [all strategies] differ under [BLOXX!, 3 players] by [first move]",
    "Explore": "How do [all measures] of [all strategies] go together under [BLOXX!, 3 players]",
}
"""The question that the row at the top asks, with its menus in brackets."""


def read_sentence(at: AppTest) -> str:
    """Return the question that the page asks: its words, and the labels of its menus in brackets."""
    row = at.main.get_by_key("asked")
    assert isinstance(row, Block)
    said = []
    for child in list(row.children.values())[:-1]:  # without the button for everything else
        if isinstance(child, Block):
            said.append(f"[{child.proto.popover.label}]")
        else:
            said.append(f"[{child.label}]" if isinstance(child, MenuButton) else str(child.proto.body))
    return " ".join(said).replace("\\", "")


def iter_blocks(block: Block) -> Iterator[Block]:
    """Yield a container and all containers in it."""
    yield block
    for child in block.children.values():
        if isinstance(child, Block):
            yield from iter_blocks(child)


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_opens_from_its_address_and_its_tables_are_offered_as_files(
    open_dashboard_page: Callable[..., AppTest], view: str
) -> None:
    at = open_dashboard_page("scores.py", view=view, rulesets=["bloxx-3p"])
    assert not at.exception
    assert not at.error
    assert read_sentence(at).startswith(SENTENCES[view])
    labels = Counter(form.label for form in read_offered_files(at).values())
    assert labels["CSV"] == labels["Parquet"] == 1
    assert re.search(HEADLINES[view], read_page_text(at))


def test_who_starts_leads_to_the_card_with_the_edges_of_seats(
    open_dashboard_page: Callable[..., AppTest],
) -> None:
    at = open_dashboard_page("scores.py", view="Players", rulesets=["bloxx-3p"])
    assert read_page_links(at)["Edge of each seat"].endswith("rules?ruleset=bloxx-3p&part=card")
    card = open_dashboard_page("rules.py", ruleset="bloxx-3p", part="card")
    edges = "With greedy on all seats, no seat has a clear edge"
    assert edges in read_page_text(at)
    assert "No seat has a clear edge" in read_page_text(card), "both pages tell one story"


def test_first_moves_lead_to_those_on_equal_terms_where_there_are_some(
    open_dashboard_page: Callable[..., AppTest], play_run: Callable[..., None], tmp_path: Path
) -> None:
    at = open_dashboard_page("scores.py", view="Moves", rulesets=["bloxx-3p"])
    link = read_page_links(at)["Which first piece does best on equal terms?"]
    assert "part=openings" not in link, "the default of the question"
    assert "first=piece" in link
    assert "strategies=" not in link, "one judge for all ways to the question"
    play_run(tmp_path, "duo", "blokus-duo", "greedy", "random", games=4)
    at = open_dashboard_page("scores.py", tmp_path, view="Moves", by="first piece", rulesets=["blokus-duo"])
    assert "first=piece" in read_page_links(at)["Which first piece does best on equal terms?"]
    play_run(tmp_path, "throws", "spexxx-2p", "greedy", "random", games=4)
    assert not any(
        "equal terms" in label
        for label in read_page_links(open_dashboard_page("scores.py", tmp_path, view="Moves"))
    )


@pytest.mark.parametrize("view", ["Scores", "Parts", "Course", "Players"])
def test_too_few_games_for_an_interval_are_said_with_a_way_to_more(
    open_dashboard_page: Callable[..., AppTest], play_run: Callable[..., None], tmp_path: Path, view: str
) -> None:
    play_run(tmp_path, "tiny", "bloxx-2p", "greedy", "random", games=2)
    at = open_dashboard_page("scores.py", tmp_path, view=view)
    assert not at.exception
    assert "2 games of the chosen runs are too few" in read_page_text(at)
    assert "not logged" not in read_page_text(at)
    assert "?play=bloxx" in read_page_links(at)["Simulate more games"]


def test_a_ruleset_in_the_address_that_was_not_played_is_named(
    open_dashboard_page: Callable[..., AppTest],
) -> None:
    at = open_dashboard_page("scores.py", rulesets=["nope"])
    assert not at.exception
    assert "no games of nope" in at.warning[0].value
    assert at.pills(key="rulesets-BLOXX!").value == []
    assert not read_offered_files(at)  # those of another ruleset would be another answer
    at.pills(key="rulesets-BLOXX!").set_value(["bloxx-3p"]).run()
    assert not at.exception
    assert not at.warning
    assert read_numbers(at)


def test_rulesets_are_found_by_their_title_and_named_with_their_players(
    open_dashboard_page: Callable[..., AppTest], play_run: Callable[..., None], tmp_path: Path
) -> None:
    for ruleset in ("blokus-duo", "bloxx-touch-2p", "bloxx-2p", "bloxx-3p"):
        play_run(
            tmp_path, ruleset, ruleset, *["greedy"] * int(ruleset == "bloxx-3p"), "greedy", "random", games=2
        )
    at = open_dashboard_page("scores.py", tmp_path, rulesets=["bloxx-2p"])
    rows = {
        one.label: [text.replace("\\", "") for text in one.options]
        for one in at.pills
        if str(one.key).startswith("rulesets-")
    }
    assert list(rows.items()) == [
        ("BLOXX!", ["2 players", "3 players"]),
        ("BLOXX! (shapes may hang)", ["2 players"]),
        ("Blokus Duo", ["2 players"]),
    ]
    at.pills(key="rulesets-Blokus Duo").set_value(["blokus-duo"]).run()
    assert at.query_params["rulesets"] == "blokus-duo", "points of two games have nothing in common"


def test_without_the_named_run_the_scores_of_all_runs_are_shown_on_request_only(
    open_dashboard_page: Callable[..., AppTest],
) -> None:
    at = open_dashboard_page("scores.py", rulesets=["bloxx-3p"], runs=["gone"])
    assert not at.exception
    assert "no run gone" in at.warning[0].value
    assert not read_offered_files(at)
    next(one for one in at.button if one.label == "Show the scores of all runs").click().run()
    assert not at.exception
    assert not at.warning
    assert read_numbers(at)


def test_filters_in_the_address_that_these_games_do_not_have_are_named(
    open_dashboard_page: Callable[..., AppTest],
) -> None:
    known = {"rulesets": ["bloxx-3p"], "strategies": ["greedy"], "players": ["1"]}
    assert not open_dashboard_page("scores.py", **known).warning
    unknown = {"runs": ["three", "gone"], "strategies": ["greedy", "nope"], "players": ["1", "8", "first"]}
    at = open_dashboard_page("scores.py", rulesets=["bloxx-3p"], **unknown)
    assert not at.exception
    assert at.warning[0].value.replace("\\", "") == (
        "Player: expected a whole number from 1 to 8, not first. There is no run gone in these games. "
        "There is no strategy nope in these games. There is no player 8 in these games."
    )
    assert (at.pills(key="strategies").value, at.multiselect(key="seats").value) == (["greedy"], [0])


@pytest.mark.parametrize(
    ("address", "asked"),
    [
        ({"compare": "One by one"}, "[BLOXX!, 3 players] by [strategy, one by one]"),
        ({"of": GAPS_TITLE}, f"How do [points of {GAPS_TITLE.lower()}] of [all strategies] spread"),
        ({"strategies": "greedy"}, "of [greedy] spread"),
        ({"view": "Players"}, "by [who starts]"),
        ({"view": "Length", "length": "plies"}, "in [plies]"),
        ({"view": "Squares", "map": "When"}, "and [how early]"),
        ({"view": "Squares", "map": "Gaps"}, "and [with gaps]"),
    ],
)
def test_kept_addresses_open_the_same_pictures(
    open_dashboard_page: Callable[..., AppTest], address: dict[str, str], asked: str
) -> None:
    at = open_dashboard_page("scores.py", rulesets=["bloxx-3p"], **address)
    assert not at.exception
    assert not at.warning
    assert asked in read_sentence(at)


def test_the_menus_lead_to_every_view_and_the_address_says_no_more_than_what_is_asked(
    open_dashboard_page: Callable[..., AppTest],
) -> None:
    at = open_dashboard_page("scores.py", rulesets=["bloxx-3p"], score="20")
    for menu, choice, address in (
        ("compared", "part", {"view": ["Parts"]}),
        ("compared", "round", {"view": ["Course"]}),
        ("compared", "who starts", {"view": ["Players"]}),
        ("compared", "first move", {"view": ["Moves"]}),
        ("measure", f"points of {GAPS_TITLE.lower()}", {"of": [GAPS_TITLE]}),
        ("compared", "strategy, one by one", {"compare": ["One by one"], "of": [GAPS_TITLE]}),
        ("compared", "strategy", {"of": [GAPS_TITLE]}),
        ("measure", "lengths of games", {"view": ["Length"]}),
        ("compared", "plies", {"view": ["Length"], "length": ["plies"]}),
        ("measure", "squares", {"view": ["Squares"], "length": ["plies"]}),
        ("compared", "which first", {"view": ["Squares"], "length": ["plies"], "map": ["First placement"]}),
        ("measure", "all measures", {"view": ["Explore"], "length": ["plies"], "map": ["First placement"]}),
        ("measure", "scores", {"length": ["plies"], "map": ["First placement"]}),
    ):
        at.menu_button(key=f"ask-{menu}").click(choice).run()
        assert not at.exception
        assert f"[{choice}]" in read_sentence(at)
        held = {
            key: values if isinstance(values, list) else [values] for key, values in at.query_params.items()
        }
        assert held == {"rulesets": ["bloxx-3p"], "score": ["20"], **address}


def test_settings_that_the_sentence_does_not_hold_are_counted_on_their_button(
    open_dashboard_page: Callable[..., AppTest],
) -> None:
    def read_label(at: AppTest) -> str:
        row = at.main.get_by_key("asked")
        assert isinstance(row, Block)
        last = list(row.children.values())[-1]
        assert isinstance(last, Block)
        return str(last.proto.popover.label)

    address = {"rulesets": ["bloxx-3p"], "strategies": ["greedy"], "shape": ["Quantiles"]}
    assert read_label(open_dashboard_page("scores.py", **address)) == "More"
    at = open_dashboard_page("scores.py", **address, players=["2"], runs=["three"])
    assert read_label(at) == "More · 2 filters"


def test_another_ruleset_drops_the_runs_that_do_not_have_it_and_one_too_many_is_refused(
    open_dashboard_page: Callable[..., AppTest],
    play_run: Callable[..., None],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    play_run(tmp_path, "two", "bloxx-2p", "greedy", "random", games=4)
    play_run(tmp_path, "three", "bloxx-3p", "greedy", "random", "random", games=4)
    at = open_dashboard_page("scores.py", tmp_path, rulesets=["bloxx-2p"], runs=["two"])
    at.pills(key="rulesets-BLOXX!").set_value(["bloxx-2p", "bloxx-3p"]).run()
    assert at.multiselect(key="runs").value == ["two"]
    monkeypatch.setattr("dashboard.scores.question_row.MAX_RULESETS", 1)
    at.pills(key="rulesets-BLOXX!").set_value(["bloxx-3p"]).run()
    assert not at.exception
    assert not at.warning
    assert at.multiselect(key="runs").value == []
    at.pills(key="rulesets-BLOXX!").set_value(["bloxx-3p", "bloxx-2p"]).run()
    assert at.query_params["rulesets"] == "bloxx-3p"
    assert [toast.value for toast in at.toast] == ["No more than 1 at once."]


def test_every_view_calls_strategies_by_their_short_names(
    open_dashboard_page: Callable[..., AppTest], play_run: Callable[..., None], tmp_path: Path
) -> None:
    label = "noisy:sigma=3"
    play_run(tmp_path, "noise", "bloxx-2p", "greedy", label, games=4)
    at = open_dashboard_page("scores.py", tmp_path, rulesets=["bloxx-2p"], strategies=[label])
    chosen = at.pills(key="strategies")
    assert (chosen.options, chosen.value) == (["greedy", "noisy"], [label])  # the address has the full name
    chosen.set_value([label, "greedy"]).run()
    assert at.query_params["strategies"] == [label, "greedy"]
    for view in SENTENCES:
        at = open_dashboard_page(
            "scores.py", tmp_path, view=view, rulesets=["bloxx-2p"], strategies=[label, "greedy"]
        )
        assert not at.exception
        charts = [chart.proto.spec for chart in at.get("plotly_chart")]
        drawn = [part.proto.json for part in at.get("bidi_component")]
        parts = [text for text in drawn if '"label"' in text or '"groups"' in text]  # others hold addresses
        shown = "\n".join(
            [read_page_text(at), str(read_tables(open_menu(at, "details-scores"))), *charts, *parts]
        )
        assert view == "Length" or "noisy" in shown
        assert label not in shown, view


def test_every_seat_has_its_own_numbers(
    open_dashboard_page: Callable[..., AppTest], library: Library
) -> None:
    """People count players from 1, the tables of a run count seats from 0."""
    at = open_dashboard_page("scores.py", view="Players", rulesets=["bloxx-3p"])
    truth = query_rows(
        library, "SELECT strategy, seat + 1, count(*), avg(score) FROM seats GROUP BY ALL ORDER BY ALL"
    )
    shown = [(row["strategy"], row["player"], row["results"], row["mean"]) for row in read_numbers(at)]
    assert [row[:3] for row in shown] == [row[:3] for row in truth]
    assert [row[3] for row in shown] == pytest.approx([row[3] for row in truth], abs=0.0051)


def read_histogram(at: AppTest) -> dict[str, Any]:
    """Return the figure of the chart."""
    figure: dict[str, Any] = json.loads(at.get("plotly_chart")[0].proto.spec)
    return figure


def test_rulesets_are_compared_in_one_panel_with_a_colour_each(
    open_dashboard_page: Callable[..., AppTest],
) -> None:
    at = open_dashboard_page("scores.py", rulesets=["bloxx-3p", "bloxx-touch-3p"], strategies=["greedy"])
    lines = [one for one in read_histogram(at)["data"] if one.get("mode") == "lines"]
    assert [one["name"] for one in lines] == ["BLOXX!", "BLOXX! (shapes may hang)"]
    assert {one["yaxis"] for one in lines} == {"y"}
    assert len({one["line"]["color"] for one in lines}) == len({one["line"]["dash"] for one in lines}) == 2
    sentence = next(one.value for one in at.markdown if one.value.startswith("## Greedy scores ")).replace(
        "\\", ""
    )
    assert "with BLOXX! (shapes may hang)" in sentence
    assert "48 results each; 95\u00a0% intervals" in sentence  # no line begins with %
    at.menu_button(key="ask-compared").click("strategy").run()
    assert {one["yaxis"] for one in read_histogram(at)["data"] if one.get("mode") == "lines"} == {"y", "y2"}
    at.pills(key="rulesets-BLOXX! (shapes may hang)").set_value([]).run()
    assert not at.exception
    assert at.menu_button(key="ask-compared").label == "strategy"


@pytest.mark.parametrize("view", ["Parts", "Course", "Players"])
def test_means_of_several_rulesets_lie_in_panels_of_strategies_and_their_parts_or_of_rulesets(
    open_dashboard_page: Callable[..., AppTest], view: str
) -> None:
    at = open_dashboard_page("scores.py", view=view, rulesets=["bloxx-3p", "bloxx-touch-3p"])
    assert not at.exception
    figure = json.loads(at.get("plotly_chart")[-1].proto.spec)
    names, rulesets = ("greedy", "random"), ("BLOXX!", "BLOXX! (shapes may hang)")
    heads = {
        "Parts": [f"{name} · {part}" for name in names for part in games.find_game("bloxx").parts.values()],
        "Course": list(names),
        "Players": [f"all together · {ruleset}" for ruleset in rulesets],
    }[view]
    texts = [one["text"] for one in figure["layout"]["annotations"]]
    assert [text for text in texts if text in heads] == heads
    assert {one["name"] for one in figure["data"] if "name" in one} == set(rulesets)


def test_the_menu_leads_back_to_the_rulesets_of_the_last_visit(
    open_dashboard_page: Callable[..., AppTest],
) -> None:
    at = open_dashboard_page("scores.py", rulesets=["bloxx-3p", "bloxx-touch-3p"])
    asked = read_sentence(at)
    at.query_params.clear()
    at.switch_page("views/strategies.py").run()
    at.query_params.clear()
    at.switch_page("views/scores.py").run()
    assert not at.exception
    assert read_sentence(at) == asked


def test_without_a_ruleset_the_page_asks_for_one_and_the_address_keeps_the_last_one(
    open_dashboard_page: Callable[..., AppTest],
) -> None:
    at = open_dashboard_page("scores.py", rulesets=["bloxx-3p"])
    at.pills(key="rulesets-BLOXX!").set_value([]).run()
    assert [one.value for one in at.info] == ["Choose a ruleset to see its scores."]
    assert not at.warning
    assert "under [a ruleset]" in read_sentence(at)
    at.run()
    assert "under [BLOXX!, 3 players]" in read_sentence(at)


def test_a_strategy_that_played_one_of_the_rulesets_has_the_last_panel() -> None:
    series = [
        ScoreSeries(ruleset, name, make_distribution([1, 2]), 2, None, SeriesLook("#1F83C2", "solid"))
        for ruleset, name in (("a", "alone"), ("a", "greedy"), ("b", "greedy"))
    ]
    arranged = arrange_series(series, "Rulesets")
    assert [(one.panel, one.name) for one in arranged] == [("greedy", "a"), ("greedy", "b"), ("alone", "a")]


def test_players_are_counted_from_1_on_the_page_and_in_the_address(
    open_dashboard_page: Callable[..., AppTest],
) -> None:
    at = open_dashboard_page("scores.py", rulesets=["bloxx-3p"], players=["1"])
    players = at.multiselect(key="seats")
    assert (players.label, players.options, players.value) == (
        "Players",
        ["player 1", "player 2", "player 3"],
        [0],
    )
    players.set_value([2]).run()
    assert at.query_params["players"] in ("3", ["3"])
    assert at.multiselect(key="seats").value == [2]


def test_the_distribution_of_a_part_is_that_of_the_table(
    open_dashboard_page: Callable[..., AppTest], library: Library
) -> None:
    at = open_dashboard_page("scores.py", of=GAPS_TITLE, rulesets=["bloxx-3p"], shape="Quantiles")
    truth = query_rows(
        library,
        "SELECT strategy, count(*), avg(points), min(points), max(points) FROM parts JOIN seats USING (game_id, seat) "
        "WHERE part = 'gaps' GROUP BY ALL ORDER BY ALL",
    )
    shown = [
        (row["strategy"], row["results"], row["mean"], row["lowest"], row["highest"])
        for row in read_numbers(at)
    ]
    for ours, right in zip(shown, truth, strict=True):
        assert ours[:2] == right[:2]
        assert ours[2:] == pytest.approx(right[2:], abs=0.005)


def test_the_percentile_of_a_score_is_that_of_the_results(
    open_dashboard_page: Callable[..., AppTest], library: Library
) -> None:
    at = open_dashboard_page("scores.py", score="30", rulesets=["bloxx-3p"])
    truth = query_rows(
        library,
        "SELECT 100 * avg((score < 30)::INT), 100 * avg((score = 30)::INT) FROM seats GROUP BY strategy ORDER BY strategy",
    )
    for row, (below, equal) in zip(read_tables(at)[0], truth, strict=True):
        assert (row["below"], row["equal"]) == pytest.approx((below, equal), abs=0.051)
        assert row["percentile"] == pytest.approx(float(str(below)) + float(str(equal)) / 2, abs=0.051)
        share, blocks = float(str(row["percentile"])) / 100, int(str(row["blocks"]))
        interval = wilson(share * blocks, blocks)
        assert (row["from"], row["to"]) == pytest.approx((100 * interval.low, 100 * interval.high), abs=0.1)
        assert blocks == 8


def test_a_list_of_results_says_how_many_it_holds_and_whether_there_are_more(
    open_dashboard_page: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = {"rulesets": ["bloxx-3p"], "from": "-1000", "to": "1000"}
    captions = [one.value for one in open_dashboard_page("scores.py", **asked).caption]
    assert any(caption == "72 results." for caption in captions)
    for module in ("questions.scores.answer", "report.scores"):
        monkeypatch.setattr(f"pipelines.{module}.MAX_RESULTS_IN_RANGE", 5)
    captions = [one.value for one in open_dashboard_page("scores.py", **asked).caption]
    assert any(caption == "The first 5 results, from the newest run on." for caption in captions)


def test_a_range_of_scores_leads_to_its_games(
    open_dashboard_page: Callable[..., AppTest], library: Library
) -> None:
    at = open_dashboard_page(
        "scores.py", rulesets=["bloxx-3p"], strategies=["greedy"], **{"from": "20", "to": "40"}
    )
    truth = query_rows(
        library,
        "SELECT game_id + 1, seat + 1, score FROM seats WHERE strategy = 'greedy' AND score BETWEEN 20 AND 40 "
        "ORDER BY score DESC, game_id, seat",
    )
    assert truth
    assert [(row["game"], row["player"], row["score"]) for row in read_tables(at)[0]] == truth
    assert read_table_links(at) == [f"replay?run=three&game-number={game}" for game, _, _ in truth]
    rows = [[child.type for child in block.children.values()] for block in at.get("flex_container")]
    assert ["number_input", "number_input"] in rows  # the heading stands above the range and not beside it


def test_a_range_of_a_part_leads_to_its_games(
    open_dashboard_page: Callable[..., AppTest], library: Library
) -> None:
    at = open_dashboard_page("scores.py", rulesets=["bloxx-3p"], of=GAPS_TITLE, **{"from": "-3", "to": "-1"})
    truth = query_rows(
        library,
        "SELECT game_id + 1, seat + 1 FROM parts JOIN seats USING (game_id, seat) WHERE part = 'gaps' AND points BETWEEN -3 AND -1 "
        "ORDER BY score DESC, game_id, seat",
    )
    assert [(row["game"], row["player"]) for row in read_tables(at)[0]] == truth


def test_the_ends_of_a_range_and_a_score_are_asked_for_under_details_until_there_is_one(
    open_dashboard_page: Callable[..., AppTest],
) -> None:
    at = open_dashboard_page("scores.py", rulesets=["bloxx-3p"])
    assert not at.number_input
    assert {header.value for header in at.header}.isdisjoint(
        {"Which games were these?", "How good is a score?"}
    )
    open_details(at)
    assert [field.label for field in at.number_input] == ["From", "to", "A score of"]
    at.number_input(key="from").set_value(20)
    open_details(at)
    assert not at.exception
    assert "Which games were these?" in [header.value for header in at.header]
    at.number_input(key="score").set_value(30)
    open_details(at)
    assert "How good is a score?" in [header.value for header in at.header]
    assert len(at.number_input) == 3, "each field stands in one place"


def test_a_range_without_games_says_so(open_dashboard_page: Callable[..., AppTest]) -> None:
    at = open_dashboard_page("scores.py", rulesets=["bloxx-3p"], **{"from": "900", "to": "901"})
    assert "No game has a score in this range." in read_page_text(at)


@pytest.mark.parametrize("unit", ["rounds", "plies"])
def test_lengths_are_those_of_the_games(
    open_dashboard_page: Callable[..., AppTest], library: Library, unit: str
) -> None:
    at = open_dashboard_page("scores.py", view="Length", length=unit, rulesets=["bloxx-3p"])
    n, mean, least, most = query_rows(
        library,
        f"SELECT count(*), avg({unit}), min({unit}), max({unit}) FROM games",  # noqa: S608 - one of two words
    )[0]
    row = read_numbers(at)[0]
    assert (row["games"], row["shortest"], row["longest"]) == (n, least, most)
    assert row[f"mean {unit}"] == pytest.approx(mean, abs=0.005)


def test_a_selection_in_the_address_is_compared_with_all_other_results(
    open_dashboard_page: Callable[..., AppTest],
) -> None:
    chosen = json.dumps({"score": [20, 40], "strategy": [0], "nonsense": [1], "margin": ["a", 2]})
    at = open_dashboard_page("scores.py", view="Explore", rulesets=["bloxx-3p"], select=chosen)
    assert not at.exception
    text = read_page_text(at)
    assert "Selected: Score from 20 to 40; greedy." in text
    assert "a difference shows what goes together" in text.lower()
    rows = {row["measure"]: row for row in read_tables(at)[0]}
    assert "Score" not in rows
    assert rows["Margin"]["difference (95 %)"] == "not enough games"
    assert all(row["strategy"] == "greedy" for row in read_tables(at)[1])
    assert next(link.partition("&")[0] for link in read_table_links(at)) == "replay?run=three"


def test_a_sample_of_very_many_results_is_drawn_first_and_all_at_the_turn_of_a_switch(
    open_dashboard_page: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[int] = []
    monkeypatch.setattr(
        interactive_views, "show_linked_histograms", lambda **parts: drawn.append(int(parts["counts"].sum()))
    )
    monkeypatch.setattr(selection, "MAX_CELLS", 30)
    chosen = json.dumps({"score": [20, 40]})
    at = open_dashboard_page("scores.py", view="Explore", rulesets=["bloxx-3p"], select=chosen)
    assert 30 <= drawn[-1] < 72
    compared = re.search(r"(\d+) selected results, (\d+) other results", read_page_text(at))
    assert compared
    assert int(compared[1]) + int(compared[2]) == 72
    next(one for one in at.toggle if one.label == "Draw all 72 results").set_value(True).run()
    assert not at.exception
    assert drawn[-1] == 72


@pytest.mark.parametrize(
    "text", ["[", "[1]", "9", '{"score": [1]}', '{"score": [9e99, 1]}', "x" * 9000, "[" * 1999]
)
def test_an_invalid_selection_in_the_address_is_ignored(
    open_dashboard_page: Callable[..., AppTest], text: str
) -> None:
    at = open_dashboard_page("scores.py", view="Explore", rulesets=["bloxx-3p"], select=text)
    assert not at.exception
    assert not read_tables(at)


@pytest.mark.parametrize(
    ("filters", "count"),
    [
        ({}, "48 results"),
        ({"players": ["2"]}, "24 results"),
        ({"strategies": ["random"]}, "24 results"),
    ],
)
def test_the_count_of_results_beside_the_numbers_is_that_of_the_results(
    open_dashboard_page: Callable[..., AppTest], filters: dict[str, list[str]], count: str
) -> None:
    at = open_dashboard_page("scores.py", rulesets=["bloxx-2p"], **filters)
    assert count in read_page_text(at)
    assert sum(int(str(row["results"])) for row in read_numbers(at)) == int(count.partition(" ")[0])
