"""Estimates and sentences as people read them, in every front end.

Clauses on changes are read back and compared with their intervals.
"""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.report.estimates import (
    format_interval,
    set_sentence,
    write_length_change,
    write_score_change,
    write_win_change,
)
from pipelines.statistics import Interval
from pipelines.statistics.rounding import set_minus_signs


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("-8", "−8"),
        ("+2 (-1.5 to 3)", "+2 (−1.5 to 3)"),
        ("demo-bloxx-2p, planner:gap=-3, 2026-11-23", "demo-bloxx-2p, planner:gap=-3, 2026-11-23"),
        ("a - b", "a - b"),
    ],
)
def test_only_negative_numbers_get_a_minus_sign(text: str, expected: str) -> None:
    assert set_minus_signs(text) == expected


def test_a_sentence_begins_and_ends_like_one() -> None:
    assert set_sentence("*bold* scores -1") == "*bold* scores −1."
    assert set_sentence("it ends.") == "It ends."
    assert set_sentence("") == ""


def test_intervals_have_real_minus_signs() -> None:
    assert format_interval(Interval(-8.0, -9.0, -7.0)) == "−8.0 (−9.0 to −7.0)"


def test_what_stands_in_place_of_an_interval_without_a_width() -> None:
    point = Interval(3.0, 3.0, 3.0)
    assert format_interval(point, signed=True) == "+3 (all equal)"
    assert format_interval(point, signed=True, when_equal="no interval") == "+3 (no interval)"


def test_no_end_is_rounded_to_a_number_that_means_something() -> None:
    assert format_interval(Interval(0.55, 0.5004, 0.6), scale=100, exact=(50.0,)) == "55.00 (50.04 to 60.00)"


NUMBER = r"(-?\d[\d.]*(?:e[+-]?\d+)?)"
values = st.floats(-900, 900, allow_subnormal=False).filter(lambda one: one == 0 or abs(one) > 1e-4)
intervals = st.lists(values, min_size=3, max_size=3).map(sorted).map(lambda s: Interval(s[1], s[0], s[2]))
small = intervals.map(lambda one: Interval(*(end / 900 for end in one)))


def check_change(sentence: str, pattern: str, unclear: str, change: Interval, words: tuple[str, str]) -> None:
    """Check a clause that tells the estimate, a word for the sign, and the ends; or, if zero is possible, the ends alone."""
    if change.low == change.high:
        assert "all equal" in sentence
        assert not re.search(r"\d to ", sentence)
        return
    if change.low <= 0 <= change.high:
        matched = re.search(unclear, sentence)
        assert matched is not None
        assert not re.search(r"\b(more|fewer|longer|shorter) \(", sentence)
        told = zip(matched.groups(), change[1:], strict=True)
    else:
        matched = re.search(pattern, sentence)
        assert matched is not None
        estimate, word, low, high = matched.groups()
        assert word == words[change.estimate < 0]
        ends = sorted(map(abs, change[1:]))
        told = zip((estimate, low, high), (abs(change.estimate), *ends), strict=True)
        assert float(low) > 0
    for text, number in told:
        decimals = len(text.partition(".")[2].partition("e")[0])
        assert float(text) == pytest.approx(number, rel=0.01, abs=0.51 * 10.0**-decimals)


@settings(deadline=None)
@given(change=intervals)
def test_a_change_of_a_score_is_told_only_if_zero_is_excluded(change: Interval) -> None:
    check_change(
        write_score_change("Ada", change, "; 8 games"),
        rf"^Ada scores {NUMBER} points? (more|fewer) \(95 % interval {NUMBER} to {NUMBER}; 8 games\)$",
        rf"^the score of Ada does not clearly change \(95 % interval {NUMBER} to {NUMBER}; 8 games\)$",
        change,
        ("more", "fewer"),
    )


@settings(deadline=None)
@given(change=small)
def test_a_change_of_wins_is_told_only_if_zero_is_excluded(change: Interval) -> None:
    check_change(
        write_win_change("Ada", change),
        rf"^Ada wins {NUMBER} of 100 games (more|fewer) \({NUMBER} to {NUMBER}\)$",
        rf"^how often Ada wins does not clearly change \({NUMBER} to {NUMBER} of 100 games\)$",
        Interval(*(100 * end for end in change)),
        ("more", "fewer"),
    )


@settings(deadline=None)
@given(change=intervals)
def test_a_change_of_the_length_is_told_only_if_zero_is_excluded(change: Interval) -> None:
    check_change(
        write_length_change(change),
        rf"^games are {NUMBER} rounds (longer|shorter) \({NUMBER} to {NUMBER}\)$",
        rf"^the length of games does not clearly change \({NUMBER} to {NUMBER} rounds\)$",
        change,
        ("longer", "shorter"),
    )
