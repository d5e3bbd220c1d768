"""Each test finds its tier by what it asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.tiers import MARKS_OF_FIXTURES, find_tier

if TYPE_CHECKING:
    from tests.processes import RunProcess


@pytest.fixture
def other_python(run_process: RunProcess) -> RunProcess:
    return run_process


def test_a_test_that_asks_for_nothing_special_is_quick(request: pytest.FixtureRequest) -> None:
    assert find_tier(request.node.keywords) == "quick"
    assert not [mark for mark in MARKS_OF_FIXTURES.values() if request.node.get_closest_marker(mark)]


@pytest.mark.usefixtures("other_python")
def test_a_test_that_asks_for_a_process_through_another_fixture_is_slow(
    request: pytest.FixtureRequest,
) -> None:
    assert find_tier(request.node.keywords) == "slow"
    assert request.node.get_closest_marker("process")


@pytest.mark.quick
@pytest.mark.usefixtures("run_process")
def test_a_mark_by_hand_wins(request: pytest.FixtureRequest) -> None:
    assert find_tier(request.node.keywords) == "quick"
    assert request.node.get_closest_marker("process")


def test_a_test_with_the_marks_of_two_tiers_is_in_the_later_one() -> None:
    assert find_tier({"slow", "night"}) == "night"
