"""Sessions without a browser: they say to the server what a browser would say, and take what it would draw."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qsl, urlencode
from urllib.request import urlopen

import numpy as np
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

from benchmarks.visits.told import HEADINGS, LISTED, SHAPES, pause, walk

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from websockets.asyncio.client import ClientConnection

    from benchmarks.visits.known import Knowledge, Known
    from benchmarks.visits.told import Told

PATIENCE: Final = 60.0
"""Seconds after which an interaction counts as failed."""


class VisitError(Exception):
    """The server did not answer as it should have."""


@dataclass(frozen=True)
class Shown:
    """One element of a page."""

    kind: str
    it: Any
    """Its message, of Streamlit's protocol."""
    fragment: str
    """The part of the page that is worked out anew by itself when it is used; empty if that is the whole page."""
    run: int

    @property
    def label(self) -> str:
        return str(getattr(self.it, "label", ""))


class Wire:
    """A page as the server sees it."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._socket: ClientConnection | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._heard = asyncio.Condition()
        self._reset("", "")

    def _reset(self, page: str, query: str) -> None:
        self.page, self.query, self.hash = page, query, ""
        self.shown: dict[tuple[int, ...], Shown] = {}
        self.hashes: dict[str, str] = {}
        """Page by name: what the server calls it."""
        self._states: dict[str, WidgetState] = {}
        self._cached: dict[str, ForwardMsg] = {}
        self._repeated: dict[str, asyncio.Task[None]] = {}
        self._run = 0
        self._is_over = False
        self._parts: set[str] = set()
        self._announced: set[str] = set()

    async def open(self, page: str, **query: str) -> None:
        """Follow a link: the page itself, which a browser keeps no copy of, and a session of one's own."""
        await self.close()
        self._reset(page, urlencode(query))
        await asyncio.to_thread(lambda: urlopen(f"{self._address}/{page}").read())  # noqa: S310 - our own server
        self._socket = await connect(
            f"{self._address.replace('http', 'ws')}/_stcore/stream",
            origin=self._address,  # type: ignore[arg-type]  # a plain string, by any other name
            subprotocols=["streamlit"],  # type: ignore[list-item]
            max_size=None,
        )
        self._keep(self._hear(self._socket))
        await self._say()

    async def close(self) -> None:
        for task in list(self._tasks):
            task.cancel()
        if self._socket:
            await self._socket.close()
            self._socket = None

    async def turn(self, title: str) -> None:
        """Choose a page from the line of links on top."""
        self.hash = self.hashes[title]
        self.page, self.query = ("" if title == "Library" else title.lower().replace(" ", "")), ""
        self._states = {}
        await self._say()

    async def choose(self, label: str, option: str) -> None:
        """Press one of a row of buttons."""
        found = self.find("button_group", label)
        state = WidgetState(id=found.it.id)
        state.string_array_value.data.append(option)
        if found.it.query_param_key:
            self.query = urlencode({**dict(parse_qsl(self.query)), found.it.query_param_key: option})
        await self._use(found, state)

    async def press(self, label: str) -> None:
        found = self.find("button", label)
        await self._use(found, WidgetState(id=found.it.id, trigger_value=True))

    async def pick(self, label: str, option: str) -> None:
        """Choose from a menu."""
        found = self.find("menu_button", label)
        state = WidgetState(id=found.it.id)
        state.string_trigger_value.data = option
        await self._use(found, state)

    async def click(self, chart: Shown, customdata: list[int]) -> None:
        """Click the mark of a chart that carries these data."""
        said = {
            "selection": {"points": [{"customdata": customdata}], "point_indices": [], "box": [], "lasso": []}
        }
        await self._use(chart, WidgetState(id=chart.it.id, string_value=json.dumps(said)))

    def find(self, kind: str, label: str | None = None) -> Shown:
        for one in self.shown.values():
            if one.kind == kind and (label is None or one.label == label):
                return one
        raise VisitError(f"no {kind} {label or ''} on the page {self.page}")

    @property
    def text(self) -> str:
        """Everything that is said in words."""
        said = "\n".join(
            str(getattr(one.it, "body", "") or one.label or getattr(one.it, "value", ""))
            for one in self.shown.values()
        )
        return re.sub(r"\\(?=[^\w\s])", "", said)  # as Markdown shows it

    @property
    def errors(self) -> list[str]:
        found = [one.it.message for one in self.shown.values() if one.kind == "exception"]
        return found + [
            one.it.body
            for one in self.shown.values()
            if one.kind == "alert" and one.it.format == one.it.ERROR
        ]

    async def until(self, claim: Callable[[], bool]) -> None:
        """Wait until the page says so and nothing is being worked out."""

        async def wait() -> None:
            async with self._heard:
                await self._heard.wait_for(lambda: self._is_over and claim())

        try:
            await asyncio.wait_for(wait(), PATIENCE)
        except TimeoutError:
            raise VisitError(
                f"{self.page}?{self.query}: not there after {PATIENCE:g} s: …{self.text[-300:]!r}"
            ) from None

    async def _use(self, one: Shown, state: WidgetState) -> None:
        self._states[state.id] = state
        await self._say(one.fragment)
        if state.WhichOneof("value") in {"trigger_value", "string_trigger_value"}:
            del self._states[state.id]

    async def _say(self, fragment: str = "", *, is_repeated: bool = False) -> None:
        if not self._socket:
            return
        said = BackMsg()
        asked = said.rerun_script
        asked.query_string, asked.page_name, asked.page_script_hash = self.query, self.page, self.hash
        asked.fragment_id, asked.is_auto_rerun = fragment, is_repeated
        asked.widget_states.widgets.extend(self._states.values())
        asked.cached_message_hashes.extend(self._cached)
        if not is_repeated:
            self._is_over = False
        await self._socket.send(said.SerializeToString())

    async def _hear(self, socket: ClientConnection) -> None:
        with contextlib.suppress(WebSocketException):
            async for raw in socket:
                message = ForwardMsg()
                message.ParseFromString(raw if isinstance(raw, bytes) else raw.encode())
                if message.WhichOneof("type") == "ref_hash":
                    kept = ForwardMsg()
                    kept.CopyFrom(self._cached[message.ref_hash])
                    kept.metadata.CopyFrom(message.metadata)
                    message = kept
                elif message.metadata.cacheable and message.hash:
                    self._cached[message.hash] = message
                async with self._heard:
                    self._take(message)
                    self._heard.notify_all()

    def _take(self, message: ForwardMsg) -> None:
        kind = message.WhichOneof("type")
        if kind == "new_session":
            self._run += 1
            self._is_over = False
            self._parts, self._announced = set(), set()
        elif kind == "navigation":
            self.hash = message.navigation.page_script_hash
            self.hashes = {page.page_name: page.page_script_hash for page in message.navigation.app_pages}
        elif kind == "page_info_changed":
            self.query = message.page_info_changed.query_string
        elif kind == "delta":
            self._draw(tuple(message.metadata.delta_path), message.delta)
        elif kind == "auto_rerun":
            one = message.auto_rerun
            self._announced.add(one.fragment_id)
            if one.fragment_id not in self._repeated:
                self._repeated[one.fragment_id] = self._keep(self._repeat(one.fragment_id, one.interval))
        elif kind == "stop_auto_rerun":
            self._stop_repeating(set())
        elif kind == "script_finished":
            self._over(message.script_finished)

    def _over(self, how: int) -> None:
        if how == ForwardMsg.FINISHED_EARLY_FOR_RERUN:
            return
        # What was not drawn again is gone; of a part of the page, what was drawn by that part.
        is_part = how == ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY
        self.shown = {
            path: one
            for path, one in self.shown.items()
            if one.run == self._run or (is_part and one.fragment not in self._parts)
        }
        if not is_part:
            self._stop_repeating(self._announced)
        there = {getattr(one.it, "id", "") for one in self.shown.values()}
        self._states = {name: state for name, state in self._states.items() if name in there}
        self._is_over = True

    def _draw(self, path: tuple[int, ...], delta: Any) -> None:  # noqa: ANN401 - a message
        what = delta.WhichOneof("type")
        if what == "new_element":
            self._parts.add(delta.fragment_id)
            kind = str(delta.new_element.WhichOneof("type"))
            self.shown[path] = Shown(kind, getattr(delta.new_element, kind), delta.fragment_id, self._run)
        elif what == "add_block":
            self.shown.pop(path, None)

    async def _repeat(self, fragment: str, interval: float) -> None:
        while True:
            await asyncio.sleep(interval)
            await self._say(fragment, is_repeated=True)

    def _stop_repeating(self, but: set[str]) -> None:
        for fragment in self._repeated.keys() - but:
            self._repeated.pop(fragment).cancel()

    def _keep(self, work: Any) -> asyncio.Task[None]:  # noqa: ANN401 - a coroutine
        task: asyncio.Task[None] = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


