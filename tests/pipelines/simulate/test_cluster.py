"""Runs on a Dask cluster whose scheduler and workers are real processes."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import ExitStack, contextmanager
from functools import cache
from typing import TYPE_CHECKING, Final

import duckdb
import pytest
from typer.testing import CliRunner

from engine.catalogue import Catalogue
from engine.errors import InvalidError
from pipelines.cli import app
from pipelines.design.designs import design_simulation, read_design
from pipelines.experiments.review_runs import choose_reviewed_games, find_review_kind, review_run
from pipelines.runs.reviews import read_reviewed_game
from pipelines.runs.run import Run
from pipelines.runs.unfinished_run import UnfinishedRun
from pipelines.simulate import workers
from pipelines.simulate.errors import PlayError
from pipelines.simulate.simulate import resume_run, simulate_run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from pipelines.design.design import Design
    from tests.processes import RunProcess, StartProcess

pytest.importorskip("distributed")
COMPARED_TABLES = ("games", "seats", "parts", "plies")
Table = list[tuple[object, ...]]


@contextmanager
def run_dask_program(
    start_process: StartProcess, *command: str, env: dict[str, str] | None = None
) -> Iterator[subprocess.Popen[str]]:
    """Run a program of Dask in this context; kill it at the end."""
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with start_process([sys.executable, "-m", "dask", *command], env=env, **quiet) as process:
        try:
            yield process
        finally:
            process.kill()


class DaskCluster:
    """A Dask scheduler and its workers."""

    def __init__(self, start_process: StartProcess, folder: Path, stack: ExitStack) -> None:
        file = folder / "scheduler.json"
        self.scheduler = stack.enter_context(
            run_dask_program(
                start_process,
                "scheduler",
                "--host",
                "127.0.0.1",
                "--port",
                "0",
                "--no-dashboard",
                "--scheduler-file",
                str(file),
            )
        )
        until = time.monotonic() + 30
        while not (file.is_file() and file.read_text().endswith("}")):
            assert time.monotonic() < until
            time.sleep(0.05)
        self.address: str = json.loads(file.read_text())["address"]
        self._start_process, self._folder, self._stack = start_process, folder, stack

    def start_worker(self, **env: str) -> subprocess.Popen[str]:
        return self._stack.enter_context(
            run_dask_program(
                self._start_process,
                *(
                    "worker",
                    self.address,
                    "--nworkers",
                    "1",
                    "--nthreads",
                    "1",
                    "--no-nanny",
                    "--no-dashboard",
                ),
                *("--local-directory", str(self._folder)),
                env={**os.environ, **env},
            )
        )


@pytest.fixture
def dask_cluster(start_process: StartProcess, tmp_path: Path) -> Iterator[DaskCluster]:
    with ExitStack() as stack:
        yield DaskCluster(start_process, tmp_path, stack)


def make_design(blocks: int = 60) -> Design:
    lineup = ["greedy", "random", "random"]
    return design_simulation(
        Catalogue().find_ruleset("bloxx-3p"), lineup, blocks=blocks, seed=7, rotate=True, log="full"
    )


def read_tables(run: Run) -> list[Table]:
    with duckdb.connect(run.path, read_only=True) as connection:
        return [connection.execute(f"FROM {table} ORDER BY ALL").fetchall() for table in COMPARED_TABLES]


def make_slow_design() -> Design:
    """Return a design of games that are slow enough for a shard to be unfinished when a process is killed."""
    lineup = ["planner", "greedy"]
    return design_simulation(
        Catalogue().find_ruleset("bloxx-2p"), lineup, blocks=500, seed=3, rotate=True, log="scores"
    )


@pytest.fixture(scope="module")
def tables_of_this_machine(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Design], list[Table]]:
    """Return a function that plays a design here and returns the tables; each design is played once."""
    folder = tmp_path_factory.mktemp("here")

    @cache
    def play_document(document: str) -> list[Table]:
        return read_tables(simulate_run(read_design(document, "design"), folder / "here.duckdb", workers=1))

    return lambda design: play_document(design.run_document)


def test_a_cluster_reviews_games_as_this_machine_does(dask_cluster: DaskCluster, tmp_path: Path) -> None:
    dask_cluster.start_worker()
    rows = []
    for name, scheduler in (("here", None), ("there", dask_cluster.address)):
        run = simulate_run(make_design(4), tmp_path / name / "made.duckdb", workers=1)
        kind, chosen = find_review_kind(run, effort=0.1), choose_reviewed_games(run)
        steps = review_run(run, kind, chosen, workers=1, threads=True, scheduler=scheduler)
        assert list(steps)[-1].done == len(chosen) == 12
        rows.append([read_reviewed_game(run, 1, game) for game in chosen])
    assert rows[0] == rows[1]


@pytest.mark.parametrize("command", ["simulate", "compare"])
@pytest.mark.parametrize("address", ["nonsense", "tcp://", "http://127.0.0.1:1", "tcp://127.0.0.1:x"])
def test_a_wrong_address_of_a_scheduler_is_refused_in_one_line(
    tmp_path: Path, command: str, address: str
) -> None:
    lineup = ["-s", "greedy,random"] if command == "simulate" else ["greedy", "random"]
    words = [command, "bloxx-2p", *lineup, "--blocks", "4", "--quiet", "--scheduler", address]
    done = CliRunner().invoke(app, [*words, "--out", str(tmp_path / "run")])
    assert done.exit_code == 2
    assert done.stderr == f"reroll: scheduler {address!r}: expected an address such as tcp://host:8786\n"
    assert list(tmp_path.iterdir()) == []


def test_a_scheduler_without_workers_is_waited_for_and_then_refused(
    dask_cluster: DaskCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "FIRST_WORKER_TIMEOUT_SECONDS", 1)
    words = [
        "simulate",
        "bloxx-2p",
        "-s",
        "greedy,random",
        "--blocks",
        "4",
        "--scheduler",
        dask_cluster.address,
    ]
    done = CliRunner().invoke(app, [*words, "--out", str(tmp_path / "run")])
    assert done.exit_code == 2
    assert done.stderr.splitlines()[0] == (
        f"the scheduler at {dask_cluster.address} has no workers yet; waiting up to 1 s for the first one"
    )
    assert "has no workers: start some with `dask worker" in done.stderr.splitlines()[-1]
    assert not list(tmp_path.glob("run*"))


def test_the_run_of_a_cluster_is_the_run_of_this_machine(
    dask_cluster: DaskCluster, tables_of_this_machine: Callable[[Design], list[Table]], tmp_path: Path
) -> None:
    dask_cluster.start_worker()
    dask_cluster.start_worker()
    there = simulate_run(make_design(), tmp_path / "there.duckdb", scheduler=dask_cluster.address)
    assert read_tables(there) == tables_of_this_machine(make_design())


@pytest.mark.slow
def test_a_lost_worker_costs_only_its_shard(
    dask_cluster: DaskCluster, tables_of_this_machine: Callable[[Design], list[Table]], tmp_path: Path
) -> None:
    """One of three workers is killed after the first shards; the others play its shards."""
    lost, *_ = [dask_cluster.start_worker() for _ in range(3)]
    target = tmp_path / "there.duckdb"
    killed = threading.Event()

    def kill_worker(done: int, games: int, _left: float | None) -> None:
        if 0 < done < games and not killed.is_set():
            lost.send_signal(signal.SIGKILL)
            killed.set()

    run = simulate_run(make_slow_design(), target, scheduler=dask_cluster.address, progress=kill_worker)
    assert killed.is_set()
    assert lost.wait(10) == -signal.SIGKILL
    assert read_tables(run) == tables_of_this_machine(make_slow_design())


@pytest.mark.slow
def test_a_lost_scheduler_keeps_what_is_done_and_the_run_goes_on_here(
    dask_cluster: DaskCluster,
    tables_of_this_machine: Callable[[Design], list[Table]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    dask_cluster.start_worker()
    monkeypatch.setattr(workers, "SCHEDULER_TIMEOUT_SECONDS", 3)

    def kill_scheduler(done: int, games: int, _left: float | None) -> None:
        if 0 < done < games:
            dask_cluster.scheduler.kill()

    with pytest.raises(PlayError, match="lost the scheduler") as caught:
        simulate_run(
            make_slow_design(),
            tmp_path / "there.duckdb",
            scheduler=dask_cluster.address,
            progress=kill_scheduler,
        )
    partial = caught.value.partial
    assert isinstance(partial, UnfinishedRun)
    assert 0 < partial.games_done < partial.games
    run = resume_run(partial, workers=2)
    assert read_tables(run) == tables_of_this_machine(make_slow_design())


def test_a_scheduler_that_is_lost_between_two_shards_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    class LostClient:
        status = "connecting"

        def __init__(self, *_args: object, **_options: object) -> None:
            self.answers = [{"tcp://worker:1": 2}]

        def nthreads(self) -> dict[str, int]:
            if self.answers:
                return self.answers.pop()
            raise OSError("Timed out trying to connect")

        def ignore(self, *_args: object, **_options: object) -> None: ...

        get_executor = wait_for_workers = close = ignore

    monkeypatch.setattr("distributed.Client", LostClient)
    with (
        pytest.raises(PlayError, match=r"^lost the scheduler at tcp://host:8786$"),
        workers.connect_cluster("tcp://host:8786") as lost,
    ):
        _ = lost.size


def test_a_worker_that_plays_by_other_sources_is_refused(
    dask_cluster: DaskCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dask_cluster.start_worker()
    monkeypatch.setattr(workers, "source_fingerprint", lambda: "another")
    with pytest.raises(InvalidError, match=r"worker tcp://.* has another version of Reroll"):
        simulate_run(make_design(20), tmp_path / "there.duckdb", scheduler=dask_cluster.address)


@pytest.mark.parametrize("name", ["weights.toml", "prior.toml"])
def test_other_weights_of_strategies_count_as_other_sources(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    weights = tmp_path / "engine" / "games" / "bloxx" / name
    weights.parent.mkdir(parents=True)
    monkeypatch.setattr(workers, "_SOURCE_ROOT", tmp_path)
    fingerprints = set()
    for gap in (1, 2):
        weights.write_text(f"gap = {gap}", encoding="utf-8")
        fingerprints.add(workers.source_fingerprint.__wrapped__())
    assert len(fingerprints) == 2


def test_a_missing_scheduler_is_reported_in_one_line(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(workers, "SCHEDULER_TIMEOUT_SECONDS", 1)
        result = CliRunner().invoke(
            app,
            f"simulate bloxx-3p -s random,random,random --games 3 --scheduler {address} --data {tmp_path} --quiet",
        )
    assert result.exit_code == 2
    assert f"no Dask scheduler answers at {address}" in result.stderr
    assert len(result.stderr.strip().splitlines()) <= 2


def test_own_strategies_are_refused_on_a_cluster(tmp_path: Path) -> None:
    code = tmp_path / "mine.py"
    code.write_text("def mine(state, source):\n    return state.actions[0]\n")
    result = CliRunner().invoke(
        app,
        f"simulate bloxx-2p -s mine,random --games 2 --code {code} --scheduler tcp://127.0.0.1:1 --data {tmp_path}",
    )
    assert result.exit_code == 2
    assert "on this machine only" in result.stderr
    assert not list((tmp_path / "runs").glob("*"))


# Machines with their own networks: network namespaces that are connected by virtual cables --------------------------
# The scheduler and the command that plays stand in a namespace, too: a browser repeats all its requests whenever this
# machine gets a network, and other tests may have one open.

NETWORK_ADDRESS: Final = "10.213.{}.{}"
"""Filled with the number of a machine, and with 1 for the hub's end of its cable or 2 for its own end."""
HUB: Final = "reroll-hub"
"""The namespace of the scheduler, which is connected to every machine."""
SIMULATE_SCRIPT: Final = """
import sys
from pathlib import Path
from pipelines.design.designs import read_design
from pipelines.simulate.simulate import simulate_run

design, target, scheduler = sys.argv[1:]
simulate_run(read_design(design, "design"), Path(target), scheduler=scheduler)
"""
SCHEDULER_PORT: Final = 18786
DASK_COMMAND: Final = (sys.executable, "-m", "dask")


