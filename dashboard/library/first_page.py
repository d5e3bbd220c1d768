"""What the first page reads from the library, without the page: read in time, it is in the caches when somebody comes."""

from __future__ import annotations

from contextlib import suppress

import scipy.special  # noqa: F401 - intervals import it when they need it, which takes 0.3 s

from dashboard.library.invitations import find_invitations
from dashboard.library.run_list import RUNS_SHOWN_AT_FIRST
from dashboard.library.tiles import iter_game_tiles
from dashboard.queries import cached
from dashboard.queries.verdicts import write_run_verdict


def read_first_page() -> None:
    """Read what the tiles, the invitations and the newest runs show; the page itself says what cannot be read."""
    with suppress(cached.PreparationError, *cached.QUERY_ERRORS):
        cached.prepare_library()
        library, runs = cached.dashboard_library(), cached.all_runs()
        for _ in iter_game_tiles(library, runs, cached.strategy_looks()):
            pass
        for run in sorted(runs, key=lambda run: run.summary.is_whatif)[:RUNS_SHOWN_AT_FIRST]:
            if run.summary.is_comparison or run.summary.is_whatif:
                write_run_verdict(run)
        find_invitations(runs)
