"""Fixtures for tests in a browser: Chromium, pages without errors, and scenes."""

from __future__ import annotations

import os
import time
from collections import defaultdict
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

import pytest

from engine import games
from engine.luck import Luck
from engine.play import play_out
from engine.strategies import read_player
from pipelines.viewer.replay.assets import replay_page

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from playwright.sync_api import (
        Browser,
        BrowserContext,
        ConsoleMessage,
        Dialog,
        FloatRect,
        Locator,
        Page,
        ViewportSize,
    )

    from engine.catalogue import Catalogue
    from engine.scene import Scene, SceneStep


CHROMIUM: Final = "/usr/bin/chromium"
CHROMIUM_DISABLED_FEATURES: Final = (
    # for each new window, Chromium loads the lists below its address bar: a quarter of the work of opening a page
    "WebUIOmniboxPopup",
    "WebUIOmniboxAimPopup",
    "WebUIOmniboxFullPopup",
    # of Playwright's own list, which this one may replace
    "DestroyProfileOnBrowserClose",
    "HttpsUpgrades",
    "MediaRouter",
    "NetworkTimeServiceQuerying",
    "OptimizationHints",
    "PaintHolding",
    "ThirdPartyStoragePartitioning",
)
CHROMIUM_ARGUMENTS: Final = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    f"--disable-features={','.join(CHROMIUM_DISABLED_FEATURES)}",
)
"""Options with which Chromium runs without a screen and sends no requests of its own."""
IS_SETTLED_SCRIPT: Final = """async () => {
  const measure = () => [...document.querySelectorAll("body *")].map((node) => node.getBoundingClientRect())
    .map(({ x, y, width, height }) => [x, y, width, height].join()).join(";");
  const isAwaited = () => document.fonts.status !== "loaded" || performance.now() < window.answerDue ||
    document.querySelector(`[data-testid="stSkeleton"], [data-stale="true"],
      [data-testid="stApp"]:not([data-test-script-state="notRunning"])`);
  const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds, false));
  await document.fonts.ready;
  if (isAwaited()) return sleep(50);
  const before = measure();
  await sleep(300);
  return !isAwaited() && measure() === before;
}"""
"""A script that says whether all fonts and parts of Streamlit's page are there, and nothing runs or moves for 300 ms."""
NOTE_QUESTIONS_SCRIPT: Final = """const send = WebSocket.prototype.send;
WebSocket.prototype.send = function (message) {
  window.answerDue = performance.now() + 5000;
  this.addEventListener("message", () => { window.answerDue = 0; }, { once: true });
  send.call(this, message);
};"""
"""A script that notes when a server owes a page an answer. Streamlit's page does not say so before the answer begins."""
SETTLING_SECONDS: Final = 30
FORGET_SCRIPT: Final = (
    "try { localStorage.clear(); sessionStorage.clear() } catch { /* a page of no site stores nothing */ }"
)
"""A script that removes what a page stored for the next visit."""
COMPUTER_VIEWPORT: Final[ViewportSize] = {"width": 1280, "height": 800}
PHONE_VIEWPORT: Final[ViewportSize] = {"width": 390, "height": 844}


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium. Without it, the test is skipped, or fails if the environment has CI=true.

    Playwright keeps an event loop running in this thread to the end; so tests that come later may not call `asyncio.run`.
    """
    missing = [] if Path(CHROMIUM).exists() else [f"no browser at {CHROMIUM}"]
    missing += [] if find_spec("playwright") else ["no Playwright, which the extra `dev` brings"]
    if missing:
        if os.environ.get("CI") == "true":
            pytest.fail(f"{missing[0]}: browser tests must run in CI")
        pytest.skip(missing[0])
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=30_000)  # the machine may be busy
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=CHROMIUM_ARGUMENTS)
        yield chromium
        chromium.close()


class SharedContext(NamedTuple):
    """A browser context that tests use one after the other, its page, and what its pages complain about."""

    context: BrowserContext
    page: Page
    complaints: list[str]

    def show_as(
        self,
        viewport: ViewportSize,
        color_scheme: Literal["light", "dark"] = "light",
        reduced_motion: Literal["no-preference", "reduce"] = "no-preference",
        *,
        offline: bool = False,
    ) -> None:
        """Give the page the options of a test, which are those of a Playwright context that a page can change."""
        self.context.set_offline(offline)
        self.page.set_viewport_size(viewport)
        self.page.emulate_media(media="null", color_scheme=color_scheme, reduced_motion=reduced_motion)

    def forget_visit(self) -> None:
        """Leave the page as if it were new. A new one would have a process of its own, which compiles all scripts again."""
        for page in self.context.pages:
            page.evaluate(FORGET_SCRIPT)
            if page is not self.page:
                page.close()
        self.page.unroute_all()
        self.page.goto("about:blank")
        self.page.mouse.move(0, 0)
        self.context.clear_permissions()
        protocol = self.context.new_cdp_session(self.page)
        protocol.send("Page.resetNavigationHistory")
        protocol.detach()
        self.context.clear_cookies()


@pytest.fixture(scope="session")
def unused_contexts(browser: Browser) -> defaultdict[bool, list[SharedContext]]:  # noqa: ARG001 - they end with it
    """The contexts that no test uses now: those of a computer, and those of a phone."""
    return defaultdict(list)


@pytest.fixture
def new_page(
    browser: Browser, unused_contexts: defaultdict[bool, list[SharedContext]]
) -> Iterator[Callable[..., Page]]:
    """Open pages, each in a context of its own. The test fails if one reports an error or sends a request to another host.

    With `is_phone` the page is that of a phone: of its size unless a `viewport` is given, for fingers, without a mouse. Other
    options are those of `SharedContext.show_as`. Later tests use contexts and pages again, without what was stored there:
    only the first one loads and compiles the scripts of Streamlit and Plotly. A test that installs a clock closes its page:
    Playwright cannot take the clock away, and without its page a context is not used again.
    """
    used: list[tuple[SharedContext, list[SharedContext]]] = []

    def open_page(
        *,
        is_phone: bool = False,
        viewport: ViewportSize | None = None,
        **options: Any,  # noqa: ANN401 - those of show_as
    ) -> Page:
        unused = unused_contexts[is_phone]
        if not unused:
            context = browser.new_context(has_touch=is_phone, is_mobile=is_phone)
            context.add_init_script(NOTE_QUESTIONS_SCRIPT)
            complaints = collect_complaints(context)
            unused.append(SharedContext(context, context.new_page(), complaints))
        shared = unused.pop()
        shared.complaints.clear()
        used.append((shared, unused))
        shared.show_as(viewport or (PHONE_VIEWPORT if is_phone else COMPUTER_VIEWPORT), **options)
        shared.page.set_default_timeout(30_000)  # the machine may be busy
        return shared.page

    yield open_page
    complaints = [complaint for shared, _ in used for complaint in shared.complaints]
    for shared, unused in used:
        if shared.page.is_closed():
            shared.context.close()
        else:
            shared.forget_visit()
            unused.append(shared)
    assert complaints == []


@pytest.fixture
def show_scene(new_page: Callable[..., Page], tmp_path: Path) -> Callable[..., Page]:
    """Write the page of a scene, perhaps with a review, to a file and open it."""

    def open_scene(
        scene: object, query: str = "", review: dict[str, Any] | None = None, **options: object
    ) -> Page:
        file = tmp_path / "game.html"
        text = replay_page(scene, "A game", review)  # type: ignore[arg-type]  # some tests show broken scenes
        file.write_text(text, encoding="utf-8")
        page = new_page(**options)
        page.goto(f"file://{file}{query}")
        return page

    return open_scene


def wait_until_settled(page: Page) -> None:
    """Wait until a page has the layout that it keeps, so that places of several elements can be compared.

    While a page is drawn, fonts and further elements arrive and move what is already there. Streamlit, for one, draws links
    when it has loaded the part of its program that does so, and elements of the run before stay until the new run is over.
    """
    deadline = time.monotonic() + SETTLING_SECONDS
    while not page.evaluate(IS_SETTLED_SCRIPT):
        assert time.monotonic() < deadline, f"{page.url} still moves after {SETTLING_SECONDS} s"


def find_box(node: Locator) -> FloatRect:
    """Return where the only element of a locator is, in pixels of the window."""
    box = node.bounding_box()
    assert box, f"{node} is not shown"
    return box


def open_other_forms(page: Page) -> Locator:
    """Open the menu *Give away* of a page of the dashboard and return it, with the other forms of what the page shows."""
    wait_until_settled(page)
    page.get_by_role("button", name="Give away").first.click()
    menu = page.get_by_test_id("stPopoverBody")
    menu.get_by_text("Other forms").click()
    wait_until_settled(page)  # a click on a button that is just drawn anew is lost
    return menu


def collect_complaints(context: BrowserContext) -> list[str]:
    """Return a list to which the pages of a context add errors, warnings, dialogs and requests to other hosts."""
    complaints: list[str] = []

    def dismiss_dialog(dialog: Dialog) -> None:
        complaints.append(f"dialog: {dialog.message}")
        dialog.dismiss()  # the page would wait for ever

    context.on("weberror", lambda error: complaints.append(f"error: {error.error}"))
    context.on("dialog", dismiss_dialog)
    context.on("console", lambda line: complaints.append(line.text) if _is_complaint(line) else None)
    context.on(
        "request",
        lambda request: (
            None if _is_local_url(request.url) else complaints.append(f"request to {request.url}")
        ),
    )
    return complaints


STREAMLIT_PROBES: Final = ("/_stcore/health", "/_stcore/host-config")
"""Streamlit's page looks for its server below every part of the address and expects some answers 404."""

