"""Keeping the answer to a what-if question: the design of a run whose games are the continuations of both branches."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from engine.errors import InvalidError
from pipelines.design.design import Design, ForkOrigin

if TYPE_CHECKING:
    from pipelines.experiments.whatif.fork import Change
    from pipelines.experiments.whatif.whatif import WhatIf


def saved_run_design(found: WhatIf, parent: str, name: str) -> Design:
    """Return the design that plays the continuations of an answer again and keeps them.

    `parent` is the run of the game, `name` that of the run to be made. Raises InvalidError for a changed rule: a run
    holds one ruleset.
    """
    fork, change = found.fork, found.fork.change
    if change.options:
        raise InvalidError(
            "a run holds one ruleset, so the answer to a question about another rule cannot be saved"
        )
    branches = (fork.base, fork.changed) if change else (fork.changed,)
    seated = [[player.name for player in branch.seating] for branch in branches]
    lineup = tuple(dict.fromkeys(one for names in seated for one in names))
    return Design(
        kind="whatif",
        title=f"What if {change}? Game {fork.game_id} of {parent} from ply {fork.ply}"[:200],
        ruleset=fork.ruleset.document,
        lineup=lineup,
        seatings=tuple(tuple(lineup.index(one) for one in names) for names in seated),
        blocks=found.n,
        seed=found.seed,
        shard_blocks=found.n,
        fork=ForkOrigin(
            run=parent,
            game_id=fork.game_id,
            ply=fork.ply,
            change=str(change),
            asked=(*command_options(change), "--save", name),
            prefixes=tuple(branch.actions for branch in branches),
            luck=found.blocks,
        ),
    )


def command_options(change: Change) -> tuple[str, ...]:
    """Return a change as options of the command.

    >>> from pipelines.experiments.whatif.fork import Change
    >>> command_options(Change({0: "random"}, "r12", {"gap_penalty": 2}))
    ('--seat', '0', '--strategy', 'random', '--action', 'r12', '--option', 'gap_penalty=2')
    """
    words = [
        word
        for seat, name in sorted(change.strategies.items())
        for word in ("--seat", str(seat), "--strategy", name)
    ]
    words += ["--action", change.action] if change.action is not None else []
    for key, value in change.options.items():
        words += ["--option", f"{key}={value if isinstance(value, str) else json.dumps(value)}"]
    return tuple(words or ["--luck"])
