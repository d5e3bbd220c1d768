"""What fits on a board of Blokus Dice after each candidate, compiled: the orientations, and how many placements.

The strategy `learned` asks this for each of its candidates, in all four colours, so most of the work is done once for a
decision. Before the decision a *list* is made of the placements that fit in each colour, ordered by orientation. A
set of them is a bit for each, its place in the list, in words of LIST_BITS. A drawn shape takes the union of some
sets from a list: the placements that cover one of its squares, and all placements of the same shape. From the list
of its own colour it also takes those that cover a square along its edges. At its corners it adds placements to its own
colour; these are found with windows, as `tables` explains them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from engine.games.blokus_dice.kernel.placement_sets import merge_shared_words
from engine.games.blokus_dice.kernel.position import (
    BOARD_COLOURS,
    PLANE_APART,
    PLANE_FREE,
    PLANE_JOINED,
)
from engine.games.blokus_dice.kernel.rules import placement_corner
from engine.games.blokus_dice.kernel.tables import (
    LONGEST_SHAPE,
    ORIENTATIONS,
    SPOT_STRIDE,
    SPOT_WORDS,
    VECTOR_WORDS,
    WINDOW_CORNERS,
    WINDOW_EDGES,
    WINDOW_HITS,
    WORD_BITS,
)
from engine.games.blokus_dice.ruleset import COLOUR_NAMES, FACE_COUNT
from engine.kernels.bits import clear_lowest_bit, count_bits, lowest_bit
from engine.kernels.compiling import jit_inlined, jit_internal

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from engine.games.blokus_dice.kernel.tables import Numbers, Tables, Words

COLOURS: Final = len(COLOUR_NAMES)
LIST_BITS: Final = 64
"""Places of a list in one word."""
LIST_SHIFT: Final = 6
"""A place divided by LIST_BITS is the place shifted right by this number of bits."""
MOST_NEAR: Final = 17
"""Squares of a shape and along its edges, at most: the longest one has five and twelve."""

_u64 = np.uint64
_LAST_BIT: Final = np.uint64(LIST_BITS - 1)


class Offer(NamedTuple):
    """The lists of a decision, and what a candidate leaves of them."""

    near: Numbers
    """(orientations, MOST_NEAR) where the squares of a shape lie, then those along its edges, as steps from the lower left
    corner of its bounding box to a padded square."""
    near_counts: Numbers
    """(orientations,) how many these are."""
    gains: Words
    """(orientations, WINDOW_ROWS, VECTOR_WORDS) window of the placements that may follow at the corners: they touch no edge,
    overlap nothing, and have another shape."""
    order: Numbers
    """(orientations,) all orientations, those of equal size and row of the list side by side: the order of the lists."""
    classes: NDArray[np.int64]
    """(SPOT_STRIDE,) bit FACE_COUNT x (squares - 1) + face of each orientation: its class."""
    classes_of_four: NDArray[np.int64]
    """(SPOT_STRIDE / 4, 16) classes of any of four orientations whose numbers follow each other."""
    words: NDArray[np.int64]
    """(colours,) words of each list; 0 for the colour held before its first shape."""
    members: NDArray[np.uint64]
    """(colours, words) places that are taken."""
    last_places: NDArray[np.uint64]
    """(colours, words) the last place of each orientation in each word."""
    last_of_class: NDArray[np.uint64]
    """(colours, words) the last place of each class in each word."""
    goes_on: NDArray[np.int64]
    """(colours, words) 1 if the first orientation of a word has places in the word before."""
    orientations: NDArray[np.int64]
    """(colours, places) orientation of each place."""
    place_classes: NDArray[np.int64]
    """(colours, places) class of each place, as in `classes`."""
    covering: NDArray[np.uint64]
    """(colours, padded squares, words) placements that cover a square. A board has one padded square more on each side."""
    same_shape: NDArray[np.uint64]
    """(colours, shapes, words) placements of a shape."""
    shapes_left: NDArray[np.int64]
    """(1,) a bit for each shape that fits in some colour, also in the one that is held."""
    starts: NDArray[np.int64]
    """(SPOT_STRIDE,) room to make a list: number of placements of an orientation, then its next place."""
    unsorted: Numbers
    """(placements, 2) room for the placements that fit, before they are ordered: padded square and orientation."""
    fresh: Words
    """(words of a plane,) placements that would fit in the colour held if they touched it at a corner."""
    gained: Words
    """(VECTOR_WORDS,) room for the orientations that a candidate adds, as in a row of a window."""
    gained_counts: NDArray[np.int64]
    """(VECTOR_WORDS / 2,) room for the number of placements that it adds, for each two words."""


class Offered(NamedTuple):
    """What fits in a colour after a candidate."""

    placements: np.int64
    kinds: np.int64
    """Orientations."""
    classes: np.int64
    """Bits as in `Offer.classes`."""


def make_offer(tables: Tables) -> Offer:
    """Return room for the decisions under one ruleset."""
    near, counts = _find_near_squares(tables.side)
    words = -(-tables.placement_count // LIST_BITS) + len(ORIENTATIONS)  # each orientation may begin a word
    classes = np.zeros(SPOT_STRIDE, np.int64)
    (listed,) = np.nonzero(tables.faces >= 0)
    classes[listed] = 1 << FACE_COUNT * (tables.sizes[listed] - 1) + tables.faces[listed]
    of_words = (COLOURS, words)
    return Offer(
        near=near,
        near_counts=counts,
        gains=_make_gains(tables),
        order=np.argsort(classes[: len(ORIENTATIONS)], kind="stable").astype(np.int32),
        classes=classes,
        classes_of_four=_join_classes(classes),
        words=np.zeros(COLOURS, np.int64),
        members=np.zeros(of_words, np.uint64),
        last_places=np.zeros(of_words, np.uint64),
        last_of_class=np.zeros(of_words, np.uint64),
        goes_on=np.zeros(of_words, np.int64),
        orientations=np.zeros((COLOURS, LIST_BITS * words), np.int64),
        place_classes=np.zeros((COLOURS, LIST_BITS * words), np.int64),
        covering=np.zeros((COLOURS, (tables.side + 2) ** 2, words), np.uint64),
        same_shape=np.zeros((COLOURS, len(tables.other_shapes), words), np.uint64),
        shapes_left=np.zeros(1, np.int64),
        starts=np.zeros(SPOT_STRIDE, np.int64),
        unsorted=np.zeros((tables.placement_count, 2), np.int32),
        fresh=np.zeros(tables.words, np.uint32),
        gained=np.zeros(VECTOR_WORDS, np.uint32),
        gained_counts=np.zeros(VECTOR_WORDS // 2, np.int64),
    )


def _join_classes(classes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return `Offer.classes_of_four`."""
    fours = classes.reshape(-1, 4)
    chosen = np.arange(16)[:, np.newaxis] >> np.arange(4) & 1
    joined: NDArray[np.int64] = np.bitwise_or.reduce(np.where(chosen, fours[:, np.newaxis], 0), axis=-1)
    return joined


