"""What stands before every answer of the server: pages, files of Streamlit, the websocket, and our own routes.

Other sites in the same browser, and names that lead to this machine, get one sentence. Everything else passes, with headers that
keep other sites from framing it. Streamlit checks the websocket only.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from typing import TYPE_CHECKING, Final

from markupsafe import escape
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.websockets import WebSocket

from dashboard.pages import FIRST_PAGE, PAGES

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOOPBACK_HOSTS: Final = ("127.0.0.1", "localhost")
READING_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
"""Methods that change nothing. All others need the origin of our own pages."""
FORMS: Final = ("json", "csv", "html")
"""The ends of paths that ask for an answer in a form of its own."""
_REFUSAL_HEAD: Final = (
    '<!DOCTYPE html>\n<html lang="en">\n<meta charset="utf-8">\n'
    '<meta name="viewport" content="width=device-width">\n<title>Reroll</title>\n'
    "<style>:root { color-scheme: light dark; font: 1.25rem/1.5 system-ui, sans-serif } body { margin: 2rem }</style>\n"
)
FAILURE: Final = "Reroll failed; the terminal in which the dashboard runs says why."
_HOST_PATTERN: Final = re.compile(r"(?P<name>\[[0-9a-f:.]{2,45}\]|[a-z0-9._-]{1,255})(?::\d{1,5})?")
_OWN_SITES: Final = frozenset({"same-origin", "none"})
"""Values of `Sec-Fetch-Site` for our own pages, and for an address that a person types."""
_RESPONSE_STARTS: Final = frozenset({"http.response.start", "websocket.http.response.start"})


def write_refusal(form: str, status: int, sentence: str) -> Response:
    """Return the answer that says in one sentence why there is no other one, in the form that was asked for."""
    if form == "json":
        return Response(json.dumps({"problem": sentence}), status, media_type="application/json")
    if form == "csv":
        quoted = sentence.replace('"', '""')
        return Response(f'problem\n"{quoted}"\n', status, media_type="text/csv")
    if form == "html":
        page = f"{_REFUSAL_HEAD}<main><h1>{escape(sentence)}</h1></main>\n"
        return Response(page, status, media_type="text/html")
    return Response(f"{sentence}\n", status, media_type="text/plain")


class RequestGuard:
    """Middleware that refuses requests of other sites and sets the headers of frames on every answer."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        base_path: str = "",
        allowed_hosts: Collection[str] = (),
        allowed_origins: Collection[str] = (),
        embedders: Collection[str] = (),
    ) -> None:
        """Guard an app whose pages stand below `base_path`.

        `allowed_hosts` has the meaning of Streamlit's `server.allowedHosts`, but nothing means the loopback names;
        `allowed_origins` are those of a proxy that gives us another host. `embedders` are the origins that may frame the pages.
        """
        self._app = app
        self._allowed_hosts = tuple(
            host.strip().lower().rstrip(".") for host in allowed_hosts or LOOPBACK_HOSTS
        )
        self._allowed_origins = frozenset(origin.lower().rstrip("/") for origin in allowed_origins)
        self._destinations = {"document", "iframe", "frame"} if embedders else {"document"}
        names = {"", FIRST_PAGE.script, *(page.script for page in PAGES)}
        self._pages = {"", *(f"{base_path}/{name}".rstrip("/") for name in names)}
        self._headers = {
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "same-origin",
            # It cannot name an origin; browsers that know `frame-ancestors` ignore it.
            **({} if embedders else {"X-Frame-Options": "SAMEORIGIN"}),
        }
        self._policy = " ".join(("frame-ancestors 'self'", *embedders))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse a request or pass it on."""
        if scope["type"] not in {"http", "websocket"}:
            await self._app(scope, receive, send)
            return
        has_started = False

        async def send_with_headers(message: Message) -> None:
            nonlocal has_started
            has_started = has_started or message["type"] in _RESPONSE_STARTS
            if message["type"] in _RESPONSE_STARTS:
                self._add_headers(MutableHeaders(scope=message))
            await send(message)

        headers = Headers(scope=scope)
        refusal = self._find_refusal(scope, headers)
        if refusal:
            response = write_refusal(find_form(scope, headers), *refusal)
            await _send_refusal(scope, receive, send_with_headers, response)
            return
        try:
            await self._app(scope, receive, send_with_headers)
        except Exception:
            if scope["type"] == "http" and not has_started:
                response = write_refusal(find_form(scope, headers), 500, FAILURE)
                await response(scope, receive, send_with_headers)
            raise  # the server writes it into its log

    def _add_headers(self, headers: MutableHeaders) -> None:
        """Set the headers of an answer. A browser enforces our policy for frames and one that is there already."""
        for name, value in self._headers.items():
            headers[name] = value
        headers.append("Content-Security-Policy", self._policy)

    def _find_refusal(self, scope: Scope, headers: Headers) -> tuple[int, str] | None:
        """Return the status and the sentence for a request that is refused, None for one that passes."""
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        if len(hosts) != 1 or not self._is_host_allowed(hosts[0].lower()):
            return 421, f"This dashboard answers only under the name {' or '.join(self._allowed_hosts)}."
        if origins and not self._is_own_origin(origins, hosts[0].lower()):
            return 403, "Pages of other sites may not use this dashboard."
        is_writing = scope["type"] == "websocket" or scope["method"] not in READING_METHODS
        if is_writing and not origins:
            return 403, "Only pages of this dashboard may change anything."
        if not _OWN_SITES.issuperset(headers.getlist("sec-fetch-site")) and not self._is_page_visit(
            scope, headers
        ):
            return 403, "Other sites may link to the pages of this dashboard, and use nothing else of it."
        return None

    def _is_host_allowed(self, host: str) -> bool:
        matched = _HOST_PATTERN.fullmatch(host)
        name = matched["name"].rstrip(".") if matched else ""
        return bool(name) and any(
            allowed in {"*", name} or (allowed.startswith("*.") and name.endswith(allowed[1:]))
            for allowed in self._allowed_hosts
        )

    def _is_own_origin(self, origins: list[str], host: str) -> bool:
        origin = origins[0].lower()
        return len(origins) == 1 and (
            origin in {f"http://{host}", f"https://{host}"} or origin in self._allowed_origins
        )

    def _is_page_visit(self, scope: Scope, headers: Headers) -> bool:
        """Return whether a person follows a link to a page, or whether a page is framed by who may do so."""
        return (
            scope["type"] == "http"
            and scope["method"] == "GET"
            and headers.getlist("sec-fetch-mode") == ["navigate"]
            and headers.get("sec-fetch-dest") in self._destinations
            and scope["path"].rstrip("/") in self._pages
        )


def find_form(scope: Scope, headers: Headers) -> str:
    """Return the form that a request asks for: the end of its path, or HTML where a browser shows what it gets."""
    end: str = scope["path"].rpartition(".")[2].lower()
    if end in FORMS:
        return end
    return "html" if "text/html" in headers.get("accept", "") else "text"


async def _send_refusal(scope: Scope, receive: Receive, send: Send, response: Response) -> None:
    if scope["type"] == "http":
        await response(scope, receive, send)
        return
    websocket = WebSocket(scope, receive, send)
    if "websocket.http.response" in scope.get("extensions", {}):
        await websocket.send_denial_response(response)
    else:
        await websocket.close()
