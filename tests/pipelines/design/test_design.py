"""A design determines the games of a run, and reads back from its JSON document."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from engine.errors import InvalidError
from pipelines.design.design import parse_log_interval
from pipelines.design.designs import design_simulation, read_design
from pipelines.design.lineups import different_rotations

if TYPE_CHECKING:
    from engine.catalogue import Catalogue
    from engine.ruleset import Ruleset


def test_a_simulation_has_300_games_if_no_number_is_given(ruleset: Ruleset) -> None:
    assert design_simulation(ruleset, ["greedy", "random"]).games == 300


def test_a_design_reads_back_from_its_document(ruleset: Ruleset) -> None:
    design = design_simulation(ruleset, ["greedy", "random"], blocks=10, seed=3, log="sample=0.5")
    read = read_design(design.model_dump_json(), "here")
    assert read == design
    assert read.rules == ruleset


def test_games_are_rounded_up_to_whole_blocks(catalogue: Catalogue) -> None:
    design = design_simulation(
        catalogue.find_ruleset("bloxx-3p"), ["greedy", "greedy", "random"], games_at_least=10
    )
    assert (design.rotations, design.blocks, design.games) == (3, 4, 12)


def test_rotation_r_seats_place_seat_plus_r_of_the_line_up(catalogue: Catalogue) -> None:
    design = design_simulation(catalogue.find_ruleset("bloxx-3p"), ["greedy", "greedy", "random"], blocks=1)
    assert [design.strategies_by_seat(rotation) for rotation in range(3)] == [
        ("greedy", "greedy", "random"),
        ("greedy", "random", "greedy"),
        ("random", "greedy", "greedy"),
    ]


@pytest.mark.parametrize(
    ("lineup", "rotations"),
    [("aaaa", 1), ("abab", 2), ("aabb", 4), ("abcd", 4), ("aab", 3)],
)
def test_equal_rotations_are_played_once(lineup: str, rotations: int) -> None:
    assert different_rotations(tuple(lineup)) == list(range(rotations))


def test_without_rotation_the_seats_stay_as_given(ruleset: Ruleset) -> None:
    design = design_simulation(ruleset, ["greedy", "random"], games_at_least=5, rotate=False)
    assert (design.games, design.strategies_by_seat(0)) == (5, ("greedy", "random"))
    assert "--no-rotate" in design.command


def test_game_numbers_go_through_blocks_and_rotations(ruleset: Ruleset) -> None:
    design = design_simulation(ruleset, ["greedy", "random"], blocks=3)
    assert [design.game_id(block, rotation) for block in range(3) for rotation in range(2)] == list(range(6))


def test_a_sample_logs_every_nth_block(ruleset: Ruleset) -> None:
    design = design_simulation(ruleset, ["greedy", "random"], blocks=300, log="sample=0.01")
    assert [block for block in range(300) if design.is_logged(block)] == [0, 100, 200]


def test_every_block_is_in_exactly_one_shard(ruleset: Ruleset) -> None:
    for blocks in (1, 15, 16, 17, 100):
        for size in (1, 3, 200):
            design = design_simulation(ruleset, ["greedy", "random"], blocks=blocks).model_copy(
                update={"shard_blocks": size}
            )
            assert [block for shard in design.shards for block in shard] == list(range(blocks))


@pytest.mark.parametrize(
    ("strategies", "options", "message"),
    [
        (["greedy"], {}, "bloxx-2p has 2 seats, so it takes 2 strategies, not 1"),
        (["greedy", "gredy"], {}, "did you mean greedy?"),
        (["greedy", "random"], {"seed": -1}, "seed: expected a number from 0"),
        (["greedy", "random"], {"seed": 1 << 64}, "seed: expected a number from 0"),
        (["greedy", "random"], {"log": "all"}, "log: expected full, scores or sample=F"),
        (["greedy", "random"], {"log": "sample=2"}, "log: expected full, scores or sample=F"),
        (["greedy", "random"], {"log": "sample=nan"}, "log: expected full, scores or sample=F"),
        (["greedy", "random"], {"blocks": 0}, "expected from 1 to"),
        (["greedy", "random"], {"blocks": 1 << 32}, "expected from 1 to"),
    ],
)
def test_an_impossible_design_is_refused_in_one_line(
    ruleset: Ruleset, strategies: list[str], options: dict[str, int], message: str
) -> None:
    with pytest.raises(InvalidError) as caught:
        design_simulation(ruleset, strategies, **{"blocks": 2, **options})  # type: ignore[arg-type]  # wrong on purpose
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_changed_design_document_is_refused_with_its_key(ruleset: Ruleset) -> None:
    document = design_simulation(ruleset, ["greedy", "random"], blocks=2).model_dump_json()
    with pytest.raises(InvalidError, match="here: not the design of a run: seed"):
        read_design(document.replace('"seed":0', '"seed":"x"'), "here")
    with pytest.raises(InvalidError, match="here: not the design of a run"):
        read_design("{", "here")


def test_a_tiny_sample_is_a_whole_number_of_blocks() -> None:
    assert parse_log_interval("sample=0.3") == 3
    assert parse_log_interval("sample=1e-3") == 1000


def test_a_design_from_before_seatings_is_still_read(catalogue: Catalogue) -> None:
    new = design_simulation(catalogue.find_ruleset("bloxx-3p"), ["greedy", "greedy", "random"], blocks=2)
    old = json.loads(new.model_dump_json(exclude={"seatings", "opening", "contest"}))
    assert read_design(json.dumps({**old, "rotations": 3}), "here") == new
    assert read_design(json.dumps({**old, "rotations": 1}), "here").seatings == ((0, 1, 2),)
    with pytest.raises(InvalidError, match="seatings: they do not follow from this line-up"):
        read_design(json.dumps({**old, "rotations": 2}), "here")


def test_a_document_of_each_kind_is_written_as_it_was_read(ruleset: Ruleset) -> None:
    """Run files of every release have the same keys in the same order, whatever the kind of the run."""
    shared = {
        "kind": "simulate",
        "title": "Größe",
        "ruleset": ruleset.document,
        "lineup": ["greedy", "random"],
        "seatings": [[0, 1], [1, 0]],
        "opening": 0,
        "blocks": 1,
        "seed": 7,
        "log": "full",
        "contest": None,
        "fork": None,
        "code": [],
        "hand": None,
        "source": "",
    }
    contest = {"arrangement": "duel", "metric": "score", "margin": 0.5, "most_blocks": None}
    fork = {
        "run": "first", "game_id": 1, "ply": 0, "change": "the luck were another", "asked": ["--luck"],
        "prefixes": [[], []], "luck": [5],
    }  # fmt: skip
    hand = {
        "moves": "a.b", "block": 3, "prefix": [], "run": "", "game_id": 0, "has_own_luck": True, "hints": [],
        "undos": [{"ply": 4, "seat": 0, "action": "r1"}],
    }  # fmt: skip
    commands: dict[str, dict[str, object]] = {
        "reroll simulate bloxx-2p --strategies greedy,random --blocks 1 --seed 7": {},
        "reroll compare bloxx-2p greedy random --design duel --metric score --margin 0.5 --blocks 1 --opening 0 "
        "--seed 7": {"kind": "compare", "contest": contest},
        "reroll whatif first --game 2 --move 1 --luck --continuations 1 --seed 7": {"kind": "whatif", "fork": fork},
        "reroll import games --ruleset bloxx-2p": {"kind": "import", "source": "games"},
        "reroll play bloxx-2p --seats me,random --seed 7 --moves a.b": {
            "kind": "hand", "hand": hand, "lineup": ["me", "random"], "seatings": [[0, 1]],
        },
    }  # fmt: skip
    for command, changes in commands.items():
        document = json.dumps({**shared, **changes}, separators=(",", ":"), ensure_ascii=False)
        design = read_design(document, "here")
        assert design.run_document == document
        assert design.command == command
        assert read_design(design.model_dump_json(), "here") == design


def test_a_field_of_another_kind_is_refused(ruleset: Ruleset) -> None:
    document = json.loads(design_simulation(ruleset, ["greedy", "random"], blocks=2).model_dump_json())
    for wrong, message in (
        ({"contest": {"arrangement": "duel"}}, "contest: Extra inputs are not permitted"),
        ({"kind": "compare"}, "contest: Field required"),
        ({"kind": "chess"}, "Input tag 'chess' found using 'kind'"),
    ):
        with pytest.raises(InvalidError, match=f"here: not the design of a run: {message}"):
            read_design(json.dumps({**document, **wrong}), "here")
