"""Games by hand: people and strategies take the seats of one game, which becomes a run.

A game in progress (`HandGame`) consists of who sits where, the luck, and the moves so far as a short text, which the page Play
keeps in the address and a terminal prints. `keep_game` makes it a run, and `compare_choices` compares its moves with those of a
strategy. The entries of the text are separated by dots:

    1a      the action of this number, in base 36, by the seat that has to act
    ~greedy a hint: the person who has to act has looked at what `greedy` would do; of the settings of a strategy, what
            would not be clear here is written as in an address, `~noisy:sigma=0%2E5`
    _       an undo: the last choice of a person is taken back, and everything after it

The dice are not in the text, because they follow from the seed; nor are moves without a choice, such as to pass.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import quote, unquote

from engine import games
from engine.actions import CHANCE
from engine.errors import IllegalError, InvalidError
from engine.luck import Luck
from engine.play import Ply, play_action
from engine.strategies import DEFAULT_STRENGTH, STRENGTHS, built_in_strategies, choose_opponent, read_player
from engine.strategy import Player, check_players
from engine.wording import format_count, player_label
from pipelines.design.design import check_seed
from pipelines.design.designs import HandDesign, HandHint, HandRecord, HandUndo
from pipelines.design.limits import MAX_MOVES_CHARACTERS, check_length, choose_title
from pipelines.design.lineups import format_lineup
from pipelines.design.own_strategies import BUILT_IN_ONLY, OwnStrategies, code_of_players
from pipelines.design.people import PERSON, is_person, read_person
from pipelines.design.titles import format_ruleset
from pipelines.runs.names import default_run_name, run_path
from pipelines.simulate.checked_players import decide_checked, decide_once, find_rules_fault, luck_of_game
from pipelines.simulate.compiled_games import play_prefix
from pipelines.simulate.errors import PlayError
from pipelines.simulate.shard_tables import PlayedGame
from pipelines.simulate.shards import seal_finished_games

if TYPE_CHECKING:
    from engine.ruleset import Ruleset
    from engine.state import State
    from pipelines.runs.library import Library
    from pipelines.runs.run import Run

UNDO: Final = "_"
HINT_MARK: Final = "~"

_ACTION_PATTERN: Final = re.compile(r"[0-9a-z]{1,8}")
_HINT_PATTERN: Final = re.compile(r"~[\w%][\w%:=,-]*", re.ASCII)
_DIGITS: Final = "0123456789abcdefghijklmnopqrstuvwxyz"


class GameOrigin(NamedTuple):
    """The logged game that a game by hand goes on from."""

    run: str
    game_id: int


@dataclass(frozen=True)
class HandSetup:
    """What is fixed before the first move of a game by hand."""

    ruleset: Ruleset
    seats: tuple[str, ...]
    """The player of each seat, in standard form: a strategy or a person."""
    luck: Luck
    prefix: tuple[int, ...] = ()
    """The actions of the logged game, up to the position that is played on from."""
    origin: GameOrigin | None = None
    has_own_luck: bool = True
    """False if the dice are those of the logged game."""
    own: OwnStrategies = BUILT_IN_ONLY
    """The own strategies that a person has allowed."""
    ruleset_json: str = field(init=False)
    """The ruleset as JSON text, which code of own strategies cannot change."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "ruleset_json", json.dumps(self.ruleset.document))

    @cached_property
    def players(self) -> tuple[Player | None, ...]:
        """The strategy of each seat; None for a person."""
        return tuple(None if is_person(text) else self.parse_player(text) for text in self.seats)

    def parse_player(self, text: str) -> Player:
        """Return the player for the text of a strategy; raise InvalidError if it is unknown or not allowed."""
        return self.own.parse_player(games.find_game(self.ruleset.game), text)


class Hint(NamedTuple):
    """A hint that a person has looked at."""

    ply: int
    seat: int
    strategy: str


class TakenBackMove(NamedTuple):
    """A move of a person that was taken back."""

    ply: int
    seat: int
    action: int


def prepare_game(
    ruleset: Ruleset, seats: Sequence[str], seed: int, own_strategies: OwnStrategies = BUILT_IN_ONLY
) -> HandSetup:
    """Return the setup of a new game; raise InvalidError for a player or a seed that does not exist.

    `own_strategies` are the own strategies that a person has allowed.
    """
    return HandSetup(
        ruleset, read_seats(ruleset, seats, own_strategies), _read_luck(seed), own=own_strategies
    )


def prepare_continuation(  # noqa: PLR0913, PLR0917 - the place, the players and the luck
    run: Run,
    game_id: int,
    ply: int,
    seats: Sequence[str],
    seed: int | None = None,
    own_strategies: OwnStrategies = BUILT_IN_ONLY,
) -> HandSetup:
    """Return the setup of a game that goes on from a logged game, before its ply number `ply`.

    Without a `seed` the dice are those of the logged game; an imported game has none, so it goes on with seed 0. `own_strategies` are
    the own strategies that a person has allowed. Raises InvalidError for a game, ply or player that does not exist.
    """
    ruleset = run.ruleset(run.game(game_id).ruleset)
    actions = run.actions(game_id)
    if not 0 <= ply < len(actions):
        raise InvalidError(
            f"game {game_id + 1} of run {run.name} has moves 1 to {len(actions)}, so it cannot be played on "
            f"from move {ply + 1}"
        )
    return HandSetup(
        ruleset,
        read_seats(ruleset, seats, own_strategies),
        luck_of_game(run, game_id) if seed is None else _read_luck(seed),
        prefix=tuple(actions[:ply]),
        origin=GameOrigin(run.name, game_id),
        has_own_luck=seed is not None,
        own=own_strategies,
    )