NETWORK_CHANGED: Final = "net::ERR_NETWORK_CHANGED"
"""Chromium repeats its requests when the machine gets or loses an address, which says nothing about the page."""

BUSY_ANSWER: Final = "status of 503"
"""While the server computes for other tests it tells a board to ask again, which the board does."""


def _is_complaint(line: ConsoleMessage) -> bool:
    if line.type not in {"error", "warning"} or NETWORK_CHANGED in line.text or BUSY_ANSWER in line.text:
        return False
    return not line.location["url"].endswith(STREAMLIT_PROBES)


def _is_local_url(url: str) -> bool:
    return url.startswith(("file:", "data:", "blob:", "http://127.0.0.1:", "ws://127.0.0.1:"))


@pytest.fixture(scope="session")
def bloxx_3p_scene(catalogue: Catalogue) -> Scene:
    """A whole game of BLOXX! with three seats."""
    ruleset = catalogue.find_ruleset("bloxx-3p")
    game = games.find_game(ruleset.game)
    decide = read_player(game, "greedy").decide
    _, plies = play_out(games.start_state(ruleset), [decide] * 3, Luck(7, 0))
    scene = game.scene(ruleset, [ply.action for ply in plies])
    return {**scene, "strategies": ["greedy", "greedy", "random"], "run": "first-look", "game_id": 12}


