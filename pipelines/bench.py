"""The benchmark behind `reroll bench`: the speed of games, simulations, commands and the dashboard on this machine.

Games are counted per second of processor time of one core, and the best of several tries counts; so other work on the
machine hardly changes the figures. Commands, and runs with two workers, are measured in wall time.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from engine import games
from engine.actions import CHANCE
from engine.catalogue import Catalogue
from engine.errors import InvalidError
from engine.kernels.loader import find_kernel
from engine.luck import Luck
from engine.play import play_out, replay_actions
from engine.strategies import built_in_strategies, read_player
from pipelines.design.designs import design_simulation
from pipelines.records.record_file import BENCHMARKS_FOLDER, Measurement
from pipelines.service.server import find_dashboard_folder, find_dashboard_script, start_dashboard
from pipelines.simulate.simulate import simulate_run

if TYPE_CHECKING:
    from engine.kernels.contract import Kernel
    from engine.ruleset import Ruleset
    from engine.state import State
    from engine.strategy import Player

BENCH_STRATEGIES: Final = ("random", "greedy")
TIMING_SECONDS: Final = 0.5
"""Processor time for which the decisions of one strategy are timed; at least one game is played."""
COMPILER_FLAGS: Final = ("-O3", "-march=native")
FIRST_PAGE_SCRIPT: Final = """
import sys, time
from streamlit.testing.v1 import AppTest
page = AppTest.from_file(sys.argv[1], default_timeout=60)
started = time.monotonic()
page.run()
seconds = time.monotonic() - started
sys.exit(str(page.exception[0].value)) if page.exception else print(seconds)
"""
"""Runs the first page once and prints the seconds, the loading of all modules of the dashboard included."""


def iter_measurements(*, measure_all: bool = False) -> Iterator[Measurement]:
    """Measure and yield one figure after the other: in 90 seconds those that people compare, with errors of up to 20 %.

    `measure_all` takes ten minutes: it adds rulesets, whole runs and the time of compiling, and is more precise.
    """
    seconds = 0.8 if measure_all else 0.1
    rulesets = list(_bench_rulesets(measure_all=measure_all))
    for ruleset in rulesets:
        compiled = find_kernel(ruleset)
        if compiled:
            yield from _measure_kernel(ruleset, compiled, seconds)
        for name in BENCH_STRATEGIES:
            yield Measurement(
                f"{ruleset.name} {name}, plain rules", _rules_rate(ruleset, name, seconds), "games/s"
            )
    yield from _measure_decision_times(seconds)
    for name in find_yardsticks():
        yield from _measure_yardstick(name, seconds)
    if measure_all:  # a short run would only measure how long processes take to start
        for ruleset in rulesets:
            yield from _measure_runs(ruleset, seconds=5.0)
    tries = 7 if measure_all else 3
    yield Measurement("reroll --help", _command_seconds(["--help"], tries), "s")
    yield Measurement("reroll ls, empty library", _command_seconds(["ls"], tries), "s")
    yield from _measure_dashboard(tries)
    if measure_all:
        yield Measurement("cold compile of all kernels", _compile_seconds(), "s")


def _bench_rulesets(*, measure_all: bool) -> Iterator[Ruleset]:
    """Yield the standard ruleset of each game for the most players; with `measure_all`, also that for the fewest."""
    shipped = Catalogue().rulesets.values()
    for game in games.game_names():
        standard = sorted((r for r in shipped if r.name == f"{game}-{r.players}p"), key=lambda r: r.players)
        if measure_all:
            yield from standard[:-1][:1]
        yield from standard[-1:]


def best_rate(work: Callable[[int], int], seconds: float, tries: int = 4) -> float:
    """Return the highest rate of `work` over several tries, per second of processor time.

    `work(n)` works for n rounds and returns the number of things to count. n is chosen so that a try takes about
    `seconds`.
    """
    work(1)
    rounds, best = 1, 0.0
    while True:
        started = time.process_time()
        work(rounds)
        spent = time.process_time() - started
        if spent > seconds / 4 or rounds > 1 << 22:
            break
        rounds = max(rounds + 1, min(8 * rounds, int(rounds * seconds / max(spent, 1e-4))))
    for _ in range(tries):
        started = time.process_time()
        done = work(rounds)
        best = max(best, done / (time.process_time() - started))
    return best


def _rules_rate(ruleset: Ruleset, name: str, seconds: float) -> float:
    """Return the games a second of the plain rules, with all legal actions and scores computed as for a log."""
    game = games.find_game(ruleset.game)
    decide = [read_player(game, name).decide] * ruleset.players

    def play_rounds(rounds: int) -> int:
        for block in range(rounds):
            play_out(game.start(ruleset), decide, Luck(1, block))
        return rounds

    return best_rate(play_rounds, seconds, tries=2)


def _measure_kernel(ruleset: Ruleset, compiled: Kernel, seconds: float) -> Iterator[Measurement]:
    """Measure the compiled game: whole games with and without a log, and playouts from a middle position."""
    game = games.find_game(ruleset.game)
    for name in BENCH_STRATEGIES:
        seating = [read_player(game, name)] * ruleset.players
        for logged, title in ((False, "kernel"), (True, "kernel, full log")):
            rate = _kernel_rate(compiled, seating, seconds, logged=logged)
            yield Measurement(f"{ruleset.name} {name}, {title}", rate, "games/s")
        rate = _playout_rate(compiled, seating, _middle_state(ruleset), seconds)
        yield Measurement(f"{ruleset.name} {name} playouts from the middle, kernel", rate, "playouts/s")


def _kernel_rate(
    compiled: Kernel, seating: Sequence[Player], seconds: float, *, logged: bool = False
) -> float:
    """Return the games a second of a compiled game."""
    return best_rate(lambda n: len(compiled.play([seating], 1, range(n), logged=logged).plies), seconds)


def _playout_rate(compiled: Kernel, seating: Sequence[Player], state: State, seconds: float) -> float:
    """Return the playouts a second of a compiled game from a state."""
    start = compiled.pack(state)
    return best_rate(
        lambda n: len(compiled.play([seating], 1, range(n), start=start, logged=False).plies), seconds
    )


def _measure_decision_times(seconds: float) -> Iterator[Measurement]:
    """Measure a decision of each strategy, in the standard ruleset of each game for the fewest players."""
    shipped = Catalogue().rulesets.values()
    for name in games.game_names():
        ruleset = min((r for r in shipped if r.name == f"{name}-{r.players}p"), key=lambda r: r.players)
        for strategy in built_in_strategies(games.find_game(name)).values():
            if strategy.make or find_kernel(ruleset):
                spent = decision_microseconds(ruleset, strategy.name, seconds)
                yield Measurement(f"{ruleset.name} {strategy.name}, time per decision", spent, "µs")


def decision_microseconds(ruleset: Ruleset, strategy: str, seconds: float | None = None) -> float:
    """Return the processor time of a decision, in microseconds.

    This is the time of whole games of the strategy against itself, divided by the decisions in them; so it includes a
    share of playing and logging the game. The compiled game plays if there is one. `seconds` is the time for which
    games are played (None: TIMING_SECONDS). Raises InvalidError for a strategy that does not exist.
    """
    self_play = _SelfPlay(ruleset, strategy)
    self_play.warm_kernel()
    decisions, size, started = 0, 1, time.process_time()
    while not decisions or time.process_time() - started < (TIMING_SECONDS if seconds is None else seconds):
        decisions += self_play.count_decisions(range(size))
        size *= 2  # a kernel plays many games at once, as in a run
    return (time.process_time() - started) / decisions * 1e6


class _SelfPlay:
    """Games in which the same strategy plays on every seat."""

    def __init__(self, ruleset: Ruleset, strategy: str) -> None:
        self._ruleset, self._game = ruleset, games.find_game(ruleset.game)
        self._seating = [read_player(self._game, strategy)] * ruleset.players
        self._compiled = find_kernel(ruleset, self._seating)
        if self._compiled is None and self._seating[0].strategy.make is None:
            raise InvalidError(f"{ruleset.name} has no compiled game here, which {strategy!r} needs")

    def warm_kernel(self) -> None:
        """Compile or load the compiled game, and what the strategy has learned, by playing one game of it."""
        if self._compiled:
            self.count_decisions(range(1))

    def count_decisions(self, blocks: range) -> int:
        """Play blocks and return the number of decisions of seats in them; outcomes of chance do not count."""
        if self._compiled:
            log = self._compiled.play([self._seating], 1, blocks, logged=True).log
            assert log is not None  # noqa: S101 - logged=True
            return int(np.count_nonzero(log.seat >= 0))
        decide = [player.decide for player in self._seating]
        return sum(
            ply.seat >= 0
            for block in blocks
            for ply in play_out(self._game.start(self._ruleset), decide, Luck(1, block))[1]
        )


def _measure_yardstick(name: str, seconds: float) -> Iterator[Measurement]:
    """Measure a program in C and the kernel at the same work, in turns, and the ratio of their speeds."""
    ruleset = Catalogue().find_ruleset(name)
    compiled = find_kernel(ruleset)
    seating = [read_player(games.find_game(ruleset.game), "random")] * ruleset.players
    c_rates, kernel_rates = [], []
    for _ in range(2):
        result = run_yardstick(name, 2 * seconds)
        if result is None:
            yield Measurement(f"{name} random, C", None, "needs a C compiler")
            return
        c_rates.append(result.games_a_second)
        if compiled:
            kernel_rates.append(_kernel_rate(compiled, seating, seconds))
    yield Measurement(f"{name} random, C", max(c_rates), "games/s")
    if kernel_rates:
        yield Measurement(f"{name} random, kernel against C", max(kernel_rates) / max(c_rates), "x")


class Yardstick(NamedTuple):
    """The result of a yardstick: games for four in which every legal action is equally likely."""

    games: int
    games_a_second: float
    """Games a second of processor time; the best of several measurements."""
    placements: float
    """Shapes placed in a game by all seats together, on average."""
    results: tuple[float, ...]
    """(seats,) What each seat has at the end, on average: in Blokus the squares left, in BLOXX! the score."""


def find_yardsticks() -> dict[str, Path]:
    """Return the program of each ruleset that has one: `yardstick_<game>.c` plays the standard ruleset for four."""
    sources = {
        name: BENCHMARKS_FOLDER / f"yardstick_{name.replace('-', '_')}.c" for name in games.game_names()
    }
    return {f"{name}-4p": source for name, source in sources.items() if source.is_file()}


def run_yardstick(ruleset: str, seconds: float, seed: int = 1) -> Yardstick | None:
    """Compile the yardstick of a ruleset and run it for about `seconds`. Return None without a C compiler.

    Raises subprocess.CalledProcessError if it does not compile or does not run.
    """
    source = find_yardsticks()[ruleset]
    compiler = shutil.which(os.environ.get("CC", "cc"))
    if compiler is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "yardstick"
        subprocess.run([compiler, *COMPILER_FLAGS, str(source), "-o", str(program)], check=True)  # noqa: S603 - a command made here
        numbers = subprocess.run(  # noqa: S603 - the program compiled above
            [str(program), str(seconds), str(seed)], check=True, capture_output=True, text=True
        ).stdout.split()
    played, games_a_second, placements, *results = map(float, numbers)
    return Yardstick(int(played), games_a_second, placements, tuple(results))


def _measure_dashboard(tries: int) -> Iterator[Measurement]:
    """Measure how long the first visitor waits for the server and for the first page, over an empty library."""
    try:
        with tempfile.TemporaryDirectory() as folder:
            answers = [_answer_seconds(Path(folder)) for _ in range(tries)]
            pages = [_page_seconds(Path(folder)) for _ in range(tries)]
    except InvalidError as error:
        yield Measurement("first page of the dashboard", None, str(error))
        return
    answer, page = statistics.median(answers), statistics.median(pages)
    yield Measurement("dashboard: from start to an answer over HTTP", answer, "s")
    yield Measurement("dashboard: its first page worked out for a first visitor", page, "s")
    yield Measurement("first page of the dashboard, both together", answer + page, "s")


def _answer_seconds(data: Path) -> float:
    """Return the seconds from the start of the server until it answers."""
    started = time.monotonic()
    with start_dashboard(data, None, quiet=True):
        return time.monotonic() - started


def _page_seconds(data: Path) -> float:
    """Return the seconds that the first page takes in a process that has loaded Streamlit and no module of Reroll."""
    process = subprocess.run(  # noqa: S603 - a constant script
        [sys.executable, "-c", FIRST_PAGE_SCRIPT, str(find_dashboard_script())],
        env={**os.environ, "REROLL_DATA": str(data)},
        cwd=find_dashboard_folder(),
        check=True,
        capture_output=True,
        text=True,
    )
    return float(process.stdout.split()[-1])


def _middle_state(ruleset: Ruleset) -> State:
    """Return a position after two fifths of a greedy game in which a seat has to decide (in Blokus about ply 24)."""
    game = games.find_game(ruleset.game)
    decide = read_player(game, "greedy").decide
    _, plies = play_out(game.start(ruleset), [decide] * ruleset.players, Luck(1, 0))
    states = list(replay_actions(game.start(ruleset), [ply.action for ply in plies]))
    first = len(states) * 2 // 5
    return next(state for state in states[first:] if state.seat != CHANCE)


def _measure_runs(ruleset: Ruleset, seconds: float) -> Iterator[Measurement]:
    """Simulate greedy games with a full log: measure the cost of logging and sealing, and the gain of a second worker."""
    game = games.find_game(ruleset.game)
    compiled = find_kernel(ruleset)
    if compiled is None:
        return
    seating = [read_player(game, "greedy")] * ruleset.players
    rate = _kernel_rate(compiled, seating, 0.2)
    blocks = max(64, int(rate * seconds))
    planned = design_simulation(ruleset, ["greedy"] * ruleset.players, blocks=blocks, seed=1)
    with tempfile.TemporaryDirectory() as folder:
        started = time.process_time()
        run = simulate_run(planned, Path(folder, "one.duckdb"), workers=1)
        cpu_seconds = time.process_time() - started
        plies = sum(run.arrow("games")["plies"].to_pylist())
        yield Measurement(
            f"{ruleset.name} greedy, simulate with full log, 1 worker", blocks / cpu_seconds, "games/s"
        )
        yield Measurement(
            f"{ruleset.name} greedy, share of logging and sealing",
            100 * (1 - blocks / rate / cpu_seconds),
            "% of CPU",
        )
        yield Measurement(f"{ruleset.name} greedy, run file", run.path.stat().st_size / plies, "bytes/ply")
        wall_seconds = {}
        for workers in (1, 2):
            started = time.monotonic()
            simulate_run(planned, Path(folder, f"{workers}.duckdb"), workers=workers)
            wall_seconds[workers] = time.monotonic() - started
        yield Measurement(
            f"{ruleset.name} greedy, simulate: 2 workers against 1", wall_seconds[1] / wall_seconds[2], "x"
        )


def _command_seconds(arguments: list[str], tries: int) -> float:
    """Return the median wall time of a `reroll` command in a new process."""
    seconds = []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(tries):
            started = time.monotonic()
            subprocess.run(  # noqa: S603 - a command made here
                [sys.executable, "-P", "-m", "pipelines", *arguments],
                env={**os.environ, "REROLL_DATA": folder},
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                check=True,
            )
            seconds.append(time.monotonic() - started)
    return statistics.median(seconds)


def compile_all_kernels() -> None:
    """Compile the kernel of every game, or load it from the cache."""
    shipped = Catalogue().rulesets.values()
    for game in games.game_names():
        find_kernel(next(ruleset for ruleset in shipped if ruleset.game == game))


def _compile_seconds() -> float:
    """Return the wall time of compiling all kernels in a new process with an empty cache."""
    script = "from pipelines.bench import compile_all_kernels; compile_all_kernels()"
    with tempfile.TemporaryDirectory() as folder:
        started = time.monotonic()
        subprocess.run(  # noqa: S603 - a command made here
            [sys.executable, "-c", script], env={**os.environ, "REROLL_CACHE": folder}, check=True
        )
        return time.monotonic() - started
