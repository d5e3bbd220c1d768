"""The page Scores in a browser: its address, a clicked bin, and the linked histograms."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from playwright.sync_api import expect

from pipelines.experiments.review_runs import choose_reviewed_games, find_review_kind, review_run
from pipelines.runs.library import Library
from tests.browser import find_box, wait_until_settled
from tests.dashboard.test_accessibility import find_lasting_faults

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from playwright.sync_api import Page

    from tests.dashboard.conftest import ServeDashboard


def test_the_default_is_in_the_address_and_a_clicked_bin_brings_its_games_into_view(
    new_page: Callable[..., Page], shared_dashboard_address: str
) -> None:
    page = new_page()
    page.goto(f"{shared_dashboard_address}/scores")
    page.wait_for_url(re.compile(r"rulesets="))
    assert page.evaluate("history.length") == 2  # the empty page of the browser and this one
    page.locator(".js-plotly-plot .barlayer .point").first.wait_for()
    bins = page.locator(".js-plotly-plot .barlayer .point")
    wait_until_settled(page)
    bar = find_box(bins.nth(bins.count() // 2))
    page.mouse.move(bar["x"] + bar["width"] / 2, bar["y"] + bar["height"] / 2)
    page.wait_for_timeout(300)
    page.mouse.click(bar["x"] + bar["width"] / 2, bar["y"] + bar["height"] / 2)
    page.wait_for_url(re.compile(r"from=.*to="))
    assert page.evaluate("history.length") == 3
    page.wait_for_url(re.compile(r"rulesets="))
    listed = page.get_by_role("region", name="The games with a score in this range")
    expect(listed).to_be_focused()
    expect(listed).to_be_in_viewport()
    framed = page.locator(":focus, .js-plotly-plot, [data-testid=stPlotlyChart]")
    assert {one.evaluate("one => getComputedStyle(one).outlineStyle") for one in framed.all()} == {"none"}
    page.keyboard.press("Shift")
    expect(listed).not_to_have_css("outline-style", "none")


def test_the_question_is_asked_with_the_keyboard_and_back_undoes_each_choice(
    new_page: Callable[..., Page], shared_dashboard_address: str
) -> None:
    page = new_page()
    page.goto(f"{shared_dashboard_address}/scores?rulesets=bloxx-3p")
    page.locator(".js-plotly-plot").first.wait_for()
    wait_until_settled(page)
    menu = page.locator(".st-key-ask-compared button")
    menu.press("Enter")
    expect(page.get_by_role("menu")).to_be_focused()
    for _ in range(2):  # strategy, one by one, who starts
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("view=Players"))
    expect(menu).to_have_text(re.compile("who starts"))
    expect(menu).to_be_focused()
    page.locator(".st-key-ask-rulesets button").press("Enter")
    choice = page.locator(".st-key-rulesets-BLOXX---shapes-may-hang- button", has_text="3 players")
    choice.press("Enter")
    page.wait_for_url(re.compile("rulesets=bloxx-3p&rulesets=bloxx-touch-3p"))
    expect(choice).to_be_visible()  # more can be chosen
    page.go_back()
    page.go_back()
    expect(menu).to_have_text(re.compile("strategy"))
    expect(page).to_have_url(re.compile(r"scores\?rulesets=bloxx-3p$"))


def test_a_button_pools_the_line_ups_that_are_left_out_and_leaves_them_out_again(
    new_page: Callable[..., Page],
    dashboard_address: str,
    copied_data_folder: Path,
    play_run: Callable[..., None],
) -> None:
    play_run(copied_data_folder, "more", "bloxx-touch-2p", "greedy", "random", games=60)
    play_run(copied_data_folder, "fewer", "bloxx-touch-2p", "greedy", "noisy", games=40)
    page = new_page()
    page.goto(f"{dashboard_address}/scores?rulesets=bloxx-touch-2p")
    answer = page.locator("[data-testid=stMain] h2").first
    expect(page.get_by_text("Left out: 1 run with other line-ups")).to_be_visible()
    said = answer.inner_text()
    page.get_by_role("button", name="Count all line-ups").click()
    page.get_by_role("button", name="Count one line-up only").wait_for()
    page.wait_for_url(re.compile("lineups=all"))
    expect(answer).not_to_have_text(said)
    page.get_by_role("button", name="Count one line-up only").click()
    expect(answer).to_have_text(said)
    expect(page.get_by_role("button", name="Count all line-ups")).to_be_visible()


def test_three_rulesets_are_overlaid_in_one_panel_for_each_strategy(
    new_page: Callable[..., Page], shared_dashboard_address: str
) -> None:
    page = new_page()
    rulesets = ["bloxx-3p", "bloxx-touch-3p", "bloxx-2p"]
    page.goto(f"{shared_dashboard_address}/scores?{urlencode({'rulesets': rulesets}, doseq=True)}")
    chart = page.locator(".js-plotly-plot").first
    chart.locator(".barlayer .point").first.wait_for()
    texts = chart.locator(".annotation-text").evaluate_all("texts => texts.map(text => text.textContent)")
    assert [text for text in texts if "greedy" in text] == ["greedy · n = 48, 48 and 24"]
    assert [text for text in texts if "random" in text] == ["random · n = 24 each"]
    titles = [
        f"BLOXX!{hangs}, {players} players"
        for hangs, players in (("", 3), (" (shapes may hang)", 3), ("", 2))
    ]
    for ruleset in map(
        re.escape, titles
    ):  # a label at each of the two outlines, with the mean and its interval
        assert len([text for text in texts if re.fullmatch(rf"■ {ruleset}: ?−?[\d.]+ ± [\d.]+", text)]) == 2
    for panel in ("xy", "x2y2"):
        outlines = chart.locator(f".subplot.{panel} .scatterlayer path.js-line")
        looks = outlines.evaluate_all(
            "lines => lines.map(line => [line.style.stroke, line.style.strokeDasharray])"
        )
        assert len({colour for colour, _ in looks}) == len({dash for _, dash in looks}) == len(looks) == 3
    assert find_lasting_faults(page) == []


def test_a_range_filters_all_charts_without_the_server_and_is_compared(
    new_page: Callable[..., Page], shared_dashboard_address: str
) -> None:
    page = new_page()
    sent: list[object] = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(frame)))  # noqa: PLW0108
    page.on("request", lambda request: sent.append(request.url))
    page.goto(f"{shared_dashboard_address}/scores?rulesets=bloxx-3p&view=Explore")
    status = page.locator(".linked .status")
    expect(status).to_contain_text("72 results are drawn")
    outline = page.locator('.linked section[aria-label="Margin"] path.outline').first
    wait_until_settled(page)
    before = outline.get_attribute("d") or ""
    sent.clear()
    picture = find_box(page.locator('.linked section[aria-label="Score"] > svg'))
    y = picture["y"] + picture["height"] / 2
    page.mouse.move(picture["x"] + picture["width"] * 0.6, y)
    page.mouse.down()
    page.mouse.move(picture["x"] + picture["width"] * 0.8, y, steps=4)
    page.mouse.up()
    expect(status).to_contain_text("of 72 results are selected")
    expect(outline).not_to_have_attribute("d", before)
    assert "select=" not in page.url
    page.get_by_role("slider", name="Margin, from").press("ArrowRight")  # the keyboard does the same
    player = page.get_by_role("button", name="player 1")
    player.click()
    expect(player).to_have_attribute("aria-pressed", "true")  # the next frame counts the results anew
    selected = int((status.text_content() or "").split()[0])
    assert sent == []  # the browser counts; the server hears nothing
    assert find_lasting_faults(page) == []
    page.get_by_role("button", name="Compare with all others").click()
    page.wait_for_url(re.compile(r"select="))
    expect(page.get_by_role("region", name="The selected results and all others")).to_be_visible()
    expect(page.get_by_text(re.compile(rf"^{selected} selected results?, "))).to_be_visible()
    wanted = json.loads(parse_qs(urlsplit(page.url).query)["select"][0])
    assert set(wanted) == {"score", "margin", "seat"}
    assert wanted["seat"] == [0]
    page.reload()
    expect(status).to_contain_text(f"{selected} of 72 results")
    page.get_by_role("button", name="Clear", exact=True).click()
    expect(status).to_contain_text("72 results are drawn")


def test_an_answer_stands_where_it_stood_after_a_choice_from_a_menu(
    new_page: Callable[..., Page], shared_dashboard_address: str
) -> None:
    page = new_page()
    page.goto(f"{shared_dashboard_address}/scores?rulesets=bloxx-2p&view=Players")
    heading = page.locator("h2").first
    heading.wait_for()
    wait_until_settled(page)
    page.locator(".st-key-ask-compared").get_by_role("button").click()
    page.get_by_role("menuitem", name="part").click()
    page.wait_for_url(re.compile("view=Parts"))
    wait_until_settled(page)
    place = find_box(heading)["y"]
    page.reload()
    heading.wait_for()
    wait_until_settled(page)
    assert find_box(heading)["y"] == place


@pytest.mark.parametrize(("view", "cursor"), [("Scores", "pointer"), ("Parts", "default")])
def test_only_a_chart_whose_marks_can_be_chosen_has_the_cursor_of_a_link(
    new_page: Callable[..., Page], shared_dashboard_address: str, view: str, cursor: str
) -> None:
    page = new_page()
    page.goto(f"{shared_dashboard_address}/scores?rulesets=bloxx-2p&view={view}")
    area = page.locator(".nsewdrag").first
    area.wait_for()
    expect(area).to_have_css("cursor", cursor)


def test_a_clicked_mark_shows_the_decisions_of_its_group_on_boards_until_the_group_is_taken_away(
    new_page: Callable[..., Page],
    serve_dashboard: ServeDashboard,
    tmp_path: Path,
    play_run: Callable[..., None],
) -> None:
    play_run(tmp_path, "plain", "bloxx-2p", "greedy", "random")
    run = Library(tmp_path).run("plain")
    for _ in review_run(run, find_review_kind(run, effort=0.1), choose_reviewed_games(run), threads=True):
        pass
    with serve_dashboard(tmp_path) as address:
        page = new_page()
        page.goto(f"{address}/scores?runs=plain&view=Decisions")
        marks = page.locator(".st-key-chart-groups .scatterlayer .point")
        marks.first.wait_for()
        wait_until_settled(page)
        mark = find_box(marks.first)
        at = mark["x"] + mark["width"] / 2, mark["y"] + mark["height"] / 2
        page.mouse.move(*at)
        page.wait_for_timeout(300)
        page.mouse.click(*at)
        page.wait_for_url(re.compile(r"only=rounds.*of.*greedy"))
        assert "strategies=" not in page.url, "the picture and the sentence stay as they are"
        listed = page.get_by_role(
            "region", name=re.compile(r"The choices with the most lost points: rounds .* of greedy")
        )
        expect(listed).to_be_focused()
        boards = page.locator(".st-key-game-tiles-decisions .board")
        expect(boards).to_have_count(4)
        expect(boards.first).to_be_in_viewport()
        outlines = boards.first.locator(".fresh"), boards.first.locator(".ghost-line")
        drawn = {outline.get_attribute("d") for outline in outlines}
        assert len(drawn) == 2
        assert all(drawn), "the move that was played and the better one"
        expect(page.locator(".st-key-chart-groups").get_by_text("random", exact=True)).to_be_visible()
        sizes = marks.evaluate_all("marks => marks.map(mark => mark.getBoundingClientRect().width)")
        assert sum(size > 1.5 * min(sizes) for size in sizes) == 1
        expect(marks.first).to_be_in_viewport()
        page.locator(".st-key-all-groups").get_by_role("button").click()
        page.wait_for_url(re.compile(r"^(?!.*only=)"))
        expect(
            page.get_by_role("region", name="The choices with the most lost points", exact=True)
        ).to_be_visible()
        page.goto(f"{address}/scores?runs=plain&view=Decisions&measure=luck")
        expect(boards).to_have_count(4)
        assert boards.first.locator(".fresh").get_attribute("d"), "what was made of the roll that decided"
