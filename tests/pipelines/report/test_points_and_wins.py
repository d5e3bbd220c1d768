"""A strategy that wins 65 of 100 games by a point and loses the others by 20: each sentence says its measure, and both are told."""

from __future__ import annotations

import random
import re
from types import SimpleNamespace
from typing import TYPE_CHECKING, Final, cast

import pytest

from pipelines.design.designs import ComparisonDesign, design_comparison
from pipelines.questions.address import split_address
from pipelines.questions.every_question import answer_question, read_question
from pipelines.questions.scores.distributions import compare_means
from pipelines.questions.scores.scope import scope_of_run
from pipelines.questions.source import QuestionSource
from pipelines.report.compose import compose
from pipelines.report.score_sentences import describe_lead
from pipelines.runs.library import Library
from pipelines.simulate.shard_tables import PlayedGame
from pipelines.simulate.shards import seal_finished_games
from tests.command_line import run_reroll

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from engine.catalogue import Catalogue
    from engine.play import Ply
    from engine.state import State
    from pipelines.report.sheet import Sheet

OFTEN, MUCH, LAST = "greedy", "noisy", "random"
"""Who wins often, who wins much, and who is always last."""
BLOCKS: Final = 400
RUNS: Final = {
    "by-points": ("bloxx-2p", "score", 2),
    "by-margin": ("bloxx-2p", "margin", 2),
    "by-wins": ("bloxx-2p", "win", 2),
    "fewest-win": ("blokus-dice-2p", "score", 2),
    "fewest-win-by-wins": ("blokus-dice-2p", "win", 2),
    "three": ("bloxx-3p", "score", 3),
}
"""The ruleset, the measure and the number of strategies of each run."""
WORDS_OF_RANK: Final = re.compile(r"\b(beats|leads|ahead|behind|better|wins|best)\b")
WORDS_OF_MEASURE: Final = re.compile(r"point|games|scores")


def play_games(design: ComparisonDesign) -> Iterator[PlayedGame]:
    """Yield games that only have results: lower scores are better in them if the lowest score wins."""
    dice, sign = random.Random(3), -1 if design.rules.lowest_wins else 1
    for block in range(design.blocks):
        for rotation in range(design.rotations):
            labels = [label.partition(":")[0] for label in design.labels_by_seat(rotation)]
            often = dice.randrange(20, 40)
            much = often - 1 if dice.random() < 0.65 else often + 20
            by_label = {OFTEN: often, MUCH: much, LAST: 0}
            scores = tuple(sign * by_label[label] + (100 if sign < 0 else 0) for label in labels)
            ranks = tuple(1 + sum(sign * other > sign * score for other in scores) for score in scores)
            part = next(iter(design.game.parts))
            parts = tuple((SimpleNamespace(part=part, count=score, points=score),) for score in scores)
            end = cast("State", SimpleNamespace(scores=scores, ranks=ranks, parts=parts))
            plies = cast("list[Ply]", [SimpleNamespace(round=number) for number in range(9)])
            yield PlayedGame(block, rotation, end, plies)


@pytest.fixture(scope="module")
def library(catalogue: Catalogue, tmp_path_factory: pytest.TempPathFactory) -> Library:
    folder = tmp_path_factory.mktemp("disagree")
    (folder / "runs").mkdir()
    for name, (ruleset, metric, strategies) in RUNS.items():
        design = design_comparison(
            catalogue.find_ruleset(ruleset),
            [OFTEN, MUCH, LAST][:strategies],
            blocks=BLOCKS,
            seed=1,
            log="scores",
            metric=metric,
        )
        seal_finished_games(design, play_games(design), folder / "runs" / f"{name}.duckdb")
    return Library(folder)


def compose_address(library: Library, address: str) -> Sheet:
    source = QuestionSource(library)
    question = read_question(*split_address(address)).question
    return compose(answer_question(question, source), source.find_looks)


def list_sentences(sheet: Sheet) -> list[str]:
    return [sheet.verdict, *sheet.consequences]


@pytest.mark.slow
@pytest.mark.parametrize("run", RUNS)
def test_a_comparison_says_that_points_and_wins_disagree(library: Library, run: str) -> None:
    sentences = list_sentences(compose_address(library, f"/strategies?run={run}"))
    assert "points and wins disagree: noisy is ahead in points, greedy wins more games" in sentences
    verdict = sentences[0]
    if "by-wins" in run:
        assert re.match(r"greedy wins \d+ games of 100 more than noisy", verdict)
    else:
        assert re.match(r"noisy (beats greedy|leads)\b.* points", verdict)
    for sentence in sentences:
        for clause in re.split(r"; (?![^(]*\))", sentence):
            if WORDS_OF_RANK.search(clause):
                assert WORDS_OF_MEASURE.search(clause), clause


@pytest.mark.parametrize("run", ["by-points", "fewest-win"])
def test_scores_and_tiles_say_who_wins_more_games(library: Library, run: str) -> None:
    (verdict,) = list_sentences(compose_address(library, f"/scores?runs={run}"))
    assert re.match(
        r"(the lowest score wins: )?noisy scores about \d+ points with .*; greedy about \d+ (more|fewer) ",
        verdict,
    )
    assert re.search(r"But greedy wins more games: \d\d of 100, noisy \d\d\.$", verdict)
    stored = library.run(run)
    scope = scope_of_run(stored, stored.summary.rulesets[0].sha256)
    (compared,) = compare_means(scope, QuestionSource(only=(stored,)))
    lead = describe_lead(compared, lowest_wins=scope.rulesets[0].lowest_wins)
    assert re.match(r"noisy beats greedy by [\d.]+ points a game \(", lead)
    assert re.search(r"\), but greedy wins more games: \d\d of 100, noisy \d\d$", lead)


def test_equal_orders_by_points_and_wins_are_told_once(small_library: Library) -> None:
    """Where both name the same strategy, nothing is added."""
    for address in ("/strategies?run=scores-only", "/scores?runs=scores-only"):
        text = " ".join(list_sentences(compose_address(small_library, address)))
        assert "disagree" not in text
        assert "But " not in text


def test_files_and_lists_show_both_measures(library: Library, tmp_path: Path) -> None:
    """A study says what the page says; lists of results have the points and the wins of each strategy."""
    written = run_reroll("study", "by-points", "--out", tmp_path / "study.html", "--data", library.folder)
    assert written.exit_code == 0, written.output
    study = (tmp_path / "study.html").read_text(encoding="utf-8")
    assert "Points and wins disagree: noisy is ahead in points, greedy wins more games" in study
    described = run_reroll("info", "by-points", "--data", library.folder).stdout
    assert "mean score, 95 % interval" in described
    assert "wins of 100, 95 % interval" in described
