"""The demo library: a small run of each shipped ruleset, and for each game examples that show what the pages can do.

The small runs come first. The plain rules play them, so that they need not wait for a compiler. The examples need
strategies that only compiled games can play, so their games are compiled first, in processes of low priority.
"""

from __future__ import annotations

import os
from concurrent.futures import as_completed
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

from engine import games
from engine.errors import InvalidError
from engine.strategies import built_in_strategies
from pipelines.design.design import read_ruleset
from pipelines.design.designs import design_comparison, design_simulation
from pipelines.design.limits import choose_title
from pipelines.experiments.fork import Change, fork_logged_game
from pipelines.experiments.whatif import play_whatif, saved_run_design
from pipelines.notes.store import NoteStore
from pipelines.questions.games import find_remarkable_game
from pipelines.runs.names import run_path, unfinished_path
from pipelines.runs.run import Run
from pipelines.runs.unfinished_run import UnfinishedRun
from pipelines.service.demo_highlights import keep_highlights
from pipelines.simulate.simulate import resume_run, simulate_run
from pipelines.simulate.workers import open_worker_pool, usable_cpus

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path
    from typing import Any

    from engine.ruleset import Ruleset
    from pipelines.design.design import Design
    from pipelines.runs.library import Library

DemoKind: TypeAlias = Literal["small", "strategies", "comparison", "whatif"]

DEMO_PREFIX: Final = "demo-"
"""The names of all runs of the demo begin with it."""
DEMO_BLOCKS: Final[Mapping[DemoKind, int]] = {"small": 60, "strategies": 10, "comparison": 200}
"""Blocks of a run of each kind, the same on every machine: so people who speak of the demo see the same numbers.

A slow machine can afford them. Measured with one processor of an AMD EPYC: a small run takes 0.1 to 2.6 s, the games of
a comparison 0.4 s, and the strategies, which search, 1 to 24 s.
"""
WHATIF_CONTINUATIONS: Final = 400
DEMO_SEED: Final = 2024
EXAMPLE_PRIORITY: Final = 10
"""Niceness of the processes that make examples: pages come first."""


class DemoRun(NamedTuple):
    """One run of the demo library that is to be made."""

    target: Path
    """The run file."""
    document: dict[str, Any]
    """The ruleset as data."""
    kind: DemoKind = "small"

    @property
    def folder(self) -> Path:
        """The data folder."""
        return self.target.parent.parent


def missing_demo_runs(library: Library) -> list[DemoRun]:
    """Return the runs of the demo that the library does not have yet, in the order in which they are made."""
    return [plan for plan in plan_demo_runs(library) if not plan.target.exists()]


def plan_demo_runs(library: Library) -> list[DemoRun]:
    """Return all runs of the demo in the order in which they are made.

    Small runs come first, those of standard games before their variants. An example of a game comes after the examples
    of other games of the same kind, so that games are compiled side by side; a what-if needs the run of its game.
    Rulesets whose tables are all somebody's own are left out: they are no printed games.
    """
    rulesets = sorted(
        (
            ruleset
            for ruleset in library.catalogue.rulesets.values()
            if {*ruleset.provenance.values()} != {"own"}
        ),
        key=lambda ruleset: (ruleset.players, ruleset.name),
    )
    standard = [ruleset for ruleset in rulesets if _is_standard_ruleset(ruleset)]
    variants = [ruleset for ruleset in rulesets if not _is_standard_ruleset(ruleset)]
    fewest = {ruleset.game: ruleset for ruleset in reversed(standard)}
    most = {ruleset.game: ruleset for ruleset in standard}
    plans = [_plan_run(library, ruleset, "small") for ruleset in (*standard, *variants)]
    examples: list[tuple[DemoKind, dict[str, Ruleset]]]
    examples = [("strategies", most), ("comparison", fewest), ("whatif", fewest)]
    for kind, chosen in examples:
        plans += [_plan_run(library, ruleset, kind) for _, ruleset in sorted(chosen.items())]
    return plans


def _is_standard_ruleset(ruleset: Ruleset) -> bool:
    """Return whether a ruleset is the standard game for its number of players, and no variant."""
    return ruleset.name == f"{ruleset.game}-{ruleset.players}p"


def _plan_run(library: Library, ruleset: Ruleset, kind: DemoKind) -> DemoRun:
    name = f"{DEMO_PREFIX}{ruleset.name}" if kind == "small" else f"{DEMO_PREFIX}{kind}-{ruleset.name}"
    return DemoRun(run_path(library.runs_folder, name), ruleset.document, kind)


