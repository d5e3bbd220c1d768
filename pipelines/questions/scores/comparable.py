"""Which runs count together, and what can be compared: the only place that decides it.

Means compare like with like: the same line-up, with its seats, and every block once. Runs with equal rules, line-up and
seed hold the same games, so the longest of them stands for all.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Final, NamedTuple

from pipelines.design.lineups import name_lineups

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from pipelines.design.lineups import Lineup
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


def choose_named_runs(runs: Sequence[Run], named: Collection[str] = ()) -> tuple[Run, ...]:
    """Return those of some runs that a question may count: the named ones, else all."""
    return tuple(run for run in runs if not named or run.name in named)


def choose_counted_runs(
    runs_by_ruleset: Mapping[str, Sequence[Run]], wanted: WantedLineups, *, needs_log: bool = False
) -> CountedRuns:
    """Return the runs that count under some rulesets: all with the wanted line-up, each block once.

    Without a wish it is the line-up that most rulesets have, then the one with the most blocks; a ruleset that does not have
    it counts its own one with the most blocks. With `needs_log`, runs without plies do not count if others have them.
    """
    every = {run.name: run for runs in runs_by_ruleset.values() for run in runs}
    logged = {name for name, run in every.items() if run.summary.played.logged_blocks}
    readable = logged if needs_log and logged else set(every)
    kept = _find_fullest_runs([every[name] for name in every if name in readable], needs_log=needs_log)
    distinct = {
        ruleset: [run for run in runs if kept.get(run.name) == run.name]
        for ruleset, runs in runs_by_ruleset.items()
    }
    needs_log = needs_log and bool(logged)
    lineups = _choose_lineups(distinct, list_lineup_names(every.values()), wanted, logged=needs_log)
    counted = {
        run.name
        for ruleset, runs in distinct.items()
        for run in runs
        if run.summary.lineup in lineups[ruleset]
    }
    repeats = {name for name, fullest in kept.items() if fullest != name and fullest in counted}
    others = readable - counted - repeats
    return CountedRuns(
        *(
            tuple(run for name, run in every.items() if name in chosen)
            for chosen in (counted, others, repeats, every.keys() - readable)
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
        rules = tuple(one.sha256 for one in run.summary.rulesets)
        same[rules, run.summary.lineup, run.summary.played.luck].append(run)
    return {run.name: max(held, key=count_own_blocks).name for held in same.values() for run in held}


def _choose_lineups(
    runs_by_ruleset: Mapping[str, Sequence[Run]],
    names: Mapping[Lineup, str],
    wanted: WantedLineups,
    *,
    logged: bool,
) -> dict[str, set[Lineup]]:
    """Return the line-ups that count, by ruleset. No two runs have the same games."""
    held: dict[str, dict[Lineup, list[Run]]] = {ruleset: {} for ruleset in runs_by_ruleset}
    for ruleset, runs in runs_by_ruleset.items():
        for run in runs:
            held[ruleset].setdefault(run.summary.lineup, []).append(run)
    if wanted.name == ALL_LINEUPS:
        return {ruleset: set(own) for ruleset, own in held.items()}

    def choose_best(lineups: Collection[Lineup], rulesets: Collection[str]) -> set[Lineup]:
        def rank(lineup: Lineup) -> tuple[bool, int, int, int]:
            blocks = [
                count_blocks(held[one][lineup], logged=logged) for one in rulesets if lineup in held[one]
            ]
            is_named = names[lineup] == wanted.name
            return is_named, wanted.count_fitting_strategies(lineup), len(blocks), min(blocks)

        return {max(lineups, key=rank)} if lineups else set()

    best = choose_best(list({lineup: None for own in held.values() for lineup in own}), held)
    return {
        ruleset: best if best & own.keys() else choose_best(own, [ruleset]) for ruleset, own in held.items()
    }


def list_lineup_names(runs: Iterable[Run]) -> dict[Lineup, str]:
    """Return the line-ups of some runs with their names, by which a question names them."""
    return name_lineups(run.summary.lineup for run in runs)


def count_blocks(runs: Iterable[Run], *, logged: bool = False) -> int:
    """Return the number of different blocks of some runs: blocks of equal luck and number are one block.

    With `logged`, at least so many blocks have logged plies.
    """
    most: dict[str, int] = {}
    for run in runs:
        played = run.summary.played
        own = played.logged_blocks if logged else played.blocks
        most[played.luck] = max(own, most.get(played.luck, 0))
    return sum(most.values())


def find_shared_luck(runs: Sequence[Run]) -> list[Run]:
    """Return the runs that have blocks with the luck of another one of them."""
    times = Counter(run.summary.played.luck for run in runs)
    return [run for run in runs if times[run.summary.played.luck] > 1]


def have_one_lineup(runs_by_ruleset: Iterable[Sequence[Run]]) -> bool:
    """Return whether all runs have the same line-up and every ruleset was played: only then rulesets can be compared."""
    held = [{run.summary.lineup for run in runs} for runs in runs_by_ruleset]
    return all(len(lineups) == 1 for lineups in held) and len(set.union(set(), *held)) == 1


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
