"""The page Rules: rules, rulesets side by side, the effect of a rule, and the form for new rulesets."""

from __future__ import annotations

import json
import re
import tomllib
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote_plus

import pytest
from playwright.sync_api import expect

from dashboard import cached
from dashboard.rules import effect_form
from engine import games
from engine.clauses import read_clauses
from pipelines.runs.library import Library
from pipelines.viewer.palette import SeriesLook
from tests.browser import find_box, wait_until_settled
from tests.dashboard.reading import read_offered_files, read_page_text

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from playwright.sync_api import Page
    from streamlit.testing.v1 import AppTest
    from streamlit.testing.v1.element_tree import NumberInput, Selectbox

    from engine.catalogue import Catalogue
    from engine.scene import Scene

pytestmark = pytest.mark.slow


def read_address_value(at: AppTest, key: str) -> str:
    """Return a value of the address, which AppTest holds as a text or as a list of one text."""
    value = at.query_params[key]
    return value if isinstance(value, str) else value[0]


def read_page_html(at: AppTest) -> str:
    """Return all HTML of the page."""
    return "\n".join(element.proto.body for element in at.get("html"))


def read_drawn_scene(at: AppTest) -> Scene:
    """Return the scene that the page gives to its first board component."""
    parts = [json.loads(part.proto.json) for part in at.get("bidi_component")]
    scene: Scene = next(data for data in parts if "scene" in data)["scene"]
    return scene


@pytest.mark.parametrize("game", games.game_names())
def test_the_page_shows_all_clauses_and_the_board_of_every_game(
    open_dashboard_page: Callable[..., AppTest], catalogue: Catalogue, game: str
) -> None:
    name = next(ruleset.name for ruleset in catalogue.rulesets.values() if ruleset.game == game)
    at = open_dashboard_page("rules.py", ruleset=name)
    assert not at.exception
    assert not at.error
    assert not any(clause.number in read_page_html(at) for clause in read_clauses(game).clauses)
    at.toggle(key="rules-numbers").set_value(True).run()
    assert all(clause.number in read_page_html(at) for clause in read_clauses(game).clauses)
    scene = read_drawn_scene(at)
    assert scene["ruleset"] == name
    assert len(scene["boards"]) == 1


def test_reconstructed_tables_are_marked(open_dashboard_page: Callable[..., AppTest]) -> None:
    at = open_dashboard_page("rules.py", ruleset="spexxx-2p")
    assert read_page_html(at).count(">our reconstruction</td>") == 2
    assert any("our reconstruction: board, points" in caption.value for caption in at.caption)
    at = open_dashboard_page("rules.py", ruleset="blokus-2p")
    assert ">our reconstruction</td>" not in read_page_html(at)


def test_choosing_another_game_changes_the_address(open_dashboard_page: Callable[..., AppTest]) -> None:
    at = open_dashboard_page("rules.py", ruleset="bloxx-2p", part="side-by-side")
    at.segmented_control(key="rules-game").set_value("spexxx").run()
    assert not at.exception
    assert read_address_value(at, "ruleset").startswith("spexxx")
    assert read_address_value(at, "part") == "side-by-side"


def open_details(at: AppTest, kind: str) -> AppTest:
    """Open the details of the answer on a page, as a click does."""
    at.session_state[f"details-{kind}"] = True
    return at.run()


def test_side_by_side_separates_what_differs(open_dashboard_page: Callable[..., AppTest]) -> None:
    address = {"ruleset": "bloxx-2p", "part": "side-by-side", "with": ["bloxx-rest-2p"]}
    at = open_dashboard_page("rules.py", **address)
    assert not at.exception
    assert "stand on a drawn square" not in read_page_html(at)
    details = read_page_html(open_details(at, "rules"))
    assert "stand on a drawn square" in details
    assert "points that a gap costs" in details
    assert (
        "(shapes must rest on shapes): Every shape after the first must stand on a drawn square"
        in read_page_text(at).replace("*", "")
    )


def test_a_ruleset_with_none_beside_it_shows_its_own_settings(
    open_dashboard_page: Callable[..., AppTest],
) -> None:
    at = open_dashboard_page("rules.py", ruleset="bloxx-2p", part="side-by-side", **{"with": [""]})
    assert not at.exception
    assert at.multiselect(key="rules-with").value == []
    assert "points that a gap costs" in read_page_html(at)