@pytest.fixture(scope="session")
def handmade_scene() -> Scene:
    """A scene with every glyph, trays with groups, dice, a shared board without some squares, and a shared win."""
    fills: list[str | None] = ["plain", "gold", "silver", "blue", None, None] * 3
    step: SceneStep = {
        "ply": 0,
        "round": 0,
        "seat": -1,
        "kind": "roll",
        "notation": "1 5",
        "caption": "The dice show 1 and 5.",
        "paint": [],
        "glow": [[0, 6], [0, 7]],
        "spend": [],
        "dice": [
            {"name": "A", "face": "1", "pips": 1, "cells": [], "state": "open", "note": ""},
            {"name": "B", "face": "5", "pips": 5, "cells": [], "state": "kept", "note": "kept"},
            {
                "name": "C",
                "face": "V3",
                "pips": None,
                "cells": [[0, 0, "o"], [1, 0, "x"]],
                "state": "taken",
                "note": "",
            },
        ],
        "scores": [0, 0, 0],
        "status": ["starts", "", ""],
    }
    place: SceneStep = {
        **step,
        "ply": 1,
        "seat": 1,
        "kind": "place",
        "caption": "Player 2 fills a corner.",
        "paint": [[0, 0, "b"], [0, 1, "b"], [0, 6, "b"], [0, 12, "c"]],
        "spend": [[0, 0]],
        "scores": [0, 4, 0],
    }
    draw: SceneStep = {
        **step,
        "ply": 2,
        "round": 1,
        "seat": 2,
        "kind": "draw",
        "caption": "Player 3 draws.",
        "paint": [[0, 2, "o"], [0, 3, "x"], [0, 9, "g"]],
        "spend": [[0, 2]],
        "scores": [0, 4, 4],
    }
    return {
        "version": 1,
        "game": "handmade",
        "ruleset": "handmade-3p",
        "title": "Made by hand",
        "lowest_wins": False,
        "marks": {
            "o": {"glyph": "circle", "colour": "ink"},
            "x": {"glyph": "cross", "colour": "ink"},
            "g": {"glyph": "gap", "colour": "muted"},
            "b": {"glyph": "block", "colour": "blue", "letter": "b"},
            "c": {"glyph": "cube", "colour": "seat1", "letter": "1"},
        },
        "boards": [
            {
                "name": "Frame",
                "seat": None,
                "columns": 6,
                "rows": 3,
                "fills": fills,
                "labels": [str(cell) for cell in range(18)],
                "column_labels": list("abcdef"),
                "row_labels": ["1", "2", "3"],
                "column_notes": ["1x1"] * 6,
            }
        ],
        "trays": [
            {
                "name": "Shapes",
                "seat": 1,
                "colour": "blue",
                "pieces": [
                    {"name": "I2", "cells": [[0, 0], [0, 1]], "group": "1"},
                    {"name": "V3", "cells": [[0, 0], [0, 1], [1, 0]], "group": "2"},
                    {"name": "strike", "cells": [], "group": "strikes"},
                ],
            }
        ],
        "start_scores": [0, 0, 0],
        "start_status": ["", "", ""],
        "steps": [step, place, draw],
    }


def aim_at_move(page: Page, panel: Locator, names: Collection[str]) -> None:
    """Aim at a move that has one of the names, by the keys of the board: each shape, and its places in all directions."""
    shapes = panel.locator(".shapes button")
    aim = panel.locator(".aim-name")
    around = ("ArrowLeft", "ArrowUp", "r", "ArrowRight", "r", "ArrowDown", "r") * 11
    corners = [("ArrowLeft", "ArrowDown"), ("ArrowRight", "ArrowDown"), ("ArrowRight", "ArrowUp")]
    across = [key for corner in corners for key in (*corner, "r", corner[1], *corner, "r", corner[0]) * 5]
    for _ in range(max(1, shapes.count())):
        page.keyboard.press("p")
        page.keyboard.press("Enter")
        for key in (*around, *across):
            if aim.inner_text() in names:
                return
            page.keyboard.press(key)
        page.keyboard.press("Escape")
    raise AssertionError(f"no move of {sorted(names)} can be aimed at")
