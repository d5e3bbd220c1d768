"""The replay as a widget in a page of another program, which here has a model without Python behind it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from pipelines.viewer.replay.assets import replay_script

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page, Route

    from engine.scene import Scene

ADDRESS = "http://127.0.0.1:1/"
"""Nothing is requested from there: the test answers."""
HOST_PAGE = """<!doctype html><meta charset="utf-8">
<body style="background: rgb(20, 20, 20); color: #ddd"><input id="cell"><div id="output"></div><script type="module">
const values = { _scene: SCENE, ply: 4, height: 760 };
const listeners = {};
window.sent = [];
window.saved = [];
window.model = {
  get: (name) => values[name],
  set: (name, value) => { values[name] = value; listeners[`change:${name}`]?.forEach((listener) => listener()); },
  save_changes: () => saved.push(values.ply),
  on: (name, listener) => { (listeners[name] ??= new Set()).add(listener); },
  off: (name, listener) => listeners[name].delete(listener),
  send: (message) => sent.push(message),
  receive: (message) => listeners["msg:custom"].forEach((listener) => listener(message)),
  count: () => Object.values(listeners).reduce((sum, found) => sum + found.size, 0),
};
const { default: widget } = await import("./widget.js");
const el = document.getElementById("output");
window.cleanUp = [widget.render({ model, el }), widget.render({ model, el })];
</script>"""


@pytest.fixture
def page(new_page: Callable[..., Page], bloxx_3p_scene: Scene) -> Page:
    """A dark page with two views of one widget."""
    scene = json.dumps(bloxx_3p_scene).replace("<", "\\u003c")
    text = HOST_PAGE.replace("SCENE", scene)
    page = new_page(viewport={"width": 900, "height": 1000})
    files = {"lab": (text, "text/html"), "widget.js": (replay_script("notebook"), "text/javascript")}

    def serve_file(route: Route) -> None:
        body, content_type = files[route.request.url.removeprefix(ADDRESS)]
        route.fulfill(body=body, content_type=content_type)

    page.route(f"{ADDRESS}*", serve_file)
    page.goto(f"{ADDRESS}lab")
    page.locator(".replay").nth(1).wait_for()
    return page


def test_a_widget_shares_its_ply_with_its_model_and_leaves_the_page_alone(page: Page) -> None:
    places = page.locator(".place")
    assert [place.split(" · ")[1] for place in places.all_inner_texts()] == ["move 5 of 72"] * 2
    replay = page.locator(".replay").first
    assert replay.get_attribute("data-theme") == "dark"
    assert replay.evaluate("node => getComputedStyle(node).backgroundColor") == "rgb(20, 20, 20)"
    page.locator(".replay .title").first.click()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("[model.get('ply'), saved]") == [6, [5, 6]]
    assert places.nth(1).inner_text() == places.nth(0).inner_text()  # the other view follows
    page.evaluate("model.set('ply', 9)")
    assert "move 10 of" in places.first.inner_text()
    page.locator("#cell").focus()
    page.keyboard.press("ArrowRight")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("End")  # keys outside belong to the page around it
    assert page.evaluate("model.get('ply')") == 9
    page.wait_for_timeout(300)  # long enough for the ply to be written to the address, if it were
    assert page.url == f"{ADDRESS}lab"
    page.evaluate("model.set('ply', model.get('_scene').steps.length - 1)")
    assert replay.get_by_role("button", name="Review").count() == 0  # nobody would answer
    assert page.evaluate("cleanUp.forEach((clean) => clean()) ?? model.count()") == 0
    assert page.locator("#output").inner_html() == ""


@pytest.mark.parametrize("colour", ["color(srgb 1 1 1)", "oklch(97% 0.01 90)", "rgb(250, 250, 250)"])
def test_a_widget_is_readable_on_a_light_page_whatever_the_notation_of_its_colour(
    page: Page, colour: str
) -> None:
    page.evaluate("colour => { document.body.style.background = colour; }", colour)
    replay = page.locator(".replay[data-theme=light]").first
    replay.wait_for()
    assert replay.evaluate("node => getComputedStyle(node).color") == "rgb(31, 39, 51)"


def test_the_panel_of_a_widget_asks_by_messages(page: Page) -> None:
    page.locator(".replay .title").first.click()
    page.keyboard.press("w")
    page.wait_for_function("sent.length === 1")
    asked = page.evaluate("sent[0]")
    assert (asked["kind"], asked["ply"]) == ("look", 4)
    page.evaluate("model.receive({ id: 'of another view', answer: { error: 'no' }, isLast: true })")
    page.evaluate(
        "model.receive({ id: sent[0].id, answer: { error: 'This ply is <b>not</b> known.' }, isLast: true })"
    )
    assert page.locator(".whatif-panel .note").first.inner_text() == "This ply is <b>not</b> known."
    page.keyboard.press("Escape")
    assert page.locator(".whatif-panel").first.is_hidden()


def test_a_question_that_python_does_not_answer_ends(page: Page) -> None:
    page.clock.install()
    page.locator("button.whatif").first.click()
    page.wait_for_function("sent.length > 0")
    page.clock.fast_forward(16_000)
    page.get_by_text("Python has not answered for 15 seconds").first.wait_for()
    page.close()  # the clock would stay


def test_a_question_ends_at_once_if_the_kernel_is_no_longer_there(page: Page) -> None:
    page.evaluate("() => { model.send = () => { throw new Error('Cannot send'); }; }")
    page.locator("button.whatif").first.click()
    for part in (".whatif-panel .choices", ".best-moves"):
        page.locator(part, has_text="Python no longer answers").first.wait_for()
    assert page.get_by_text("Valuing the moves").count() == 0
    page.locator(".whatif-panel").get_by_role("button", name="Luck").first.click()
    assert "Python no longer answers" in page.locator(".whatif-panel .choices").first.inner_text()
