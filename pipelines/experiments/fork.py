"""Forks: a logged game up to a ply, and from there an original and a changed branch. A strategy may choose the changed action."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from engine import games
from engine.actions import CHANCE
from engine.errors import AmbiguousError, GameError, IllegalError, InvalidError, unknown_name_error
from engine.play import replay_actions
from engine.strategies import built_in_strategies
from engine.strategy import Player, StrategyCode, check_players
from engine.wording import player_label
from pipelines.design.design import read_ruleset
from pipelines.design.openings import has_chance
from pipelines.design.own_strategies import BUILT_IN_ONLY, OwnStrategies
from pipelines.design.people import PERSON_SUBSTITUTE, is_person
from pipelines.design.short_names import short_names
from pipelines.design.titles import name_moves, tell_choice
from pipelines.simulate.checked_players import decide_once, luck_of_game
from pipelines.simulate.compiled_games import play_prefix

if TYPE_CHECKING:
    from engine.game import Game
    from engine.ruleset import Ruleset
    from engine.state import State
    from pipelines.runs.run import Run


MAX_MOVES_NAMED: Final = 3
"""Moves that a message offers in place of one that does not exist."""


@dataclass(frozen=True)
class Change:
    """What is different on the changed branch; an empty change means that only the luck is different."""

    strategies: Mapping[int, str] = field(default_factory=dict)
    """By seat, the strategy that plays from the fork on."""
    action: str | None = None
    """Notation of the action or roll that replaces the logged ply."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Options of the ruleset that are different from the beginning of the game."""
    substitutes: Mapping[int, str] = field(default_factory=dict)
    """By seat, the strategy that plays on both branches in place of the logged one, for example of a program that is not
    here. This alone is not a change."""
    quick: bool = False
    """Quick players play on at every other seat on both branches, as in a review: see `choose_quick_strategy`."""

    def __bool__(self) -> bool:
        return bool(self.strategies or self.action or self.options)

    def __str__(self) -> str:
        """Return the change in words that complete the question "what if ..."; players are counted from 1.

        >>> str(Change({0: "random"}, "r12", {"gap_penalty": 2}))
        'random played on for player 1, the move was r12, gap penalty was 2'
        >>> str(Change())
        'the luck was different'
        """
        return self._join_words(f"the move was {self.action}", {})

    def describe(self, ruleset: Ruleset, seated: Iterable[str] = (), legal: Iterable[int] = ()) -> str:
        """Return the change with the move or roll, and the strategies beside those that are `seated`, as people call them.

        A move is "the move was W5 at d12"; its name tells it from the `legal` ones.
        """
        names = short_names([*seated, *self.strategies.values(), *self.substitutes.values()])
        return self._join_words(tell_choice(ruleset, self.action, legal) if self.action else "", names)

    def _join_words(self, choice: str, names: Mapping[str, str]) -> str:
        """Return the change in words; `names` are those of strategies, if they are not called by their full ones."""
        parts = [
            f"{names.get(name, name)} played on for player {seat + 1}"
            for seat, name in sorted(self.strategies.items())
        ]
        parts += [choice] if self.action else []
        parts += [f"{key.replace('_', ' ')} was {json.dumps(value)}" for key, value in self.options.items()]
        text = ", ".join(parts) or "the luck was different"
        substitutes = ", ".join(
            f"{names.get(name, name)} as player {seat + 1}" for seat, name in sorted(self.substitutes.items())
        )
        players = " and ".join(
            [*(["quick players"] if self.quick else []), *([substitutes] if substitutes else [])]
        )
        return f"{text} (with {players} on both branches)" if players else text


QUICK_STRATEGIES: Final = ("greedy", "noisy", "random")
"""Strategies that play a game on quickly: the first one that the game has is used. In a game without dice all playouts of
greedy would be equal, so greedy is only used in games with dice."""


def choose_quick_strategy(ruleset: Ruleset) -> str:
    """Return the name of the strategy that plays on where moves are judged: in reviews, and for a `Change` with `quick`."""
    names = built_in_strategies(games.find_game(ruleset.game))
    return next(
        name for name in QUICK_STRATEGIES if name in names and (name != "greedy" or has_chance(ruleset))
    )


class AllowedStrategies(NamedTuple):
    """The own strategies and programs that a person has allowed for a fork."""

    named: OwnStrategies = BUILT_IN_ONLY
    """For the strategies that the person has named: those of a `Change`."""
    logged: OwnStrategies = BUILT_IN_ONLY
    """For the strategies that the run file names."""

    @property
    def either(self) -> OwnStrategies:
        """For players that were allowed one by one."""
        installed = tuple(dict.fromkeys(self.named.installed + self.logged.installed))
        return replace(
            self.named,
            installed=installed,
            programs=self.named.programs or self.logged.programs,
            decision_seconds=max(self.named.decision_seconds, self.logged.decision_seconds),
            functions=tuple(dict.fromkeys(self.named.functions + self.logged.functions)),
        )


