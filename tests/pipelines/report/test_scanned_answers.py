"""No answer has a plural of one, an interval without a width, an ASCII minus, or the word for an unknown number."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.pipelines.report.scan_answers import (
    SmallRun,
    ask_address,
    find_faults,
    list_addresses,
    list_rulesets,
    make_library,
    scan,
)

if TYPE_CHECKING:
    from pathlib import Path

QUICK_RULESETS = ("bloxx-mini", "spexxx-mini")
EVERY_NTH = 6
"""The slow test asks one of this number of addresses."""


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("it gets 1 points", "a plural of one"),
        ("12 game in all", "a singular of many"),
        ("33.5 every time", "every time"),
        ("0 every time %", "0 every"),
        ("the mean is 3 (0.0 to 0.0; 2 games)", "equal bounds"),
        ("the mean is 3 (−1.50 to −1.50; 2 games)", "equal bounds"),
        ("-3 points", "ASCII minus"),
        ("a mean of nan points", "no number"),
        ("a mean of None points", "no number"),
        ("a mean of −0.0 points", "minus zero"),
        ("None of 120 games has a largest comeback", "a largest that nobody has"),
        ("2.78 of 100 (0.03 to 19.37; 60 continuations)", "too many digits"),
        ("it scores 3 (1 to 5) more", "an interval without n"),
    ],
)
def test_a_fault_is_found(line: str, kind: str) -> None:
    assert kind in [found for found, _ in find_faults(line)]


@pytest.mark.parametrize(
    "line",
    [
        "1 point, 0 points, 1.0 points, 11 games, 1 of 2 games",
        "3 (−0.5 to 0.5; 2 games) in bloxx-2p with gap=-3",
        "None of 12 games has one winner",
        "−0.04 points, 10 − 0.5",
        "command: reroll whatif demo --move -3",
    ],
)
def test_what_is_right_is_no_fault(line: str) -> None:
    assert list(find_faults(line)) == []


def check_answers(folder: Path, runs: list[SmallRun], every: int) -> None:
    addresses = list(list_addresses(runs))[::every]
    asked = (
        [ask_address(str(folder), address) for address in addresses]
        if every > 1
        else scan(str(folder), addresses)
    )
    faults = [(answer.address, *fault) for answer in asked for fault in answer.faults]
    assert faults == []
    assert sum(answer.is_answered for answer in asked) > 0.9 * len(asked)


@pytest.mark.slow
def test_answers_about_small_rulesets_have_no_faults(tmp_path: Path) -> None:
    rulesets = [entry for entry in list_rulesets() if entry[0] in QUICK_RULESETS]
    assert len(rulesets) == len(QUICK_RULESETS)
    check_answers(tmp_path, make_library(str(tmp_path), rulesets), EVERY_NTH)


@pytest.mark.night
def test_answers_about_every_ruleset_have_no_faults(tmp_path: Path) -> None:
    check_answers(tmp_path, make_library(str(tmp_path), list_rulesets()), 1)
