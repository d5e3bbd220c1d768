"""The scope of a question about scores: the rulesets, runs, strategies and seats whose results count.

Only this module decides which runs count together, and what can be compared.

Means compare like with like: the same line-up, with its seats, and every block once. Runs with equal rules, line-up and
seed hold the same games, so the longest of them stands for all.
"""

from __future__ import annotations

import difflib
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

from engine import games
from engine.errors import InvalidError
from engine.wording import format_count
from pipelines.design.lineups import Lineup, name_lineups
from pipelines.design.short_names import short_names, shorten_names
from pipelines.design.titles import name_rulesets
from pipelines.questions.address import UnknownName, describe_unknown
from pipelines.questions.measured import Basis
from pipelines.questions.scores.question import MAX_STRATEGIES, ScoresQuestion, View

if TYPE_CHECKING:
    from engine.ruleset import Ruleset
    from pipelines.questions.source import QuestionSource
    from pipelines.runs.run import Run

ALL_LINEUPS: Final = "all"
"""What a question names to pool the results of all line-ups."""


class WantedLineups(NamedTuple):
    """Which line-ups a question wants."""

    name: str = ""
    """A line-up by its name, `ALL_LINEUPS`, or the one that is compared best if empty."""
    strategies: tuple[str, ...] = ()
    """Strategies that should play, all if empty; so are the seats on which they should play."""
    seats: tuple[int, ...] = ()
    preferred_runs: frozenset[str] = frozenset()
    """Names of runs that can answer the question, as those with reviews; without a wish, their line-ups come first."""

    def count_fitting_strategies(self, lineup: Lineup) -> int:
        """Return how many of the wanted strategies a line-up has on the wanted seats."""
        seated = {
            strategy
            for seating in lineup.seatings
            for seat, strategy in enumerate(seating)
            if not self.seats or seat in self.seats
        }
        return len(seated & set(self.strategies)) if self.strategies else bool(seated)


class CountedRuns(NamedTuple):
    """Which of some runs count, and which do not."""

    runs: tuple[Run, ...]
    other_lineups: tuple[Run, ...] = ()
    """Runs with line-ups that do not count."""
    repeats: tuple[Run, ...] = ()
    """Runs whose games all are in another run that counts."""
    unlogged: tuple[Run, ...] = ()
    """Runs without plies, if these are needed."""


def choose_named_runs(runs: Sequence[Run], names: Collection[str] = ()) -> tuple[Run, ...]:
    """Return those of some runs that a question may count: the named ones, else all."""
    return tuple(run for run in runs if not names or run.name in names)


def choose_counted_runs(
    runs_by_ruleset: Mapping[str, Sequence[Run]], wanted_lineups: WantedLineups, *, needs_log: bool = False
) -> CountedRuns:
    """Return the runs that count under some rulesets: all with the wanted line-up, each block once.

    Without a wish it is one of a preferred run, then the line-up that most rulesets have, then the one with the most blocks; a ruleset that does not have
    it counts its own one with the most blocks. With `needs_log`, runs without plies do not count if others have them.
    """
    every = {run.name: run for runs in runs_by_ruleset.values() for run in runs}
    logged = {name for name, run in every.items() if run.summary.played.logged_blocks}
    readable = logged if needs_log and logged else set(every)
    fullest_runs = _find_fullest_runs(
        [every[name] for name in every if name in readable], needs_log=needs_log
    )
    distinct = {
        ruleset: [run for run in runs if fullest_runs.get(run.name) == run.name]
        for ruleset, runs in runs_by_ruleset.items()
    }
    needs_log = needs_log and bool(logged)
    lineups = _choose_lineups(distinct, list_lineup_names(every.values()), wanted_lineups, logged=needs_log)
    counted_names = {
        run.name
        for ruleset, runs in distinct.items()
        for run in runs
        if run.summary.lineup in lineups[ruleset]
    }
    repeats = {name for name, fullest in fullest_runs.items() if fullest != name and fullest in counted_names}
    others = readable - counted_names - repeats
    return CountedRuns(
        *(
            tuple(run for name, run in every.items() if name in chosen)
            for chosen in (counted_names, others, repeats, every.keys() - readable)
        )
    )


