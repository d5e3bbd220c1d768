"""Measure how often lessons are right: those of a reviewed run of each game are judged again, ten times as deeply.

`python -m benchmarks.lessons` takes about half an hour; `python -m benchmarks.lessons bloxx-2p` measures one ruleset. For each:

* games of two strategies are played and reviewed, and lessons are made of the clear slips;
* for each lesson, the played move and the better one are played to the end ten times as often as for the lesson, by the same players,
  with luck that neither the review nor the lesson has seen. The lesson is confirmed if the better move still wins more often;
* the lessons are kept as notes and given away as one file.

The exit code is 1 if fewer than 49 of 50 lessons are confirmed.
"""

from __future__ import annotations

import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Final

from benchmarks.command_line import check_names, make_parser, print_progress
from engine.games import find_game
from engine.strategies import read_player
from pipelines.design.designs import design_simulation
from pipelines.experiments.continuations import continuation_seed
from pipelines.experiments.lessons import make_lessons
from pipelines.experiments.review_runs import choose_reviewed_games, find_review_kind, review_run
from pipelines.experiments.reviewer import Playouts
from pipelines.notes.lessons import keep_lessons
from pipelines.notes.store import NoteStore
from pipelines.runs.library import Library
from pipelines.simulate.simulate import simulate_run
from pipelines.simulate.workers import usable_cpus
from pipelines.statistics import Interval
from pipelines.statistics.bounded_means import SHARE_BOUNDS, simple_interval
from pipelines.studies.study import StudySource, find_items, iter_sections, make_study, write_study

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pipelines.experiments.lessons import Lesson
    from pipelines.runs.run import Run

LINEUPS: Final = {
    "bloxx-2p": ("greedy", "planner"),
    "blokus-duo": ("greedy", "mobility"),
    "blokus-dice-2p": ("greedy", "keeper"),
    "spexxx-2p": ("builder", "greedy"),
}
"""One ruleset of each game, and the strategies whose slips become lessons."""
LESSONS: Final = 50
GAMES: Final = 40
DEEPER: Final = 10
"""Factor of the playouts of a lesson."""
FRESH_SEED: Final = (1 << 63) + 9999
"""Seed of luck that no review and no lesson has."""
SHARE_TO_CONFIRM: Final = 49 / 50


def play_reviewed_run(library: Library, name: str, games: int) -> Run:
    """Play games of a ruleset and review all of them."""
    ruleset = library.catalogue.find_ruleset(name)
    design = design_simulation(ruleset, LINEUPS[name], games_at_least=games, seed=FRESH_SEED)
    run = simulate_run(design, library.runs_folder / f"{name}.duckdb")
    for _ in review_run(run, find_review_kind(run), choose_reviewed_games(run), threads=True):
        pass
    return run


def judge_deeper(lesson: Lesson) -> Interval:
    """Return the share of the win that the played move of a lesson loses against the better one, by other playouts, with a 95 % interval."""
    reviewer, decision = lesson.reviewer, lesson.decision
    player = read_player(find_game(reviewer.ruleset.game), reviewer.policy)
    seed = continuation_seed(FRESH_SEED, lesson.game_id)
    playouts = Playouts(reviewer.states[0], [player] * reviewer.ruleset.players, seed)
    position = playouts.make_position(reviewer.states[decision.ply])
    better, played = (
        playouts.play_position(playouts.position_after(position, move.action), 0, DEEPER * decision.chosen.n)
        for move in (decision.best, decision.chosen)
    )
    lost = (better.win_shares - played.win_shares)[:, decision.seat]
    return simple_interval(lost, SHARE_BOUNDS.minus(SHARE_BOUNDS)) or Interval(0, -1, 1)


def measure(name: str, *, games: int, count: int, folder: Path) -> tuple[bool, str]:
    """Return whether enough lessons of a ruleset are confirmed, and a line of Markdown with the figures."""
    library, seconds = Library(folder), []
    started = time.process_time()  # of all threads, so that other programs do not count

    def stop_clock() -> None:
        nonlocal started
        started, before = time.process_time(), started
        seconds.append(started - before)

    run = play_reviewed_run(library, name, games)
    stop_clock()
    print_progress(f"{name}: {games} games reviewed")
    lessons = list(make_lessons(run, count))
    stop_clock()
    print_progress(f"{name}: {len(lessons)} lessons made")
    losses = []
    with ThreadPoolExecutor(usable_cpus()) as threads:
        for lost in threads.map(judge_deeper, [rated.lesson for rated in lessons]):
            losses.append(lost)
            share = Interval(*(round(100 * end, 1) for end in lost))
            print_progress(
                f"{name}: lesson {len(losses)} of {len(lessons)} loses {share.estimate} wins of 100 ({share.low} to {share.high})"
            )
    stop_clock()
    collection, _ = keep_lessons(NoteStore(folder), run, lessons)
    source = StudySource(Library(folder))
    study = make_study(list(iter_sections(source, find_items(source, [collection]))), title=collection)
    size = len(write_study(study).encode())
    stop_clock()
    confirmed = sum(lost.estimate > 0 for lost in losses)
    found = {strategy: sum(rated.found[strategy] for rated in lessons) for strategy in lessons[0].found}
    figures = (
        name,
        f"{games:,} in {seconds[0]:.0f} s",
        f"{len(lessons)}",
        f"{confirmed}",
        f"{sum(lost.low > 0 for lost in losses)}",
        f"{100 * fmean(lost.estimate for lost in losses):.0f}",
        f"{seconds[1] / len(lessons):.1f}",
        f"{seconds[3] / len(lessons):.1f}",
        f"{size / 1e6:.1f} MB",
        ", ".join(f"{strategy} {number}" for strategy, number in found.items()),
    )
    return confirmed >= SHARE_TO_CONFIRM * count, f"| {' | '.join(figures)} |"


def main(words: Sequence[str] | None = None) -> int:
    """Measure, print a line for each ruleset, and return the exit code."""
    parser = make_parser("lessons", __doc__)
    parser.add_argument("names", nargs="*", metavar="RULESET", help="measure only these")
    parser.add_argument("--games", type=int, default=GAMES, help="games to play and review")
    parser.add_argument("--lessons", type=int, default=LESSONS, help="lessons to make")
    asked = parser.parse_args(words)
    check_names(asked.names, LINEUPS, "ruleset")
    are_confirmed = []
    for name in asked.names or LINEUPS:
        with tempfile.TemporaryDirectory() as folder:
            is_confirmed, line = measure(name, games=asked.games, count=asked.lessons, folder=Path(folder))
        are_confirmed.append(is_confirmed)
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()
    return 0 if all(are_confirmed) else 1


if __name__ == "__main__":
    sys.exit(main())
