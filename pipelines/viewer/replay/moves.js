/*
 * Names of moves, squares and players, as people use them: "L5 at r12", "player 1", rounds and moves from 1.
 * The scene and the log count from 0.
 */

import { drawShape } from "./draw.js";
import { formatNumber } from "./numbers.js";
import { CHANCE, findBoard, markOfKey, squareName, START } from "./scene.js";

/** "Round 3 \u00b7 move 17 of 83"; while a game is being played, its length is not known. */
export function describePlace(game, at) {
  if (at === START) return game.isInProgress ? "Start" : `Start \u00b7 ${game.steps.length} moves to come`;
  const step = game.steps[at];
  if (game.isInProgress) return `Round ${step.round + 1} \u00b7 move ${step.ply + 1}`;
  return `Round ${step.round + 1} \u00b7 move ${step.ply + 1} of ${game.steps.at(-1).ply + 1}`;
}

/** A throw, or the choice of the dice to keep: it prepares a move and changes nothing on a board. */
export const isPreparation = (step) => step.seat === CHANCE || step.kind === "keep";

/** Return the seat that makes the move of a ply, or the next one after a roll; undefined after the last one. */
export const moverAt = (game, at) => game.steps.slice(Math.max(0, at)).find(({ seat }) => seat !== CHANCE)?.seat;

/** Say what is about to happen: "To move: Player 1 (blue), who now places W5." */
export function describeNext(game, step, isBlind) {
  const { name } = game.seats[step.seat] ?? {};
  if (isBlind) return `To move: ${name}`;
  const [, colour = "", rest] = (step.caption.startsWith(name) && step.caption.slice(name.length).match(/^( \([^)]*\))? (.+)$/)) || [];
  return rest ? `To move: ${name}${colour}, who now ${rest}` : `Now: ${step.caption}`;
}

/** Whether the players of a game throw several times before a move. */
export const hasThrows = (game) => game.steps.some((step) => step.kind === "keep");

/** Return the plies that end a turn: all moves except preparations. */
export const turnEnds = (game) => game.steps.flatMap((step, at) => (isPreparation(step) ? [] : [at]));

/** Return the colour of what a ply paints: that of a piece, or else that of the seat. */
export function moveColour(game, step) {
  const painted = step.changes.find(([, , key]) => key);
  const colour = painted ? game.marks[markOfKey(painted[2])].colour : "ink";
  return colour === "ink" || colour === "muted" ? (game.seats[step.seat]?.colour ?? "ink") : colour;
}

/** Return the numbers of the squares that a ply fills, without the gaps below them. */
export function filledSquares(game, step) {
  return step.changes.filter(([, , key]) => key && game.marks[markOfKey(key)].glyph !== "gap").map(([square]) => square);
}

/** Return [column, row, mark] of squares, moved to the corner; `circled` are those with a ring. */
export function shapeOfSquares(game, squares, circled) {
  const board = findBoard(game, squares[0]);
  const points = squares.map((square) => [(square - board.first) % board.columns, Math.floor((square - board.first) / board.columns), circled.has(square) ? "o" : ""]);
  const [left, low] = [0, 1].map((axis) => Math.min(...points.map((point) => point[axis])));
  return points.map(([column, row, mark]) => [column - left, row - low, mark]);
}

/** The square that names the place of a shape: the leftmost one of its lowest row. */
export const anchorSquare = (squares) => Math.min(...squares);

/** Return the name of the die that a notation begins with: "A" in "A:a3,b3o". */
export const dieOfNotation = (notation) => notation.match(/^([^:,]{1,8}):/)?.[1] ?? "";

/**
 * Describe the move of a ply for lists.
 * @returns {{text: string, cells: [number, number, string][]}} `cells` is the shape, empty for a move without a shape
 */
export function describeMove(game, step) {
  const squares = filledSquares(game, step);
  if (!squares.length) return { text: describeQuietMove(step), cells: [] };
  const board = findBoard(game, squares[0]);
  const own = squares.filter((square) => findBoard(game, square) === board);
  const circled = new Set(step.changes.filter(([, , key]) => key && game.marks[markOfKey(key)].glyph === "circle").map(([square]) => square));
  const place = squareName(game, anchorSquare(own));
  const piece = step.piece || step.dice.find(({ name, cells }) => cells.length && name === dieOfNotation(step.notation))?.face || "";
  if (own.length === 1 && !piece) return { text: place, cells: [] };
  return { text: `${piece || `${own.length} squares`} at ${place}`, cells: shapeOfSquares(game, own, circled) };
}

const PASSES = new Set(["out", "forfeit", "discard"]);

export function describeQuietMove(step) {
  if (step.kind === "keep") return step.notation === "0" ? "keeps nothing" : `keeps ${step.notation}`;
  return PASSES.has(step.kind) ? step.kind : step.notation;
}

/** Draw the shape of a move, small enough for a line of text. */
export function drawMove(cells, room = 20) {
  const longest = Math.max(...cells.map(([column, row]) => Math.max(column, row))) + 1;
  return drawShape(cells, Math.max(3, Math.min(room > 20 ? 8 : 6, room / longest)), { class: "move-shape", "aria-hidden": "true" });
}

/** Return the points that the acting seat gained by a ply. */
export const seatGain = (game, at) => game.steps[at].scores[game.steps[at].seat] - (game.steps[at - 1]?.scores ?? game.startScores)[game.steps[at].seat];

/** Whether a ply scored squares that were filled before, so that its points are worth telling. */
export const hasGain = (game, at) => game.steps[at].seat !== CHANCE && game.steps[at].glow.length > 0 && seatGain(game, at) !== 0;

/** Return the first ply of every round. */
export function roundStarts(game) {
  return game.steps.flatMap((step, at) => (at === 0 || game.steps[at - 1].round !== step.round ? [at] : []));
}

/** "Player 2 wins by 7", "Players 1 and 3 share the win". */
export function describeResult(game) {
  const { ranks } = game;
  const scores = game.steps.at(-1).scores;
  const winners = game.seats.map((_, seat) => seat).filter((seat) => ranks[seat] === 1);
  if (winners.length > 1) return `${winners.map((seat) => game.seats[seat].name).join(" and ")} share the win`;
  const [winner] = winners;
  if (winner === undefined) return "The game is over";
  const seconds = game.seats.map((_, seat) => seat).filter((seat) => ranks[seat] === 2);
  const margin = seconds.length ? Math.abs(scores[winner] - scores[seconds[0]]) : 0;
  if (!seconds.length) return `${game.seats[winner].name} ends with ${formatNumber(scores[winner])}`;
  return margin ? `${game.seats[winner].name} wins by ${margin}` : `${game.seats[winner].name} wins after a tie of scores`;
}
