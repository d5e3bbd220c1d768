"""The benchmark: figures that need processes of their own can be measured."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipelines.measure import bench

if TYPE_CHECKING:
    import pytest


def test_the_compile_time_is_measured_in_a_process_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels are switched off here: only the command matters."""
    monkeypatch.setenv("REROLL_KERNELS", "0")
    assert bench._compile_seconds() > 0


def test_the_best_of_several_rates_counts() -> None:
    rounds: list[int] = []

    def work(n: int) -> int:
        rounds.append(n)
        return sum(range(50_000 * n)) and n

    assert bench.best_rate(work, seconds=0.02, tries=3) > 0
    assert rounds[0] == 1
    assert len(set(rounds[-3:])) == 1
