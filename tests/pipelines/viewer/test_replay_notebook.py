"""The replay inside a notebook: a sandboxed frame without an address of its own."""

from __future__ import annotations

import re
from io import BytesIO
from typing import TYPE_CHECKING

import pytest
from PIL import Image

from pipelines.notebook.api import Library
from pipelines.notebook.played import Run
from pipelines.report.show.html import sheet_style
from pipelines.viewer.replay.assets import replay_style

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from playwright.sync_api import Page

    from pipelines.runs import run as stored_run


def test_a_game_in_a_frame_steps_by_buttons_and_keys(
    new_page: Callable[..., Page], small_run: stored_run.Run, tmp_path: Path
) -> None:
    game = Run(small_run.path)[0]
    notebook = tmp_path / "notebook.html"
    notebook.write_text(f"<!doctype html><meta charset='utf-8'><body>{game._repr_html_()}", encoding="utf-8")
    page = new_page(viewport={"width": 1100, "height": 900})
    page.goto(f"file://{notebook}")
    frame = page.frame_locator("iframe")
    place = frame.locator(".place")
    assert " wins by " in place.inner_text()
    assert page.locator("iframe").evaluate("node => node.getBoundingClientRect().height") < 700
    play = frame.locator(".controls button.play").bounding_box()
    assert play
    assert play["y"] + play["height"] < 700
    frame.get_by_role("button", name="First").click()
    assert place.inner_text().startswith("Start")
    frame.get_by_role("button", name="Next move").click()
    assert "move 1 of" in place.inner_text()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    assert "move 4 of" in place.inner_text()
    page.keyboard.press("End")
    assert frame.locator(".seat .score").all_inner_texts() == [
        str(seat.score).replace("-", "\u2212") for seat in game.seats
    ]
    page.wait_for_timeout(300)  # long enough for the ply to be written to the address, if there were one
    assert page.url == f"file://{notebook}"


@pytest.mark.parametrize("width", [670, 820, 912, 986])
def test_boards_use_the_room_beside_an_open_file_browser(
    new_page: Callable[..., Page], small_run: stored_run.Run, tmp_path: Path, width: int
) -> None:
    notebook = tmp_path / "notebook.html"
    notebook.write_text(
        f"<!doctype html><meta charset='utf-8'><body style='margin:0;width:{width}px'>{Run(small_run.path)[0]._repr_html_()}",
        encoding="utf-8",
    )
    page = new_page(viewport={"width": width, "height": 900})
    page.goto(f"file://{notebook}")
    frame = page.frame_locator("iframe")
    frame.locator(".seat").first.wait_for()
    for seat in frame.locator(".seat").all():
        board, name = seat.locator(".board").bounding_box(), seat.locator(".name").bounding_box()
        assert board
        assert name
        assert board["width"] > 240
        assert name["height"] < 25  # one line
    play = frame.locator(".controls button.play").bounding_box()
    assert play
    assert play["y"] + play["height"] < 700
    last, rows = (
        frame.locator(".ply[aria-selected=true]").bounding_box(),
        frame.locator(".rows").bounding_box(),
    )
    assert last
    assert rows
    assert (
        rows["y"] <= last["y"] <= rows["y"] + rows["height"] - last["height"]
    )  # the list shows the end, too


def test_on_paper_a_replay_is_its_result_and_the_boards_at_the_end(
    new_page: Callable[..., Page], small_run: stored_run.Run, tmp_path: Path
) -> None:
    notebook = tmp_path / "notebook.html"
    space = "<div style='height:3000px'></div>"
    notebook.write_text(
        f"<!doctype html><meta charset='utf-8'><body>{space}{Run(small_run.path)[0]._repr_html_()}",
        encoding="utf-8",
    )
    page = new_page(viewport={"width": 900, "height": 800})
    page.goto(f"file://{notebook}")
    page.wait_for_function("document.querySelector('iframe').previousElementSibling.hidden")
    boards, trust = page.get_by_alt_text("The boards at the end"), page.get_by_text("Trust Notebook")
    assert boards.is_hidden()
    page.emulate_media(media="print")
    assert boards.is_visible()
    assert not trust.is_visible()
    assert not page.locator("iframe").is_visible()


