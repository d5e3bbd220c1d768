"""The ladder: each strategy measured against the one below it, in every game and for every number of players.

    python -m benchmarks.ladder [GAME or RULESET...] [--again] [--workers N]

reads the files in `benchmarks/plans` and writes `ladder.json` and `ladder.md` beside the folder, after every rung. A rung that is in
`ladder.json` with the same code, weights, blocks and processor is not measured again; so the command can be stopped at
any time and continues where it was. `--again` measures all rungs again.
"""

from __future__ import annotations

import hashlib
import json
import sys
import tempfile
import time
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.command_line import make_parser
from benchmarks.measuring_plan import PLANS_FOLDER, read_plan
from benchmarks.record_pages import write_record_file
from engine import games
from engine.catalogue import Catalogue
from engine.errors import GameError, unknown_name_error
from engine.strategies import read_player
from pipelines.bench import decision_microseconds
from pipelines.design.designs import design_comparison
from pipelines.experiments.comparison import compare_strategies
from pipelines.records.record_file import (
    Machine,
    machine_stamp,
    processor_name,
    read_record_file,
)
from pipelines.records.strategies import LadderFile, Rung, RungName
from pipelines.report.estimates import format_interval, format_share
from pipelines.simulate.errors import RunStopped
from pipelines.simulate.simulate import simulate_run

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from benchmarks.measuring_plan import MeasuringPlan
    from engine.ruleset import Ruleset
    from pipelines.statistics import Interval


@dataclass(frozen=True)
class LadderStep:
    """A step of the ladder that is to be measured: `strategy` against `against`."""

    ruleset: Ruleset
    strategy: str
    against: str
    blocks: int
    seed: int
    is_curve: bool
    """Whether the step belongs to a curve, in which several strategies play against the same one."""

    @property
    def name(self) -> RungName:
        """What tells it from the other steps."""
        return RungName(self.ruleset.name, self.strategy, self.against, self.is_curve)

    @property
    def fingerprint(self) -> str:
        """A hash of everything the result depends on: rules, tuned weights, blocks, seed, sources of the game, processor."""
        game = games.find_game(self.ruleset.game)
        sides = [read_player(game, text) for text in (self.strategy, self.against)]
        settings = [
            self.ruleset.sha256,
            [[side.strategy.name, dict(side.parameters), dict(side.texts)] for side in sides],
            self.blocks,
            self.seed,
            processor_name(),
        ]
        digest = hashlib.sha256(json.dumps(settings).encode())
        folder = Path(games.__file__).parent / self.ruleset.game.replace("-", "_")
        for path in sorted([*folder.rglob("*.py"), *folder.rglob("*.toml")]):
            digest.update(path.read_bytes())
        return digest.hexdigest()[:16]


def ladder_steps(plan: MeasuringPlan) -> list[LadderStep]:
    """Return all steps: those of ladders, then those of curves.

    Raises InvalidError if a ruleset or a strategy does not exist.
    """
    catalogue = Catalogue()
    entries = [
        (name, strategy, against, blocks, False)
        for name, rungs in plan.ladders.items()
        for (against, strategy), blocks in zip(pairwise(rungs.rungs), rungs.blocks, strict=True)
    ]
    entries += [
        (name, strategy, curve.against, curve.blocks, True)
        for name, curve in plan.curves.items()
        for strategy in curve.strategies
    ]
    steps = []
    for name, strategy, against, blocks, is_curve in entries:
        ruleset = catalogue.find_ruleset(name)
        for text in (strategy, against):
            read_player(
                games.find_game(ruleset.game), text
            )  # report a wrong name now, not after half an hour
        steps.append(LadderStep(ruleset, strategy, against, blocks, plan.seed, is_curve))
    return steps


def select_steps(steps: Sequence[LadderStep], names: Sequence[str]) -> list[LadderStep]:
    """Return the steps of the games or rulesets `names`, or all steps if there are no names.

    Raises InvalidError for a name without steps.
    """
    known = {name for step in steps for name in (step.ruleset.game, step.ruleset.name)}
    for name in names:
        if name not in known:
            raise unknown_name_error("game or ruleset of the ladder", name, sorted(known))
    return [step for step in steps if not names or {step.ruleset.game, step.ruleset.name} & set(names)]