NONE_ALLOWED: Final = AllowedStrategies()
"""Allows built-in strategies only."""


class PlayedActions(NamedTuple):
    """A game: its actions from the beginning to the end, and who chose them."""

    ruleset: Ruleset
    actions: Sequence[int]
    seated: Sequence[str]
    """The strategy of each seat."""
    game_id: int = 0
    block: int = 0
    code: Sequence[StrategyCode] = ()
    """The code of the own strategies that played."""


@dataclass(frozen=True)
class Branch:
    """A position, the actions that lead to it, and the players that continue from it."""

    state: State
    actions: tuple[int, ...]
    """All actions from the beginning of the game to the position."""
    seating: tuple[Player, ...]

    @property
    def is_determined(self) -> bool:
        """True if the rules determine the result."""
        return is_result_determined(self.state)


def is_result_determined(state: State) -> bool:
    """Return whether no choice is left and the next roll, if there is one, has the same result for every outcome."""
    return _determined_result(state, rolls=1) is not None


def _determined_result(state: State, *, rolls: int) -> tuple[int, ...] | None:
    """Return the final scores and ranks if the rules determine them, looking at most `rolls` rolls ahead."""
    while not state.is_over and len(state.actions) == 1:
        state = state.play(state.actions[0])
    if state.is_over:
        return (*state.scores, *state.ranks)
    if state.seat != CHANCE or not rolls:
        return None
    result = None
    for outcome in state.actions:
        outcome_result = _determined_result(state.play(outcome), rolls=rolls - 1)
        if outcome_result is None or (result is not None and outcome_result != result):
            return None
        result = outcome_result
    return result


@dataclass(frozen=True)
class Fork:
    """Two branches of one logged game."""

    game_id: int
    ply: int
    change: Change
    base: Branch
    changed: Branch
    seat: int
    """The seat that the question is about: the first one whose strategy is changed; otherwise the one that acts at the
    ply; at a roll seat 0."""
    next_roll: State | None
    """The next position of the logged game in which chance acts; its outcomes are the strata of the continuations."""
    result: tuple[int, ...]
    """The logged final scores."""
    result_ranks: tuple[int, ...]
    """The logged ranks."""
    own: OwnStrategies = BUILT_IN_ONLY
    """The own strategies and programs that may play in the branches."""
    block: int = 0
    """The block of the game in its run: games of one block have the same luck and are not independent."""

    @property
    def ruleset(self) -> Ruleset:
        """The rules of the logged game."""
        return self.base.state.ruleset

    @property
    def is_determined(self) -> bool:
        """True if the difference of the branches is known: they are the same, or the rules determine both results."""
        if not self.change:
            return False
        return self.has_equal_branches or (self.base.is_determined and self.changed.is_determined)

    @property
    def has_equal_branches(self) -> bool:
        """True if both branches have the same position, rules and players, so that only luck could make a difference."""
        base, changed = self.base, self.changed
        same_players = [player.name for player in base.seating] == [player.name for player in changed.seating]
        return (
            same_players and base.actions == changed.actions and base.state.ruleset == changed.state.ruleset
        )


def fork_logged_game(
    run: Run, game_id: int, ply: int, change: Change, allowed: AllowedStrategies = NONE_ALLOWED
) -> Fork:
    """Fork a logged game before a ply; a negative ply counts from the end.

    For the people of a game by hand a quick strategy plays on, unless the change names another (`PERSON_SUBSTITUTE`).

    Raises InvalidError for a strategy that is not `allowed`, and for a ply, seat, strategy or option that does not exist.
    Raises IllegalError for an action that is not legal at the ply, and for options under which the game could not have
    reached this position.
    """
    summary = run.game(game_id)
    ruleset = run.ruleset(summary.ruleset)
    seated = [run.notations.get(seat.strategy, seat.strategy) for seat in run.list_seats(game_id)]
    if run.summary.is_by_hand and not change.quick:
        people = {seat: PERSON_SUBSTITUTE for seat, text in enumerate(seated) if is_person(text)}
        seated = [people.get(seat, text) for seat, text in enumerate(seated)]
        substitutes = {seat: name for seat, name in people.items() if seat not in change.strategies}
        change = replace(change, substitutes={**substitutes, **change.substitutes})
    built_in = built_in_strategies(games.find_game(ruleset.game))
    needs_code = any(name.partition(":")[0] not in built_in for name in seated)
    code = run.design.code if needs_code else ()
    played = PlayedActions(ruleset, run.actions(game_id), seated, game_id, summary.block, code)
    return fork_played_actions(played, ply, change, allowed)


