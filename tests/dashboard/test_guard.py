"""The guard refuses what other sites ask for, passes everything else, and sets the headers of frames on every answer."""

from __future__ import annotations

import itertools
import json
import random
from typing import TYPE_CHECKING, Any, Final

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute

from dashboard.guard import RequestGuard
from dashboard.pages import PAGES
from tests.dashboard.requests_by_hand import HOST, send_request

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from starlette.requests import Request
    from starlette.websockets import WebSocket

    from tests.dashboard.requests_by_hand import Reply

    Headers = tuple[tuple[str, str], ...]

GOOD_HOSTS: Final = (HOST, "localhost:8501", "LOCALHOST", "127.0.0.1.", "localhost:80")
BAD_HOSTS: Final = (
    None,
    "",
    "evil.example",
    "127.0.0.1.evil.example:8501",
    "127.0.0.1@evil.example",
    "evil.example#127.0.0.1",
    "127.0.0.1/evil.example",
    "127.0.0.1:8501:1",
    "127.0.0.1:port",
    "127.0.0.1 ",
    "[::1]:8501",
    "[127.0.0.1]",
    "0.0.0.0:8501",
    "2130706433",
    "local\xadhost",
    "notlocalhost",
)
BAD_ORIGINS: Final = (
    "",
    "null",
    "file://",
    "http://evil.example",
    "http://localhost:3000",
    "https://127.0.0.1:8501.evil.example",
    "http://127.0.0.1:8501@evil.example",
    "http://127.0.0.1",
    "http://127.0.0.1:8501/",
    "chrome-extension://abcdefghijklmnop",
    "127.0.0.1:8501",
)
OWN_VISITS: Final[tuple[Headers, ...]] = (
    (),
    (("sec-fetch-site", "none"), ("sec-fetch-mode", "navigate"), ("sec-fetch-dest", "document")),
    (("sec-fetch-site", "same-origin"), ("sec-fetch-mode", "cors"), ("sec-fetch-dest", "empty")),
    (("sec-fetch-site", "same-origin"), ("sec-fetch-mode", "navigate"), ("sec-fetch-dest", "iframe")),
)
LINK: Final = (
    ("sec-fetch-site", "cross-site"),
    ("sec-fetch-mode", "navigate"),
    ("sec-fetch-dest", "document"),
)
FRAMES: Final = tuple(
    (("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "navigate"), ("sec-fetch-dest", kind))
    for kind in ("iframe", "frame", "embed", "object")
)
FOREIGN_VISITS: Final[tuple[Headers, ...]] = (
    *FRAMES,
    (("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "no-cors"), ("sec-fetch-dest", "script")),
    (("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "no-cors"), ("sec-fetch-dest", "image")),
    (("sec-fetch-site", "same-site"), ("sec-fetch-mode", "cors"), ("sec-fetch-dest", "empty")),
    (("sec-fetch-site", "cross-site"),),
    (("sec-fetch-site", "same-origin"), ("sec-fetch-site", "cross-site")),
    (("sec-fetch-site", "Same-Origin"),),
    (("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "navigate"), ("sec-fetch-mode", "navigate")),
)
PATHS: Final = (
    "/scores?rulesets=bloxx-3p",
    "/",
    "/scores.json?rulesets=bloxx-3p",
    "/static/js/index.js",
    "/_stcore/health",
    "/%",
    "/%ff%00?%zz=%",
    "//evil.example/scores",
    "/../../etc/passwd",
    f"/scores?{'x' * 60_000}",
    "/scores.csv?" + "&".join(f"k{number}=1" for number in range(3000)),
)
HTTP_METHODS: Final = ("GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND")


@pytest.fixture(params=["", "/games"], ids=["at-the-root", "below-a-base-path"])
def base_path(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def reached() -> list[str]:
    """The methods of the requests that reached the app behind the guard."""
    return []


@pytest.fixture
def make_app(base_path: str, reached: list[str]) -> Callable[..., Starlette]:
    """Return a function that makes a guarded app, which answers every path and every websocket."""

    def answer(request: Request) -> PlainTextResponse:
        reached.append(request.method)
        if request.url.path.endswith("/fail"):
            raise RuntimeError("a secret of this machine")
        policy = {"Content-Security-Policy": "default-src 'none'"}
        return PlainTextResponse("answered", headers=policy if request.url.path.endswith("/policy") else {})

    async def accept(websocket: WebSocket) -> None:
        reached.append("websocket")
        await websocket.accept()
        await websocket.close()

    routes = [
        WebSocketRoute("/{path:path}", accept),
        Route("/{path:path}", answer, methods=list(HTTP_METHODS)),
    ]

    def guard_app(**options: Sequence[str]) -> Starlette:
        settings: dict[str, Any] = {
            "base_path": base_path,
            "allowed_hosts": ["127.0.0.1", "localhost"],
            **options,
        }
        return Starlette(routes=routes, middleware=[Middleware(RequestGuard, **settings)])

    return guard_app


def has_frame_headers(reply: Reply) -> bool:
    return (
        reply.headers.getlist("content-security-policy")[-1] == "frame-ancestors 'self'"
        and reply.headers.getlist("x-frame-options") == ["SAMEORIGIN"]
        and reply.headers.getlist("x-content-type-options") == ["nosniff"]
        and reply.headers.getlist("referrer-policy") == ["same-origin"]
    )


@pytest.mark.parametrize("seed", range(2))
def test_two_hundred_hostile_requests_reach_nothing(
    make_app: Callable[..., Starlette], reached: list[str], base_path: str, seed: int
) -> None:
    """Each has one part that only another site, or a name that leads here, can have; the rest is any mixture."""
    app, luck = make_app(), random.Random(seed)
    own_origins = ("http://{host}", "https://{host}")
    for number in range(100):
        host = luck.choice(GOOD_HOSTS)
        origin: str | None = luck.choice(own_origins).format(host=host)
        visit, method = luck.choice(OWN_VISITS), luck.choice(HTTP_METHODS)
        wrong: str | None = None
        match number % 4:
            case 0:
                wrong = BAD_HOSTS[number // 4 % len(BAD_HOSTS)]
            case 1:
                origin = BAD_ORIGINS[number // 4 % len(BAD_ORIGINS)]
            case 2:
                visit = FOREIGN_VISITS[number // 4 % len(FOREIGN_VISITS)]
            case 3:
                method, origin = luck.choice(HTTP_METHODS[3:]), None
        headers = [*visit, *([("origin", origin)] if origin is not None else [])]
        luck.shuffle(headers)
        target = base_path + luck.choice(PATHS)
        sent_host = wrong if number % 4 == 0 else host
        reply = send_request(app, target, headers, method=method, host=sent_host)
        assert reply.status == (421 if number % 4 == 0 else 403), (number, target, headers, method)
        assert has_frame_headers(reply)
        assert len(reply.body) < 300
        assert reply.text.count("\n") <= 4
    assert reached == []


def test_everything_else_passes(
    make_app: Callable[..., Starlette], reached: list[str], base_path: str
) -> None:
    """Programs send no origin, our own pages send theirs, and a typed address comes from nowhere."""
    app, sent = make_app(), 0
    for host, visit, path in itertools.product(GOOD_HOSTS, OWN_VISITS, PATHS):
        for method, origin in (("GET", None), ("GET", f"http://{host}"), ("POST", f"https://{host}")):
            headers = [*visit, *([("origin", origin)] if origin else [])]
            reply = send_request(app, base_path + path, headers, method=method, host=host)
            assert (reply.status, reply.text) == (200, "answered")
            assert has_frame_headers(reply)
            sent += 1
    assert len(reached) == sent


def test_a_link_on_another_site_opens_a_page_and_nothing_else(
    make_app: Callable[..., Starlette], base_path: str
) -> None:
    app = make_app()
    pages = [
        "/",
        *([""] if base_path else []),
        *(f"/{page.script}" for page in PAGES),
        "/scores/",
        "/scores?rulesets=bloxx-3p",
    ]
    for path in pages:
        for site in ("cross-site", "same-site"):
            headers = (("sec-fetch-site", site), *LINK[1:])
            assert send_request(app, base_path + path, headers).status == 200, path
        assert send_request(app, base_path + path, LINK, method="HEAD").status == 403
    for path in ("/scores.json", "/scores.html", "/_stcore/health", "/static/x.js", "/nowhere", "/scores/x"):
        assert send_request(app, base_path + path, LINK).status == 403, path


@pytest.mark.parametrize("headers", FRAMES)
def test_another_site_frames_a_page_only_if_a_person_allowed_one(
    make_app: Callable[..., Starlette], base_path: str, headers: Headers
) -> None:
    """Which site it is, only the browser knows: it compares the policy."""
    assert send_request(make_app(), f"{base_path}/scores", headers).status == 403
    embedding = make_app(embedders=("https://example.org", "http://127.0.0.1:9000"))
    reply = send_request(embedding, f"{base_path}/scores", headers)
    assert reply.status == (200 if dict(headers)["sec-fetch-dest"] in {"iframe", "frame"} else 403)
    policy = "frame-ancestors 'self' https://example.org http://127.0.0.1:9000"
    assert reply.headers["content-security-policy"] == policy
    assert "x-frame-options" not in reply.headers
    assert send_request(embedding, f"{base_path}/scores.json", headers).status == 403


def test_a_policy_of_the_app_stays(make_app: Callable[..., Starlette]) -> None:
    """A browser enforces both."""
    policies = send_request(make_app(), "/policy").headers.getlist("content-security-policy")
    assert policies == ["default-src 'none'", "frame-ancestors 'self'"]


def test_headers_that_come_twice_are_refused(make_app: Callable[..., Starlette]) -> None:
    app = make_app()
    assert send_request(app, "/", [("host", "evil.example")]).status == 421
    own = f"http://{HOST}"
    assert send_request(app, "/", [("origin", own), ("origin", "http://evil.example")]).status == 403


def test_a_websocket_needs_the_origin_of_our_own_pages(
    make_app: Callable[..., Starlette], reached: list[str]
) -> None:
    app = make_app()
    for host in GOOD_HOSTS:
        headers = [("origin", f"http://{host}")]
        assert send_request(app, "/_stcore/stream", headers, host=host, kind="websocket").status == 101
    assert reached == ["websocket"] * len(GOOD_HOSTS)
    for origin in BAD_ORIGINS:
        reply = send_request(app, "/_stcore/stream", [("origin", origin)], kind="websocket")
        assert reply.status == 403
        assert has_frame_headers(reply)
    assert send_request(app, "/_stcore/stream", kind="websocket").status == 403
    for name in BAD_HOSTS:
        headers = [("origin", f"http://{name}")]
        assert send_request(app, "/_stcore/stream", headers, host=name, kind="websocket").status == 421
    assert len(reached) == len(GOOD_HOSTS)


@pytest.mark.parametrize(
    ("path", "headers", "media_type"),
    [
        ("/scores.json", (), "application/json"),
        ("/scores.CSV", (), "text/csv; charset=utf-8"),
        ("/scores.html", (), "text/html; charset=utf-8"),
        ("/scores", (("accept", "text/html,*/*"),), "text/html; charset=utf-8"),
        ("/_stcore/health", (), "text/plain; charset=utf-8"),
    ],
)
def test_a_refusal_is_one_sentence_in_the_form_that_was_asked_for(
    make_app: Callable[..., Starlette], path: str, headers: Headers, media_type: str
) -> None:
    reply = send_request(make_app(), path, [*headers, ("origin", "http://evil.example")])
    assert reply.headers["content-type"] == media_type
    assert reply.text.count("Pages of other sites may not use this dashboard.") == 1
    if media_type == "application/json":
        assert json.loads(reply.body) == {"problem": "Pages of other sites may not use this dashboard."}


def test_an_error_of_the_app_is_one_sentence_without_its_words(make_app: Callable[..., Starlette]) -> None:
    reply = send_request(make_app(), "/fail")
    assert reply.status == 500
    assert "secret" not in reply.text
    assert "terminal" in reply.text
    assert has_frame_headers(reply)


def test_the_server_says_which_hosts_are_allowed(make_app: Callable[..., Starlette]) -> None:
    """The option means what it means for Streamlit, but none at all means this machine only."""
    app = make_app(allowed_hosts=["*.example.org", "Games.Example.com."])
    for host, status in (
        ("a.example.org", 200),
        ("games.example.com:80", 200),
        ("example.org", 421),
        ("127.0.0.1", 421),
    ):
        assert send_request(app, "/", host=host).status == status
    assert send_request(make_app(allowed_hosts=["*"]), "/", host="any.example").status == 200
    unset = make_app(allowed_hosts=[])
    assert [send_request(unset, "/", host=host).status for host in ("localhost", "any.example")] == [200, 421]


def test_a_proxy_under_another_name_is_named_in_the_settings(make_app: Callable[..., Starlette]) -> None:
    app = make_app(allowed_origins=["https://Games.example.org"])
    for origin, status in (("https://games.example.org", 200), ("http://games.example.org", 403)):
        assert send_request(app, "/", [("origin", origin)], method="POST").status == status
