"""Every control of every page that the Tab key reaches looks different with the keyboard focus: pixels change."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Final

import pytest
from PIL import Image, ImageChops

from tests.dashboard.test_accessibility import PAGE_SELECTORS

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import ElementHandle, Page

PAGES: Final = (
    "",
    "games",
    "runs",
    "?play=bloxx",
    "scores",
    "scores?view=Explore&rulesets=bloxx-3p",
    "strategies",
    "strategies?ruleset=bloxx-2p",
    "replay?run=three&game-number=2&move=31",
    "play",
    "rules?ruleset=bloxx-2p",
    "rules?ruleset=bloxx-2p&part=own",
    "sql",
    "notes",
)
MAX_CONTROLS: Final = 60
"""Controls of a page that are tried."""
STILL_STYLE: Final = "*, *::before, *::after { transition: none !important; animation: none !important; caret-color: transparent !important }"
FOCUSED_SCRIPT: Final = """() => {
  let focused = document.activeElement;
  while (focused?.shadowRoot?.activeElement) focused = focused.shadowRoot.activeElement;
  return focused === document.body ? null : focused;
}"""
MARGIN: Final = 8
"""Pixels around a control in which its ring may lie."""
LEAST_CHANGE: Final = 40
"""The least difference in grey of 255 that eyes notice."""
LEAST_PIXELS: Final = 60
MAX_LOOKS: Final = 5
LOOK_PAUSE: Final = 400
"""Milliseconds between two looks."""


@pytest.mark.parametrize("address", PAGES)
def test_every_control_shows_the_keyboard_focus(
    new_page: Callable[..., Page], shared_dashboard_address: str, address: str
) -> None:
    page = new_page()
    page.goto(f"{shared_dashboard_address}/{address}")
    page.locator(PAGE_SELECTORS[address]).first.wait_for()
    page.locator('[data-testid="stApp"][data-test-script-state="notRunning"]').wait_for()
    page.add_style_tag(content=STILL_STYLE)
    tried, unseen = 0, []
    for _ in range(MAX_CONTROLS):
        page.keyboard.press("Tab")
        control = page.evaluate_handle(FOCUSED_SCRIPT).as_element()
        if control is None or control.bounding_box() is None:  # a grid keeps cells that are not drawn
            continue
        name = control.evaluate(
            "node => `${node.tagName} ${node.innerText || node.getAttribute('aria-label') || node.type || ''}`"
        )
        if control.evaluate("node => node.wasTried || !(node.wasTried = true)"):
            break  # the keys have gone round the page
        tried += 1
        if not shows_focus(page, control):
            unseen.append(name)
    assert tried > 10
    assert not unseen


def shows_focus(page: Page, control: ElementHandle) -> bool:
    """Return whether a control looks different with the focus, at the latest after `MAX_LOOKS` looks: a grid draws its ring late."""
    for _ in range(MAX_LOOKS):
        if count_changed_pixels(page, control) >= LEAST_PIXELS:
            return True
        page.wait_for_timeout(LOOK_PAUSE)
        control.scroll_into_view_if_needed()
    return False


def count_changed_pixels(page: Page, control: ElementHandle) -> int:
    """Return how many pixels of a control and around it differ without the focus, which it then has again."""
    box = control.bounding_box()
    viewport = page.viewport_size
    assert box
    assert viewport
    x, y = max(0, box["x"] - MARGIN), max(0, box["y"] - MARGIN)
    width = min(viewport["width"] - x, box["width"] + 2 * MARGIN)
    height = min(viewport["height"] - y, box["height"] + 2 * MARGIN)
    if min(width, height) < 1:
        return 0

    def take_picture() -> Image.Image:
        picture = page.screenshot(clip={"x": x, "y": y, "width": width, "height": height})
        return Image.open(io.BytesIO(picture)).convert("L")

    focused = take_picture()
    control.evaluate("node => node.blur()")
    difference = ImageChops.difference(focused, take_picture())
    control.evaluate("node => node.focus({ preventScroll: true, focusVisible: true })")
    return sum(difference.histogram()[LEAST_CHANGE:])