def _find_near_squares(side: int) -> tuple[Numbers, Numbers]:
    """Return `Offer.near` and `Offer.near_counts`."""
    near = np.zeros((len(ORIENTATIONS), MOST_NEAR), np.int32)
    counts = np.zeros(len(ORIENTATIONS), np.int32)
    for o, shape in enumerate(ORIENTATIONS):
        edges = {(x + i, y + j) for x, y in shape for i, j in ((1, 0), (-1, 0), (0, 1), (0, -1))} - set(shape)
        squares = [x + (side + 2) * y for x, y in (*shape, *sorted(edges))]
        near[o, : len(squares)], counts[o] = squares, len(squares)
    return near, counts


def _make_gains(tables: Tables) -> Words:
    """Return `Offer.gains`."""
    windows = tables.windows
    gains = windows[:, :, WINDOW_CORNERS] & ~(windows[:, :, WINDOW_HITS] | windows[:, :, WINDOW_EDGES])
    # a row of a window begins with the second word of a spot
    return gains & tables.other_shapes[tables.shapes][:, np.newaxis, 1 : 1 + VECTOR_WORDS]


@jit_internal
def list_fitting(position, tables, offer, seat, held):
    """Make the lists of a decision of a seat that holds the colour `held`."""
    planes = position.planes[seat]
    is_begun = position.boards[seat, BOARD_COLOURS] >> held & 1
    offer.shapes_left[0] = 0
    for colour in range(COLOURS):
        _list_colour(planes, tables, offer, colour, colour != held or is_begun)
    free, joined, apart = planes[PLANE_FREE], planes[PLANE_JOINED + held], planes[PLANE_APART + held]
    for i in range(tables.words):
        # BD-4: before its first shape, a colour is joined to the corner squares, and afterwards no more
        offer.fresh[i] = free[i] & apart[i] & ~(joined[i] if is_begun else np.uint32(0))


