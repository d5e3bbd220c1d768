"""The ladder: each strategy measured against the one below it, in every game and for every number of players.

    python -m pipelines.measure.ladder [GAME or RULESET...] [--again] [--workers N]

reads the files in `benchmarks/plans` and writes `ladder.json` and `ladder.md` beside the folder, after every rung. A rung that is in
`ladder.json` with the same code, weights, blocks and processor is not measured again; so the command can be stopped at
any time and continues where it was. `--again` measures all rungs again.

    python -m pipelines.measure.ladder RULESET --program 'name="...",command="..."' [--blocks N] [--against STRATEGY]

lets an outside program play against every strategy of the ladder, or against one, and writes `ladder_programs.json`; the
page shows these matches at its end. The rungs do not change.
"""

from __future__ import annotations

import sys
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from engine import games
from engine.catalogue import Catalogue
from engine.errors import GameError, InvalidError, unknown_name_error
from engine.strategies import read_player
from pipelines.measure import decision_time
from pipelines.measure.command_line import make_parser
from pipelines.measure.ladder_page import format_ladder_page
from pipelines.measure.machine import machine_stamp
from pipelines.measure.measuring_plan import PLANS_FOLDER, read_plan
from pipelines.measure.program_match import (
    DEFAULT_PROGRAM_BLOCKS,
    MatchFile,
    measure_match,
    program_notation,
    replace_match,
)
from pipelines.measure.rungs import LadderStep, measure_step
from pipelines.records.ladder import LadderFile, Rung
from pipelines.records.record_file import Machine, read_record_file, write_record_file
from pipelines.report.estimates import format_interval
from pipelines.simulate.errors import RunStopped
from pipelines.statistics.planning import MIN_BLOCKS

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from engine.ruleset import Ruleset
    from pipelines.measure.measuring_plan import MeasuringPlan


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
    timed = {
        name: decision_time.decision_microseconds(rulesets[name], plan.ladders[name].rungs[0])
        for name in missing
    }
    return {name: (known | timed)[name] for name in plan.ladders if name in known or name in timed}


def program_opponents(plan: MeasuringPlan, ruleset: Ruleset) -> list[str]:
    """Return the strategies that a program meets under a ruleset, weakest first.

    They are those of the ruleset's ladder, else of a ladder of the same game and, if there is one, the same number of
    players. Raises InvalidError if the game has no ladder.
    """
    if ruleset.name in plan.ladders:
        return plan.ladders[ruleset.name].rungs
    catalogue = Catalogue()
    others = {name: catalogue.find_ruleset(name) for name in plan.ladders}
    of_game = [name for name, other in others.items() if other.game == ruleset.game]
    if not of_game:
        raise InvalidError(f"{ruleset.name}: there is no ladder of {ruleset.game}")
    same_players = [name for name in of_game if others[name].players == ruleset.players]
    return plan.ladders[(same_players or of_game)[0]].rungs


def main(words: Sequence[str] | None = None) -> int:
    """Measure the ladder from the command line and write its files; return the exit code."""
    arguments = _parse_arguments(words)
    try:
        plan = read_plan(arguments.file)
        if arguments.program is None:
            _measure_ladder(plan, arguments)
        else:
            _measure_program(plan, arguments)
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
        _write_page(arguments.file, file, missing=len(steps) - len(measured))

    write_files(known.machine)
    for step in missing:
        rungs[step.name] = measure_step(step, workers=arguments.workers)
        _print_rung(rungs[step.name])
        write_files(machine_stamp())


def _measure_program(plan: MeasuringPlan, arguments: argparse.Namespace) -> None:
    """Let a program play against the strategies of the ladders that the command line names; write the matches."""
    catalogue, path = Catalogue(), _matches_path(arguments.file)
    measured, todo = read_measured_ladder(arguments.file.with_name("ladder.json")), []
    for name in arguments.names:
        ruleset = catalogue.find_ruleset(name)
        program = program_notation(ruleset, arguments.program)
        against = arguments.against or program_opponents(plan, ruleset)
        todo += [(ruleset, program, strategy) for strategy in against]
    for ruleset, program, strategy in todo:
        match = measure_match(ruleset, program, strategy, blocks=arguments.blocks, seed=plan.seed)
        write_record_file(path, replace_match(read_record_file(path, MatchFile), match))
        _write_page(arguments.file, measured, missing=len(ladder_steps(plan)) - len(measured.rungs))
        spent = "unknown" if match.program_seconds is None else f"{match.program_seconds:.2g} s"
        sys.stderr.write(
            f"{match.ruleset}: {match.program} against {match.against}: {format_interval(match.difference)}; processor time "
            f"of a game: {spent} and {match.strategy_seconds:.2g} s\n"
        )


def _matches_path(plan_path: Path) -> Path:
    return plan_path.with_name("ladder_programs.json")


def _write_page(plan_path: Path, measured: LadderFile, *, missing: int) -> None:
    """Write the page of the ladder, with the matches of programs."""
    matches = read_record_file(_matches_path(plan_path), MatchFile).matches
    page = format_ladder_page(measured, missing, matches)
    plan_path.with_name("ladder.md").write_text(page, encoding="utf-8")


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
    parser.add_argument(
        "--program",
        metavar="SETTINGS",
        help='let a program play: name="...",command="..."; names rulesets, no games',
    )
    parser.add_argument(
        "--against", action="append", metavar="STRATEGY", help="with --program: only against this strategy"
    )
    parser.add_argument(
        "--blocks", type=int, default=DEFAULT_PROGRAM_BLOCKS, help="with --program: blocks of each match"
    )
    arguments = parser.parse_args(words)
    if arguments.program is not None and not arguments.names:
        parser.error("--program: name the rulesets that the program plays")
    if arguments.program is None and arguments.against:
        parser.error("--against: this is for matches with --program")
    if arguments.blocks < MIN_BLOCKS:
        parser.error(f"--blocks: a match needs {MIN_BLOCKS} blocks at least, not {arguments.blocks}")
    return arguments


def _print_rung(rung: Rung) -> None:
    """Print the result of a step on stderr."""
    doubt = "" if rung.is_clear else ", not clearly better"
    sys.stderr.write(
        f"{rung.ruleset}: {rung.strategy} against {rung.against}: {format_interval(rung.difference)}{doubt}; "
        f"{rung.seconds:.0f} s\n"
    )


if __name__ == "__main__":
    sys.exit(main())
