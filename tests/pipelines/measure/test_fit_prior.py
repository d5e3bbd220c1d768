"""Fitting the prior: known weights are found again, and the file says what was fitted."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING

import numpy as np
import pytest

from engine.games.blokus.prior import FEATURES, PARTS, PHASES, phase_shares, read_prior
from engine.kernels.loader import can_compile_games
from pipelines.measure import fit_prior
from pipelines.measure.fit_prior import (
    Decisions,
    cross_entropies,
    fit_weights,
    format_kind,
    format_prior,
    join_decisions,
    target_places,
)

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

needs_compiler = pytest.mark.skipif(not can_compile_games(), reason="games are not compiled here")


def make_decisions(weights: NDArray[np.float64], count: int, seed: int) -> Decisions:
    """Return decisions of a chooser who draws from the prior with these weights, (phases, features)."""
    random = np.random.default_rng(seed)
    parts = []
    for number in range(count):
        features = random.normal(size=(int(random.integers(2, 9)), weights.shape[1])).astype(np.float32)
        shares = np.array([phase_shares(random.random())])
        worths = features @ (shares[0] @ weights)
        chances = np.exp(worths) / np.exp(worths).sum()
        target = random.multinomial(1, chances).astype(float)
        parts.append(Decisions(features, target, np.array([0]), shares, np.array([number])))
    return join_decisions(parts)


def test_the_weights_of_a_chooser_are_found_again() -> None:
    weights = np.array([[2.0, 0.0, -1.0], [2.0, 1.0, -1.0], [0.0, 1.0, -1.0], [0.0, 1.0, 0.0]])
    found = fit_weights(make_decisions(weights, 3000, 1), np.zeros_like(weights))
    assert np.abs(found - weights).max() < 0.6
    assert np.abs(found - weights).mean() < 0.15
    others = make_decisions(weights, 500, 2)
    truth, fitted, nothing = (
        cross_entropies(others, table).mean() for table in (weights, found, np.zeros_like(weights))
    )
    assert nothing - fitted > 0.9 * (nothing - truth) > 0.2


def test_the_place_of_a_choice_counts_the_placements_before_it() -> None:
    weights = np.ones((len(PHASES), 1))
    features = np.array([[3], [1], [2], [5], [4]], np.float32)
    decisions = Decisions(
        features,
        np.array([0.2, 0.7, 0.1, 0.0, 1.0]),
        np.array([0, 3]),
        np.array([phase_shares(0.1), phase_shares(0.9)]),
        np.array([0, 1]),
    )
    assert target_places(decisions, weights).tolist() == [2, 1]
    only = decisions.select(np.array([False, True]))
    assert only.first.tolist() == [0]
    assert only.features.ravel().tolist() == [5, 4]
    assert target_places(only, weights).tolist() == [1]


def test_a_written_file_is_read_back_with_four_digits(tmp_path: Path) -> None:
    weights = np.random.default_rng(3).normal(size=(len(PHASES), FEATURES))
    weights[:, 5] = 0
    path = tmp_path / "prior.toml"
    path.write_text(format_prior({"duo": format_kind(weights, "by a 'test'")}), encoding="utf-8")
    read = read_prior(path)["duo"]
    assert read.fitted == "by a 'test'"
    np.testing.assert_allclose(np.array(read.table()).T, weights, rtol=1e-3)


@pytest.mark.slow
@needs_compiler
def test_the_command_fits_the_decisions_of_its_teacher(capsys: pytest.CaptureFixture[str]) -> None:
    """A weak teacher is enough to see that the new weights foresee held-out decisions better than the old ones."""
    words = ["duo", "--rounds", "1", "--decisions", "110", "--seed", "1"]
    fit_prior.main([*words, "--teacher", "mcts:playouts=30,width=20"])
    said = capsys.readouterr()
    tables = tomllib.loads(said.out)
    assert tables.keys() == {"duo", "2p", "3p", "4p", "shared"}
    assert f"python -m pipelines.measure.fit_prior {' '.join(words)}" in tables["duo"]["fitted"]
    assert set(PARTS) < tables["duo"].keys()
    assert "duo, round 1: " in said.err
    assert "decisions in 3 games" in said.err
    assert "nats" in said.err


@needs_compiler
def test_an_unknown_teacher_is_refused_in_one_line() -> None:
    with pytest.raises(SystemExit, match=r"^reroll: .*playouts"):
        fit_prior.main(["duo", "--teacher", "mcts:playouts=0"])
