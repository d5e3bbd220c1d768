"""Every sentence of a comparison is read back and compared with the numbers behind it."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.design.metrics import METRICS
from pipelines.experiments.pair_results import Findings, PartDifference, Verdict, make_verdict
from pipelines.report.verdicts import (
    WinCount,
    find_leader,
    write_all_wins,
    write_duel_wins,
    write_headline,
    write_largest_part,
    write_lead,
    write_mean_scores,
    write_same_luck,
    write_verdict,
)
from pipelines.statistics import Interval

NAMES = ("Ada", "Bea", "Cyd", "Dot")
NUMBER = r"(-?\d[\d.,]*(?:e[+-]?\d+)?)"
points = st.floats(-900, 900, allow_subnormal=False).filter(lambda one: one == 0 or abs(one) > 1e-4)
intervals = st.lists(points, min_size=3, max_size=3).map(sorted).map(lambda s: Interval(s[1], s[0], s[2]))
shares = (
    st.lists(
        st.floats(0, 1).filter(lambda one: one in {0.0, 1.0} or 1e-4 < one < 1 - 1e-4), min_size=3, max_size=3
    )
    .map(sorted)
    .map(lambda s: Interval(s[1], s[0], s[2]))
)


def rounds_to(text: str, number: float) -> bool:
    """Return whether a text is the number, rounded to the decimals of the text."""
    text = text.replace(",", "")
    if "e" in text:
        return bool(float(text) == pytest.approx(number, rel=0.01))
    step = 10.0 ** -len(text.partition(".")[2])
    return abs(float(text) - number) <= 0.5 * step * 1.001 + 1e-12


@st.composite
def verdicts_between(draw: st.DrawFn, count: int) -> list[Verdict]:
    """Return a verdict on every two of `count` strategies; the differences need not agree with each other."""
    metric = METRICS[draw(st.sampled_from(["score", "win"]))]
    lowest_wins, blocks = draw(st.booleans()), draw(st.sampled_from([5, 40, 400]))
    verdicts = []
    for a, b in combinations(NAMES[:count], 2):
        interval = draw(intervals)
        found = Findings(
            a=f"{a}:level=1",
            b=f"{b}:level=1",
            difference=interval,
            p=draw(st.sampled_from([0.001, 0.3])),
            blocks=blocks,
            games_per_block=2,
            differing=blocks,
            lowest_wins=lowest_wins,
            metric=metric,
            name_a=a,
            name_b=b,
        )
        verdicts.append(make_verdict(found))
    return verdicts


def winner_of(verdict: Verdict) -> str:
    return (verdict.better or "").partition(":")[0]


@settings(deadline=None)
@given(verdicts=st.integers(2, 4).flatmap(verdicts_between))
def test_the_headline_names_a_leader_only_if_it_beats_all_others_by_these_amounts(
    verdicts: list[Verdict],
) -> None:
    headline = write_headline(verdicts)
    if len(verdicts) == 1:
        assert headline == write_verdict(verdicts[0])
        return
    names = {name for one in verdicts for name in one.findings.names}
    beaten_by = {name: {loser(one) for one in verdicts if winner_of(one) == name} for name in names}
    leaders = [name for name in names if beaten_by[name] == names - {name}]
    assert find_leader(verdicts) == next(iter(leaders), None)
    assert f"{verdicts[0].findings.blocks * 2:,} games each" in headline
    if leaders:
        start = re.match(r"(\w+) leads: ", headline)
        assert start is not None
        assert [start[1]] == leaders
        leads = re.findall(rf"{NUMBER}(?: points?| games? of 100)? ahead of (\w+)", headline)
        assert {name for _, name in leads} == names - {start[1]}
        sizes = []
        for text, name in leads:
            (one,) = (one for one in verdicts if {start[1], name} == set(one.findings.names))
            assert one.findings.difference is not None
            size = abs(one.findings.difference.estimate)
            assert rounds_to(text, size * one.findings.metric.scale)
            sizes.append(size)
        assert sizes == sorted(sizes)
        return
    assert " leads" not in headline
    assert "ahead of" not in headline.replace("no strategy is ahead of all others", "")
    undecided = [one for one in verdicts if one.kind in {"undecided", "too few blocks"}]
    assert ("not enough games" in headline) == bool(undecided)
    best = re.search(r"whether ([\w ]+) is best", headline)
    if best:
        assert set(best[1].split(" or ")) == names - {loser(one) for one in verdicts}
    for one in undecided:
        assert " and ".join(one.findings.names) in headline or (
            best is not None and set(one.findings.names) <= set(best[1].split(" or "))
        )


def loser(verdict: Verdict) -> str:
    if verdict.better is None:
        return ""
    return next(name for name in verdict.findings.names if name != winner_of(verdict))


@settings(deadline=None)
@given(verdicts=verdicts_between(2))
def test_a_lead_is_told_with_its_interval_and_only_if_it_is_clear(verdicts: list[Verdict]) -> None:
    (verdict,) = verdicts
    sentence = write_lead(verdict)
    assert bool(sentence) == (verdict.better is not None)
    if not sentence:
        return
    matched = re.fullmatch(rf"(\w+) is {NUMBER} [\w ]+ ahead of (\w+) \({NUMBER} to {NUMBER}\)", sentence)
    assert matched is not None
    assert (matched[1], matched[3]) == (winner_of(verdict), loser(verdict))
    difference, scale = verdict.findings.difference, verdict.findings.metric.scale
    assert difference is not None
    low, high = sorted(abs(end) * scale for end in difference[1:])
    assert rounds_to(matched[2], abs(difference.estimate) * scale)
    assert rounds_to(matched[4], low)
    assert rounds_to(matched[5], high)
    assert float(matched[4]) > 0


def check_percent(texts: tuple[str, ...], share: Interval) -> None:
    """Check that three texts are a share of 100 and its interval; an interval that excludes 50 also does so as text."""
    for text, number in zip(texts, share, strict=True):
        assert rounds_to(text, 100 * number)
    low, high = (float(text) for text in texts[1:])
    assert (low <= 50 <= high) == (share.low <= 0.5 + 1e-11 and share.high >= 0.5 - 1e-11)


def test_mean_scores_are_told_with_their_intervals_or_not_at_all() -> None:
    ada, bob = Interval(261.2, 254.4, 267.1), Interval(-3.0, -4.0, -2.0)
    assert (
        write_mean_scores({"Ada": ada, "Bob": bob}) == "mean scores: Ada 261 (254 to 267), Bob -3 (-4 to -2)"
    )
    assert not write_mean_scores({"Ada": ada, "Bob": None})


@settings(deadline=None)
@given(share=shares, blocks=st.sampled_from([9, 10, 300]))
def test_wins_of_two_are_told_with_their_interval_and_open_if_half_is_possible(
    share: Interval, blocks: int
) -> None:
    sentence = write_duel_wins(WinCount("Ada", share, blocks, 2 * blocks))
    assert bool(sentence) == (blocks >= 10)
    if not sentence:
        return
    assert ("it is open who wins more often" in sentence) == (share.low <= 0.5 <= share.high)
    if share.estimate in {0.0, 1.0}:
        matched = re.match(
            rf"Ada wins (all|none of the) {NUMBER} games \({NUMBER} to {NUMBER} of 100\)", sentence
        )
        assert matched is not None
        assert (matched[1] == "all") == (share.estimate == 1)
        assert matched[2] == f"{2 * blocks:,}"
        check_percent((str(100 * share.estimate), matched[3], matched[4]), share)
        return
    matched = re.match(rf"Ada wins {NUMBER} of 100 games \({NUMBER} to {NUMBER}\)", sentence)
    assert matched is not None
    check_percent(matched.groups(), share)


def test_wins_of_all_games_have_no_more_digits_than_their_interval_needs() -> None:
    for share, said in (
        (Interval(1.0, 0.9962, 1.0), "all 2,000 games (99.6 to 100 of 100)"),
        (Interval(0.0, 0.0, 0.0038), "none of the 2,000 games (0 to 0.4 of 100)"),
        (Interval(1.0, 0.99962, 1.0), "all 2,000 games (99.96 to 100 of 100)"),
    ):
        assert write_duel_wins(WinCount("Ada", share, 1000, 2000)) == f"Ada wins {said}"


@settings(deadline=None)
@given(drawn=st.lists(shares, min_size=2, max_size=4))
def test_wins_of_several_name_every_strategy_in_order(drawn: list[Interval]) -> None:
    wins = [WinCount(name, share, 30, 120) for name, share in zip(NAMES, drawn, strict=False)]
    sentence = write_all_wins(wins)
    assert re.findall(r"(\w+) wins", sentence) == list(NAMES[: len(drawn)])
    for part, share in zip(sentence.split("; "), drawn, strict=True):
        ends = re.search(rf"\({NUMBER} to {NUMBER}", part)
        assert ends is not None
        assert rounds_to(ends[1], 100 * share.low)
        assert rounds_to(ends[2], 100 * share.high)
    assert not write_all_wins([*wins, WinCount("Eve", None, 1, 4)])


@settings(deadline=None)
@given(share=shares)
def test_the_same_luck_is_told_with_its_interval(share: Interval) -> None:
    sentence = write_same_luck("Ada", share, 40)
    ends = {0.0: r"no game \(at most {} of 100\)", 1.0: r"every game \(at least {} of 100\)"}
    expected = ends.get(share.estimate, r"{0} of 100 games \({0} to {0}\)").format(NUMBER)
    matched = re.search(rf"Ada does better in {expected}$", sentence)
    assert matched is not None
    if share.estimate in ends:
        assert rounds_to(matched[1], 100 * (share.low if share.estimate else share.high))
    else:
        check_percent(matched.groups(), share)
    assert not write_same_luck("Ada", share, 9)
    assert not write_same_luck("Ada", None, 40)


@settings(deadline=None)
@given(
    verdicts=verdicts_between(2),
    drawn=st.dictionaries(st.sampled_from(["rows", "gaps", "blanks", "circles"]), intervals, max_size=4),
    least_blocks=st.sampled_from([10, 1000]),
)
def test_a_part_is_called_the_largest_only_if_no_other_can_be(
    verdicts: list[Verdict], drawn: dict[str, Interval], least_blocks: int
) -> None:
    """With fewer than `least_blocks` blocks, as the verdict on the same points has it, intervals count twice as wide."""
    (verdict,) = verdicts
    parts = [PartDifference(name, interval, least_blocks) for name, interval in drawn.items()]
    sentence = write_largest_part(verdict, parts, {name: f"The {name}" for name in drawn})
    if not sentence:
        return
    assert verdict.better is not None
    is_a, lowest_wins = verdict.better.startswith("Ada"), verdict.findings.lowest_wins
    sign = 1 if is_a != lowest_wins else -1
    gains = {name: sorted((sign * one.low, sign * one.high)) for name, one in drawn.items()}
    told = re.findall(
        rf"the (\w+)(?:: \w+ gets)? \(?{NUMBER} points? (more|fewer)(?: there \(|, ){NUMBER} to {NUMBER}\)",
        sentence,
    )
    assert 1 <= len(told) <= 2
    assert winner_of(verdict) in sentence
    named = {name for name, *_ in told}
    for name, estimate, word, low, high in told:
        assert rounds_to(estimate, sign * drawn[name].estimate)
        assert rounds_to(low, gains[name][0])
        assert rounds_to(high, gains[name][1])
        assert word == ("fewer" if lowest_wins else "more")
        assert gains[name][0] > 0
        assert all(gains[name][0] > gains[other][1] for other in drawn if other not in named)
        same_points = replace(
            verdict.findings,
            metric=METRICS["score"],
            difference=drawn[name],
            p=0.0,
            least_blocks=least_blocks,
        )
        assert make_verdict(same_points).better == verdict.better
