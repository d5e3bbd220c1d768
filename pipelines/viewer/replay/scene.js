/*
 * Reading a scene. A scene may come from anybody, so everything is read into new objects of known types and sizes;
 * values that do not fit are left out. engine/scene.py describes the schema.
 */

import { asList, asNumber, asRecord, asSeat, asText, isWithin } from "./values.js";

const COLOURS = new Set(
  "plain ink muted blue yellow red green orange violet gold silver seat0 seat1 seat2 seat3".split(" "),
);
const GLYPHS = new Set(["circle", "cross", "gap", "block", "cube"]);
const DIE_STATES = new Set(["open", "taken", "kept"]);
export const LIMITS = { boards: 12, side: 64, seats: 12, trays: 48, pieces: 160, cells: 64, marks: 200, dice: 24, faces: 60, steps: 20000, options: 4500, comment: 20000 };
export const CHANCE = -1;
export const START = -1;

/** How the final scores compare with those of other games: {beaten, n} for each seat, or null if they are not given. */
export function readStandings(raw, players) {
  const rows = asList(raw, players).map(asRecord);
  const fits = ({ beaten, n }) => Number.isFinite(beaten) && beaten >= 0 && beaten <= 1 && isWithin(n, 1, Number.MAX_SAFE_INTEGER);
  return rows.length === players && rows.every(fits) ? rows.map(({ beaten, n }) => ({ beaten, n })) : null;
}

/** What people wrote on moves: a text by ply. */
export const readComments = (raw) => new Map(Object.entries(asRecord(raw)).slice(0, LIMITS.steps).map(([ply, text]) => [Number(ply), asText(text, LIMITS.comment)]));

export const playerName = (seat) => `Player ${seat + 1}`;

export const asColour = (value, fallback) => (COLOURS.has(value) ? value : fallback);

/**
 * Read a scene from JSON data.
 * @param {unknown} raw any value
 * @returns {object} the game; `problem` is a sentence if the game cannot be shown
 */
export function readScene(raw) {
  const scene = asRecord(raw);
  const players = Math.min(asList(scene.start_scores, LIMITS.seats).length, LIMITS.seats);
  const trays = asList(scene.trays, LIMITS.trays).map((tray) => readTray(asRecord(tray), players));
  const boards = [];
  let squares = 0;
  for (const rawBoard of asList(scene.boards, LIMITS.boards)) {
    const board = readBoard(asRecord(rawBoard), players, squares);
    boards.push(board);
    squares += board.size;
  }
  const marks = readMarks(scene.marks);
  const game = {
    name: asText(scene.game),
    ruleset: asText(scene.ruleset),
    title: asText(scene.title, 120),
    run: asText(scene.run),
    gameId: isWithin(scene.game_id, 0, Number.MAX_SAFE_INTEGER) ? scene.game_id : null,
    lowestWins: scene.lowest_wins === true,
    boards,
    squares,
    trays,
    marks: [...marks.values()],
    seats: readSeats(scene, players, boards, trays),
    startScores: readScores(scene.start_scores, players),
    startStatus: readStatus(scene.start_status, players),
    steps: [],
    ranks: null,
    problem: "",
  };
  readSteps(game, asList(scene.steps, LIMITS.steps), [...marks.keys()]);
  game.ranks = readRanks(game, scene.ranks);
  if (!game.steps.length && !boards.some((board) => board.size)) game.problem = "This scene has neither boards nor plies.";
  return game;
}

function readMarks(raw) {
  const marks = new Map();
  for (const [name, value] of Object.entries(asRecord(raw)).slice(0, LIMITS.marks)) {
    const mark = asRecord(value);
    if (!GLYPHS.has(mark.glyph)) continue;
    const colour = asColour(mark.colour, "ink");
    const letter = asText(mark.letter, 2);
    // A letter that is the number of a seat is shown as the number of the player.
    marks.set(name, { glyph: mark.glyph, colour, letter: colour === `seat${letter}` ? String(Number(letter) + 1) : letter });
  }
  return marks;
}

