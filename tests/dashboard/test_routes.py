"""The path of a page with `.json`, `.csv` or `.html` answers its address with the bytes of `reroll ask`."""

from __future__ import annotations

import csv
import io
import json
import random
import re
import shutil
import threading
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

import pandas as pd
import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import HTMLResponse
from starlette.routing import Route
from typer.testing import CliRunner

from dashboard.guard import RequestGuard
from dashboard.routes import make_routes
from pipelines.cli import app as command
from pipelines.notes.note import NoteContent, place_of_game
from pipelines.notes.store import NoteStore
from pipelines.runs.library import Library
from pipelines.studies import forms
from pipelines.studies.forms import ServedAnswers, answer_address
from tests.dashboard.requests_by_hand import Reply, send_request
from tests.waiting import wait_until

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pipelines.report.sheet import Sheet
    from tests.dashboard.conftest import ServeDashboard

    Ask = Callable[..., Reply]

SCORES: Final = "/scores{form}?rulesets=bloxx-3p&strategies=greedy&players=1"
ADDRESSES: Final = (
    SCORES,
    "/scores{form}?view=Parts",
    "/scores{form}?runs=three&nope=%ff%FF&rulesets=",
    "/games{form}?rulesets=bloxx-3p&sort=comeback&limit=5",
    "/rules{form}?ruleset=bloxx-2p",
    "/rules{form}?ruleset=bloxx-2p&with=bloxx-rest-2p",
    "/rules{form}?ruleset=bloxx-mini&strategy=greedy&blocks=10",
    "/strategies{form}?run=scores-only",
    "/strategies{form}?run=scores-only&table=pairs",
)
"""Addresses whose answers have tables."""
WITHOUT_TABLES: Final = (
    "/replay{form}?run=three&game-number=1&move=4",
    "/scores{form}?runs=gone",
    "/library{form}?play=bloxx&ruleset=bloxx-2p&strategies=greedy&strategies=random",
    "/strategies{form}?ruleset=bloxx-2p&strategies=greedy&strategies=random",
    "/strategies{form}?run=scores-only&table=gone",
    "/notes{form}?x=1",
)
"""Addresses with other answers, or with none."""


