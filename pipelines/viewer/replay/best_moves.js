/*
 * The best moves at a ply: a list of them with their values, and the same moves as numbered ghosts on the board.
 */

import { createButton, html, setText } from "./draw.js";
import { drawMove } from "./moves.js";
import { formatPercent, formatPointsHalf, formatShareHalf, formatTenths } from "./numbers.js";
import { MOST_MOVES } from "./review.js";
import { CHANCE } from "./scene.js";

/** Return the value of a move as [estimate, half width] in words: the win chance, or the final score; a dash if it is not known. */
function valueTexts({ wins, score }, isByPoints) {
  if (isByPoints) return score ? [formatTenths(score[0]), formatPointsHalf(score[1])] : ["\u2013", ""];
  return wins ? [formatPercent(wins[0]), formatShareHalf(wins[1])] : ["\u2013", ""];
}

const isTie = ({ isBehind }, index) => index > 0 && !isBehind;

/** Return what stands in small print below the name of a move. */
const rowNotes = (move, index, isPlayed) => [isPlayed ? "played" : "", isTie(move, index) ? "may be as good" : ""].filter(Boolean);

const rowValue = (move, isByPoints) => {
  const [value, half] = valueTexts(move, isByPoints);
  return [value, html("small", {}, half)];
};

/** Say who plays on in the values of best moves, in the words of an answer: those who play on in it, or those of the review. */
export const describeValuing = (players, reviewers) => players || (reviewers ? `if ${reviewers} play on` : "");

/** "2: L5 at r12, as played: win chance 54 % \u00b15, final score 61.3 \u00b10.8; not clearly worse than 1"; a move that is not among the best has no number. */
function describeMoveValue(move, index, isPlayed) {
  const rank = index < MOST_MOVES ? `${index + 1}: ` : "";
  const tie = isTie(move, index) ? "; not clearly worse than 1" : "";
  const [wins, score] = [false, true].map((isByPoints) => valueTexts(move, isByPoints).join(" ").trim());
  return `${rank}${move.name}${isPlayed ? ", as played" : ""}: win chance ${wins}, final score ${score}${tie}`;
}

/** Say why a ply has no best moves; `isKnown` is whether its moves have been valued. */
export function describeNoMoves(step, isKnown) {
  if (!step) return "No move has been made yet.";
  if (step.seat === CHANCE) return "The dice decide here.";
  return isKnown ? "There was no other legal move." : "Valuing the moves \u2026";
}

/**
 * Return, for each ghost, the square that bears its number: one that few ghosts cover and that bears no other number.
 * @param {{squares: number[]}[]} ghosts
 */
function labelSquares(ghosts) {
  const labels = [];
  for (const { squares } of ghosts) {
    const crowd = (square) => ghosts.filter((other) => other.squares.includes(square)).length + 100 * labels.filter((label) => label === square).length;
    labels.push(squares.toSorted((a, b) => crowd(a) - crowd(b))[0]);
  }
  return labels;
}

/** Return the moves that overlap a better one which overlaps none itself. */
function findCovered(moves) {
  const free = [];
  for (const move of moves) if (!free.some(({ squares }) => squares.some((square) => move.squares.includes(square)))) free.push(move);
  return new Set(moves.filter((move) => !free.includes(move)));
}

/**
 * Create the view of the best moves.
 * @param {{tryMove: Function | null, ghost: Function}} commands `tryMove` asks what if an action had been made, with whether it was, null where nobody answers;
 *   `ghost` shows the moves on the board or hides them
 */
