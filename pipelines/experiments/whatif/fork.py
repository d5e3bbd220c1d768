"""A fork: a logged game up to a ply and, from there, two branches: as it was, and changed."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from engine import games
from engine.actions import CHANCE
from engine.errors import AmbiguousError, GameError, IllegalError, InvalidError, unknown_name_error
from engine.play import replay_actions
from engine.strategies import read_player
from pipelines.design.design import read_ruleset

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from engine.ruleset import Ruleset
    from engine.state import State
    from engine.strategy import Player
    from pipelines.runs.run import Run


@dataclass(frozen=True)
class Change:
    """What is different on the changed branch; nothing at all means: only the luck."""

    strategies: Mapping[int, str] = field(default_factory=dict)
    """By seat, who decides from the fork on."""
    action: str | None = None
    """Notation of what is played, or rolled, in place of the logged ply."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Options of the ruleset, from the beginning of the game."""

    def __bool__(self) -> bool:
        return bool(self.strategies or self.action or self.options)

    def __str__(self) -> str:
        """Say it in words that complete "what if ...".

        >>> str(Change({0: "random"}, "r12", {"gap_penalty": 2}))
        'seat 0 played random, the ply was r12, gap_penalty was 2'
        >>> str(Change())
        'the luck was different'
        """
        said = [f"seat {seat} played {name}" for seat, name in sorted(self.strategies.items())]
        if self.action:
            said.append(f"the ply was {self.action}")
        said += [f"{key} was {json.dumps(value)}" for key, value in self.options.items()]
        return ", ".join(said) or "the luck was different"


@dataclass(frozen=True)
class Branch:
    """A position, how it was reached, and who plays on from it."""

    state: State
    actions: tuple[int, ...]
    """From the beginning of the game."""
    seating: tuple[Player, ...]


@dataclass(frozen=True)
class Fork:
    """Two branches of one logged game."""

    game_id: int
    ply: int
    change: Change
    base: Branch
    changed: Branch
    seat: int
    """Whom the question is about: the first seat whose strategy is changed, else who acts at the ply, else seat 0."""
    next_roll: State | None
    """The next position of the logged game in which chance acts: whose outcomes are dealt out evenly."""
    result: tuple[int, ...]
    """The logged final scores."""
    result_ranks: tuple[int, ...]
    """The logged ranks."""

    @property
    def ruleset(self) -> Ruleset:
        """The rules of the logged game."""
        return self.base.state.ruleset


def fork_logged_game(run: Run, game_id: int, ply: int, change: Change) -> Fork:
    """Fork a logged game before a ply (negative: counted from the end).

    Raises InvalidError for a ply, seat, strategy or option that does not exist, IllegalError for an action that cannot
    be played there and for options under which the game could not have come to this position.
    """
    summary = run.game(game_id)
    seated = [seat.strategy for seat in run.seats(game_id)]
    return fork_from_actions(
        run.ruleset(summary.ruleset), run.actions(game_id), seated, ply, change, game_id=game_id
    )