def test_on_paper_a_dark_notebook_is_white(new_page: Callable[..., Page], small_run: stored_run.Run) -> None:
    dark = "<style>:root { color-scheme: dark } body { --jp-layout-color0: #111; background: #111; color: #eee }</style>"
    for answer in (Run(small_run.path).scores(), Run(small_run.path)[0]):
        page = new_page()
        page.set_content(f"<!doctype html>{dark}<body>{answer._repr_html_()}")
        page.emulate_media(media="print")
        style = "node => [getComputedStyle(node).backgroundColor, getComputedStyle(node).color]"
        assert page.locator("body").evaluate(style) == ["rgb(255, 255, 255)", "rgb(0, 0, 0)"]


def test_the_chart_of_an_answer_in_a_widget_has_the_font_of_the_replay(new_page: Callable[..., Page]) -> None:
    page = new_page()
    style = replay_style("notebook", sheet_style())
    chart = "<div class='reroll-chart'><div class='chart-heading'>Final scores</div></div>"
    page.set_content(f"<style>{style}</style><div class='replay' data-theme='dark'>{chart}</div>")
    family = page.locator(".chart-heading").evaluate("node => getComputedStyle(node).fontFamily")
    assert family.startswith("system-ui")


def test_a_game_in_a_frame_has_the_theme_of_the_notebook(
    new_page: Callable[..., Page], small_run: stored_run.Run, tmp_path: Path
) -> None:
    game = Run(small_run.path)[0]
    notebook = tmp_path / "notebook.html"
    dark = "<style>body { background: rgb(17, 17, 17); color: #eee } body.day { background: #fff }</style>"
    notebook.write_text(
        f"<!doctype html><meta charset='utf-8'>{dark}<body>{game._repr_html_()}", encoding="utf-8"
    )
    page = new_page(viewport={"width": 900, "height": 1000}, color_scheme="light")
    page.goto(f"file://{notebook}")
    replay = page.frame_locator("iframe").locator(".replay")
    page.frame_locator("iframe").locator(".replay[data-theme=dark]").wait_for()
    assert replay.evaluate("node => getComputedStyle(node).backgroundColor") == "rgb(17, 17, 17)"
    page.evaluate("document.body.className = 'day'")
    page.frame_locator("iframe").locator(".replay[data-theme=light]").wait_for()
    line = page.get_by_text("The replay needs a notebook that is trusted")
    assert line.is_hidden()
    page.evaluate("document.querySelector('iframe').contentWindow.postMessage({ background: 'url(x)' }, '*')")
    page.wait_for_timeout(100)
    assert replay.get_attribute("data-theme") == "light"


@pytest.mark.parametrize("scheme", ["dark", "light"])
def test_a_frame_is_light_up_to_its_edge_on_a_light_page(
    new_page: Callable[..., Page], small_run: stored_run.Run, tmp_path: Path, scheme: str
) -> None:
    notebook = tmp_path / "notebook.html"
    game = Run(small_run.path)[0]
    notebook.write_text(
        f"<!doctype html><meta charset='utf-8'><body style='background: #fff'>{game._repr_html_()}",
        encoding="utf-8",
    )
    page = new_page(viewport={"width": 900, "height": 1000}, color_scheme=scheme)
    page.goto(f"file://{notebook}")
    page.frame_locator("iframe").locator(".replay[data-theme=light]").wait_for()
    frame = Image.open(BytesIO(page.locator("iframe").screenshot())).convert("L")
    edge = frame.crop((frame.width - 14, 60, frame.width - 4, frame.height - 60))
    assert set(edge.tobytes()) == {255}


def test_the_cards_and_the_controls_of_a_frame_fit_a_phone(
    new_page: Callable[..., Page], small_run: stored_run.Run, tmp_path: Path
) -> None:
    notebook = tmp_path / "notebook.html"
    game = Run(small_run.path)[0]
    notebook.write_text(
        f"<!doctype html><meta charset='utf-8'><body><div style='width:344px'>{game._repr_html_()}</div>",
        encoding="utf-8",
    )
    page = new_page(viewport={"width": 390, "height": 900})
    page.goto(f"file://{notebook}")
    frame = page.frame_locator("iframe")
    frame.get_by_role("button", name="Next move").wait_for()
    overhang = """nodes => nodes.map(node => node.closest('.seat').getBoundingClientRect().right
        - node.getBoundingClientRect().right)"""
    assert min(frame.locator(".seat .score").evaluate_all(overhang)) >= 0
    assert page.locator("iframe").evaluate("node => node.getBoundingClientRect().width") <= 344
    middles = [
        frame.locator(name).evaluate(
            "node => node.getBoundingClientRect().y + node.getBoundingClientRect().height / 2"
        )
        for name in (".controls input[type=range]", ".controls .help")
    ]
    assert middles[0] == pytest.approx(middles[1], abs=2)


