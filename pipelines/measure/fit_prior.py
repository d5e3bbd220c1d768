"""Fit the prior of Blokus, from which its searches start, to decisions of a wide and strong search.

    python -m pipelines.measure.fit_prior duo 2p 3p 4p --rounds 2 --write

In each round `mcts` plays games against itself. It starts from the weights of the round before, but it is told to trust them
less (`heat`) and to look at many more placements (`width`) than usual. The shares of its visits are the targets: the weights
are fitted by maximum likelihood (softmax regression with a penalty on large weights), all rounds together. Every fifth game
is held out; it judges the fit, and no weight sees it.
"""

from __future__ import annotations

import sys
import tomllib
from datetime import UTC, datetime
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import tomli_w

from engine.catalogue import Catalogue
from engine.errors import InvalidError
from engine.games.blokus.prior import FIELDS, PARTS, PHASES, PRIOR_FILE, phase_shares
from engine.kernels.loader import find_kernel
from engine.polyomino import SHAPES
from pipelines.measure.command_line import make_parser, print_progress
from pipelines.statistics import mean_interval

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from engine.games.blokus.kernel.batches import BlokusKernel

RULESETS_OF_KIND: Final = {
    "duo": ("blokus-duo",),
    "2p": ("blokus-fixed-2p", "blokus-2p"),
    "3p": ("blokus-fixed-3p", "blokus-3p"),
    "4p": ("blokus-fixed-4p", "blokus-4p"),
}
"""The rulesets whose games determine the weights for each number of players; those for three also give `shared`."""
PENALTY: Final = 10.0
"""Strength of the penalty, as a number of decisions: that many weigh as much as squares of standardised weights."""
MAX_STEPS: Final = 80
"""Steps of the search for the best weights."""
WEIGHT_DIGITS: Final = 4
HELD_OUT_EVERY: Final = 5
RANDOM_OPENING_SHARE: Final = 0.4
"""Share of the games in which the first placement of every colour is random."""
VARIED_ROUNDS: Final = 3
"""Rounds at the start of a game in which placements are drawn by the shares of their visits."""
VARIED_SHARE: Final = 0.25
"""Chance of such a draw in later rounds; else the placement with most visits is played."""


class Decisions(NamedTuple):
    """Decisions of a teacher. The placements of all decisions follow each other."""

    features: NDArray[np.float32]
    """(placements, features)"""
    targets: NDArray[np.float64]
    """(placements,) share of the visits; the shares of a decision add up to 1."""
    first: NDArray[np.int64]
    """(decisions,) the first placement of each decision."""
    phases: NDArray[np.float64]
    """(decisions, phases) shares of the phases."""
    games: NDArray[np.int64]
    """(decisions,) number of the game."""

    @property
    def lengths(self) -> NDArray[np.int64]:
        """(decisions,) number of placements of each decision."""
        return np.diff(self.first, append=len(self.targets))

    def select(self, wanted: NDArray[np.bool_]) -> Decisions:
        """Return some of the decisions; `wanted` is (decisions,)."""
        of_placements = np.repeat(wanted, self.lengths)
        lengths = self.lengths[wanted]
        return Decisions(
            self.features[of_placements],
            self.targets[of_placements],
            np.cumsum(lengths) - lengths,
            self.phases[wanted],
            self.games[wanted],
        )


class TeacherGame(NamedTuple):
    """One game of the teacher against itself."""

    actions: list[int]
    """All plies."""
    searches: dict[int, tuple[NDArray[np.int32], NDArray[np.int32]]]
    """For each ply that was searched: actions and their visits."""


