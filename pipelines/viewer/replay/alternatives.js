/*
 * The legal actions at a ply, as the page around the replay gives them.
 */

import { layFlat } from "./draw.js";
import { anchorSquare, describeQuietMove, dieOfNotation, shapeOfSquares } from "./moves.js";
import { CHANCE, LIMITS, squareName } from "./scene.js";
import { asCount, asList, asRecord, asSeat, asText, isWithin } from "./values.js";

/** Return the middle of squares as [column, row] on their board. */
export function middleOfSquares(board, squares) {
  const sum = squares.reduce(([x, y], square) => [x + ((square - board.first) % board.columns), y + Math.floor((square - board.first) / board.columns)], [0, 0]);
  return sum.map((value) => value / squares.length + 0.5);
}

/**
 * Read the legal actions at a ply: those with squares are placements, by shape, in an order that stays the
 * same during a game; the others are a list.
 * @param {unknown} raw the response to `look`
 */
export function readAlternatives(game, raw) {
  const seen = asRecord(raw);
  const board = Number.isInteger(seen.board) ? game.boards[seen.board] : null;
  const groups = new Map();
  const others = [];
  for (const value of asList(seen.options, LIMITS.options)) {
    const option = asRecord(value);
    const action = asText(option.action, 200);
    const squares = board ? asList(option.cells, board.size).filter((cell) => isWithin(cell, 0, board.size - 1)).map((cell) => cell + board.first) : [];
    if (!squares.length) {
      others.push({ action, kind: asText(option.kind, 24), dice: asList(option.dice, LIMITS.dice).map((face) => asText(face, 24)), share: Number.isFinite(option.share) ? option.share : null });
      continue;
    }
    const [piece, die] = [asText(option.piece, 24), asText(option.die, 12)];
    const isStruck = dieOfNotation(action).includes("!");
    const name = `${die} ${isStruck ? "!" : ""} ${piece}`;
    if (!groups.has(name)) groups.set(name, { piece, die, isStruck, placements: [] });
    groups.get(name).placements.push(readPlacement(game, board, { action, name: asText(option.name, 200), piece }, squares));
  }
  return {
    seat: asSeat(seen.seat, game.seats.length) ?? CHANCE,
    board,
    total: asCount(seen.total),
    groups: [...groups.values()].map((group) => ({ ...group, cells: groupCells(game, group) })).sort(compareGroups),
    others,
    strategies: asList(seen.strategies, 40).map(asRecord).map(({ name, title, slow }) => ({ name: asText(name, 60), title: asText(title, 200), isSlow: slow === true })),
    rules: asList(seen.rules, 200).map(asRecord).map(({ key, title, now }) => ({ key: asText(key, 60), title: asText(title, 200), now: asText(now, 300) })),
    usual: asList(seen.usual, 2).map((number) => asText(number)),
    quick: Object.entries(asRecord(seen.quick)).slice(0, LIMITS.seats).map(([seat, name]) => [Number(seat), asText(name, 60)]),
  };
}

/** Return the shape that stands for a group: that of its tray, so that it lies alike during a game, or else one that is legal. */
function groupCells(game, { piece, placements }) {
  const kept = game.trays.flatMap(({ pieces }) => pieces).find(({ name, cells }) => cells.length && name === piece);
  return kept ? layFlat(kept.cells) : placements.reduce((least, other) => (other.outline < least.outline ? other : least)).cells;
}

/** Compare groups by die, size and name: the order of the legal actions is another one at each move. */
function compareGroups(a, b) {
  const compareText = (one, two) => one.localeCompare(two, "en", { numeric: true });
  return compareText(a.die, b.die) || a.isStruck - b.isStruck || a.cells.length - b.cells.length || compareText(a.piece, b.piece);
}

/** Read a placement with the name that tells it from the other legal ones, or else its shape and its square: "L5 at r12", "r12". */
function readPlacement(game, board, { action, name, piece }, squares) {
  const ringed = new Set([...action.matchAll(/([a-x]\d{1,2})o(?=,|$)/g)].map(([, name]) => name));
  const circled = new Set(squares.filter((square) => ringed.has(squareName(game, square))));
  const cells = shapeOfSquares(game, squares, circled);
  const outline = cells.map(String).sort().join(" ");
  const place = squareName(game, anchorSquare(squares));
  return { action, name: name || (piece ? `${piece} at ${place}` : place), squares, circled, cells, outline, middle: middleOfSquares(board, squares), place };
}

/** Return the colour of the pieces that are placed with a colour, null if no pieces have it. */
export const pieceColour = (game, colour) => (game.trays.some((tray) => tray.colour === colour && colour !== "ink") ? colour : null);

/** "Player 1", or "Player 1, blue" if the pieces of the move are in one of several colours of the player. */
export function nameMover(game, seat, colour) {
  const { name, colour: own } = game.seats[seat];
  return pieceColour(game, colour) && colour !== own ? `${name}, ${colour}` : name;
}

/** Return the placement of an action among those that `readAlternatives` has read, with its group; nothing if it is not a placement. */
export function findPlacement(action, look) {
  for (const group of look?.groups ?? []) {
    const placement = group.placements.find((candidate) => candidate.action === action);
    if (placement) return { group, placement };
  }
  return {};
}

/** Return the name of an action; any action except a placement keeps its notation. */
export const nameAction = (action, look) => findPlacement(action, look).placement?.name ?? action;

/** Read one action with its name, and its squares on a board of the game if it has any. */
export function readChoice(game, board, raw) {
  const { groups, others } = readAlternatives(game, { board, options: [raw] });
  const [placement] = groups[0]?.placements ?? [];
  if (placement) return { action: placement.action, name: placement.name, squares: placement.squares, circled: placement.circled, cells: placement.cells };
  const { action, kind } = others[0];
  return { action, name: describeQuietMove({ kind, notation: action }), squares: [], cells: [] };
}
