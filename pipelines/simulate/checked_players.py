"""Players whose decisions are checked: own strategies must return legal actions in time, and errors name the place.

`play_game` wraps every player of a game in a DecisionTracker; the tracker turns an error into a PlayError.

The time limit of decisions by own strategies, and a report on the strategy that took its worker process down.
DecisionTimer watches the decisions of a worker process in three ways:

- an interval timer interrupts Python code, also while it sleeps, when the time is over or the run is cancelled;
- a second timer ends the process a little later, in case compiled code of a library cannot be interrupted;
- a note on disk says which strategy is deciding and where. If the process dies, `find_crash_message` reads the note.
"""

from __future__ import annotations

import contextlib
import copy
import faulthandler
import json
import math
import mmap
import operator
import os
import signal
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

from engine import games, line_protocol, own_strategies
from engine.actions import CHANCE
from engine.errors import GameError, format_error
from engine.line_protocol import ProgramError, ProgramStartError
from engine.play import DecisionCounter, Ply
from engine.strategy import FAILURE_PARAMETER, Player
from pipelines.simulate.errors import PlayError

if TYPE_CHECKING:
    from engine.luck import Luck, Source
    from engine.ruleset import Ruleset
    from engine.state import State
    from pipelines.runs.run import Run


PLAY_ON_ADVICE: Final = f"; with {FAILURE_PARAMETER.name}={FAILURE_PARAMETER.choices[1]} after its command, a new run finishes such games with random moves"


class IllegalReturnError(GameError):
    """An own strategy returned something that is not a legal action. The message continues "returned ..."."""


class DecisionTimes:
    """Adds up the thinking time of players, by label and seat."""

    def __init__(self) -> None:
        self.sums: dict[tuple[str, int], tuple[int, float]] = {}
        """Number of decisions and their seconds, by label and seat."""
        self.failures: dict[tuple[int, int], tuple[str, str]] = {}
        """By game and seat, the label of a program that failed and whose moves are random from there; and where and how."""

    def add_decision(self, label: str, seat: int, seconds: float) -> None:
        decisions, total = self.sums.get((label, seat), (0, 0.0))
        self.sums[label, seat] = decisions + 1, total + seconds


class DecisionTracker(DecisionCounter):
    """Follows one game, so that an error can name the player, ply, round and seat.

    With a `timer`, decisions of own strategies are limited in time. With `times`, all decisions are timed.
    """

    def __init__(
        self,
        game_id: int,
        timer: DecisionTimer | None = None,
        times: DecisionTimes | None = None,
        *,
        noun: str = "",
    ) -> None:
        """Messages name the game and the move, which count from 1, or only the `noun` if the game is part of an experiment."""
        super().__init__()
        self.plies: list[Ply] = []
        """The plies so far; filled by `play_out`."""
        self._game_id = game_id
        self._noun = noun
        self._timer = timer
        self._times = times
        self._player_name = ""
        self._place = ""

    def _name_move(self) -> str:
        return self._noun or f"game {self._game_id + 1}, move {len(self.plies) + 1}"

    def wrap_player(self, player: Player) -> Callable[[State, Source], int]:
        """Return the decision function of a player, with the checks that the player needs."""
        decide, name, code = player.decide, player.name, player.strategy.code

        def decide_tracked(state: State, source: Source) -> int:
            self._player_name = name
            self._place = f"{self._name_move()}, round {state.round + 1}, player {state.seat + 1}"
            if code is None and not player.texts:
                return decide(state, source)
            own_state = (
                copy.copy(state) if code else state
            )  # whatever own code does to its copy, the game goes on from `state`
            if self._timer is None:
                return check_returned_action(state, decide(own_state, source))
            # a program (code is None) has its own time limit, in the line protocol
            with self._timer.limit_decision(name, self._place, has_own_limit=code is None):
                return check_returned_action(state, decide(own_state, source))

        times = self._times
        if times is None:
            return decide_tracked

        def decide_timed(state: State, source: Source) -> int:
            seat, started = state.seat, time.perf_counter()
            if (self._game_id, seat) in times.failures:
                return source.choice(state.actions)
            try:
                action = decide_tracked(state, source)
            except ProgramError as error:
                if not player.plays_on or isinstance(error, ProgramStartError):
                    raise
                times.failures[self._game_id, seat] = player.label, f"{self._place}: {error}"
                action = source.choice(state.actions)
            times.add_decision(player.label, seat, time.perf_counter() - started)
            return action

        return decide_timed

    def make_play_error(self, error: BaseException) -> PlayError:
        """Return the PlayError that reports an error which ended the game."""
        player, place = self._player_name, self._place
        if not player:
            return PlayError(f"{self._name_move()}: {format_error(error)}")
        if isinstance(error, DecisionTimeout):
            seconds = self._timer.seconds if self._timer else 0
            return PlayError(f"{player} did not decide within {seconds:g} s ({place})")
        if isinstance(error, IllegalReturnError):
            return PlayError(f"{player} returned {error} ({place})")
        if isinstance(error, ProgramError):
            advice = "" if isinstance(error, ProgramStartError) or self._times is None else PLAY_ON_ADVICE
            return PlayError(f"{player} failed ({place}): {error}{advice}")
        if isinstance(error, SystemExit):
            error = RuntimeError("it called sys.exit").with_traceback(error.__traceback__)
        line = own_strategies.find_error_place(error)
        message = " ".join(str(error).split())[:300]
        return PlayError(
            f"{player} raised {type(error).__name__}{f' at {line}' if line else ''} ({place})"
            f"{f': {message}' if message else ''}"
        )


