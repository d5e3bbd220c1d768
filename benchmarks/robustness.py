"""Robustness: whether the order of strategies depends on the tables that had to be reconstructed.

    python -m benchmarks.robustness [RULESET...] [--draws N] [--blocks N] [--workers N] [--out FILE]

draws plausible tables for each ruleset with reconstructed ones and lets the neighbours on its ladder play against each other
on every draw: the better one has each seat in turn, the other one all others, and all games of a block have the same luck. It
writes `benchmarks/robustness.json` and `robustness.md` beside it after every ruleset; the records of other rulesets do not
change. Strategies that think for more than 200 microseconds about a decision are left out, and those that have learned the
shipped tables and play no others.
"""

from __future__ import annotations

import sys
import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from benchmarks.command_line import (
    check_names,
    make_parser,
    parse_measuring,
    print_progress,
    with_exit_code,
)
from benchmarks.plausible_tables import draw_plausible_ruleset, list_plausible_tables
from benchmarks.record_pages import write_record_file
from engine.catalogue import Catalogue
from engine.errors import GameError
from pipelines.design.designs import design_simulation
from pipelines.design.short_names import short_names
from pipelines.experiments.card_games import find_seats_of_first
from pipelines.experiments.progressive import play_design_blocks
from pipelines.records.record_file import machine_stamp, read_record_file
from pipelines.records.strategies import PairRobustness, RobustnessFile, RobustnessRecord, split_by_speed
from pipelines.report.estimates import format_share
from pipelines.statistics import t_interval

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.ruleset import Ruleset
    from pipelines.statistics.intervals import Floats

DEFAULT_DRAWS: Final = 200
DEFAULT_BLOCKS: Final = 60
FRESH_SEED: Final = 9000
"""No strategy was tuned with this seed: those of tuning begin at 900000."""


class Lead(NamedTuple):
    """By how many points a strategy is ahead on one draw; positive is better."""

    mean: float
    sign: int
    """1 if the interval lies above 0, -1 if below, 0 if it contains 0."""


