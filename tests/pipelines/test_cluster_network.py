"""A cluster whose machines have networks of their own: network namespaces, joined by virtual cables."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Final

import duckdb
import pytest

from engine.catalogue import Catalogue
from pipelines.design import design
from pipelines.simulate import simulate

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from pipelines.run import Run

pytest.importorskip("distributed")
pytestmark = pytest.mark.slow

NETWORK: Final = "10.213.{}.{}"
"""Number of a machine; 1 is this end of its cable, 2 the other one."""
PORT: Final = 18786
DASK: Final = (sys.executable, "-m", "dask")


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True, text=True)  # noqa: S603, S607 - words of ours


@contextmanager
def machine(number: int) -> Iterator[str]:
    """A network namespace that reaches this machine, and nothing else; its name."""
    name, here, there = f"reroll-{number}", f"reroll-h{number}", f"reroll-t{number}"
    with ExitStack() as stack:
        ip("netns", "add", name)
        stack.callback(ip, "netns", "del", name)  # takes both ends of the cable along
        ip("link", "add", here, "type", "veth", "peer", "name", there, "netns", name)
        ip("addr", "add", f"{NETWORK.format(number, 1)}/30", "dev", here)
        ip("link", "set", here, "up")
        ip("-n", name, "addr", "add", f"{NETWORK.format(number, 2)}/30", "dev", there)
        ip("-n", name, "link", "set", there, "up")
        ip("-n", name, "route", "add", "default", "via", NETWORK.format(number, 1))
        yield name


@pytest.fixture
def names() -> Iterator[list[str]]:
    if shutil.which("ip") is None or os.geteuid():
        pytest.skip("network namespaces need root and iproute2")
    with ExitStack() as stack:
        try:
            yield [stack.enter_context(machine(number)) for number in (1, 2)]
        except subprocess.CalledProcessError as error:
            pytest.skip(f"no network namespaces here: {error.stderr.strip()}")


@contextmanager
def running(command: Sequence[str], log: Path) -> Iterator[Path]:
    with log.open("wb") as said, subprocess.Popen(command, stdout=said, stderr=said) as process:  # noqa: S603
        try:
            yield log
        finally:
            process.kill()


def content(run: Run) -> list[list[tuple[object, ...]]]:
    with duckdb.connect(run.path, read_only=True) as connection:
        tables = ("games", "seats", "parts", "plies")
        return [connection.execute(f"FROM {table} ORDER BY ALL").fetchall() for table in tables]


def test_workers_on_other_networks_play_the_same_run(names: list[str], tmp_path: Path) -> None:
    lineup = ["greedy", "random", "random"]
    planned = design(Catalogue().find("bloxx-3p"), lineup, blocks=400, seed=7, rotate=True, log="full")
    scheduler = f"tcp://{NETWORK.format(1, 1)}:{PORT}"
    worker = (
        *DASK,
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
        command = (*DASK, "scheduler", "--host", NETWORK.format(1, 1), "--port", str(PORT), "--no-dashboard")
        stack.enter_context(running(command, tmp_path / "scheduler.log"))
        logs = [
            stack.enter_context(
                running(
                    ("ip", "netns", "exec", name, *worker, "--local-directory", str(tmp_path / name)), log
                )
            )
            for name, log in zip(names, (tmp_path / "one.log", tmp_path / "two.log"), strict=True)
        ]
        until = time.monotonic() + 60
        while not all("Registered to" in log.read_text() for log in logs):
            assert time.monotonic() < until, [log.read_text() for log in logs]
            time.sleep(0.1)
        there = simulate(planned, tmp_path / "there.duckdb", scheduler=scheduler)
        assert all(NETWORK.format(number, 2) in log.read_text() for number, log in enumerate(logs, 1))
    assert content(there) == content(simulate(planned, tmp_path / "here.duckdb", workers=1))
