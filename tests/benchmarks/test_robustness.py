"""Robustness: leads on plausible tables are those that a comparison would find, and what is written is what was counted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from benchmarks import robustness
from benchmarks.plausible_tables import draw_plausible_ruleset
from pipelines.records.record_file import read_record_file
from pipelines.records.strategies import RobustnessFile

if TYPE_CHECKING:
    from pathlib import Path

    from engine.catalogue import Catalogue


@pytest.mark.parametrize("name", ["bloxx-2p", "blokus-dice-2p"])
def test_greedy_is_ahead_of_random(name: str, catalogue: Catalogue) -> None:
    ruleset = catalogue.find_ruleset(name)
    ahead = robustness.measure_lead(ruleset, "greedy", "random", 20, 1)
    behind = robustness.measure_lead(ruleset, "random", "greedy", 20, 1)
    assert (ahead.sign, behind.sign) == (1, -1)
    assert ahead.mean == pytest.approx(-behind.mean)


def test_each_draw_is_measured_with_its_own_tables_and_luck(catalogue: Catalogue) -> None:
    ruleset = catalogue.find_ruleset("bloxx-2p")
    first, second = (robustness.measure_draw(ruleset, ["random", "noisy", "greedy"], 12, n) for n in (0, 1))
    drawn = draw_plausible_ruleset(ruleset, robustness.FRESH_SEED, 0)
    expected = robustness.measure_lead(drawn, "greedy", "noisy", 12, robustness.FRESH_SEED)
    assert first[1] == expected
    assert first != second


def test_the_command_writes_what_it_counted(tmp_path: Path) -> None:
    out = tmp_path / "robustness.json"
    words = ["blokus-dice-2p", "--draws", "4", "--blocks", "10", "--workers", "2", "--out", str(out)]
    assert robustness.main(words) == 0
    (record,) = read_record_file(out, RobustnessFile).rulesets
    assert (record.ruleset, record.draws, record.blocks) == ("blokus-dice-2p", 4, 10)
    assert [pair.strategy for pair in record.pairs][:2] == ["noisy:sigma=1", "greedy"]
    assert "rollout" in record.left_out[0]
    for pair in record.pairs:
        assert pair.ahead + pair.behind <= pair.draws == 4
        assert pair.least <= pair.median <= pair.most
    page = out.with_suffix(".md").read_text(encoding="utf-8")
    assert f"| {record.pairs[0].ahead} of 4 |" in page
    assert "A side of 7, 8, 9 or 10 squares" in page


def test_a_ruleset_without_reconstructed_tables_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert robustness.main(["blokus-duo"]) == 2
    assert "unknown ruleset with a ladder and reconstructed tables" in capsys.readouterr().err