def run_ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True, text=True)  # noqa: S603, S607 - commands of this test


@contextmanager
def network_namespace(number: int) -> Iterator[str]:
    """Make a network namespace that can reach the hub and nothing else; yield its name."""
    name, here, there = f"reroll-{number}", f"reroll-h{number}", f"reroll-t{number}"
    with ExitStack() as stack:
        run_ip("netns", "add", name)
        stack.callback(run_ip, "netns", "del", name)  # also deletes both ends of the cable
        run_ip("-n", HUB, "link", "add", here, "type", "veth", "peer", "name", there, "netns", name)
        run_ip("-n", HUB, "addr", "add", f"{NETWORK_ADDRESS.format(number, 1)}/30", "dev", here)
        run_ip("-n", HUB, "link", "set", here, "up")
        run_ip("-n", name, "addr", "add", f"{NETWORK_ADDRESS.format(number, 2)}/30", "dev", there)
        run_ip("-n", name, "link", "set", there, "up")
        run_ip("-n", name, "route", "add", "default", "via", NETWORK_ADDRESS.format(number, 1))
        yield name


@pytest.fixture
def namespace_names() -> Iterator[list[str]]:
    if shutil.which("ip") is None or os.geteuid():
        pytest.skip("network namespaces need root and iproute2")
    with ExitStack() as stack:
        try:
            run_ip("netns", "add", HUB)
            stack.callback(run_ip, "netns", "del", HUB)
            run_ip("-n", HUB, "link", "set", "lo", "up")
            yield [stack.enter_context(network_namespace(number)) for number in (1, 2)]
        except subprocess.CalledProcessError as error:
            pytest.skip(f"cannot make network namespaces: {error.stderr.strip()}")


