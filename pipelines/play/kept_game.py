"""A finished game by hand becomes a run of the library, which can be replayed, verified, reviewed and forked like any other."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from engine.errors import InvalidError
from engine.wording import player_label
from pipelines.design.designs import HandDesign, HandHint, HandRecord, HandUndo
from pipelines.design.limits import choose_title
from pipelines.design.lineups import format_lineup
from pipelines.design.own_strategies import code_of_players
from pipelines.design.titles import format_ruleset
from pipelines.runs.names import default_run_name, run_path
from pipelines.simulate.checked_players import find_rules_fault
from pipelines.simulate.errors import PlayError
from pipelines.simulate.shard_tables import PlayedGame
from pipelines.simulate.shards import seal_finished_games

if TYPE_CHECKING:
    from pathlib import Path

    from pipelines.play.hand_game import HandGame
    from pipelines.runs.library import Library
    from pipelines.runs.run import Run


def hand_design(game: HandGame) -> HandDesign:
    """Return the design of the run that a finished game becomes; raise InvalidError if the game is not over."""
    setup, ruleset = game.setup, game.setup.ruleset
    if not game.state.is_over:
        raise InvalidError("the game is not over, so it cannot be kept yet")
    lineup = tuple(dict.fromkeys(setup.seats))
    asked = [setup.parse_player(hint.strategy) for hint in game.hints]
    who = format_lineup([player_label(text) for text in setup.seats])
    start = (
        f", from game {setup.origin.game_id + 1} of {setup.origin.run}, move {len(setup.prefix) + 1}"
        if setup.origin
        else ""
    )
    design = HandDesign(
        title=choose_title(None, f"By hand: {format_ruleset(ruleset)}: {who}{start}"),
        ruleset=json.loads(setup.ruleset_json),
        lineup=lineup,
        seatings=(tuple(map(lineup.index, setup.seats)),),
        blocks=1,
        seed=setup.luck.seed,
        shard_blocks=1,
        code=code_of_players([*filter(None, setup.players), *asked]),
        hand=HandRecord(
            moves=game.text,
            block=setup.luck.block,
            prefix=setup.prefix,
            run=setup.origin.run if setup.origin else "",
            game_id=setup.origin.game_id if setup.origin else 0,
            has_own_luck=setup.has_own_luck,
            hints=tuple(HandHint(**hint._asdict()) for hint in game.hints),
            undos=tuple(
                HandUndo(ply=undo.ply, seat=undo.seat, action=ruleset.action(undo.action).notation)
                for undo in game.undos
            ),
        ),
    )
    return design.with_own_strategies(setup.own, "this game")


def find_kept_game(library: Library, game: HandGame) -> Run | None:
    """Return the run of the library that holds exactly this game, with the same hints and undos; None if there is none."""
    wanted = hand_design(game)
    for run in library.runs():
        if run.summary.is_by_hand and run.summary.command == wanted.command:
            return run
    return None


def keep_game(library: Library, game: HandGame, target: Path | None = None) -> Run:
    """Save a finished game as a run and return it; if the library holds this game already, return that run.

    Without a `target` the run gets a name of its own. Raises InvalidError if the game is not over, and PlayError if code of
    an own strategy has changed the rules meanwhile.
    """
    design = hand_design(game)
    if design.code and find_rules_fault(design.rules, game.state, game.plies) is not None:
        names = ", ".join(code.package or code.file for code in design.code)
        raise PlayError(f"{names} changed the ruleset, so that the game breaks the rules; it is not saved")
    if target is None and (kept := find_kept_game(library, game)):
        return kept
    name = default_run_name(f"hand-{game.setup.ruleset.name}")
    played = PlayedGame(0, 0, game.state, game.plies)
    return seal_finished_games(
        design, iter([played]), target or run_path(library.runs_folder, name), free_name=target is None
    )
