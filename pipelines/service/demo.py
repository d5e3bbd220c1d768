"""The demo library: a small run of each shipped ruleset, examples that show what the pages can do, and the time that is left.

The small runs come first. The plain rules play them, so that they need not wait for a compiler. The examples need
strategies that only compiled games can play, so their games are compiled first, in processes of low priority.

The notes of the demo library: for each game a close finish, a turning point, a what-if and a comparison to open.
They are in the collection Examples, so the page Notes shows from the first day what notes are good for.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import as_completed
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias

from engine import games
from engine.actions import CHANCE
from engine.errors import GameError, InvalidError
from engine.strategies import built_in_strategies
from engine.wording import capitalise, format_count
from pipelines.design.design import Design, read_ruleset
from pipelines.design.designs import design_comparison, design_simulation
from pipelines.design.limits import choose_title
from pipelines.design.short_names import base_name
from pipelines.experiments.comparison import compare_strategies
from pipelines.experiments.fork import Change, fork_logged_game
from pipelines.experiments.review import start_review
from pipelines.experiments.review_runs import choose_reviewed_games, find_review_kind, review_run
from pipelines.experiments.whatif import WhatIf, play_whatif, saved_run_design
from pipelines.notes.note import NoteContent, NotePlace, place_of_game, place_of_run
from pipelines.notes.store import NoteFilter, NoteStore
from pipelines.questions.address import write_address
from pipelines.questions.comparison import ComparisonAnswer, KnownComparisonQuestion
from pipelines.questions.every_question import read_question
from pipelines.questions.games import find_remarkable_game
from pipelines.questions.source import QuestionSource
from pipelines.questions.whatif import WhatifAnswer, WhatifQuestion, ask_about_change
from pipelines.report.compose import compose
from pipelines.report.estimates import set_sentence
from pipelines.runs.names import run_path, unfinished_path
from pipelines.runs.run import Run
from pipelines.runs.unfinished_run import UnfinishedRun
from pipelines.simulate.simulate import resume_run, simulate_run
from pipelines.simulate.workers import open_worker_pool, usable_cpus
from pipelines.statistics.planning import MIN_BLOCKS
from pipelines.statistics.rounding import set_minus_signs

if TYPE_CHECKING:
    from engine.ruleset import Ruleset
    from pipelines.runs.library import Library
    from pipelines.service.jobs import Job
    from pipelines.statistics import Interval

DemoKind: TypeAlias = Literal["small", "strategies", "comparison", "whatif"]

DEMO_PREFIX: Final = "demo-"
"""The names of all runs of the demo begin with it."""
DEMO_BLOCKS: Final[Mapping[DemoKind, int]] = {"small": 60, "strategies": 10, "comparison": 200}
"""Blocks of a run of each kind, the same on every machine: so people who speak of the demo see the same numbers.