def test_a_table_of_many_columns_is_as_wide_as_its_answer(
    new_page: Callable[..., Page], small_run: stored_run.Run, tmp_path: Path
) -> None:
    library = Library(small_run.path.parents[1])
    effect = library.rule_effect("bloxx-2p", vary="gap_penalty=0..2", strategies="greedy,random", blocks=10)
    notebook = tmp_path / "notebook.html"
    notebook.write_text(
        f"<!doctype html><meta charset='utf-8'><body>{effect._repr_html_()}", encoding="utf-8"
    )
    page = new_page(viewport={"width": 680, "height": 900})
    page.goto(f"file://{notebook}")
    table = page.locator(".table:visible", has_text="Every value").locator(".scroll")
    assert table.locator("th").count() >= 8
    assert table.evaluate("node => node.scrollWidth <= node.clientWidth")
    page.set_viewport_size({"width": 1060, "height": 900})
    tops = table.locator(".interval").evaluate_all(
        "nodes => nodes.map(node => node.getBoundingClientRect().top - node.parentNode.getBoundingClientRect().top)"
    )
    assert len(tops) > 10
    assert max(tops) < 12  # beside the number, not below it
    assert table.evaluate("node => node.scrollWidth <= node.clientWidth")


def test_in_jupyterlab_names_stand_above_what_is_said_of_them_and_shapes_are_drawn(
    new_page: Callable[..., Page], small_run: stored_run.Run, tmp_path: Path
) -> None:
    library = Library(small_run.path.parents[1])
    answers = library["made"].comparison(), library.openings("bloxx-2p", blocks=10)
    style = (  # as JupyterLab and its exported pages have it
        ".jp-OutputArea-output dl { width: 100% } .jp-OutputArea-output dt { float: left; width: 20% } "
        ".jp-OutputArea-output dd { float: left; width: 80% }"
    )
    shown = "".join(answer._repr_html_() for answer in answers)
    notebook = tmp_path / "notebook.html"
    notebook.write_text(
        f"<!doctype html><meta charset='utf-8'><style>{style}</style><div class='jp-OutputArea-output'>{shown}</div>",
        encoding="utf-8",
    )
    page = new_page(viewport={"width": 390, "height": 900})
    page.goto(f"file://{notebook}")
    about = page.locator(".passage dl > div", has=page.locator("dt")).first
    bottom, top = (about.locator(name).bounding_box() for name in ("dt", "dd"))
    assert bottom
    assert top
    assert bottom["y"] + bottom["height"] <= top["y"]
    assert page.locator(".table td svg").count() > 2
    numbers = page.locator("td.numeric")
    assert numbers.count() > 10


