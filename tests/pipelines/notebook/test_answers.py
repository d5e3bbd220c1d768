"""Answers in a notebook are values: frames, figures, pickles, and the same words as on pages."""

from __future__ import annotations

import builtins
import pickle
import re
import sys
from typing import TYPE_CHECKING

import pandas as pd
import pytest

from engine.errors import InvalidError
from pipelines.notebook import answers
from pipelines.notebook.api import Library

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from playwright.sync_api import Page

    from pipelines.notebook.answers import ShownBySheet
    from pipelines.runs import run as stored_run

ASK: dict[str, Callable[[Library], ShownBySheet]] = {
    "comparison": lambda library: library["made"].comparison(),
    "whatif": lambda library: library["made"][0].whatif(4, strategies={0: "random"}, continuations=20),
    "review": lambda library: library["made"][0].review(effort=0.02),
    "scores": lambda library: library.scores(rulesets="bloxx-2p", view="Parts"),
    "scores of a run": lambda library: library["made"].scores(),
    "games": lambda library: library.games("margin", runs="made", limit=5),
    "card": lambda library: library.card("bloxx-mini", strategy="random", blocks=10),
    "effect of a rule": lambda library: library.rule_effect(
        "bloxx-2p", "bloxx-touch-2p", strategies=["greedy", "random"], blocks=10
    ),
    "address": lambda library: library.ask("/games?runs=made&sort=length"),
}


@pytest.fixture
def library(small_run: stored_run.Run) -> Library:
    return Library(small_run.path.parents[1])


@pytest.mark.parametrize("ask", ASK.values(), ids=ASK)
def test_every_answer_has_frames_figures_words_and_a_pickle(
    library: Library, ask: Callable[[Library], ShownBySheet]
) -> None:
    answer = ask(library)
    frame = answer.pandas()
    assert len(frame)
    assert answer.tables
    for chart in answer.charts:
        assert answer.figure(chart).data
        assert len(answer.pandas(chart))
    if answer.charts:
        assert answer.figure() == answer.figure(answer.charts[0])
    else:
        with pytest.raises(InvalidError, match="this answer has no chart"):
            answer.figure()
    for table in answer.tables:
        of_table = answer.pandas(table)
        texts = [text for name in of_table for text in of_table[name] if isinstance(text, str)]
        assert not [text for text in texts if re.search(r"\d \(.* to |\N{MINUS SIGN}", text)], table
        assert not {"from", "to", "± 95 %"} & {*of_table}, table
    assert not answer.verdict or (answer.verdict[0].isupper() and answer.verdict.endswith("."))
    assert answer.verdict or answer.sheet.title
    assert "\x1b" not in repr(answer)
    copy = pickle.loads(pickle.dumps(answer))  # noqa: S301 - made in this line
    assert repr(copy) == repr(answer)
    assert copy._repr_html_() == answer._repr_html_()
    assert 'class="kind"' not in answer._repr_html_()  # a lone word where readers take styles out
    assert type(answer._repr_html_()) is str  # a text of Markup would escape what is joined with it
    pd.testing.assert_frame_equal(copy.pandas(), frame)


def test_a_figure_is_as_wide_as_a_page_of_paper(library: Library) -> None:
    pytest.importorskip("plotly")
    assert library["made"].scores().figure().layout.width == 570


def test_on_paper_no_chart_is_higher_than_half_a_page(
    new_page: Callable[..., Page], library: Library
) -> None:
    """A higher one would leave its sentence behind on a page that is half empty."""
    page, run = new_page(viewport={"width": 680, "height": 1000}), library.runs()[0]
    page.set_content(f"{run.scores()._repr_html_()}{run.scores(view='Squares')._repr_html_()}")
    page.emulate_media(media="print")
    heights = page.locator(".chart").evaluate_all("charts => charts.map((chart) => chart.offsetHeight)")
    assert len(heights) > 1
    assert max(heights) < 500


