"""The page Play without a browser: the form, the address that holds a game, the requests of the board, invalid addresses."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlencode

import pytest

from dashboard.widgets.components import BoardRoutes
from pipelines.design.own_strategies import OwnStrategies
from pipelines.panel import answer_play_request, game_document
from pipelines.play import continue_game, keep_game, prepare_game
from pipelines.runs.library import Library
from pipelines.simulate.verify import verify_run
from tests.dashboard.reading import read_page_links

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from streamlit.testing.v1 import AppTest

    from engine.catalogue import Catalogue

FRESH = {"ruleset": "bloxx-2p", "seats": "me,greedy", "seed": "7"}


@pytest.fixture(autouse=True)
def serve_routes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the pages have routes, which AppTest does not have."""
    monkeypatch.setattr(BoardRoutes, "base_path", "")


def board_data(at: AppTest) -> dict[str, Any]:
    """Return what the board of the page gets: where it asks, and the address of the setup."""
    shown: list[dict[str, Any]] = [json.loads(part.proto.json) for part in at.get("bidi_component")]
    (data,) = [data for data in shown if "again" in data]
    return data


def ask_board(
    address: dict[str, str], library: Library, kind: str = "resume", **fields: str
) -> dict[str, Any]:
    """Return what a board at an address gets as the answer to a request."""
    setup = urlencode({name: text for name, text in address.items() if name != "moves"})
    answer = answer_play_request(
        {"setup": setup, "moves": address.get("moves", ""), "kind": kind, **fields}, library
    )
    json.dumps(answer, allow_nan=False)
    return answer


def play_to_the_end(address: dict[str, str], library: Library) -> dict[str, Any]:
    """Play the first legal move again and again, by requests as the board sends them; return the last answer."""
    answer = ask_board(address, library)
    while answer["look"]:
        action = answer["look"]["options"][0]["action"]
        answer = ask_board({**address, "moves": answer["moves"]}, library, "choose", action=action)
    return answer


def test_a_reload_goes_on_with_the_game_in_the_address(
    open_dashboard_page: Callable[..., AppTest], catalogue: Catalogue
) -> None:
    game = continue_game(prepare_game(catalogue.find_ruleset("bloxx-2p"), ["me", "greedy"], 7))
    game.ask_hint("greedy")
    game.choose(game.state.actions[0])
    game.let_strategies_play()
    at = open_dashboard_page("play.py", **FRESH, moves=game.text)
    assert board_data(at) == {"board": "", "again": FRESH}
    data = ask_board({**FRESH, "moves": game.text}, Library())
    assert data["moves"] == game.text
    assert len(data["scene"]["steps"]) == len(game.plies)
    assert (data["hints"], data["undos"], data["canUndo"]) == (1, 0, True)
    assert data["look"]["total"] == len(game.state.actions)
    assert data["scene"]["strategies"] == ["me", "medium (greedy)"]


