"""A library with a run of each kind of answer, which the tests of sheets share and do not change."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pipelines.design.designs import design_comparison
from pipelines.experiments.fork import Change
from pipelines.experiments.review_runs import choose_reviewed_games, find_review_kind, review_run
from pipelines.panel import iter_answers
from pipelines.questions.address import write_path
from pipelines.questions.whatif import WhatifQuestion, ask_about_change
from pipelines.runs.library import Library
from pipelines.simulate.simulate import simulate_run
from tests.dashboard.pages import open_dashboard_page, scan_packages_once

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.ruleset import Ruleset

__all__ = ["open_dashboard_page", "scan_packages_once"]


@pytest.fixture(scope="session")
def answered_library(
    tmp_path_factory: pytest.TempPathFactory, play_run: Callable[..., None], ruleset: Ruleset
) -> Library:
    """A run `plain` with a log and reviews, a comparison `duel` of the same strategies, and `kept`, the what-if of a game of `plain`."""
    folder = tmp_path_factory.mktemp("answered")
    play_run(folder, "plain", ruleset.name, "greedy", "random")
    duel = design_comparison(ruleset, ["greedy", "random"], blocks=20, seed=3)
    simulate_run(duel, folder / "runs" / "duel.duckdb", workers=1)
    library = Library(folder)
    run = library.run("plain")
    kind = find_review_kind(run, effort=0.1)
    assert list(review_run(run, kind, choose_reviewed_games(run), workers=1, threads=True))[-1].done == 24
    question = ask_about_change(WhatifQuestion, Change({0: "random"}), run="plain", game=1, ply=8, n=20)
    fields = {"query": write_path(question).partition("?")[2], "name": "kept"}
    assert list(iter_answers("save", fields, run, run.scene(1))) == [{"name": "kept", "games": 40}]
    return library
