"""Solve the small rulesets and measure how far each strategy is from perfect play.

    python -m pipelines.measure.perfect_play [RULESET...] [--blocks N] [--out FILE]

writes `benchmarks/perfect_play.json` and `perfect_play.md` beside it, after every ruleset. Without names it measures all of
them, which takes about ten minutes on one core; the records of other rulesets do not change.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from engine import games
from engine.catalogue import Catalogue
from engine.errors import GameError, unknown_name_error
from pipelines.measure.machine import machine_stamp
from pipelines.measure.perfect_play.distance import DEFAULT_BLOCKS, FRESH_SEED, iter_distances
from pipelines.measure.perfect_play.record import (
    RECORD_FILE,
    PerfectPlayRecord,
    format_range,
    format_records_json,
    format_records_page,
    points_behind,
    read_records,
)
from pipelines.measure.perfect_play.solvers import SOLVED_RULESETS, prepare_perfect_play

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.ruleset import Ruleset


def measure_ruleset(ruleset: Ruleset, blocks: int) -> PerfectPlayRecord:
    """Solve a ruleset and measure all its strategies; print each figure on stderr."""
    started = time.process_time()
    perfect = prepare_perfect_play(ruleset)
    lead = perfect.lead(games.start_state(ruleset))
    positions, seconds = perfect.position_count, time.process_time() - started
    sys.stderr.write(
        f"{ruleset.name}: the first of two perfect players leads by {lead:.4f}; {positions:,} positions, {seconds:.0f} s\n"
    )
    distances = []
    for distance in iter_distances(perfect, blocks):
        distances.append(distance)
        sys.stderr.write(
            f"  {distance.strategy}: {format_range(points_behind(distance))} points behind, {distance.games:,} games\n"
        )
    return PerfectPlayRecord(
        ruleset.name,
        ruleset.title,
        ruleset.sha256,
        lead,
        positions,
        round(seconds, 1),
        FRESH_SEED,
        machine_stamp(),
        tuple(distances),
    )


def main(words: Sequence[str] | None = None) -> int:
    """Measure the rulesets that the command line names; return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m pipelines.measure.perfect_play", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("names", nargs="*", metavar="RULESET", help="solve only these")
    parser.add_argument("--blocks", type=int, default=DEFAULT_BLOCKS, help="blocks that each strategy plays")
    parser.add_argument("--out", type=Path, default=RECORD_FILE, help="the JSON file; the page is beside it")
    arguments = parser.parse_args(words)
    if arguments.blocks < 2:
        parser.error(f"--blocks: an interval needs two blocks at least, not {arguments.blocks}")
    try:
        for name in arguments.names:
            if name not in SOLVED_RULESETS:
                raise unknown_name_error("solved ruleset", name, SOLVED_RULESETS)
        catalogue = Catalogue()
        for name in arguments.names or SOLVED_RULESETS:
            record = measure_ruleset(catalogue.find_ruleset(name), arguments.blocks)
            records = read_records(arguments.out) | {name: record}
            ordered = [records[name] for name in SOLVED_RULESETS if name in records]
            arguments.out.write_text(format_records_json(ordered), encoding="utf-8")
            arguments.out.with_suffix(".md").write_text(format_records_page(ordered), encoding="utf-8")
    except GameError as error:
        sys.stderr.write(f"perfect play: {error}\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
