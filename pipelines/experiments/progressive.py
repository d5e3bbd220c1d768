"""Play an experiment in steps, so that an answer can be shown after a few blocks and updated while more are played.

Comparisons and effects of a rule are played in `timed_steps`, so that a page is updated several times a second.
What-ifs are played in `doubling_steps`, which depend on nothing but the numbers of blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Final, TypeVar

from pipelines.simulate import compiled_games
from pipelines.simulate.shard_tables import ShardColumns
from pipelines.simulate.shards import Step, play_game

if TYPE_CHECKING:
    import pyarrow as pa

    from pipelines.design.design import Design

Results = TypeVar("Results")

MAX_DOUBLED_BLOCKS: Final = 3840
"""Blocks after which `doubling_steps` grow no more: stopping loses at most one step, and a page shows the others."""


def doubling_steps(total: int, first: int) -> Iterator[Step]:
    """Yield `total` blocks in steps: `first` blocks, then as many as were played before, at most `MAX_DOUBLED_BLOCKS`."""
    done = 0
    while done < total:
        blocks = range(done, min(done + max(first, min(done, MAX_DOUBLED_BLOCKS)), total))
        done = blocks.stop
        yield Step(blocks, is_last=done == total)


def play_steps(
    steps: Iterable[Step],
    play: Callable[[range], Results],
    join: Callable[[Results, Results], Results],
    stopped: Callable[[], bool] = lambda: False,
) -> Iterator[tuple[Results, bool]]:
    """Play step after step and yield the results of all blocks so far, and True with the last ones.

    `join` appends the results of a step to those before. The first step is always played; `stopped` is called after
    each step and ends the experiment when it returns True.
    """
    results: Results | None = None
    for blocks, is_last in steps:
        step_results = play(blocks)
        results = step_results if results is None else join(results, step_results)
        is_over = is_last or stopped()
        yield results, is_over
        if is_over:
            return


def play_design_blocks(design: Design, blocks: range, *, is_logged: bool = False) -> dict[str, pa.Table]:
    """Play blocks of a design in this process and return the tables `games`, `seats`, `parts` and `plies`.

    The table `plies` is empty unless `is_logged`. The compiled game plays them where there is one, the readable rules
    otherwise: the results are the same.
    """
    log = "full" if is_logged else "scores"
    if design.log != log:
        design = design.model_copy(update={"log": log})
    kernel = compiled_games.find_design_kernel(design)
    if kernel:
        return compiled_games.play_blocks(design, kernel, blocks)
    columns = ShardColumns()
    for block in blocks:
        for rotation in range(design.rotations):
            columns.add_game(design, play_game(design, block, rotation))
    return {name: columns.build_table(name) for name in ("games", "seats", "parts", "plies")}