/** @returns {object} a board; a malformed board has size 0, so that the numbers of the other boards stay right */
function readBoard(raw, players, first) {
  const fits = isWithin(raw.columns, 1, LIMITS.side) && isWithin(raw.rows, 1, LIMITS.side);
  const columns = fits ? raw.columns : 0;
  const rows = fits ? raw.rows : 0;
  const size = columns * rows;
  const fills = asList(raw.fills, size);
  const labels = asList(raw.labels, size);
  const along = asList(raw.column_labels, columns);
  const up = asList(raw.row_labels, rows);
  return {
    name: asText(raw.name),
    seat: asSeat(raw.seat, players),
    columns,
    rows,
    size,
    first,
    fills: Array.from({ length: size }, (_, cell) => (fills[cell] === null ? null : asColour(fills[cell], "plain"))),
    labels: Array.from({ length: size }, (_, cell) => asText(labels[cell], 3)),
    columnLabels: Array.from({ length: columns }, (_, column) => asText(along[column], 3)),
    rowLabels: Array.from({ length: rows }, (_, row) => asText(up[row], 3)),
    columnNotes: asList(raw.column_notes, columns).map((note) => asText(note, 5)),
    rowNotes: asList(raw.row_notes, rows).map((note) => asText(note, 5)),
  };
}

function readTray(raw, players) {
  const pieces = asList(raw.pieces, LIMITS.pieces).map((value) => {
    const piece = asRecord(value);
    return { name: asText(piece.name, 40), group: asText(piece.group, 40), cells: readCells(piece.cells), spentAt: Infinity };
  });
  return { name: asText(raw.name), seat: asSeat(raw.seat, players), colour: asColour(raw.colour, "ink"), pieces };
}

/** @returns {[number, number, string][]} column, row and mark of each square of a small drawing */
function readCells(raw) {
  return asList(raw, LIMITS.cells)
    .filter((cell) => Array.isArray(cell) && isWithin(cell[0], 0, 11) && isWithin(cell[1], 0, 11))
    .map(([column, row, mark]) => [column, row, asText(mark, 4)]);
}

/** Return the name of a strategy without its parameters, unless these tell it from another player's. */
function shortenStrategy(strategy, all) {
  const [name] = strategy.split(":");
  return all.some((other) => other !== strategy && other.split(":")[0] === name) ? strategy : name;
}

function readSeats(scene, players, boards, trays) {
  const strategies = Array.from({ length: players }, (_, seat) => asText(asList(scene.strategies, players)[seat], 120));
  return Array.from({ length: players }, (_, seat) => {
    const own = boards.filter((board) => board.seat === seat && board.size);
    const colours = new Set(trays.filter((tray) => tray.seat === seat && tray.colour !== "ink").map((tray) => tray.colour));
    return {
      name: (own.length === 1 && own[0].name) || playerName(seat),
      strategy: strategies[seat],
      character: shortenStrategy(strategies[seat], strategies),
      // A seat that plays several colours gets a colour that no seat plays.
      colour: colours.size === 1 ? [...colours][0] : colours.size ? ["ink", "orange", "violet", "muted"][seat % 4] : `seat${seat % 4}`,
    };
  });
}

const readScores = (raw, players) => {
  const scores = asList(raw, players);
  return Array.from({ length: players }, (_, seat) => asNumber(scores[seat]));
};
const readStatus = (raw, players) => Array.from({ length: players }, (_, seat) => asText(asList(raw, players)[seat], 160));

/** Return the ranks at the end: those of the scene, else by score; null if the scene says that the game is not over. */
function readRanks(game, raw) {
  const players = game.seats.length;
  if (Array.isArray(raw)) {
    return raw.length === players && raw.every((rank) => isWithin(rank, 1, players)) ? [...raw] : null;
  }
  if (!game.steps.length) return null;
  const { scores } = game.steps.at(-1);
  const better = (a, b) => (game.lowestWins ? a < b : a > b);
  return scores.map((own) => 1 + scores.filter((other) => better(other, own)).length);
}

/**
 * Read the plies. The `changes` of a step are [square, key before, key after], so that a position can go one ply forwards
 * or backwards. A key is what a square shows: a mark and its joined neighbours (`squareKey`).
 */
function readSteps(game, raw, markNames) {
  const squares = new Int32Array(game.squares);
  const numbers = new Map(markNames.map((name, number) => [name, number]));
  let dice = [];
  let diceText = "[]";
  raw.map(asRecord).forEach((step, index) => {
    const text = JSON.stringify(step.dice ?? []);
    if (text !== diceText) {
      diceText = text;
      dice = asList(step.dice, LIMITS.dice).map((die) => readDie(asRecord(die)));
    }
    const spent = readSpentPieces(game, step.spend);
    for (const piece of spent) piece.spentAt = Math.min(piece.spentAt, index);
    game.steps.push({
      ply: isWithin(step.ply, 0, 1e9) ? step.ply : index,
      round: isWithin(step.round, 0, 1e9) ? step.round : 0,
      seat: asSeat(step.seat, game.seats.length) ?? CHANCE,
      kind: asText(step.kind, 24),
      notation: asText(step.notation, 200),
      caption: asText(step.caption, 400) || asText(step.notation, 200),
      piece: spent.find(({ cells }) => cells.length)?.name ?? "",
      changes: readPaintChanges(game, step.paint, numbers, squares),
      glow: asList(step.glow, game.squares).map((at) => squareAt(game, at)).filter((square) => square !== null),
      dice,
      scores: readScores(step.scores, game.seats.length),
      status: readStatus(step.status, game.seats.length),
    });
  });
}

