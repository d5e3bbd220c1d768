"""Estimates and sentences as people read them, in every front end."""

from __future__ import annotations

import pytest

from pipelines.report.estimates import format_interval, set_sentence
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


def test_an_interval_without_a_width_says_so_only_if_the_caller_knows_that() -> None:
    point = Interval(3.0, 3.0, 3.0)
    assert format_interval(point, signed=True) == "+3 every time"
    assert format_interval(point, signed=True, is_point_exact=False) == "+3.0 (3.0 to 3.0)"


def test_no_end_is_rounded_to_a_number_that_means_something() -> None:
    assert format_interval(Interval(0.55, 0.5004, 0.6), scale=100, exact=(50.0,)) == "55.00 (50.04 to 60.00)"