def find_distinct_runs(runs: Sequence[Run]) -> list[Run]:
    """Return those of some runs that hold other games than all others: of copies the last with the most logged blocks."""
    fullest = _find_fullest_runs(reversed(runs), needs_log=True)
    return [run for run in runs if fullest[run.name] == run.name]


def _find_fullest_runs(runs: Iterable[Run], *, needs_log: bool) -> dict[str, str]:
    """Return for each run the name of the run with the same games that has the most blocks: often the run itself."""

    def count_own_blocks(run: Run) -> tuple[int, int]:
        played = run.summary.played
        counts = (played.blocks, played.logged_blocks)
        return (counts[1], counts[0]) if needs_log else counts

    same: dict[tuple[object, ...], list[Run]] = defaultdict(list)
    for run in runs:
        rules = tuple(ruleset.sha256 for ruleset in run.summary.rulesets)
        same[rules, run.summary.lineup, run.summary.played.luck].append(run)
    return {run.name: max(copies, key=count_own_blocks).name for copies in same.values() for run in copies}


def _choose_lineups(
    runs_by_ruleset: Mapping[str, Sequence[Run]],
    names: Mapping[Lineup, str],
    wanted_lineups: WantedLineups,
    *,
    logged: bool,
) -> dict[str, set[Lineup]]:
    """Return the line-ups that count, by ruleset. No two runs have the same games."""
    runs_by_lineup: dict[str, dict[Lineup, list[Run]]] = {ruleset: {} for ruleset in runs_by_ruleset}
    for ruleset, runs in runs_by_ruleset.items():
        for run in runs:
            runs_by_lineup[ruleset].setdefault(run.summary.lineup, []).append(run)
    if wanted_lineups.name == ALL_LINEUPS:
        return {ruleset: set(lineups) for ruleset, lineups in runs_by_lineup.items()}

    def choose_best(lineups: Collection[Lineup], rulesets: Collection[str]) -> set[Lineup]:
        def rank(lineup: Lineup) -> tuple[bool, bool, int, int, int]:
            blocks = [
                count_blocks(runs_by_lineup[ruleset][lineup], logged=logged)
                for ruleset in rulesets
                if lineup in runs_by_lineup[ruleset]
            ]
            is_named = names[lineup] == wanted_lineups.name
            is_preferred = any(
                run.name in wanted_lineups.preferred_runs
                for ruleset in rulesets
                for run in runs_by_lineup[ruleset].get(lineup, ())
            )
            fitting = wanted_lineups.count_fitting_strategies(lineup)
            return is_named, is_preferred, fitting, len(blocks), min(blocks)

        return {max(lineups, key=rank)} if lineups else set()

    best = choose_best(
        list({lineup: None for lineups in runs_by_lineup.values() for lineup in lineups}), runs_by_lineup
    )
    return {
        ruleset: best if best & lineups.keys() else choose_best(lineups, [ruleset])
        for ruleset, lineups in runs_by_lineup.items()
    }


def list_lineup_names(runs: Iterable[Run]) -> dict[Lineup, str]:
    """Return the line-ups of some runs with their names, by which a question names them."""
    return name_lineups(run.summary.lineup for run in runs)


def count_blocks(runs: Iterable[Run], *, logged: bool = False) -> int:
    """Return the number of different blocks of some runs: blocks of equal luck and number are one block.

    With `logged`, return a lower bound of the number of blocks that have logged plies.
    """
    blocks_by_luck: dict[str, int] = {}
    for run in runs:
        played = run.summary.played
        blocks = played.logged_blocks if logged else played.blocks
        blocks_by_luck[played.luck] = max(blocks, blocks_by_luck.get(played.luck, 0))
    return sum(blocks_by_luck.values())


def find_shared_luck(runs: Sequence[Run]) -> list[Run]:
    """Return the runs that have blocks with the luck of another one of them."""
    times = Counter(run.summary.played.luck for run in runs)
    return [run for run in runs if times[run.summary.played.luck] > 1]