def test_side_by_side_shows_the_recorded_cards(open_dashboard_page: Callable[..., AppTest]) -> None:
    address = {"ruleset": "bloxx-2p", "part": "side-by-side", "with": ["bloxx-rest-2p"]}
    at = open_details(open_dashboard_page("rules.py", **address), "rules")
    assert not at.exception
    html = read_page_html(at)
    for word in ("What kinds of games", "skill-luck index", "edge of a seat, player 1"):
        assert word in html or any(word in header.value for header in at.subheader)
    assert "worth, wins, die A" in html
    assert not any("skill-luck index" in line.value for line in at.markdown)  # their ladders have other ends


def test_a_card_that_nobody_has_asked_for_is_the_recorded_one(
    open_dashboard_page: Callable[..., AppTest],
) -> None:
    at = open_dashboard_page("rules.py", ruleset="bloxx-2p", part="card")
    assert not at.exception
    html = read_page_html(at)
    assert "<span>Skill-luck index</span>" in html
    assert "<p>How far the later winner is behind" not in html
    assert "<p>How far the later winner is behind" in read_page_html(open_details(at, "card"))
    assert any("no seat has a clear edge" in line.value.casefold() for line in at.markdown)
    assert any(line.value.startswith("Recorded from ") for line in at.caption)
    asked = open_dashboard_page("rules.py", ruleset="bloxx-2p", part="card", strategy="noisy", blocks="10")
    assert not any("Recorded from" in line.value for line in asked.caption)


def test_first_moves_are_answered_at_once_and_another_kind_with_a_click(
    open_dashboard_page: Callable[..., AppTest],
) -> None:
    at = open_dashboard_page("rules.py", ruleset="blokus-duo", part="openings")
    assert "rules-openings-work" in at.session_state
    at.number_input[0].set_value(10)
    next(button for button in at.button if button.label == "Play").click().run()
    assert (read_address_value(at, "first"), read_address_value(at, "blocks")) == ("move", "10")
    at.session_state["rules-openings-work"][1].wait(120)
    at = at.run()
    assert not at.exception
    titles = [header.value for header in at.subheader]
    assert {"The values of the first moves", "Which squares good first moves cover"} < {*titles}
    assert "The first moves that come first" in titles, "two sets of boards stand on the page"
    assert "212 first moves of player 1 with the same luck" in read_page_text(at)
    compared = next(
        group for group in at.button_group if group.key and group.key.startswith("openings-first-")
    )
    compared.set_value("piece").run()
    assert (read_address_value(at, "first"), read_address_value(at, "blocks")) == ("piece", "10")
    at.session_state["rules-openings-work"][1].wait(120)
    assert "first pieces" in read_page_text(at.run())


def test_first_moves_that_depend_on_a_roll_are_refused_in_a_sentence(
    open_dashboard_page: Callable[..., AppTest],
) -> None:
    at = open_dashboard_page("rules.py", ruleset="bloxx-2p", part="openings", first="move", blocks="10")
    at.session_state["rules-openings-work"][1].wait(120)
    assert "depend on the first roll" in at.run().error[0].value


def test_first_moves_that_cannot_be_compared_have_no_form(
    open_dashboard_page: Callable[..., AppTest],
) -> None:
    at = open_dashboard_page("rules.py", ruleset="spexxx-2p", part="openings")
    assert "none can be compared" in at.info[0].value
    assert not at.number_input


def test_a_card_keeps_its_parts_while_it_grows_and_is_offered_when_it_is_whole(
    open_dashboard_page: Callable[..., AppTest],
) -> None:
    at = open_dashboard_page("rules.py", ruleset="bloxx-mini", part="card", strategy="greedy", blocks="40")
    at.session_state["rules-card-work"][1].wait(120)
    at = open_details(at, "card")
    titles = [header.value.replace("\\", "") for header in at.subheader]
    assert titles[0].startswith("Where it stands")
    assert {"Card of BLOXX! (3 x 5, solved) for 2 players", "Definitions"} < {*titles}
    assert "so far" not in read_page_text(at).casefold()
    stem = "Card-of-BLOXX-3-x-5-solved-for-2-players"
    assert {f"{stem}-measures.csv", f"{stem}.json"} < read_offered_files(at).keys()


