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
from engine.catalogue import Catalogue
from engine.game import CHANCE, InvalidError
from engine.kernels import contract as engine_kernel
from engine.luck import Luck
from engine.play import play_out, replay
from engine.strategies import known, player
from pipelines.design.design import design
from pipelines.measure import first_page, yardstick
from pipelines.measure.decision_time import microseconds
from pipelines.simulate.simulate import simulate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from engine.game import State
    from engine.kernels.contract import Kernel
    from engine.ruleset import Ruleset

STRATEGIES: Final = ("random", "greedy")


@dataclass(frozen=True)
class Line:
    """One measurement."""

    name: str
    value: float | None
    """None if it cannot be measured here; the unit says why."""
    unit: str


def lines(*, quick: bool = False) -> Iterator[Line]:
    """Measure, line by line; `quick` takes less than a minute and is good to 20 %."""
    seconds = 0.1 if quick else 0.8
    chosen = list(_rulesets(quick=quick))
    for ruleset in chosen:
        compiled = engine_kernel.kernel(ruleset)
        if compiled:
            engine_kernel.warm(compiled)
            yield from _kernel_lines(ruleset, compiled, seconds)
        for name in STRATEGIES:
            yield Line(f"{ruleset.name} {name}, plain rules", _rules_rate(ruleset, name, seconds), "games/s")
    yield from _thinking_lines(seconds)
    yield from _yardstick_lines(seconds)
    for ruleset in () if quick else chosen:  # a short run would only measure how long processes take to start
        if engine_kernel.kernel(ruleset):
            yield from _run_lines(ruleset, seconds=5.0)
    tries = 3 if quick else 7
    yield Line("reroll --help", _command_seconds(["--help"], tries), "s")
    yield Line("reroll ls, empty library", _command_seconds(["ls"], tries), "s")
    yield from _dashboard_lines(tries)
    if not quick:
        yield Line("cold compile of all kernels", _compile_seconds(), "s")


def _rulesets(*, quick: bool) -> Iterator[Ruleset]:
    """Each game as such, with the fewest and the most players that it takes; the most only if quick."""
    shipped = Catalogue().rulesets.values()
    for game in games.names():
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
    game = games.game(ruleset.game)
    decide = [player(game, name).decide] * ruleset.players

    def work(rounds: int) -> int:
        for block in range(rounds):
            play_out(game.start(ruleset), decide, Luck(1, block))
        return rounds

    return best_rate(work, seconds, tries=2)


def _kernel_lines(ruleset: Ruleset, compiled: Kernel, seconds: float) -> Iterator[Line]:
    game = games.game(ruleset.game)
    for name in STRATEGIES:
        seating = [player(game, name)] * ruleset.players
        for logged in (False, True):

            def work(rounds: int, *, logged: bool = logged, seating: Any = seating) -> int:  # noqa: ANN401 - bound here
                return len(compiled.play([seating], 1, range(rounds), logged=logged).plies)

            how = "kernel, full log" if logged else "kernel"
            yield Line(f"{ruleset.name} {name}, {how}", best_rate(work, seconds), "games/s")
        state = _middle(ruleset)

        def on(rounds: int, *, seating: Any = seating, state: State = state) -> int:  # noqa: ANN401 - bound here
            return len(compiled.play_on(state, seating, 1, range(rounds), logged=False).plies)

        yield Line(
            f"{ruleset.name} {name} playouts from the middle, kernel", best_rate(on, seconds), "playouts/s"
        )


def _thinking_lines(seconds: float) -> Iterator[Line]:
    """What a decision of each strategy takes: in each game as such, with the fewest players."""
    shipped = Catalogue().rulesets.values()
    for name in games.names():
        ruleset = min(
            (one for one in shipped if one.name == f"{name}-{one.players}p"), key=lambda one: one.players
        )
        for strategy in known(games.game(name)).values():
            if strategy.make or engine_kernel.kernel(ruleset):
                spent = microseconds(ruleset, strategy.name, seconds)
                yield Line(f"{ruleset.name} {strategy.name}, time per decision", spent, "µs")


def _yardstick_lines(seconds: float) -> Iterator[Line]:
    """Plain C and the kernel at the same work, one right after the other, and what the one is of the other."""
    ruleset = Catalogue().find("blokus-4p")
    name, compiled = f"{ruleset.name} random", engine_kernel.kernel(ruleset)
    found = yardstick.measured(4 * seconds)
    if found is None:
        yield Line(f"{name}, plain C", None, "no C compiler, or no checkout, at hand")
        return
    yield Line(f"{name}, plain C", found.games_a_second, "games/s")
    if compiled:
        seating = [player(games.game(ruleset.game), "random")] * ruleset.players
        rate = best_rate(lambda n: len(compiled.play([seating], 1, range(n), logged=False).plies), seconds)
        yield Line(f"{name}, kernel against plain C", rate / found.games_a_second, "x")


