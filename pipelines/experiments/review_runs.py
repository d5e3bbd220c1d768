"""Reviews of all games of a run: the same decisions, rolls and classes as in the review of one game, kept in a file beside the runs.

Games are reviewed by worker processes or on a Dask cluster. What is done is saved every few seconds, so a review that is stopped or
killed goes on where it was. Each game has playouts with luck of its own: otherwise the errors of equal positions would be equal in all
games, and no mean over games would get rid of them.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from importlib import metadata
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from engine.actions import CHANCE
from engine.errors import InvalidError
from engine.games import find_game
from engine.strategies import read_player
from pipelines.experiments.fork import choose_quick_strategy
from pipelines.experiments.many_games import list_logged_blocks
from pipelines.experiments.review import UnfinishedReview, start_review
from pipelines.runs.attach import find_contradiction
from pipelines.runs.review_writer import (
    ReviewKind,
    ReviewRows,
    list_reviewed_games,
    lock_reviews,
    save_reviewed_games,
)
from pipelines.runs.reviews import STANDARD_ERRORS, list_reviews, read_reviewed_game
from pipelines.runs.run import Run
from pipelines.simulate.errors import VerificationFailed
from pipelines.simulate.workers import Cluster, connect_cluster, open_worker_pool, usable_cpus

if TYPE_CHECKING:
    from pipelines.experiments.review_results import Decision
    from pipelines.statistics import Interval

SECONDS_BETWEEN_SAVES: Final = 5.0
WORK_PER_SAVE: Final = 20
"""Saving takes at most about this fraction of the time."""
TASKS_PER_WORKER: Final = 3
"""Games that wait at a worker, so that it is never idle."""
PHASES: Final = 3


class ReviewProgress(NamedTuple):
    """How far the review of the games of a run is."""

    done: int
    """Reviewed games, those of earlier reviews included."""
    games: int
    """Games that will be reviewed."""
    seconds_left: float | None
    """None until each worker has reviewed a game, because the first one takes longer: the worker starts."""


def find_review_kind(run: Run, *, judge: str | None = None, effort: float = 1.0, seed: int = 0) -> ReviewKind:
    """Return what distinguishes a review of a run: by default the judge and the effort of the review of one game.

    Raises InvalidError for a strategy that does not exist.
    """
    ruleset = next(iter(run.rulesets.values()))
    player = read_player(find_game(ruleset.game), judge or choose_quick_strategy(ruleset))
    return ReviewKind(player.name, float(effort), seed)


def choose_reviewed_games(run: Run, limit: int | None = None, kind: ReviewKind | None = None) -> list[int]:
    """Return the numbers of the games that a review of at most `limit` games reviews, in this order; all logged games by default.

    Intervals count blocks, so one game of each block comes first, then the second ones, and so on; seatings take turns. Games that have
    a review of a `kind` come before all others. Raises InvalidError if the moves of no game are logged.
    """
    if not run.summary.played.logged_blocks:
        raise InvalidError(
            f"the moves of the games of {run.name} are not in the run, so they cannot be reviewed; it was made with --log "
            f"{run.summary.log}"
        )
    reviewed = list_reviewed_games(run, kind) if kind else ()
    places: list[tuple[bool, int, int, int]] = []
    for place, block in enumerate(list_logged_blocks(run)):
        start = place % len(block)
        turns = sorted(block[start:] + block[:start], key=lambda game: game not in reviewed)
        places += [(game not in reviewed, turn, place, game) for turn, game in enumerate(turns)]
    return [game for *_, game in sorted(places)[:limit]]


def review_run(  # noqa: PLR0913 - which games, and who works
    run: Run,
    kind: ReviewKind,
    games: Sequence[int],
    *,
    workers: int | None = None,
    scheduler: str | None = None,
    threads: bool = False,
    stopped: Callable[[], bool] = lambda: False,
) -> Generator[ReviewProgress]:
    """Review those of some games that have no review of this kind, and keep what is found; yields the progress.

    `workers` is the number of processes, or of threads of this process, one for each processor by default; `scheduler` is the address of a
    Dask cluster. What is done is kept if `stopped` returns True, if the iterator is closed, and if a worker fails. Raises InvalidError
    if another process reviews these games.
    """
    with lock_reviews(run):
        known = list_reviewed_games(run, kind)
        missing = [game for game in games if game not in known]
        done = len(games) - len(missing)
        yield ReviewProgress(done, len(games), None)
        pool = (
            connect_cluster(scheduler)
            if scheduler
            else open_worker_pool(workers or usable_cpus(), threads=threads)
        )
        saved = _UnsavedGames(run, kind)
        all_started = 0.0
        try:
            with pool as executor:
                tasks = (
                    executor.submit(review_game, run.path.absolute().parent, run.path.name, game, kind)
                    for game in missing
                )
                number = executor.size if isinstance(executor, Cluster) else workers or usable_cpus()
                running: set[Future[ReviewRows]] = set(islice(tasks, number * TASKS_PER_WORKER))
                for count, rows in enumerate(_iter_results(running, tasks), start=1):
                    saved.add(rows)
                    if count <= number:
                        all_started = time.monotonic()
                    pace = (time.monotonic() - all_started) / (count - number) if count > number else None
                    left = None if pace is None else pace * (len(missing) - count)
                    yield ReviewProgress(done + count, len(games), left)
                    if stopped():
                        executor.shutdown(wait=False, cancel_futures=True)
                        break
        finally:
            saved.save()


def _iter_results(
    running: set[Future[ReviewRows]], tasks: Iterator[Future[ReviewRows]]
) -> Iterator[ReviewRows]:
    while running:
        finished, _ = wait(running, return_when=FIRST_COMPLETED)
        running -= finished
        running |= set(islice(tasks, len(finished)))
        for future in finished:
            yield future.result()


class _UnsavedGames:
    """Reviewed games that are not in the file yet. They are saved every `SECONDS_BETWEEN_SAVES`, less often if saving takes long."""

    def __init__(self, run: Run, kind: ReviewKind) -> None:
        self._run, self._kind = run, kind
        self._rows: list[ReviewRows] = []
        self._next = -math.inf  # the first save takes longest, so it must not be that after Ctrl-C

    def add(self, rows: ReviewRows) -> None:
        self._rows.append(rows)
        if time.monotonic() >= self._next:
            self.save()

    def save(self) -> None:
        started = time.monotonic()
        if self._rows:
            save_reviewed_games(self._run, self._kind, self._rows)
            self._rows = []
        seconds = time.monotonic() - started
        self._next = time.monotonic() + max(SECONDS_BETWEEN_SAVES, WORK_PER_SAVE * seconds)


def review_game(folder: Path, file: str, game_id: int, kind: ReviewKind) -> ReviewRows:
    """Review a game of the run in a folder, in a worker; return its rows in the tables of reviews."""
    run = Run(folder / file)
    unfinished = start_review(run, game_id, policy=kind.judge, seed=kind.seed, effort=kind.effort)
    unfinished.compute_here()
    return list_review_rows(run, unfinished)


def list_review_rows(run: Run, unfinished: UnfinishedReview) -> ReviewRows:
    """Return the rows of a reviewed game in the tables of reviews, without their first column."""
    review, reviewer = unfinished.summarise(), unfinished.reviewer
    game, seats = run.game(review.game_id), run.list_seats(review.game_id)
    head = review.game_id, game.block, game.ruleset
    rounds = [round_number for _, round_number, _ in run.turns(review.game_id)]

    def find_time(ply: int) -> tuple[int, int, int]:
        """Return ply, round and phase."""
        return ply, rounds[ply], 1 + min(PHASES - 1, PHASES * rounds[ply] // max(1, game.rounds))

    points, wins = review.ledgers(), review.ledgers(wins=True)
    ledgers = [
        (
            *head,
            seat.seat,
            seat.strategy,
            *points[seat.seat, :, 0].tolist(),
            *wins[seat.seat, :, 0].tolist(),
            *(float(part[seat.seat, 1, 1]) / STANDARD_ERRORS for part in (points, wins)),
            review.score_spread,
        )
        for seat in seats
    ]
    rolls = [
        (
            *head,
            *find_time(roll.ply),
            roll.notation,
            next((seat for seat in review.seats[roll.ply :] if seat != CHANCE), None),
            seat.seat,
            seat.strategy,
            roll.luck_points[seat.seat],
            roll.luck_points_halves[seat.seat] / STANDARD_ERRORS,
            roll.luck_wins[seat.seat],
            roll.luck_wins_halves[seat.seat] / STANDARD_ERRORS,
        )
        for roll in review.rolls
        for seat in seats
    ]
    latest_rolls = {roll.ply: roll.notation for roll in review.rolls}
    decisions = []
    for decision in review.decisions:
        state, action = reviewer.states[decision.ply], reviewer.ruleset.action(decision.chosen.action)
        roll = next((latest_rolls[ply] for ply in range(decision.ply, -1, -1) if ply in latest_rolls), None)
        decisions.append(
            (
                *head,
                *find_time(decision.ply),
                decision.seat,
                seats[decision.seat].strategy,
                action.kind,
                action.piece or None,
                roll,
                _find_lead(state.scores, decision.seat, lowest_wins=review.lowest_wins),
                *_list_values(decision),
            )
        )
    return {"ledgers": ledgers, "decisions": decisions, "rolls": rolls}


def _find_lead(scores: Sequence[int], seat: int, *, lowest_wins: bool) -> int:
    """Return by how many points a seat is ahead of the best other one.

    >>> _find_lead([3, 5, 9], 1, lowest_wins=False), _find_lead([3, 5, 9], 0, lowest_wins=True)
    (-4, 2)
    """
    ahead = [(other - scores[seat]) if lowest_wins else scores[seat] - other for other in scores]
    return int(min(ahead[:seat] + ahead[seat + 1 :], default=0))


def _list_values(decision: Decision) -> tuple[Any, ...]:
    """Return the columns of a decision from `choices` on."""
    chosen, best = decision.chosen, decision.best
    is_best = chosen.action == best.action

    def write_loss(lost: Interval | None) -> tuple[float, float]:
        """Return what was lost, as `Review.loss_per_decision` counts it, and its standard error."""
        if lost is None:
            return 0.0, float("nan")
        return 0.0 if is_best else lost.estimate, lost.half_width / STANDARD_ERRORS

    return (
        decision.options,
        chosen.action,
        best.action,
        *(
            value.estimate if value else float("nan")
            for value in (chosen.score, best.score, chosen.win_share, best.win_share)
        ),
        *write_loss(decision.lost_points),
        *write_loss(decision.lost_wins),
        decision.judged,
        decision.judged_by_points,
        chosen.n,
    )


VERIFIED_GAMES: Final = 3
"""Games of each review that are reviewed again."""


def verify_reviews(run: Run) -> int:
    """Check the reviews of the games of a run against the run, and review some games again; return the number of reviewed games.

    Raises VerificationFailed at the first contradiction.
    """
    if fault := find_contradiction(run):
        raise VerificationFailed(f"its reviews: {fault}")
    games: set[int] = set()
    for review, judge, effort, seed, version in list_reviews(run):
        kind = ReviewKind(judge, effort, seed)
        reviewed = sorted(list_reviewed_games(run, kind))
        games.update(reviewed)
        if version != metadata.version("reroll"):
            continue  # another version may judge otherwise
        for game_id in reviewed[:: math.ceil(len(reviewed) / VERIFIED_GAMES) or 1]:
            again = review_game(run.path.absolute().parent, run.path.name, game_id, kind)
            stored = read_reviewed_game(run, review, game_id)
            if not all(_is_same(stored[table], rows) for table, rows in again.items()):
                raise VerificationFailed(
                    f"its reviews: game {game_id + 1} has other values when it is reviewed again"
                )
    return len(games)


def _is_same(stored: Sequence[tuple[Any, ...]], again: Sequence[tuple[Any, ...]]) -> bool:
    """Return whether two lists have the same rows; numbers may differ by the rounding of the file."""
    return len(stored) == len(again) and all(
        math.isclose(value, other, rel_tol=1e-5, abs_tol=1e-5) if isinstance(value, float) else value == other
        for pair in zip(stored, again, strict=True)
        for value, other in zip(*pair, strict=True)
    )