def test_a_ruleset_is_first_compared_with_a_printed_one(open_dashboard_page: Callable[..., AppTest]) -> None:
    at = open_dashboard_page("rules.py", ruleset="bloxx-2p", part="effect")
    against = choose_another_ruleset(at)
    assert against.value == "bloxx-rest-2p"
    assert against.options[-1].startswith("BLOXX! (3 x 5, solved)")
    assert read_address_value(at, "against") == "bloxx-rest-2p"
    assert read_address_value(at, "strategies") == "greedy,planner"


def test_a_field_changed_while_the_effect_is_awaited_keeps_its_change_and_follows_links(
    open_dashboard_page: Callable[..., AppTest],
) -> None:
    """The browser holds what was entered into a field until Play is pressed; another field would not have it."""
    at = open_dashboard_page("rules.py", ruleset="bloxx-2p", against="bloxx-rest-2p", blocks="10")

    def find_fields() -> tuple[Any, ...]:
        labels = ("Compare BLOXX! with", "Player 1")
        boxes = [next(box for box in at.selectbox if box.label == label) for label in labels]
        return (*boxes, next(box for box in at.number_input if box.label == "Blocks"))

    wanted = ["bloxx-touch-2p", "random", 20]
    before = [field.proto.id for field in find_fields()]
    for field, value in zip(find_fields(), wanted, strict=True):
        field.set_value(value)
    next(button for button in at.button if button.label == "Play").click().run()
    for _ in range(2):
        assert not at.exception
        assert at.query_params["against"] in ("bloxx-touch-2p", ["bloxx-touch-2p"])
        assert [field.proto.id for field in find_fields()] == before
        assert [field.value for field in find_fields()] == wanted
        at.run()
    at.query_params.update({"against": "bloxx-mini", "strategies": "planner,random", "blocks": "40"})
    at.run()
    assert [field.value for field in find_fields()] == ["bloxx-mini", "planner", 40]


def test_the_largest_seed_in_the_address_is_used(
    open_dashboard_page: Callable[..., AppTest],
) -> None:
    seed = str(2**64 - 1)
    at = open_dashboard_page(
        "rules.py",
        ruleset="bloxx-2p",
        part="effect",
        against="bloxx-touch-2p",
        strategies="random,random",
        blocks="10",
        seed=seed,
    )
    at.session_state["rules-effect-work"][1].wait(120)
    at.run()
    assert any(f"seed {seed}" in line.value for line in at.caption)


def test_charts_use_the_looks_of_the_strategies_of_all_pages(
    open_dashboard_page: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        cached, "strategy_looks", lambda names=(): dict.fromkeys(names, SeriesLook("#123456", "dash"))
    )
    question = {
        "ruleset": "bloxx-2p",
        "part": "effect",
        "vary": "gap_penalty=0,3",
        "strategies": "greedy,random",
    }
    at = open_dashboard_page("rules.py", **question, blocks="10")
    at.session_state["rules-effect-work"][1].wait(120)
    at.run()
    chart = next(chart for chart in at.get("plotly_chart") if "mean score" in chart.proto.spec)
    lines = [line for line in json.loads(chart.proto.spec)["data"] if "marker" in line]
    assert [line["name"] for line in lines] == ["greedy", "random"]
    assert {line["marker"]["color"] for line in lines} == {"#123456"}


def test_an_unknown_ruleset_and_one_of_another_game_are_refused(
    open_dashboard_page: Callable[..., AppTest],
) -> None:
    for against, message in (("nowhere", "no ruleset nowhere"), ("spexxx-2p", "different games")):
        at = open_dashboard_page(
            "rules.py", ruleset="bloxx-2p", part="effect", against=against, strategies="greedy,random"
        )
        assert not at.exception
        assert message in at.error[0].value.replace("\\", "")


