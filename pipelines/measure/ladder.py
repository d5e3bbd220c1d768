"""The ladder: each strategy measured against the one below it, in every game and for every number of players.

    python -m pipelines.measure.ladder [GAME or RULESET...] [--again] [--workers N]

reads `benchmarks/ladder.toml` and writes `ladder.json` and `ladder.md` beside it, after every rung. A rung that is in
`ladder.json` with the same code, weights, blocks and processor is not measured again; so the command can be stopped at
any time and continues where it was. `--again` measures all rungs again.

    python -m pipelines.measure.ladder RULESET --program 'name="...",command="..."' [--blocks N] [--against STRATEGY]

lets an outside program play against every strategy of the ladder, or against one, and writes `ladder_programs.json`; the
page shows these matches at its end. The rungs do not change.
"""

from __future__ import annotations

import argparse
import json
import sys
import tomllib
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from engine import games
from engine.catalogue import Catalogue
from engine.errors import GameError, InvalidError, unknown_name_error
from engine.strategies import read_player
from pipelines.measure import decision_time
from pipelines.measure.ladder_page import LADDER_COMMAND, format_interval, format_ladder_page
from pipelines.measure.machine import machine_stamp
from pipelines.measure.program_match import (
    DEFAULT_PROGRAM_BLOCKS,
    format_matches_json,
    measure_match,
    program_notation,
    read_matches,
    replace_match,
)
from pipelines.measure.rungs import LadderStep, Rung, measure_step
from pipelines.simulate.errors import RunStopped
from pipelines.statistics.planning import MIN_BLOCKS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from engine.ruleset import Ruleset

LADDER_FILE: Final = Path(__file__).parents[2] / "benchmarks" / "ladder.toml"
StepBlocks = Annotated[int, Field(ge=MIN_BLOCKS)]


class LadderRungs(BaseModel):
    """The strategies of one ruleset, weakest first, and the number of blocks of each step."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    rungs: Annotated[list[str], Field(min_length=2)]
    blocks: list[StepBlocks]

    @model_validator(mode="after")
    def _check_block_count(self) -> LadderRungs:
        if len(self.blocks) != len(self.rungs) - 1:
            raise ValueError(f"expected blocks of {len(self.rungs) - 1} steps, not {len(self.blocks)}")
        return self


class LadderCurve(BaseModel):
    """Several strategies against the same one under one ruleset: what a strategy gains from more time to think."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    against: str
    strategies: Annotated[list[str], Field(min_length=1)]
    blocks: StepBlocks


