"""Matches of an outside program against the strategies of a ladder, with the processor time of both sides.

The result comes from an ordinary comparison, which its command repeats. The processor time is measured in further games,
in which this process plays and the program is its only child.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from engine import games
from engine.errors import InvalidError
from engine.line_protocol import close_all_programs
from engine.play import play_out
from engine.strategies import read_player
from pipelines.design.designs import design_comparison
from pipelines.design.own_strategies import OwnStrategies
from pipelines.experiments.comparison import compare_strategies
from pipelines.measure.machine import machine_stamp
from pipelines.measure.rungs import duel_result
from pipelines.records.ladder import DuelResult
from pipelines.records.record_file import Machine, Record
from pipelines.simulate.compiled_games import begin_game
from pipelines.simulate.simulate import simulate_run

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.luck import Source
    from engine.ruleset import Ruleset
    from engine.state import State
    from pipelines.design.design import Design

DEFAULT_PROGRAM_BLOCKS: Final = 20


class GameTimes(NamedTuple):
    """Processor time of a game, in seconds."""

    program: float | None
    """Of the program, with a share of its start; None where the system does not tell (Windows)."""
    strategy: float
    """Of the decisions of the strategy."""


class ProgramMatch(DuelResult):
    """The result of a program against a strategy."""

    program: str
    """What tables call the program."""
    program_seconds: float | None
    """Processor time of the program in a game; None where the system does not tell."""
    strategy_seconds: float
    """Processor time of the strategy's decisions in a game."""
    machine: Machine


class MatchFile(Record):
    """The contents of `benchmarks/ladder_programs.json`."""

    matches: tuple[ProgramMatch, ...] = ()


def program_notation(ruleset: Ruleset, settings: str) -> str:
    """Return a program as strategies are written; `settings` is `name="...",command="..."`.

    Raises InvalidError for a game that no program can play and for settings that cannot be read.
    """
    programs = games.find_game(ruleset.game).programs
    if not programs:
        raise InvalidError(f"{ruleset.name}: no program can play {ruleset.game}")
    text = f"{programs[0].name}:{settings}"
    player = OwnStrategies.from_names(lineup=[text]).parse_player(games.find_game(ruleset.game), text)
    if player.strategy.check_ruleset:
        player.strategy.check_ruleset(ruleset)
    return text


def measure_match(ruleset: Ruleset, program: str, against: str, *, blocks: int, seed: int) -> ProgramMatch:
    """Play a program, written as a strategy, against a strategy. Raises GameError if the program fails."""
    design = design_comparison(
        ruleset,
        [program, against],
        blocks=blocks,
        seed=seed,
        log="scores",
        own=OwnStrategies.from_names(lineup=[program, against]),
    )
    with tempfile.TemporaryDirectory() as folder:
        # one worker: a second copy of the program would take processor time from the first
        run = simulate_run(design, Path(folder) / "match.duckdb", workers=1)
        comparison = compare_strategies(run, with_controls=False)
    times = measure_game_times(design)
    game = games.find_game(ruleset.game)
    label = OwnStrategies.from_names(lineup=[program]).parse_player(game, program).label
    return ProgramMatch(
        **dict(duel_result(comparison, read_player(game, against).label)),
        program=label,
        program_seconds=times.program,
        strategy_seconds=times.strategy,
        machine=machine_stamp(),
    )


def measure_game_times(design: Design) -> GameTimes:
    """Play the first block of a match in this process and return the processor time of each side for a game."""
    strategy_seconds = 0.0
    program, strategy = design.players

    def decide_timed(state: State, source: Source) -> int:
        nonlocal strategy_seconds
        started = time.process_time()
        action = strategy.decide(state, source)
        strategy_seconds += time.process_time() - started
        return action

    deciders: dict[str, Callable[[State, Source], int]] = {
        program.name: program.decide,
        strategy.name: decide_timed,
    }
    close_all_programs()
    before = _children_seconds()
    for rotation in range(design.rotations):
        state, _ = begin_game(design, 0, rotation)
        seated = [deciders[name] for name in design.strategies_by_seat(rotation)]
        play_out(state, seated, design.luck_of_block(0))
    close_all_programs()  # the system counts the time of a child when it has ended
    after = _children_seconds()
    spent = None if before is None or after is None else (after - before) / design.rotations
    return GameTimes(spent, strategy_seconds / design.rotations)


def _children_seconds() -> float | None:
    """Return the processor time of all ended children of this process; None where the system does not tell."""
    try:
        import resource  # noqa: PLC0415 - Windows has no such module
    except ImportError:
        return None
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def replace_match(file: MatchFile, new: ProgramMatch) -> MatchFile:
    """Return a file with a new match, which replaces an earlier one of the same program and strategy."""
    key = (new.ruleset, new.program, new.against)
    others = (match for match in file.matches if (match.ruleset, match.program, match.against) != key)
    return MatchFile(matches=(*others, new))
