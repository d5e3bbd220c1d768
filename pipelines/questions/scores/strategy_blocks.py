"""The blocks behind the results of each strategy and behind the games, each counted once, in whichever run it is."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from pipelines.questions.scores import rollup_sums
from pipelines.questions.scores.scope import find_shared_luck
from pipelines.statistics.intervals import BlockSum, count_equal_blocks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pipelines.questions.scores.scope import ScoresScope
    from pipelines.questions.source import QuestionSource
    from pipelines.runs.run import Run


class CountedBlocks(NamedTuple):
    """The blocks of a strategy, or of all games, under a ruleset."""

    sums: tuple[BlockSum, ...] = ()
    """By the number of results, or of games, that a block has."""

    @property
    def blocks(self) -> int:
        """Number of different blocks."""
        return sum(one.blocks for one in self.sums)

    def count_units(self, results: int, blocks: int | None = None) -> int:
        """Return what an interval counts that does not know which results share a block, so that it is never too narrow.

        `results` is the number of results, and `blocks` the number of blocks that they are of, all if None.
        """
        if not self.blocks:
            return 0
        blocks = self.blocks if blocks is None else blocks
        return min(blocks * count_equal_blocks(self.sums) // self.blocks, results)


def read_strategy_blocks(
    scope: ScoresScope, source: QuestionSource
) -> defaultdict[tuple[str, str], CountedBlocks]:
    """Return the blocks of the strategies, by the hash of the ruleset and the strategy.

    Roll-ups answer it, but for runs of one ruleset with equal seeds and other line-ups: their games are read.
    """
    sums: defaultdict[tuple[str, str], dict[int, BlockSum]] = defaultdict(dict)
    for sha256, runs in scope.runs_by_ruleset.items():
        shared = find_shared_luck(runs)
        own = [run for run in runs if run not in shared]
        for read, chosen in ((rollup_sums.block_sums, own), (rollup_sums.shared_block_sums, shared)):
            for row in source.query(read, chosen, (sha256,)) if chosen else ():
                held = sums[sha256, row.strategy]
                known = held.get(row.seats_per_block, BlockSum(row.seats_per_block, 0, 0, 0))
                held[row.seats_per_block] = BlockSum(
                    row.seats_per_block,
                    known.blocks + row.blocks,
                    known.total + row.total,
                    known.squares + row.squares,
                )
    return defaultdict(
        CountedBlocks, {key: CountedBlocks(tuple(held.values())) for key, held in sums.items()}
    )


def count_game_blocks(runs: Sequence[Run]) -> CountedBlocks:
    """Return the blocks of all games of some runs, without sums of scores."""
    by_luck: dict[str, list[Run]] = defaultdict(list)
    for run in runs:
        by_luck[run.summary.played.luck].append(run)
    sums, start = [], 0
    for held in by_luck.values():
        for end in sorted({run.summary.played.blocks for run in held}):
            games = [
                one.games // one.played.blocks for run in held if (one := run.summary).played.blocks >= end
            ]
            sums.append(BlockSum(sum(games), end - start, 0, 0))
            start = end
        start = 0
    return CountedBlocks(tuple(sums))
