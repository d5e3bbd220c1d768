"""Answers by route: the path of a page with `.json`, `.csv` or `.html` answers its address, as `reroll ask` does.

Routes have no session and no cache of Streamlit. Their handlers run in threads, so that no computation holds up the websockets.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from difflib import get_close_matches
from typing import TYPE_CHECKING, Final

from starlette.convertors import PathConvertor, register_url_convertor
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from dashboard.guard import FAILURE, FORMS, find_form, write_refusal
from dashboard.imports import import_pages
from dashboard.pages import FIRST_PAGE, MENU_PAGES, PAGES
from engine.errors import GameError
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

    regex = rf"(?!{'|'.join(STREAMLIT_PATHS)}|(?:{'|'.join(page.script for page in PAGES)})/*$)(?s:[^/.]++/*|[^/]++/.*[^/].*)"


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
    pages = {page.title: f"{base_path}/{page.script * (page is not FIRST_PAGE)}" for page in MENU_PAGES}

    titles = {title.casefold().replace(" ", "-"): link for title, link in pages.items()}
    names = {name: page.title for page in MENU_PAGES for name in (page.script, page.title.casefold())}

    def refuse_unknown_page(request: Request) -> Response:
        """Lead to the page that has the name as its title, or say that there is no such page, and which pages there are."""
        form, page = find_form(request.scope, request.headers), request.path_params["page"]
        if page.casefold() in titles:
            return RedirectResponse(titles[page.casefold()])
        near = get_close_matches(page.casefold(), names, n=1, cutoff=0.75)
        hint = f" Did you mean {names[near[0]]}?" if near else ""
        return write_refusal(form, 404, f"There is no page {page[:60]}.{hint}", pages)

    return Route(f"{base_path}/{{page:unknown_path}}", refuse_unknown_page)


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
            response = write_refusal(form, 404, f"There is no page {page[:60]}.")
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
