"""The design of a run that stores the continuations of a what-if question."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.errors import InvalidError
from pipelines.design.designs import ForkOrigin, WhatIfDesign
from pipelines.design.limits import choose_title
from pipelines.design.own_strategies import code_of_players
from pipelines.experiments.fork import format_option

if TYPE_CHECKING:
    from pipelines.experiments.fork import Change
    from pipelines.experiments.whatif.whatif import DealtContinuations, WhatIf


def saved_run_design(whatif: WhatIf | DealtContinuations, parent: str, name: str) -> WhatIfDesign:
    """Return a design whose games are the continuations of both branches, be they played or not.

    `parent` is the name of the run with the forked game, `name` that of the new run. Raises InvalidError if the question
    changes an option of the ruleset, because a run has only one ruleset.
    """
    fork, change = whatif.fork, whatif.fork.change
    if change.options:
        raise InvalidError("a run has one ruleset, so a what-if with a changed option cannot be saved")
    branches = (fork.base, fork.changed) if change else (fork.changed,)
    seatings = [[player.name for player in branch.seating] for branch in branches]
    lineup = tuple(dict.fromkeys(strategy for seating in seatings for strategy in seating))
    design = WhatIfDesign(
        title=choose_title(
            None,
            f"What if {change.describe(fork.ruleset)}? Move {fork.ply + 1} of game {fork.game_id + 1} of {parent}",
        ),
        ruleset=fork.ruleset.document,
        lineup=lineup,
        seatings=tuple(tuple(map(lineup.index, seating)) for seating in seatings),
        blocks=whatif.n,
        seed=whatif.luck_seed,
        shard_blocks=whatif.n,
        fork=ForkOrigin(
            run=parent,
            game_id=fork.game_id,
            ply=fork.ply,
            change=str(change),
            asked=(*command_options(change), "--save", name, "--seed", str(whatif.seed)),
            prefixes=tuple(branch.actions for branch in branches),
            luck=whatif.blocks,
        ),
        code=code_of_players(player for branch in branches for player in branch.seating),
    )
    return design.with_own_strategies(fork.own, "this design")


def command_options(change: Change) -> tuple[str, ...]:
    """Return a change as options of the command `reroll whatif`.

    >>> from pipelines.experiments.fork import Change
    >>> command_options(Change({0: "random"}, "r12", {"gap_penalty": 2}))
    ('--player', '1', '--strategy', 'random', '--action', 'r12', '--option', 'gap_penalty=2')
    """
    words = [
        word
        for seat, name in sorted(change.strategies.items())
        for word in ("--player", str(seat + 1), "--strategy", name)
    ]
    words += ["--action", change.action] if change.action is not None else []
    words += [
        word for key, value in change.options.items() for word in ("--option", format_option(key, value))
    ]
    words = words or ["--luck"]
    for seat, name in sorted(change.substitutes.items()):
        words += ["--stand-in", f"{seat + 1}={name}"]
    return tuple(words)