class Ladder(BaseModel):
    """The contents of `ladder.toml`: ladders and curves by the name of the ruleset."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    seed: Annotated[int, Field(ge=0)] = 0
    ladders: dict[str, LadderRungs]
    curves: dict[str, LadderCurve] = {}


def read_ladder(path: Path) -> Ladder:
    """Read a ladder. Raises InvalidError with the file and the key of the first problem."""
    try:
        return Ladder.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise InvalidError(f"{path}: {error.strerror}") from None
    except (ValueError, RecursionError) as error:  # not TOML, not UTF-8, or a number of thousands of digits
        if isinstance(error, ValidationError):
            first = error.errors(include_url=False)[0]
            raise InvalidError(f"{path}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from None
        raise InvalidError(f"{path}: not TOML: {error}") from None


def ladder_steps(ladder: Ladder) -> list[LadderStep]:
    """Return all steps: those of ladders, then those of curves.

    Raises InvalidError if a ruleset or a strategy does not exist.
    """
    catalogue = Catalogue()
    entries = [
        (name, strategy, against, blocks, False)
        for name, rungs in ladder.ladders.items()
        for (against, strategy), blocks in zip(pairwise(rungs.rungs), rungs.blocks, strict=True)
    ]
    entries += [
        (name, strategy, curve.against, curve.blocks, True)
        for name, curve in ladder.curves.items()
        for strategy in curve.strategies
    ]
    steps = []
    for name, strategy, against, blocks, is_curve in entries:
        ruleset = catalogue.find_ruleset(name)
        for text in (strategy, against):
            read_player(
                games.find_game(ruleset.game), text
            )  # report a wrong name now, not after half an hour
        steps.append(LadderStep(ruleset, strategy, against, blocks, ladder.seed, is_curve))
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


def read_measured_rungs(path: Path) -> tuple[dict[str, Any], dict[str, Rung]]:
    """Return the machine of an earlier measurement and its rungs by their fingerprints.

    There are no rungs if the file does not exist or cannot be read.
    """
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        rungs = [Rung.from_document(rung) for rung in document["rungs"]]
        return dict(document["machine"]), {rung.fingerprint: rung for rung in rungs}
    except (OSError, ValueError, KeyError, TypeError):
        return dict(machine_stamp()), {}


def keep_other_rungs(
    steps: Sequence[LadderStep], todo: Sequence[LadderStep], measured: dict[str, Rung]
) -> dict[str, Rung]:
    """Return the measured rungs together with those of steps that are not to be measured, by the fingerprints of the steps.

    Such a rung is kept even if its code or processor has changed since. It keeps its own fingerprint in the file, so that
    the command without names measures it again.
    """
    names = {(rung.ruleset, rung.strategy, rung.against, rung.is_curve): rung for rung in measured.values()}
    asked = {step.fingerprint for step in todo}
    others = {}
    for step in steps:
        rung = names.get((step.ruleset.name, step.strategy, step.against, step.is_curve))
        if rung is not None and step.fingerprint not in asked:
            others[step.fingerprint] = rung
    return others | measured


def measure_rungs(
    steps: Sequence[LadderStep],
    todo: Sequence[LadderStep],
    measured: dict[str, Rung],
    workers: int | None = None,
) -> Iterator[tuple[Rung | None, list[Rung]]]:
    """Measure the steps of `todo` that are not in `measured` (rungs by fingerprint).

    Yields None with all known rungs, then after each measurement the new rung with all rungs known by then, in the
    order of `steps`.
    """
    known_rungs = dict(measured)
    order = [step.fingerprint for step in steps]

    def rungs_in_order() -> list[Rung]:
        return [known_rungs[fingerprint] for fingerprint in order if fingerprint in known_rungs]

    yield None, rungs_in_order()
    for step in todo:
        if step.fingerprint not in known_rungs:
            rung = known_rungs[step.fingerprint] = measure_step(step, workers=workers)
            yield rung, rungs_in_order()


def read_lowest_times(path: Path) -> dict[str, float]:
    """Return the microseconds of a decision of the lowest strategy of every ruleset that an earlier ladder timed."""
    try:
        times = json.loads(path.read_text(encoding="utf-8"))["lowest_microseconds"]
        return {str(name): float(microseconds) for name, microseconds in times.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


def time_lowest_strategies(
    ladder: Ladder, todo: Sequence[LadderStep], known: dict[str, float]
) -> dict[str, float]:
    """Return the times of the lowest strategies: those that are known, and those of the rulesets of `todo`.

    The steps measure the time of the upper strategy only, so the lowest one is timed by itself.
    """
    rulesets = {step.ruleset.name: step.ruleset for step in todo if not step.is_curve}
    missing = [name for name in ladder.ladders if name in rulesets and name not in known]
    timed = {
        name: decision_time.decision_microseconds(rulesets[name], ladder.ladders[name].rungs[0])
        for name in missing
    }
    return {name: (known | timed)[name] for name in ladder.ladders if name in known or name in timed}


def program_opponents(ladder: Ladder, ruleset: Ruleset) -> list[str]:
    """Return the strategies that a program meets under a ruleset, weakest first.

    They are those of the ruleset's ladder, else of a ladder of the same game and, if there is one, the same number of
    players. Raises InvalidError if the game has no ladder.
    """
    if ruleset.name in ladder.ladders:
        return ladder.ladders[ruleset.name].rungs
    catalogue = Catalogue()
    others = {name: catalogue.find_ruleset(name) for name in ladder.ladders}
    of_game = [name for name, other in others.items() if other.game == ruleset.game]
    if not of_game:
        raise InvalidError(f"{ruleset.name}: there is no ladder of {ruleset.game}")
    same_players = [name for name in of_game if others[name].players == ruleset.players]
    return ladder.ladders[(same_players or of_game)[0]].rungs


def format_ladder_json(
    rungs: Sequence[Rung], machine: dict[str, Any], lowest_times: dict[str, float] | None = None
) -> str:
    """Return the ladder as JSON; `lowest_times` has the microseconds of the lowest strategies by ruleset."""
    document = {
        "command": LADDER_COMMAND,
        "machine": machine,
        "lowest_microseconds": lowest_times or {},
        "rungs": [rung.document for rung in rungs],
    }
    return json.dumps(document, indent=1) + "\n"


def main(words: Sequence[str] | None = None) -> int:
    """Measure the ladder from the command line and write its files; return the exit code."""
    arguments = _parse_arguments(words)
    try:
        ladder = read_ladder(arguments.file)
        if arguments.program is None:
            _measure_ladder(ladder, arguments)
        else:
            _measure_program(ladder, arguments)
    except GameError as error:
        sys.stderr.write(f"ladder: {error}\n")
        return 2
    except (KeyboardInterrupt, RunStopped):
        sys.stderr.write("ladder: stopped; the same command continues with the unfinished rung\n")
        return 130
    return 0


def _measure_ladder(ladder: Ladder, arguments: argparse.Namespace) -> None:
    """Measure the rungs that are missing; write the files after each of them."""
    json_path = arguments.file.with_suffix(".json")
    steps = ladder_steps(ladder)
    todo, (machine, measured) = select_steps(steps, arguments.names), read_measured_rungs(json_path)
    times = read_lowest_times(json_path)
    if arguments.again:
        again = {step.fingerprint for step in todo}
        measured = {fingerprint: rung for fingerprint, rung in measured.items() if fingerprint not in again}
        times = {
            name: spent for name, spent in times.items() if name not in {step.ruleset.name for step in todo}
        }
    times = time_lowest_strategies(ladder, todo, times)
    measured = keep_other_rungs(steps, todo, measured)
    for rung, rungs in measure_rungs(steps, todo, measured, arguments.workers):
        if rung:
            machine = machine_stamp()
            _print_rung(rung)
        json_path.write_text(format_ladder_json(rungs, machine, times), encoding="utf-8")
        _write_page(arguments.file, rungs, machine, missing=len(steps) - len(rungs))


def _measure_program(ladder: Ladder, arguments: argparse.Namespace) -> None:
    """Let a program play against the strategies of the ladders that the command line names; write the matches."""
    catalogue, path = Catalogue(), _matches_path(arguments.file)
    machine, measured = read_measured_rungs(arguments.file.with_suffix(".json"))
    todo = []
    for name in arguments.names:
        ruleset = catalogue.find_ruleset(name)
        program = program_notation(ruleset, arguments.program)
        against = arguments.against or program_opponents(ladder, ruleset)
        todo += [(ruleset, program, strategy) for strategy in against]
    for ruleset, program, strategy in todo:
        match = measure_match(ruleset, program, strategy, blocks=arguments.blocks, seed=ladder.seed)
        path.write_text(format_matches_json(replace_match(read_matches(path), match)), encoding="utf-8")
        _write_page(
            arguments.file,
            list(measured.values()),
            machine,
            missing=len(ladder_steps(ladder)) - len(measured),
        )
        spent = "unknown" if match.program_seconds is None else f"{match.program_seconds:.2g} s"
        sys.stderr.write(
            f"{match.ruleset}: {match.program} against {match.against}: {format_interval(match.difference)}; processor time "
            f"of a game: {spent} and {match.strategy_seconds:.2g} s\n"
        )


def _matches_path(ladder_file: Path) -> Path:
    return ladder_file.with_name(f"{ladder_file.stem}_programs.json")


def _write_page(ladder_file: Path, rungs: Sequence[Rung], machine: dict[str, Any], *, missing: int) -> None:
    """Write the page of the ladder, with the matches of programs and the times of the lowest strategies."""
    page = format_ladder_page(
        rungs,
        machine,
        missing,
        lowest_times=read_lowest_times(ladder_file.with_suffix(".json")),
        matches=read_matches(_matches_path(ladder_file)),
    )
    ladder_file.with_suffix(".md").write_text(page, encoding="utf-8")


def _parse_arguments(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m pipelines.measure.ladder", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument(
        "names", nargs="*", metavar="GAME|RULESET", help="measure only these; the other rungs do not change"
    )
    parser.add_argument("--again", action="store_true", help="measure again what is measured already")
    parser.add_argument("--workers", type=int, help="number of worker processes")
    parser.add_argument(
        "--file", type=Path, default=LADDER_FILE, help="the ladder; the results are written beside it"
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