A slow machine can afford them. Measured with one processor of an AMD EPYC: a small run takes 0.1 to 2.6 s, the games of
a comparison 0.4 s, and the strategies, which search, 1 to 24 s.
"""
WHATIF_CONTINUATIONS: Final = 400
DEMO_SEED: Final = 2024
EXAMPLE_PRIORITY: Final = 10
"""Niceness of the processes that make examples: pages come first."""


class DemoRun(NamedTuple):
    """One run of the demo library that is to be made."""

    target: Path
    """The run file."""
    document: dict[str, Any]
    """The ruleset as data."""
    kind: DemoKind = "small"

    @property
    def folder(self) -> Path:
        """The data folder."""
        return self.target.parent.parent


def missing_demo_runs(library: Library) -> list[DemoRun]:
    """Return the runs of the demo that the library does not have yet, in the order in which they are made."""
    return [plan for plan in plan_demo_runs(library) if not plan.target.exists()]


def plan_demo_runs(library: Library) -> list[DemoRun]:
    """Return all runs of the demo in the order in which they are made.

    Small runs come first, those of standard games before their variants. An example of a game comes after the examples
    of other games of the same kind, so that games are compiled side by side; a what-if needs the run of its game.
    Rulesets whose tables are all somebody's own are left out: they are not printed games.
    """
    rulesets = sorted(
        (
            ruleset
            for ruleset in library.catalogue.rulesets.values()
            if {*ruleset.provenance.values()} != {"own"}
        ),
        key=lambda ruleset: (ruleset.players, ruleset.name),
    )
    standard = [ruleset for ruleset in rulesets if _is_standard_ruleset(ruleset)]
    variants = [ruleset for ruleset in rulesets if not _is_standard_ruleset(ruleset)]
    smallest = {ruleset.game: ruleset for ruleset in reversed(standard)}
    largest = {ruleset.game: ruleset for ruleset in standard}
    plans = [_plan_run(library, ruleset, "small") for ruleset in (*standard, *variants)]
    examples: list[tuple[DemoKind, dict[str, Ruleset]]]
    examples = [("strategies", largest), ("comparison", smallest), ("whatif", smallest)]
    for kind, chosen in examples:
        plans += [_plan_run(library, ruleset, kind) for _, ruleset in sorted(chosen.items())]
    return plans


def _is_standard_ruleset(ruleset: Ruleset) -> bool:
    """Return whether a ruleset is the standard game for its number of players, and no variant."""
    return ruleset.name == f"{ruleset.game}-{ruleset.players}p"


def _plan_run(library: Library, ruleset: Ruleset, kind: DemoKind) -> DemoRun:
    name = f"{DEMO_PREFIX}{ruleset.name}" if kind == "small" else f"{DEMO_PREFIX}{kind}-{ruleset.name}"
    return DemoRun(run_path(library.runs_folder, name), ruleset.document, kind)


def make_demo_runs(plans: list[DemoRun], on_finished: Callable[[int, str, int], None]) -> None:
    """Make the runs in parallel; after each call `on_finished(finished runs, name of the run, its games)`."""
    if not plans:
        return
    done = 0
    with open_worker_pool(min(usable_cpus(), len(plans))) as pool:
        for kinds in (("small",), ("strategies", "comparison"), ("whatif",)):
            futures = {pool.submit(_make_demo_run, plan): plan for plan in plans if plan.kind in kinds}
            for future in as_completed(futures):
                done += 1
                on_finished(done, futures[future].target.stem, future.result())


def demo_lineup(ruleset: Ruleset) -> list[str]:
    """Return the strategy of each seat of a small run: greedy and random in turn."""
    strategies = built_in_strategies(games.find_game(ruleset.game))
    good = "greedy" if "greedy" in strategies else list(strategies)[-1]
    return [good if seat % 2 == 0 else "random" for seat in range(ruleset.players)]


def strategy_ladder(ruleset: Ruleset) -> list[str]:
    """Return the strategies of a game from the weakest to the strongest, without noisy, which errs on purpose."""
    return [name for name in built_in_strategies(games.find_game(ruleset.game)) if name != "noisy"]


def telling_lineup(ruleset: Ruleset) -> list[str]:
    """Return strategies for all seats, from the weakest to the strongest of the game, in equal steps."""
    ladder = strategy_ladder(ruleset)
    last_seat = max(1, ruleset.players - 1)
    return [ladder[round(seat * (len(ladder) - 1) / last_seat)] for seat in range(ruleset.players)]


def _make_demo_run(plan: DemoRun) -> int:
    """Make one run in this process, or resume it if it is unfinished. Return its number of games."""
    partial = UnfinishedRun(unfinished_path(plan.target.parent, plan.target.stem))
    if plan.kind != "small":
        os.setpriority(os.PRIO_PROCESS, 0, EXAMPLE_PRIORITY)
    if partial.folder.exists():
        return resume_run(partial, workers=1).summary.games
    return simulate_run(_design_demo_run(plan), plan.target, workers=1, free_name=False).summary.games


def _design_demo_run(plan: DemoRun) -> Design:
    ruleset = read_ruleset(plan.document, str(plan.target))
    if plan.kind == "whatif":
        return _design_saved_whatif(plan, ruleset)
    blocks = DEMO_BLOCKS[plan.kind]
    if plan.kind == "comparison":
        _, greedy, planner, *_ = strategy_ladder(ruleset)
        design: Design = design_comparison(ruleset, [planner, greedy], blocks=blocks, seed=DEMO_SEED)
    else:
        lineup = demo_lineup(ruleset) if plan.kind == "small" else telling_lineup(ruleset)
        design = design_simulation(ruleset, lineup, blocks=blocks, seed=DEMO_SEED)
    return design.model_copy(update={"title": choose_title(None, f"Demo: {design.title}")})


def _design_saved_whatif(plan: DemoRun, ruleset: Ruleset) -> Design:
    """Return the design of a what-if about the closest game of the small run: at half time a planner replaces random.

    The planner is the third strategy of a game, which is stronger than greedy and fast. The notes of the game are kept
    here, before its last run is made: so they are kept even if the demo was stopped, but never again once it is complete.
    Some games of the comparison of the first game of all lists are reviewed here, too, which takes 12 s of one processor.
    """
    ladder = strategy_ladder(ruleset)
    parent = Run(run_path(plan.target.parent, f"{DEMO_PREFIX}{ruleset.name}"))
    closest = find_remarkable_game(parent, "margin", is_lowest=True) or find_remarkable_game(parent, "game")
    if closest is None:
        raise InvalidError(f"{parent.path}: no game is logged")
    weakest = closest.strategies.index(ladder[0])
    fork = fork_logged_game(parent, closest.game_id, closest.plies // 2, Change({weakest: ladder[2]}))
    *_, answer = play_whatif(fork, n=WHATIF_CONTINUATIONS, seed=DEMO_SEED)
    comparison = Run(run_path(plan.target.parent, f"{DEMO_PREFIX}comparison-{ruleset.name}"))
    keep_highlights(NoteStore(plan.folder), comparison, parent, answer)
    if ruleset.game == games.registered_games()[0].name:
        reviewed = choose_reviewed_games(comparison, MIN_BLOCKS)
        with suppress(GameError):  # a visitor reviews them at this moment
            list(review_run(comparison, find_review_kind(comparison), reviewed, workers=1, threads=True))
    return saved_run_design(answer, parent.name, plan.target.stem)


COLLECTION: Final = "Examples"


class TurningPoint(NamedTuple):
    """The ply at which a seat that was expected to lose came closest to the win."""

    ply: int
    before: Interval
    """The share of the win before the ply, by the playouts of the review."""
    after: Interval
    is_roll: bool
    playouts: int
    """Playouts of each position."""
    policy: str
    """The strategy of the playouts."""


def find_turning_point(run: Run, game_id: int, seat: int) -> TurningPoint | None:
    """Return the ply of a logged game at which the win share of a seat rose most from below a half; None if no rise is clear.

    A rise is clear if the 95 % intervals before and after it do not overlap. The values are those of the review that the
    page Replay shows.
    """
    reviewer = start_review(run, game_id).reviewer
    shares = [reviewer.position_value(ply)[1][seat] for ply in range(len(reviewer.states))]
    clear = [
        ply
        for ply in range(len(reviewer.actions))
        if shares[ply].estimate < 0.5 and shares[ply].high < shares[ply + 1].low
    ]
    if not clear:
        return None
    ply = max(clear, key=lambda ply: shares[ply + 1].estimate - shares[ply].estimate)
    is_roll = reviewer.states[ply].seat == CHANCE
    return TurningPoint(
        ply, shares[ply], shares[ply + 1], is_roll, reviewer.position_playouts, reviewer.policy
    )


def keep_highlights(store: NoteStore, comparison: Run, parent: Run, whatif: WhatIf) -> None:
    """Keep the notes of a game: of its comparison, and of a what-if about a game of the run `parent`.

    What is kept already is not kept again. A file of notes that cannot be written leaves the library without them.
    """
    try:
        for place, content in _write_highlights(comparison, parent, whatif):
            known = store.search(NoteFilter(run_key=place.run_key, page=place.page)).notes
            question = read_question(place.page, place.address)
            if all(read_question(note.page, note.address) != question for note in known):
                store.add(place, content)
    except GameError:
        return


def _write_highlights(
    comparison: Run, parent: Run, whatif: WhatIf
) -> Iterator[tuple[NotePlace, NoteContent]]:
    """Yield the places and texts of the notes, the one to be shown first last."""
    title = games.find_game(comparison.summary.rulesets[0].game).title
    source = QuestionSource(only=(comparison, parent))
    compared = compare_strategies(comparison, with_controls=False)
    answer = ComparisonAnswer(KnownComparisonQuestion(run=comparison.name), compared)
    yield (
        place_of_run(comparison),
        _make_content(
            f"{title}: {' against '.join(map(base_name, comparison.summary.strategies))}",
            set_sentence(compose(answer, source.find_looks).verdict),
        ),
    )
    yield _whatif_highlight(title, source, parent, whatif)
    close = _close_finish_highlight(title, comparison)
    if close:
        yield close
    turn = _turning_point_highlight(title, comparison)
    if turn:
        yield turn


def _whatif_highlight(
    title: str, source: QuestionSource, parent: Run, whatif: WhatIf
) -> tuple[NotePlace, NoteContent]:
    fork = whatif.fork
    ((seat, strategy),) = fork.change.strategies.items()
    question = ask_about_change(
        WhatifQuestion,
        fork.change,
        run=parent.name,
        game=fork.game_id,
        ply=fork.ply,
        n=whatif.n,
        seed=whatif.seed,
    )
    place = NotePlace("what-if", question.page, write_address(question), parent.key)
    logged = base_name(parent.list_seats(fork.game_id)[seat].strategy)
    return place, _make_content(
        f"{title}: what if {base_name(strategy)} took over from {logged} at move {fork.ply + 1}?",
        f"{capitalise(compose(WhatifAnswer(question, whatif, parent), source.find_looks).verdict)}.",
    )


def _close_finish_highlight(title: str, run: Run) -> tuple[NotePlace, NoteContent] | None:
    game = find_remarkable_game(run, "margin", is_lowest=True)
    if game is None:
        return None
    winner = next(seat for seat in run.list_seats(game.game_id) if seat.rank == 1)
    margin = f"by {format_count(int(game.value), 'point')}" if game.value else "after a tie of scores"
    scores = ", ".join(
        f"{base_name(seat.strategy)} {seat.score}"
        for seat in sorted(run.list_seats(game.game_id), key=lambda seat: seat.rank)
    )
    return place_of_game(run, game.game_id), _make_content(
        f"{title}: {base_name(winner.strategy)} wins {margin}", f"No game of this run ended closer: {scores}."
    )


def _turning_point_highlight(title: str, run: Run) -> tuple[NotePlace, NoteContent] | None:
    comeback = find_remarkable_game(run, "comeback")
    if comeback is None or comeback.ply is None:
        return None
    deficit = format_count(int(comeback.value), "point")
    winner = next(seat for seat in run.list_seats(comeback.game_id) if seat.rank == 1)
    turn = find_turning_point(run, comeback.game_id, winner.seat)
    if turn is None:
        return None
    name = base_name(winner.strategy)
    place = place_of_game(run, comeback.game_id, turn.ply)
    text = (
        f"After move {comeback.ply + 1} {name} is {deficit} behind, and still wins. "
        f"The game turns at move {turn.ply + 1}{', a roll' if turn.is_roll else ''}: when {base_name(turn.policy)} plays on for "
        f"all, {name} wins {_format_share(turn.before, '95 % interval ')} of the games before it, and "
        f"{_format_share(turn.after)} of {turn.playouts} after it."
    )
    return NotePlace(
        place.kind, place.page, {**place.address, "review": ["1"]}, place.run_key
    ), _make_content(f"{title}: {name} comes back from {deficit} behind", text, is_favourite=True)


def _make_content(title: str, text: str, *, is_favourite: bool = False) -> NoteContent:
    return NoteContent(title, set_minus_signs(text), (COLLECTION,), is_favourite=is_favourite)


def _format_share(share: Interval, prefix: str = "") -> str:
    return f"{100 * share.estimate:.0f} % ({prefix}{100 * share.low:.0f} to {100 * share.high:.0f})"


PLANNED_SECONDS: Final[dict[DemoKind, float]] = {
    "small": 1.1,
    "strategies": 14.0,
    "comparison": 2.5,
    "whatif": 2.0,
}
"""Processor seconds of a run of each kind, its process and its first look at the compiled game included.

