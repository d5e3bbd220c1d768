/*
 * What is in a review. Like a scene it may come from anybody: everything is read into fresh objects of known types,
 * and a review that is not of this game gives a sentence instead. It may be on its way still: what is not known yet is
 * null. Written by dashboard/replay/review_document.py.
 */

/** How good a choice was, best first; those with a glyph are marked wherever the ply is shown. */
const CLASSES = {
  best: { glyph: "", one: "best", many: "best" },
  good: { glyph: "", one: "good", many: "good" },
  unclear: { glyph: "", one: "not enough playouts to tell", many: "not enough playouts to tell" },
  inaccuracy: { glyph: "?!", one: "inaccuracy", many: "inaccuracies" },
  mistake: { glyph: "?", one: "mistake", many: "mistakes" },
  blunder: { glyph: "??", one: "blunder", many: "blunders" },
};
const CLASS_NAMES = Object.keys(CLASSES);
const MARKED = CLASS_NAMES.filter((name) => CLASSES[name].glyph);
const LEDGER_PARTS = ["start", "luck", "own choices", "others", "result"];

const areNumbers = (value, length) => Array.isArray(value) && value.length === length && value.every(Number.isFinite);

/**
 * Read a review from JSON data.
 * @param {unknown} raw anything at all
 * @param {object} game what `readScene` returned
 * @returns {object | null} null if there is none; `problem` is a sentence if there is nothing to show
 */
function readReview(raw, game) {
  if (raw === null || raw === undefined) return null;
  const review = asRecord(raw);
  const [scores, wins] = [review.scores, review.wins].map((rows) => readRows(rows, game));
  const [points, shares] = [review.ledgers, review.win_ledgers].map((rows) => readLedgers(rows, game));
  const isStrange = [review.ledgers, review.win_ledgers].some((rows) => rows !== null && !readLedgers(rows, game));
  if (!scores || !wins || isStrange) return { problem: "This review cannot be shown: it is not of this game." };
  const at = new Map(game.steps.map((step, index) => [step.ply, index]));
  const decisions = readPlies(review.decisions, at, (made) => readDecision(made, game));
  const rolls = readPlies(review.rolls, at, (roll) => readRoll(roll, game));
  const marked = [...decisions].filter(([, { judged }]) => CLASSES[judged].glyph).map(([index]) => index);
  return {
    problem: asText(review.error, 300) && `The review broke off: ${asText(review.error, 300)}`,
    done: Math.min(asCount(review.done), asCount(review.steps)),
    steps: asCount(review.steps),
    get isDone() {
      return this.done >= this.steps;
    },
    policy: asText(review.policy, 60),
    playouts: asCount(review.playouts),
    duel: asCount(review.duel),
    candidates: asCount(review.candidates),
    large: asNumber(review.large),
    scores,
    wins,
    ledgers: points && shares ? { points, wins: shares } : null,
    counts: game.seats.map((_, seat) => readCounts(asList(review.counts, game.seats.length)[seat])),
    decisions,
    rolls,
    mistakes: marked.sort((a, b) => a - b),
    largeRolls: [...rolls].filter(([, { large }]) => large !== null).map(([index]) => index).sort((a, b) => a - b),
  };
}

const asCount = (value) => (isWithin(value, 0, 1e9) ? value : 0);

const readPair = (pair) => (areNumbers(pair, 2) ? [pair[0], Math.abs(pair[1])] : null);
const arePairs = (row, length) => Array.isArray(row) && row.length === length && row.every((pair) => areNumbers(pair, 2));

/** @returns {(number[][] | null)[] | null} [estimate, half] of every seat before every ply and at the end */
function readRows(raw, game) {
  const fits = (row) => row === null || arePairs(row, game.seats.length);
  if (!Array.isArray(raw) || raw.length !== game.steps.length + 1 || !raw.every(fits)) return null;
  return raw.map((row) => row && row.map(readPair));
}

function readLedgers(raw, game) {
  if (!Array.isArray(raw) || raw.length !== game.seats.length) return null;
  return raw.every((row) => arePairs(row, LEDGER_PARTS.length)) ? raw.map((row) => row.map(readPair)) : null;
}

function readCounts(raw) {
  const counts = asRecord(raw);
  return Object.fromEntries(CLASS_NAMES.map((name) => [name, asCount(counts[name])]));
}

function readPlies(raw, at, read) {
  const found = asList(raw, MOST.steps).map(asRecord).filter(({ ply }) => at.has(ply));
  return new Map(found.map((one) => [at.get(one.ply), read(one)]));
}

function readDecision(raw, game) {
  return {
    judged: Object.hasOwn(CLASSES, raw.judged) ? raw.judged : "unclear",
    options: asCount(raw.options),
    better: asText(raw.better, 200),
    squares: asList(raw.squares, game.squares).map((at) => squareAt(game, at)).filter((square) => square !== null),
    points: readPair(raw.points),
    wins: readPair(raw.wins),
  };
}

function readRoll(raw, game) {
  const players = game.seats.length;
  const [points, wins] = [raw.points, raw.wins].map((row) => (arePairs(row, players) ? row.map(readPair) : null));
  return { points, wins, large: points && wins ? asSeat(raw.large, players) : null };
}

/** The squares of the better choice at a ply, if there was one. */
function ghostOf(review, at) {
  const decision = review?.decisions?.get(at);
  return decision && decision.judged !== "best" ? decision.squares : [];
}

/** The mark of a ply for lists: glyph, words and a class name; null if it has none. */
function markOfPly(review, game, at) {
  const decision = review.decisions.get(at);
  if (decision && CLASSES[decision.judged].glyph) {
    return { glyph: CLASSES[decision.judged].glyph, words: CLASSES[decision.judged].one, kind: decision.judged };
  }
  const roll = review.rolls.get(at);
  if (!roll || roll.large === null) return null;
  const [luck] = roll.wins[roll.large];
  const words = `${luck > 0 ? "lucky" : "unlucky"} for ${game.seats[roll.large].name}: ${percent(luck, true)} of the win`;
  return { glyph: `${luck > 0 ? "\u25b2" : "\u25bc"}${roll.large}`, words, kind: luck > 0 ? "lucky" : "unlucky" };
}

/** A share as whole percents. */
function percent(share, isSigned = false) {
  const number = Math.round(100 * share) || 0;
  return `${isSigned ? signed(number) : minus(number)}\u202f%`;
}

/** Points to a tenth. */
function tenths(points, isSigned = false) {
  const text = (Math.round(10 * points) / 10 || 0).toFixed(1);
  return isSigned && Number(text) > 0 ? `+${text}` : minus(text);
}

/** Half a band: "\u00b14", or nothing where the figure is exact. */
const halfShare = (half) => (half ? `\u00b1${Math.round(100 * half) || "<1"}` : "");
const halfPoints = (half) => (half ? `\u00b1${half.toFixed(1)}` : "");

/** "3.2 points (\u00b10.8)" or "16 % (\u00b14) of the win"; without the brackets where the figure is exact. */
const pointsText = ([value, half]) => `${tenths(value)} points${half ? ` (${halfPoints(half)})` : ""}`;
const winsText = ([value, half]) => `${percent(value)}${half ? ` (${halfShare(half)})` : ""} of the win`;
