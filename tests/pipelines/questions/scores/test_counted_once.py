"""All views of scores agree with a plain count of games that compares like with like and takes every block once.

The count knows no roll-ups, no summaries and no choice of runs: it reads all games of a library into one table.
"""

from __future__ import annotations

import json
import shutil
from collections import Counter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, example, given
from hypothesis import strategies as st
from scipy.stats import t as student

from engine.catalogue import Catalogue
from pipelines.design.designs import design_simulation
from pipelines.experiments.fork import Change, fork_logged_game
from pipelines.experiments.whatif import play_whatif, saved_run_design
from pipelines.questions.scores.answer import DistributionsAnswer, answer_scores
from pipelines.questions.scores.means import LengthsAnswer, MeansAnswer
from pipelines.questions.scores.question import ScoresQuestion
from pipelines.questions.scores.selection import SelectionAnswer
from pipelines.questions.source import QuestionSource
from pipelines.report.score_sentences import describe_distributions, describe_means
from pipelines.report.score_tables import tabulate_distributions
from pipelines.report.scores import make_score_series
from pipelines.runs.run import Run
from pipelines.simulate.simulate import simulate_run
from pipelines.viewer.palette import assign_strategy_looks
from tests.examples import scale_examples

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pipelines.questions.scores.distributions import MeansComparison
    from pipelines.statistics import Interval

pytestmark = pytest.mark.slow

PLAYED: Final[dict[str, tuple[str, str, dict[str, Any]]]] = {
    "pair": ("bloxx-2p", "greedy,random", {"blocks": 12, "seed": 1}),
    "pair-again": ("bloxx-2p", "random,greedy", {"blocks": 7, "seed": 1}),
    "pair-other-luck": ("bloxx-2p", "greedy,random", {"blocks": 9, "seed": 2, "log": "scores"}),
    "pair-sample": ("bloxx-2p", "greedy,random", {"blocks": 10, "seed": 5, "log": "sample=0.2"}),
    "noise": ("bloxx-2p", "greedy,noisy", {"blocks": 11, "seed": 1}),
    "first": ("bloxx-2p", "greedy,random", {"blocks": 8, "seed": 1, "rotate": False}),
    "second": ("bloxx-2p", "random,greedy", {"blocks": 6, "seed": 3, "rotate": False}),
    "alone": ("bloxx-2p", "greedy,greedy", {"blocks": 5, "seed": 1}),
    "touch": ("bloxx-touch-2p", "greedy,random", {"blocks": 10, "seed": 1}),
    "touch-noise": ("bloxx-touch-2p", "greedy,noisy", {"blocks": 13, "seed": 4}),
    "three": ("bloxx-3p", "greedy,greedy,random", {"blocks": 6, "seed": 1}),
    "touch-three": ("bloxx-touch-3p", "greedy,random,random", {"blocks": 6, "seed": 1}),
}
COPIES: Final = {"pair-copy": "pair", "noise-copy": "noise", "fork-copy": "fork"}
RULESETS: Final = ("bloxx-2p", "bloxx-touch-2p", "bloxx-3p", "bloxx-touch-3p")
MIN_BLOCKS: Final = 20
"""Fewer blocks have no paired difference."""


@pytest.fixture(scope="module")
def played_runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Run]:
    """Small runs that mix line-ups, seats, equal seeds, copies and a fork."""
    folder = tmp_path_factory.mktemp("mixed") / "runs"
    runs = {}
    for name, (ruleset, lineup, options) in PLAYED.items():
        design = design_simulation(Catalogue().find_ruleset(ruleset), lineup.split(","), **options)
        runs[name] = simulate_run(design, folder / f"{name}.duckdb", workers=1)
    *_, answer = play_whatif(fork_logged_game(runs["pair"], 1, 20, Change({0: "random"})), n=6, seed=1)
    runs["fork"] = simulate_run(saved_run_design(answer, "pair", "kept"), folder / "fork.duckdb", workers=1)
    for name, original in COPIES.items():
        shutil.copyfile(folder / f"{original}.duckdb", folder / f"{name}.duckdb")
        runs[name] = Run(folder / f"{name}.duckdb")
    return runs