def _read_luck(seed: int) -> Luck:
    check_seed(seed)
    return Luck(seed, 0)


def read_seats(
    ruleset: Ruleset, seats: Sequence[str], own_strategies: OwnStrategies = BUILT_IN_ONLY
) -> tuple[str, ...]:
    """Return the players of the seats in standard form.

    A strength, such as hard, becomes the strategy behind it. Raises InvalidError for an unknown strategy, a wrong number of
    seats, or if no person plays.
    """
    if len(seats) != ruleset.players:
        raise InvalidError(
            f"{ruleset.name} has {format_count(ruleset.players, 'seat')}, so it takes {format_count(ruleset.players, 'player')}, not {len(seats)}"
        )
    game = games.find_game(ruleset.game)
    if not any(map(is_person, seats)):
        raise InvalidError(f"nobody plays by hand: write {PERSON} for at least one seat")
    strengths = set(STRENGTHS) - own_strategies.playable_strategies(game).keys()
    seats = [choose_opponent(ruleset, text).strategy if text in strengths else text for text in seats]
    check_players([own_strategies.parse_player(game, text) for text in seats if not is_person(text)], ruleset)
    return tuple(
        read_person(text) if is_person(text) else own_strategies.parse_player(game, text).name
        for text in seats
    )


def default_seats(
    ruleset: Ruleset, seat: int, logged: Sequence[str] = (), opponent: str = DEFAULT_STRENGTH
) -> tuple[str, ...]:
    """Return the players if a person takes one seat: the logged strategies play the others, or the opponent for them."""
    known = built_in_strategies(games.find_game(ruleset.game))
    others = [text if text.partition(":")[0] in known else opponent for text in logged]
    others += [opponent] * (ruleset.players - len(others))
    return tuple(PERSON if number == seat else text for number, text in enumerate(others))


@dataclass
class HandGame:
    """A game by hand in progress. Create it with `continue_game`."""

    setup: HandSetup
    state: State
    plies: list[Ply]
    """All plies from the beginning of the game, those of the logged game included."""
    entries: list[str] = field(default_factory=list)
    """The entries of the text."""
    hints: list[Hint] = field(default_factory=list)
    undos: list[TakenBackMove] = field(default_factory=list)
    _choices: list[tuple[int, State]] = field(default_factory=list)
    """For each choice of a person that counts: the number of its ply, and the position before it."""

    @property
    def text(self) -> str:
        return ".".join(self.entries)

    @property
    def actions(self) -> list[int]:
        return [ply.action for ply in self.plies]

    @property
    def choices(self) -> list[tuple[int, State]]:
        """For each choice of a person that was not taken back: the number of its ply, and the position before it."""
        return list(self._choices)

    @property
    def can_undo(self) -> bool:
        return bool(self._choices)

    def choose(self, action: int) -> None:
        """Play the action of the seat that has to act, then what needs no choice.

        Raises IllegalError if the action is not legal.
        """
        state = self.state
        if state.is_over or action not in state.actions:
            why = "the game is over" if state.is_over else f"round {state.round + 1}"
            raise IllegalError(f"this move is not legal here ({why})")
        if self.setup.players[state.seat] is None:
            self._choices.append((len(self.plies), state))
        self._play(action)
        self.entries.append(_format_number(action))
        self._play_forced()

    def undo(self) -> None:
        """Take back the last choice of a person and all that follows it; raise IllegalError if no person has chosen yet."""
        if not self._choices:
            raise IllegalError("there is no move to take back")
        number, state = self._choices.pop()
        self.undos.append(TakenBackMove(number, state.seat, self.plies[number].action))
        del self.plies[number:]
        self.state = state
        self.entries.append(UNDO)

    def ask_hint(self, strategy: str) -> int:
        """Return what a strategy would do in place of the person who has to act, and note that the person asked.

        Raises InvalidError if the strategy does not exist, or if the game is over, and PlayError if an own strategy fails.
        """
        if self.state.is_over:
            raise InvalidError("the game is over, so there is no hint")
        action = self._decide(self.setup.parse_player(strategy))
        hint = Hint(len(self.plies), self.state.seat, strategy)
        if hint not in self.hints:
            self.hints.append(hint)
            self.entries.append(_format_hint(strategy))
        return action

    def let_strategies_play(self) -> None:
        """Let the strategies act until a person has to choose or the game is over.

        Raises PlayError if an own strategy fails; the game is then as before its turn.
        """
        while not self.state.is_over:
            player = self.setup.players[self.state.seat]
            if player is None:
                return
            self.choose(self._decide(player))

    def _decide(self, player: Player) -> int:
        seconds = self.setup.own.decision_seconds
        return decide_checked(player, self.state, self.plies, self.setup.luck, seconds)

    def read_entry(self, entry: str) -> None:
        """Apply one entry of a text; raise InvalidError or IllegalError if it cannot be read or is not legal."""
        if entry == UNDO:
            self.undo()
        elif _HINT_PATTERN.fullmatch(entry) and not self.state.is_over:
            strategy = unquote(entry.removeprefix(HINT_MARK))
            self.setup.parse_player(strategy)
            self.hints.append(Hint(len(self.plies), self.state.seat, strategy))
            self.entries.append(entry)
        elif _ACTION_PATTERN.fullmatch(entry):
            self.choose(int(entry, 36))
        else:
            raise InvalidError("it is neither an action, nor a hint, nor an undo")

    def _play(self, action: int) -> None:
        self.state = play_action(self.state, action, self.plies)

    def _play_forced(self) -> None:
        """Roll the dice, and play moves that leave no choice and draw nothing, such as to pass."""
        while not self.state.is_over:
            actions = self.state.actions
            if self.state.seat == CHANCE:
                self._play(self.state.chance_outcome(self.setup.luck))
            elif len(actions) == 1 and not self.setup.ruleset.action(actions[0]).cells:
                self._play(actions[0])
            else:
                return


