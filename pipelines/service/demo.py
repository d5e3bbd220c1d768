"""The demo library: every ruleset that comes with the project, a good strategy against chance."""

from __future__ import annotations

import time
from concurrent.futures import as_completed
from typing import TYPE_CHECKING, Final, NamedTuple

from engine import games
from engine.strategies import known
from pipelines.design.design import design, read_ruleset
from pipelines.runs.unfinished_run import SUFFIX, Partial
from pipelines.simulate import compiled_games
from pipelines.simulate.shards import play_game
from pipelines.simulate.simulate import resume, simulate
from pipelines.simulate.workers import cpus, pool

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import Any

    from engine.ruleset import Ruleset
    from pipelines.design.design import Design
    from pipelines.runs.library import Library

SECONDS: Final = 32.0
"""Processor seconds for the whole library, about; a minimum of games a ruleset may make it longer."""
MOST_BLOCKS: Final = 300
FEWEST_BLOCKS: Final = 2
SEED: Final = 2024


class Plan(NamedTuple):
    """One run of the demo."""

    target: Path
    document: dict[str, Any]
    seconds: float


def missing(library: Library) -> list[Plan]:
    """Return the runs of the demo that are not there yet."""
    rulesets = library.catalogue.rulesets
    plans = [
        Plan(library.runs_folder / f"demo-{name}.duckdb", ruleset.document, SECONDS / len(rulesets))
        for name, ruleset in sorted(
            rulesets.items(), key=lambda item: (_is_the_game_itself(item[1]), item[0])
        )
    ]
    return [plan for plan in plans if not plan.target.exists()]


def _is_the_game_itself(ruleset: Ruleset) -> bool:
    """Say whether a ruleset is a game as such, not a variant: these are played last, to stand first in the library."""
    return ruleset.name == f"{ruleset.game}-{ruleset.players}p"


def to_compile(plans: list[Plan]) -> list[Design]:
    """Return a design for each game that has to be compiled before it can be played fast."""
    found: dict[str, Design] = {}
    for plan in plans:
        ruleset = read_ruleset(plan.document, str(plan.target))
        tried = design(ruleset, line_up(ruleset), blocks=1)
        if ruleset.game not in found and not compiled_games.is_compiled(tried):
            found[ruleset.game] = tried
    return list(found.values())


def make(plans: list[Plan], told: Callable[[int, str, int], None]) -> None:
    """Simulate these runs, several at a time; `told(done, run, games)` is called as each is finished."""
    if not plans:
        return
    with pool(min(cpus(), len(plans))) as executor:
        futures = {executor.submit(_one, plan): plan for plan in plans}
        try:
            for done, future in enumerate(as_completed(futures), start=1):
                told(done, futures[future].target.stem, future.result())
        finally:
            executor.shutdown(wait=True, cancel_futures=True)


def line_up(ruleset: Ruleset) -> list[str]:
    """Return the strategies of the demo: greedy and random by turns."""
    strategies = known(games.game(ruleset.game))
    good = "greedy" if "greedy" in strategies else list(strategies)[-1]
    return [good if seat % 2 == 0 else "random" for seat in range(ruleset.players)]


def _one(plan: Plan) -> int:
    """Make one run in this process, or finish it; return its games."""
    partial = Partial(plan.target.with_name(f"{plan.target.stem}{SUFFIX}"))
    if partial.folder.exists():
        return resume(partial, workers=1).summary.games
    ruleset = read_ruleset(plan.document, str(plan.target))
    tried = design(ruleset, line_up(ruleset), blocks=MOST_BLOCKS, seed=SEED)
    blocks = max(
        FEWEST_BLOCKS, min(MOST_BLOCKS, int(plan.seconds / _seconds_a_block(tried, plan.seconds / 5)))
    )
    made = design(ruleset, line_up(ruleset), blocks=blocks, seed=SEED, title=f"Demo: {tried.title}")
    return simulate(made, plan.target, workers=1, free_name=False).summary.games


def _seconds_a_block(tried: Design, budget: float) -> float:
    """Return how long a block takes; the first does not count, as it prepares the rules."""
    compiled = compiled_games.kernel(tried)
    if compiled:
        compiled_games.tables(tried, compiled, range(1))
        started = time.monotonic()
        compiled_games.tables(tried, compiled, range(20))
        return (time.monotonic() - started) / 20
    play_game(tried, 0, 0)
    started = time.monotonic()
    for played in range(1, MOST_BLOCKS):
        play_game(tried, played, 0)
        spent = time.monotonic() - started
        if spent >= budget:
            return spent / played * tried.rotations
    return (time.monotonic() - started) / MOST_BLOCKS * tried.rotations
