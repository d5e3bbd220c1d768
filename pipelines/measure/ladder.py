"""The ladder: each strategy measured against the one below it, in every game and for every number of players.

    python -m pipelines.measure.ladder [GAME or RULESET...] [--again] [--workers N]

reads `benchmarks/ladder.toml` and writes `ladder.json` and `ladder.md` beside it, after every rung. A rung that is in
`ladder.json` with the same code, weights, blocks and processor is not measured again; so the command can be stopped at
any time and continues where it was. `--again` measures all rungs again.
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
from pipelines.measure.ladder_page import LADDER_COMMAND, format_interval, format_ladder_page
from pipelines.measure.machine import machine_stamp
from pipelines.measure.rungs import LadderStep, Rung, measure_step
from pipelines.simulate.errors import RunStopped
from pipelines.statistics.planning import MIN_BLOCKS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

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


def format_ladder_json(rungs: Sequence[Rung], machine: dict[str, Any]) -> str:
    """Return the ladder as JSON."""
    document = {"command": LADDER_COMMAND, "machine": machine, "rungs": [rung.document for rung in rungs]}
    return json.dumps(document, indent=1) + "\n"


def main(words: Sequence[str] | None = None) -> int:
    """Measure the ladder from the command line and write its files; return the exit code."""
    arguments = _parse_arguments(words)
    json_path, page_path = arguments.file.with_suffix(".json"), arguments.file.with_suffix(".md")
    try:
        steps = ladder_steps(read_ladder(arguments.file))
        todo, (machine, measured) = select_steps(steps, arguments.names), read_measured_rungs(json_path)
        if arguments.again:
            again = {step.fingerprint for step in todo}
            measured = {
                fingerprint: rung for fingerprint, rung in measured.items() if fingerprint not in again
            }
        for rung, rungs in measure_rungs(steps, todo, measured, arguments.workers):
            if rung:
                machine = machine_stamp()
                _print_rung(rung)
            json_path.write_text(format_ladder_json(rungs, machine), encoding="utf-8")
            page = format_ladder_page(rungs, machine, missing=len(steps) - len(rungs))
            page_path.write_text(page, encoding="utf-8")
    except GameError as error:
        sys.stderr.write(f"ladder: {error}\n")
        return 2
    except (KeyboardInterrupt, RunStopped):
        sys.stderr.write("ladder: stopped; the same command continues with the unfinished rung\n")
        return 130
    return 0


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
    return parser.parse_args(words)


def _print_rung(rung: Rung) -> None:
    """Print the result of a step on stderr."""
    doubt = "" if rung.is_clear else ", not clearly better"
    sys.stderr.write(
        f"{rung.ruleset}: {rung.strategy} against {rung.against}: {format_interval(rung.difference)}{doubt}; "
        f"{rung.seconds:.0f} s\n"
    )


if __name__ == "__main__":
    sys.exit(main())