@pytest.fixture(scope="module")
def every_result(played_runs: dict[str, Run]) -> pd.DataFrame:
    """All results, a row for each seat of each game, with what makes games alike: kind of run, line-up, luck."""
    frames = []
    for name, run in played_runs.items():
        frame = run.pandas(
            "SELECT seats.*, games.ruleset, games.block, games.rotation, games.rounds, games.logged "
            "FROM seats JOIN games USING (game_id) ORDER BY game_id, seat"
        )
        seatings = frame[frame["block"] == 0].groupby("rotation")["strategy"].agg(tuple)
        kind, seed, design = run.arrow("SELECT kind, seed, design FROM run").to_pylist()[0].values()
        origin = "" if kind == "simulate" else json.dumps(design)
        lineup: Any = (tuple(sorted(seatings)), origin)
        frames.append(frame.assign(run=name, lineup=[lineup] * len(frame), luck=origin or str(seed)))
    return pd.concat(frames, ignore_index=True)


@st.composite
def draw_questions(draw: st.DrawFn) -> tuple[list[str], ScoresQuestion]:
    """Draw a library and a question about it."""
    every = [*PLAYED, "fork", *COPIES]
    names = draw(st.lists(st.sampled_from(every), min_size=1, max_size=8, unique=True))
    rulesets = {PLAYED[COPIES.get(name, name)][0] for name in names if COPIES.get(name, name) in PLAYED}
    if not rulesets:
        names.append("pair")
        rulesets = {"bloxx-2p"}
    chosen = draw(st.lists(st.sampled_from(sorted(rulesets)), min_size=1, max_size=3, unique=True))
    named = draw(st.sampled_from([(), (), tuple(names)]))
    return names, ScoresQuestion(
        rulesets=tuple(chosen),
        runs=named,
        lineups=draw(st.sampled_from(["", "", "all"])),
        strategies=draw(st.sampled_from([(), (), ("greedy",), ("noisy:sigma=2.3",)])),
        seats=draw(st.sampled_from([(), (), (0,), (1,)])),
        view=draw(st.sampled_from(["Scores", "Scores", "Parts", "Course", "Players", "Length", "Explore"])),
    )


class Counted(NamedTuple):
    """What counts."""

    results: pd.DataFrame
    """Of all strategies and seats; a column `cluster` numbers the blocks."""
    is_alike: bool
    """Whether all results are of one line-up, which played under every ruleset."""


def count_plainly(
    every: pd.DataFrame, names: Sequence[str], question: ScoresQuestion, counted: set[str]
) -> Counted:
    """Return the results that count, each game once.

    Of several line-ups that fit equally well any may count, so `counted` are the names of the runs that an answer counted; they
    decide only between such line-ups.
    """
    held = every[every["run"].isin(names) & every["ruleset"].isin(question.rulesets)]
    if not question.runs:
        held = held[~held["run"].isin({"fork", "fork-copy"})]
    if question.view == "Course" and held["logged"].any():
        held = held[held["logged"]]
    order = {
        name: at for at, name in enumerate(sorted(set(held["run"]), key=lambda name: name not in counted))
    }
    held = held.sort_values("run", key=lambda column: column.map(order), kind="stable")
    games = held.drop_duplicates(["ruleset", "lineup", "luck", "block", "rotation", "seat"])
    fits = {lineup: count_fitting(lineup, question) for lineup in games["lineup"].unique()}
    blocks: Any = (
        games.drop_duplicates(["ruleset", "lineup", "luck", "block"]).groupby(["ruleset", "lineup"]).size()
    )
    if question.lineups == "all":
        chosen = games
    else:

        def rank(lineup: object, rulesets: Iterable[str]) -> tuple[int, int, int]:
            own = [blocks[one, lineup] for one in rulesets if (one, lineup) in blocks.index]
            return (fits[lineup], len(own), min(own)) if own else (-1, 0, 0)

        def choose(rulesets: Sequence[str]) -> object:
            best = max(rank(lineup, rulesets) for lineup in fits)
            equal = [lineup for lineup in fits if rank(lineup, rulesets) == best]
            taken = set(every[every["run"].isin(counted) & every["ruleset"].isin(rulesets)]["lineup"])
            return next((lineup for lineup in equal if lineup in taken), equal[0])

        common = choose(question.rulesets)
        parts = []
        for ruleset in question.rulesets:
            own = games[games["ruleset"] == ruleset]
            if len(own):
                wanted = common if (own["lineup"] == common).any() else choose([ruleset])
                parts.append(own[own["lineup"] == wanted])
        chosen = pd.concat(parts)
    clusters = chosen.groupby(["luck", "block"]).ngroup()
    alike = len(set(chosen["lineup"])) == 1 and set(chosen["ruleset"]) == set(question.rulesets)
    return Counted(chosen.assign(cluster=clusters), alike)


