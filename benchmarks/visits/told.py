"""What the sessions met, and the table of it."""

from __future__ import annotations

import contextlib
import time
from collections import defaultdict
from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable


class Settled(NamedTuple):
    """A page at rest that shows what was waited for."""

    moment: float
    """Since when, in seconds of `time.time()`."""
    errors: list[str]
    """The errors that it shows."""


@dataclass
class Timed:
    """One interaction."""

    page: str
    what: str
    seconds: float
    is_first: bool
    """Whether nobody had done this since the server was started."""
    in_browser: bool


@dataclass
class Told:
    """What all sessions met."""

    timed: list[Timed] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    done: set[tuple[str, str]] = field(default_factory=set)

    def expect(self, claim: bool, said: str) -> None:  # noqa: FBT001 - a claim is what it takes
        if not claim:
            self.wrong.append(said)

    @contextlib.asynccontextmanager
    async def timing(
        self, page: str, what: str, settled: Callable[[], Awaitable[Settled]], *, in_browser: bool
    ) -> AsyncIterator[None]:
        """Time what is done inside, until the page is settled."""
        begun = time.time()
        yield
        page_is = await settled()
        key = (page, what)
        self.timed.append(Timed(page, what, page_is.moment - begun, key not in self.done, in_browser))
        self.done.add(key)
        self.errors.extend(f"{page}, {what}: {text}" for text in page_is.errors)


def table(found: dict[str, Any]) -> str:
    """Return the figures as Markdown."""
    library = found["library"]
    replays = ", ".join(f"{one:.2f}" for one in found["replay of Blokus"])
    told = (
        f"{found['sessions']} sessions at once, {found['browsers']} of them browsers, for {found['seconds']:g} s over "
        f"{library['games']:,} games in {library['runs']} runs ({library['bytes'] / 1e6:,.0f} MB); "
        f"{found['made']} UTC, {found['machine']['cores']} cores shared by all."
    )
    beginning = (
        f"First page {found['first page']:.2f} s after the start of `reroll dashboard`; replay of a Blokus game "
        f"steps {replays} s after its link was opened; the server held at most {found['peak bytes'] / 1e6:,.0f} MB "
        f"and took {found['server seconds']:.0f} s of processor time."
    )
    faults = [f"error: {one}" for one in dict.fromkeys(found["errors"])]
    faults += [f"wrong: {one}" for one in dict.fromkeys(found["wrong"])]
    failed = f"{len(found['errors'])} errors, {len(found['wrong'])} wrong facts."
    parts = [told, beginning, failed]
    for in_browser, title in ((True, "In browsers"), (False, "Without a browser")):
        timed = [one for one in found["interactions"] if one[4] == in_browser]
        if timed:
            parts += ["", f"{title}, seconds:", "", *_rows(timed)]
    return "\n".join([*parts, *faults])


def _rows(timed: list[tuple[str, str, float, bool, bool]]) -> list[str]:
    rows: dict[tuple[str, str], list[tuple[float, bool]]] = defaultdict(list)
    for page, what, seconds, is_first, _ in timed:
        rows[page, what].append((seconds, is_first))
        rows["all", ""].append((seconds, is_first))
    lines = [
        "| page | interaction | n | first time | median | 95 % | most | within 1 s |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for (page, what), times in sorted(rows.items()):
        warm = sorted(seconds for seconds, is_first in times if not is_first)
        first = [f"{seconds:.2f}" for seconds, is_first in times if is_first] if what else []
        told = (
            f"{median(warm):.2f} | {warm[min(len(warm) - 1, int(0.95 * len(warm)))]:.2f} | {warm[-1]:.2f} | "
            f"{sum(one <= 1 for one in warm) / len(warm):.0%}"
            if warm
            else "· | · | · | ·"
        )
        lines.append(f"| {page} | {what} | {len(times)} | {' '.join(first) or '·'} | {told} |")
    return lines
