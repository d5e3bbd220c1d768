"""Solve the small rulesets and measure how far each strategy is from perfect play.

    python -m pipelines.measure.perfect_play [RULESET...] [--blocks N] [--out FILE]

writes `benchmarks/perfect_play.json` and `perfect_play.md` beside it, after every ruleset. Without names it measures all of
them, which takes about ten minutes on one core; the records of other rulesets do not change.
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from engine import games
from engine.catalogue import Catalogue
from pipelines.measure.command_line import check_names, make_parser, parse_measuring, with_exit_code
from pipelines.measure.machine import machine_stamp
from pipelines.measure.perfect_play.distance import DEFAULT_BLOCKS, FRESH_SEED, iter_distances
from pipelines.measure.perfect_play.solvers import SOLVED_RULESETS, prepare_perfect_play
from pipelines.records.perfect_play import PerfectPlayFile, PerfectPlayRecord
from pipelines.records.record_file import read_record_file, write_record_file
from pipelines.report.estimates import format_interval
from pipelines.report.show.text_tables import list_markdown_rows
from pipelines.report.tables.yardsticks import perfect_play_table

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
            f"  {distance.strategy}: {format_interval(distance.points_behind)} points behind, {distance.games:,} games\n"
        )
    return PerfectPlayRecord(
        ruleset=ruleset.name,
        title=ruleset.title,
        sha256=ruleset.sha256,
        lead=lead,
        positions=positions,
        seconds=round(seconds, 1),
        seed=FRESH_SEED,
        machine=machine_stamp(),
        strategies=tuple(distances),
    )


def format_perfect_play_page(file: PerfectPlayFile) -> str:
    """Return the records as a page in Markdown."""
    lines = [
        "# How far from perfect",
        "",
        "Three small rulesets for two players are solved exactly: for every position it is known which lead two perfect",
        "players can expect at the end of the game, over all dice. They are no printed games. The command",
        "",
        "```sh",
        file.command,
        "```",
        "",
        "solves them again and lets every strategy play against a perfect player. [perfect_play.json](perfect_play.json) has",
        "the figures in full precision, with the seeds and the machine.",
        "",
        "- *Points behind*: how many points the strategy is behind the perfect player at the end of a game, on average; a",
        "  perfect player would be 0 behind.",
        "- *Wins of 100*: games that the strategy wins against the perfect player; a tie is split.",
        "- Every block is one luck, played once in each seat. Ranges are 95 % intervals over blocks.",
    ]
    for record in file.rulesets:
        lines += [
            "",
            f"## {record.ruleset}",
            "",
            _describe_solution(record),
            "",
            *list_markdown_rows(perfect_play_table(record)),
        ]
    return "\n".join(lines) + "\n"


def _describe_solution(record: PerfectPlayRecord) -> str:
    cost = f"{record.positions:,} positions, {record.seconds:.0f} s of processor time on {record.machine['processor']}"
    return f"{record.title}. Of two perfect players the first leads by {record.lead:.4f} points on average (exact; {cost})."


@with_exit_code
def main(words: Sequence[str] | None = None) -> None:
    """Measure the rulesets that the command line names."""
    parser = make_parser("perfect_play", __doc__)
    arguments = parse_measuring(
        parser, words, "perfect_play.json", DEFAULT_BLOCKS, "blocks that each strategy plays"
    )
    check_names(arguments.names, SOLVED_RULESETS, "solved ruleset")
    catalogue = Catalogue()
    for name in arguments.names or SOLVED_RULESETS:
        record = measure_ruleset(catalogue.find_ruleset(name), arguments.blocks)
        known = read_record_file(arguments.out, PerfectPlayFile).rulesets
        records = {other.ruleset: other for other in known} | {name: record}
        file = PerfectPlayFile(rulesets=tuple(records.values()))
        write_record_file(arguments.out, file, format_perfect_play_page)


if __name__ == "__main__":
    sys.exit(main())