def find_rules_fault(untouched: Ruleset, end: State, plies: Sequence[Ply]) -> int | None:
    """Replay a game under a copy of its ruleset that no own strategy has seen.

    Return the first ply that differs, the number of plies if only the end differs, or None. A difference means that own
    code has changed the ruleset.
    """
    state = games.start_state(untouched)
    for number, ply in enumerate(plies):
        if (
            state.is_over
            or (state.round, state.seat) != (ply.round, ply.seat)
            or ply.action not in state.actions
        ):
            return number
        before, state = state, state.play(ply.action)
        if before.seat != CHANCE and (len(before.actions), state.score(before.seat)) != (
            ply.options,
            ply.score,
        ):
            return number
    is_same_end = state.is_over and (state.parts, state.ranks) == (end.parts, end.ranks)
    return None if is_same_end else len(plies)


def check_returned_action(state: State, action: object) -> int:
    """Return an action as an int. Raises IllegalReturnError if it is not one of the legal actions of `state`."""
    try:
        number = operator.index(action)  # type: ignore[arg-type]  # raises TypeError unless it is an integer
    except TypeError:
        number = None
    if number is None or isinstance(action, bool):
        raise IllegalReturnError(f"{action!r:.60}; expected a number from state.actions")
    if number not in state.actions:
        raise IllegalReturnError(f"{number}, which is not one of the {len(state.actions)} legal actions")
    return number


def luck_of_game(run: Run, game_id: int) -> Luck:
    """Return the luck of a logged game."""
    return run.design.luck_of_block(run.game(game_id).block)


def decide_once(player: Player, state: State, plies: Sequence[Ply], luck: Luck) -> int:
    """Return the action of a strategy for the seat that has to act in `state`, which follows `plies`."""
    number = 0
    for ply in reversed(plies):
        if ply.round != state.round:
            break
        number += ply.seat == state.seat
    return int(player.decide(state, luck.source(state.round, state.seat, number)))


def decide_checked(player: Player, state: State, plies: Sequence[Ply], luck: Luck, seconds: float) -> int:
    """Do the same as `decide_once`; limit the time of a strategy that is not built in, and check its action.

    Raises PlayError if such a strategy fails, returns an illegal action, or decides longer than `seconds`. To be called in
    the main thread.
    """
    if player.strategy.code is None and not player.texts:
        return decide_once(player, state, plies, luck)
    with (
        tempfile.TemporaryDirectory() as folder,
        DecisionTimer(Path(folder), seconds, lambda: False) as timer,
    ):
        tracker = DecisionTracker(0, timer)
        tracker.plies = list(plies)
        try:
            return decide_once(replace(player, decide=tracker.wrap_player(player)), state, plies, luck)
        except (Exception, SystemExit, DecisionTimeout) as error:
            raise tracker.make_play_error(error) from error


KILL_GRACE_SECONDS: Final = 2.0
"""Seconds between the end of a decision's time and the end of its process, if the decision cannot be interrupted."""
CHECK_INTERVAL_SECONDS: Final = 0.5
"""Seconds between two checks whether a decision may go on."""
_NOTE_BYTES: Final = 1024
_NOTE_PREFIX: Final = "deciding-"


