"""Calibration: predictions are compared with results in tenths, and blocks are the units."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy import stats

from benchmarks import calibration
from benchmarks.calibration import Prediction, mean_of_results, summarise_predictions
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


def test_the_mean_of_equal_blocks_has_the_t_interval_of_their_means() -> None:
    values = np.array([1.0, 3.0, 2.0, 8.0, 4.0, 6.0])
    found = mean_of_results(values, np.repeat([4, 7, 9], 2))
    assert found
    means = values.reshape(3, 2).mean(axis=1)
    right = stats.ttest_1samp(means, 0).confidence_interval()
    assert tuple(found) == pytest.approx((means.mean(), right.low, right.high))


def test_the_interval_of_a_mean_counts_blocks_and_not_results() -> None:
    values = np.repeat(np.random.default_rng(3).random(200), 5)  # five equal results in every block
    blocks = np.repeat(np.arange(200), 5)
    clustered = mean_of_results(values, blocks)
    single = mean_of_results(values[::5], blocks[::5])
    assert clustered is not None
    assert single is not None
    assert clustered == pytest.approx(single)
    assert mean_of_results(values[:5], blocks[:5]) is None


def test_the_intervals_of_a_mean_over_unequal_blocks_contain_the_truth_in_95_of_100_samples() -> None:
    rng, covered = np.random.default_rng(12), 0
    for _ in range(1000):
        sizes = rng.integers(1, 6, 80)
        blocks = np.repeat(np.arange(80), sizes)
        values = np.repeat(rng.normal(0, 1, 80), sizes) + rng.normal(0, 1, len(blocks))
        interval = mean_of_results(values, blocks)
        assert interval is not None
        covered += interval.low <= 0 <= interval.high
    assert 925 <= covered <= 970
