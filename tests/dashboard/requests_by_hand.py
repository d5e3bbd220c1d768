"""Requests to an ASGI app as they arrive from the network: any bytes, any headers, each as often as wanted."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote

from starlette.datastructures import Headers

if TYPE_CHECKING:
    from collections.abc import Iterable

    from starlette.types import ASGIApp, Message

HOST = "127.0.0.1:8501"
LEAVING_SECONDS = 0.2


class Reply(NamedTuple):
    """What an app answered."""

    status: int
    headers: Headers
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()


def send_request(
    app: ASGIApp,
    target: str = "/",
    headers: Iterable[tuple[str, str]] = (),
    *,
    method: str = "GET",
    host: str | None = HOST,
    kind: str = "http",
    body: bytes = b"",
    leaves_after: int = 0,
) -> Reply:
    """Send a request and return the reply; for a websocket that is accepted, the status 101.

    With `leaves_after`, the caller closes the connection a moment after `leaves_after` messages of the app.

    An error of the app does not end the caller if it has answered before, as in a server.
    """
    path, _, query = target.partition("?")
    named = [("host", host), *headers] if host is not None else [*headers]
    scope: dict[str, Any] = {
        "type": kind,
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http" if kind == "http" else "ws",
        "path": unquote(path),
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": [(name.lower().encode(), value.encode("latin-1")) for name, value in named],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 8501),
        "extensions": {"websocket.http.response": {}},
    }
    if kind == "websocket":
        scope.pop("method")
    sent: list[Message] = []
    waiting = [
        {"type": "websocket.connect"} if kind == "websocket" else {"type": "http.request", "body": body}
    ]

    async def answer() -> None:
        is_gone = asyncio.Event()

        async def receive() -> Message:
            if waiting:
                return waiting.pop()
            await is_gone.wait()
            return {"type": "http.disconnect"}

        async def send(message: Message) -> None:
            sent.append(message)
            if len(sent) == leaves_after:
                asyncio.get_running_loop().call_later(LEAVING_SECONDS, is_gone.set)

        await app(scope, receive, send)

    try:
        with ThreadPoolExecutor(1) as threads:  # a browser of another test has a loop in this one
            threads.submit(asyncio.run, answer()).result()
    except RuntimeError:
        assert sent, "the app failed and answered nothing"
    starts = [message for message in sent if message["type"].endswith("response.start")]
    if not starts:
        return Reply(101 if sent[0]["type"] == "websocket.accept" else 403, Headers({}), b"")
    content = b"".join(message.get("body", b"") for message in sent)
    return Reply(starts[0]["status"], Headers(raw=list(starts[0]["headers"])), content)
