"""The ladder: every strategy against the one below it, in every game and for every number of players.

    python -m pipelines.ladder [GAME...] [--blocks N] [--workers N]

reads `benchmarks/ladder.toml` and writes `ladder.md` and `ladder.json` beside it.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
import tomllib
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from engine import games
from engine.catalogue import Catalogue
from engine.game import GameError, InvalidError
from pipelines import batches
from pipelines.bench import stamp
from pipelines.compare import comparison
from pipelines.contest import contest
from pipelines.design import design
from pipelines.shards import play_game
from pipelines.simulate import simulate
from pipelines.verdict import rounded

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from engine.kernel import Kernel
    from engine.ruleset import Ruleset
    from pipelines.design import Design
    from pipelines.statistics import Interval

FILE: Final = Path(__file__).parent.parent / "benchmarks" / "ladder.toml"
TIMED_SECONDS: Final = 0.5
"""How long to time the decisions of a strategy."""


class Ladder(BaseModel):
    """What is compared: for each game its strategies, weakest first."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    blocks: Annotated[int, Field(ge=10)]
    seed: Annotated[int, Field(ge=0)] = 0
    rungs: dict[str, list[str]]


@dataclass(frozen=True)
class Rung:
    """One strategy against the one below it."""

    ruleset: str
    strategy: str
    against: str
    blocks: int
    games: int
    difference: Interval | None
    """Of mean scores, in points."""
    lowest_wins: bool
    win_share: Interval | None
    p: float
    microseconds: float
    """A decision of the strategy when it plays against itself, its share of the game's own work included."""
    command: str