def test_a_long_table_shows_its_first_rows_and_says_how_many_more_there_are(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answers, "MAX_ROWS_SHOWN", 3)
    games = library.games(limit=8)
    assert f"In the frames: {len(games.pandas()) - 3} more rows." in games._repr_html_()
    assert "more rows" not in repr(games)


def test_a_figure_keeps_its_texts_under_another_template_and_takes_the_one_that_a_person_has_set(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    templates = pytest.importorskip("plotly.io").templates
    monkeypatch.setattr(templates, "default", "plotly")  # a page of the dashboard sets its own
    figure = library["made"].scores().figure()
    assert figure.layout.template == templates["plotly_white"]
    figure.update_layout(template="seaborn")
    assert figure.layout.annotations
    for text in figure.layout.annotations:
        assert (text.showarrow, text.yanchor is not None, text.font.size is not None) == (False, True, True)
        assert "Serif" not in text.font.family, "a notebook does not have this font"
    assert not figure.layout.xaxis.showgrid
    monkeypatch.setattr(templates, "default", "plotly_dark")
    assert library["made"].scores().figure().layout.template == templates["plotly_dark"]


@pytest.mark.parametrize(
    ("settings", "template"),
    [
        ('    "theme": "JupyterLab Dark"', "plotly_dark"),
        ('    "theme": "JupyterLab Dark High Contrast"', "plotly_dark"),
        ('    "theme": "JupyterLab Light"', "plotly_white"),
        ('    "adaptive-theme": true,\n    "theme": "JupyterLab Dark"', "plotly_white"),
    ],
)
def test_a_figure_is_dark_where_the_settings_of_jupyterlab_are(
    library: Library, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, settings: str, template: str
) -> None:
    templates = pytest.importorskip("plotly.io").templates
    pytest.importorskip("jupyter_core")
    monkeypatch.setattr(templates, "default", "plotly")
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(tmp_path))
    monkeypatch.setenv("JPY_SESSION_NAME", "games.ipynb")
    scores = library["made"].scores()
    assert scores.figure().layout.template == templates["plotly_white"]  # there are no settings
    folder = tmp_path / "lab" / "user-settings" / "@jupyterlab" / "apputils-extension"
    folder.mkdir(parents=True)
    (folder / "themes.jupyterlab-settings").write_text(f'{{\n    // "theme": "dark"\n{settings}\n}}')
    figure = scores.figure()
    assert figure.layout.template == templates[template]
    paper = figure.layout.template.layout.paper_bgcolor
    texts = [figure.layout.template.layout.font.color]
    texts += [text.font.color for text in figure.layout.annotations if text.font.color]
    assert all(contrast(text, paper) >= 4.5 for text in texts), (texts, paper)
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(tmp_path / "other"))
    monkeypatch.setenv("JUPYTERLAB_SETTINGS_DIR", str(tmp_path / "lab" / "user-settings"))
    assert scores.figure().layout.template == templates[template]
    monkeypatch.delenv("JPY_SESSION_NAME")
    assert scores.figure().layout.template == templates["plotly_white"]


def contrast(text: str, paper: str) -> float:
    """Return the contrast of two colours by WCAG 2.2."""
    low, high = sorted(map(luminance, (text, paper)))
    return (high + 0.05) / (low + 0.05)