export function createBestMovesView(stage, { tryMove, ghost }) {
  const list = html("ol");
  const note = html("p", { class: "note" });
  const basis = html("small");
  const onBoard = createButton({ title: "Show the best moves on the board (G)" }, ghost, "on the board");
  const node = html("section", { class: "best-moves", "aria-label": "Best moves", hidden: true }, html("header", { class: "course-head in-row apart" }, html("h2", {}, "Best moves", basis), onBoard), list, note);
  let shown = { at: null, moves: [], played: "", isOnBoard: false, others: [] };
  let listed = "";
  let chosen = null; // the action that a person has chosen at this ply
  let raised = null; // the index of the move that a person points at

  function raise(index) {
    if (index === raised) return;
    raised = index;
    requestAnimationFrame(draw); // a ghost that is drawn anew between leaving a row and entering the ghost would miss the pointer
  }

  function draw() {
    const strong = raised ?? shown.moves.findIndex(({ action }) => action === chosen);
    [...list.children].forEach(({ firstChild: row }, index) => {
      row.toggleAttribute("data-raised", index === strong);
      row.setAttribute("aria-pressed", String(shown.moves[index].action === chosen));
    });
    const best = shown.isOnBoard ? shown.moves.slice(0, MOST_MOVES).filter(({ squares }) => squares.length) : [];
    const labels = labelSquares(best);
    const covered = findCovered(best);
    const ghosts = best.map((move, place) => {
      const index = shown.moves.indexOf(move);
      const isStrong = index === strong;
      return { squares: move.squares, isCovered: covered.has(move), isBehind: move.isBehind, rank: index + 1, label: labels[place], text: isStrong ? valueTexts(move, shown.isByPoints).join(" ") : "", isStrong, colour: shown.colour, title: describeMoveValue(move, index, move.action === shown.played) };
    });
    stage.showGhosts([...shown.others, ...ghosts.toSorted((a, b) => a.isStrong - b.isStrong)]);
  }

  function createRow(move, index) {
    const isPlayed = move.action === shown.played;
    const words = describeMoveValue(move, index, isPlayed);
    const row = createButton(
      { "aria-label": words, title: words },
      () => choose(index),
      html("b", { class: "rank", "data-behind": move.isBehind }, index < MOST_MOVES ? String(index + 1) : "\u2013"),
      shown.moves.some(({ cells }) => cells.length) ? html("span", { class: "shape" }, move.cells.length ? drawMove(move.cells) : "") : "",
      html("span", { class: "move-name" }, html("span", {}, move.name), ...rowNotes(move, index, isPlayed).map((note) => html("small", {}, note))),
      html("span", { class: "value" }, ...rowValue(move, shown.isByPoints)),
    );
    for (const type of ["pointerenter", "focus"]) row.addEventListener(type, () => raise(index));
    for (const type of ["pointerleave", "blur"]) row.addEventListener(type, () => raise(null));
    return html("li", {}, row);
  }

  /** Choose a move: it becomes strong on the board, and What if plays it on, or says that it is the one that was played. */
  function choose(index) {
    const { action } = shown.moves[index];
    chosen = action;
    draw();
    tryMove?.(action, action === shown.played);
  }

  const indexUnder = (event) => {
    const rank = event.target.closest?.(".ghost[data-rank]")?.getAttribute("data-rank");
    return rank ? Number(rank) - 1 : null;
  };
  let pressed = null; // the index of the move on which a pointer went down
  stage.node.addEventListener("pointerover", (event) => raise(indexUnder(event)));
  stage.node.addEventListener("pointerleave", () => raise(null));
  stage.node.addEventListener("pointerdown", (event) => { pressed = event.button === 0 ? indexUnder(event) : null; });
  // There is no click where the ghost has been drawn anew between press and release, as it is when the pointer has just come.
  stage.node.addEventListener("pointerup", (event) => { if (pressed !== null && indexUnder(event) === pressed) choose(pressed); });
  stage.node.addEventListener("click", (event) => {
    if (pressed !== null) event.stopPropagation(); // it is not a choice of the place below the ghost
  }, { capture: true });

  return {
    node,
    /** Whether there is a move with this number, counted from 0. */
    has: (index) => !node.hidden && index < Math.min(MOST_MOVES, shown.moves.length),
    choose,
    hide() {
      node.hidden = true;
      [shown, listed, raised] = [{ ...shown, at: null, moves: [], others: [] }, "", null];
      list.replaceChildren();
      draw();
    },
    /**
     * Show the moves of a decision.
     * @param {{at: number, moves: object[], played: string, colour: string, isByPoints: boolean, isOnBoard: boolean, asked: string | null,
     *   others: object[], note: string, player: string, players: string}} state `played` and `asked` are actions: that of the game, and the one that
     *   What if was asked about last; `colour` is that of the ghosts; `others` are ghosts without a number; `note` stands in place of moves; `players` says who plays on
     */
    show(state) {
      if (state.at !== shown.at) [chosen, raised] = [null, null];
      chosen = state.asked ?? chosen;
      shown = state;
      node.hidden = false;
      setText(basis, state.moves.length ? `${state.player}: ${state.isByPoints ? "final score" : "win chance"} ${state.players}` : "");
      onBoard.setAttribute("aria-pressed", String(state.isOnBoard));
      [list.hidden, note.hidden] = [!state.moves.length, state.moves.length > 0];
      setText(note, state.note);
      const now = JSON.stringify([state.at, state.moves, state.isByPoints]);
      if (now !== listed) list.replaceChildren(...state.moves.map(createRow)); // unchanged rows keep the focus
      listed = now;
      draw();
    },
  };
}