def open_editor(
    open_dashboard_page: Callable[..., AppTest], folder: Path, base: str = "bloxx-2p", **address: str
) -> AppTest:
    at = open_dashboard_page("rules.py", folder, ruleset=base, part="own", **address)
    assert not at.exception
    return at


@pytest.mark.parametrize("base", ["bloxx-2p", "blokus-duo", "blokus-dice-4p", "spexxx-children-3p"])
def test_only_a_changed_form_can_be_saved_and_the_bar_is_about_what_is_on_the_screen(
    open_dashboard_page: Callable[..., AppTest], tmp_path: Path, base: str
) -> None:
    at = open_editor(open_dashboard_page, tmp_path, base)
    assert at.button(key="make-save").disabled, "it changes nothing"
    number = next(field for field in at.number_input if f"make-field-{base}-options." in str(field.key))
    number.set_value(int(number.value or 0) - 1).run()
    at.button(key="make-save").click().run()
    assert not at.exception
    assert not at.error
    name = f"my-{re.sub(r'-[0-9]p$', '', base)}"
    said = next(line.value for line in at.markdown if "Saved as" in line.value).replace("\\", "")
    assert said.startswith(f"**Saved as {name}.**")
    assert f"Ruleset: {name}." not in said
    assert [path.name for path in (tmp_path / "rulesets").iterdir()] == [f"{name}.toml"]
    number = next(field for field in at.number_input if field.key == number.key)
    number.set_value(int(number.value or 0) - 1).run()
    assert not at.exception
    assert not any("Saved as" in line.value for line in at.markdown), "the file says something else"
    assert "make-effect" not in {button.key for button in at.button}


def test_a_saved_ruleset_has_the_changes_and_marks_them_as_own(
    open_dashboard_page: Callable[..., AppTest], tmp_path: Path
) -> None:
    at = open_editor(open_dashboard_page, tmp_path)
    at.number_input(key="make-field-bloxx-2p-options.gap_penalty").set_value(3)
    at.text_area(key="make-field-bloxx-2p-tables.coloured_rows").set_value("green = 3")
    at.text_input(key="make-field-bloxx-2p-name").set_value("harsh").run()
    assert read_drawn_scene(at)["boards"][0]["fills"][14:21] == ["green"] * 7
    changes = next(line.value for line in at.markdown if line.value.startswith("**You change:** "))
    assert changes.startswith(
        "**You change:** every gap costs 3 points instead of 1; the sheet has 1 coloured row"
    )
    at.button(key="make-save").click().run()
    ruleset = Library(tmp_path).catalogue.find_ruleset("harsh")
    assert ruleset.document["options"]["gap_penalty"] == 3
    assert ruleset.provenance == {"numbers": "reconstructed", "coloured_rows": "own", "dice": "reconstructed"}


def test_a_click_on_a_square_of_the_drawing_changes_it(
    shared_dashboard_address: str, new_page: Callable[..., Page]
) -> None:
    page = new_page()
    page.goto(f"{shared_dashboard_address}/rules?ruleset=bloxx-2p&part=own")
    page.get_by_role("radio", name="9", exact=True).click()
    wait_until_settled(page)
    number = page.locator("svg.board text", has_text=re.compile("^9$"))
    expect(number).to_have_count(1)  # the label of the row
    box = find_box(page.locator("svg.board"))
    page.mouse.click(box["x"] + box["width"] - 15, box["y"] + 15)
    expect(number).to_have_count(2)
    expect(page.get_by_text("other numbers are printed on the sheet.")).to_be_visible()
    wait_until_settled(page)
    assert '"4..3..9"' in unquote_plus(page.url)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_words_of_a_button_that_cannot_be_pressed_differ_from_the_paper(
    shared_dashboard_address: str, new_page: Callable[..., Page], scheme: str
) -> None:
    page = new_page(color_scheme=scheme)
    page.goto(f"{shared_dashboard_address}/rules?ruleset=bloxx-2p&part=own")
    button = page.locator(".st-key-make-save button:disabled")
    expect(button).to_have_text("Save this ruleset")
    ink = button.evaluate("button => getComputedStyle(button).color")
    paper = page.locator(".stApp").evaluate("app => getComputedStyle(app).backgroundColor")
    parts = [[int(part) for part in re.findall(r"\d+", colour)[:3]] for colour in (ink, paper)]
    assert all(abs(one - other) > 100 for one, other in zip(*parts, strict=True)), (ink, paper)