def have_one_lineup(runs_by_ruleset: Iterable[Sequence[Run]]) -> bool:
    """Return whether all runs have the same line-up and every ruleset was played: only then rulesets can be compared."""
    lineups = [{run.summary.lineup for run in runs} for runs in runs_by_ruleset]
    return all(len(names) == 1 for names in lineups) and len(set.union(set(), *lineups)) == 1


def can_compare_strategies(runs: Sequence[Run]) -> bool:
    """Return whether the means of strategies can be compared: one line-up, in which all had the same seats."""
    return have_one_lineup([runs]) and runs[0].summary.lineup.is_rotated


def met_same_opponents(strategy: str, runs: Sequence[Run]) -> bool:
    """Return whether a strategy had the same opponents on all of its seats: only then its seats can be compared."""
    met: dict[int, Counter[object]] = defaultdict(Counter)
    for run in runs:
        lineup, blocks = run.summary.lineup, run.summary.played.blocks
        for seating in lineup.seatings:
            for seat in (at for at, name in enumerate(seating) if name == strategy):
                others = tuple(sorted(seating[:seat] + seating[seat + 1 :]))
                met[seat][others, lineup.opening, lineup.details] += blocks
    first, *rest = met.values() or [Counter()]
    # Equal shares, compared without division.
    return bool(rest) and all(
        first.keys() == other.keys()
        and all(first[key] * other.total() == other[key] * first.total() for key in first)
        for other in rest
    )


MAX_LINEUPS_NAMED: Final = 4
_NOTHING_LEFT_OUT: Final = CountedRuns(())
LOGGED_VIEWS: Final[frozenset[View]] = frozenset(("Course", "Decisions", "Moves", "Squares"))
"""Views of what only logged plies tell."""


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


