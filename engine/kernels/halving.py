"""Successive halving in compiled code: how rollout strategies share out playouts among candidates.

The playouts are shared out over as many stages as it takes to halve the candidates down to one. In each stage every
candidate that is left gets equally many, at least one, all of them with the same luck, and the better half stays
(Karnin, Koren and Somekh: "Almost optimal exploration in multi-armed bandits", ICML 2013).

Spexxx uses `count_halvings`, `playouts_each` and `half_of`, but not `halve_candidates`: it plays eight playouts side by
side, judges a candidate by all that were compared with it, orders the candidates anew by solving the turn, and shares
out what is left of its budget in every stage.
"""

from __future__ import annotations

from engine.kernels.compiling import jit_inlined, jit_internal, jit_merged


@jit_merged
def halve_candidates(play_candidate, game, candidates, values, count, playouts):
    """Return the best of the first `count` candidates; `candidates` and `values` are reordered.

    `values` holds what each candidate is worth before the first playout. `play_candidate(game, candidate, value, first,
    end)` is a compiled function that plays the playouts from `first` to `end` - 1 with the luck of these numbers, and
    returns the value with their results added; the higher is the better. `game` is a tuple of whatever else it needs.
    Equal candidates stay in their order. All stages together take about `playouts` playouts; `count` is 1 or more.
    """
    halvings = count_halvings(count)  # merged: code that passes a function to another one could not be cached
    first = 0
    for _ in range(halvings):
        end = first + playouts_each(playouts, halvings, count)
        for n in range(count):
            values[n] = play_candidate(game, candidates[n], values[n], first, end)
        first = end
        sort_best_first(candidates, values, count)
        count = half_of(count)
    return candidates[0]


@jit_inlined
def count_halvings(count):
    """Return how often `count` candidates are halved until one is left."""
    halvings = 0
    while 1 << halvings < count:
        halvings += 1
    return halvings


@jit_inlined
def playouts_each(playouts, halvings, count):
    """Return how many playouts each of `count` candidates gets in a stage, if `halvings` halvings share the playouts."""
    return max(1, playouts // (halvings * count))


@jit_inlined
def half_of(count):
    """Return how many of `count` candidates stay: the half, rounded up."""
    return (count + 1) // 2


@jit_internal
def sort_best_first(candidates, values, count):
    """Sort the first `count` candidates by their values, the highest first; equal ones stay in their order."""
    for i in range(1, count):
        candidate, value = candidates[i], values[i]
        n = i
        while n > 0 and values[n - 1] < value:
            candidates[n], values[n] = candidates[n - 1], values[n - 1]
            n -= 1
        candidates[n], values[n] = candidate, value
