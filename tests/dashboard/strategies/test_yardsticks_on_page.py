"""What the page Strategies says of each strategy: its introduction, its distance from perfect play, and whether predicted wins are right."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.catalogue import Catalogue
from engine.strategies import list_opponents
from pipelines.records.strategies import CalibrationCase, CalibrationDecile
from pipelines.report.characters import describe_strategies, list_introductions
from pipelines.report.yardsticks import describe_calibration
from pipelines.statistics import Interval
from tests.dashboard.reading import (
    read_page_text,
    read_tables,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from streamlit.testing.v1 import AppTest

    from pipelines.runs.library import Library


def test_the_strategies_are_introduced_with_their_time_and_their_place_on_the_ladder() -> None:
    ruleset = Catalogue().find_ruleset("bloxx-2p")
    random, planner, four, odd = describe_strategies(
        ruleset, ["random", "planner", "noisy:sigma=9", "noisy", "nobody"]
    )
    assert (random.standing, random.time) == ("rung 1 of 5 on the ladder", "")
    assert (planner.name, planner.label) == ("planner", "planner:candidates=4")
    assert planner.standing.startswith("rung 4 of 5 on the ladder, ")
    assert " points above greedy (95 % interval " in planner.standing
    assert " a move, measured on " in planner.time
    ((about, said),) = list_introductions([planner])
    assert about == "Planner"
    assert said.endswith(f". {planner.speed}")
    assert "measured on" not in said
    assert [value for _, value in planner.parameters] == ["4"]
    assert (four.name, four.standing, four.time) == ("noisy (sigma 9)", "", "")
    assert odd.name == "noisy (sigma 2.3)"
    easy = next(one for one in list_opponents("bloxx") if one.strength == "easy")
    assert (odd.role, odd.introduction) == ("easy opponent", easy.plays)
    assert (four.role, four.introduction) == ("", four.title)  # another noisy player is not an opponent
    ((about, said),) = list_introductions([odd])
    assert about == "Noisy (sigma 2.3) (easy opponent)"
    assert said.startswith(easy.plays[:20])
    (solved,) = describe_strategies(Catalogue().find_ruleset("bloxx-mini"), ["planner"])
    assert " points behind perfect play (95 % interval " in solved.distance
    assert planner.distance == ""
    other_rules = Catalogue().find_ruleset("bloxx-rest-2p").model_copy(update={"name": "bloxx-2p"})
    (same_name,) = describe_strategies(other_rules, ["planner"])
    assert (same_name.standing, same_name.time) == ("", "")


def test_drawers_show_the_distance_from_perfect_play_and_whether_predicted_wins_are_right(
    open_dashboard_page: Callable[..., AppTest], comparison_library: Library
) -> None:
    opened = {"perfect-play": "true", "calibration": "true"}
    at = open_dashboard_page("strategies.py", comparison_library.folder, **opened)
    assert not at.exception
    text = read_page_text(at)
    assert "The first of two perfect players leads by 0.28 points on average" in text
    assert "a perfect player would be 0 behind" in text
    assert "of the predictions" in text
    judged = at.segmented_control(key="strategies-calibration-game")
    assert judged.options == ["BLOXX!", "Blokus Duo", "Blokus Dice", "Spexxx"]
    assert judged.value == "bloxx-2p"
    columns = [set(rows[0]) for rows in read_tables(at)]
    assert {"strategy", "points behind", "wins of 100", "games", "blocks"} in columns
    assert {"predicted, of 100", "mean prediction", "happened", "error", "predictions", "games"} in columns
    assert not read_tables(open_dashboard_page("strategies.py", comparison_library.folder))


def make_calibration_case(
    players: str, policy: str, blocks: int, *deciles: CalibrationDecile
) -> CalibrationCase:
    return CalibrationCase(
        ruleset="bloxx-2p",
        sha256="",
        players=players,
        policy=policy,
        playouts=96,
        blocks=blocks,
        seed=1,
        machine={},
        deciles=deciles,
    )


def test_a_calibration_is_called_wrong_only_where_its_whole_interval_is() -> None:
    def make_case(error: Interval) -> CalibrationCase:
        happened = Interval(0.65 + error.estimate, 0.5, 0.8)
        decile = CalibrationDecile(
            low=0.6, predicted=0.65, happened=happened, error=error, predictions=400, blocks=300
        )
        return make_calibration_case("planner", "greedy", 2000, decile)

    unclear = describe_calibration(make_case(Interval(0.05, -0.01, 0.11)), "planner")
    assert "no tenth of the predictions is clearly wrong by more than 2 of 100 wins" in unclear
    assert "± 6.0 at worst (400 predictions in 2,000 games, each from 96 playouts)" in unclear
    wrong = describe_calibration(make_case(Interval(0.05, 0.03, 0.07)), "planner")
    assert "1 of 1 tenths of the predictions are wrong by more than 2 of 100 wins" in wrong
    assert "where 65 wins of 100 are predicted, 70 happen, more than predicted" in wrong


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(st.floats(0, 1), st.floats(-0.4, 0.4), st.floats(0.001, 0.2)), min_size=1, max_size=10
    ),
    st.integers(1, 9000),
)
def test_the_sentence_on_a_calibration_counts_the_tenths_whose_intervals_are_wrong(
    drawn: list[tuple[float, float, float]], games: int
) -> None:
    deciles = tuple(
        CalibrationDecile(
            low=at / 10,
            predicted=predicted,
            happened=Interval(predicted + error, 0.0, 1.0),
            error=Interval(error, error - half, error + half),
            predictions=100 + at,
            blocks=90,
        )
        for at, (predicted, error, half) in enumerate(drawn)
    )
    said = describe_calibration(make_calibration_case("ada", "bea", games, *deciles), "ada")
    wrong = [one for one in drawn if one[1] - one[2] > 0.02 or one[1] + one[2] < -0.02]
    predictions = sum(100 + at for at in range(len(drawn)))
    assert f"({predictions:,} predictions in {games:,} games, each from 96 playouts)" in said
    assert ("no tenth of the predictions is clearly wrong" in said) == (not wrong)
    if not wrong:
        (widest,) = re.findall(r"within ± ([\d.]+) at worst", said)
        assert float(widest) == pytest.approx(100 * max(half for *_, half in drawn), abs=0.051)
        return
    assert f"{len(wrong)} of {len(drawn)} tenths of the predictions are wrong" in said
    told = re.search(
        r"where (\d+) wins of 100 are predicted, (-?\d+) happen, (more|fewer) than predicted", said
    )
    assert told
    largest = max(abs(error) for _, error, _ in wrong)
    assert any(
        abs(error) == largest
        and float(told[1]) == pytest.approx(100 * predicted, abs=0.51)
        and float(told[2]) == pytest.approx(100 * (predicted + error), abs=0.51)
        and told[3] == ("more" if error > 0 else "fewer")
        for predicted, error, _ in wrong
    )