def test_without_routes_the_page_says_in_one_sentence_that_its_board_answers_nothing(
    open_dashboard_page: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(BoardRoutes, "base_path", None)
    at = open_dashboard_page("play.py", **FRESH)
    assert not at.exception
    assert "`reroll dashboard`" in at.info[0].value
    assert not [part for part in at.get("bidi_component") if "again" in part.proto.json]


@pytest.mark.slow
def test_the_form_begins_a_game_and_its_address_holds_the_setup(
    open_dashboard_page: Callable[..., AppTest],
) -> None:
    at = open_dashboard_page("play.py")
    at.selectbox(key="play-ruleset-").set_value("spexxx-children-2p").run()
    at.text_input(key="play-seed").set_value("11").run()
    at.button(key="play-start").click().run()
    assert not at.exception
    assert {key: at.query_params[key] for key in at.query_params} == {
        "ruleset": "spexxx-children-2p",
        "seats": "me,medium",
        "seed": "11",
    }
    data = ask_board(board_data(at)["again"], Library())
    assert (data["people"], data["scene"]["strategies"]) == ([0], ["me", "medium (greedy)"])


@pytest.mark.slow
def test_the_form_offers_three_opponents_and_behind_another_choice_every_strategy(
    open_dashboard_page: Callable[..., AppTest],
) -> None:
    at = open_dashboard_page("play.py", ruleset="spexxx-children-2p")
    seat = next(box for box in at.selectbox if box.label == "Player 2")
    assert seat.options == [
        "a person",
        "Easy (noisy)",
        "Medium (greedy)",
        "Hard (rollout)",
        "another strategy \u2026",
    ]
    assert "Strategy of player 2" not in [box.label for box in at.selectbox]
    seat.set_value("hard").run()
    assert "**Hard (rollout)**: Builds lines" in "".join(text.value for text in at.markdown).replace("\\", "")
    next(box for box in at.selectbox if box.label == "Player 2").set_value("other").run()
    every = next(box for box in at.selectbox if box.label == "Strategy of player 2")
    assert every.options == ["random", "noisy", "greedy", "builder", "rollout", "learned"]
    every.set_value("builder").run()
    at.button(key="play-start").click().run()
    assert not at.exception
    assert at.query_params["seats"] == "me,builder"


def test_the_page_counts_the_games_against_each_opponent_and_offers_the_last_one_again(
    open_dashboard_page: Callable[..., AppTest], tmp_path: Path
) -> None:
    library = Library(tmp_path)
    address = {"ruleset": "bloxx-2p", "seats": "me,easy", "seed": "4"}
    end = play_to_the_end(address, library)
    assert end["results"] == ""
    kept = ask_board({**address, "moves": end["moves"]}, library, "keep")
    counted = f"Against easy (noisy) you won {int(end['scene']['ranks'] == [1, 2])} of 1 game."
    assert kept["results"] == counted
    at = open_dashboard_page("play.py", tmp_path)
    assert at.segmented_control(key="play-strength").value == "easy"
    said = [caption.value.replace("\\", "") for caption in at.caption]
    assert said[:2] == [counted, "You have not finished a game yet."]
    at.button(key="play-now-bloxx").click().run()
    assert at.query_params["seats"] == "me,easy"


@pytest.mark.parametrize("ruleset", ["bloxx-2p", "blokus-duo", "blokus-dice-2p", "spexxx-2p"])
def test_a_hint_says_what_it_is_worth_as_a_review_would(ruleset: str) -> None:
    """The claim holds for the interval of the difference: more, less, or as good as the next best."""
    address = {"ruleset": ruleset, "seats": "me,medium", "seed": "4"}
    worth = r"worth about [\d.]+ (points?|wins? of 100) more"
    pattern = rf"It is (about as good as|{worth} than) the next best, .+\.|Hint: .+, {worth} than .+, which {{}} would play\."
    for strategy in ("greedy", "random"):
        hint = ask_board(address, Library(), "hint", strategy=strategy)["hint"]
        answer = ask_board(address, Library(), "value", action=hint, strategy=strategy)
        assert answer.keys() == {"reason", "better"}
        assert re.fullmatch(pattern.format(strategy), answer["reason"]), answer["reason"]
        assert bool(answer["better"]) == answer["reason"].startswith("Hint: ")
    assert "error" in ask_board(address, Library(), "value", action="nonsense")


def test_the_hint_is_the_move_that_is_worth_more_than_that_of_the_strategy() -> None:
    address = {"ruleset": "bloxx-2p", "seats": "me,medium", "seed": "4"}
    options = ask_board(address, Library(), "resume")["look"]["options"]
    names = {option["action"]: option["name"] for option in options}
    worst = max(options, key=lambda option: max(option["cells"]))["action"]  # the tallest
    answer = ask_board(address, Library(), "value", action=worst, strategy="greedy")
    start, end = (
        f"Hint: {names[answer['better']]}, worth about ",
        f" more than {names[worst]}, which greedy would play.",
    )
    assert answer["reason"].startswith(start)
    assert answer["reason"].endswith(end)


def test_a_hint_has_no_reason_without_a_compiled_game(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the plain rules it would take minutes."""
    monkeypatch.setenv("REROLL_KERNELS", "0")
    hint = ask_board(FRESH, Library(), "hint", strategy="greedy")["hint"]
    assert ask_board(FRESH, Library(), "value", action=hint) == {}


def test_the_board_is_told_why_a_piece_does_not_fit() -> None:
    def ask_why(points: object) -> dict[str, Any]:
        return answer_play_request({"setup": urlencode(FRESH), "kind": "why", "points": points}, Library())

    assert ask_why([[3, 4], [4, 4]]) == {"why": "the first shape touches the bottom edge"}
    assert ask_why([[3, 0], [4, 0]]) == {"why": ""}
    for points in (None, [], [[1]], [[1, "2"]], [[True, 1]], [[0, 0]] * 31, "ab"):
        assert ask_why(points).keys() == {"error"}


def test_a_ruleset_of_the_address_that_does_not_exist_is_named(
    open_dashboard_page: Callable[..., AppTest],
) -> None:
    at = open_dashboard_page("play.py", ruleset="nope")
    assert [warning.value for warning in at.warning] == [
        "There is no ruleset named nope. Choose another one."
    ]
    assert not open_dashboard_page("play.py", ruleset="bloxx-3p").warning


def test_one_click_begins_a_game_of_each_kind(open_dashboard_page: Callable[..., AppTest]) -> None:
    at = open_dashboard_page("play.py")
    starts = [button.label for button in at.button if str(button.key).startswith("play-now-")]
    assert starts == ["Play BLOXX!", "Play Blokus", "Play Blokus Dice", "Play Spexxx"]
    assert at.segmented_control(key="play-strength").value == "medium"
    rules = [link.proto.query_string for link in at.get("page_link") if link.proto.label == "How to play"]
    assert [rules[0], *rules[-1:], len(rules)] == [
        "ruleset=bloxx-2p",
        "ruleset=bloxx-2p",
        5,
    ]  # the form has one, too
    at.button(key="play-now-bloxx").click().run()
    assert not at.exception
    assert read_page_links(at)["How to play"].endswith("rules?ruleset=bloxx-2p")
    assert (at.query_params["ruleset"], at.query_params["seats"]) == ("bloxx-2p", "me,medium")
    assert at.query_params["seed"].isdecimal()
    assert ask_board(board_data(at)["again"], Library())["people"] == [0]


@pytest.mark.parametrize("address", [{}, {"ruleset": "bloxx-2p"}])
def test_the_level_holds_for_all_ways_to_begin_a_game_and_for_the_next_visit(
    open_dashboard_page: Callable[..., AppTest], address: dict[str, str]
) -> None:
    at = open_dashboard_page("play.py", **address)
    at.segmented_control(key="play-strength").set_value("easy").run()
    assert next(box for box in at.selectbox if box.label == "Player 2").value == "easy"
    at.button(key="play-start").click().run()
    assert at.query_params["seats"].startswith("me,easy")
    for name in ("seats", "seed", "moves"):
        at.query_params.pop(name, None)
    at.run()
    assert at.segmented_control(key="play-strength").value == "easy"
    at.query_params["ruleset"] = "spexxx-2p"
    at.run()
    assert next(box for box in at.selectbox if box.label == "Player 2").value == "easy"


@pytest.mark.slow
def test_a_tile_offers_the_variants_of_its_game(open_dashboard_page: Callable[..., AppTest]) -> None:
    at = open_dashboard_page("play.py")
    variants = at.selectbox(key="play-variant-blokus")
    assert variants.value == "blokus-2p"
    assert "Blokus Duo, 2 players" in variants.options
    assert len(set(variants.options)) == len(variants.options)
    variants.set_value("blokus-duo").run()
    assert not at.exception
    rules = [link.proto.query_string for link in at.get("page_link") if link.proto.label == "How to play"]
    assert "ruleset=blokus-duo" in rules
    at.button(key="play-now-blokus").click().run()
    assert (at.query_params["ruleset"], at.query_params["seats"]) == ("blokus-duo", "me,medium")
    at = open_dashboard_page("play.py")
    at.selectbox(key="play-variant-bloxx").set_value("bloxx-4p").run()
    at.button(key="play-now-bloxx").click().run()
    assert at.query_params["seats"] == "me,medium,medium,medium"


def test_a_named_ruleset_stands_on_the_tile_of_its_game(open_dashboard_page: Callable[..., AppTest]) -> None:
    at = open_dashboard_page("play.py", ruleset="blokus-duo")
    assert at.selectbox(key="play-variant-blokus-blokus-duo").value == "blokus-duo"
    assert at.selectbox(key="play-variant-bloxx").value == "bloxx-2p"
    at.button(key="play-now-blokus").click().run()
    assert at.query_params["ruleset"] == "blokus-duo"


def test_the_first_page_leads_straight_into_a_game(open_dashboard_page: Callable[..., AppTest]) -> None:
    at = open_dashboard_page("library.py")
    link = next(link for link in at.get("page_link") if link.proto.label == "Play yourself")
    query = {key: values[0] for key, values in parse_qs(link.proto.query_string).items()}
    assert query.keys() == {"ruleset", "seats", "seed"}
    assert (query["ruleset"], query["seats"]) == ("bloxx-2p", "me,medium")
    assert ask_board(query, Library())["people"] == [0]


def test_a_logged_game_offers_the_seat_that_has_to_act_and_its_own_dice(
    open_dashboard_page: Callable[..., AppTest],
) -> None:
    at = open_dashboard_page("play.py", run="three", **{"game-number": "3"}, move="10")
    seats = [box.value for box in at.selectbox]
    assert seats.count("me") == 1
    at.button(key="play-start").click().run()
    assert not at.exception
    assert "seed" not in at.query_params
    assert ask_board(board_data(at)["again"], Library())["first"] == 9


@pytest.mark.parametrize(
    "address",
    [
        {"ruleset": "../../etc/passwd"},
        {"ruleset": "/etc/hostname.toml"},
        {"seats": "greedy,greedy"},
        {"seats": "me," * 5_000},
        {"seats": 'me,gtp:command="touch /tmp/x"'},
        {"seed": "9" * 5_000},
        {"seed": "-1"},
        {"moves": "<script>alert(1)</script>"},
        {"moves": "zzzzzzzz"},
        {"moves": "_._._"},
        {"run": "../three", "game-number": "1", "move": "1"},
        {"run": "three", "game-number": "100000000000", "move": "1"},
        {"run": "three", "game-number": "1", "move": "60001"},
        {"run": "three", "game-number": "\x00", "move": "2"},
    ],
    ids=lambda address: json.dumps(address)[:50],
)
def test_an_address_of_no_game_is_refused_in_one_line_with_the_form_below(
    open_dashboard_page: Callable[..., AppTest], address: dict[str, str]
) -> None:
    at = open_dashboard_page(
        "play.py", **{**FRESH, "ruleset": "bloxx-3p", "seats": "me,greedy,random"} | address
    )
    assert not at.exception, at.exception
    assert len(at.error) == 1
    assert "\n" not in at.error[0].value
    assert len(at.error[0].value) < 400
    assert [button.label for button in at.button if button.key == "play-start"] == ["Start"]
    assert not [part for part in at.get("bidi_component") if "again" in part.proto.json]


DICE = {"ruleset": "blokus-dice-7-2p", "seats": "random,me", "seed": "4"}


def test_a_finished_game_is_kept_as_a_run_that_verify_accepts(tmp_path: Path) -> None:
    library = Library(tmp_path)
    end = play_to_the_end(DICE, library)
    assert end["kept"] is None
    address = {**DICE, "moves": end["moves"]}
    kept = ask_board(address, library, "keep")
    verify_run(library.run(kept["kept"]))
    assert kept["look"] is None
    assert kept["scene"]["ranks"] == end["scene"]["ranks"]
    compared = ask_board(address, library, "compare", strategy="greedy")
    assert compared.keys() == {"strategy", "n", "others"}
    assert 0 < len(compared["others"]) <= compared["n"]
    assert len(library.runs()) == 1


def test_an_address_of_a_finished_game_saves_nothing(tmp_path: Path) -> None:
    library = Library(tmp_path)
    end = play_to_the_end(DICE, library)
    opened = ask_board({**DICE, "moves": end["moves"]}, library)
    assert opened == end
    assert opened["kept"] is None
    assert library.runs() == []


@pytest.mark.parametrize(
    "request_",
    [
        {"kind": "choose", "action": "A:a9,b9"},
        {"kind": "choose", "action": "nonsense"},
        {"kind": "choose"},
        {"kind": "undo"},
        {"kind": "hint", "strategy": "../x"},
        {"kind": "keep"},
        {"kind": "drop"},
        {"kind": "choose", "moves": "zzz", "action": "x"},
        {"kind": ["choose"]},
        {"setup": "ruleset=nope&seats=me,greedy"},
        {"setup": "run=../three&seats=me,greedy"},
        {"setup": "ruleset=bloxx-2p&seats=me,greedy&seed=x"},
        {"setup": ["ruleset"]},
        {"setup": "a=1&" * 500},
    ],
    ids=lambda fields: str(fields)[:60],
)
def test_a_request_that_does_not_fit_changes_nothing(tmp_path: Path, request_: dict[str, Any]) -> None:
    fields = {"setup": urlencode(FRESH), "moves": "", "kind": "resume", **request_}
    answer = answer_play_request(fields, Library(tmp_path))
    assert answer.keys() == {"error"}
    assert answer["error"]
    assert "\n" not in answer["error"]


def test_the_colour_of_the_seat_on_turn_is_that_of_its_pieces(catalogue: Catalogue, tmp_path: Path) -> None:
    setup = prepare_game(catalogue.find_ruleset("blokus-2p"), ["me", "me"], 7)
    game, colours = continue_game(setup), []
    for _ in range(4):
        document = game_document(game, Library(tmp_path))
        colours.append(document["colour"])
        assert len(document["scene"]["steps"]) == len(game.plies)
        game.choose(game.state.actions[0])
    assert colours == ["blue", "yellow", "red", "green"]


def test_a_game_in_progress_and_a_finished_one_are_kept_and_found_again_on_notes(
    open_dashboard_page: Callable[..., AppTest],
    press_keep: Callable[[AppTest], None],
    tmp_path: Path,
    catalogue: Catalogue,
) -> None:
    setup = prepare_game(catalogue.find_ruleset("bloxx-2p"), ["me", "greedy"], 7)
    game = continue_game(setup)
    game.choose(game.state.actions[0])
    game.let_strategies_play()
    at = open_dashboard_page("play.py", tmp_path, **FRESH, moves=game.text)
    press_keep(at)
    assert [button.label for button in at.button if button.key == "keep-undo"] == ["Undo"]
    finished = {**FRESH, "moves": play_to_the_end(FRESH, Library(tmp_path))["moves"]}
    ask_board(finished, Library(tmp_path), "keep")
    at = open_dashboard_page("play.py", tmp_path, **finished)
    press_keep(at)
    (run,) = Library(tmp_path).runs()
    at.query_params.clear()
    at.switch_page("views/notes.py").run()
    assert not at.exception
    ended, middle = (link.proto for link in at.get("page_link") if link.proto.label.startswith("**"))
    assert middle.page == "play"
    assert parse_qs(middle.query_string)["moves"] == [game.text]
    assert ended.page == "replay"
    assert parse_qs(ended.query_string) == {"run": [run.name], "game-number": ["1"]}


def test_a_game_against_an_own_strategy_is_shown_without_its_code(
    open_dashboard_page: Callable[..., AppTest], catalogue: Catalogue, tmp_path: Path
) -> None:
    code = tmp_path / "mine.py"
    code.write_text("def last(state, source):\n    return state.actions[-1]\n", encoding="utf-8")
    own = OwnStrategies.from_names([code])
    ruleset = catalogue.find_ruleset("blokus-dice-7-2p")
    game = continue_game(prepare_game(ruleset, ["me", "last"], 6, own))
    while not game.state.is_over:
        game.let_strategies_play()
        if not game.state.is_over:
            game.choose(game.state.actions[0])
    run = keep_game(Library(tmp_path), game)
    code.unlink()
    replay = open_dashboard_page("replay.py", tmp_path, run=run.name, **{"game-number": "1"}, review="1")
    assert not replay.exception
    assert not replay.error
    plays_on = open_dashboard_page("play.py", tmp_path, run=run.name, **{"game-number": "1"}, move="5")
    assert not plays_on.exception
    assert sorted(str(box.value) for box in plays_on.selectbox) == ["me", "medium"]
    address = {"ruleset": ruleset.name, "seats": "me,last", "seed": "6", "moves": game.text}
    again = open_dashboard_page("play.py", tmp_path, **address)
    assert not again.exception
    assert "unknown strategy" in again.error[0].value
