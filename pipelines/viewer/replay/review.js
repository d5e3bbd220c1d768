/*
 * Reading a review. Like a scene it may come from anybody, so everything is read into new objects of known types; a review
 * of another game gives a sentence. A review may be unfinished: values that are not known yet are null.
 * pipelines/report/game.py writes it.
 */

import { readChoice } from "./alternatives.js";
import { formatPercent } from "./numbers.js";
import { LIMITS } from "./scene.js";
import { areNumbers, asCount, asList, asNumber, asRecord, asSeat, asText } from "./values.js";

/** The classes of choices, best first. A ply of a class with a glyph is marked in all views. */
export const CLASSES = {
  best: { glyph: "", singular: "best", plural: "best" },
  good: { glyph: "", singular: "good", plural: "good" },
  unclear: { glyph: "", singular: "not enough playouts to tell", plural: "not enough playouts to tell" },
  inaccuracy: { glyph: "?!", singular: "inaccuracy", plural: "inaccuracies" },
  mistake: { glyph: "?", singular: "mistake", plural: "mistakes" },
  blunder: { glyph: "??", singular: "blunder", plural: "blunders" },
};
export const CLASS_NAMES = Object.keys(CLASSES);
export const MARKED_CLASSES = CLASS_NAMES.filter((name) => CLASSES[name].glyph);
/** What choices are judged by. Where the win was nearly decided, they are judged by points in any case. */
export const MEASURES = { win: "win chance", points: "points" };
export const LEDGER_PARTS = ["start", "luck", "own choices", "others", "result"];
export const MOST_MOVES = 5; // that a decision shows as its best ones
const MOST_COLUMNS = 9; // of the account
const MOST_MOMENTS = 7; // of the story

/**
 * Read a review from JSON data.
 * @param {unknown} raw any value
 * @param {object} game the result of `readScene`
 * @param {"win" | "points"} measure what choices are judged by
 * @param {number | null} only the seat whose slips are listed
 * @param {object[]} valued decisions whose likely moves have all been valued since, which count in place of those of the review
 * @returns {object | null} null if there is no review; `problem` is a sentence if the review cannot be shown
 */
export function readReview(raw, game, measure, only = null, valued = []) {
  if (raw === null || raw === undefined) return null;
  const review = asRecord(raw);
  const [scores, wins] = [review.scores, review.wins].map((rows) => readRows(rows, game));
  const [points, shares] = [review.ledgers, review.win_ledgers].map((rows) => readLedgers(rows, game));
  const hasBadLedger = [review.ledgers, review.win_ledgers].some((rows) => rows !== null && !readLedgers(rows, game));
  if (!scores || !wins || hasBadLedger) return { problem: "This review cannot be shown: it does not belong to this game." };
  const at = new Map(game.steps.map((step, index) => [step.ply, index]));
  const decisions = readPlies([...asList(review.decisions, LIMITS.steps), ...valued], at, (decision) => readDecision(decision, game, measure));
  const rolls = readPlies(review.rolls, at, (roll) => readRoll(roll, game));
  const isListed = (index, { judged }) => CLASSES[judged].glyph && (only === null || game.steps[index].seat === only);
  const marked = [...decisions].filter(([index, decision]) => isListed(index, decision)).map(([index]) => index);
  return {
    problem: asText(review.error, 300) && `The review failed: ${asText(review.error, 300)}`,
    done: Math.min(asCount(review.done), asCount(review.steps)),
    steps: asCount(review.steps),
    measure,
    spread: asNumber(review.spread),
    get isDone() {
      return this.done >= this.steps;
    },
    players: asText(review.players, 100) || `quick players (${asText(review.policy, 60).split(":")[0]})`,
    account: readAccount(asRecord(review.accounts)[measure], game.seats.length),
    story: readStory(asRecord(review.stories)[measure], at),
    people: asList(review.people, game.seats.length).filter((seat) => asSeat(seat, game.seats.length) !== null),
    playouts: asCount(review.playouts),
    duel: asCount(review.duel),
    candidates: asCount(review.candidates),
    large: asNumber(review.large),
    scores,
    wins,
    ledgers: points && shares ? { points, wins: shares } : null,
    counts: game.seats.map((_, seat) => countClasses([...decisions].filter(([index]) => game.steps[index].seat === seat))),
    decisions,
    rolls,
    mistakes: marked.sort((a, b) => a - b),
    largeRolls: [...rolls].filter(([, { large }]) => large !== null).map(([index]) => index).sort((a, b) => a - b),
  };
}

/** Read what a review says first: a table with a row for each player; null without it. */
function readAccount(raw, seats) {
  const { title, columns, rows, caption } = asRecord(raw);
  const texts = (list) => asList(list, MOST_COLUMNS).map((text) => (Number.isFinite(text) ? String(text) : text === null ? "\u2013" : asText(text, 100)));
  const table = { title: asText(title, 100), columns: texts(columns), rows: asList(rows, seats).map(texts), caption: asText(caption, 400) };
  return table.rows.length === seats && table.rows.every((row) => row.length === table.columns.length) ? table : null;
}