def test_errors_are_shown_and_prevent_saving(
    open_dashboard_page: Callable[..., AppTest], tmp_path: Path
) -> None:
    at = open_editor(open_dashboard_page, tmp_path)
    at.number_input(key="make-field-bloxx-2p-options.gap_penalty").set_value(300)
    at.text_area(key="make-field-bloxx-2p-tables.coloured_rows").set_value("green = many")
    at.text_area(key="make-field-bloxx-2p-tables.numbers").set_value("12\n1").run()
    errors = [line.value.replace("\\", "") for line in at.markdown if "⚠" in line.value]
    assert any("less than or equal to 100" in line for line in errors)
    assert any("Line 1, green: expected a whole number, not 'many'" in line for line in errors)
    assert at.button(key="make-save").disabled
    assert not (tmp_path / "rulesets").exists()


def test_a_draft_in_the_address_is_restored(
    open_dashboard_page: Callable[..., AppTest], tmp_path: Path
) -> None:
    at = open_editor(open_dashboard_page, tmp_path)
    at.number_input(key="make-field-bloxx-2p-options.gap_penalty").set_value(7).run()
    draft = read_address_value(at, "draft")
    assert json.loads(draft)["options"] == {"gap_penalty": 7}
    again = open_editor(open_dashboard_page, tmp_path, draft=draft)
    assert again.number_input(key="make-field-bloxx-2p-options.gap_penalty").value == 7


def test_back_restores_the_draft_and_writes_nothing_over_it(
    open_dashboard_page: Callable[..., AppTest], tmp_path: Path
) -> None:
    def penalty() -> NumberInput:
        return next(field for field in at.number_input if "options.gap_penalty" in str(field.key))

    at = open_editor(open_dashboard_page, tmp_path)
    empty = dict(at.query_params)
    assert "draft" not in empty  # opening the form adds nothing to the history of the browser
    addresses = []
    for value in (7, 9):
        penalty().set_value(value).run()
        addresses.append(dict(at.query_params))
    for address, expected in ((addresses[0], 7), (empty, 1), (addresses[1], 9)):
        at.query_params.clear()
        at.query_params.update(address)
        at.run()
        assert penalty().value == expected
        assert dict(at.query_params) == address
    penalty().set_value(5).run()
    assert json.loads(read_address_value(at, "draft"))["options"] == {"gap_penalty": 5}


@pytest.mark.parametrize(
    "draft",
    [
        "{", "[]", "7", '{"players":7}', '{"players":["x"],"title":5,"name":[]}', '{"options":[1]}',
        '{"options":{"gap_penalty":{"a":1},"contact":[]}}', '{"tables":{"dice":5,"numbers":{"a":[{}]}}}',
    ],
)  # fmt: skip
def test_an_invalid_draft_in_the_address_breaks_no_form(
    open_dashboard_page: Callable[..., AppTest], tmp_path: Path, draft: str
) -> None:
    at = open_editor(open_dashboard_page, tmp_path, draft=draft)
    assert "make-save" in [button.key for button in at.button]


def test_a_ruleset_is_called_what_it_changes_and_its_name_is_free(
    open_dashboard_page: Callable[..., AppTest], tmp_path: Path
) -> None:
    for penalty, name in ((2, "my-bloxx"), (3, "my-bloxx-2")):
        at = open_editor(open_dashboard_page, tmp_path)
        at.number_input(key="make-field-bloxx-2p-options.gap_penalty").set_value(9).run()
        at.number_input(key="make-field-bloxx-2p-options.gap_penalty").set_value(penalty).run()
        assert at.text_input(key="make-field-bloxx-2p-name").value == name
        assert "title" not in json.loads(read_address_value(at, "draft"))
        at.button(key="make-save").click().run()
        assert not at.error
        title = f"BLOXX! with gap penalty {penalty}"
        assert at.text_input(key="make-field-bloxx-2p-title").placeholder == f"By default, {title}"
        assert Library(tmp_path).catalogue.find_ruleset(name).title == title
    at = open_editor(open_dashboard_page, tmp_path, "my-bloxx-2")
    assert at.text_input(key="make-field-my-bloxx-2-name").value == "my-bloxx-3"


