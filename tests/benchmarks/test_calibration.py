"""Calibration: predictions are compared with results in tenths, and blocks are the units."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from benchmarks import calibration
from benchmarks.calibration import Prediction, summarise_predictions
from benchmarks.measuring_plan import CalibrationPlan, MeasuringPlan
from engine import games
from engine.catalogue import Catalogue
from engine.play import replay_actions
from pipelines.records.record_file import read_record_file
from pipelines.records.strategies import CalibrationFile
from pipelines.statistics import win_shares

if TYPE_CHECKING:
    from pathlib import Path


def invented_predictions(blocks: int, bias: float = 0.0) -> list[Prediction]:
    """Return predictions with a known share that happens; three in each block share their luck."""
    rng = np.random.default_rng(7)
    predictions = []
    for block in range(blocks):
        shares, luck = rng.random(3), rng.random()
        predictions += [Prediction(block, share, float(luck < share + bias)) for share in shares]
    return predictions


def test_right_predictions_have_errors_around_zero_in_every_tenth() -> None:
    deciles = summarise_predictions(invented_predictions(4000))
    assert [decile.low for decile in deciles] == pytest.approx([tenth / 10 for tenth in range(10)])
    assert sum(decile.predictions for decile in deciles) == 12_000
    for decile in deciles:
        assert decile.low <= decile.predicted <= decile.low + 0.1
        assert abs(decile.error.estimate) < 2 * decile.error.half_width
        assert decile.error.estimate == pytest.approx(decile.happened.estimate - decile.predicted)
        assert decile.blocks < decile.predictions


def test_predictions_that_are_too_low_are_found() -> None:
    deciles = summarise_predictions(invented_predictions(4000, bias=0.1))
    assert all(decile.error.low > 0 for decile in deciles[:9])


def test_a_game_is_predicted_at_five_plies_and_its_result_is_that_of_the_rules() -> None:
    ruleset = Catalogue().find_ruleset("bloxx-mini")
    for game in calibration.iter_games(ruleset, "greedy", 3):
        *_, end = replay_actions(games.start_state(ruleset), game.actions)
        assert end.is_over
        predictions = calibration.predict_game(ruleset, game)
        assert len(predictions) == 5
        assert all(0 <= prediction.predicted <= 1 for prediction in predictions)
        happened = win_shares(end.ranks)[game.block % 2]
        assert {prediction.happened for prediction in predictions} == {float(happened)}


def test_the_command_writes_cases_as_json_and_as_a_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    cases = CalibrationPlan(ruleset="bloxx-mini"), CalibrationPlan(ruleset="bloxx-mini", strategy="noisy")
    monkeypatch.setattr(calibration, "read_plan", lambda: MeasuringPlan(calibration=cases))
    out = tmp_path / "figures.json"
    assert calibration.main(["--blocks", "12", "--out", str(out)]) == 0
    own, other = read_record_file(out, CalibrationFile).cases
    assert (own.players, own.policy, own.is_of_playouts) == ("greedy", "greedy", True)
    assert (other.players, other.is_of_playouts) == ("noisy", False)
    page = out.with_suffix(".md").read_text(encoding="utf-8")
    assert "## bloxx-mini: noisy on all seats (playouts by greedy)" in page
    assert calibration.main(["bloxx", "--out", str(out)]) == 2
    assert "unknown ruleset of the calibration 'bloxx'" in capsys.readouterr().err
