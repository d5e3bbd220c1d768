"""Measure how the strategy `learned` grows stronger the more games it learns from.

    python -m pipelines.measure.learning_curve [RULESET...] [--blocks N] [--out FILE] [--picture FILE]

learns the values anew from more and more games, each time from the beginning, as `python -m pipelines.measure.learn`
does with so many games. After each training the strategy plays against one that has not learned, on luck that is used for
nothing else. The figures go to `benchmarks/learning_curves.json`, after every training, and the picture of them to
`docs/pictures/learning_curves.svg`. Without names it measures every curve in `benchmarks/plans`, which takes about five minutes on one core.
`--draw` draws the picture of the recorded figures again and measures nothing.
"""

from __future__ import annotations

import importlib
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final
from unittest.mock import patch

from engine import games
from engine.catalogue import Catalogue
from engine.kernels.loader import find_kernel
from engine.strategies import read_player
from pipelines.measure.command_line import check_names, make_parser, parse_measuring, with_exit_code
from pipelines.measure.learn import learn_ruleset, write_values
from pipelines.measure.machine import machine_stamp
from pipelines.measure.measuring_plan import read_plan
from pipelines.measure.tune import duel_advantages
from pipelines.records.learning_curves import (
    CurvePoint,
    LearningCurve,
    LearningCurveFile,
)
from pipelines.records.record_file import BENCHMARKS_FOLDER, read_record_file, write_record_file
from pipelines.report.charts import Estimate, Lines, Mark
from pipelines.report.show.svg import draw_picture
from pipelines.statistics.intervals import t_interval
from pipelines.viewer.palette import CHOSEN_LOOK

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from engine.ruleset import Ruleset
    from pipelines.measure.measuring_plan import LearningPlan

PROJECT: Final = Path(__file__).parents[2]
RECORD_FILE: Final = BENCHMARKS_FOLDER / "learning_curves.json"
PICTURE_FILE: Final = PROJECT / "docs" / "pictures" / "learning_curves.svg"
DUEL_SEED: Final = 6000
"""Seed of the games in which strength is measured: learning and tuning use other ones."""
DEFAULT_BLOCKS: Final = 400


def measure_point(ruleset: Ruleset, plan: LearningPlan, played: int, blocks: int) -> CurvePoint:
    """Learn from so many games, and let the strategy play so many blocks by what it has learned."""
    started = time.process_time()
    name, entry, content = learn_ruleset(ruleset, played, plan.seed)
    seconds = time.process_time() - started
    game = games.find_game(ruleset.game)
    learned, other = (read_player(game, text) for text in ("learned", plan.against))
    shared = find_kernel(ruleset, [learned, other])
    assert shared is not None  # noqa: S101 - learn_ruleset raises an error where nothing is compiled
    kernel = type(shared)(ruleset)  # a kernel keeps the values that it has read
    values = importlib.import_module(f"engine.games.{ruleset.game.replace('-', '_')}.learned_values")
    with tempfile.TemporaryDirectory() as folder, patch.object(values, "VALUES_FOLDER", Path(folder)):
        write_values(Path(folder), name, entry, content)
        values.read_learned_values.cache_clear()
        try:
            advantages = duel_advantages(kernel, learned, other, DUEL_SEED, range(blocks))
        finally:
            values.read_learned_values.cache_clear()
    advantage = t_interval(advantages)
    assert advantage is not None  # noqa: S101 - the command line asks for two blocks at least
    return CurvePoint(games=played, seconds=round(seconds, 1), advantage=advantage, blocks=blocks)


def iter_curves(ruleset: Ruleset, plan: LearningPlan, blocks: int) -> Iterator[LearningCurve]:
    """Yield the curve of a ruleset after every training, each time with one point more."""
    points: list[CurvePoint] = []
    for played in plan.games:
        points.append(measure_point(ruleset, plan, played, blocks))
        yield LearningCurve(
            ruleset=ruleset.name,
            title=ruleset.title,
            against=plan.against,
            training_seed=plan.seed,
            duel_seed=DUEL_SEED,
            machine=machine_stamp(),
            points=tuple(points),
        )


def draw_learning_curves(curves: Sequence[LearningCurve]) -> str:
    """Return the picture of some curves, one below the other, as SVG."""
    charts = [
        Lines(
            [
                Estimate(
                    point.games,
                    f"{curve.title}: learned against {curve.against}",
                    "learned",
                    point.advantage,
                    point.blocks,
                    CHOSEN_LOOK,
                )
                for point in curve.points
            ],
            "games learned from",
            "points better in a game, with 95 % intervals",
            curve.title,
            unit="block",
            intervals="bars",
            mark=Mark(0, f"as strong as {curve.against}"),
            is_logarithmic=True,
        )
        for curve in curves
    ]
    title = "How the strategy learned grows stronger the more games it learns from"
    return draw_picture(charts, title, is_for_pages=True)


@with_exit_code
def main(words: Sequence[str] | None = None) -> None:
    """Measure the curves that the command line names, and draw them."""
    arguments = _parse_arguments(words)
    plans = read_plan().learning
    check_names(arguments.names, plans, "ruleset with a learning curve")
    names = [] if arguments.draw else arguments.names or plans
    for ruleset in [Catalogue().find_ruleset(name) for name in names]:
        for curve in iter_curves(ruleset, plans[ruleset.name], arguments.blocks):
            recorded = read_record_file(arguments.out, LearningCurveFile).curves
            known = {other.ruleset: other for other in recorded} | {ruleset.name: curve}
            write_record_file(arguments.out, LearningCurveFile(curves=tuple(known.values())))
            _print_point(curve)
    curves = read_record_file(arguments.out, LearningCurveFile).curves
    arguments.picture.write_text(draw_learning_curves(curves), encoding="utf-8")


def _print_point(curve: LearningCurve) -> None:
    point = curve.points[-1]
    low, high = point.advantage.low, point.advantage.high
    sys.stderr.write(
        f"{curve.ruleset}: {point.games} games: {point.advantage.estimate:.2f} ({low:.2f} to {high:.2f}) points better than "
        f"{curve.against}\n"
    )


def _parse_arguments(words: Sequence[str] | None) -> argparse.Namespace:
    parser = make_parser("learning_curve", __doc__)
    parser.add_argument("--picture", type=Path, default=PICTURE_FILE, help="the SVG file")
    parser.add_argument("--draw", action="store_true", help="draw the recorded figures and measure nothing")
    return parse_measuring(
        parser, words, RECORD_FILE.name, DEFAULT_BLOCKS, "blocks that are played after a training"
    )


if __name__ == "__main__":
    sys.exit(main())