Only their ratios count. The games take on average 0.6, 12.5 and 0.5 processor seconds, measured with compiled games; about a
second of each run goes to its process and its first look at the compiled game.
"""
MIN_ELAPSED_SECONDS: Final = 4.0
MIN_SHARE_DONE: Final = 0.03
"""Before both of these nothing is said about the time left: a few steps measure the start of processes only."""
PACE_STEPS: Final = 8
"""The last finished runs, whose pace tells the time left."""
MIN_PACE, MAX_PACE = 0.1, 10.0
"""Limits of the seconds that a planned second takes, so that a machine that slept does not lead to a wild number."""


class DemoStep(NamedTuple):
    """One run of the demo library as a step of the job that makes it."""

    planned_seconds: float
    share_done: float
    """From 0 to 1."""
    finished_after: float | None = None
    """Seconds from the start of the job to the end of the run; negative if it was there before; None for an unfinished run."""


class DemoProgress(NamedTuple):
    """How far the demo library is."""

    ready: int
    runs: int
    share: float
    """The share of the planned time that is done, from 0 to 1; it grows while a long run is made."""
    seconds_left: float | None
    """None as long as it cannot be estimated."""


def read_demo_progress(library: Library, job: Job, clock: Callable[[], float] = time.time) -> DemoProgress:
    """Return how far a job is that makes the demo library. `clock` returns the seconds since 1970."""
    plans = plan_demo_runs(library)
    started = job.started_at
    steps = [_read_step(plan, started) for plan in plans]
    return DemoProgress(
        sum(step.share_done == 1 for step in steps),
        len(steps),
        _planned_done(steps) / sum(step.planned_seconds for step in steps) if steps else 1.0,
        None if started is None else estimate_seconds_left(steps, clock() - started),
    )


def _read_step(plan: DemoRun, started: float | None) -> DemoStep:
    planned = PLANNED_SECONDS[plan.kind]
    try:
        finished = plan.target.stat().st_mtime
    except FileNotFoundError:
        return DemoStep(planned, _share_of_games(plan))
    return DemoStep(planned, 1.0, None if started is None else finished - started)


def _share_of_games(plan: DemoRun) -> float:
    """Return the share of the games of an unfinished run that are on disk."""
    try:
        partial = UnfinishedRun(unfinished_path(plan.target.parent, plan.target.stem))
        return min(0.99, partial.games_done / partial.games)
    except (GameError, OSError, ZeroDivisionError):  # it is not begun, or it becomes a run at this moment
        return 0.0


def _planned_done(steps: Sequence[DemoStep]) -> float:
    return sum(step.planned_seconds * step.share_done for step in steps)


def estimate_seconds_left(steps: Sequence[DemoStep], elapsed: float) -> float | None:
    """Return the seconds until all steps are done, if the others go at the pace of the last ones; None if too few are done.

    `elapsed` are the seconds since the job began. Steps that were there before it say nothing about its pace, and the first ones
    little, because they compile the games.

    >>> estimate_seconds_left([DemoStep(10.0, 1.0, 20.0), DemoStep(30.0, 0.0)], 20.0)
    60.0
    """
    new_steps = [step for step in steps if step.finished_after is None or step.finished_after >= 0]
    done, planned = _planned_done(new_steps), sum(step.planned_seconds for step in new_steps)
    if done >= planned:
        return 0.0
    if elapsed < MIN_ELAPSED_SECONDS or done < MIN_SHARE_DONE * planned:
        return None
    ends = sorted((step.finished_after, step.planned_seconds) for step in new_steps if step.finished_after)
    earlier = ends[:-PACE_STEPS]
    since, known = (earlier[-1][0] if earlier else 0.0), sum(seconds for _, seconds in earlier)
    pace = (elapsed - since) / (done - known)
    return (planned - done) * min(MAX_PACE, max(MIN_PACE, pace))
