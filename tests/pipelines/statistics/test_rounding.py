from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.statistics import Interval
from pipelines.statistics.rounding import (
    MINUS_SIGN,
    format_interval_numbers,
    format_short_interval,
    split_sign,
)


@given(low=st.floats(0.0001, 1), width=st.floats(0.01, 100))
def test_rounding_turns_no_low_end_into_zero(low: float, width: float) -> None:
    estimate, low_text, high_text = format_interval_numbers(Interval(low + width / 2, low, low + width))
    assert float(low_text) > 0
    assert float(low_text) <= float(estimate) <= float(high_text)


def test_an_end_is_not_rounded_to_an_exact_number() -> None:
    assert format_interval_numbers(Interval(55.0, 50.4, 59.6), exact=(50.0,), parts=2).low == "50.4"
    assert format_interval_numbers(Interval(55.0, 50.0, 60.0), exact=(50.0,), parts=2).low == "50"


def test_a_difference_with_a_clear_sign_is_given_without_it() -> None:
    assert split_sign(Interval(2.0, 1.0, 3.0)) == (1, ("2.0", "1.0", "3.0"))
    assert split_sign(Interval(-2.0, -3.0, -1.0)) == (-1, ("2.0", "1.0", "3.0"))
    assert split_sign(Interval(-0.5, -2.0, 1.0)) == (0, ("-0.5", "-2.0", "1.0"))
    assert split_sign(Interval(0.0, 0.0, 0.0)) == (0, ("0.0", "0.0", "0.0"))


def test_an_interval_of_width_zero_has_no_plus_minus() -> None:
    assert format_short_interval(Interval(2.5, 2.5, 2.5), signed=True) == "+2.5"
    assert format_short_interval(Interval(-1.0, -2.0, 0.0)) == "\N{MINUS SIGN}1.0 ± 1.0"
    assert format_short_interval(Interval(2.56, 2.53, 2.59), decimals=1) == "2.6 (2.5 to 2.6)"


@given(
    estimate=st.floats(-100, 100),
    down=st.floats(0.001, 20),
    up=st.floats(0.001, 20),
)
def test_the_short_form_of_an_interval_hides_no_lopsided_end(estimate: float, down: float, up: float) -> None:
    """Both ends that a text implies are those of the interval, within the rounding of the text."""
    text = format_short_interval(Interval(estimate, estimate - down, estimate + up), signed=True)
    number = r"([+-]?\d[\d.]*(?:e[+-]?\d+)?)"
    found = re.fullmatch(rf"{number} (?:± {number}|\({number} to {number}\))", text.replace(MINUS_SIGN, "-"))
    assert found is not None
    middle, half, low, high = (None if one is None else float(one) for one in found.groups())
    assert middle is not None
    step = 10.0 ** -len(found[1].partition(".")[2])
    ends = (middle - half, middle + half) if half is not None else (low, high)
    assert ends == pytest.approx((estimate - down, estimate + up), abs=1.01 * step)
    if abs(down - up) > step:
        assert half is None
    if down == up:
        assert half is not None