@jit_inlined
def _list_colour(planes, tables, offer, colour, is_listed):
    """Make the list of a colour, an empty one unless `is_listed`; add its shapes to `offer.shapes_left`."""
    free, joined, apart = planes[PLANE_FREE], planes[PLANE_JOINED + colour], planes[PLANE_APART + colour]
    starts, unsorted, count = offer.starts, offer.unsorted, 0
    starts[:] = 0
    for word in range(tables.words):
        rest = np.uint32(free[word] & joined[word] & apart[word])
        if rest == 0:
            continue
        spot, k = divmod(word, SPOT_WORDS)
        x, y, _ = placement_corner(tables, SPOT_STRIDE * spot)
        corner = x + 1 + (tables.side + 2) * (y + 1)
        while rest:
            orientation = WORD_BITS * k + np.int64(lowest_bit(rest))
            rest = clear_lowest_bit(rest)
            starts[orientation] += 1
            unsorted[count, 0], unsorted[count, 1] = corner, orientation
            count += 1
    _begin_list(tables, offer, colour, is_listed)
    if offer.words[colour] == 0:
        return
    covering, same_shape = offer.covering[colour], offer.same_shape[colour]
    for n in range(count):
        corner, orientation = np.int64(unsorted[n, 0]), np.int64(unsorted[n, 1])
        place = starts[orientation]
        starts[orientation] += 1
        word, bit = place >> LIST_SHIFT, _u64(1) << _u64(place & LIST_BITS - 1)
        same_shape[tables.shapes[orientation], word] |= bit
        for i in range(np.int64(tables.sizes[orientation])):
            covering[corner + offer.near[orientation, i], word] |= bit


@jit_inlined
def _begin_list(tables, offer, colour, is_listed):
    """Give the orientations their places in the list of a colour, and begin with empty sets.

    `offer.starts` has the number of placements of each orientation, and then its first place.
    """
    starts, members = offer.starts, offer.members[colour]
    last_places, last_of_class = offer.last_places[colour], offer.last_of_class[colour]
    end = class_before = word_before = np.int64(0)
    bit_before = _u64(0)
    for orientation in offer.order:
        count = starts[orientation]
        if count == 0:
            continue
        offer.shapes_left[0] |= 1 << np.int64(tables.shapes[orientation])
        if not is_listed:
            continue
        used = end & LIST_BITS - 1
        if used and used + count > LIST_BITS:  # only an orientation that fills a word goes on in the next one
            end += LIST_BITS - used
        starts[orientation] = end
        class_ = offer.classes[orientation]
        for place in range(end, end + count):
            word, bit = np.int64(place >> LIST_SHIFT), _u64(1) << _u64(place & LIST_BITS - 1)
            offer.orientations[colour, place], offer.place_classes[colour, place] = orientation, class_
            if place & LIST_BITS - 1 == 0:
                members[word] = last_places[word] = last_of_class[word] = _u64(0)
                offer.goes_on[colour, word] = place > end
            members[word] |= bit
            if place == end + count - 1 or place & LIST_BITS - 1 == LIST_BITS - 1:
                if class_ == class_before and word == word_before:
                    last_of_class[word] &= ~bit_before
                last_places[word] |= bit
                last_of_class[word] |= bit
                class_before, word_before, bit_before = class_, word, bit
        end += count
    words = end + LIST_BITS - 1 >> LIST_SHIFT
    offer.words[colour] = words
    if words:
        for square in range(offer.covering.shape[1]):
            offer.covering[colour, square, :words] = 0
        for shape in range(offer.same_shape.shape[1]):
            offer.same_shape[colour, shape, :words] = 0


@jit_inlined
def _find_with_members(members, last):
    """Return the last places of the groups that have a member; `last` are those of all groups of the word."""
    # In each group, adding all places but the last to the members carries a bit to the last place if one is there. The
    # words are unsigned: a sum of signed numbers must not overflow in compiled code.
    return ((members & ~last) + ~last | members) & last