def test_a_ruleset_is_replaced_only_if_the_visitor_agrees(
    open_dashboard_page: Callable[..., AppTest], tmp_path: Path
) -> None:
    at = open_editor(open_dashboard_page, tmp_path)
    at.number_input(key="make-field-bloxx-2p-options.gap_penalty").set_value(3).run()
    at.button(key="make-save").click().run()
    at = open_editor(open_dashboard_page, tmp_path)
    at.text_input(key="make-field-bloxx-2p-name").set_value("my-bloxx")
    at.number_input(key="make-field-bloxx-2p-options.gap_penalty").set_value(9).run()
    at.button(key="make-save").click().run()
    assert "already" in at.error[0].value
    assert Library(tmp_path).catalogue.find_ruleset("my-bloxx").document["options"]["gap_penalty"] == 3
    at.checkbox(key="make-replace").check().run()
    at.button(key="make-save").click().run()
    assert not at.error
    assert Library(tmp_path).catalogue.find_ruleset("my-bloxx").document["options"]["gap_penalty"] == 9


def find_rivals(at: AppTest) -> Selectbox[str]:
    """Return the field of the rulesets with which one is compared."""
    return next(box for box in at.selectbox if box.label == "Compare BLOXX! with")


def choose_another_ruleset(at: AppTest) -> Selectbox[str]:
    """Choose *another ruleset* on the page, and return the field of the rulesets."""
    find_pills(at).set_value("ruleset").run()
    at.session_state["rules-effect-work"][1].stop()
    return find_rivals(at)


def test_the_ruleset_saved_last_is_the_first_one_to_compare_with(
    open_dashboard_page: Callable[..., AppTest], tmp_path: Path
) -> None:
    at = open_editor(open_dashboard_page, tmp_path)
    for name, players in (("zany", [2]), ("dull", [3])):
        next(field for field in at.text_input if "-name" in str(field.key)).set_value(name)
        next(pills for pills in at.pills if "-players" in str(pills.key)).set_value(players)
        next(field for field in at.number_input if "gap_penalty" in str(field.key)).set_value(3)
        at.run()
        at.button(key="make-save").click().run()
        assert not at.error
        at.segmented_control(key="rules-part").set_value("effect").run()
        if name == "zany":
            assert choose_another_ruleset(at).value == "zany"
        else:  # the ruleset saved last is for another number of players
            assert choose_another_ruleset(at).value == "bloxx-rest-2p"
        at.segmented_control(key="rules-part").set_value("own").run()
    fresh = open_dashboard_page("rules.py", tmp_path, ruleset="bloxx-2p", part="effect")
    assert choose_another_ruleset(fresh).value == "bloxx-rest-2p"


def test_compare_with_the_base_opens_the_question_with_the_saved_ruleset_and_the_same_players_as_a_rule(
    open_dashboard_page: Callable[..., AppTest], tmp_path: Path
) -> None:
    at = open_editor(open_dashboard_page, tmp_path)
    at.number_input(key="make-field-bloxx-2p-options.gap_penalty").set_value(3).run()
    at.button(key="make-save").click().run()
    button = at.button(key="make-effect")
    assert button.label == "Compare with BLOXX\\!"
    button.click().run()
    assert not at.exception
    assert not at.error
    address = {key: read_address_value(at, key) for key in at.query_params}
    assert address == {
        "ruleset": "bloxx-2p",
        "against": "my-bloxx",
    }
    assert find_rivals(at).value == "my-bloxx"
    assert [box.value for box in at.selectbox if box.label.startswith("Player ")] == ["greedy", "planner"]
    at.session_state["rules-effect-work"][1].wait(120)
    at.run()
    (basis,) = [line.value for line in at.caption if "on all seats in turn" in line.value]
    assert basis.startswith("greedy and planner on all seats in turn")


def find_pills(at: AppTest) -> Any:  # noqa: ANN401 - AppTest does not export the type
    return next(pills for pills in at.pills if pills.label == "Turn a rule")