def read_measured_ladder(path: Path) -> LadderFile:
    """Return an earlier measurement; without one, there are no rungs yet, on this machine."""
    known = read_record_file(path, LadderFile)
    return known if known.machine else LadderFile(machine=machine_stamp())


def time_lowest_strategies(
    plan: MeasuringPlan, todo: Sequence[LadderStep], known: dict[str, float]
) -> dict[str, float]:
    """Return the times of the lowest strategies: those that are known, and those of the rulesets of `todo`.

    The steps measure the time of the upper strategy only, so the lowest one is timed by itself.
    """
    rulesets = {step.ruleset.name: step.ruleset for step in todo if not step.is_curve}
    missing = [name for name in plan.ladders if name in rulesets and name not in known]
    timed = {name: decision_microseconds(rulesets[name], plan.ladders[name].rungs[0]) for name in missing}
    return {name: (known | timed)[name] for name in plan.ladders if name in known or name in timed}


def main(words: Sequence[str] | None = None) -> int:
    """Measure the ladder from the command line and write its files; return the exit code."""
    arguments = _parse_arguments(words)
    try:
        _measure_ladder(read_plan(arguments.file), arguments)
    except GameError as error:
        sys.stderr.write(f"ladder: {error}\n")
        return 2
    except (KeyboardInterrupt, RunStopped):
        sys.stderr.write("ladder: stopped; the same command continues with the unfinished rung\n")
        return 130
    return 0


def _measure_ladder(plan: MeasuringPlan, arguments: argparse.Namespace) -> None:
    """Measure the rungs that are missing or whose code has changed; write the files before and after each of them.

    The rungs of steps that are not asked for stay even if their code has changed; each keeps its fingerprint, so that the
    command without names measures it again.
    """
    path = arguments.file.with_name("ladder.json")
    steps, known = ladder_steps(plan), read_measured_ladder(path)
    todo, times = select_steps(steps, arguments.names), known.lowest_microseconds
    if arguments.again:
        again = {step.ruleset.name for step in todo}
        times = {name: spent for name, spent in times.items() if name not in again}
    times = time_lowest_strategies(plan, todo, times)
    rungs = {rung.name: rung for rung in known.rungs}
    missing = [
        step
        for step in todo
        if arguments.again or step.name not in rungs or rungs[step.name].fingerprint != step.fingerprint
    ]
    for step in missing:
        rungs.pop(step.name, None)

    def write_files(machine: Machine) -> None:
        measured = tuple(rungs[step.name] for step in steps if step.name in rungs)
        file = LadderFile(machine=machine, lowest_microseconds=times, rungs=measured)
        write_record_file(path, file)
        page = format_ladder_page(file, missing=len(steps) - len(measured))
        path.with_suffix(".md").write_text(page, encoding="utf-8")

    write_files(known.machine)
    for step in missing:
        rungs[step.name] = measure_step(step, workers=arguments.workers)
        _print_rung(rungs[step.name])
        write_files(machine_stamp())


def _parse_arguments(words: Sequence[str] | None) -> argparse.Namespace:
    parser = make_parser("ladder", __doc__)
    parser.add_argument(
        "names", nargs="*", metavar="GAME|RULESET", help="measure only these; the other rungs do not change"
    )
    parser.add_argument("--again", action="store_true", help="measure again what is measured already")
    parser.add_argument("--workers", type=int, help="number of worker processes")
    parser.add_argument(
        "--file", type=Path, default=PLANS_FOLDER, help="the plan; the results are written beside it"
    )
    return parser.parse_args(words)


def _print_rung(rung: Rung) -> None:
    """Print the result of a step on stderr."""
    doubt = "" if rung.is_clear else ", not clearly better"
    sys.stderr.write(
        f"{rung.ruleset}: {rung.strategy} against {rung.against}: {format_interval(rung.difference)}{doubt}; "
        f"{rung.seconds:.0f} s\n"
    )