@jit_inlined
def offer_of_other(tables, offer, colour, placement):
    """Return what fits in a colour that is not held after a placement, as Offered."""
    x, y, orientation = placement_corner(tables, placement)
    corner = x + 1 + (tables.side + 2) * (y + 1)
    near, size = offer.near[orientation], np.int64(tables.sizes[orientation])
    covering, same_shape = offer.covering[colour], offer.same_shape[colour, tables.shapes[orientation]]
    total = kinds = classes = np.int64(0)
    goes_on = False  # whether an orientation with places left may go on in the next word
    for word in range(offer.words[colour]):
        taken = same_shape[word]
        for i in range(size):
            taken |= covering[corner + near[i], word]
        left = offer.members[colour, word] & ~taken
        total += np.int64(count_bits(left))
        last = offer.last_places[colour, word]
        found = _find_with_members(left, last)
        kinds += np.int64(count_bits(found))
        reaches_end = found >> _LAST_BIT != 0
        if offer.goes_on[colour, word] and goes_on:
            later = clear_lowest_bit(last)
            kinds -= np.int64(found & ~later != 0)
            reaches_end |= later == 0
        goes_on = reaches_end
        found = _find_with_members(left, offer.last_of_class[colour, word])
        while found:
            classes |= offer.place_classes[colour, LIST_BITS * word + np.int64(lowest_bit(found))]
            found = clear_lowest_bit(found)
    return Offered(total, kinds, classes)


@jit_inlined
def offer_of_held(tables, offer, colour, placement):
    """Return what fits in the colour held after a placement, as Offered."""
    x, y, orientation = placement_corner(tables, placement)
    corner = x + 1 + (tables.side + 2) * (y + 1)
    near, squares = offer.near[orientation], np.int64(offer.near_counts[orientation])
    covering, same_shape = offer.covering[colour], offer.same_shape[colour, tables.shapes[orientation]]
    total = low = high = np.int64(0)  # of `low` and `high`, each bit stands for an orientation
    for word in range(offer.words[colour]):
        taken = same_shape[word]
        for i in range(squares):
            taken |= covering[corner + near[i], word]
        left = offer.members[colour, word] & ~taken
        total += np.int64(count_bits(left))
        found = _find_with_members(left, offer.last_places[colour, word])
        while found:
            kind = offer.orientations[colour, LIST_BITS * word + np.int64(lowest_bit(found))]
            found = clear_lowest_bit(found)
            bit, is_low = np.int64(1) << (kind & LIST_BITS - 1), np.int64(kind < LIST_BITS)
            low |= bit & -is_low
            high |= bit & is_low - 1
    total += _store_gained(tables, offer, x, y, orientation)
    for i in range(VECTOR_WORDS):
        k, gained = (i + 1) % SPOT_WORDS, np.int64(offer.gained[i])
        if k == 0:
            low |= gained
        elif k == 1:
            low |= gained << WORD_BITS
        else:
            high |= gained
    classes = np.int64(0)
    for i in range(LIST_BITS // 4):
        classes |= offer.classes_of_four[i, low >> 4 * i & 15]
    for i in range(SPOT_STRIDE // 4 - LIST_BITS // 4):
        classes |= offer.classes_of_four[LIST_BITS // 4 + i, high >> 4 * i & 15]
    return Offered(total, count_bits(low) + count_bits(high), classes)


@jit_inlined
def _store_gained(tables, offer, x, y, orientation):
    """Write to `offer.gained` what a placement adds to its colour at its corners; return how many placements it adds."""
    gained, counts = offer.gained, offer.gained_counts
    gained[:] = 0
    counts[:] = 0
    for row in range(
        max(0, y - LONGEST_SHAPE), min(tables.side, y + np.int64(tables.heights[orientation]) + 1)
    ):
        first = SPOT_WORDS * (tables.row_stride * row + x) + 1
        merge_shared_words(
            gained, counts, offer.fresh, first, offer.gains[orientation, row - y + LONGEST_SHAPE]
        )
    total = np.int64(0)
    for i in range(VECTOR_WORDS // 2):
        total += counts[i]
    return total
