from __future__ import annotations

import math
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.design.metrics import METRICS
from pipelines.experiments.pair_results import Findings, Verdict, make_verdict
from pipelines.report.verdicts import write_verdict
from pipelines.statistics import Interval, StoppingRule, least_blocks, sign_flip, t_interval

CLEAR_FINDINGS = Findings(
    a="planner",
    b="greedy",
    difference=Interval(6.1, 5.2, 7.0),
    p=0.0001,
    blocks=400,
    games_per_block=3,
    differing=398,
    win_share=Interval(0.58, 0.55, 0.61),
    detectable=1.3,
)


def sentence_with(**changes: object) -> str:
    return write_verdict(make_verdict(replace(CLEAR_FINDINGS, **changes)))  # type: ignore[arg-type]


def test_the_sentence_names_the_winner_the_difference_and_its_interval() -> None:
    assert sentence_with() == (
        "planner beats greedy by 6.1 points a game (95 % interval 5.2 to 7.0; 1,200 games)"
    )


def test_the_winner_comes_first_if_it_is_the_second_strategy() -> None:
    assert sentence_with(difference=Interval(-6.1, -7.0, -5.2), win_share=Interval(0.42, 0.39, 0.45)) == (
        "greedy beats planner by 6.1 points a game (95 % interval 5.2 to 7.0; 1,200 games)"
    )


def test_an_amount_of_one_is_singular() -> None:
    assert sentence_with(difference=Interval(1.0, 0.5, 6.5)).startswith("planner beats greedy by 1.0 points")
    assert sentence_with(difference=Interval(11.0, 1.0, 21.0)).startswith("planner beats greedy by 11 points")
    assert sentence_with(difference=Interval(1.0, 1.0, 11.0)).startswith("planner beats greedy by 1 point ")


def test_where_the_lowest_score_wins_fewer_is_better() -> None:
    found = make_verdict(
        replace(CLEAR_FINDINGS, difference=Interval(-3.1, -4.0, -2.2), lowest_wins=True, win_share=None)
    )
    assert write_verdict(found).startswith(
        "planner beats greedy by 3.1 points a game (fewer points win; 95 % interval 2.2 to 4.0; "
    )
    assert (found.kind, found.better) == ("fewer", "planner")
    assert make_verdict(replace(CLEAR_FINDINGS, lowest_wins=True)).better == "greedy"
    assert (
        make_verdict(replace(CLEAR_FINDINGS, lowest_wins=True, metric=METRICS["margin"])).better == "planner"
    )


def test_too_few_games_are_reported() -> None:
    assert sentence_with(blocks=9, differing=9) == (
        "not enough games to compare planner with greedy: 9 blocks of 3 games, but at least 10 blocks are needed"
    )
    assert sentence_with(difference=Interval(0.4, -1.0, 1.8), p=0.5, detectable=2.43) == (
        "not enough games to say whether planner or greedy is better: planner minus greedy is 0.4 points "
        "(95 % interval -1.0 to 1.8; 1,200 games); "
        "a difference of 2.4 points would be detected with a probability of 80 %"
    )
    assert sentence_with(p=0.2).endswith("; the sign-flip test finds no difference (p = 0.2)")
    assert sentence_with(difference=Interval(6, 2, 10), least_blocks=700).endswith(
        "; the differences are so skewed that 700 blocks are needed"
    )
    assert make_verdict(replace(CLEAR_FINDINGS, least_blocks=700)).kind == "more"


def test_blocks_that_never_differed_are_reported() -> None:
    same = {"difference": Interval(0.0, 0.0, 0.0), "p": 1.0, "differing": 0}
    assert sentence_with(**same) == (
        "no difference between planner and greedy in any of 1,200 games (at most 0.95 of 100 blocks would differ)"
    )
    alone = {"a": "planner", "b": "planner", **same}
    assert sentence_with(**alone) == "no difference between planner and planner in any of 1,200 games"


def test_equality_needs_a_margin() -> None:
    near = Interval(0.2, -0.4, 0.8)
    assert sentence_with(difference=near, p=0.5, margin=1.0) == (
        "planner and greedy are equal within 1 point: planner minus greedy is 0.2 points "
        "(95 % interval -0.4 to 0.8; 1,200 games)"
    )
    assert make_verdict(replace(CLEAR_FINDINGS, difference=near, p=0.5)).kind == "undecided"
    found = make_verdict(replace(CLEAR_FINDINGS, difference=Interval(0.5, 0.2, 0.8), margin=1.0))
    assert (found.kind, found.better) == ("more", None)
    assert write_verdict(found) == (
        "planner scores 0.50 points a game more than greedy (95 % interval 0.20 to 0.80; 1,200 games), "
        "which is within the margin of 1 point"
    )


