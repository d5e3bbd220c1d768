"""Check that own strategies chose the actions of a run: they decide once more at every ply that they played."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from engine.play import Ply
from engine.player_label import player_label
from pipelines.simulate.checked_players import decide_checked
from pipelines.simulate.compiled_games import begin_game
from pipelines.simulate.errors import PlayError
from pipelines.simulate.verify import game_batches

if TYPE_CHECKING:
    from engine.strategy import Player
    from pipelines.design.design import Design
    from pipelines.design.own_strategies import OwnStrategies
    from pipelines.runs.run import Run


def find_decision_fault(run: Run, own: OwnStrategies, *, most: int | None = None) -> str | None:
    """Return the first ply of a run at which an own strategy chooses another action now; None if there is none.

    With `most`, about that many games are checked, as in `verify_run`. Only strategies of files and packages that a person has allowed decide. Raises InvalidError if a strategy is missing or
    its code is not that of the run.
    """
    design = run.design
    programs = {program.name for program in design.game.programs}
    lineup = [text for text in design.strategies if text.partition(":")[0] not in programs]
    own.check_lineup(design.game, lineup, design.code, run.name)
    players = {text: own.parse_player(design.game, text) for text in lineup}
    for game in chain.from_iterable(game_batches(design.games, most)):
        if not design.is_logged(game // design.rotations):
            continue
        fault = _find_fault_of_game(run, design, game, players, own.decision_seconds)
        if fault:
            return f"game {game + 1}, {fault}"
    return None


def _find_fault_of_game(
    run: Run, design: Design, game: int, players: dict[str, Player], seconds: float
) -> str | None:
    block, rotation = divmod(game, design.rotations)
    actions, seated = run.actions(game), design.strategies_by_seat(rotation)
    luck = design.luck_of_block(block)
    state, plies = begin_game(design, block, rotation)
    first = len(plies)
    if (
        not design.counts_parent_decisions
    ):  # the decisions of a simulated game are counted from where it began to be played
        plies = []
    for number, action in enumerate(actions[first:], first):
        player = players.get(seated[state.seat]) if state.seat >= 0 else None
        if player and player.strategy.code:
            where = f"move {number + 1}: {player_label(player.name)} of {player.strategy.code.file}"
            try:
                chosen = decide_checked(player, state, plies, luck, seconds)
            except PlayError as error:
                return f"{where}: {error}"
            if chosen != action:
                notation, in_file = (design.rules.action(one).notation for one in (chosen, action))
                return f"{where} chooses {notation}, the file has {in_file}"
        plies.append(Ply(state.round, state.seat, action, None, None))
        state = state.play(action)
    return None
