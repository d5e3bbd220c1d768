"""The demo library: every ruleset that comes with the project, a good strategy against chance."""

from __future__ import annotations

import time
from concurrent.futures import as_completed
from typing import TYPE_CHECKING, Final, NamedTuple

from engine import games
from engine.strategies import built_in_strategies
from pipelines.design.design import design_simulation, read_ruleset
from pipelines.runs.unfinished_run import UNFINISHED_SUFFIX, UnfinishedRun
from pipelines.simulate import compiled_games
from pipelines.simulate.shards import play_game
from pipelines.simulate.simulate import resume_run, simulate_run
from pipelines.simulate.workers import make_worker_pool, usable_cpus

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import Any

    from engine.ruleset import Ruleset
    from pipelines.design.design import Design
    from pipelines.runs.library import Library

DEMO_CPU_SECONDS: Final = 32.0
"""Processor seconds for the whole library, about; a minimum of games a ruleset may make it longer."""
MAX_BLOCKS: Final = 300
MIN_BLOCKS: Final = 2
DEMO_SEED: Final = 2024


class DemoRun(NamedTuple):
    """One run of the demo."""

    target: Path
    document: dict[str, Any]
    seconds: float


def missing_demo_runs(library: Library) -> list[DemoRun]:
    """Return the runs of the demo that are not there yet."""
    rulesets = library.catalogue.rulesets
    plans = [
        DemoRun(
            library.runs_folder / f"demo-{name}.duckdb", ruleset.document, DEMO_CPU_SECONDS / len(rulesets)
        )
        for name, ruleset in sorted(rulesets.items(), key=lambda item: (_is_base_ruleset(item[1]), item[0]))
    ]
    return [plan for plan in plans if not plan.target.exists()]


def _is_base_ruleset(ruleset: Ruleset) -> bool:
    """Say whether a ruleset is a game as such, not a variant: these are played last, to stand first in the library."""
    return ruleset.name == f"{ruleset.game}-{ruleset.players}p"


def designs_to_compile(plans: list[DemoRun]) -> list[Design]:
    """Return a design for each game that has to be compiled before it can be played fast."""
    found: dict[str, Design] = {}
    for plan in plans:
        ruleset = read_ruleset(plan.document, str(plan.target))
        tried = design_simulation(ruleset, demo_lineup(ruleset), blocks=1)
        if ruleset.game not in found and not compiled_games.is_compiled(tried):
            found[ruleset.game] = tried
    return list(found.values())


def make_demo_runs(plans: list[DemoRun], told: Callable[[int, str, int], None]) -> None:
    """Simulate these runs, several at a time; `told(done, run, games)` is called as each is finished."""
    if not plans:
        return
    with make_worker_pool(min(usable_cpus(), len(plans))) as executor:
        futures = {executor.submit(_make_demo_run, plan): plan for plan in plans}
        try:
            for done, future in enumerate(as_completed(futures), start=1):
                told(done, futures[future].target.stem, future.result())
        finally:
            executor.shutdown(wait=True, cancel_futures=True)


def demo_lineup(ruleset: Ruleset) -> list[str]:
    """Return the strategies of the demo: greedy and random by turns."""
    strategies = built_in_strategies(games.find_game(ruleset.game))
    good = "greedy" if "greedy" in strategies else list(strategies)[-1]
    return [good if seat % 2 == 0 else "random" for seat in range(ruleset.players)]


def _make_demo_run(plan: DemoRun) -> int:
    """Make one run in this process, or finish it; return its games."""
    partial = UnfinishedRun(plan.target.with_name(f"{plan.target.stem}{UNFINISHED_SUFFIX}"))
    if partial.folder.exists():
        return resume_run(partial, workers=1).summary.games
    ruleset = read_ruleset(plan.document, str(plan.target))
    tried = design_simulation(ruleset, demo_lineup(ruleset), blocks=MAX_BLOCKS, seed=DEMO_SEED)
    blocks = max(
        MIN_BLOCKS, min(MAX_BLOCKS, int(plan.seconds / _measure_block_seconds(tried, plan.seconds / 5)))
    )
    made = design_simulation(
        ruleset, demo_lineup(ruleset), blocks=blocks, seed=DEMO_SEED, title=f"Demo: {tried.title}"
    )
    return simulate_run(made, plan.target, workers=1, free_name=False).summary.games


def _measure_block_seconds(tried: Design, budget: float) -> float:
    """Return how long a block takes; the first does not count, as it prepares the rules."""
    compiled = compiled_games.find_design_kernel(tried)
    if compiled:
        compiled_games.play_blocks(tried, compiled, range(1))
        started = time.monotonic()
        compiled_games.play_blocks(tried, compiled, range(20))
        return (time.monotonic() - started) / 20
    play_game(tried, 0, 0)
    started = time.monotonic()
    for played in range(1, MAX_BLOCKS):
        play_game(tried, played, 0)
        spent = time.monotonic() - started
        if spent >= budget:
            return spent / played * tried.rotations
    return (time.monotonic() - started) / MAX_BLOCKS * tried.rotations