class Session:
    """Somebody who does on the wire what sessions in browsers do by clicks."""

    def __init__(self, page: Wire, knowledge: Knowledge, told: Told) -> None:
        self.page, self.knowledge, self.told = page, knowledge, told

    @contextlib.asynccontextmanager
    async def timing(self, page: str, what: str) -> AsyncIterator[None]:
        """Time what is done inside, which ends when the page is settled."""
        async with self.told.timing(page, what, self._errors, in_browser=False):
            yield
        await pause(self.knowledge.luck)

    async def _errors(self) -> list[str]:
        return self.page.errors

    async def reads(self, text: str | re.Pattern[str]) -> str:
        """Wait until something on the page says this; return what is found."""
        pattern = re.compile(re.escape(text)) if isinstance(text, str) else text
        await self.page.until(lambda: pattern.search(self.page.text) is not None)
        found = pattern.search(self.page.text)
        return found[0] if found else ""

    async def turned(self, page: str) -> None:
        """Go to another page by the line of links on top."""
        async with self.timing(page, "open from the menu"):
            await self.page.turn(page)
            await self.reads(HEADINGS[page])

    async def library(self) -> None:
        await self.turned("Library")
        total = self.knowledge.games
        self.told.expect(f"{total:,} games" in self.page.text, f"Library does not tell of {total:,} games")

    async def scores(self) -> None:
        await self.turned("Scores")
        one = self.knowledge.simulated()
        if one is None:
            return
        async with self.timing("Scores", "open a run by its link"):
            await self.page.open("scores", rulesets=one.ruleset, runs=one.run.name)
            said = await self.reads(re.compile(r"[\d,]+ results, from 1 run"))
        self.told.expect(
            said.startswith(f"{one.results:,} "),
            f"Scores of {one.run.name}: {one.results:,} results, not {said}",
        )
        for shape, below in SHAPES.items():
            async with self.timing("Scores", shape.lower()):
                await self.page.choose("Shape", shape)
                await self.reads(below)
        await self._bin()
        for view in ("Parts", "Course", "Seats", "Length"):
            async with self.timing("Scores", f"view {view.lower()}"):
                await self.page.choose("View", view)
                await self.page.until(
                    lambda: any(one.kind == "plotly_chart" for one in self.page.shown.values())
                )

    async def _bin(self) -> None:
        chart = self.page.find("plotly_chart")
        bars = [
            [int(bound) for bound in bar]
            for trace in json.loads(chart.it.spec)["data"]
            if trace["type"] == "bar"
            for bar in _array(trace["customdata"])
        ]
        async with self.timing("Scores", "click a bin"):
            await self.page.click(chart, bars[len(bars) // 2])
            await self.reads(LISTED)

    async def strategies(self) -> None:
        await self.turned("Strategies")
        one = self.knowledge.compared()
        if one is None:
            return
        async with self.timing("Strategies", "open a comparison by its link"):
            await self.page.open("strategies", run=one.run.name)
            await self.reads("Can it be trusted?")
        said = await self.reads(re.compile(rf"^{one.ruleset}: .*", re.MULTILINE))
        seed = f"seed {one.run.summary.seed}"
        self.told.expect(seed in said, f"Strategies of {one.run.name}: {seed}, not {said}")

    async def replay(self) -> None:
        await self.turned("Replay")
        one = self.knowledge.replayable()
        if one is None:
            return
        game = self.knowledge.luck.choice(list(one.games))
        async with self.timing("Replay", "open a game by its link"):
            await self.page.open("replay", run=one.run.name, game=str(game))
            await self.page.until(lambda: self._game() == game)
        self._ends(one, game)
        if game + 1 < one.run.summary.games:
            async with self.timing("Replay", "next game"):
                await self.page.press("→")
                await self.page.until(lambda: self._game() == game + 1)
        for wanted in ("A game at random", "The closest finish", "The record score"):
            async with self.timing("Replay", wanted.lower()):
                await self.page.pick("Go to", wanted)
                await self.page.until(lambda: self._game() is not None)

    def _scene(self) -> dict[str, Any] | None:
        for one in self.page.shown.values():
            if one.kind == "bidi_component" and one.it.component_name == "reroll_replay":
                scene: dict[str, Any] = json.loads(one.it.json)[0]["scene"]
                return scene
        return None

    def _game(self) -> int | None:
        scene = self._scene()
        return scene["game_id"] if scene else None

    def _ends(self, one: Known, game: int) -> None:
        scene = self._scene()
        scores = scene["steps"][-1]["scores"] if scene else None
        self.told.expect(
            scores == one.games[game], f"{one.run.name}, game {game}: {one.games[game]}, not {scores}"
        )

    async def whatif(self) -> None:
        await self.turned("What if")
        one = self.knowledge.replayable()
        if one is None:
            return
        game = self.knowledge.luck.choice(list(one.games))
        query = {"game": str(game), "ply": "4", "seat": "0", "strategy": "random", "n": "100", "seed": "3"}
        async with self.timing("What if", "ask by a link"):
            await self.page.open("whatif", run=one.run.name, **query)
            await self.reads("continuations of each branch")
        box = self.page.find("number_input", "Game").it
        shown = box.value if box.set_value else box.default
        self.told.expect(shown == game, f"What if asks about game {shown:g} in place of {game}")

    async def rules(self) -> None:
        await self.turned("Rules")
        one = self.knowledge.luck.choice(self.knowledge.every)
        async with self.timing("Rules", "open a ruleset by its link"):
            await self.page.open("rules", ruleset=one.ruleset)
            await self.reads("clauses")
        async with self.timing("Rules", "side by side"):
            await self.page.choose("Part", "Rulesets side by side")
            await self.reads('class="side')
        self.told.expect(one.ruleset in self.page.text, f"Rules do not name {one.ruleset}")

    async def sql(self) -> None:
        await self.turned("SQL")
        one = self.knowledge.luck.choice(self.knowledge.every)
        asked = "SELECT score, count(*) AS n FROM seats GROUP BY score ORDER BY score"
        async with self.timing("SQL", "ask by a link"):
            await self.page.open("sql", sql=asked, runs=one.run.name)
            said = await self.reads(re.compile(r"^[\d,]+ rows?, ", re.MULTILINE))
        self.told.expect(
            said.startswith(f"{one.scores:,} row"), f"SQL of {one.run.name}: {one.scores} rows, not {said}"
        )

    @property
    def pages(self) -> list[Callable[[], Awaitable[None]]]:
        return [self.library, self.scores, self.strategies, self.replay, self.whatif, self.rules, self.sql]


def _array(values: Any) -> list[Any]:  # noqa: ANN401 - what Plotly writes
    """Return the values of a figure, which Plotly may have packed."""
    if not isinstance(values, dict):
        return list(values)
    packed = np.frombuffer(base64.b64decode(values["bdata"]), values["dtype"])
    shape = [int(size) for size in str(values.get("shape", len(packed))).split(",")]
    unpacked: list[Any] = packed.reshape(shape).tolist()
    return unpacked


async def visit(address: str, knowledge: Knowledge, told: Told, end: float) -> None:
    """Go through all pages as sessions in browsers do."""
    page = Wire(address)
    session = Session(page, knowledge, told)
    await page.open("")
    await session.reads(HEADINGS["Library"])
    await walk(session.pages, knowledge.luck, told, end, (VisitError, WebSocketException, OSError))
    await page.close()