def leave_out_narrow(ruleset: Ruleset, strategies: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the strategies that play with any tables, and those that have learned the shipped ones and play no others."""
    drawn, narrow = draw_plausible_ruleset(ruleset, FRESH_SEED, 0), []
    for name in strategies:
        try:
            measure_lead(drawn, name, strategies[0], 2, FRESH_SEED)
        except GameError:
            narrow.append(name)
    return [name for name in strategies if name not in narrow], narrow


def measure_draw(ruleset: Ruleset, strategies: Sequence[str], blocks: int, number: int) -> list[Lead]:
    """Return the lead of each strategy over the one below it with the plausible tables of a number.

    Its games have luck of their own, so that draws are independent.
    """
    drawn = draw_plausible_ruleset(ruleset, FRESH_SEED, number)
    return [
        measure_lead(drawn, better, other, blocks, FRESH_SEED + number)
        for other, better in pairwise(strategies)
    ]


def measure_lead(ruleset: Ruleset, better: str, other: str, blocks: int, seed: int) -> Lead:
    """Return the lead of a strategy in each seat in turn over another one in all others."""
    design = design_simulation(ruleset, [better] + [other] * (ruleset.players - 1), blocks=blocks, seed=seed)
    seats = play_design_blocks(design, range(blocks))["seats"]
    scores: Floats
    scores = seats["score"].to_numpy().astype(np.float64).reshape(-1, design.rotations, design.seats)
    of_better = scores[:, np.arange(design.rotations), find_seats_of_first(design)]
    of_others = (scores.sum(axis=2) - of_better) / (design.seats - 1)
    leads = (of_better - of_others).mean(axis=1) * (-1 if ruleset.lowest_wins else 1)
    interval = t_interval(leads)
    sign = 0 if interval is None else int(interval.low > 0) - int(interval.high < 0)
    return Lead(float(leads.mean()), sign)


def measure_ruleset(ruleset: Ruleset, draws: int, blocks: int, workers: int | None) -> RobustnessRecord:
    """Measure the robustness of a ruleset."""
    started = time.monotonic()
    quick, slow = split_by_speed(ruleset)
    strategies, narrow = leave_out_narrow(ruleset, quick)
    measure = partial(measure_draw, ruleset, strategies, blocks)
    measure(0)  # compile the game once
    with ProcessPoolExecutor(workers) as pool:
        found = list(pool.map(measure, range(draws)))
    means, signs = (np.array([[one[field] for one in leads] for leads in found]) for field in (0, 1))
    return RobustnessRecord(
        ruleset=ruleset.name,
        sha256=ruleset.sha256,
        priors={name: table.prior for name, table in list_plausible_tables(ruleset).items()},
        draws=draws,
        blocks=blocks,
        seed=FRESH_SEED,
        ordered=int((signs == 1).all(axis=1).sum()),
        swapped=int((signs == -1).any(axis=1).sum()),
        left_out=(*slow, *narrow),
        seconds=time.monotonic() - started,
        machine=machine_stamp(),
        pairs=tuple(
            PairRobustness(
                strategy=better,
                against=other,
                draws=draws,
                ahead=int((signs[:, place] == 1).sum()),
                behind=int((signs[:, place] == -1).sum()),
                least=float(means[:, place].min()),
                median=float(np.median(means[:, place])),
                most=float(means[:, place].max()),
            )
            for place, (other, better) in enumerate(pairwise(strategies))
        ),
    )


def replace_record(file: RobustnessFile, new: RobustnessRecord) -> RobustnessFile:
    """Return a file with a new record, which replaces an earlier one of the ruleset."""
    records = {record.ruleset: record for record in file.rulesets} | {new.ruleset: new}
    return RobustnessFile(rulesets=tuple(records[name] for name in sorted(records)))


def format_robustness_page(file: RobustnessFile) -> str:
    """Return the records as a page in Markdown."""
    lines = [
        "# Does the order of strategies depend on what we reconstructed?",
        "",
        "Some tables of the games are pictures in their rulebooks, which we do not have; those that Reroll ships are marked",
        "`reconstructed`. The command",
        "",
        "```sh",
        file.command,
        "```",
        "",
        "replaces them by other tables that would be as plausible, and lets the neighbours on the [ladder](ladder.md) play with each of",
        "them: the better one has each seat in turn, the other one all others. *Ahead*: draws of the tables on which the 95 % interval of",
        "its lead lies above 0; *behind*: below 0, which for two equal strategies happens on 2.5 % of the draws; the lead is not clear on",
        "the others. Ranges in brackets are 95 % intervals over draws. *Left out*: strategies that think for more than 200 microseconds about a",
        "decision, and those that have learned our tables and play no others.",
    ]
    for record in file.rulesets:
        names = short_names([name for pair in record.pairs for name in (pair.strategy, pair.against)])
        lines += [
            "",
            f"## {record.ruleset}",
            "",
            (
                f"{record.draws:,} draws with {record.blocks:,} blocks for each pair, seed {record.seed}, {record.seconds:.0f} s on "
                f"{record.machine.get('processor', 'an unknown processor')}. All strategies are clearly in the shipped order on "
                f"{format_share(record.share)} % of them; on {record.swapped} draws two neighbours have clearly changed places. "
                f"Left out: {', '.join(record.left_out) or 'none'}."
            ),
            "",
            *(f"- {name.replace('_', ' ')}: {prior}" for name, prior in record.priors.items()),
            "",
            "| strategy | against | ahead on | % of draws | behind on | lead in points: least, median, most |",
            "|---|---|---|---|---|---|",
            *(
                f"| {names[pair.strategy]} | {names[pair.against]} | {pair.ahead} of {pair.draws} "
                f"| {format_share(pair.share)} | {pair.behind} | {pair.least:.1f}, {pair.median:.1f}, {pair.most:.1f} |"
                for pair in record.pairs
            ),
        ]
    return "\n".join(lines) + "\n"


@with_exit_code
def main(words: Sequence[str] | None = None) -> None:
    """Measure the rulesets that the command line names, or all that have a ladder."""
    parser = make_parser("robustness", __doc__)
    parser.add_argument("--draws", type=int, default=DEFAULT_DRAWS, help="how often the tables are drawn")
    parser.add_argument("--workers", type=int, help="number of worker processes")
    arguments = parse_measuring(
        parser, words, "robustness.json", DEFAULT_BLOCKS, "blocks of each pair on each draw"
    )
    known = {
        name: ruleset
        for name, ruleset in Catalogue().rulesets.items()
        if list_plausible_tables(ruleset) and len(split_by_speed(ruleset)[0]) > 1
    }
    check_names(arguments.names, known, "ruleset with a ladder and reconstructed tables")
    for name in arguments.names or known:
        record = measure_ruleset(known[name], arguments.draws, arguments.blocks, arguments.workers)
        file = replace_record(read_record_file(arguments.out, RobustnessFile), record)
        write_record_file(arguments.out, file, format_robustness_page)
        print_progress(
            f"{name}: in the shipped order on {record.ordered} of {record.draws} draws, {record.seconds:.0f} s"
        )


if __name__ == "__main__":
    sys.exit(main())
