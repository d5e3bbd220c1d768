"""How fast is it here: games by rules and kernels, whole simulations, and starting up. Every figure is measured now.

Games are counted per second of processor time of one core, best of several tries, so that other work on the machine
disturbs little; whole commands and runs are wall time.
"""

from __future__ import annotations

import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from engine import games
from engine.actions import CHANCE
from engine.catalogue import Catalogue
from engine.errors import InvalidError
from engine.kernels.loader import find_kernel
from engine.luck import Luck
from engine.play import play_out, replay_actions
from engine.strategies import built_in_strategies, read_player
from pipelines.design.design import design_simulation
from pipelines.measure import first_page, yardstick
from pipelines.measure.decision_time import decision_microseconds
from pipelines.simulate.simulate import simulate_run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from engine.kernels.contract import Kernel
    from engine.ruleset import Ruleset
    from engine.state import State

BENCH_STRATEGIES: Final = ("random", "greedy")


@dataclass(frozen=True)
class Measurement:
    """One measurement."""

    name: str
    value: float | None
    """None if it cannot be measured here; the unit says why."""
    unit: str


def iter_measurements(*, quick: bool = False) -> Iterator[Measurement]:
    """Measure, line by line; `quick` takes less than a minute and is good to 20 %."""
    seconds = 0.1 if quick else 0.8
    chosen = list(_bench_rulesets(quick=quick))
    for ruleset in chosen:
        compiled = find_kernel(ruleset)
        if compiled:
            yield from _measure_kernel(ruleset, compiled, seconds)
        for name in BENCH_STRATEGIES:
            yield Measurement(
                f"{ruleset.name} {name}, plain rules", _rules_rate(ruleset, name, seconds), "games/s"
            )
    yield from _measure_decision_times(seconds)
    yield from _measure_yardstick(seconds)
    for ruleset in () if quick else chosen:  # a short run would only measure how long processes take to start
        if find_kernel(ruleset):
            yield from _measure_runs(ruleset, seconds=5.0)
    tries = 3 if quick else 7
    yield Measurement("reroll --help", _command_seconds(["--help"], tries), "s")
    yield Measurement("reroll ls, empty library", _command_seconds(["ls"], tries), "s")
    yield from _measure_dashboard(tries)
    if not quick:
        yield Measurement("cold compile of all kernels", _compile_seconds(), "s")


def _bench_rulesets(*, quick: bool) -> Iterator[Ruleset]:
    """Each game as such, with the fewest and the most players that it takes; the most only if quick."""
    shipped = Catalogue().rulesets.values()
    for game in games.game_names():
        own = sorted((r for r in shipped if r.name == f"{game}-{r.players}p"), key=lambda r: r.players)
        if not quick:
            yield from own[:-1][:1]
        yield from own[-1:]


def best_rate(work: Callable[[int], int], seconds: float, tries: int = 4) -> float:
    """Return things done per second of processor time: `work(n)` does n rounds and says how many things that were."""
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
    """Games a second by the plain rules, with every legal set counted and every score kept."""
    game = games.find_game(ruleset.game)
    decide = [read_player(game, name).decide] * ruleset.players

    def play_rounds(rounds: int) -> int:
        for block in range(rounds):
            play_out(game.start(ruleset), decide, Luck(1, block))
        return rounds

    return best_rate(play_rounds, seconds, tries=2)


def _measure_kernel(ruleset: Ruleset, compiled: Kernel, seconds: float) -> Iterator[Measurement]:
    game = games.find_game(ruleset.game)
    for name in BENCH_STRATEGIES:
        seating = [read_player(game, name)] * ruleset.players
        for logged in (False, True):

            def play_rounds(rounds: int, *, logged: bool = logged, seating: Any = seating) -> int:  # noqa: ANN401 - bound here
                return len(compiled.play([seating], 1, range(rounds), logged=logged).plies)

            how = "kernel, full log" if logged else "kernel"
            yield Measurement(f"{ruleset.name} {name}, {how}", best_rate(play_rounds, seconds), "games/s")
        state = _middle_state(ruleset)

        def play_from_middle(rounds: int, *, seating: Any = seating, state: State = state) -> int:  # noqa: ANN401 - bound here
            return len(compiled.play_from_state(state, seating, 1, range(rounds), logged=False).plies)

        yield Measurement(
            f"{ruleset.name} {name} playouts from the middle, kernel",
            best_rate(play_from_middle, seconds),
            "playouts/s",
        )


def _measure_decision_times(seconds: float) -> Iterator[Measurement]:
    """What a decision of each strategy takes: in each game as such, with the fewest players."""
    shipped = Catalogue().rulesets.values()
    for name in games.game_names():
        ruleset = min(
            (one for one in shipped if one.name == f"{name}-{one.players}p"), key=lambda one: one.players
        )
        for strategy in built_in_strategies(games.find_game(name)).values():
            if strategy.make or find_kernel(ruleset):
                spent = decision_microseconds(ruleset, strategy.name, seconds)
                yield Measurement(f"{ruleset.name} {strategy.name}, time per decision", spent, "µs")


