"""What the run files hold, to compare pages with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

    from pipelines.runs.library import Run

PEN: Final = 8
"""Games of a run whose scores are looked up beforehand."""


@dataclass(frozen=True)
class Known:
    """What one file holds."""

    run: Run
    results: int
    """Seats of all its games."""
    scores: int
    """How many different final scores there are."""
    games: dict[int, list[int]]
    """Final scores by seat of some logged games; none if no plies are kept."""

    @property
    def ruleset(self) -> str:
        return self.run.summary.rulesets[0].name

    @property
    def has_plies(self) -> bool:
        return bool(self.games)


def known(run: Run, luck: random.Random) -> Known:
    """Look up in the file what pages have to say."""
    with run.connect() as connection:
        results, scores = connection.execute("SELECT count(*), count(DISTINCT score) FROM seats").fetchall()[
            0
        ]
        logged = run.summary.log == "full"
        some = luck.sample(range(run.summary.games), min(PEN, run.summary.games)) if logged else []
        rows = connection.execute(
            "SELECT game_id, list(score ORDER BY seat) FROM seats WHERE game_id = ANY($some) GROUP BY game_id",
            {"some": some},
        ).fetchall()
    return Known(run, results, scores, dict(rows))


@dataclass(frozen=True)
class Knowledge:
    """All files of the library, and the luck by which a session chooses among them."""

    every: list[Known]
    luck: random.Random

    @property
    def games(self) -> int:
        return sum(one.run.summary.games for one in self.every)

    def one(self, fits: Callable[[Known], bool]) -> Known | None:
        """Choose a run that fits, if there is one."""
        fitting = [one for one in self.every if fits(one)]
        return self.luck.choice(fitting) if fitting else None

    def simulated(self) -> Known | None:
        return self.one(lambda one: one.run.summary.kind == "simulate" and one.has_plies)

    def compared(self) -> Known | None:
        return self.one(lambda one: one.run.summary.kind == "compare")

    def replayable(self) -> Known | None:
        return self.one(lambda one: one.has_plies)