def _dashboard_lines(tries: int) -> Iterator[Line]:
    """The two waits of a first visitor, over an empty library."""
    try:
        with tempfile.TemporaryDirectory() as folder:
            answers = [first_page.answer_seconds(Path(folder)) for _ in range(tries)]
            pages = [first_page.page_seconds(Path(folder)) for _ in range(tries)]
    except InvalidError as error:
        yield Line("first page of the dashboard", None, str(error))
        return
    answer, page = statistics.median(answers), statistics.median(pages)
    yield Line("dashboard: from start to an answer over HTTP", answer, "s")
    yield Line("dashboard: its first page worked out for a first visitor", page, "s")
    yield Line("first page of the dashboard, both together", answer + page, "s")


def _middle(ruleset: Ruleset) -> State:
    """A position two fifths through a greedy game, where somebody has to decide: ply 24 or so of Blokus."""
    game = games.game(ruleset.game)
    decide = player(game, "greedy").decide
    _, plies = play_out(game.start(ruleset), [decide] * ruleset.players, Luck(1, 0))
    states = list(replay(game.start(ruleset), [ply.action for ply in plies]))
    place = len(states) * 2 // 5
    return next(state for state in states[place:] if state.seat != CHANCE)


def _run_lines(ruleset: Ruleset, seconds: float) -> Iterator[Line]:
    """Simulate greedy games with a full log: what keeping and sealing cost, and what a second worker brings."""
    game = games.game(ruleset.game)
    compiled = engine_kernel.kernel(ruleset)
    if compiled is None:
        return
    seating = [player(game, "greedy")] * ruleset.players
    rate = best_rate(lambda n: len(compiled.play([seating], 1, range(n), logged=False).plies), 0.2)
    blocks = max(64, int(rate * seconds))
    planned = design(ruleset, ["greedy"] * ruleset.players, blocks=blocks, seed=1)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        started = time.process_time()
        run = simulate(planned, place / "one.duckdb", workers=1)
        cpu = time.process_time() - started
        with run.connect() as connection:
            plies = connection.execute("SELECT count(*) FROM plies").fetchall()[0][0]
        yield Line(f"{ruleset.name} greedy, simulate with full log, 1 worker", blocks / cpu, "games/s")
        yield Line(
            f"{ruleset.name} greedy, share of logging and sealing",
            100 * (1 - blocks / rate / cpu),
            "% of CPU",
        )
        yield Line(f"{ruleset.name} greedy, run file", run.path.stat().st_size / plies, "bytes/ply")
        walls = {1: 0.0, 2: 0.0}
        for workers in walls:
            started = time.monotonic()
            simulate(planned, place / f"{workers}.duckdb", workers=workers)
            walls[workers] = time.monotonic() - started
        yield Line(f"{ruleset.name} greedy, simulate: 2 workers against 1", walls[1] / walls[2], "x")


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


COMPILE: Final = """
from engine import games, kernel
from engine.catalogue import Catalogue
shipped = Catalogue().rulesets.values()
for game in games.names():
    compiled = kernel.kernel(next(ruleset for ruleset in shipped if ruleset.game == game))
    if compiled:
        kernel.warm(compiled)
"""


def _compile_seconds() -> float:
    """Return the wall time of compiling everything, in a fresh process with an empty cache."""
    with tempfile.TemporaryDirectory() as folder:
        started = time.monotonic()
        subprocess.run(  # noqa: S603 - our own command
            [sys.executable, "-c", COMPILE], env={**os.environ, "REROLL_CACHE": folder}, check=True
        )
        return time.monotonic() - started


def stamp() -> dict[str, str | int | None]:
    """Say on what machine, with what, and when."""
    return {
        "when": datetime.now(tz=UTC).isoformat(timespec="seconds"),
        "processor": processor(),
        "cores": os.cpu_count(),
        "system": platform.platform(),
        "python": platform.python_version(),
    }


def processor() -> str:
    """Return the name of this machine's processor."""
    models = [
        line.partition(":")[2].strip()
        for line in _read(Path("/proc/cpuinfo")).splitlines()
        if line.startswith("model name")
    ]
    return models[0] if models else platform.processor() or platform.machine()


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError:
        return ""


def report(found: list[Line], *, quick: bool) -> str:
    """Write measurements as JSON."""
    return json.dumps(
        {"machine": stamp(), "quick": quick, "lines": [asdict(line) for line in found]}, indent=1
    )