def test_wins_and_margins_have_other_words() -> None:
    wins = replace(
        CLEAR_FINDINGS,
        difference=Interval(0.16, 0.12, 0.2),
        metric=METRICS["win"],
        margin=0.01,
        win_share=None,
    )
    assert write_verdict(make_verdict(wins)).startswith(
        "planner wins 16.0 games of 100 more than greedy (95 % interval 12.0 to 20.0; 1,200 games"
    )
    assert sentence_with(metric=METRICS["margin"]).startswith(
        "planner leads by 6.1 points a game more than greedy (95 % interval 5.2 to 7.0"
    )
    assert "7.0 at every look; 1,200 games" in sentence_with(is_sequential=True, decision="more")


def test_the_verdict_of_sequential_play_is_the_decision_of_the_stopping_rule() -> None:
    """The rule allows for skewed differences itself: a decided comparison never ends with "not enough games"."""
    rng = np.random.default_rng(2)
    decided = 0
    for _ in range(60):
        differences = rng.exponential(1, 400) ** 2 - 0.8
        rule = StoppingRule(budget=400)
        look = next(
            look
            for end in range(100, 401, 100)
            if (look := rule.judge_differences(differences[:end])).is_over
        )
        found = make_verdict(
            Findings(
                a="a",
                b="b",
                difference=look.interval,
                p=look.p,
                blocks=look.blocks,
                games_per_block=2,
                differing=look.blocks,
                least_blocks=least_blocks(differences[: look.blocks]),
                is_sequential=True,
                decision=look.decision,
            )
        )
        assert found.kind == look.decision
        assert ("not enough games" in write_verdict(found)) == (look.decision == "undecided")
        decided += look.decision != "undecided" and found.findings.least_blocks > look.blocks
    assert decided > 20


def test_a_decision_needs_blocks_that_differ() -> None:
    assert sentence_with(
        differing=30, is_sequential=True, difference=Interval(0.5, 0.2, 0.8), decision="undecided"
    ).endswith("; a decision needs 50 blocks that differ, and 30 do")
    with pytest.raises(ValueError, match="contradicts the interval"):
        sentence_with(is_sequential=True, difference=Interval(0.5, -0.2, 0.8), decision="more")


def test_sentences_use_short_names_and_programs_full_ones() -> None:
    found = make_verdict(replace(CLEAR_FINDINGS, a="planner:candidates=4", name_a="planner"))
    assert write_verdict(found) == sentence_with()
    assert found.better == "planner:candidates=4"


def test_strategy_names_are_not_formatted() -> None:
    assert sentence_with(a="{b}", b="rollout:playouts=64").startswith(
        "{b} beats rollout:playouts=64 by 6.1 points a game"
    )


@pytest.mark.parametrize(
    "wrong",
    [
        {"difference": Interval(math.nan, 0, 1)},
        {"difference": Interval(1, 0, math.inf)},
        {"difference": Interval(2, 0, 1)},
        {"win_share": Interval(0.9, 0.8, 1.2)},
        {"p": math.nan},
        {"margin": -1.0},
        {"detectable": math.inf},
        {"differing": 401},
        {"differing": 0},
    ],
)
def test_impossible_numbers_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - every case has its own message
        sentence_with(**wrong)


amount_floats = st.floats(-1e6, 1e6, allow_subnormal=False).filter(lambda one: one == 0 or abs(one) > 1e-9)
share_intervals = (
    st.lists(st.floats(0, 1), min_size=3, max_size=3).map(sorted).map(lambda s: Interval(s[1], s[0], s[2]))
)