def measure_step(step: LadderStep, *, workers: int | None = None) -> Rung:
    """Measure a step. Its run is written to a temporary folder. Raises GameError if an interval needs more blocks."""
    started = time.process_time()
    planned = design_comparison(
        step.ruleset, [step.strategy, step.against], blocks=step.blocks, seed=step.seed, log="scores"
    )
    with tempfile.TemporaryDirectory() as folder:
        comparison = compare_strategies(simulate_run(planned, Path(folder) / "rung.duckdb", workers=workers))
    (pair,) = comparison.pairs
    microseconds = decision_microseconds(step.ruleset, step.strategy)
    return Rung(
        ruleset=comparison.ruleset,
        against=step.against,
        blocks=comparison.blocks,
        games=comparison.games,
        seed=comparison.seed,
        mean=_require_interval(pair.mean_a),
        mean_against=_require_interval(pair.mean_b),
        difference=_require_interval(pair.difference),
        lowest_wins=comparison.lowest_wins,
        win_share=_require_interval(pair.win_share),
        command=comparison.command,
        strategy=step.strategy,
        is_curve=step.is_curve,
        p=pair.p,
        microseconds=microseconds,
        seconds=time.process_time() - started,
        fingerprint=step.fingerprint,
    )


def _require_interval(interval: Interval | None) -> Interval:
    if interval is None:
        raise GameError("too few blocks for an interval")
    return interval


def format_ladder_page(ladder: LadderFile, missing: int = 0) -> str:
    """Return the ladder as a Markdown page; `missing` is the number of steps that are not measured yet."""
    rungs, machine = ladder.rungs, ladder.machine
    unclear = [rung for rung in rungs if not rung.is_clear and not rung.is_curve]
    minutes = sum(rung.seconds for rung in rungs) / 60
    lines = [
        "# The ladder",
        "",
        "Each strategy plays against the one below it, on the same luck and in every seat. The command",
        "",
        "```sh",
        ladder.command,
        "```",
        "",
        f"measured it; this took {minutes:.0f} minutes of processor time on {machine['processor']}, {machine['cores']} cores,",
        f"{machine['system']}, Python {machine['python']}, until {machine['when']}.",
        "`plans` has the steps. `ladder.json` has all figures in full precision, and for",
        "each step a command that reproduces it.",
        *([f"**{missing} steps are still missing.**"] if missing else []),
        "",
        "- A *block* is one luck, played once with each seating: each of the two strategies plays alone against the other",
        "  once in every seat. Games without dice start from random openings, the same for both.",
        "- *Points more*: the difference of mean scores, with its 95 % interval over blocks.",
        "- *Win share*: the share of wins of the strategy's side; a tie is split. 50 % if both are equal.",
        "- *µs a decision*: processor time on one core, including a share of playing the game; accurate to about 20 %.",
        "",
        _format_unclear_steps(unclear),
    ]
    for ruleset in dict.fromkeys(rung.ruleset for rung in rungs):
        of_ruleset = [rung for rung in rungs if rung.ruleset == ruleset]
        steps = [rung for rung in of_ruleset if not rung.is_curve]
        lines += _format_section(ruleset, steps, ladder.lowest_microseconds.get(ruleset))
        lines += _format_section(
            f"{ruleset}: what thinking longer brings", [rung for rung in of_ruleset if rung.is_curve]
        )
    return "\n".join(lines) + "\n"


def _format_section(title: str, rungs: Sequence[Rung], lowest_time: float | None = None) -> list[str]:
    if not rungs:
        return []
    fewer = " (fewer is better)" if rungs[0].lowest_wins else ""
    return [
        "",
        f"## {title}",
        "",
        f"| strategy | against | blocks | mean scores{fewer} | points more, 95 % | win share, 95 % | µs a decision |",
        "|---|---|---|---|---|---|---|",
        *([] if lowest_time is None else [f"| {rungs[0].against} | | | | | | {_format_time(lowest_time)} |"]),
        *(_format_row(rung) for rung in rungs),
    ]


def _format_time(microseconds: float) -> str:
    return f"{microseconds:,.{0 if microseconds >= 10 else 1}f}"


def _format_row(rung: Rung) -> str:
    spent = _format_time(rung.microseconds)
    return (
        f"| {rung.strategy} | {rung.against} | {rung.blocks} "
        f"| {rung.mean.estimate:.1f} and {rung.mean_against.estimate:.1f} | {format_interval(rung.difference)} "
        f"| {format_share(rung.win_share)} % | {spent} |"
    )


def _format_unclear_steps(unclear: Sequence[Rung]) -> str:
    if not unclear:
        return "At every step of a ladder the upper strategy is better: no interval includes zero."
    names = ", ".join(f"{rung.strategy} against {rung.against} ({rung.ruleset})" for rung in unclear)
    return f"**Steps whose interval includes zero, or at which the lower strategy is better:** {names}."


if __name__ == "__main__":
    sys.exit(main())