def test_on_paper_scales_and_tables_are_whole_and_a_replay_has_no_buttons(
    new_page: Callable[..., Page], small_run: stored_run.Run, tmp_path: Path
) -> None:
    run = Run(small_run.path)
    library = Library(small_run.path.parents[1])
    answers = (
        run.comparison(),
        library.card("bloxx-mini", strategy="random", blocks=10),
        library.rule_effect("bloxx-2p", "bloxx-touch-2p", strategies="greedy,random", blocks=10),
        run[0],
        library,
    )
    notebook = tmp_path / "notebook.html"
    shown = "".join(f"<div>{answer._repr_html_()}</div>" for answer in answers)
    shown += "<div class='jp-InputArea-editor'><pre>run[0]</pre></div>"
    notebook.write_text(f"<!doctype html><meta charset='utf-8'><body>{shown}", encoding="utf-8")
    page = new_page(viewport={"width": 700, "height": 900})
    page.goto(f"file://{notebook}")
    page.frame_locator("iframe").get_by_role("button", name="Next move").wait_for()
    moves = page.locator(".reroll-moves")
    assert moves.is_hidden()
    page.emulate_media(media="print")
    lines = page.locator(".interval:visible").evaluate_all(
        "nodes => nodes.map(node => node.getClientRects().length)"
    )
    assert {*lines} == {1}
    summaries = page.locator(".more > summary:visible").evaluate_all(
        """nodes => nodes.map(node => [getComputedStyle(node).borderTopWidth, getComputedStyle(node, "::after").content])"""
    )
    assert {*map(tuple, summaries)} == {("0px", '" (closed)"')}
    assert page.locator(".made:visible").count() >= 3
    heights = page.locator(".made dl").evaluate_all(
        "nodes => nodes.map(node => node.checkVisibility({contentVisibilityAuto: true}) && node.offsetHeight)"
    )
    assert all(heights), "the seed and the SHA-256 stand on paper"
    code = page.locator(".jp-InputArea-editor pre")
    assert code.evaluate("node => getComputedStyle(node).whiteSpace") == "pre-wrap"
    grids = page.locator(".sheet").evaluate_all("nodes => nodes.map(node => getComputedStyle(node).display)")
    assert {*grids} == {"block"}  # in a grid, a heading may stay behind on its page
    steps = run.scene(0)["steps"]
    first_move = next(step for step in steps if step["seat"] >= 0)
    assert moves.is_visible()
    assert f"{first_move['caption']} {first_move['notation']}" in moves.inner_text()
    assert len(moves.inner_text().splitlines()) == len(steps)
    charts = page.locator(".charts > .chart:visible").evaluate_all(
        "nodes => nodes.map(node => node.getBoundingClientRect().width)"
    )
    assert len(charts) > 2
    assert min(charts) > 400
    widths = page.locator(".scale .line").evaluate_all(
        "nodes => nodes.map(node => node.getBoundingClientRect().width)"
    )
    assert min(widths) > 300
    right = page.locator("table:visible").evaluate_all(
        "nodes => nodes.map(node => node.getBoundingClientRect().right)"
    )
    assert max(right) <= 700
    masks = page.locator(".scroll").evaluate_all(
        "nodes => nodes.map(node => getComputedStyle(node).maskImage)"
    )
    assert {*masks} == {"none"}
    assert page.frame_locator("iframe").locator(".controls").is_hidden()


def clean_html(html: str) -> str:
    """Return what a notebook that is not trusted keeps of an output: no style sheet, no frame, no tag of SVG, no empty attribute."""
    html = re.sub("<style>.*?</style>|<iframe.*?</iframe>", "", html, flags=re.DOTALL)
    html = re.sub(r" hidden(?=[ >])", "", html)
    return re.sub(r"</?(svg|g|path|line|rect|circle|text|title|polygon|polyline)\b[^>]*>", "", html)


def test_where_frames_are_taken_out_a_line_and_the_boards_at_the_end_stand_for_the_game(
    new_page: Callable[..., Page], small_run: stored_run.Run, tmp_path: Path
) -> None:
    game = Run(small_run.path)[0]
    notebook = tmp_path / "notebook.html"
    notebook.write_text(
        f"<!doctype html><meta charset='utf-8'><body>{clean_html(game._repr_html_())}", encoding="utf-8"
    )
    page = new_page()
    page.goto(f"file://{notebook}")
    assert page.get_by_text(
        f"{game!r}. The replay needs a notebook that is trusted: in JupyterLab, View, Activate Command Palette, Trust Notebook."
    ).is_visible()
    assert page.get_by_alt_text("The boards at the end").evaluate("image => image.naturalWidth") > 100


@pytest.mark.parametrize("view", ["Scores", "Squares"])
def test_where_drawings_are_taken_out_their_pictures_are_shown(
    new_page: Callable[..., Page], small_run: stored_run.Run, tmp_path: Path, view: str
) -> None:
    html = Run(small_run.path).scores(view=view)._repr_html_()
    notebook = tmp_path / "notebook.html"
    notebook.write_text(
        f"<!doctype html><meta charset='utf-8'><body><div id='kept'>{html}</div><div id='cleaned'>{clean_html(html)}</div>",
        encoding="utf-8",
    )
    page = new_page()
    page.goto(f"file://{notebook}")
    page.wait_for_load_state("load")
    shown = {
        part: page.locator(f"#{part}").evaluate(
            """node => [".chart-picture", ".pictured"].map(name =>
                [...node.querySelectorAll(name)].filter(found => found.checkVisibility() && (found.naturalWidth ?? 1)).length)"""
        )
        for part in ("kept", "cleaned")
    }
    count = shown["kept"][1]
    assert count > 0
    assert shown == {"kept": [0, count], "cleaned": [count, 0]}