def count_fitting(lineup: tuple[tuple[tuple[str, ...], ...], str], question: ScoresQuestion) -> int:
    seated = {
        name
        for seating in lineup[0]
        for seat, name in enumerate(seating)
        if not question.seats or seat in question.seats
    }
    return len(seated & set(question.strategies)) if question.strategies else bool(seated)


def exact_interval(rows: pd.DataFrame) -> tuple[float, float, float] | None:
    """Return the mean score over whole blocks: blocks of equal sizes are a stratum."""
    blocks: Any = rows.groupby("cluster")["score"].agg(["sum", "size"])
    if len(blocks) < 2:
        return None
    mean, variance, strata = rows["score"].mean(), 0.0, 0
    for size, group in blocks.groupby("size"):
        if len(group) > 1:
            variance += len(group) * group["sum"].var()
            strata += 1
        else:
            variance += float(((group["sum"] - mean * size) ** 2).sum()) * len(blocks) / (len(blocks) - 1)
    half = student.ppf(0.975, len(blocks) - max(1, strata)) * np.sqrt(variance) / len(rows)
    return mean, mean - half, mean + half


def cautious_interval(
    values: pd.Series, sizes: pd.Series, blocks: int | None = None
) -> tuple[float, float, float] | None:
    """Return the mean of values whose blocks have these sizes, as if each block were one value."""
    blocks = len(sizes) if blocks is None else blocks
    equal = int(sizes.sum() ** 2 // (sizes**2).sum())
    units = min(blocks * equal // len(sizes), len(values))
    if units < 2:
        return None
    half = student.ppf(0.975, units - 1) * values.std() / np.sqrt(units)
    return values.mean(), values.mean() - half, values.mean() + half


def block_sizes(rows: pd.DataFrame) -> pd.Series:
    return rows.groupby("cluster").size()


def paired_difference(a: pd.DataFrame, b: pd.DataFrame) -> tuple[float, float, float] | None:
    """Return the mean of a minus that of b, with the interval of a ratio over blocks; None for too few blocks."""
    sums = [rows.groupby("cluster")["score"].agg(["sum", "size"]) for rows in (a, b)]
    fewest = min(map(len, sums))
    if fewest < MIN_BLOCKS:
        return None
    found = [
        (held["sum"] - rows["score"].mean() * held["size"]) / len(rows)
        for held, rows in zip(sums, (a, b), strict=True)
    ]
    errors = found[0].sub(found[1], fill_value=0.0)
    half = student.ppf(0.975, fewest - 1) * np.sqrt((errors**2).sum() * fewest / (fewest - 1))
    estimate = a["score"].mean() - b["score"].mean()
    return estimate, estimate - half, estimate + half


def is_same(found: Interval | None, right: tuple[float, float, float] | None) -> bool:
    return (found is None) == (right is None) and (found is None or tuple(found) == pytest.approx(right))


def is_rotated(lineup: tuple[tuple[tuple[str, ...], ...], str]) -> bool:
    return Counter((*seating[1:], seating[0]) for seating in lineup[0]) == Counter(lineup[0])


@scale_examples(0.2, [HealthCheck.function_scoped_fixture])
@given(draw_questions())
@example((["pair", "noise"], ScoresQuestion(rulesets=("bloxx-2p",), lineups="all")))
@example((["pair", "noise"], ScoresQuestion(rulesets=("bloxx-2p",), lineups="all", view="Course")))
@example((["pair-sample"], ScoresQuestion(rulesets=("bloxx-2p",), view="Course")))
@example(
    (
        ["pair", "alone", "pair-other-luck"],
        ScoresQuestion(rulesets=("bloxx-2p",), lineups="all", view="Length"),
    )
)
@example((["first", "noise"], ScoresQuestion(rulesets=("bloxx-2p",), lineups="all", view="Players")))
@example((["first"], ScoresQuestion(rulesets=("bloxx-2p",))))
@example((["three", "touch-three"], ScoresQuestion(rulesets=("bloxx-3p", "bloxx-touch-3p"))))
def test_every_view_counts_each_block_once_and_compares_like_with_like(
    played_runs: dict[str, Run], every_result: pd.DataFrame, drawn: tuple[list[str], ScoresQuestion]
) -> None:
    names, asked = drawn
    source = QuestionSource(only=tuple(played_runs[name] for name in names))
    answer = answer_scores(asked, source)
    question = answer.question
    counted = count_plainly(every_result, names, question, set(answer.basis.runs))
    results = counted.results
    if question.view != "Course":  # its games are those of whole runs, its results the logged ones
        assert answer.basis.games == len(results.drop_duplicates(["run", "game_id"]))
    if isinstance(answer, DistributionsAnswer):
        check_distributions(answer, counted)
    elif isinstance(answer, MeansAnswer):
        check_means(answer, counted)
    elif isinstance(answer, LengthsAnswer):
        check_lengths(answer, results)
    elif isinstance(answer, SelectionAnswer):
        own = keep_asked(results, question)
        assert answer.results == int(answer.cells.counts.sum()) == len(own)
        assert answer.report is None
        for spreads in answer.cells.spreads.values():
            assert sum(one.n for one in spreads.values()) == len(own)


def keep_asked(results: pd.DataFrame, question: ScoresQuestion) -> pd.DataFrame:
    """Return the results of the strategies and seats of a question; of all strategies if none of them played."""
    own = results[results["strategy"].isin(question.strategies)]
    own = own if len(own) else results
    return own[own["seat"].isin(question.seats)] if question.seats else own


def check_distributions(answer: DistributionsAnswer, counted: Counted) -> None:
    """Check the groups, the picture, the table and the sentence."""
    question = answer.question
    asked = keep_asked(counted.results, question)
    right = dict(list(asked.groupby(["ruleset", "strategy"])))
    looks = assign_strategy_looks(more=answer.scope.strategies)
    series = make_score_series(answer.groups, looks)
    columns = map(tabulate_distributions(answer.groups).list_values, ("results", "blocks", "mean"))
    table = list(zip(*columns, strict=True))
    assert len(right) == len(answer.groups) == len(series) == len(table)
    for one, drawn, row in zip(answer.groups, series, table, strict=True):
        own = right[one.ruleset, one.strategy]
        whole = counted.results
        whole = whole[(whole["ruleset"] == one.ruleset) & (whole["strategy"] == one.strategy)]
        interval = (
            cautious_interval(own["score"], block_sizes(whole)) if question.seats else exact_interval(own)
        )
        assert one.scores.n == len(own)
        assert one.scores.mean == pytest.approx(own["score"].mean())
        assert one.blocks == min(whole["cluster"].nunique(), len(own))
        assert is_same(one.mean.interval, interval), (one, interval)
        assert (drawn.scores.n, drawn.blocks, drawn.mean) == (one.scores.n, one.blocks, one.mean.interval)
        assert row == (one.scores.n, one.blocks, one.scores.mean)
    for comparison in answer.comparisons:
        check_comparison(comparison, counted, question)
    if not answer.scope.hindrance:
        assert len(describe_distributions(answer)) == len(answer.comparisons)


def check_comparison(comparison: MeansComparison, counted: Counted, question: ScoresQuestion) -> None:
    """Check that only alike results are compared, and by how much they differ."""
    lineup = counted.results["lineup"].iloc[0]
    assert counted.is_alike or len(question.rulesets) == 1
    if comparison.others and not comparison.is_of_rulesets:
        assert counted.is_alike
        assert is_rotated(lineup)
    own = keep_asked(counted.results, question)

    def find(ruleset: str, strategy: str) -> pd.DataFrame:
        return own[(own["ruleset"] == ruleset) & (own["strategy"] == strategy)]

    base = find(comparison.base.ruleset, comparison.base.strategy)
    assert comparison.base.scores.n == len(base)
    for one, difference in comparison.others:
        other = find(one.ruleset, one.strategy)
        pair = (other, base) if comparison.is_of_rulesets else (base, other)
        right = paired_difference(*pair)
        assert one.scores.n == len(other)
        assert difference.estimate == pytest.approx(pair[0]["score"].mean() - pair[1]["score"].mean())
        assert right is None or is_same(difference, right)


def check_means(answer: MeansAnswer, counted: Counted) -> None:
    """Check the means by player, of the final scores that the parts add up to, and the numbers of blocks of the rounds."""
    question, results = answer.question, counted.results
    shown = results[results["strategy"].isin(answer.scope.strategies)]
    for one in answer.means:
        whole = shown[(shown["ruleset"] == one.ruleset) & (shown["strategy"] == one.strategy)]
        assert one.blocks <= whole["cluster"].nunique()
        if question.view == "Players":
            own = whole[whole["seat"] == int(one.at) - 1]
            assert one.results == len(own)
            assert is_same(one.mean, cautious_interval(own["score"], block_sizes(whole)))
        elif question.view == "Course" and one.at == 1:
            assert (one.results, one.blocks) == (len(whole), whole["cluster"].nunique())
    if question.view == "Parts":
        own = keep_asked(shown, question)
        for (ruleset, strategy), rows in own.groupby(["ruleset", "strategy"]):
            found = [one for one in answer.means if (one.ruleset, one.strategy) == (ruleset, strategy)]
            if found:
                assert {one.results for one in found} == {len(rows)}
                assert sum(one.mean.estimate for one in found) == pytest.approx(rows["score"].mean())
    if question.view == "Players":
        check_opponents(answer, results)
    else:  # players are compared within each ruleset
        assert counted.is_alike or len(question.rulesets) == 1 or not describe_means(answer)[0]


def check_opponents(answer: MeansAnswer, results: pd.DataFrame) -> None:
    """Check that a strategy whose seats are compared met the same opponents on each of them."""
    for line in answer.lines:
        own = results[(results["ruleset"] == line.ruleset) & (results["strategy"] == line.strategy)]
        met: dict[int, Counter[tuple[str, ...]]] = {}
        for seat, lineup, _ in own[["seat", "lineup", "cluster"]].itertuples(index=False):
            for seating in lineup[0]:
                if seating[seat] == line.strategy:
                    met.setdefault(seat, Counter())[tuple(sorted(seating[:seat] + seating[seat + 1 :]))] += 1
        assert len({frozenset(others) for others in met.values()}) == 1


def check_lengths(answer: LengthsAnswer, results: pd.DataFrame) -> None:
    games = results.drop_duplicates(["run", "game_id"])
    assert {one.ruleset for one in answer.lengths} == set(games["ruleset"])
    for one in answer.lengths:
        own = games[games["ruleset"] == one.ruleset]
        assert (one.lengths.n, one.mean.n) == (len(own), own["cluster"].nunique())
        assert is_same(one.mean.interval, cautious_interval(own["rounds"].astype(float), block_sizes(own)))