def fork_played_actions(
    played: PlayedActions, ply: int, change: Change, allowed: AllowedStrategies = NONE_ALLOWED
) -> Fork:
    """Fork a game that need not be in a run, as `fork_logged_game` does."""
    ruleset, actions, seated, game_id, block, code = played
    number = _find_ply_number(game_id, len(actions), ply, "it cannot fork before")
    game = games.find_game(ruleset.game)
    states = list(replay_actions(game.start(ruleset), actions))
    before = states[number]
    changed_rules = ruleset_with_options(ruleset, change.options)
    prefix = tuple(actions[:number])
    changed_state, changed_prefix = (
        _replay_under_rules(ruleset, changed_rules, prefix, before) if change.options else (before, prefix)
    )
    for seat in (*change.strategies, *change.substitutes):
        if not 0 <= seat < ruleset.players:
            raise InvalidError(f"{ruleset.name} has players 1 to {ruleset.players}, not {seat + 1}")
    quick = dict.fromkeys(range(ruleset.players), choose_quick_strategy(ruleset)) if change.quick else {}
    changed_players = {
        seat: allowed.named.parse_player(game, text) for seat, text in change.strategies.items()
    }
    substitutes = {
        seat: allowed.named.parse_player(game, text)
        for seat, text in (quick | dict(change.substitutes)).items()
    }
    # The code of a strategy may have changed since the game, and then it is another one.
    named_players = {
        player.name: player
        for player in (*changed_players.values(), *substitutes.values())
        if player.strategy.code is None or player.strategy.code in code
    }
    base_seating = tuple(
        substitutes.get(seat)
        or named_players.get(text)
        or _find_logged_player(game, seat, text, allowed.logged, code)
        for seat, text in enumerate(seated)
    )
    seating = [changed_players.get(seat, player) for seat, player in enumerate(base_seating)]
    check_players((*base_seating, *seating), ruleset)
    check_players(seating, changed_rules)
    base = Branch(before, prefix, base_seating)
    changed = Branch(changed_state, changed_prefix, tuple(seating))
    if change.action is not None:
        action = _read_legal_action(changed_state, change.action, number)
        change = replace(change, action=changed_rules.action(action).notation)
        base = Branch(before.play(actions[number]), (*prefix, actions[number]), base_seating)
        changed = Branch(changed_state.play(action), (*changed_prefix, action), changed.seating)
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
        own=allowed.either,
        block=block,
    )


def ruleset_with_options(ruleset: Ruleset, options: Mapping[str, Any]) -> Ruleset:
    """Return a ruleset with some options changed, under another name and title.

    Raises InvalidError for an option that the ruleset does not have and for an invalid value.
    """
    if not options:
        return ruleset
    document = json.loads(json.dumps(ruleset.document))
    all_options = document["options"]
    for key, value in options.items():
        if key not in all_options:
            raise unknown_name_error(f"option of {ruleset.name}", key, all_options)
        all_options[key] = value
    if all_options == ruleset.document["options"]:
        return ruleset
    document["name"] = f"{ruleset.name[:52]}-changed"
    changes = ", ".join(f"{key} = {json.dumps(value)}" for key, value in options.items())
    document["title"] = f"{ruleset.title} ({changes})"[:80]
    return read_ruleset(document, f"{ruleset.name} with {changes}")


def parse_option(text: str) -> tuple[str, Any]:
    """Parse `key=value`; a value that is not valid JSON is a string. Raises InvalidError for other text.

    >>> parse_option("gap_penalty=2"), parse_option("contact=rest")
    (('gap_penalty', 2), ('contact', 'rest'))
    """
    key, equals, value = text.partition("=")
    if not equals or not key or not value:
        raise InvalidError(f"expected KEY=VALUE, as in gap_penalty=2, not {text[:60]!r}")
    try:
        return key, json.loads(value)
    except (ValueError, RecursionError):
        return key, value


def format_option(key: str, value: object) -> str:
    """Return the text that `parse_option` parses.

    >>> format_option("gap_penalty", 2), format_option("contact", "rest"), format_option("name", "2")
    ('gap_penalty=2', 'contact=rest', 'name="2"')
    """
    if isinstance(value, str) and value and parse_option(f"{key}={value}") == (key, value):
        return f"{key}={value}"
    return f"{key}={json.dumps(value)}"


def name_move(ply: int) -> str:
    """Return what people call a ply; a negative one counts from the end.

    >>> name_move(0), name_move(-1)
    ('move 1', 'move -1')
    """
    return f"move {ply + (ply >= 0)}"


