from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pipelines.statistics import Interval
from pipelines.statistics.rounding import format_interval_numbers, format_plus_minus, split_sign


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
    assert format_plus_minus(Interval(2.5, 2.5, 2.5), signed=True) == "+2.5"
    assert format_plus_minus(Interval(-1.0, -2.0, 0.0)) == "-1.0 ± 1.0"