def describe_copies(blocks: int, of_run: str = "") -> str:
    """Return that all blocks of a run are one block, what follows, and what to do."""
    return (
        f"All {blocks:,} blocks{of_run} are the same games: neither the rules nor the players draw anything. They count as one block, "
        "which has no interval. Players who vary, such as noisy, would play different games."
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
    for sha256, played in summaries.items():
        label = played.name if names.count(played.name) == 1 else f"{played.name} ({sha256[:6]})"
        rulesets[label] = PlayedRuleset(
            label,
            sha256,
            played.name,
            played.title,
            played.game,
            played.players,
            played.lowest_wins,
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
    counted_runs: CountedRuns = _NOTHING_LEFT_OUT
    """The same runs, and those that the question leaves out."""

    @cached_property
    def names(self) -> dict[str, str]:
        """The short names of the strategies by full name."""
        return short_names(self.strategies)

    @property
    def hashes(self) -> tuple[str, ...]:
        return tuple(ruleset.sha256 for ruleset in self.rulesets)

    @property
    def labels(self) -> dict[str, str]:
        """The labels of the rulesets by hash."""
        return {ruleset.sha256: ruleset.label for ruleset in self.rulesets}

    @cached_property
    def ruleset_names(self) -> dict[str, str]:
        """What people call the rulesets, by hash."""
        return dict(zip(self.hashes, name_rulesets(self.rulesets), strict=True))

    @property
    def part_titles(self) -> dict[str, str]:
        """The titles of the parts of the score by name."""
        return {
            part: name
            for ruleset in self.rulesets
            for part, name in games.find_game(ruleset.game).parts.items()
        }

    @property
    def players(self) -> int:
        """The largest number of seats under any ruleset of the runs."""
        return max(ruleset.players for run in self.runs for ruleset in run.summary.rulesets)

    @property
    def runs_by_ruleset(self) -> dict[str, list[Run]]:
        """By the hash of a ruleset: the runs that count in which it was played."""
        names = {run.name for run in self.runs}
        return {
            ruleset.sha256: [run for run in ruleset.runs if run.name in names] for ruleset in self.rulesets
        }

    def narrow(self, ruleset: PlayedRuleset) -> ScoresScope:
        """Return the results under one of the rulesets, for a view that shows one at a time."""
        return replace(self, rulesets=(ruleset,), runs=tuple(self.runs_by_ruleset[ruleset.sha256]))

    @property
    def is_comparable(self) -> bool:
        """True if means can be compared between the rulesets: of one game, whose points are alike, and with one line-up."""
        return len(self.rulesets) == 1 or (
            len({ruleset.game for ruleset in self.rulesets}) == 1 and self.has_one_lineup
        )

    @property
    def hindrance(self) -> str:
        """Why means cannot be compared between the rulesets; empty if they can."""
        if self.is_comparable:
            return ""
        if len({ruleset.game for ruleset in self.rulesets}) > 1:
            return "points of different games have nothing in common, so these scores are not compared"
        return "line-ups differ, so the rules alone do not explain how scores differ"

    @property
    def has_one_lineup(self) -> bool:
        """True if the same line-up played under all rulesets, and no other one counts."""
        return have_one_lineup(self.runs_by_ruleset.values())

    @property
    def lineups(self) -> tuple[Lineup, ...]:
        """The line-ups that count."""
        return tuple(dict.fromkeys(run.summary.lineup for run in self.runs))

    def count_logged_blocks(self, sha256: str, strategy: str) -> int:
        """Return the number of blocks of a strategy whose plies are logged."""
        runs = self.runs_by_ruleset[sha256]
        return count_blocks((run for run in runs if strategy in run.summary.strategies), logged=True)

    def describe_lineups(self) -> str:
        """Return which line-ups count and which are left out, and what therefore is not compared; empty if all is alike."""
        others = self.counted_runs.other_lineups
        every = [*self.runs, *others]
        strategies = {name for run in every for name in run.summary.strategies}
        names = {lineup: shorten_names(name, strategies) for lineup, name in list_lineup_names(every).items()}
        lineup_names = [names[lineup] for lineup in self.lineups]
        runs_by_ruleset = self.runs_by_ruleset
        if len(lineup_names) > 1 and all(
            len({run.summary.lineup for run in runs}) < 2 for runs in runs_by_ruleset.values()
        ):
            lineup_list = "; ".join(
                f"{self.ruleset_names[sha256]}: {names[runs[0].summary.lineup]}"
                for sha256, runs in runs_by_ruleset.items()
                if runs
            )
            sentence = f"Line-ups: {lineup_list}."
        elif len(lineup_names) > 1:
            sentence = f"{len(lineup_names)} line-ups are pooled: {_list_some(lineup_names)}. Means are compared only where opponents are the same."
        else:
            sentence = f"Line-up: {lineup_names[0]}." if others else ""
        if len({ruleset.game for ruleset in self.rulesets}) > 1:
            sentence = ""
        if len(lineup_names) == 1 and not self.lineups[0].is_rotated and len(self.rulesets) == 1:
            sentence = f"Line-up: {lineup_names[0]}. Strategies that kept their seats are not compared."
        if not others:
            return sentence
        left = _list_some([names[lineup] for lineup in dict.fromkeys(run.summary.lineup for run in others)])
        return (
            f"{sentence} Left out: {format_count(len(others), 'run')} with other line-ups ({left}).".strip()
        )

    @cached_property
    def copied(self) -> tuple[Run, ...]:
        """The runs whose blocks are all the same block."""
        return tuple(run for run in self.runs if run.repeats_one_block)

    def describe_left_out(self) -> tuple[str, ...]:
        """Return a sentence on everything else that the question names and the answer does not count."""
        repeats, unlogged = self.counted_runs.repeats, self.counted_runs.unlogged
        return (
            *(
                (f"Left out: {format_count(len(repeats), 'run')} that repeat games of other runs.",)
                if repeats
                else ()
            ),
            *(describe_copies(run.summary.played.blocks, f" of {run.name}") for run in self.copied),
            *((f"Left out: {format_count(len(unlogged), 'run')} without logged plies.",) if unlogged else ()),
        )

    def describe_basis(self, blocks: Iterable[int] = ()) -> Basis:
        """Return what answers about these results rest on; `blocks` are the numbers of blocks behind each of its numbers."""
        played = {name for run in self.runs for name in run.summary.strategies}
        filters = [f"player {seat + 1} only" for seat in self.seats[:1] if len(self.seats) == 1]
        if len(self.seats) > 1:
            filters.append(f"players {' and '.join(str(seat + 1) for seat in self.seats)} only")
        hidden, is_full = len(played - set(self.strategies)), len(self.strategies) == MAX_STRATEGIES
        if hidden and not is_full:
            filters.append(f"{', '.join(self.names.values())} only")
        return Basis(
            runs=tuple(run.name for run in self.runs),
            rulesets=tuple(self.labels.values()),
            lineups=tuple(dict.fromkeys(table for lineup in self.lineups for table in lineup.tables)),
            games=sum(run.summary.games for run in self.runs),
            blocks=max(blocks, default=0),
            filters=tuple(filters),
            left_out=(
                *filter(None, (self.describe_lineups(),)),
                *self.describe_left_out(),
                *((f"{hidden} more strategies are left out.",) if hidden and is_full else ()),
            ),
        )


def _list_some(names: Sequence[str]) -> str:
    """Return the first names of a list, and how many more there are."""
    more = len(names) - MAX_LINEUPS_NAMED
    return "; ".join(names[:MAX_LINEUPS_NAMED]) + (f"; and {more} more" if more > 0 else "")


def find_played_rulesets(question: ScoresQuestion, source: QuestionSource) -> dict[str, PlayedRuleset]:
    """Return the rulesets of the runs that a question may count: samples of whole games, and other runs only if it names them.

    First come those that have their name still: a run may have played others of the same name.
    """
    run_names = question.runs
    played = list_played_rulesets(
        run for run in source.runs if run.summary.is_sample or run.name in run_names
    )
    hashes = {ruleset.sha256 for ruleset in source.rulesets.values()}
    return dict(sorted(played.items(), key=lambda item: item[1].sha256 not in hashes))


def resolve_scores(
    question: ScoresQuestion, played: Mapping[str, PlayedRuleset]
) -> tuple[ScoresQuestion, tuple[str, ...]]:
    """Return a question that names its rulesets and nothing that does not exist, with a sentence on what it named besides.

    `played` are the rulesets that `find_played_rulesets` returns for it. Raises InvalidError without one.
    """
    if not played:
        raise InvalidError("the library has no games yet")
    problems: list[str] = []
    labels = {name: _find_label(name, question, played) for name in question.rulesets}
    unknown = [name for name, label in labels.items() if not label]
    if unknown:
        near = difflib.get_close_matches(unknown[0], played, n=1)
        hint = f" Did you mean {near[0]}?" if near else ""
        problems.append(UnknownName(f"You have no games of {', '.join(unknown)}.{hint}"))
    rulesets = list(dict.fromkeys(filter(None, labels.values()))) or _choose_rulesets(question, played)
    runs = {run.name: run for label in rulesets for run in played[label].runs}
    kept_runs = tuple(name for name in question.runs if name in runs)
    pooled = choose_named_runs(list(runs.values()), kept_runs)
    strategies = {name for run in pooled for name in run.summary.strategies}
    players = max(ruleset.players for run in pooled for ruleset in run.summary.rulesets)
    others = {run.name: label for label, ruleset in played.items() for run in ruleset.runs}
    problems += [
        f"Run {name} is left out: it has the ruleset {others[name]}; choose this one, too."
        if name in others
        else describe_unknown("run", name, "in these games")
        for name in question.runs
        if name not in runs
    ]
    problems += [
        describe_unknown("strategy", name, "in these games")
        for name in question.strategies
        if name not in strategies
    ]
    # People count players from 1.
    problems += [
        describe_unknown("player", str(seat + 1), "in these games")
        for seat in question.seats
        if seat >= players
    ]
    problems += [
        f"The games of run {run.name} are not a sample of whole games: they begin in the middle of one, or a person played."
        for run in pooled
        if not run.summary.is_sample
    ]
    parts = {title for label in rulesets for title in games.find_game(played[label].game).parts.values()}
    lineups = list_lineup_names(pooled).values()
    spaced = re.sub(r", *", ", ", question.lineups)
    if spaced in lineups:
        question = question.model_copy(update={"lineups": spaced})
    if question.lineups and question.lineups not in {ALL_LINEUPS, *lineups}:
        problems.append(describe_unknown("line-up", question.lineups, "in these games"))
    if question.part and question.part not in parts:
        problems.append(describe_unknown("part of the score", question.part, "in these games"))
    if question.board and question.board not in rulesets:
        problems.append(describe_unknown("board", question.board, "in these games"))
    known_values = {
        "rulesets": tuple(rulesets),
        "runs": kept_runs,
        "lineups": question.lineups if question.lineups in {ALL_LINEUPS, *lineups} else "",
        "strategies": tuple(name for name in question.strategies if name in strategies),
        "seats": tuple(seat for seat in question.seats if seat < players),
        "part": question.part if question.part in parts else "",
        "board": question.board if question.board in rulesets else "",
    }
    return question.model_copy(update=known_values), tuple(problems)


def has_subject(question: ScoresQuestion, resolved: ScoresQuestion) -> bool:
    """Return whether one of the rulesets and one of the runs that a question names exist: others would not be its answer."""
    rulesets = any(label.startswith(name) for name in question.rulesets for label in resolved.rulesets)
    return (rulesets or not question.rulesets) and (bool(resolved.runs) or not question.runs)


def _find_label(name: str, question: ScoresQuestion, played: Mapping[str, PlayedRuleset]) -> str:
    """Return the label of the ruleset of a name: of several, that of the named runs, else the first; "" without one."""
    labels_of_name = [
        label
        for label, ruleset in played.items()
        if ruleset.name == name and choose_named_runs(ruleset.runs, question.runs)
    ]
    return name if name in played else next(iter(labels_of_name), "")


def _choose_rulesets(question: ScoresQuestion, played: Mapping[str, PlayedRuleset]) -> list[str]:
    """Return the rulesets of the runs that a question names, else the one with the most games; about decisions, a reviewed one."""
    labels = [
        label for label, ruleset in played.items() if any(run.name in question.runs for run in ruleset.runs)
    ]

    def find_rank(label: str) -> tuple[bool, int]:
        runs = find_distinct_runs(played[label].runs)
        is_reviewed = question.view == "Decisions" and any(run.review_path.exists() for run in runs)
        return is_reviewed, sum(run.summary.games for run in runs)

    return labels[:1] or [max(played, key=find_rank)]


def find_scope(question: ScoresQuestion, played: Mapping[str, PlayedRuleset]) -> ScoresScope:
    """Return the scope of a question that `resolve_scores` has returned."""
    rulesets = tuple(played[label] for label in question.rulesets)
    named_runs = {ruleset.sha256: choose_named_runs(ruleset.runs, question.runs) for ruleset in rulesets}
    reviewed = frozenset(
        run.name
        for ruleset in rulesets
        for run in ruleset.runs
        if question.view == "Decisions" and run.review_path.exists()
    )
    wanted_lineups = WantedLineups(question.lineups, question.strategies, question.seats, reviewed)
    counted_runs = choose_counted_runs(named_runs, wanted_lineups, needs_log=question.view in LOGGED_VIEWS)
    known = sorted({name for run in counted_runs.runs for name in run.summary.strategies})
    strategies = [name for name in question.strategies if name in known] or known
    return ScoresScope(
        rulesets, counted_runs.runs, tuple(strategies[:MAX_STRATEGIES]), question.seats, counted_runs
    )


def scope_of_run(run: Run, sha256: str) -> ScoresScope:
    """Return the scope of a whole run under one of its rulesets, of all its strategies."""
    ruleset = next(ruleset for ruleset in list_played_rulesets([run]).values() if ruleset.sha256 == sha256)
    return ScoresScope((ruleset,), (run,), tuple(sorted(run.summary.strategies)), ())