def position_before(run: Run, game_id: int, ply: int) -> State:
    """Return the position of a logged game before a ply."""
    ruleset = run.ruleset(run.game(game_id).ruleset)
    *_, state = replay_actions(games.start_state(ruleset), run.actions(game_id)[:ply])
    return state


def _find_logged_player(
    game: Game, seat: int, text: str, own_strategies: OwnStrategies, code: Sequence[StrategyCode]
) -> Player:
    """Return the player that the log names for a seat. Raises InvalidError if it is not allowed or not available."""
    try:
        own_strategies.check_lineup(game, [text], code, "the logged game")
        return own_strategies.parse_player(game, text)
    except InvalidError as error:
        raise InvalidError(
            f"player {seat + 1} was {player_label(text)}, which cannot play on: {error}; or say which strategy takes this seat on "
            f"both branches: stand_ins={{{seat}: STRATEGY}} in Python, --stand-in {seat + 1}=STRATEGY in commands"
        ) from None


def _replay_under_rules(
    logged: Ruleset, changed: Ruleset, prefix: Sequence[int], before: State
) -> tuple[State, tuple[int, ...]]:
    """Replay the actions of a game under other rules and return the position and the numbers of the actions there.

    Raises IllegalError if an action is not legal or if another seat is to act.
    """
    state = games.find_game(changed.game).start(changed)
    actions = []
    for number, action in enumerate(prefix):
        notation = logged.action(action).notation
        try:
            actions.append(changed.read_action(notation))
            state = state.play(actions[-1])
        except GameError:
            raise IllegalError(
                f"{changed.title}: move {number + 1} of the game, {notation}, is not legal under these rules"
            ) from None
    if (state.seat, state.round, state.is_over) != (before.seat, before.round, before.is_over):
        raise IllegalError(
            f"{changed.title}: under these rules the game would be in another position at move {len(prefix) + 1}"
        )
    return state, tuple(actions)


def _read_legal_action(state: State, notation: str, ply: int) -> int:
    """Return the number of the action with this notation, or that people call so; raise InvalidError or IllegalError if it cannot be played."""
    names = name_moves(state)
    if notation in names.values():
        return next(number for number, name in names.items() if name == notation)
    try:
        action = state.ruleset.read_action(notation)
    except AmbiguousError:
        raise
    except InvalidError as error:
        who = "a roll" if state.seat == CHANCE else f"an action of player {state.seat + 1}"
        roll = state.ruleset.action(state.actions[0]).notation
        reason = (
            f"expected a roll such as {roll!r}; the move after it is ply {ply + 1}"
            if state.seat == CHANCE
            else str(error).removeprefix(f"{notation!r} is not an action of {state.ruleset.name}: ")
        )
        near = [name for name in names.values() if name.startswith(notation)] or get_close_matches(
            notation, names.values()
        )
        hint = f"; did you mean {' or '.join(map(repr, near[:MAX_MOVES_NAMED]))}?" if near else ""
        raise InvalidError(f"{notation!r} is not {who}: {reason}{hint}") from None
    if action not in state.actions:
        state.play(action)  # raises IllegalError with the reason
    return action


def find_strategy_action(
    run: Run, game_id: int, ply: int, strategy: str, own_strategies: OwnStrategies
) -> str:
    """Return the notation of the action that a strategy would choose in place of a logged one; a negative ply counts from the end.

    Raises InvalidError if the strategy does not exist, if the ply is a roll, and if the strategy chooses what was played.
    """
    ruleset = run.ruleset(run.game(game_id).ruleset)
    actions = run.actions(game_id)
    number = _find_ply_number(game_id, len(actions), ply, "there is no")
    state, plies = play_prefix(ruleset, actions[:number])
    if state.seat == CHANCE:
        raise InvalidError(f"move {number + 1} of game {game_id + 1} is a roll: no strategy chooses it")
    player = own_strategies.parse_player(games.find_game(ruleset.game), strategy)
    action = decide_once(player, state, plies, luck_of_game(run, game_id))
    notation = ruleset.action(action).notation
    if action == actions[number]:
        raise InvalidError(
            f"{player.label} would have chosen {notation} at move {number + 1}, too, so nothing would be different"
        )
    return notation


def _find_ply_number(game_id: int, plies: int, ply: int, effect: str) -> int:
    """Return the number of a ply from 0; a negative `ply` counts from the end.

    Raises InvalidError if the game has no such ply. The message says the `effect` on the move that was asked for.
    """
    number = plies + ply if ply < 0 else ply
    if not 0 <= number < plies:
        raise InvalidError(f"game {game_id + 1} has moves 1 to {plies}, so {effect} {name_move(ply)}")
    return number