@contextmanager
def run_logged(start_process: StartProcess, command: Sequence[str], log: Path) -> Iterator[Path]:
    with log.open("wb") as output, start_process(command, stdout=output, stderr=output) as process:
        try:
            yield log
        finally:
            process.kill()


@pytest.mark.slow
def test_workers_on_other_networks_play_the_same_run(
    run_process: RunProcess,
    start_process: StartProcess,
    namespace_names: list[str],
    tables_of_this_machine: Callable[[Design], list[Table]],
    tmp_path: Path,
) -> None:
    scheduler = f"tcp://{NETWORK_ADDRESS.format(1, 1)}:{SCHEDULER_PORT}"
    worker = (
        *DASK_COMMAND,
        "worker",
        scheduler,
        "--nworkers",
        "1",
        "--nthreads",
        "1",
        "--no-nanny",
        "--no-dashboard",
    )
    with ExitStack() as stack:
        in_hub = ("ip", "netns", "exec", HUB)
        command = (
            *in_hub,
            *DASK_COMMAND,
            "scheduler",
            "--host",
            NETWORK_ADDRESS.format(1, 1),
            "--port",
            str(SCHEDULER_PORT),
            "--no-dashboard",
        )
        stack.enter_context(run_logged(start_process, command, tmp_path / "scheduler.log"))
        logs = [
            stack.enter_context(
                run_logged(
                    start_process,
                    ("ip", "netns", "exec", name, *worker, "--local-directory", str(tmp_path / name)),
                    log,
                )
            )
            for name, log in zip(namespace_names, (tmp_path / "one.log", tmp_path / "two.log"), strict=True)
        ]
        until = time.monotonic() + 60
        while not all("Registered to" in log.read_text() for log in logs):
            assert time.monotonic() < until, [log.read_text() for log in logs]
            time.sleep(0.1)
        there = tmp_path / "there.duckdb"
        words = (sys.executable, "-c", SIMULATE_SCRIPT, make_design().run_document, str(there), scheduler)
        run_process((*in_hub, *words), check=True)
        assert all(NETWORK_ADDRESS.format(number, 2) in log.read_text() for number, log in enumerate(logs, 1))
    assert read_tables(Run(there)) == tables_of_this_machine(make_design())
