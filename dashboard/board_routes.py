"""What boards ask: requests of *What if* and of the best moves in a replay, and of a game by hand, each with a route of its own.

Boards send JSON data by POST, so that only our own pages can ask. An answer that grows comes as `text/event-stream`, and its
computation ends when the browser closes the request. Nothing is kept between requests.
"""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, Final

import anyio.to_thread
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from dashboard.guard import FAILURE
from dashboard.imports import import_pages
from dashboard.routes import ALL_METHODS
from engine.errors import GameError, InvalidError
from pipelines.studies.forms import BUSY, RETRY_SECONDS, BusyError, server_turns

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.types import Receive, Scope, Send

    Answers = Iterator[dict[str, Any]]

MAX_REQUEST_BYTES: Final = 200_000
"""The moves of a game by hand have at most 40,000 characters."""
_logger: Final = logging.getLogger(__name__)


def make_board_routes(base_path: str) -> list[Route]:
    """Return the routes below a base path such as `/games`, or `""`."""
    return [
        Route(f"{base_path}/board/play", answer_play, methods=ALL_METHODS),
        Route(f"{base_path}/board/{{kind}}", answer_replay, methods=ALL_METHODS),
    ]


async def answer_replay(request: Request) -> Response:
    """Answer a request of a replay about the game that its fields `run` and `game` name."""
    kind = request.path_params["kind"]
    return await _answer(
        request, lambda fields, stopped: _iter_replay_answers(kind, fields, stopped), grows=kind == "whatif"
    )


async def answer_play(request: Request) -> Response:
    """Answer a request of a game by hand, whose fields hold the whole game."""
    return await _answer(request, lambda fields, _: _iter_play_answers(fields))


def _iter_replay_answers(kind: str, fields: dict[str, Any], stopped: Callable[[], bool]) -> Answers:
    import_pages()
    from pipelines import panel  # noqa: PLC0415 - takes 1 to 3 s, for which the server must not wait
    from pipelines.runs.library import Library  # noqa: PLC0415
    from pipelines.runs.names import is_file_name  # noqa: PLC0415

    name, game = fields.get("run"), fields.get("game")
    if not (isinstance(name, str) and is_file_name(name) and isinstance(game, int) and game >= 0):
        raise InvalidError("expected the name of a run and the number of a game")
    run = Library().run(name)
    with nullcontext() if kind == "look" else server_turns.take():
        yield from panel.iter_answers(kind, fields, run, run.scene(game), stopped)


def _iter_play_answers(fields: dict[str, Any]) -> Answers:
    import_pages()
    from pipelines.panel import answer_play_request  # noqa: PLC0415 - as above
    from pipelines.runs.library import Library  # noqa: PLC0415

    with server_turns.take():
        yield answer_play_request(fields, Library())


async def _answer(
    request: Request,
    iter_answers: Callable[[dict[str, Any], Callable[[], bool]], Answers],
    *,
    grows: bool = False,
) -> Response:
    """Return one answer as JSON, or those that follow each other as a stream, or a sentence that says why nothing can be answered.

    The first one decides which, so that what cannot be asked at all has a status that says so.
    """
    if request.method != "POST":
        return _write_json({"error": "A board asks with POST."}, 405, Allow="POST")
    stopped = threading.Event()
    try:
        answers = iter_answers(await _read_fields(request), stopped.is_set)
        first = await _find_next(answers) or {}
    except OverflowError:
        error, status = f"A request has at most {MAX_REQUEST_BYTES:,} bytes.", 413
    except GameError as problem:
        error, status = str(problem), 400
    except BusyError:
        return _write_json({"error": BUSY}, 503, **{"Retry-After": str(RETRY_SECONDS)})
    except Exception:
        _logger.exception("A board gets no answer from %s", request.url.path)
        error, status = FAILURE, 500
    else:
        return (
            _AnswerStream(first, answers, stopped) if grows and "error" not in first else _write_json(first)
        )
    return _write_json({"error": error}, status)


async def _read_fields(request: Request) -> dict[str, Any]:
    """Return the fields of a request. Raises OverflowError if it is too long, and InvalidError if it is not a JSON object."""
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > MAX_REQUEST_BYTES:
            raise OverflowError
    try:
        fields = json.loads(body)
    except (ValueError, RecursionError):
        fields = None
    if not isinstance(fields, dict):
        raise InvalidError("expected an object of JSON")
    return fields


async def _find_next(answers: Answers) -> dict[str, Any] | None:
    """Compute the next answer in a thread, which is left alone if the request is closed; None after the last one."""
    return await anyio.to_thread.run_sync(next, answers, None, abandon_on_cancel=True)


class _AnswerStream(StreamingResponse):
    """Answers as events. If the browser closes the request, the computation is told to stop."""

    def __init__(self, first: dict[str, Any], answers: Answers, stopped: threading.Event) -> None:
        self._stopped = stopped
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        super().__init__(self._iter_events(first, answers), headers=headers, media_type="text/event-stream")

    async def _iter_events(self, first: dict[str, Any], answers: Answers) -> AsyncIterator[str]:
        answer: dict[str, Any] | None = first
        while answer:
            yield f"data: {json.dumps(answer, allow_nan=False)}\n\n"
            try:
                answer = await _find_next(answers)
            except Exception:
                _logger.exception("An answer of a board has ended")
                yield f"data: {json.dumps({'error': FAILURE})}\n\n"
                return

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._stopped.set()


def _write_json(document: dict[str, Any], status: int = 200, **headers: str) -> Response:
    text = json.dumps(document, allow_nan=False)
    return Response(text, status, {"Cache-Control": "no-store", **headers}, media_type="application/json")
