"""Visitors without a browser: they say to the server what a browser would say, and take what it would draw."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import time
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qsl, urlencode
from urllib.request import urlopen

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

from benchmarks.visits.shown import Shown
from benchmarks.visits.told import Settled
from benchmarks.visits.walk import PATIENCE, VisitError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable

    from websockets.asyncio.client import ClientConnection

    from benchmarks.visits.shown import Element


class Wire:
    """A page as the server sees it."""

    in_browser: Final = False
    faults: Final = (WebSocketException, OSError)

    def __init__(self, address: str) -> None:
        self._address = address
        self._socket: ClientConnection | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._heard = asyncio.Condition()
        self._reset("", "")

    def _reset(self, page: str, query: str) -> None:
        self._page, self._query, self._hash = page, query, ""
        self._shown = Shown()
        self._hashes: dict[str, str] = {}
        """Page by name: what the server calls it."""
        self._states: dict[str, WidgetState] = {}
        self._cached: dict[str, ForwardMsg] = {}
        self._repeated: dict[str, asyncio.Task[None]] = {}
        """Part of the page that is worked out again and again: what asks for it."""
        self._is_over = False

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
        self._hearing = self._keep(self._hear(self._socket))
        await self._say()

    async def close(self) -> None:
        for task in list(self._tasks):
            task.cancel()
        if self._socket:
            await self._socket.close()
            self._socket = None

    async def turn(self, page: str) -> None:
        self._stop_repeating(list(self._repeated))
        self._hash = self._hashes[page]
        self._page, self._query = ("" if page == "Library" else page.lower().replace(" ", "")), ""
        self._states = {}
        await self._say()

    async def choose(self, row: str, option: str) -> None:
        found = self._shown.find("button_group", row)
        state = WidgetState(id=found.it.id)
        state.string_array_value.data.append(option)
        if found.it.query_param_key:
            self._query = urlencode({**self._asked, found.it.query_param_key: option})
        await self._use(found, state)

    async def press(self, button: str) -> None:
        found = self._shown.find("button", button)
        await self._use(found, WidgetState(id=found.it.id, trigger_value=True))

    async def pick(self, menu: str, option: str) -> None:
        found = self._shown.find("menu_button", menu)
        state = WidgetState(id=found.it.id)
        state.string_trigger_value.data = option
        await self._use(found, state)

    async def middle_bin(self) -> Callable[[], Awaitable[None]]:
        bars = self._shown.bars
        if not bars:
            raise VisitError("the chart has no bars")
        points = [{"customdata": bars[len(bars) // 2]}]
        said = {"selection": {"points": points, "point_indices": [], "box": [], "lasso": []}}
        chart = self._shown.find("plotly_chart")
        return lambda: self._use(chart, WidgetState(id=chart.it.id, string_value=json.dumps(said)))

    async def heading(self, title: str) -> None:
        await self._until(lambda: title in self._shown.headings)

    async def says(self, pattern: str) -> str:
        wanted = re.compile(pattern, re.MULTILINE)
        await self._until(lambda: wanted.search(self._shown.text) is not None)
        found = wanted.search(self._shown.text)
        return found[0] if found else ""

    async def text(self) -> str:
        return self._shown.text

    async def address_says(self, key: str, value: str) -> None:
        await self._until(lambda: self._asked.get(key) == value)

    async def chart(self) -> None:
        await self._until(lambda: self._shown.has("plotly_chart"))

    async def game(self, number: int | None = None) -> None:
        def is_there() -> bool:
            scene = self._shown.scene
            return scene is not None and number in {None, scene.get("game_id")}

        await self._until(is_there)

    async def final_scores(self) -> list[int]:
        scene = self._shown.scene
        return list(scene["steps"][-1]["scores"]) if scene else []

    async def number(self, label: str) -> str:
        return self._shown.number(label)

    async def rulebook(self, kind: str) -> list[str]:
        await self._until(lambda: bool(self._shown.heads(kind)))
        return self._shown.heads(kind)

    async def settled(self) -> Settled:
        await self._until(lambda: True)
        return Settled(time.time(), self._shown.errors)

    @property
    def _asked(self) -> dict[str, str]:
        return dict(parse_qsl(self._query))

    async def _until(self, claim: Callable[[], bool]) -> None:
        """Wait until the page says so and nothing is being worked out."""

        async def wait() -> None:
            async with self._heard:
                await self._heard.wait_for(lambda: self._is_over and claim())

        waiting = self._keep(wait())
        await asyncio.wait({waiting, self._hearing}, timeout=PATIENCE, return_when=asyncio.FIRST_COMPLETED)
        if waiting.done():
            waiting.result()  # or what is wrong with the page
            return
        waiting.cancel()
        # A browser would connect anew; no server of ours should make it.
        why = "the server hung up" if self._hearing.done() else f"not there after {PATIENCE:g} s"
        repeated = f"parts worked out again and again: {len(self._repeated)}"
        raise VisitError(f"{self._page}?{self._query}: {why}, {repeated}: …{self._shown.text[-300:]!r}")

    async def _use(self, one: Element, state: WidgetState) -> None:
        self._states[state.id] = state
        await self._say(one.fragment)
        if state.WhichOneof("value") in {"trigger_value", "string_trigger_value"}:
            del self._states[state.id]

    async def _say(self, fragment: str = "", *, is_repeated: bool = False) -> None:
        if not self._socket:
            return
        said = BackMsg()
        asked = said.rerun_script
        asked.query_string, asked.page_name, asked.page_script_hash = self._query, self._page, self._hash
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
            self._begin(is_part=bool(message.metadata.run.fragment_ids))
        elif kind == "navigation":
            self._hash = message.navigation.page_script_hash
            self._hashes = {page.page_name: page.page_script_hash for page in message.navigation.app_pages}
        elif kind == "page_info_changed":
            self._query = message.page_info_changed.query_string
        elif kind == "delta":
            self._shown.draw(tuple(message.metadata.delta_path), message.delta)
        elif kind == "auto_rerun":
            self._start_repeating(message.auto_rerun.fragment_id, message.auto_rerun.interval)
        elif kind == "stop_auto_rerun":
            self._stop_repeating(message.stop_auto_rerun.fragment_ids)
        elif kind == "script_finished":
            self._over(message.script_finished)

    def _begin(self, *, is_part: bool) -> None:
        self._shown.begin()
        self._is_over = False
        if not is_part:
            self._stop_repeating(list(self._repeated))

    def _over(self, how: int) -> None:
        if how == ForwardMsg.FINISHED_EARLY_FOR_RERUN:
            return
        is_part = how == ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY
        self._shown.end(is_part=is_part)
        there = self._shown.ids
        self._states = {name: state for name, state in self._states.items() if name in there}
        self._is_over = True

    def _start_repeating(self, fragment: str, interval: float) -> None:
        async def ask() -> None:
            while True:
                await asyncio.sleep(interval)
                await self._say(fragment, is_repeated=True)

        if fragment not in self._repeated:
            self._repeated[fragment] = self._keep(ask())

    def _stop_repeating(self, fragments: Iterable[str]) -> None:
        for fragment in fragments:
            if asking := self._repeated.pop(fragment, None):
                asking.cancel()

    def _keep(self, work: Any) -> asyncio.Task[None]:  # noqa: ANN401 - a coroutine
        task: asyncio.Task[None] = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task