@st.composite
def any_findings(draw: st.DrawFn) -> Findings:
    """Return findings without contradictions."""
    low, estimate, high = sorted(draw(st.tuples(amount_floats, amount_floats, amount_floats)))
    blocks = draw(st.integers(1, 2000))
    differing = draw(st.integers(0, blocks))
    interval = Interval(estimate, low, high) if differing else Interval(0.0, 0.0, 0.0)
    margin = draw(st.none() | st.floats(0.01, 1e6))
    known = draw(st.sampled_from([interval, interval, interval, None]))
    return Findings(
        a="Ada",
        b="Bea",
        difference=known,
        p=draw(st.floats(0, 1) | st.floats(0, 0.1)),
        blocks=blocks,
        games_per_block=draw(st.integers(1, 6)),
        differing=differing,
        win_share=draw(st.none() | share_intervals),
        detectable=draw(st.none() | st.floats(0, 100)),
        margin=margin,
        least_blocks=draw(st.integers(10, 1000)),
        is_sequential=draw(st.booleans()),
        lowest_wins=draw(st.booleans()),
        metric=METRICS[draw(st.sampled_from(sorted(METRICS)))],
        decision=StoppingRule(100, margin).decide_from_interval(known, draw(st.sampled_from([0, 60]))),
    )


NUMBER_PATTERN = r"(-?\d[\d.]*(?:e[+-]?\d+)?)"


@settings(deadline=None)  # the first example loads SciPy
@given(found=any_findings())
def test_no_sentence_claims_more_than_its_numbers(found: Findings) -> None:
    verdict = make_verdict(found)
    difference = found.difference
    if verdict.kind in {"more", "fewer"}:
        assert difference is not None
        assert found.blocks >= 10
        assert found.is_sequential or found.p <= 0.05
        assert difference.low > 0 if verdict.kind == "more" else difference.high < 0
    if verdict.kind == "equal":
        assert difference is not None
        assert found.margin is not None
        assert -found.margin <= difference.low
        assert difference.high <= found.margin
    assert (verdict.kind == "too few blocks") == (found.blocks < 10 or difference is None)
    if verdict.kind == "identical":
        assert not found.differing
    if verdict.better is not None:
        assert verdict.kind in {"more", "fewer"}
    words = write_verdict(verdict)
    is_difference_claimed = re.search(r" (beats|leads|scores|more than) ", words) is not None
    assert is_difference_claimed == (verdict.kind in {"more", "fewer"})
    assert ("are equal" in words) == (verdict.kind == "equal")
    assert ("not enough games" in words) == (verdict.kind in {"undecided", "too few blocks"})
    assert "nan" not in words
    assert "inf" not in words
    if verdict.better is not None:
        assert words.startswith(verdict.better)


@settings(deadline=None)  # the first example loads SciPy
@given(found=any_findings())
def test_the_numbers_in_the_sentence_are_those_of_the_interval(found: Findings) -> None:
    verdict = make_verdict(found)
    match = re.search(rf"95 % interval {NUMBER_PATTERN} to {NUMBER_PATTERN}", write_verdict(verdict))
    assert (match is None) == (verdict.kind in {"identical", "too few blocks"})
    if match is None or found.difference is None:
        return
    side = found.metric.scale * (-1 if verdict.kind == "fewer" else 1)
    low, high = sorted(end * side for end in found.difference[1:])
    for text, number in zip(match.groups(), (low, high), strict=True):
        decimals = len(text.partition(".")[2]) if "e" not in text else 0
        if "e" in text or decimals > 6:
            assert float(text) == pytest.approx(number, rel=0.01)
        else:
            assert abs(float(text) - number) <= 0.5 * 10**-decimals * 1.001 or float(text) == pytest.approx(
                number, rel=0.01
            )
        assert (float(text) == 0) == (number == 0)
        assert (float(text) > 0) == (number > 0)
        if found.margin is not None and abs(number) > found.margin * found.metric.scale * 1.000001:
            assert abs(float(text)) > found.margin * found.metric.scale


@settings(deadline=None)  # the first example loads SciPy
@given(
    values=st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), min_size=2, max_size=40),
    lowest_wins=st.booleans(),
)
def test_exchanged_strategies_get_the_same_verdict(values: list[tuple[int, int]], lowest_wins: bool) -> None:  # noqa: FBT001 - generated
    a, b = np.array(values, dtype=np.float64).T
    differences = a - b
    differing = int(np.count_nonzero(differences))

    def verdict_between(one: str, other: str, interval: Interval | None) -> Verdict:
        return make_verdict(
            Findings(
                a=one,
                b=other,
                difference=interval,
                p=sign_flip(differences, seed=1).p,
                blocks=len(differences),
                games_per_block=1,
                differing=differing,
                least_blocks=least_blocks(differences),
                lowest_wins=lowest_wins,
            )
        )

    there = t_interval(differences)
    assert there is not None
    back = Interval(-there.estimate, -there.high, -there.low)
    assert verdict_between("a", "b", there).better == verdict_between("b", "a", back).better