def continue_game(setup: HandSetup, text: str = "") -> HandGame:
    """Return the game after the moves in a text. Strategies that have to act do not act yet.

    Raises InvalidError or IllegalError, in one line that names the entry, if the text does not fit the rules.
    """
    check_length(text, MAX_MOVES_CHARACTERS, "the text of the moves")
    game = HandGame(setup, *play_prefix(setup.ruleset, setup.prefix))
    game._play_forced()  # noqa: SLF001 - this function begins a game
    for number, entry in enumerate(text.split(".") if text else [], start=1):
        try:
            game.read_entry(entry)
        except (InvalidError, IllegalError) as error:
            raise type(error)(f"moves: entry {number}, {entry[:60]!r}: {error}") from None
    return game


def _format_hint(strategy: str) -> str:
    """Return the entry of a hint, in which a dot would end the entry.

    >>> _format_hint("greedy"), _format_hint("noisy:sigma=0.5")
    ('~greedy', '~noisy:sigma=0%2E5')
    """
    return f"{HINT_MARK}{quote(strategy, safe=':=,').replace('.', '%2E').replace('~', '%7E')}"


def _format_number(number: int) -> str:
    """Return a number in base 36.

    >>> _format_number(0), _format_number(46), int(_format_number(99_999), 36)
    ('0', '1a', 99999)
    """
    digits = _DIGITS[number % 36]
    while number := number // 36:
        digits = _DIGITS[number % 36] + digits
    return digits


class ComparedChoice(NamedTuple):
    """A choice of a person, and that of a strategy in the same position."""

    ply: int
    before: State
    own: int
    """The action of the person."""
    other: int
    """The action of the strategy."""


def compare_choices(game: HandGame, strategy: str) -> list[ComparedChoice]:
    """Return every choice of a person that was not taken back, with that of a strategy.

    The strategy has the luck that it would have had in that seat. Raises InvalidError if it does not exist.
    """
    player = read_player(games.find_game(game.setup.ruleset.game), strategy)
    return [
        ComparedChoice(
            ply,
            before,
            game.plies[ply].action,
            decide_once(player, before, game.plies[:ply], game.setup.luck),
        )
        for ply, before in game.choices
    ]


def hand_design(game: HandGame) -> HandDesign:
    """Return the design of the run that a finished game becomes; raise InvalidError if the game is not over."""
    setup, ruleset = game.setup, game.setup.ruleset
    if not game.state.is_over:
        raise InvalidError("the game is not over, so it cannot be kept yet")
    lineup = tuple(dict.fromkeys(setup.seats))
    hint_players = [setup.parse_player(hint.strategy) for hint in game.hints]
    who = format_lineup([player_label(text) for text in setup.seats])
    start = f", from move {len(setup.prefix) + 1} of a logged game" if setup.origin else ""
    design = HandDesign(
        title=choose_title(None, f"By hand: {format_ruleset(ruleset)}: {who}{start}"),
        ruleset=json.loads(setup.ruleset_json),
        lineup=lineup,
        seatings=(tuple(map(lineup.index, setup.seats)),),
        blocks=1,
        seed=setup.luck.seed,
        shard_blocks=1,
        code=code_of_players([*filter(None, setup.players), *hint_players]),
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
    """Return the run of the library that holds exactly this game, with the same hints and undos, or None."""
    design = hand_design(game)
    for run in library.runs():
        if run.summary.is_by_hand and run.summary.command == design.command:
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
    if target is None and (kept_run := find_kept_game(library, game)):
        return kept_run
    name = default_run_name(f"hand-{game.setup.ruleset.name}")
    played = PlayedGame(0, 0, game.state, game.plies)
    return seal_finished_games(
        design, iter([played]), target or run_path(library.runs_folder, name), free_name=target is None
    )