const readSpentPieces = (game, raw) =>
  asList(raw, LIMITS.pieces)
    .map((at) => (Array.isArray(at) && at.every(Number.isInteger) ? game.trays[at[0]]?.pieces[at[1]] : null))
    .filter(Boolean);

export function readDie(raw) {
  return {
    name: asText(raw.name, 12),
    face: asText(raw.face, 24),
    pips: isWithin(raw.pips, 1, 9) ? raw.pips : null,
    cells: readCells(raw.cells),
    state: DIE_STATES.has(raw.state) ? raw.state : "open",
    note: asText(raw.note, 120),
  };
}

/** @returns {number | null} the number of a square, counted over all boards; null if there is no such square */
function squareAt(game, at) {
  if (!Array.isArray(at) || !Number.isInteger(at[0])) return null;
  const board = game.boards[at[0]];
  const isSquare = board && isWithin(at[1], 0, board.size - 1) && board.fills[at[1]] !== null;
  return isSquare ? board.first + at[1] : null;
}

function readPaintChanges(game, raw, numbers, squares) {
  const painted = new Map();
  for (const at of asList(raw, game.squares)) {
    const square = squareAt(game, at);
    if (square !== null && numbers.has(at[2])) painted.set(square, numbers.get(at[2]));
  }
  const lettered = new Set();
  return [...painted].map(([square, mark]) => {
    const before = squares[square];
    const board = findBoard(game, square);
    const sides = neighbourSides(board, square, (other) => painted.get(other) === mark);
    const isFirst = !lettered.has(`${board.first} ${mark}`);
    lettered.add(`${board.first} ${mark}`);
    squares[square] = squareKey(mark, sides, isFirst);
    return [square, before, squares[square]];
  });
}

export const findBoard = (game, square) => game.boards.find((board) => square >= board.first && square < board.first + board.size);

/** The name of a square, such as r12. */
export function squareName(game, square) {
  const board = findBoard(game, square);
  if (!board) return "";
  const cell = square - board.first;
  return board.columnLabels[cell % board.columns] + board.rowLabels[Math.floor(cell / board.columns)];
}

/** Return which of the four neighbours satisfy a condition, as a sum: 1 left, 2 right, 4 below, 8 above. */
function neighbourSides(board, square, isJoined) {
  const cell = square - board.first;
  const column = cell % board.columns;
  const row = Math.floor(cell / board.columns);
  return (
    (column > 0 && isJoined(square - 1) ? 1 : 0) |
    (column < board.columns - 1 && isJoined(square + 1) ? 2 : 0) |
    (row > 0 && isJoined(square - board.columns) ? 4 : 0) |
    (row < board.rows - 1 && isJoined(square + board.columns) ? 8 : 0)
  );
}

/** What a square shows, as one number: its mark, the sides with the same piece, and whether it has the letter; 0 is empty. */
const squareKey = (mark, sides, isLettered) => ((mark + 1) << 5) | (sides << 1) | (isLettered ? 1 : 0);
export const markOfKey = (key) => (key >> 5) - 1;
export const sidesOfKey = (key) => (key >> 1) & 15;
export const isLetteredKey = (key) => (key & 1) === 1;

/**
 * Create a position that can go to any ply of a game.
 * @param {object} game the result of `readScene`
 */
export function createPosition(game) {
  const squares = new Int32Array(game.squares);
  let at = START;
  return {
    squares,
    /** Go to a ply and return the squares that may look different. */
    go(target) {
      const touched = new Set();
      for (; at < target; at += 1) {
        for (const [square, , after] of game.steps[at + 1].changes) {
          squares[square] = after;
          touched.add(square);
        }
      }
      for (; at > target; at -= 1) {
        for (const [square, before] of game.steps[at].changes) {
          squares[square] = before;
          touched.add(square);
        }
      }
      return touched;
    },
  };
}