def read(path: Path) -> Ladder:
    """Read a ladder; raise InvalidError naming the file and the key if it makes no sense."""
    try:
        return Ladder.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise InvalidError(f"{path}: {error.strerror}") from None
    except tomllib.TOMLDecodeError as error:
        raise InvalidError(f"{path}: no TOML: {error}") from None
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise InvalidError(f"{path}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from None


def main_rulesets(catalogue: Catalogue, game: str) -> list[Ruleset]:
    """Return the rulesets that are the game as such, one for each number of players."""
    found = [ruleset for ruleset in catalogue.rulesets.values() if ruleset.game == game]
    main = [ruleset for ruleset in found if ruleset.name == f"{game}-{ruleset.players}p"]
    return sorted(main or found, key=lambda ruleset: ruleset.players)


def climb(ladder: Ladder, chosen: Sequence[str] = (), *, workers: int | None = None) -> Iterator[Rung]:
    """Compare neighbouring rungs of the chosen games, or of all, in a library that is thrown away."""
    catalogue = Catalogue()
    for game in chosen or ladder.rungs:
        if game not in ladder.rungs:
            raise InvalidError(f"the ladder has no game {game!r}; it has {', '.join(ladder.rungs)}")
        games.game(game)
        for ruleset in main_rulesets(catalogue, game):
            for below, strategy in pairwise(ladder.rungs[game]):
                yield _rung(ruleset, strategy, below, ladder, workers)


def _rung(ruleset: Ruleset, strategy: str, below: str, ladder: Ladder, workers: int | None) -> Rung:
    planned = contest(ruleset, [strategy, below], blocks=ladder.blocks, seed=ladder.seed, log="scores")
    with tempfile.TemporaryDirectory() as folder:
        run = simulate(planned, Path(folder) / "rung.duckdb", workers=workers)
        found = comparison(run)
    (pair,) = found.pairs
    return Rung(
        ruleset.name,
        pair.a,
        pair.b,
        found.blocks,
        found.games,
        pair.difference,
        found.lowest_wins,
        pair.win_share,
        pair.p,
        microseconds(ruleset, pair.a),
        found.command,
    )


def microseconds(ruleset: Ruleset, strategy: str) -> float:
    """Time a decision: processor time of whole games among equals, by the decisions in them."""
    alone = design(ruleset, [strategy] * ruleset.players, blocks=1)
    compiled = batches.kernel(alone)
    if compiled:
        batches.tables(alone, compiled, range(1))  # loads what is compiled
    decisions, size, started = 0, 1, time.process_time()
    while not decisions or time.process_time() - started < TIMED_SECONDS:
        decisions += _decisions(alone, compiled, range(size))
        size *= 2  # many at once, as in a run
    return (time.process_time() - started) / decisions * 1e6


def _decisions(alone: Design, compiled: Kernel | None, blocks: range) -> int:
    """Play blocks and return the decisions in them."""
    if compiled:
        seats = batches.tables(alone, compiled, blocks)["plies"]["seat"].to_numpy()
        return int(np.count_nonzero(seats >= 0))
    return sum(ply.seat >= 0 for block in blocks for ply in play_game(alone, block, 0).plies)


def table(rungs: Sequence[Rung], command: str) -> str:
    """Return the ladder as Markdown."""
    lines = [
        "# The ladder",
        "",
        f"Every strategy against the one below it, on the same luck in every seat. Made with `{command}`",
        f"on {', '.join(str(value) for value in stamp().values())}.",
        "",
        "A block is one luck with every seating once. The difference is that of mean scores, with its 95 % interval;",
        "the win share is that of the strategy's side, 50 % if both are equal. Microseconds are those of a decision",
        "with its share of playing the game, on one core.",
        "",
        "| ruleset | strategy | against | blocks | points more, 95 % | win share, 95 % | µs a decision |",
        "|---|---|---|---|---|---|---|",
    ]
    for rung in rungs:
        fewer = " (fewer is better)" if rung.lowest_wins else ""
        lines.append(
            f"| {rung.ruleset} | {rung.strategy} | {rung.against} | {rung.blocks} | {_told(rung.difference)}{fewer} "
            f"| {_told(rung.win_share, 100)} % | {rung.microseconds:.3g} |"
        )
    return "\n".join(lines) + "\n"


def _told(interval: Interval | None, scale: float = 1) -> str:
    if interval is None:
        return "not enough games"
    scaled = type(interval)(*(scale * value for value in interval))
    return "{} ({} to {})".format(*rounded(scaled, exact=(0.0, 50.0, 100.0) if scale != 1 else (0.0,)))


def document(rungs: Sequence[Rung], command: str) -> str:
    """Return the ladder as JSON."""
    told = []
    for rung in rungs:
        found = asdict(rung)
        for name in ("difference", "win_share"):
            interval = getattr(rung, name)
            found[name] = interval and interval._asdict()
        told.append(found)
    return json.dumps({"command": command, "machine": stamp(), "rungs": told}, indent=1) + "\n"


def main(words: Sequence[str] | None = None) -> int:
    """Climb and write; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m pipelines.ladder", description=__doc__.splitlines()[0])
    parser.add_argument("game", nargs="*", help="only these games")
    parser.add_argument("--blocks", type=int, help="in place of those of the file")
    parser.add_argument("--workers", type=int, help="processes")
    parser.add_argument("--file", type=Path, default=FILE, help="the ladder; what is made goes beside it")
    given = parser.parse_args(words)
    try:
        ladder = read(given.file)
        if given.blocks is not None:
            ladder = ladder.model_copy(update={"blocks": given.blocks})
        rungs = []
        for rung in climb(ladder, given.game, workers=given.workers):
            rungs.append(rung)
            sys.stderr.write(
                f"{rung.ruleset}: {rung.strategy} against {rung.against}: {_told(rung.difference)}\n"
            )
    except GameError as error:
        sys.stderr.write(f"ladder: {error}\n")
        return 2
    chosen = [f"--blocks {given.blocks}"] if given.blocks is not None else []
    command = " ".join(["python -m pipelines.ladder", *given.game, *chosen])
    given.file.with_suffix(".md").write_text(table(rungs, command), encoding="utf-8")
    given.file.with_suffix(".json").write_text(document(rungs, command), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
