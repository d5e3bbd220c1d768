"""Plays runs in forked processes and kills them: everything is loaded and compiled once, so that a kill costs milliseconds.

Started by the tests as a program. It reads tasks as lines of JSON from stdin and answers each with a line:

  {"work": "simulate" | "resume", "design": the document, "runs": the folder, "name": of the run, "workers": 1,
   "after": seconds until SIGKILL, or "step": SIGKILL before this change in the file system, counted from 1}

  {"killed": true | false, "code": exit code, "seconds": how long it lived}
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

from pipelines.design.design import Design
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
"""Audit events of whatever changes a folder; opening for writing comes to them."""


def kill_before_change(step: int, folder: str) -> None:
    """Let this process kill itself just before it changes the file system for the n-th time."""
    seen = 0

    def count_change(event: str, arguments: tuple[Any, ...]) -> None:
        nonlocal seen
        writes = (
            event == "open" and isinstance(arguments[2], int) and arguments[2] & (os.O_WRONLY | os.O_RDWR)
        )
        if event in FOLDER_CHANGE_EVENTS or (writes and str(arguments[0]).startswith(folder)):
            seen += 1
            if seen == step:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(count_change)


def run_task(task: dict[str, Any]) -> None:
    """Do what a task says, in this process."""
    runs = Path(task["runs"])
    if "step" in task:
        kill_before_change(task["step"], str(runs))
    partial = UnfinishedRun(unfinished_path(runs, task["name"]))
    if task["work"] == "simulate":  # as `simulate` does, but in shards of our size
        partial = begin_run(
            partial.target, Design.from_document(json.dumps(task["design"]), "task"), free_name=False
        )
    resume_run(partial, workers=task["workers"])


def run_task_in_child(task: dict[str, Any]) -> dict[str, Any]:
    """Do a task in a child and tell how that ended."""
    started = time.monotonic()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            run_task(task)
            code = 0
        except BaseException as error:  # noqa: BLE001 - a child of a fork must never come back from here
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
    """Answer tasks until there are no more. The first line holds the designs that will be played."""
    pd.DataFrame()  # pyarrow loads pandas when it needs it: here, not in every child
    for document in json.loads(sys.stdin.readline()):
        design = Design.from_document(json.dumps(document), "task")
        if kernel := compiled_games.find_design_kernel(design):
            compiled_games.play_blocks(design, kernel, range(2))
    _print_line("ready")
    for line in sys.stdin:
        _print_line(json.dumps(run_task_in_child(json.loads(line))))


if __name__ == "__main__":
    main()
