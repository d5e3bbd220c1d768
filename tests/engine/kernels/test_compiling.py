"""The building blocks of all kernels: options of the compiler, bits, successive halving, results."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.kernels.code_cache import prepare_numba
from engine.kernels.loader import can_compile_games

if not can_compile_games():
    pytest.skip("no compiler here", allow_module_level=True)

prepare_numba()

import numba as nb  # noqa: E402 - only after its cache has been set up

from engine.kernels import compiling  # noqa: E402
from engine.kernels.bits import clear_lowest_bit, count_bits, lowest_bit, nth_bit  # noqa: E402
from engine.kernels.compiling import copy_array, jit_entry, jit_internal, known_options, supported_options  # noqa: E402
from engine.kernels.halving import halve_candidates, sort_best_first  # noqa: E402
from engine.kernels.results import (  # noqa: E402
    join_batches,
    keep_plies,
    make_batch,
    make_results,
    rank_seats,
)
from tests.examples import scale_examples  # noqa: E402

UNDOCUMENTED = {**compiling.UNCOUNTED, **compiling.NO_PYTHON_WRAPPER}


# Options --------------------------------------------------------------------------------------------------------------


def test_the_installed_numba_knows_all_options() -> None:
    """Kernels would run without them, but several times slower: a new version of Numba must not go unnoticed."""
    assert supported_options(UNDOCUMENTED, known_options()) == {
        **compiling.DOCUMENTED_OPTIONS,
        **UNDOCUMENTED,
    }


def test_without_the_list_of_options_only_documented_ones_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numba.core.cpu", None)
    assert known_options() == frozenset()
    assert supported_options(UNDOCUMENTED, known_options()) == compiling.DOCUMENTED_OPTIONS


def test_functions_compile_with_the_documented_options_alone() -> None:
    @nb.njit(**supported_options({"_nrt": False, "no_such_option": True}, known=[]))  # type: ignore[untyped-decorator]
    def first_half(array: np.ndarray) -> np.ndarray:
        return array[: len(array) // 2]

    assert first_half(np.arange(6)).tolist() == [0, 1, 2]


def test_an_option_that_numba_does_not_know_is_an_error_when_it_is_not_left_out() -> None:
    """Else it would not have to be left out."""

    @nb.njit(no_such_option=True)  # type: ignore[untyped-decorator]
    def nothing() -> int:
        return 0

    with pytest.raises(KeyError, match="no_such_option"):
        nothing()


def test_loops_of_unknown_length_are_not_unrolled() -> None:
    """LLVM says nothing if it does not know the option any more. Without it, this loop has eight steps in a row."""

    def follow_places(places: np.ndarray, steps: int) -> int:
        at = 0
        for _ in range(steps):
            at = places[at] ^ steps
        return at

    # code from the cache cannot be inspected
    options = supported_options({**compiling.UNCOUNTED, **compiling.NO_C_WRAPPER}, known_options())
    compiled = nb.njit(**options)(follow_places)
    compiled(np.zeros(9, np.int64), 0)
    (code,) = compiled.inspect_llvm().values()
    assert code.count(" xor i64 ") == 1


def test_an_array_is_copied() -> None:
    @jit_entry  # type: ignore[untyped-decorator]
    def copy(source: np.ndarray, target: np.ndarray) -> None:
        copy_array(source, target)

    source, target = np.arange(12, dtype=np.int16).reshape(3, 4), np.zeros((3, 4), np.int16)
    copy(source, target)
    assert target.tolist() == source.tolist()


# Bits -----------------------------------------------------------------------------------------------------------------


@jit_entry  # type: ignore[untyped-decorator]
def analyse_bits(bits: int, n: int) -> tuple[int, int, int, int]:
    return count_bits(bits), lowest_bit(bits), clear_lowest_bit(bits), nth_bit(bits, n)


@pytest.mark.parametrize("kind", [np.uint32, np.uint64, np.int64])
@scale_examples(0.5)
@given(places=st.sets(st.integers(0, 63), min_size=1), data=st.data())
def test_bits_are_counted_found_and_cleared(
    kind: type[np.integer], places: set[int], data: st.DataObject
) -> None:
    width = 8 * np.dtype(kind).itemsize - (kind is np.int64)
    inside = sorted({place % width for place in places})
    bits = sum(1 << place for place in inside)
    n = data.draw(st.integers(0, len(inside) - 1))
    assert analyse_bits(kind(bits), n) == (len(inside), inside[0], bits - (1 << inside[0]), inside[n])


# Successive halving ---------------------------------------------------------------------------------------------------


@jit_internal  # type: ignore[untyped-decorator]
def play_listed_results(game: Any, candidate: int, value: float, first: int, end: int) -> float:  # noqa: ANN401
    """Playout i of a candidate has a result from a list, and is counted."""
    results, played = game
    for playout in range(first, end):
        value += results[candidate, playout]
        played[candidate] += 1
    return value


@jit_entry  # type: ignore[untyped-decorator]
def best_of_listed_results(results: Any, played: Any, candidates: Any, values: Any, playouts: int) -> int:  # noqa: ANN401
    best: int = halve_candidates(
        play_listed_results, (results, played), candidates, values, len(candidates), playouts
    )
    return best


def test_each_stage_halves_the_candidates_and_shares_out_as_many_playouts() -> None:
    """Five candidates take three stages, of 20 playouts each: 4 for each of five, 6 of three, 10 of two."""
    results, played = np.zeros((5, 60)), np.zeros(5, np.int64)
    results[:] = [[1], [3], [2], [0], [2]]
    candidates, values = np.arange(5), np.zeros(5)
    assert best_of_listed_results(results, played, candidates, values, 60) == 1
    assert played.tolist() == [4, 20, 20, 4, 10]
    assert candidates[:3].tolist() == [1, 2, 4]
    assert values[:2].tolist() == [60, 40]


def test_every_candidate_gets_a_playout_however_few_there_are() -> None:
    played = np.zeros(4, np.int64)
    assert best_of_listed_results(np.ones((4, 2)), played, np.arange(4), np.array([0.0, 9, 0, 0]), 1) == 1
    assert played.tolist() == [2, 2, 1, 1]


def test_a_single_candidate_is_not_played() -> None:
    played = np.zeros(1, np.int64)
    assert best_of_listed_results(np.ones((1, 9)), played, np.arange(1), np.zeros(1), 9) == 0
    assert played.tolist() == [0]


@scale_examples(0.5)
@given(values=st.lists(st.integers(0, 4), min_size=1, max_size=12))
def test_candidates_are_sorted_by_value_and_equal_ones_stay_in_their_order(values: list[int]) -> None:
    candidates = np.arange(len(values))
    sort_best_first.py_func(candidates, np.array(values, float), len(values))
    assert candidates.tolist() == sorted(range(len(values)), key=lambda n: -values[n])


# Results --------------------------------------------------------------------------------------------------------------


def test_seats_with_equal_standings_share_the_better_rank() -> None:
    assert rank_seats(np.array([[4, 9, 9, 1]])).tolist() == [[3, 1, 1, 4]]


def test_a_batch_adds_up_points_and_ranks_by_standings_if_there_are_any() -> None:
    results = make_results(games=1, seats=2, parts=2, plies=0)
    results.points[:] = [[[3, 4], [5, 2]]]
    batch = make_batch(results, logged=False)
    assert batch.scores.tolist() == [[7, 7]]
    assert batch.ranks.tolist() == [[1, 1]]
    assert batch.log is None
    batch = make_batch(results, logged=True, standings=np.array([[-71, -70]]))
    assert batch.ranks.tolist() == [[2, 1]]
    assert [batch.scores.dtype.name, batch.ranks.dtype.name] == ["int32", "uint8"]
    assert batch.log


def test_batches_are_put_one_behind_the_other_with_their_logs() -> None:
    batches = []
    for number, plies in enumerate((2, 0, 1)):
        results = keep_plies(make_results(games=1, seats=2, parts=1, plies=5), plies)
        results.log.action[:] = number
        results.plies[:] = plies
        batches.append(make_batch(results, logged=True))
    joined = join_batches(batches)
    assert joined.plies.tolist() == [2, 0, 1]
    assert joined.log
    assert joined.log.action.tolist() == [0, 0, 2]
    assert join_batches(batches[:1]) is batches[0]