@pytest.fixture(params=["", "/games"], ids=["at-the-root", "below-a-base-path"])
def base_path(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def ask(base_path: str, library: Library, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Reply]:
    """Return a function that asks the routes over a library, by default the small one.

    What no route answers gets a page, as from Streamlit.
    """
    monkeypatch.setattr(forms, "served_answers", ServedAnswers())
    monkeypatch.setattr(forms, "server_turns", forms.Turns())
    monkeypatch.setenv("REROLL_DATA", str(library.folder))
    page = Route("/{path:path}", lambda _: HTMLResponse("a page"))
    guard = Middleware(RequestGuard, base_path=base_path, allowed_hosts=["127.0.0.1"])
    app = Starlette(routes=[*make_routes(base_path), page], middleware=[guard])

    def ask_routes(address: str, **options: str) -> Reply:
        return send_request(app, base_path + address, **options)  # type: ignore[arg-type]  # method and host

    return ask_routes


def run_ask(address: str, *options: object, folder: Path) -> tuple[int, bytes, str]:
    result = CliRunner().invoke(command, ["ask", address, *map(str, options), "--data", str(folder)])
    return result.exit_code, result.stdout_bytes, result.stderr


@pytest.mark.slow
@pytest.mark.parametrize("address", ADDRESSES)
def test_a_route_answers_with_the_bytes_of_the_command(
    ask: Ask, library: Library, tmp_path: Path, address: str
) -> None:
    shown, page = address.format(form=""), tmp_path / "answer.html"
    for form in ("json", "csv"):
        reply = ask(address.format(form=f".{form}"))
        assert (reply.status, reply.headers["cache-control"]) == (200, "no-store")
        assert (0, reply.body) == run_ask(shown, f"--{form}", folder=library.folder)[:2]
    assert run_ask(shown, "--html", page, folder=library.folder)[0] == 0
    assert ask(address.format(form=".html")).body == page.read_bytes()


@pytest.mark.parametrize("address", WITHOUT_TABLES)
def test_a_route_refuses_with_the_sentence_of_the_command(ask: Ask, library: Library, address: str) -> None:
    for form, status in (("json", {200, 400, 404}), ("csv", {400, 404})):
        reply = ask(address.format(form=f".{form}"))
        code, printed, said = run_ask(address.format(form=""), f"--{form}", folder=library.folder)
        assert reply.status in status
        if reply.status == 200:
            assert reply.body == printed
            continue
        assert (code, printed) == (2, b"")
        rows = list(csv.reader(io.StringIO(reply.text)))
        sentence = json.loads(reply.body)["problem"] if form == "json" else rows[1][0]
        assert sentence.casefold().rstrip(".") == said.split("reroll: ")[-1].strip().casefold().rstrip(".")


def test_a_table_is_read_as_a_data_frame(ask: Ask) -> None:
    frame = pd.read_csv(io.BytesIO(ask("/games.csv?rulesets=bloxx-3p&limit=3").body))
    assert len(frame) == 3
    assert frame["score"].is_monotonic_decreasing
    document = json.loads(ask("/games.json?rulesets=bloxx-3p&limit=3").body)
    assert [row["score"] for row in document["tables"][0]["rows"]] == list(frame["score"])


def test_json_has_no_numbers_that_json_does_not_have(ask: Ask) -> None:
    def refuse(name: str) -> None:
        raise AssertionError(name)

    for address in ADDRESSES:
        json.loads(ask(address.format(form=".json")).body, parse_constant=refuse)


@pytest.mark.parametrize("form", ["json", "csv", "html", "JSON"])
@pytest.mark.parametrize("path", ["/nope", "/scores/x", "/.", "/a%0Ab", "/%3Cscript%3E", "/scores.json", "/"])
def test_an_unknown_path_is_not_found_in_its_form(ask: Ask, path: str, form: str) -> None:
    reply = ask(f"{path}.{form}?x=1")
    kinds = {"json": "application/json", "csv": "text/csv", "html": "text/html"}
    assert reply.status == 404
    assert reply.headers["content-type"].startswith(kinds[form.lower()])
    assert "There is no page" in reply.text
    assert "<script>" not in reply.text or form != "html"


def test_pages_and_files_of_streamlit_are_not_answered_by_routes(ask: Ask) -> None:
    for path in (
        "/scores?rulesets=bloxx-3p",
        "/_stcore/agent/openapi.json",
        "/static/x.json",
        "/component/x/index.html",
        "/media/0123.csv",
        "/index.html",
        "/manifest.json",
    ):
        assert ask(path).text == "a page", path


def test_the_root_leads_to_the_base_path(ask: Ask, base_path: str) -> None:
    if base_path:
        app = Starlette(routes=make_routes(base_path))
        assert send_request(app, "/?a=b").headers["location"] == f"{base_path}/?a=b"
        assert send_request(app, "/scores.json?rulesets=bloxx-3p").status == 404
    else:
        assert ask("/").text == "a page"


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"])
def test_a_route_only_answers(ask: Ask, method: str) -> None:
    reply = ask(
        "/scores.json?rulesets=bloxx-3p", method=method, headers=[("origin", "http://127.0.0.1:8501")]
    )
    assert (reply.status, reply.headers["allow"]) == (405, "GET, HEAD")
    assert list(json.loads(reply.body)) == ["problem"]


@pytest.mark.parametrize(
    "address",
    [
        "/sql.json?sql=SELECT+1",
        "/games.json?where=score+%3E+3",
        "/rules.json?ruleset=bloxx-2p&strategy=greedy&blocks=401",
        "/rules.json?ruleset=bloxx-2p&vary=gap_penalty%3D0..9&blocks=20000",
        "/rules.json?ruleset=bloxx-2p&strategy=greedy&blocks=99999999999999999999999",
        "/whatif.json?run=three&game-number=1&move=4&luck=1&continuations=1001",
        "/whatif.json?run=three&many=all&luck=1&continuations=10000",
        "/whatif.json?run=three&many=all&luck=1&limit=201",
    ],
)
def test_a_costly_question_is_refused_with_the_command_that_asks_it(
    ask: Ask, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    monkeypatch.setattr(forms, "answer_address", lambda *_: pytest.fail("it was computed"))
    reply = ask(address)
    assert reply.status == 429
    assert "ask in a terminal: reroll " in json.loads(reply.body)["problem"]


def test_an_empty_library_answers_with_a_sentence(
    ask: Ask, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("REROLL_DATA", str(tmp_path))
    for address in ("/scores.json?rulesets=bloxx-3p", "/games.csv", "/replay.html?run=x&game-number=1"):
        reply = ask(address)
        assert reply.status == 404
        assert re.search(r"(no games|no run|0 games)[^\n]*\.", reply.text), reply.text
    assert json.loads(ask("/games.json").body)["verdict"]
    assert ask("/rules.json?ruleset=bloxx-2p").status == 200
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("seed", range(2))
def test_a_hundred_hostile_addresses_are_answered_or_refused_in_their_form(ask: Ask, seed: int) -> None:
    """No address makes a route fail, and no answer is markup of the address."""
    luck = random.Random(seed)
    keys = (
        "rulesets",
        "runs",
        "run",
        "game-number",
        "move",
        "ruleset",
        "strategy",
        "strategies",
        "table",
        "",
        "\0",
    )
    values = (
        "three",
        "bloxx-3p",
        "9" * 5_000,
        "-1",
        "nan",
        "../../../etc/passwd",
        "/dev/zero",
        "\0\x1b[2J\ud7ff\u202e",
        "<script>alert(1)</script>",
        "');DROP TABLE games;--",
        "gtp:command=touch /tmp/x",
        "=1+1",
        "x" * 30_000,
    )
    for _ in range(50):
        page = luck.choice(
            ("scores", "games", "replay", "rules", "strategies", "whatif", "sql", "notes", "play")
        )
        form = luck.choice(("json", "csv", "html"))
        pairs = [
            f"{quote(luck.choice(keys))}={quote(luck.choice(values))}" for _ in range(luck.randint(0, 5))
        ]
        pairs += luck.sample(["%", "%zz=%", "a=%ff", "&&&", "==", "é=ü", ";", "#", "?x", "[", "[::1"], 3)
        luck.shuffle(pairs)
        reply = ask(f"/{page}.{form}?{'&'.join(pairs)}")
        assert reply.status in {200, 400, 404, 429}, (page, pairs, reply.text)
        assert "<script>alert" not in reply.text or form != "html"
        assert "Traceback" not in reply.text
        if form == "json":
            json.loads(reply.body)
    assert ask("/scores.json?" + "&".join(f"k{number}=1" for number in range(3000))).status == 400


def test_an_unexpected_error_is_one_sentence(
    ask: Ask, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> Sheet:
        raise RuntimeError("a secret of this machine")

    monkeypatch.setattr(forms, "answer_address", fail)
    reply = ask(SCORES.format(form=".json"))
    assert reply.status == 500
    assert "secret" not in reply.text
    assert "a secret of this machine" in caplog.text


class CountedAnswers:
    """Stands in for `answer_address`: counts its calls, and waits in each until it is let go."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.answer, self.calls, self.go_on = answer_address, list[str](), threading.Event()
        monkeypatch.setattr(forms, "answer_address", self)

    def __call__(self, source: object, page: str, address: dict[str, list[str]]) -> Sheet:
        self.calls.append(page)
        assert self.go_on.wait(60)
        return self.answer(source, page, address)  # type: ignore[arg-type]  # passed on as it came


def test_an_answer_is_kept_for_all_forms_until_a_file_changes(
    ask: Ask, monkeypatch: pytest.MonkeyPatch, library: Library, tmp_path: Path
) -> None:
    shutil.copytree(library.runs_folder, tmp_path / "runs", copy_function=shutil.copyfile)
    monkeypatch.setenv("REROLL_DATA", str(tmp_path))
    counted = CountedAnswers(monkeypatch)
    counted.go_on.set()
    address = "/replay{form}?run=three&game-number=1"
    assert {ask(address.format(form=form)).status for form in (".json", ".html", ".json")} == {200}
    assert len(counted.calls) == 1
    run = Library(tmp_path).run("three")
    NoteStore(tmp_path).add(place_of_game(run, 0, 3), NoteContent("A note", text="said on this move"))
    assert "said on this move" in ask(address.format(form=".html")).text
    assert len(counted.calls) == 2
    run.path.unlink()
    assert ask(address.format(form=".json")).status == 404


@pytest.mark.slow
def test_two_questions_are_computed_at_once_and_others_wait_or_are_told_to_come_again(
    ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted, replies = CountedAnswers(monkeypatch), list[Reply]()
    monkeypatch.setattr(forms, "MAX_WAITING", 1)
    queue = forms.Turns()
    monkeypatch.setattr(forms, "server_turns", queue)

    def ask_for_rows(count: int) -> None:
        replies.append(ask(f"/games.json?rulesets=bloxx-3p&limit={count}"))

    threads = [threading.Thread(target=ask_for_rows, args=[count]) for count in (1, 2, 3)]
    for number, thread in enumerate(threads):
        thread.start()
        wait_until(lambda number=number: len(counted.calls) == min(number + 1, 2))  # type: ignore[misc]
    wait_until(lambda: queue._waiting == 1)
    reply = ask("/games.json?rulesets=bloxx-3p&limit=4")
    assert (reply.status, reply.headers["retry-after"]) == (503, "10")
    counted.go_on.set()
    for thread in threads:
        thread.join()
    assert [reply.status for reply in replies] == [200, 200, 200]
    counted.go_on.clear()
    monkeypatch.setattr(forms, "WAIT_SECONDS", 0.01)
    threads = [threading.Thread(target=ask_for_rows, args=[count]) for count in (5, 6)]
    for thread in threads:
        thread.start()
    wait_until(lambda: len(counted.calls) == 5)
    assert ask("/games.json?rulesets=bloxx-3p&limit=7").status == 503
    counted.go_on.set()
    for thread in threads:
        thread.join()


def test_a_dashboard_below_a_base_path_answers_pages_and_routes(
    serve_dashboard: ServeDashboard, library: Library
) -> None:
    """The base path comes from Streamlit's settings, and the address that is printed has it."""
    settings = {"STREAMLIT_SERVER_BASE_URL_PATH": "/a/games/"}
    with serve_dashboard(library.folder, environment=settings) as address:
        assert address.endswith("/a/games")
        frame = pd.read_csv(f"{address}/scores.csv?rulesets=bloxx-3p")
        assert list(frame["strategy"]) == ["greedy", "random"]
