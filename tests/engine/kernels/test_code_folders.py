"""The folder of compiled code: it belongs to the user alone, and its mark tells whether it is complete."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from engine.kernels import code_cache
from engine.kernels.code_cache import code_folder, has_complete_code, mark_complete
from engine.kernels.loader import can_compile_games

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder in which the code of the game `bloxx` belongs; it does not exist yet."""
    monkeypatch.setenv("REROLL_CACHE", str(tmp_path))
    code_folder.cache_clear()
    yield tmp_path / code_cache.kernel_fingerprint("bloxx")
    code_folder.cache_clear()


def test_the_folder_is_made_for_the_user_alone(cache: Path) -> None:
    before = os.umask(0)
    try:
        assert code_folder("bloxx") == cache
    finally:
        os.umask(before)
    assert cache.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("how", ["writable by all", "a link", "of somebody else"])
def test_code_that_somebody_else_may_have_written_is_not_used(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], how: str
) -> None:
    if how == "a link":
        (tmp_path / "elsewhere").mkdir(mode=0o700)
        cache.symlink_to(tmp_path / "elsewhere")
    else:
        cache.mkdir(mode=0o700)
    if how == "writable by all":
        cache.chmod(0o777)
    if how == "of somebody else":
        monkeypatch.setattr(os, "geteuid", lambda: cache.stat().st_uid + 1)
    assert code_folder("bloxx").parent != cache.parent
    assert f"{cache} is not yours alone" in capsys.readouterr().err


@pytest.mark.usefixtures("cache")
def test_a_mark_counts_only_with_its_code() -> None:
    folder = code_folder("bloxx")
    (folder / "bloxx.compiled").touch()
    assert not has_complete_code(folder, "bloxx")
    mark_complete(folder, "bloxx")  # as without Numba's compiler, which leaves no code
    assert not has_complete_code(folder, "bloxx")
    (folder / "part").mkdir()
    code = folder / "part" / "function.1.nbc"
    code.touch()
    mark_complete(folder, "bloxx")
    assert has_complete_code(folder, "bloxx")
    code.unlink()
    assert not has_complete_code(folder, "bloxx")


def test_complete_code_is_used_where_nothing_can_be_written(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache.mkdir(mode=0o700)

    def refuse_to_write(**_: object) -> None:
        raise PermissionError

    monkeypatch.setattr("tempfile.TemporaryFile", refuse_to_write)
    assert code_folder("bloxx").parent != cache.parent
    code_folder.cache_clear()
    (cache / "function.1.nbc").touch()
    mark_complete(cache, "bloxx")
    assert code_folder("bloxx") == cache


def test_nothing_is_compiled_where_numba_is_switched_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("REROLL_KERNELS", raising=False)
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "0")
    assert can_compile_games()
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    assert not can_compile_games()
