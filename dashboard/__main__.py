"""The process of the dashboard: `python -m dashboard`, with the options of `streamlit run`.

It is Streamlit's server, which loads what the first page needs as soon as it answers: until a browser has begun to draw
there is time for it. What the other pages need, and the compiled games, follow when the first one is there.
"""

from __future__ import annotations

import sys
import threading
import time
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from engine.ruleset import Ruleset
    from pipelines.runs.library import Library

SERVING_SCRIPT: Final = Path(__file__).with_name("serving.py")
FIRST_PAGE_MODULES: Final = (
    "duckdb",
    "numpy",
    "dashboard.library.tiles",
    "dashboard.library.simulate_form",
    "dashboard.library.upload",
)
OTHER_PAGE_MODULES: Final = (
    "dashboard.replay.review_work",
    "dashboard.widgets.charts",
    "dashboard.strategies.report",
    "dashboard.whatif.report",
    "scipy.special",
)
PRELOAD_DELAY_SECONDS: Final = 3.0
"""Seconds after which the first page is there."""
THREAD_SWITCH_SECONDS: Final = 0.001
"""Seconds after which a thread lets another one go on: a page is sent piece by piece while the rest of it is worked out,
and each piece waits for its turn. Python's own 0.005 s make a page of sixty pieces wait until all is done."""


def main() -> None:
    """Serve the dashboard until the process is told to end."""
    from streamlit.web import cli  # noqa: PLC0415 - not for processes that are spawned, which load this module too

    sys.setswitchinterval(THREAD_SWITCH_SECONDS)
    threading.Thread(target=_preload_pages, daemon=True).start()
    sys.argv = ["streamlit", "run", str(SERVING_SCRIPT), *sys.argv[1:]]
    cli.main()


def _preload_pages() -> None:
    """Load, once the server is there, what pages will ask for. Whatever is wrong, the page says it better."""
    with suppress(Exception):
        _wait_for_the_server()
        for name in FIRST_PAGE_MODULES:
            import_module(name)
        from dashboard.library import tiles  # noqa: PLC0415
        from dashboard.queries import cached  # noqa: PLC0415 - that is the point
        from engine import games  # noqa: PLC0415

        runs = cached.dashboard_library().runs()  # from here on their summaries are known
        for game in games.game_names():
            games.find_game(game)
        tiles.preload_tiles(runs)
        time.sleep(PRELOAD_DELAY_SECONDS)
        for name in OTHER_PAGE_MODULES:
            import_module(name)
        from pipelines.runs import query  # noqa: PLC0415 - as above

        _load_kernels(cached.dashboard_library())
        query.prepare_query_process()


def _load_kernels(library: Library) -> None:
    """Load the compiled game of the newest run of every game."""
    from engine.kernels import contract  # noqa: PLC0415 - as above

    newest: dict[str, Ruleset] = {}
    for run in library.runs():
        for ruleset in run.rulesets.values():
            newest.setdefault(ruleset.game, ruleset)
    for ruleset in newest.values():
        if found := contract.find_kernel(ruleset):
            contract.load_kernel(found)


def _wait_for_the_server() -> None:
    """Wait until the server has begun: it comes first."""
    from streamlit import runtime  # noqa: PLC0415 - as above
    from streamlit.runtime import RuntimeState  # noqa: PLC0415

    while not runtime.exists() or runtime.get_instance().state is RuntimeState.INITIAL:
        time.sleep(0.02)


if __name__ == "__main__":
    main()