def make_demo_runs(plans: list[DemoRun], on_finished: Callable[[int, str, int], None]) -> None:
    """Make the runs in parallel; after each call `on_finished(finished runs, name of the run, its games)`."""
    if not plans:
        return
    done = 0
    with open_worker_pool(min(usable_cpus(), len(plans))) as pool:
        for kinds in (("small",), ("strategies", "comparison"), ("whatif",)):
            futures = {pool.submit(_make_demo_run, plan): plan for plan in plans if plan.kind in kinds}
            for future in as_completed(futures):
                done += 1
                on_finished(done, futures[future].target.stem, future.result())


def demo_lineup(ruleset: Ruleset) -> list[str]:
    """Return the strategy of each seat of a small run: greedy and random in turn."""
    strategies = built_in_strategies(games.find_game(ruleset.game))
    good = "greedy" if "greedy" in strategies else list(strategies)[-1]
    return [good if seat % 2 == 0 else "random" for seat in range(ruleset.players)]


def strategy_ladder(ruleset: Ruleset) -> list[str]:
    """Return the strategies of a game from the weakest to the strongest, without noisy, which errs on purpose."""
    return [name for name in built_in_strategies(games.find_game(ruleset.game)) if name != "noisy"]


def telling_lineup(ruleset: Ruleset) -> list[str]:
    """Return strategies for all seats, from the weakest to the strongest of the game, in equal steps."""
    ladder = strategy_ladder(ruleset)
    last_seat = max(1, ruleset.players - 1)
    return [ladder[round(seat * (len(ladder) - 1) / last_seat)] for seat in range(ruleset.players)]


def _make_demo_run(plan: DemoRun) -> int:
    """Make one run in this process, or resume it if it is unfinished. Return its number of games."""
    partial = UnfinishedRun(unfinished_path(plan.target.parent, plan.target.stem))
    if plan.kind != "small":
        os.setpriority(os.PRIO_PROCESS, 0, EXAMPLE_PRIORITY)
    if partial.folder.exists():
        return resume_run(partial, workers=1).summary.games
    return simulate_run(_design_demo_run(plan), plan.target, workers=1, free_name=False).summary.games


def _design_demo_run(plan: DemoRun) -> Design:
    ruleset = read_ruleset(plan.document, str(plan.target))
    if plan.kind == "whatif":
        return _design_saved_whatif(plan, ruleset)
    blocks = DEMO_BLOCKS[plan.kind]
    if plan.kind == "comparison":
        _, greedy, planner, *_ = strategy_ladder(ruleset)
        design: Design = design_comparison(ruleset, [planner, greedy], blocks=blocks, seed=DEMO_SEED)
    else:
        lineup = demo_lineup(ruleset) if plan.kind == "small" else telling_lineup(ruleset)
        design = design_simulation(ruleset, lineup, blocks=blocks, seed=DEMO_SEED)
    return design.model_copy(update={"title": choose_title(None, f"Demo: {design.title}")})


def _design_saved_whatif(plan: DemoRun, ruleset: Ruleset) -> Design:
    """Return the design of a what-if about the closest game of the small run: at half time a planner replaces random.

    The planner is the third strategy of a game, which is stronger than greedy and fast. The notes of the game are kept
    here, before its last run is made: so they are kept even if the demo was stopped, but never again once it is complete.
    """
    ladder = strategy_ladder(ruleset)
    parent = Run(run_path(plan.target.parent, f"{DEMO_PREFIX}{ruleset.name}"))
    closest = find_remarkable_game(parent, "margin", is_lowest=True) or find_remarkable_game(parent, "game")
    if closest is None:
        raise InvalidError(f"{parent.path}: no game is logged")
    weakest = closest.strategies.index(ladder[0])
    fork = fork_logged_game(parent, closest.game_id, closest.plies // 2, Change({weakest: ladder[2]}))
    *_, answer = play_whatif(fork, n=WHATIF_CONTINUATIONS, seed=DEMO_SEED)
    comparison = Run(run_path(plan.target.parent, f"{DEMO_PREFIX}comparison-{ruleset.name}"))
    keep_highlights(NoteStore(plan.folder), comparison, parent, answer)
    return saved_run_design(answer, parent.name, plan.target.stem)
