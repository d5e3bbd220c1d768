"""What boards ask: routes that answer with JSON data or a stream, only to our own pages, and end with the request."""

from __future__ import annotations

import json
import random
import threading
import time
from typing import TYPE_CHECKING, Any, Final

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import HTMLResponse
from starlette.routing import Route

from dashboard import board_routes
from dashboard.board_routes import MAX_REQUEST_BYTES, make_board_routes
from dashboard.guard import RequestGuard
from pipelines import panel
from pipelines.studies import forms
from tests.dashboard.requests_by_hand import HOST, Reply, send_request
from tests.waiting import wait_until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from pipelines.runs.library import Library

    Ask = Callable[..., Reply]

OWN_PAGE: Final = (("Origin", f"http://{HOST}"), ("Sec-Fetch-Site", "same-origin"))
GAME: Final = {"run": "three", "game": 1}
RANDOM: Final = {**GAME, "ply": 20, "change": {"seat": 0, "strategy": "random"}}


@pytest.fixture(params=["", "/games"], ids=["at-the-root", "below-a-base-path"])
def base_path(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def ask(base_path: str, small_library: Library, monkeypatch: pytest.MonkeyPatch) -> Ask:
    """Return a function that sends fields to the routes of a board, by default as our own pages do."""
    monkeypatch.setattr(board_routes, "server_turns", forms.Turns())
    monkeypatch.setenv("REROLL_DATA", str(small_library.folder))
    page = Route("/{path:path}", lambda _: HTMLResponse("a page"))
    guard = Middleware(RequestGuard, base_path=base_path, allowed_hosts=["127.0.0.1"])
    app = Starlette(routes=[*make_board_routes(base_path), page], middleware=[guard])

    def ask_board(kind: str, fields: object, **options: Any) -> Reply:  # noqa: ANN401 - those of `send_request`
        body = fields if isinstance(fields, bytes) else json.dumps(fields).encode()
        options = {"headers": OWN_PAGE, "method": "POST", **options}
        return send_request(app, f"{base_path}/board/{kind}", body=body, **options)

    return ask_board


def read_events(reply: Reply) -> list[dict[str, Any]]:
    """Return the answers of a stream."""
    return [json.loads(event.removeprefix("data: ")) for event in reply.text.split("\n\n")[:-1]]


def test_a_board_gets_json_data_or_a_stream_of_answers(ask: Ask) -> None:
    reply = ask("look", {**GAME, "ply": 20})
    assert (reply.status, reply.headers["content-type"]) == (200, "application/json")
    assert reply.headers["cache-control"] == "no-store"
    assert json.loads(reply.body)["options"]
    reply = ask("whatif", {**RANDOM, "n": 200})
    assert (reply.status, reply.headers["content-type"]) == (200, "text/event-stream; charset=utf-8")
    first, *answers = read_events(reply)
    assert (
        first["question"]["query"]
        == "run=three&game-number=2&move=21&player=1&strategy=random&continuations=200"
    )
    assert (answers[-1]["n"], answers[-1]["isOver"]) == (200, True)
    assert '<section class="sheet"' in answers[-1]["html"]


@pytest.mark.parametrize(
    ("fields", "status", "said"),
    [
        (b"", 400, "object of JSON"),
        (b"[1]", 400, "object of JSON"),
        (b"[" * 100_000, 400, "object of JSON"),
        (b"\xff\xfe", 400, "object of JSON"),
        (b" " * (MAX_REQUEST_BYTES + 1), 413, "at most"),
        ({}, 400, "name of a run"),
        ({"run": "../three", "game": 0}, 400, "name of a run"),
        ({"run": "/etc/passwd", "game": 0}, 400, "name of a run"),
        ({"run": "three", "game": -1}, 400, "name of a run"),
        ({"run": "three", "game": 10**9}, 400, "game"),
        ({"run": "gone", "game": 0}, 400, "unknown run"),
        ({**GAME, "ply": "x"}, 200, "expected a move"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_what_cannot_be_asked_is_answered_with_a_sentence(
    ask: Ask, fields: object, status: int, said: str
) -> None:
    for kind in ("look", "whatif"):
        reply = ask(kind, fields)
        answer = json.loads(reply.body)
        assert (reply.status, said in answer["error"]) == (status, True)
        assert answer.keys() == {"error"}


@pytest.mark.parametrize(
    "options",
    [
        {"headers": ()},
        {"headers": (("Origin", "https://evil.example"),)},
        {"headers": (("Origin", "null"),)},
        {"headers": (*OWN_PAGE[:1], ("Sec-Fetch-Site", "cross-site"))},
        {"host": "evil.example"},
    ],
    ids=str,
)
def test_only_our_own_pages_may_ask(ask: Ask, options: dict[str, Any]) -> None:
    for kind in ("look", "whatif", "save"):
        assert ask(kind, RANDOM, **options).status in {403, 421}


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "DELETE"])
def test_a_board_asks_with_post(ask: Ask, method: str) -> None:
    reply = ask("save", {**RANDOM, "name": "mine"}, method=method)
    assert (reply.status, reply.headers["allow"]) == (405, "POST")


def test_a_request_with_any_fields_is_answered_with_data_or_a_sentence(ask: Ask) -> None:
    source = random.Random(7)
    values: tuple[Any, ...] = (
        "three",
        1,
        20,
        -1,
        10**30,
        0.5,
        None,
        [],
        {},
        "\x00",
        "\ud800",
        {"action": 3},
        {"seat": "x"},
        True,
    )
    names = ("run", "game", "ply", "change", "n", "own", "query", "number", "name")
    for _ in range(60):
        fields = {name: source.choice(values) for name in source.sample(names, 5)} | source.choice([GAME, {}])
        reply = ask(source.choice(["look", "whatif", "watch", "save", "no", "%2e%2e"]), fields)
        assert reply.status in {200, 400}, fields
        assert reply.body


class SlowAnswers:
    """Answers that wait in a thread until they may go on, and note when they were told to stop."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.calls, self.go_on, self.has_stopped = list[str](), threading.Event(), threading.Event()
        monkeypatch.setattr(panel, "iter_answers", self)

    def __call__(
        self, kind: str, _: object, __: object, ___: object, stopped: Callable[[], bool]
    ) -> Iterator[dict[str, Any]]:
        self.calls.append(kind)
        yield {"question": {}}
        ends_at = time.monotonic() + 60
        while not self.go_on.wait(0.01) and time.monotonic() < ends_at:
            if stopped():
                self.has_stopped.set()
                return
        yield {"n": 1}


def test_the_work_ends_when_the_request_is_closed(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    slow, started = SlowAnswers(monkeypatch), time.monotonic()
    ask("whatif", RANDOM, leaves_after=2)  # the head and the first answer
    assert slow.has_stopped.wait(10)
    assert time.monotonic() - started < 10
    for _ in range(3):  # the turns are free again
        ask("whatif", RANDOM, leaves_after=2)
    assert len(slow.calls) == 4


def test_two_questions_are_computed_at_once_and_another_is_told_to_come_again(
    ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow, replies = SlowAnswers(monkeypatch), list[Reply]()
    monkeypatch.setattr(forms, "WAIT_SECONDS", 0.05)
    threads = [threading.Thread(target=lambda: replies.append(ask("whatif", RANDOM))) for _ in range(2)]
    for thread in threads:
        thread.start()
    wait_until(lambda: len(slow.calls) == 2)
    reply = ask("value", {**GAME, "ply": 20})
    assert (reply.status, reply.headers["retry-after"]) == (503, "10")
    assert "ask again" in json.loads(reply.body)["error"]
    assert ask("look", {**GAME, "ply": 20}).status == 200  # nothing is computed for it
    slow.go_on.set()
    for thread in threads:
        thread.join()
    assert [read_events(reply)[-1] for reply in replies] == [{"n": 1}, {"n": 1}]


def test_a_failure_in_an_answer_ends_it_with_a_sentence(
    ask: Ask, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> Iterator[dict[str, Any]]:
        yield {"question": {}}
        raise RuntimeError("/a/secret/path")

    monkeypatch.setattr(panel, "iter_answers", fail)
    reply = ask("whatif", RANDOM)
    assert reply.status == 200
    assert "Reroll failed" in read_events(reply)[-1]["error"]
    assert "secret" not in reply.text
    assert "/a/secret/path" in caplog.text


def test_a_game_by_hand_is_played_by_its_whole_address(ask: Ask) -> None:
    setup = "ruleset=bloxx-2p&seats=me,greedy&seed=7"
    begun = json.loads(ask("play", {"setup": setup, "kind": "resume", "moves": ""}).body)
    action = begun["look"]["options"][0]["action"]
    reply = ask("play", {"setup": setup, "kind": "choose", "moves": begun["moves"], "action": action})
    answer = json.loads(reply.body)
    assert reply.status == 200
    assert len(answer["scene"]["steps"]) > len(begun["scene"]["steps"])
    assert ask("play", {"setup": setup, "kind": "keep"}, headers=()).status == 403


@pytest.mark.slow
def test_continuations_are_saved_where_the_run_is(
    ask: Ask, library: Library, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "three.duckdb").write_bytes((library.runs_folder / "three.duckdb").read_bytes())
    monkeypatch.setenv("REROLL_DATA", str(tmp_path))
    query = "run=three&game-number=2&move=21&player=1&strategy=random&continuations=60"
    reply = ask("save", {**GAME, "query": query, "name": "mine"})
    assert json.loads(reply.body) == {"name": "mine", "games": 120}
    assert sorted(path.name for path in (tmp_path / "runs").glob("*.duckdb")) == [
        "mine.duckdb",
        "three.duckdb",
    ]