@pytest.mark.parametrize(
    ("ruleset", "key", "values"),
    [
        ("bloxx-2p", "gap_penalty", "0 to 4"),
        ("blokus-dice-2p", "side", "7 to 11"),  # not the strikes, without which there is no game
    ],
)
def test_what_a_rule_changes_begins_with_an_answer(
    open_dashboard_page: Callable[..., AppTest], ruleset: str, key: str, values: str
) -> None:
    """The page was empty below the rules until one of them was chosen."""
    at = open_dashboard_page("rules.py", ruleset=ruleset, part="effect")
    assert not at.exception
    assert not at.error
    assert find_pills(at).value == key
    assert at.session_state["rules-effect-work"][0][0].vary == (f"{key}={values.replace(' to ', '..')}",)
    at.session_state["rules-effect-work"][1].stop()


def test_a_click_turns_a_rule_and_a_second_one_saves_a_value_as_a_ruleset(
    open_dashboard_page: Callable[..., AppTest], tmp_path: Path
) -> None:
    at = open_dashboard_page("rules.py", tmp_path, ruleset="bloxx-2p", part="effect")
    assert find_pills(at).options == [
        "contact of shapes",
        "bonus for the first row",
        "bonus for a later row",
        "gap penalty",
        "blank penalty",
        "all of them",
        "another ruleset",
    ]
    at.query_params["blocks"] = "10"
    find_pills(at).set_value("row_later").run()
    assert not at.exception
    assert read_address_value(at, "vary") == "row_later=0..4"
    find_pills(at).set_value("gap_penalty").run()
    assert read_address_value(at, "vary") == "gap_penalty=0..4"
    assert read_address_value(at, "strategies") == "greedy,planner"
    at.session_state["rules-effect-work"][1].stop()
    (values,) = [field for field in at.text_input if field.label == "Gap penalty"]
    assert values.value == "0 to 4"
    values.set_value("1, 3")
    next(field for field in at.number_input if field.label == "Blocks").set_value(10)
    next(field for field in at.text_input if field.label == "Target").set_value("rounds 10 to 30")
    next(button for button in at.button if button.label == "Play").click().run()
    assert read_address_value(at, "vary") == "gap_penalty=1,3"
    at.session_state["rules-effect-work"][1].wait(120)
    at.run()
    assert "The target, rounds 10 to 30, is surely met at every value" in read_page_text(at).replace("*", "")
    games = at.session_state["rules-effect-work"][1]
    at.query_params["target"] = "rounds 90 to 99"
    at.run()
    assert "The target, rounds 90 to 99, is surely missed at every value" in read_page_text(at).replace(
        "*", ""
    )
    assert at.session_state["rules-effect-work"][1] is games, "a target changes no game"
    at.query_params["target"] = "player 1 wins 45 to 55"
    assert "wins of 100 games" in at.run().get("plotly_chart")[0].proto.spec, "its chart comes first"
    at.query_params["target"] = "rounds many"
    at.run()
    assert at.error[0].value.startswith("A target is written as 'player 1 wins 45 to 55'")
    assert not at.get("plotly_chart"), "an answer would look as if it were about this target"
    (drawer,) = [box for box in at.expander if box.label.startswith("Values, players, target")]
    assert drawer.proto.expanded, "the field with the wrong words is in sight"
    del at.query_params["target"]
    at.run()
    assert at.session_state["rules-effect-work"][1] is games
    at.button(key="effect-save-3").click().run()
    assert not at.error
    document = tomllib.loads((tmp_path / "rulesets" / "my-bloxx.toml").read_text(encoding="utf-8"))
    assert document["options"] == {"gap_penalty": 3}
    assert document["title"] == "BLOXX! with gap penalty 3"
    assert any("Saved as my" in line.value for line in at.markdown)