def play_teacher_game(kernel: BlokusKernel, teacher: str, random: np.random.Generator) -> TeacherGame:
    """Play one game of a player of `mcts` against itself, varied as the constants of this module say."""
    player, colours = kernel.read_player(teacher), len(kernel.ruleset.colours)
    opens_randomly = random.random() < RANDOM_OPENING_SHARE
    packed, game = kernel.start, TeacherGame([], {})
    while len(actions := kernel.actions(packed)):
        ply, action = len(game.actions), int(actions[0])
        if len(actions) > 1 and opens_randomly and ply < colours:
            action = int(random.choice(actions))
        elif len(actions) > 1:
            searched, visits = kernel.search_visits(packed, player, int(random.integers(1 << 62)))
            game.searches[ply] = searched, visits
            is_varied = ply < VARIED_ROUNDS * colours or random.random() < VARIED_SHARE
            shares = visits / visits.sum()
            action = int(searched[random.choice(len(shares), p=shares) if is_varied else visits.argmax()])
        game.actions.append(action)
        packed = kernel.apply_action(packed, action)
    return game


def describe_game(
    kernel: BlokusKernel, game: TeacherGame, number: int, *, is_shared: bool
) -> Decisions | None:
    """Return the searched decisions of a game, None without any.

    With `is_shared` only those for the colour that all seats play in turn (BK-10), else only the others.
    """
    owners, total = kernel.ruleset.colour_owners, kernel.ruleset.total_squares
    features, targets, phases = [], [], []
    packed = kernel.start
    for ply, action in enumerate(game.actions):
        colour = int(packed.turn[0])
        if ply in game.searches and (owners[colour] is None) == is_shared:
            searched, visits = game.searches[ply]
            actions, rows = kernel.placement_features(packed)
            target = np.zeros(len(actions))
            target[np.searchsorted(actions, searched)] = visits / visits.sum()
            features.append(rows.astype(np.float32))
            targets.append(target)
            phases.append(phase_shares(int(packed.colours[colour, 1]) / total))
        packed = kernel.apply_action(packed, action)
    if not features:
        return None
    lengths = np.array([len(target) for target in targets])
    return Decisions(
        np.concatenate(features),
        np.concatenate(targets),
        np.cumsum(lengths) - lengths,
        np.array(phases),
        np.full(len(phases), number),
    )


def join_decisions(parts: Sequence[Decisions]) -> Decisions:
    """Return all decisions together."""
    before = np.cumsum([0, *(len(part.targets) for part in parts[:-1])])
    return Decisions(
        np.concatenate([part.features for part in parts]),
        np.concatenate([part.targets for part in parts]),
        np.concatenate([part.first + shift for part, shift in zip(parts, before, strict=True)]),
        np.concatenate([part.phases for part in parts]),
        np.concatenate([part.games for part in parts]),
    )


