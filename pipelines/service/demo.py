"""The demo library: one run for each shipped ruleset, with a greedy strategy against a random one."""

from __future__ import annotations

import time
from concurrent.futures import as_completed
from typing import TYPE_CHECKING, Final, NamedTuple

from engine import games
from engine.strategies import built_in_strategies
from pipelines.design.design import design_simulation, read_ruleset
from pipelines.runs.names import unfinished_path
from pipelines.runs.unfinished_run import UnfinishedRun
from pipelines.simulate import compiled_games
from pipelines.simulate.shards import play_game
from pipelines.simulate.simulate import resume_run, simulate_run
from pipelines.simulate.workers import open_worker_pool, usable_cpus

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import Any

    from engine.ruleset import Ruleset
    from pipelines.design.design import Design
    from pipelines.runs.library import Library

DEMO_CPU_SECONDS: Final = 32.0
"""About the processor time of the whole library, in seconds. MIN_BLOCKS for each ruleset may make it longer."""
MAX_BLOCKS: Final = 300
MIN_BLOCKS: Final = 2
DEMO_SEED: Final = 2024


class DemoRun(NamedTuple):
    """One run of the demo library that is to be made."""

    target: Path
    """The run file."""
    document: dict[str, Any]
    """The ruleset as data."""
    seconds: float
    """Processor time for this run."""


def missing_demo_runs(library: Library) -> list[DemoRun]:
    """Return the runs of the demo that the library does not have yet."""
    rulesets = library.catalogue.rulesets
    plans = [
        DemoRun(
            library.runs_folder / f"demo-{name}.duckdb", ruleset.document, DEMO_CPU_SECONDS / len(rulesets)
        )
        for name, ruleset in sorted(rulesets.items(), key=lambda item: (_is_base_ruleset(item[1]), item[0]))
    ]
    return [plan for plan in plans if not plan.target.exists()]


def _is_base_ruleset(ruleset: Ruleset) -> bool:
    """Return whether a ruleset is the standard game and no variant. These are played last: the library lists new runs first."""
    return ruleset.name == f"{ruleset.game}-{ruleset.players}p"


def designs_to_compile(plans: list[DemoRun]) -> list[Design]:
    """Return one design for each game that has to be compiled before the runs can be played."""
    designs: dict[str, Design] = {}
    for plan in plans:
        ruleset = read_ruleset(plan.document, str(plan.target))
        design = design_simulation(ruleset, demo_lineup(ruleset), blocks=1)
        if ruleset.game not in designs and not compiled_games.is_compiled(design):
            designs[ruleset.game] = design
    return list(designs.values())


def make_demo_runs(plans: list[DemoRun], on_finished: Callable[[int, str, int], None]) -> None:
    """Simulate the runs in parallel; after each call `on_finished(finished runs, name of the run, its games)`."""
    if not plans:
        return
    with open_worker_pool(min(usable_cpus(), len(plans))) as pool:
        futures = {pool.submit(_make_demo_run, plan): plan for plan in plans}
        for done, future in enumerate(as_completed(futures), start=1):
            on_finished(done, futures[future].target.stem, future.result())


def demo_lineup(ruleset: Ruleset) -> list[str]:
    """Return the strategy of each seat: greedy and random in turn."""
    strategies = built_in_strategies(games.find_game(ruleset.game))
    good = "greedy" if "greedy" in strategies else list(strategies)[-1]
    return [good if seat % 2 == 0 else "random" for seat in range(ruleset.players)]


def _make_demo_run(plan: DemoRun) -> int:
    """Make one run in this process, or resume it if it is unfinished. Return its number of games."""
    partial = UnfinishedRun(unfinished_path(plan.target.parent, plan.target.stem))
    if partial.folder.exists():
        return resume_run(partial, workers=1).summary.games
    ruleset = read_ruleset(plan.document, str(plan.target))
    trial = design_simulation(ruleset, demo_lineup(ruleset), blocks=MAX_BLOCKS, seed=DEMO_SEED)
    affordable_blocks = int(plan.seconds / _measure_block_seconds(trial, plan.seconds / 5))
    design = design_simulation(
        ruleset,
        demo_lineup(ruleset),
        blocks=max(MIN_BLOCKS, min(MAX_BLOCKS, affordable_blocks)),
        seed=DEMO_SEED,
        title=f"Demo: {trial.title}",
    )
    return simulate_run(design, plan.target, workers=1, free_name=False).summary.games


def _measure_block_seconds(design: Design, max_seconds: float) -> float:
    """Return the seconds that a block takes, measured for at most `max_seconds`.

    The first block is not measured, because it also loads the rules or the compiled game.
    """
    compiled = compiled_games.find_design_kernel(design)
    if compiled:
        compiled_games.play_blocks(design, compiled, range(1))
        started = time.monotonic()
        compiled_games.play_blocks(design, compiled, range(20))
        return (time.monotonic() - started) / 20
    play_game(design, 0, 0)
    started, games = time.monotonic(), 0
    while games < MAX_BLOCKS and (games == 0 or time.monotonic() - started < max_seconds):
        games += 1
        play_game(design, games, 0)
    return (time.monotonic() - started) / games * design.rotations