/** Read the moments that decided the game: the step of each, and a sentence. */
function readStory(raw, at) {
  const moments = asList(raw, MOST_MOMENTS).filter((moment) => Array.isArray(moment) && at.has(moment[0]));
  return moments.map(([ply, text]) => ({ index: at.get(ply), text: asText(text, 400) }));
}

const readPair = (pair) => (areNumbers(pair, 2) ? [pair[0], Math.abs(pair[1])] : null);
const arePairs = (row, length) => Array.isArray(row) && row.length === length && row.every((pair) => areNumbers(pair, 2));

/** @returns {(number[][] | null)[] | null} [estimate, half width] of every seat before every ply and at the end */
function readRows(raw, game) {
  const fits = (row) => row === null || arePairs(row, game.seats.length);
  if (!Array.isArray(raw) || raw.length !== game.steps.length + 1 || !raw.every(fits)) return null;
  return raw.map((row) => row && row.map(readPair));
}

function readLedgers(raw, game) {
  if (!Array.isArray(raw) || raw.length !== game.seats.length) return null;
  return raw.every((row) => arePairs(row, LEDGER_PARTS.length)) ? raw.map((row) => row.map(readPair)) : null;
}

/** Count the decisions of each class, given with their steps. */
const countClasses = (entries) => Object.fromEntries(CLASS_NAMES.map((name) => [name, entries.filter(([, { judged }]) => judged === name).length]));

function readPlies(raw, at, read) {
  const records = asList(raw, 2 * LIMITS.steps).map(asRecord).filter(({ ply }) => at.has(ply));
  return new Map(records.map((record) => [at.get(record.ply), read(record)]));
}

/**
 * Read a decision with its best moves, and behind the fifth only the move that was played. The first one was chosen by other playouts than those
 * that value it, so it stays the first one whatever they say; the others follow by their values. By points, which choose none, all do.
 */
export function readDecision(raw, game, measure) {
  const judged = measure === "points" ? raw.judged_by_points : raw.judged;
  const isByPoints = measure === "points" || raw.nearly_decided === true;
  const played = game.steps.find(({ ply }) => ply === raw.ply)?.notation;
  const moves = asList(raw.moves, 2 * MOST_MOVES).map((move) => ({ ...readChoice(game, raw.board, move), ...readValues(asRecord(move), isByPoints) }));
  const [sign, unit] = isByPoints ? [game.lowestWins ? -1 : 1, "score"] : [1, "wins"];
  const worth = (move) => (move[unit] ? sign * move[unit][0] : -1e9);
  const leader = measure === "points" ? null : moves[0];
  moves.sort((a, b) => (b === leader) - (a === leader) || worth(b) - worth(a));
  const lastTie = moves.findLastIndex((move) => !move.isBehind && move[unit]); // a move without a value tells nothing of others
  for (const move of moves.slice(0, Math.max(0, lastTie))) move.isBehind = false; // what stands before a move that may be as good is called so, too
  return {
    judged: Object.hasOwn(CLASSES, judged) ? judged : "unclear",
    isNearlyDecided: raw.nearly_decided === true,
    n: asCount(raw.n),
    won: readPair(raw.won),
    options: asCount(raw.options),
    better: asText(raw.better, 200),
    players: asText(raw.players, 300),
    playouts: asCount(raw.playouts),
    isByPoints,
    moves: moves.filter(({ action }, index) => index < MOST_MOVES || action === played),
    points: readPair(raw.points),
    wins: readPair(raw.wins),
  };
}

/** Read the values of a move, and whether it is clearly worse than the first one by the measure that sorts the moves. */
const readValues = ({ wins, score, behind_by_win, behind_by_points }, isByPoints) => ({ wins: readPair(wins), score: readPair(score), isBehind: (isByPoints ? behind_by_points : behind_by_win) === true });

function readRoll(raw, game) {
  const players = game.seats.length;
  const [points, wins] = [raw.points, raw.wins].map((row) => (arePairs(row, players) ? row.map(readPair) : null));
  return { points, wins, large: points && wins ? asSeat(raw.large, players) : null };
}

/** Return the number of the better choice among the `moves` that are shown, which it bears on the board; 0 if it lies on none. */
export const betterNumber = ({ better }, moves) => 1 + moves.slice(0, MOST_MOVES).findIndex(({ action, squares }) => action === better && squares.length > 0);

/** Return the mark of a ply in lists: glyph, words and a class name; null if it has none. */
export function plyMark(review, game, at) {
  const decision = review.decisions.get(at);
  if (decision && CLASSES[decision.judged].glyph) {
    return { glyph: CLASSES[decision.judged].glyph, words: CLASSES[decision.judged].singular, kind: decision.judged };
  }
  const roll = review.rolls.get(at);
  if (!roll || roll.large === null) return null;
  const [luck] = roll.wins[roll.large];
  const words = `${luck > 0 ? "lucky" : "unlucky"} roll for ${game.seats[roll.large].name}: ${formatPercent(luck, true)} of the win, compared with the average roll`;
  return { glyph: `${luck > 0 ? "\u25b2" : "\u25bc"}${roll.large + 1}`, words, kind: luck > 0 ? "lucky" : "unlucky" };
}