def worths_of_placements(decisions: Decisions, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the worth of every placement, (placements,); `weights` are (phases, features)."""
    by_phase = decisions.features @ weights.T.astype(np.float32)
    shares = np.repeat(decisions.phases, decisions.lengths, axis=0)
    worths: NDArray[np.float64] = (by_phase * shares).sum(axis=1)
    return worths


def _log_probabilities(decisions: Decisions, worths: NDArray[np.float64]) -> NDArray[np.float64]:
    most = np.maximum.reduceat(worths, decisions.first)
    shifted = worths - np.repeat(most, decisions.lengths)
    log_sums = np.log(np.add.reduceat(np.exp(shifted), decisions.first))
    logarithms: NDArray[np.float64] = shifted - np.repeat(log_sums, decisions.lengths)
    return logarithms


def cross_entropies(decisions: Decisions, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the cross-entropy of each decision's targets and the prior, in nats, (decisions,)."""
    logarithms = _log_probabilities(decisions, worths_of_placements(decisions, weights))
    entropies: NDArray[np.float64] = -np.add.reduceat(decisions.targets * logarithms, decisions.first)
    return entropies


def target_places(decisions: Decisions, weights: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return how many placements the prior ranks before the one with the highest target, (decisions,)."""
    worths = worths_of_placements(decisions, weights)
    ends = np.append(decisions.first, len(worths))
    places = []
    for first, end in pairwise(ends):
        target = first + int(decisions.targets[first:end].argmax())
        places.append(int((worths[first:end] > worths[target]).sum()))
    return np.array(places)


def fit_weights(decisions: Decisions, start: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the weights of maximum likelihood with a penalty, (phases, features), searched from `start`."""
    from scipy.optimize import minimize  # noqa: PLC0415 - takes 0.4 s to import

    scale = decisions.features.std(axis=0, dtype=np.float64) + 1e-6
    features = decisions.features / scale.astype(np.float32)
    shares = np.repeat(decisions.phases.astype(np.float32), decisions.lengths, axis=0)
    count, penalty = len(decisions.first), PENALTY / len(decisions.first)

    def loss(flat: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        weights = flat.reshape(start.shape)
        worths = ((features @ weights.T.astype(np.float32)) * shares).sum(axis=1, dtype=np.float64)
        logarithms = _log_probabilities(decisions, worths)
        errors = (np.exp(logarithms) - decisions.targets).astype(np.float32)[:, None] * shares
        slope = (errors.T @ features) / count + penalty * weights
        entropy = -(decisions.targets * logarithms).sum() / count
        return entropy + penalty * float((flat**2).sum()) / 2, slope.ravel().astype(np.float64)

    best = minimize(
        loss, (start * scale).ravel(), jac=True, method="L-BFGS-B", options={"maxiter": MAX_STEPS}
    )
    found: NDArray[np.float64] = np.asarray(best.x, dtype=np.float64).reshape(start.shape) / scale
    return found


def format_kind(weights: NDArray[np.float64], fitted: str) -> dict[str, Any]:
    """Return the weights of one kind of decision, (phases, features), as a table of `prior.toml`. Zeros are left out."""
    rounded = [[float(f"{weight:.{WEIGHT_DIGITS}g}") for weight in column] for column in weights.T]
    names = [("pieces", name) for name in SHAPES] + [(part, name) for part in PARTS for name in FIELDS]
    table: dict[str, Any] = {"fitted": fitted, "pieces": {}} | {part: {} for part in PARTS}
    for (part, name), column in zip(names, rounded, strict=True):
        if any(column):
            table[part][name] = column
    return table


def format_prior(kinds: dict[str, dict[str, Any]]) -> str:
    """Return the text of `prior.toml`: one line for each piece or field, with a number for each phase."""
    lines = [
        "# The fitted weights of the prior of Blokus; `prior.py` beside this file says what they mean. Written by the command",
        f"# after `fitted`. The four numbers are for shares of placed squares of {', '.join(map(str, PHASES))}.",
    ]
    for kind, table in kinds.items():
        lines += ["", f"[{kind}]", tomli_w.dumps({"fitted": table["fitted"]}).strip()]
        for part in ("pieces", *PARTS):
            lines += ["", f"[{kind}.{part}]"]
            lines += [f"{name} = {numbers}" for name, numbers in table[part].items()]
    return "\n".join(lines) + "\n"


class KindFit(NamedTuple):
    """Fitted weights and what they were fitted to."""

    weights: NDArray[np.float64]
    summary: str


def fit_kind(kind: str, options: argparse.Namespace) -> dict[str, KindFit]:
    """Fit the weights for a number of players in several rounds; return them by kind of decision."""
    random = np.random.default_rng([options.seed, *kind.encode()])
    kernels = [_load_kernel(name) for name in RULESETS_OF_KIND[kind]]
    kinds = {kind: False} | ({"shared": True} if kind == "3p" else {})
    weights = {name: kernels[0].prior_weights(is_shared=is_shared) for name, is_shared in kinds.items()}
    found: dict[str, list[Decisions]] = {name: [] for name in kinds}
    fits: dict[str, KindFit] = {}
    number = 0
    for round_ in range(1, options.rounds + 1):
        kernels = [kernel.with_prior(weights[kind], weights.get("shared")) for kernel in kernels]
        wanted = round_ * options.decisions
        while sum(len(part.first) for part in found[kind]) < wanted:
            kernel = kernels[number % len(kernels)]
            game = play_teacher_game(kernel, options.teacher, random)
            for name, is_shared in kinds.items():
                described = describe_game(kernel, game, number, is_shared=is_shared)
                if described is not None:
                    found[name].append(described)
            number += 1
        for name in kinds:
            fits[name] = _fit_round(name, round_, join_decisions(found[name]), weights[name])
            weights[name] = fits[name].weights
    return fits


def _fit_round(kind: str, round_: int, decisions: Decisions, start: NDArray[np.float64]) -> KindFit:
    """Fit the decisions of all rounds, except those of the games that are held out, and say how well that went."""
    is_held_out = decisions.games % HELD_OUT_EVERY == 0
    training, held_out = decisions.select(~is_held_out), decisions.select(is_held_out)
    weights = fit_weights(training, start)
    before, after = cross_entropies(held_out, start), cross_entropies(held_out, weights)
    gain = mean_interval(float((before - after).mean()), float((before - after).std(ddof=1)), len(before))
    places = target_places(held_out, weights)
    summary = (
        f"{len(training.first)} decisions in {len(set(training.games))} games; in {len(before)} others: cross-entropy "
        f"{before.mean():.3f} before, {after.mean():.3f} after"
    )
    print_progress(f"{kind}, round {round_}: {summary}")
    if gain:
        print_progress(f"  gain {gain.estimate:.3f} ({gain.low:.3f} to {gain.high:.3f}) nats")
    print_progress(
        f"  the teacher's choice is first in {(places == 0).mean():.1%}, among the best 40 in {(places < 40).mean():.1%}"
    )
    return KindFit(weights, summary)


def _load_kernel(name: str) -> BlokusKernel:
    from engine.games.blokus.kernel.batches import BlokusKernel  # noqa: PLC0415 - after Numba is set up

    kernel = find_kernel(Catalogue().find_ruleset(name))
    if not isinstance(kernel, BlokusKernel):
        raise InvalidError(f"{name} has no compiled game here, so nothing can be fitted")
    return kernel


def main(words: Sequence[str] | None = None) -> None:
    """Fit from the command line. The file goes to standard output or to its place, the progress to standard error."""
    arguments = _parse_arguments(words)
    command = (
        f"python -m pipelines.measure.fit_prior {' '.join(words if words is not None else sys.argv[1:])}"
    )
    try:
        fits: dict[str, KindFit] = {}
        for kind in arguments.kinds:
            fits |= fit_kind(kind, arguments)
    except InvalidError as error:
        sys.exit(f"reroll: {error}")
    text = format_prior(_merge_kinds(fits, f"{datetime.now(UTC):%Y-%m-%d}: {command}"))
    if arguments.write:
        PRIOR_FILE.write_text(text, encoding="utf-8")
    else:
        sys.stdout.write(text)


def _merge_kinds(fits: dict[str, KindFit], made: str) -> dict[str, dict[str, Any]]:
    """Return the tables of `prior.toml` with the fitted kinds replaced."""
    tables: dict[str, dict[str, Any]] = tomllib.loads(PRIOR_FILE.read_text(encoding="utf-8"))
    for kind, fit in fits.items():
        tables[kind] = format_kind(fit.weights, f"{made} ({fit.summary})")
    return dict(sorted(tables.items()))


def _parse_arguments(words: Sequence[str] | None) -> argparse.Namespace:
    parser = make_parser("fit_prior", __doc__)
    parser.add_argument(
        "kinds", nargs="+", choices=sorted(RULESETS_OF_KIND), metavar="KIND", help="duo, 2p, 3p or 4p"
    )
    parser.add_argument("--teacher", default="mcts:playouts=1000,width=120,heat=2", metavar="STRATEGY")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--decisions", type=int, default=2000, help="decisions of the teacher in each round")
    parser.add_argument("--seed", type=int, default=920_000)
    parser.add_argument("--write", action="store_true", help=f"write {PRIOR_FILE.name} in the game's folder")
    return parser.parse_args(words)


if __name__ == "__main__":
    main()
