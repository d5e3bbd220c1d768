"""Measure how often the intervals of *Scores* contain the truth in libraries with equal seeds and several line-ups.

`python -m benchmarks.scores_coverage bloxx` measures 500 experiments with BLOXX!, which takes about half an hour. Each
experiment plays a library of its own: a run, the same command with fewer blocks, a copy of the run, a run with other luck,
a run of another line-up, and a run with the same luck under another ruleset. The truth comes from a library with the same
shares of line-ups, made of many other blocks.

It prints a line for each figure: the share of intervals that contain the truth, which should be between 0.93 and 0.97 (up to 1
where no interval of so few results is short), and for each difference the share of experiments that name the wrong sign.
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Final

from engine.catalogue import Catalogue
from pipelines.design.designs import design_simulation
from pipelines.questions.scores.answer import DistributionsAnswer, answer_scores
from pipelines.questions.scores.means import LengthsAnswer, MeansAnswer
from pipelines.questions.scores.question import ScoresQuestion
from pipelines.questions.source import QuestionSource
from pipelines.runs.run import Run
from pipelines.simulate.simulate import simulate_run

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pipelines.questions.scores.answer import ScoresAnswer
    from pipelines.statistics import Interval

GAMES: Final = {
    "bloxx": ("bloxx-2p", "bloxx-touch-2p"),
    "blokus-dice": ("blokus-dice-2p", "blokus-dice-graded-2p"),
}
"""Two rulesets of each game."""
USUAL, OTHER = ("greedy", "random"), ("greedy", "noisy")
BLOCKS: Final = {"usual": 40, "again": 25, "luck": 15, "other": 30}
"""The blocks of the runs. Those of "again" are the first ones of "usual"."""
TRUE_SEED: Final = 10_000_000
ROUND: Final = re.compile(r" at round \d+")
VIEWS: Final = ("Scores", "Players", "Parts", "Course", "Length")


def play_library(folder: Path, rulesets: tuple[str, str], seed: int) -> QuestionSource:
    """Play the library of an experiment."""
    first, second = rulesets
    played = {
        "usual": (first, USUAL, seed),
        "again": (first, USUAL, seed),
        "luck": (first, USUAL, seed + 1),
        "other": (first, OTHER, seed),
        "second": (second, USUAL, seed),
    }
    runs = [
        play_run(folder / f"{name}.duckdb", *one, BLOCKS.get(name, BLOCKS["usual"]))
        for name, one in played.items()
    ]
    shutil.copyfile(runs[0].path, folder / "copy.duckdb")
    return QuestionSource(only=(*runs, Run(folder / "copy.duckdb")))


def play_true_library(folder: Path, rulesets: tuple[str, str], factor: int) -> QuestionSource:
    """Play a library with the same shares of line-ups, each block once, and `factor` times as many blocks."""
    first, second = rulesets
    usual = BLOCKS["usual"] + BLOCKS["luck"]
    played = ((first, USUAL, usual), (first, OTHER, BLOCKS["other"]), (second, USUAL, BLOCKS["usual"]))
    return QuestionSource(
        only=tuple(
            play_run(folder / f"{number}.duckdb", ruleset, lineup, TRUE_SEED + number, factor * blocks)
            for number, (ruleset, lineup, blocks) in enumerate(played)
        )
    )


def play_run(path: Path, ruleset: str, lineup: tuple[str, ...], seed: int, blocks: int) -> Run:
    """Play a run in this process."""
    design = design_simulation(Catalogue().find_ruleset(ruleset), list(lineup), blocks=blocks, seed=seed)
    return simulate_run(design, path, workers=1)


def ask_questions(rulesets: tuple[str, str]) -> Iterator[tuple[str, ScoresQuestion]]:
    """Yield every view of one ruleset and of both, of one line-up and of all; Scores also of one player."""
    for chosen in (rulesets[:1], rulesets):
        for lineups in ("", "all"):
            about = f"{' and '.join(chosen)}{', all line-ups' if lineups else ''}"
            for view in VIEWS:
                question = ScoresQuestion(rulesets=chosen, lineups=lineups, view=view)
                yield f"{about}, {view}", question
            yield f"{about}, player 1", ScoresQuestion(rulesets=chosen, lineups=lineups, seats=(0,))


def read_figures(answer: ScoresAnswer) -> dict[str, Interval]:
    """Return the intervals that an answer shows, by what they are about. Differences begin with "difference"."""
    found: dict[str, Interval | None] = {}
    if isinstance(answer, DistributionsAnswer):
        found = {f"mean {one.ruleset} {one.strategy}": one.mean.interval for one in answer.groups}
        for comparison in answer.comparisons:
            for one, difference in comparison.others:
                a, b = ((group.ruleset, group.strategy) for group in (comparison.base, one))
                found[f"difference {a} {b}"] = difference
    elif isinstance(answer, MeansAnswer):
        place = "round " if answer.question.view == "Course" else ""
        found = {f"mean {one.ruleset} {one.strategy} at {place}{one.at}": one.mean for one in answer.means}
    elif isinstance(answer, LengthsAnswer):
        found = {f"mean {one.ruleset}": one.mean.interval for one in answer.lengths}
    return {what: interval for what, interval in found.items() if interval}


def measure_coverage(rulesets: tuple[str, str], experiments: int, factor: int) -> Iterator[str]:
    """Yield a line for each figure of each question, and one for the differences of all experiments."""
    questions = dict(ask_questions(rulesets))
    covered, counted, wrong, clear = Counter[str](), Counter[str](), Counter[str](), Counter[str]()

    def answer_all(source: QuestionSource) -> Iterator[tuple[str, Mapping[str, Interval]]]:
        for about, question in questions.items():
            yield about, read_figures(answer_scores(question, source))

    with tempfile.TemporaryDirectory() as folder:
        truths = dict(answer_all(play_true_library(Path(folder), rulesets, factor)))
    for number in range(experiments):
        sys.stderr.write(f"\r{number} of {experiments} libraries")
        with tempfile.TemporaryDirectory() as folder:
            for about, figures in answer_all(play_library(Path(folder), rulesets, 2 * number)):
                for what, interval in figures.items():
                    if what not in truths[about]:
                        continue
                    truth, name = truths[about][what].estimate, f"{about}: {ROUND.sub(' at any round', what)}"
                    counted[name] += 1
                    covered[name] += interval.low - 1e-9 <= truth <= interval.high + 1e-9
                    if what.startswith("difference"):
                        clear[name] += interval.low > 0 or interval.high < 0
                        wrong[name] += interval.low > 0 >= truth or interval.high < 0 <= truth
    for name, intervals in counted.items():
        line = f"{covered[name] / intervals:.3f} of {intervals}: {name}"
        if name in clear:
            line += f" (clear {clear[name] / intervals:.3f}, wrong {wrong[name] / intervals:.3f})"
        yield line


def main() -> None:
    """Measure the game that the command line names."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("game", choices=tuple(GAMES))
    parser.add_argument("--experiments", type=int, default=500, help="libraries that are played")
    parser.add_argument(
        "--factor", type=int, default=300, help="blocks of the truth for each block of an experiment"
    )
    asked = parser.parse_args()
    for line in measure_coverage(GAMES[asked.game], asked.experiments, asked.factor):
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