class DecisionTimeout(BaseException):
    """A decision took too long. It is no Exception, so that the interrupted code does not catch it by accident."""


class DecisionInterrupted(BaseException):
    """The run was cancelled during a decision."""


class DecisionTimer:
    """Limits the time of decisions in this process. It is a context manager for the main thread."""

    def __init__(self, folder: Path, seconds: float, is_cancelled: Callable[[], bool]) -> None:
        self.seconds = seconds
        """Seconds that one decision may take."""
        self._is_cancelled = is_cancelled
        self._note_path = folder / f"{_NOTE_PREFIX}{os.getpid()}"
        self._deadline: float | None = None
        self._handlers: dict[int, Any] = {}

    def __enter__(self) -> Self:
        self._note_path.parent.mkdir(exist_ok=True)
        self._note_path.write_bytes(bytes(_NOTE_BYTES))
        with self._note_path.open("r+b") as file:
            self._note = mmap.mmap(
                file.fileno(), _NOTE_BYTES
            )  # outlives the process, and needs no system call
        self._null_file = Path(os.devnull).open("w", encoding="utf-8")
        self._handlers[signal.SIGALRM] = signal.signal(signal.SIGALRM, self._check_time)
        self._handlers[signal.SIGTERM] = signal.signal(signal.SIGTERM, _exit_process)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        self._null_file.close()
        self._note.close()
        self._note_path.unlink(missing_ok=True)

    @contextmanager
    def limit_decision(self, who: str, where: str, *, has_own_limit: bool = False) -> Iterator[None]:
        """Limit the time of the decision that is made in this context.

        `who` and `where` go into the note on disk. With `has_own_limit` the decision limits its time itself, and only
        the cancelling of the run is watched. Raises DecisionTimeout when the time is over, DecisionInterrupted when
        the run is cancelled.
        """
        limit = None if has_own_limit or math.isinf(self.seconds) else self.seconds
        self._write_note({"who": who, "where": where, "since": time.monotonic(), "seconds": limit})
        interval = CHECK_INTERVAL_SECONDS if limit is None else min(CHECK_INTERVAL_SECONDS, limit)
        self._deadline = float("inf") if limit is None else time.monotonic() + limit
        if limit is not None:
            faulthandler.dump_traceback_later(limit + KILL_GRACE_SECONDS, exit=True, file=self._null_file)
        signal.setitimer(signal.ITIMER_REAL, interval, interval)
        try:
            yield
        finally:
            self._deadline = None
            signal.setitimer(signal.ITIMER_REAL, 0)
            faulthandler.cancel_dump_traceback_later()
            if not self._note.closed:  # a signal on the way into the context leaves it later than the timer
                self._note[0] = 0

    def _check_time(self, *_: object) -> None:
        """Handle SIGALRM: interrupt the decision if its time is over or the run is cancelled."""
        if self._deadline is None:
            return
        if time.monotonic() >= self._deadline:
            raise DecisionTimeout
        if self._is_cancelled():
            raise DecisionInterrupted

    def _write_note(self, note: dict[str, object]) -> None:
        text = json.dumps(note).encode()
        if len(text) >= _NOTE_BYTES:
            text = json.dumps({**note, "who": str(note["who"])[:60]}).encode()
        self._note[: len(text) + 1] = text + b"\0"


def _exit_process(*_: object) -> None:
    """Handle SIGTERM: end the programs that this process started, then the process."""
    line_protocol.close_all_programs()
    os._exit(1)


def find_crash_message(folder: Path) -> str | None:
    """Return which decisions were being made in the processes that died, or None if there were none.

    `folder` is the folder that was given to DecisionTimer.
    """
    notes = []
    for path in sorted(folder.glob(f"{_NOTE_PREFIX}*")):
        with contextlib.suppress(OSError, ValueError):
            notes.append(json.loads(path.read_bytes().partition(b"\0")[0]))
    now = time.monotonic()
    late = [note for note in notes if note["seconds"] is not None and now - note["since"] > note["seconds"]]
    if late:
        note = max(late, key=lambda note: float(now - note["since"] - note["seconds"]))
        return f"{note['who']} did not decide within {note['seconds']:g} s and could not be interrupted ({note['where']})"
    if notes:
        decisions = " or ".join(f"{note['who']} decided ({note['where']})" for note in notes)
        return f"a worker process died while {decisions}"
    return None
