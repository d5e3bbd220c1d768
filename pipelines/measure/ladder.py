"""The ladder: every strategy against the one below it, in every game and for every number of players.

    python -m pipelines.measure.ladder [GAME or RULESET...] [--again] [--workers N]

reads `benchmarks/ladder.toml` and writes `ladder.json` and `ladder.md` beside it, after every rung. A rung that stands
in `ladder.json`, measured with the same code, weights, blocks and processor, is taken over: so it may be stopped at any
time, and goes on where it was. `--again` measures the rungs anew.
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
from pipelines.measure.bench import machine_stamp
from pipelines.measure.ladder_page import LADDER_COMMAND, format_interval, format_ladder_page
from pipelines.measure.rungs import LadderStep, Rung, measure_step
from pipelines.simulate.simulate import RunStopped
from pipelines.statistics.planning import MIN_BLOCKS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

LADDER_FILE: Final = Path(__file__).parents[2] / "benchmarks" / "ladder.toml"
StepBlocks = Annotated[int, Field(ge=MIN_BLOCKS)]


class LadderRungs(BaseModel):
    """The strategies of one ruleset, weakest first, and the blocks of each step from one to the next."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    rungs: Annotated[list[str], Field(min_length=2)]
    blocks: list[StepBlocks]

    @model_validator(mode="after")
    def _check_block_count(self) -> LadderRungs:
        if len(self.blocks) != len(self.rungs) - 1:
            raise ValueError(f"expected blocks of {len(self.rungs) - 1} steps, not {len(self.blocks)}")
        return self


class LadderCurve(BaseModel):
    """What a strategy gains by thinking longer: each of some against the same one, under one ruleset."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    against: str
    strategies: Annotated[list[str], Field(min_length=1)]
    blocks: StepBlocks


class Ladder(BaseModel):
    """What is measured: ladders and curves by ruleset."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    seed: Annotated[int, Field(ge=0)] = 0
    ladders: dict[str, LadderRungs]
    curves: dict[str, LadderCurve] = {}


def read_ladder(path: Path) -> Ladder:
    """Read a ladder; raise InvalidError naming the file and the key if it makes no sense."""
    try:
        return Ladder.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise InvalidError(f"{path}: {error.strerror}") from None
    except (ValueError, RecursionError) as error:  # no TOML, no UTF-8, a number of thousands of digits
        if isinstance(error, ValidationError):
            first = error.errors(include_url=False)[0]
            raise InvalidError(f"{path}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from None
        raise InvalidError(f"{path}: no TOML: {error}") from None


def ladder_steps(ladder: Ladder) -> list[LadderStep]:
    """Return all steps, those of ladders before those of curves; raise InvalidError for a name that does not exist."""
    catalogue = Catalogue()
    told = [
        (name, strategy, against, blocks, False)
        for name, one in ladder.ladders.items()
        for (against, strategy), blocks in zip(pairwise(one.rungs), one.blocks, strict=True)
    ]
    told += [
        (name, strategy, curve.against, curve.blocks, True)
        for name, curve in ladder.curves.items()
        for strategy in curve.strategies
    ]
    found = []
    for name, strategy, against, blocks, is_curve in told:
        ruleset = catalogue.find_ruleset(name)
        for text in (strategy, against):
            read_player(games.find_game(ruleset.game), text)  # now, and not after half an hour
        found.append(LadderStep(ruleset, strategy, against, blocks, ladder.seed, is_curve))
    return found


def select_steps(every: Sequence[LadderStep], names: Sequence[str]) -> list[LadderStep]:
    """Return the steps of some games or rulesets, or all; raise InvalidError for a name that has none."""
    known = {name for step in every for name in (step.ruleset.game, step.ruleset.name)}
    for name in names:
        if name not in known:
            raise unknown_name_error("game or ruleset of the ladder", name, sorted(known))
    return [step for step in every if not names or {step.ruleset.game, step.ruleset.name} & set(names)]


def read_measured_rungs(path: Path) -> tuple[dict[str, Any], dict[str, Rung]]:
    """Return the machine of an earlier run and its rungs by their fingerprints.

    There are none if there is no such file, or one of another kind: then it is all measured.
    """
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        rungs = [Rung.from_document(rung) for rung in found["rungs"]]
        return dict(found["machine"]), {rung.fingerprint: rung for rung in rungs}
    except (OSError, ValueError, KeyError, TypeError):
        return dict(machine_stamp()), {}


def measure_rungs(
    every: Sequence[LadderStep],
    todo: Sequence[LadderStep],
    before: dict[str, Rung],
    workers: int | None = None,
) -> Iterator[tuple[Rung | None, list[Rung]]]:
    """Measure what is to do and does not stand; give each new rung with all that stand by then, in their order.

    The first has no new rung.
    """
    stand = dict(before)
    order = [step.fingerprint for step in every]

    def rungs_in_order() -> list[Rung]:
        return [stand[one] for one in order if one in stand]

    yield None, rungs_in_order()
    for step in todo:
        if step.fingerprint not in stand:
            rung = stand[step.fingerprint] = measure_step(step, workers=workers)
            yield rung, rungs_in_order()


def format_ladder_json(rungs: Sequence[Rung], machine: dict[str, Any]) -> str:
    """Return the ladder as JSON."""
    found = {
        "command": LADDER_COMMAND,
        "machine": machine,
        "rungs": [rung.document for rung in rungs],
    }
    return json.dumps(found, indent=1) + "\n"


def main(words: Sequence[str] | None = None) -> int:
    """Climb and write; return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m pipelines.measure.ladder", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument(
        "names", nargs="*", metavar="GAME|RULESET", help="only these; the others stay as they stand"
    )
    parser.add_argument("--again", action="store_true", help="measure anew what stands already")
    parser.add_argument("--workers", type=int, help="processes")
    parser.add_argument(
        "--file", type=Path, default=LADDER_FILE, help="the ladder; what is made goes beside it"
    )
    given = parser.parse_args(words)
    path = given.file.with_suffix(".json")
    try:
        every = ladder_steps(read_ladder(given.file))
        todo, (machine, before) = select_steps(every, given.names), read_measured_rungs(path)
        if given.again:
            before = {key: rung for key, rung in before.items() if key not in {s.fingerprint for s in todo}}
        for rung, rungs in measure_rungs(every, todo, before, given.workers):
            if rung:
                machine, doubt = machine_stamp(), "" if rung.is_clear else ", not clear"
                sys.stderr.write(
                    f"{rung.ruleset}: {rung.strategy} against {rung.against}: {format_interval(rung.difference)}{doubt}; "
                    f"{rung.seconds:.0f} s\n"
                )
            path.write_text(format_ladder_json(rungs, machine), encoding="utf-8")
            missing = len(every) - len(rungs)
            given.file.with_suffix(".md").write_text(
                format_ladder_page(rungs, machine, missing), encoding="utf-8"
            )
    except GameError as error:
        sys.stderr.write(f"ladder: {error}\n")
        return 2
    except (KeyboardInterrupt, RunStopped):
        sys.stderr.write("ladder: stopped; the same command goes on with the rung it was at\n")
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
