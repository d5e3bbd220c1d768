"""Measure the dashboard under visitors, and print what was found."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import random
import sys
import time
from pathlib import Path
from typing import Any

from playwright.async_api import async_playwright

import benchmarks.visits
from benchmarks.visits import browsers
from benchmarks.visits.chromium import CHROMIUM, QUIET
from benchmarks.visits.known import Knowledge, known
from benchmarks.visits.serving import Taken, serving
from benchmarks.visits.told import Told, table
from benchmarks.visits.walk import visit
from benchmarks.visits.wire import Wire
from pipelines.runs.library import Library


async def measured(data: Path, sessions: int, drawn: int, seconds: float, seed: int) -> dict[str, Any]:
    """Run everything; return the figures. So many sessions as `drawn` are browsers."""
    luck = random.Random(seed)  # noqa: S311 - whichever
    every = [known(run, luck) for run in Library(data).runs()]
    told = Told()
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        idle = await browsers.watched(await browser.new_context())
        begun = time.time()
        with serving(data) as (process, address):
            started = await browsers.first_page(idle, address, begun)
            taken = Taken(process)
            watching = asyncio.create_task(taken.watch())
            blokus = next(
                (one for one in every if one.games and one.run.summary.rulesets[0].game == "blokus"), None
            )
            replays = [await browsers.first_replay(idle, address, blokus) for _ in range(3)] if blokus else []
            await idle.close()
            end = time.monotonic() + seconds
            visits = []
            for number in range(sessions):
                knowledge = Knowledge(every, random.Random(seed + number))  # noqa: S311
                visitor = await browsers.tab(browser, address, told) if number < drawn else Wire(address)
                visits.append(visit(visitor, knowledge, told, end))
            await asyncio.gather(*visits)
            taken.look()
            watching.cancel()
        await browser.close()
    return {
        "machine": {"processor": platform.processor() or platform.machine(), "cores": os.cpu_count()},
        "made": time.strftime("%Y-%m-%d %H:%M", time.gmtime()),
        "library": {
            "runs": len(every),
            "games": sum(one.run.summary.games for one in every),
            "bytes": sum(one.run.summary.bytes for one in every),
        },
        "sessions": sessions,
        "browsers": min(drawn, sessions),
        "seconds": seconds,
        "first page": started,
        "replay of Blokus": replays,
        "peak bytes": taken.peak,
        "server seconds": taken.seconds,
        "errors": told.errors,
        "wrong": told.wrong,
        "interactions": [
            [one.page, one.what, round(one.seconds, 3), one.is_first, one.in_browser] for one in told.timed
        ],
    }


def main() -> int:
    """Measure and print; exit code 1 if a page failed or said something wrong."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.visits", description=(benchmarks.visits.__doc__ or "").splitlines()[0]
    )
    parser.add_argument(
        "--data", type=Path, required=True, help="data folder whose runs are looked at; not changed"
    )
    parser.add_argument("--sessions", type=int, default=10, help="visitors at once")
    parser.add_argument(
        "--browsers", type=int, default=1, help="how many of them are browsers; the others draw nothing"
    )
    parser.add_argument(
        "--seconds", type=float, default=120, help="how long; every session goes through all pages once"
    )
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--json", type=Path, help="file for every single figure")
    asked = parser.parse_args()
    found = asyncio.run(measured(asked.data, asked.sessions, asked.browsers, asked.seconds, asked.seed))
    if asked.json:
        asked.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    sys.stdout.write(table(found) + "\n")
    return 1 if found["errors"] or found["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