def luminance(colour: str) -> float:
    if colour.startswith("#"):
        parts = [int(colour[at : at + 2], 16) for at in (1, 3, 5)]
    else:
        parts = [255] * 3 if colour == "white" else [int(part) for part in re.findall(r"\d+", colour)[:3]]
    shares = [part / 255 for part in parts]
    red, green, blue = (
        share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_a_frame_has_no_column_for_each_score(library: Library) -> None:
    numbers = library["made"].scores().pandas("numbers")
    assert not [name for name in numbers.columns.astype(str) if name.startswith("scores")]


def test_what_one_object_shows_does_not_style_another(library: Library) -> None:
    assert "<style" not in library._repr_html_()


def test_a_name_that_an_answer_does_not_have_names_the_nearest(library: Library) -> None:
    comparison = library["made"].comparison()
    with pytest.raises(InvalidError, match="unknown table 'pair'; did you mean pairs"):
        comparison.pandas("pair")
    with pytest.raises(InvalidError, match="unknown chart 'lead'; did you mean leads"):
        comparison.figure("lead")


def test_frames_have_a_row_for_each_decision_pair_measure_and_game(library: Library) -> None:
    game = library["made"][0]
    decisions = game.review(effort=0.02).pandas()
    plies = game.plies
    assert decisions["ply"].tolist() == plies.loc[plies["options"].fillna(0) > 1, "ply"].tolist()
    pairs = library["made"].comparison().pandas()
    assert (pairs["difference_low"] <= pairs["difference"]).all()
    measures = library.card("bloxx-mini", strategy="random", blocks=10).pandas()
    assert {"measure", "estimate", "estimate_low", "estimate_high", "unit", "n"} <= set(measures)
    games = library.games("game", runs="made", lowest=True, limit=3)
    assert games.pandas()["game_id"].tolist() == [0, 1, 2]
    seats = games.pandas("seats").set_index(["game_id", "seat"])["score"]
    assert [seats[number, 1] for number in range(3)] == [
        library["made"][number].seats[1].score for number in range(3)
    ]


def test_a_pickled_what_if_plays_no_further(library: Library) -> None:
    answer = library["made"][0].whatif(4, continuations=10)
    copy = pickle.loads(pickle.dumps(answer))  # noqa: S301 - made in this line
    player = copy.fork.base.seating[0]
    assert player.name == answer.fork.base.seating[0].name
    with pytest.raises(InvalidError, match="holds no strategies"):
        player.decide(copy.fork.base.state, None)


def test_without_plotly_a_figure_says_what_to_install(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    real_import = builtins.__import__

    def import_without_plotly(name: str, *rest: object) -> object:
        if name.startswith("plotly"):
            raise ModuleNotFoundError("No module named 'plotly'", name="plotly")
        return real_import(name, *rest)  # type: ignore[arg-type]  # passed on as they are

    answer = library["made"].comparison()
    monkeypatch.delitem(sys.modules, "pipelines.report.show.figures", raising=False)
    monkeypatch.setattr(builtins, "__import__", import_without_plotly)
    with pytest.raises(InvalidError, match=r"pip install -e '\.\[notebook\]'"):
        answer.figure()


def test_a_review_draws_the_values_of_every_position(library: Library) -> None:
    review = library["made"][0].review(effort=0.02)
    assert review.charts == ("win_course", "score_course")
    wins = review.pandas("win_course")
    assert wins["mean"].tolist() == pytest.approx((100 * review.win_shares.T).ravel().tolist())
    assert wins["mean_low"].between(0, 100).all()
    assert wins["mean_high"].between(0, 100).all()
    lines = [trace for trace in review.figure("score_course").data if trace.mode == "lines"]
    assert any(list(line.y) == review.scores[:, 0].tolist() for line in lines)
    assert "moves played" not in repr(review)


def test_the_figure_of_a_card_has_a_dot_for_each_scale_and_a_stroke_for_each_other_ruleset(
    library: Library,
) -> None:
    card = library.card("bloxx-mini", strategy="random", blocks=10)
    strokes, dots = card.figure("scales").data
    scales = card.pandas("scales")
    assert list(dots.x) == pytest.approx(scales["place"].dropna().tolist())
    names = scales["measure"].astype(str) + (", " + scales["of"].astype(str)).where(scales["of"].notna(), "")
    assert {name.casefold() for name in strokes.y} <= {*names}
    assert len(strokes.x) > 10 * len(dots.x)