def fork_from_actions(  # noqa: PLR0913 - a game in all its parts
    ruleset: Ruleset,
    actions: Sequence[int],
    seated: Sequence[str],
    ply: int,
    change: Change,
    *,
    game_id: int = 0,
) -> Fork:
    """Fork a game given by its actions and the strategies of its seats; see `fork_logged_game`."""
    number = len(actions) + ply if ply < 0 else ply
    if not 0 <= number < len(actions):
        raise InvalidError(
            f"game {game_id} has plies 0 to {len(actions) - 1}, so it cannot fork before ply {ply}"
        )
    game = games.find_game(ruleset.game)
    states = list(replay_actions(game.start(ruleset), actions))
    before = states[number]
    changed_rules = ruleset_with_options(ruleset, change.options)
    prefix = tuple(actions[:number])
    there, moved = (
        _replay_under_rules(ruleset, changed_rules, prefix, before) if change.options else (before, prefix)
    )
    base_seating = tuple(_find_logged_player(ruleset, name) for name in seated)
    seating = list(base_seating)
    for seat, name in change.strategies.items():
        if not 0 <= seat < ruleset.players:
            raise InvalidError(f"{ruleset.name} has seats 0 to {ruleset.players - 1}, not {seat}")
        seating[seat] = read_player(game, name)
    base, changed = Branch(before, prefix, base_seating), Branch(there, moved, tuple(seating))
    if change.action is not None:
        forced = _read_legal_action(there, change.action)
        base = Branch(before.play(actions[number]), (*prefix, actions[number]), base_seating)
        changed = Branch(there.play(forced), (*moved, forced), changed.seating)
    rolls = (state for state in states[len(base.actions) : -1] if state.seat == CHANCE)
    acting = before.seat if before.seat != CHANCE else 0
    return Fork(
        game_id=game_id,
        ply=number,
        change=change,
        base=base,
        changed=changed,
        seat=min(change.strategies, default=acting),
        next_roll=next(rolls, None),
        result=states[-1].scores,
        result_ranks=states[-1].ranks,
    )


def ruleset_with_options(ruleset: Ruleset, options: Mapping[str, Any]) -> Ruleset:
    """Return a ruleset with other options; its name says which. Raises InvalidError for what is no option."""
    if not options:
        return ruleset
    document = json.loads(json.dumps(ruleset.document))
    known = document["options"]
    for key, value in options.items():
        if key not in known:
            raise unknown_name_error(f"option of {ruleset.name}", key, known)
        known[key] = value
    if known == ruleset.document["options"]:
        return ruleset
    document["name"] = f"{ruleset.name[:52]}-changed"
    said = ", ".join(f"{key} = {json.dumps(value)}" for key, value in options.items())
    document["title"] = f"{ruleset.title} ({said})"[:80]
    return read_ruleset(document, f"{ruleset.name} with {said}")


def parse_option(text: str) -> tuple[str, Any]:
    """Read `key=value`; a value that is no JSON is a text.

    >>> parse_option("gap_penalty=2"), parse_option("contact=rest")
    (('gap_penalty', 2), ('contact', 'rest'))
    """
    key, equals, value = text.partition("=")
    if not equals or not key or not value:
        raise InvalidError(f"option {text!r}: expected KEY=VALUE, as in gap_penalty=2")
    try:
        return key, json.loads(value)
    except (ValueError, RecursionError):
        return key, value


def _find_logged_player(ruleset: Ruleset, name: str) -> Player:
    try:
        return read_player(games.find_game(ruleset.game), name)
    except InvalidError as error:
        raise InvalidError(f"who played the game cannot play on: {error}") from None


def _replay_under_rules(
    logged: Ruleset, changed: Ruleset, prefix: Sequence[int], before: State
) -> tuple[State, tuple[int, ...]]:
    """Come to the same place under other rules; raise IllegalError where they would not have let it happen."""
    state = games.find_game(changed.game).start(changed)
    moved = []
    for number, action in enumerate(prefix):
        notation = logged.action(action).notation
        try:
            moved.append(changed.read_action(notation))
            state = state.play(moved[-1])
        except GameError:
            raise IllegalError(
                f"{changed.title}: the game could not have gone like this: ply {number}, {notation}"
            ) from None
    if (state.seat, state.round, state.is_over) != (before.seat, before.round, before.is_over):
        raise IllegalError(
            f"{changed.title}: the game would have come to another position by ply {len(prefix)}"
        )
    return state, tuple(moved)


def _read_legal_action(state: State, notation: str) -> int:
    """Return the action of a notation if it can be played in a position."""
    try:
        action = state.ruleset.read_action(notation)
    except AmbiguousError:
        raise
    except InvalidError as error:
        who = "a roll" if state.seat == CHANCE else f"an action of seat {state.seat}"
        raise InvalidError(f"{notation!r} is not {who}: {error}") from None
    if action not in state.actions:
        state.play(action)  # says why not
    return action
