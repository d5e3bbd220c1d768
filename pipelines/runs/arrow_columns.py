"""Columns of Arrow tables as NumPy arrays and back, by their buffers.

`pa.array` and `to_numpy` would import pandas, which takes longer than to play a small run.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


def read_numbers(column: pa.Array | pa.ChunkedArray) -> NDArray[Any]:
    """Return a column of numbers as an array that may be read only; null is 0, and truth values are 0 and 1."""
    array = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if pa.types.is_boolean(array.type):
        array = array.cast(pa.uint8())
    if not array.null_count:
        return np.from_dlpack(array)
    _, numbers = array.buffers()
    filled = pa.Array.from_buffers(array.type, len(array), [None, numbers], offset=array.offset)
    valid = read_numbers(array.is_valid()).astype(bool)
    return np.where(valid, np.from_dlpack(filled), np.zeros(1, array.type.to_pandas_dtype()))


def make_column(values: Sequence[Any] | NDArray[Any], type_: pa.DataType) -> pa.Array:
    """Return a column of texts, lists, truth values or numbers; None is null. It equals `pa.array(values, type_)`.

    Raises OverflowError if a number does not fit the type.
    """
    if isinstance(values, np.ndarray):
        return _join_numbers(values, type_, None)
    missing = [value is None for value in values]
    valid = _pack_bits(~np.array(missing)) if any(missing) else None
    if pa.types.is_string(type_):
        texts = [b"" if value is None else value.encode() for value in values]
        buffers = [valid, pa.py_buffer(_find_offsets(texts)), pa.py_buffer(b"".join(texts))]
        return pa.Array.from_buffers(type_, len(values), buffers)
    if pa.types.is_dictionary(type_):
        different = [value for value in dict.fromkeys(values) if value is not None]
        codes = {value: code for code, value in enumerate(different)}
        indices = make_column([codes.get(value) for value in values], type_.index_type)
        return pa.DictionaryArray.from_arrays(indices, make_column(different, type_.value_type))
    if pa.types.is_list(type_):
        lists = [() if value is None else value for value in values]
        inner = make_column([*chain.from_iterable(lists)], type_.value_type)
        buffers = [valid, pa.py_buffer(_find_offsets(lists))]
        return pa.Array.from_buffers(type_, len(values), buffers, children=[inner])
    numbers = np.array([0 if value is None else value for value in values])
    if numbers.dtype == np.float64 and pa.types.is_integer(type_):  # too large for int64, or a fraction
        numbers = np.array([0 if value is None else value for value in values], dtype=object)
    return _join_numbers(numbers, type_, valid)


def _find_offsets(parts: Sequence[Sequence[Any]]) -> NDArray[np.int32]:
    """Return where each part begins and ends if all are joined: (parts + 1,)."""
    return np.concatenate(([0], np.cumsum([len(part) for part in parts]))).astype(np.int32)


def _pack_bits(bits: NDArray[np.bool_]) -> pa.Buffer:
    return pa.py_buffer(np.packbits(bits, bitorder="little"))


def _join_numbers(numbers: NDArray[Any], type_: pa.DataType, valid: pa.Buffer | None) -> pa.Array:
    """Return a column of numbers or truth values, null where a bit of `valid` is 0."""
    if pa.types.is_boolean(type_):
        return pa.Array.from_buffers(type_, len(numbers), [valid, _pack_bits(numbers.astype(bool))])
    kept = np.ascontiguousarray(numbers, type_.to_pandas_dtype())
    if not np.can_cast(numbers.dtype, kept.dtype) and not np.array_equal(kept, numbers):
        raise OverflowError(f"a number does not fit {type_}")
    return pa.Array.from_buffers(type_, len(numbers), [valid, pa.py_buffer(kept)])
