"""Play runs in forked processes and kill them. Modules are loaded and compiled once, so a kill takes milliseconds.

The tests start this program. It reads tasks as lines of JSON from stdin:

  {"work": "simulate" | "resume", "design": the document, "runs": the folder, "name": of the run, "workers": 1,
   "after": seconds until SIGKILL, or "step": SIGKILL before this change in the file system, counted from 1}

and answers each with a line:

  {"killed": true | false, "code": exit code, "seconds": lifetime of the process}
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

import pandas as pd

from pipelines.design.designs import read_design
from pipelines.runs.names import unfinished_path
from pipelines.runs.unfinished_run import UnfinishedRun, begin_run
from pipelines.simulate import compiled_games
from pipelines.simulate.simulate import resume_run

FOLDER_CHANGE_EVENTS = {
    "os.rename",
    "os.link",
    "os.mkdir",
    "os.remove",
    "os.rmdir",
    "os.chmod",
    "os.truncate",
}
"""Audit events of changes in a folder; opening a file for writing is handled separately."""


def kill_before_change(step: int, folder: str) -> None:
    """Make this process kill itself just before its change number `step` in the file system, counted from 1."""
    changes = 0

    def count_change(event: str, arguments: tuple[Any, ...]) -> None:
        nonlocal changes
        writes = (
            event == "open" and isinstance(arguments[2], int) and arguments[2] & (os.O_WRONLY | os.O_RDWR)
        )
        if event in FOLDER_CHANGE_EVENTS or (writes and str(arguments[0]).startswith(folder)):
            changes += 1
            if changes == step:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(count_change)


def run_task(task: dict[str, Any]) -> None:
    """Run a task in this process."""
    runs = Path(task["runs"])
    if "step" in task:
        kill_before_change(task["step"], str(runs))
    partial = UnfinishedRun(unfinished_path(runs, task["name"]))
    if task["work"] == "simulate":  # as `simulate_run` does, but with the shard size of the task
        partial = begin_run(partial.target, read_design(json.dumps(task["design"]), "task"), free_name=False)
    resume_run(partial, workers=task["workers"])


def run_task_in_child(task: dict[str, Any]) -> dict[str, Any]:
    """Run a task in a forked child; return the answer to the task."""
    started = time.monotonic()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            run_task(task)
            code = 0
        except BaseException as error:  # noqa: BLE001 - a forked child must not return from here
            sys.stderr.write(f"{type(error).__name__}: {error}\n")
            sys.stderr.flush()
        finally:
            os._exit(code)
    if "after" in task:
        time.sleep(task["after"])
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    return {"killed": code == -signal.SIGKILL, "code": code, "seconds": time.monotonic() - started}


def _print_line(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main() -> None:
    """Answer tasks until stdin ends. The first line has the designs that will be played."""
    pd.DataFrame()  # makes pyarrow load pandas here, not in every child
    for document in json.loads(sys.stdin.readline()):
        design = read_design(json.dumps(document), "task")
        if kernel := compiled_games.find_design_kernel(design):
            compiled_games.play_blocks(design, kernel, range(2))
    _print_line("ready")
    for line in sys.stdin:
        _print_line(json.dumps(run_task_in_child(json.loads(line))))


if __name__ == "__main__":
    main()
