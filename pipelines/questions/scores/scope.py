"""The scope of a question about scores: the rulesets, runs, strategies and seats whose results count."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from engine import games
from engine.errors import InvalidError
from pipelines.design.short_names import short_names
from pipelines.questions.address import describe_unknown
from pipelines.questions.measured import Basis
from pipelines.questions.scores.comparable import choose_comparable_runs, choose_pooled_runs
from pipelines.questions.scores.question import MAX_STRATEGIES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from engine.ruleset import Ruleset
    from pipelines.questions.scores.question import ScoresQuestion
    from pipelines.questions.source import QuestionSource
    from pipelines.runs.run import Run


@dataclass(frozen=True)
class PlayedRuleset:
    """A ruleset and the runs in which it was played."""

    label: str
    """The name of the ruleset; with the start of its hash if runs use the same name for different rules."""
    sha256: str
    name: str
    title: str
    game: str
    players: int
    lowest_wins: bool
    runs: tuple[Run, ...]

    @property
    def reconstructed_tables(self) -> list[str]:
        """The tables of the ruleset that are our reconstruction, in words."""
        rulesets = self.runs[0].rulesets.values()
        return next(
            (list_reconstructed_tables(ruleset) for ruleset in rulesets if ruleset.sha256 == self.sha256), []
        )


def list_reconstructed_tables(ruleset: Ruleset) -> list[str]:
    """Return the tables of a ruleset that are our reconstruction, in words."""
    return [
        table.replace("_", " ") for table, origin in ruleset.provenance.items() if origin == "reconstructed"
    ]


def list_played_rulesets(runs: Iterable[Run]) -> dict[str, PlayedRuleset]:
    """Return the rulesets of some runs by label, in the order of the runs."""
    runs_by_hash: dict[str, list[Run]] = {}
    summaries = {}
    for run in runs:
        for summary in run.summary.rulesets:
            runs_by_hash.setdefault(summary.sha256, []).append(run)
            summaries[summary.sha256] = summary
    names = [summary.name for summary in summaries.values()]
    rulesets = {}
    for sha256, one in summaries.items():
        label = one.name if names.count(one.name) == 1 else f"{one.name} ({sha256[:6]})"
        rulesets[label] = PlayedRuleset(
            label,
            sha256,
            one.name,
            one.title,
            one.game,
            one.players,
            one.lowest_wins,
            tuple(runs_by_hash[sha256]),
        )
    return rulesets


@dataclass(frozen=True)
class ScoresScope:
    """The results that count."""

    rulesets: tuple[PlayedRuleset, ...]
    runs: tuple[Run, ...]
    strategies: tuple[str, ...]
    seats: tuple[int, ...]
    """All seats if empty."""

    @cached_property
    def names(self) -> dict[str, str]:
        """The short names of the strategies by full name."""
        return short_names(self.strategies)

    @property
    def hashes(self) -> tuple[str, ...]:
        return tuple(one.sha256 for one in self.rulesets)

    @property
    def labels(self) -> dict[str, str]:
        """The labels of the rulesets by hash."""
        return {one.sha256: one.label for one in self.rulesets}

    @property
    def part_titles(self) -> dict[str, str]:
        """The titles of the parts of the score by name."""
        return {part: name for one in self.rulesets for part, name in games.find_game(one.game).parts.items()}

    @property
    def players(self) -> int:
        """The largest number of seats under any ruleset of the runs."""
        return max(ruleset.players for run in self.runs for ruleset in run.summary.rulesets)

    @property
    def runs_by_ruleset(self) -> dict[str, list[Run]]:
        """By the hash of a ruleset: the runs that count in which it was played."""
        names = {run.name for run in self.runs}
        return {one.sha256: [run for run in one.runs if run.name in names] for one in self.rulesets}

    @property
    def comparable(self) -> ScoresScope | None:
        """The scope with the runs whose scores can be compared between the rulesets; None if there are none.

        Points of different games have nothing in common. Under one ruleset all runs count.
        """
        if len(self.rulesets) == 1:
            return self
        if len({one.game for one in self.rulesets}) > 1:
            return None
        runs = choose_comparable_runs(list(self.runs_by_ruleset.values()))
        return replace(self, runs=runs) if runs else None

    def describe_basis(self, blocks: int = 0) -> Basis:
        """Return what answers about these results rest on; `blocks` is the largest number of blocks behind a number."""
        played = {name for run in self.runs for name in run.summary.strategies}
        filters = [f"player {seat + 1} only" for seat in self.seats[:1] if len(self.seats) == 1]
        if len(self.seats) > 1:
            filters.append(f"players {' and '.join(str(seat + 1) for seat in self.seats)} only")
        hidden, is_full = len(played - set(self.strategies)), len(self.strategies) == MAX_STRATEGIES
        if hidden and not is_full:
            filters.append(f"{', '.join(self.names.values())} only")
        return Basis(
            runs=tuple(run.name for run in self.runs),
            rulesets=tuple(one.label for one in self.rulesets),
            lineups=tuple(dict.fromkeys(run.summary.strategies for run in self.runs)),
            games=sum(run.summary.games for run in self.runs),
            blocks=blocks,
            filters=tuple(filters),
            left_out=(f"{hidden} more strategies are left out.",) if hidden and is_full else (),
        )


def list_counted_runs(question: ScoresQuestion, source: QuestionSource) -> list[Run]:
    """Return the runs that a question may count: samples of whole games, and other runs only if it names them."""
    return [run for run in source.runs if run.summary.is_sample or run.name in question.runs]


def resolve_scores(
    question: ScoresQuestion, source: QuestionSource
) -> tuple[ScoresQuestion, tuple[str, ...]]:
    """Return a question that names its rulesets and nothing that does not exist, with a sentence on what it named besides.

    Raises InvalidError if the library has no games.
    """
    played = list_played_rulesets(list_counted_runs(question, source))
    if not played:
        raise InvalidError("the library has no games yet")
    problems = []
    labels = {name: _find_label(name, question, played) for name in question.rulesets}
    unknown = [name for name, label in labels.items() if not label]
    if unknown:
        problems.append(f"You have no games of {', '.join(unknown)}.")
    rulesets = list(dict.fromkeys(filter(None, labels.values()))) or _choose_rulesets(question, played)
    runs = {run.name: run for label in rulesets for run in played[label].runs}
    kept_runs = tuple(name for name in question.runs if name in runs)
    pooled = choose_pooled_runs(list(runs.values()), kept_runs)
    strategies = {name for run in pooled for name in run.summary.strategies}
    players = max(ruleset.players for run in pooled for ruleset in run.summary.rulesets)
    for what, named, known in (
        ("run", question.runs, runs),
        ("strategy", question.strategies, strategies),
    ):
        problems += [describe_unknown(what, name, "in these games") for name in named if name not in known]
    # People count players from 1.
    problems += [
        describe_unknown("player", str(seat + 1), "in these games")
        for seat in question.seats
        if seat >= players
    ]
    problems += [
        f"The games of run {run.name} are no sample of whole games: they begin in the middle of one, or a person played."
        for run in pooled
        if not run.summary.is_sample
    ]
    parts = {title for label in rulesets for title in games.find_game(played[label].game).parts.values()}
    if question.part and question.part not in parts:
        problems.append(describe_unknown("part of the score", question.part, "in these games"))
    if question.board and question.board not in rulesets:
        problems.append(describe_unknown("board", question.board, "in these games"))
    kept = {
        "rulesets": tuple(rulesets),
        "runs": kept_runs,
        "strategies": tuple(name for name in question.strategies if name in strategies),
        "seats": tuple(seat for seat in question.seats if seat < players),
        "part": question.part if question.part in parts else "",
        "board": question.board if question.board in rulesets else "",
    }
    return question.model_copy(update=kept), tuple(problems)


def _find_label(name: str, question: ScoresQuestion, played: dict[str, PlayedRuleset]) -> str:
    """Return the label of the ruleset of a name: of several, that of the named runs, else of the newest one; "" without one."""
    named = [
        label
        for label, one in played.items()
        if one.name == name and choose_pooled_runs(one.runs, question.runs)
    ]
    return name if name in played else next(iter(named), "")


def _choose_rulesets(question: ScoresQuestion, played: dict[str, PlayedRuleset]) -> list[str]:
    """Return the rulesets of the runs that a question names, else the one that was played last."""
    named = [label for label, one in played.items() if any(run.name in question.runs for run in one.runs)]
    return named[:1] or list(played)[:1]


def find_scope(question: ScoresQuestion, source: QuestionSource) -> ScoresScope:
    """Return the scope of a question that `resolve_scores` has returned."""
    played = list_played_rulesets(list_counted_runs(question, source))
    rulesets = tuple(played[label] for label in question.rulesets)
    runs = {run.name: run for ruleset in rulesets for run in ruleset.runs}
    pooled = choose_pooled_runs(list(runs.values()), question.runs)
    strategies = question.strategies or sorted({name for run in pooled for name in run.summary.strategies})
    return ScoresScope(rulesets, pooled, tuple(strategies[:MAX_STRATEGIES]), question.seats)


def scope_of_run(run: Run, sha256: str, strategies: Iterable[str] = ()) -> ScoresScope:
    """Return the scope of a whole run under one of its rulesets, of all its strategies or of some."""
    ruleset = next(one for one in list_played_rulesets([run]).values() if one.sha256 == sha256)
    names = tuple(strategies) or tuple(sorted(run.summary.strategies))
    return ScoresScope((ruleset,), (run,), names, ())