def test_an_answer_that_was_played_before_is_shown_at_once(
    open_dashboard_page: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    address = {
        "ruleset": "bloxx-mini",
        "vary": "gap_penalty=0..2",
        "strategies": "greedy,greedy",
        "blocks": "12",
    }
    at = open_dashboard_page("rules.py", **address)
    at.session_state["rules-effect-work"][1].wait(120)
    said = read_page_text(at.run())
    monkeypatch.setattr(effect_form, "iter_rule_effect_answers", lambda *_, **__: pytest.fail("played again"))
    again = open_dashboard_page("rules.py", **address)
    again.session_state["rules-effect-work"][1].wait(120)
    assert not again.error
    assert read_page_text(again) == said


def test_words_are_chosen_from_the_list_of_a_rule(open_dashboard_page: Callable[..., AppTest]) -> None:
    at = open_dashboard_page("rules.py", ruleset="bloxx-2p", vary="contact=drop,rest", blocks="10")
    (words,) = [field for field in at.multiselect if field.label == "Contact of shapes"]
    assert words.value == ["drop", "rest"]
    assert words.options == ["shapes fall straight down", "shapes may hang", "shapes must rest on shapes"]


def test_the_word_with_which_all_rules_are_turned_is_chosen_in_sight(
    open_dashboard_page: Callable[..., AppTest],
) -> None:
    at = open_dashboard_page(
        "rules.py", ruleset="bloxx-2p", vary="all", strategies="random,random", blocks="10"
    )
    at.session_state["rules-effect-work"][1].stop()
    (word,) = [field for field in at.selectbox if field.label == "Contact of shapes, turned to"]
    assert word.options == ["shapes may hang", "shapes must rest on shapes"]
    word.set_value("rest")
    (play,) = [button for button in at.button if button.label == "Play"]
    play.click().run()
    assert not at.exception
    assert at.query_params["vary"][0] == "contact=drop,rest"
    assert len(at.query_params["vary"]) == 5
    assert find_pills(at).value == "all"
    at.session_state["rules-effect-work"][1].stop()


def test_what_an_address_turns_wrongly_is_named(open_dashboard_page: Callable[..., AppTest]) -> None:
    for vary, said in (
        ("gap=1", "unknown rule"),
        ("gap_penalty=x", "such as 0 to 4"),
        ("dice", "expected rulesets"),
        ("", ""),
    ):
        at = open_dashboard_page("rules.py", ruleset="bloxx-2p", vary=vary, blocks="10")
        assert not at.exception
        if said:
            assert said in at.error[0].value.replace("\\", "")


def test_the_form_shows_the_lineup_that_an_address_without_one_asks_for(
    open_dashboard_page: Callable[..., AppTest],
) -> None:
    at = open_dashboard_page(
        "rules.py", ruleset="bloxx-2p", part="effect", against="bloxx-touch-2p", blocks="10"
    )
    assert [box.value for box in at.selectbox if box.label.startswith("Player ")] == ["greedy", "planner"]
    at.session_state["rules-effect-work"][1].wait(120)
    at.run()
    assert any(line.value.startswith("greedy and planner on all seats in turn") for line in at.caption)


def test_a_rule_without_values_in_the_address_has_those_of_a_click(
    open_dashboard_page: Callable[..., AppTest],
) -> None:
    at = open_dashboard_page(
        "rules.py", ruleset="bloxx-2p", vary="contact", strategies="random,random", blocks="10"
    )
    at.session_state["rules-effect-work"][1].wait(120)
    assert not at.run().error
    assert "Contact of shapes" in [field.label for field in at.multiselect]


def test_the_form_of_an_effect_leaves_the_first_screen_to_the_answer(
    open_dashboard_page: Callable[..., AppTest],
) -> None:
    question = {"ruleset": "bloxx-2p", "part": "effect"}
    at = open_dashboard_page("rules.py", **question, against="bloxx-touch-2p", blocks="10", seed="3")
    drawer = at.expander[0]
    assert drawer.label.replace("\\", "") == "Players, target: greedy, planner · 10 blocks · seed 3"
    assert find_rivals(at).label not in [field.label for field in drawer.selectbox]  # it is in sight
    assert [field.label for field in (*drawer.selectbox, *drawer.number_input, *drawer.text_input)] == [
        "Player 1",
        "Player 2",
        "Blocks",
        "Target",
        "Seed",
    ]
    at.session_state["rules-effect-work"][1].wait(120)
    text = read_page_text(at.run()).replace("*", "")
    assert "(shapes may hang): Every shape after the first" in text
    assert "must rest on shapes" not in text  # only of the ruleset that the answer is about
