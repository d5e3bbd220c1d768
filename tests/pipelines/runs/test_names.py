"""Which names a run may have, and how a free name is found."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from engine.errors import InvalidError
from pipelines.runs import names
from pipelines.runs.unfinished_run import check_name_free

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("name", ["a", "7", "My_first.run-1", "x" * 80])
def test_a_name_of_letters_digits_dots_dashes_and_underscores_is_allowed(name: str) -> None:
    names.check_run_name(name)


@pytest.mark.parametrize("name", ["", "../out", "a/b", ".hidden", "-x", "a b", "x" * 81, "na\u00efve", "a\n"])
def test_any_other_name_is_refused(name: str) -> None:
    with pytest.raises(InvalidError, match="cannot be the name of a run; use up to 80 letters"):
        names.check_run_name(name)


@pytest.mark.parametrize(
    "text", ["../../evil.duckdb", "a b?.duckdb", ".duckdb", "..", "x" * 300, "\u00fc", ""]
)
def test_a_name_from_any_text_is_allowed(text: str) -> None:
    names.check_run_name(names.run_name_from_text(text))
    names.check_run_name(f"compare-{names.default_run_name(text)}")


def test_a_name_is_taken_by_a_run_and_by_an_unfinished_run(tmp_path: Path) -> None:
    names.run_path(tmp_path, "finished").touch()
    names.unfinished_path(tmp_path, "begun").mkdir()
    assert [names.is_name_free(tmp_path, name) for name in ("finished", "begun", "new")] == [
        False,
        False,
        True,
    ]
    with pytest.raises(
        InvalidError,
        match=r"there is an unfinished run begun already; delete it with: reroll rm begun",
    ):
        check_name_free(tmp_path, "begun")
    with pytest.raises(InvalidError, match="there is a run finished already; choose another name"):
        check_name_free(tmp_path, "finished")


def test_a_free_name_is_never_longer_than_a_name_may_be() -> None:
    asked: list[str] = []

    def claim_eleventh(name: str) -> bool | None:
        asked.append(name)
        return True if len(asked) == 11 else None

    assert names.claim_free_name("x" * 80, claim_eleventh)
    assert asked[0] == "x" * 80
    assert asked[-1] == "x" * 77 + "-11"
    for name in asked:
        names.check_run_name(name)