def _measure_yardstick(seconds: float) -> Iterator[Measurement]:
    """Plain C and the kernel at the same work, one right after the other, and what the one is of the other."""
    ruleset = Catalogue().find_ruleset("blokus-4p")
    name, compiled = f"{ruleset.name} random", find_kernel(ruleset)
    found = yardstick.run_yardstick(4 * seconds)
    if found is None:
        yield Measurement(f"{name}, plain C", None, "no C compiler, or no checkout, at hand")
        return
    yield Measurement(f"{name}, plain C", found.games_a_second, "games/s")
    if compiled:
        seating = [read_player(games.find_game(ruleset.game), "random")] * ruleset.players
        rate = best_rate(lambda n: len(compiled.play([seating], 1, range(n), logged=False).plies), seconds)
        yield Measurement(f"{name}, kernel against plain C", rate / found.games_a_second, "x")


def _measure_dashboard(tries: int) -> Iterator[Measurement]:
    """The two waits of a first visitor, over an empty library."""
    try:
        with tempfile.TemporaryDirectory() as folder:
            answers = [first_page.answer_seconds(Path(folder)) for _ in range(tries)]
            pages = [first_page.page_seconds(Path(folder)) for _ in range(tries)]
    except InvalidError as error:
        yield Measurement("first page of the dashboard", None, str(error))
        return
    answer, page = statistics.median(answers), statistics.median(pages)
    yield Measurement("dashboard: from start to an answer over HTTP", answer, "s")
    yield Measurement("dashboard: its first page worked out for a first visitor", page, "s")
    yield Measurement("first page of the dashboard, both together", answer + page, "s")


def _middle_state(ruleset: Ruleset) -> State:
    """A position two fifths through a greedy game, where somebody has to decide: ply 24 or so of Blokus."""
    game = games.find_game(ruleset.game)
    decide = read_player(game, "greedy").decide
    _, plies = play_out(game.start(ruleset), [decide] * ruleset.players, Luck(1, 0))
    states = list(replay_actions(game.start(ruleset), [ply.action for ply in plies]))
    place = len(states) * 2 // 5
    return next(state for state in states[place:] if state.seat != CHANCE)


def _measure_runs(ruleset: Ruleset, seconds: float) -> Iterator[Measurement]:
    """Simulate greedy games with a full log: what keeping and sealing cost, and what a second worker brings."""
    game = games.find_game(ruleset.game)
    compiled = find_kernel(ruleset)
    if compiled is None:
        return
    seating = [read_player(game, "greedy")] * ruleset.players
    rate = best_rate(lambda n: len(compiled.play([seating], 1, range(n), logged=False).plies), 0.2)
    blocks = max(64, int(rate * seconds))
    planned = design_simulation(ruleset, ["greedy"] * ruleset.players, blocks=blocks, seed=1)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        started = time.process_time()
        run = simulate_run(planned, place / "one.duckdb", workers=1)
        cpu = time.process_time() - started
        with run.connect() as connection:
            plies = connection.execute("SELECT count(*) FROM plies").fetchall()[0][0]
        yield Measurement(f"{ruleset.name} greedy, simulate with full log, 1 worker", blocks / cpu, "games/s")
        yield Measurement(
            f"{ruleset.name} greedy, share of logging and sealing",
            100 * (1 - blocks / rate / cpu),
            "% of CPU",
        )
        yield Measurement(f"{ruleset.name} greedy, run file", run.path.stat().st_size / plies, "bytes/ply")
        walls = {1: 0.0, 2: 0.0}
        for workers in walls:
            started = time.monotonic()
            simulate_run(planned, place / f"{workers}.duckdb", workers=workers)
            walls[workers] = time.monotonic() - started
        yield Measurement(f"{ruleset.name} greedy, simulate: 2 workers against 1", walls[1] / walls[2], "x")


def _command_seconds(arguments: list[str], tries: int) -> float:
    """Return the median wall time of a command in a fresh process."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(tries):
            started = time.monotonic()
            subprocess.run(  # noqa: S603 - our own command
                [sys.executable, "-m", "pipelines", *arguments],
                env={**os.environ, "REROLL_DATA": folder},
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                check=True,
            )
            found.append(time.monotonic() - started)
    return statistics.median(found)


COMPILE_SCRIPT: Final = """
from engine import games
from engine.catalogue import Catalogue
from engine.kernels.loader import find_kernel
shipped = Catalogue().rulesets.values()
for game in games.game_names():
    find_kernel(next(ruleset for ruleset in shipped if ruleset.game == game))
"""


def _compile_seconds() -> float:
    """Return the wall time of compiling everything, in a fresh process with an empty cache."""
    with tempfile.TemporaryDirectory() as folder:
        started = time.monotonic()
        subprocess.run(  # noqa: S603 - our own command
            [sys.executable, "-c", COMPILE_SCRIPT], env={**os.environ, "REROLL_CACHE": folder}, check=True
        )
        return time.monotonic() - started


def machine_stamp() -> dict[str, str | int | None]:
    """Say on what machine, with what, and when."""
    return {
        "when": datetime.now(tz=UTC).isoformat(timespec="seconds"),
        "processor": processor_name(),
        "cores": os.cpu_count(),
        "system": platform.platform(),
        "python": platform.python_version(),
    }


def processor_name() -> str:
    """Return the name of this machine's processor."""
    models = [
        line.partition(":")[2].strip()
        for line in _read_text(Path("/proc/cpuinfo")).splitlines()
        if line.startswith("model name")
    ]
    return models[0] if models else platform.processor() or platform.machine()


def _read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError:
        return ""


def format_report(found: list[Measurement], *, quick: bool) -> str:
    """Write measurements as JSON."""
    return json.dumps(
        {"machine": machine_stamp(), "quick": quick, "lines": [asdict(line) for line in found]}, indent=1
    )
