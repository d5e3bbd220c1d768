"""Sentences and numbers as pages set them."""

from __future__ import annotations

import pytest

from dashboard.widgets.headline import set_minus_signs, set_sentence


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


def test_a_sentence_is_escaped_and_begins_and_ends_like_one() -> None:
    assert set_sentence("*bold* scores -1") == r"\*bold\* scores −1."
    assert set_sentence("") == "."
