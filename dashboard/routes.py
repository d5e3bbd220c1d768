"""Answers by route: the path of a page with `.json`, `.csv` or `.html` answers its address, as `reroll ask` does.

Routes have no session and no cache of Streamlit. Their handlers run in threads, so that no computation holds up the websockets.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from starlette.convertors import PathConvertor, register_url_convertor
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from dashboard.guard import FAILURE, FORMS, find_form, write_refusal
from dashboard.imports import import_pages
from dashboard.pages import FIRST_PAGE, MAX_SHOWN_NAME, MENU_PAGES, MISSING_PAGE_KEY, PAGES
from engine.errors import GameError
from pipelines.questions.address import format_path
from pipelines.studies.forms import BUSY, RETRY_SECONDS, AnswerForm, BusyError

if TYPE_CHECKING:
    from starlette.requests import Request


ALL_METHODS: Final = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE")
"""Those that are not answered are refused in the form of the path."""
STREAMLIT_PATHS: Final = (
    "_stcore/",
    "app/static/",
    "component/",
    "media/",
    "static/",
    "index.html",
    "manifest.json",
)
"""Beginnings of the paths that Streamlit answers."""

_logger: Final = logging.getLogger(__name__)


class OwnPathConvertor(PathConvertor):
    """Any path that does not belong to Streamlit."""

    regex = rf"(?!{'|'.join(STREAMLIT_PATHS)})(?s:.*)"


class AnswerFormConvertor(PathConvertor):
    """The end of a path that asks for an answer in a form of its own, in upper or lower case."""

    regex = f"(?i:{'|'.join(FORMS)})"


class UnknownPathConvertor(PathConvertor):
    """A path of neither a page nor a file of Streamlit, which would answer it with an empty page or with its first page."""

    regex = rf"(?!{'|'.join(STREAMLIT_PATHS)}|(?:{'|'.join(page.script for page in PAGES if page is not FIRST_PAGE)})/*$)(?s:[^/.]++/*|[^/]++/.*[^/].*)"


register_url_convertor("unknown_path", UnknownPathConvertor())
register_url_convertor("own_path", OwnPathConvertor())
register_url_convertor("answer_form", AnswerFormConvertor())


def make_routes(base_path: str) -> list[Route]:
    """Return the routes below a base path such as `/games`, or `""`. Streamlit adds its base path to its own routes only."""
    answers = Route(
        f"{base_path}/{{page:own_path}}.{{form:answer_form}}", answer_request, methods=ALL_METHODS
    )
    return [answers, Route("/", lead_to_base_path(base_path))] if base_path else [answers]


def make_unknown_page_route(base_path: str) -> Route:
    """Return the route of all paths without a page; it must follow those that answer some of them."""
    links = {
        page.title.casefold().replace(" ", "-"): f"{base_path}/{page.script * (page is not FIRST_PAGE)}"
        for page in MENU_PAGES
    }

    def answer_unknown_page(request: Request) -> Response:
        """Lead to the page that has the name as its title, else browsers to the first page, which says what is missing."""
        form, name = find_form(request.scope, request.headers), request.path_params["page"]
        if link := links.get(name.rstrip("/").casefold()):
            query = _read_query(request)
            return RedirectResponse(f"{link}{'?' * bool(query)}{query}")
        if form == "html":
            missing = {MISSING_PAGE_KEY: [name[:MAX_SHOWN_NAME]]}
            return RedirectResponse(base_path + format_path(FIRST_PAGE.script, missing), 303)
        return write_refusal(form, 404, f"There is no page {name[:MAX_SHOWN_NAME]}.")

    return Route(f"{base_path}/{{page:unknown_path}}", answer_unknown_page)


def lead_to_base_path(base_path: str) -> Callable[[Request], Response]:
    """Return the handler that leads from the root of the server to the first page."""

    def redirect_to_first_page(request: Request) -> Response:
        query = _read_query(request)
        return RedirectResponse(f"{base_path}/{'?' * bool(query)}{query}")

    return redirect_to_first_page


def answer_request(request: Request) -> Response:
    """Answer an address in the form that its path ends with, or say in one sentence why not."""
    page, form = request.path_params["page"], request.path_params["form"].lower()
    try:
        if request.method not in {"GET", "HEAD"}:
            response = write_refusal(form, 405, "An address only answers; open it with GET.")
            response.headers["Allow"] = "GET, HEAD"
        elif page not in {known_page.script for known_page in PAGES}:
            response = write_refusal(form, 404, f"There is no page {page[:MAX_SHOWN_NAME]}.")
        else:
            response = _answer_page(page, _read_query(request), form)
    except Exception:
        _logger.exception("There is no answer to %s", request.scope["path"])
        response = write_refusal(form, 500, FAILURE)
    response.headers["Cache-Control"] = "no-store"
    return response


def _answer_page(page: str, query: str, form: AnswerForm) -> Response:
    """Return the answer of a page to a query, or the refusal of a question."""
    import_pages()
    from pipelines.studies import forms  # noqa: PLC0415 - takes 1 to 3 s, for which the server must not wait

    try:
        address = forms.read_cheap_address(page, query)
    except GameError as error:
        status = 429 if isinstance(error, forms.CostlyError) else 400
        return write_refusal(form, status, forms.describe_error(error))
    try:
        content, media_type = forms.served_answers.write(page, address, form)
    except GameError as error:
        return write_refusal(form, 404, forms.describe_error(error))
    except BusyError:
        response = write_refusal(form, 503, BUSY)
        response.headers["Retry-After"] = str(RETRY_SECONDS)
        return response
    return Response(content, media_type=media_type)


def _read_query(request: Request) -> str:
    """Return the query as text. Programs send bytes of UTF-8 that browsers escape."""
    return str(request.scope["query_string"].decode(errors="replace"))
