/*
 * The best moves at a ply: a list of them with their values, and the same moves as numbered ghosts on the board.
 */

import { createButton, html, setText } from "./draw.js";
import { drawMove } from "./moves.js";
import { formatPercent, formatPointsHalf, formatShareHalf, formatTenths } from "./numbers.js";
import { MOST_MOVES } from "./review.js";
import { CHANCE } from "./scene.js";

/** Return the value of a move as [estimate, half width] in words: the win chance, or the final score; a dash where too few playouts give one. */
function valueTexts({ wins, score }, isByPoints) {
  if (isByPoints) return score ? [formatTenths(score[0]), formatPointsHalf(score[1])] : ["\u2013", ""];
  return wins ? [formatPercent(wins[0]), formatShareHalf(wins[1])] : ["\u2013", ""];
}

/** What the button says that values more moves, before and while it does. */
export const COMPARE = "Compare more moves";
export const COMPARING = "Playing on after each of them \u2026";

const isTie = ({ isBehind }, index) => index > 0 && !isBehind;

/** Return what stands in small print below the name of a move. */
const rowNotes = (move, index, isPlayed) => [isPlayed ? "played" : "", isTie(move, index) ? "may be as good" : ""].filter(Boolean);

const rowValue = (move, isByPoints) => {
  const [value, half] = valueTexts(move, isByPoints);
  return [value, html("small", {}, half)];
};

/** Say who plays on in the values of best moves, in the words of an answer, and how often: as often as in an answer, or as in a review. */
export const describeValuing = ({ players, playouts, n }, reviewers) =>
  [players || (reviewers && `if ${reviewers} play on`), playouts || n ? `${(playouts || n).toLocaleString("en")} playouts each` : "", playouts ? `1 was chosen by ${playouts / 2} others` : ""].filter(Boolean).join("; ");

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
 * Return, for each ghost, the square that bears its number: each another one as far as there are enough, without a mark of a move
 * if possible, and covered by few ghosts.
 * @param {{squares: number[], circled?: Set<number>}[]} ghosts
 */
function labelSquares(ghosts) {
  const owners = new Map();
  const count = (square) => ghosts.reduce((sum, { squares, circled }) => sum + squares.includes(square) + 20 * Number(circled?.has(square) ?? false), 100 * owners.has(square));
  const label = (ghost, tried) =>
    ghost.squares.toSorted((a, b) => count(a) - count(b)).some((square) => {
      if (tried.has(square)) return false;
      tried.add(square);
      if (owners.has(square) && !label(owners.get(square), tried)) return false; // the owner moves its number to another square
      owners.set(square, ghost);
      return true;
    });
  for (const ghost of ghosts) label(ghost, new Set());
  const labels = new Map([...owners].map(([square, ghost]) => [ghost, square]));
  return ghosts.map((ghost) => labels.get(ghost) ?? ghost.squares[0]);
}

/** Return how many outlines each move lies inside of: moves that overlap have different numbers, and a better one has the lower number. */
function findLanes(moves) {
  const lanes = [];
  for (const { squares } of moves) {
    const taken = new Set(lanes.filter((_, other) => moves[other].squares.some((square) => squares.includes(square))));
    lanes.push([0, 1, 2, 3, 4, 5].find((lane) => !taken.has(lane)) ?? 0);
  }
  return lanes;
}

/**
 * Create the view of the best moves.
 * @param {{tryMove: Function | null, ghost: Function, value: Function | null}} commands `tryMove` asks what if an action had been made, with whether it was, null where nobody answers;
 *   `ghost` shows the moves on the board or hides them; `value` values all likely moves
 */
export function createBestMovesView(stage, { tryMove, ghost, value }) {
  const list = html("ol");
  const note = html("p", { class: "note" });
  const basis = html("small");
  const more = value ? createButton({ class: "more", title: "Play on as often after each likely move" }, value) : "";
  const onBoard = createButton({ title: "Show the best moves on the board (G)" }, ghost, "on the board");
  const node = html("section", { class: "best-moves", "aria-label": "Best moves", hidden: true }, html("header", { class: "course-head in-row apart" }, html("h2", {}, "Best moves", basis), onBoard), list, note, more);
  let shown = { at: null, moves: [], played: "", isOnBoard: false, others: [], tries: [] };
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
    const best = shown.isOnBoard ? shown.moves.filter(({ squares }, index) => squares.length && (index < MOST_MOVES || index === strong)) : [];
    const labels = labelSquares(best);
    const lanes = findLanes(best);
    const ghosts = best.map((move, place) => {
      const index = shown.moves.indexOf(move);
      const isPlayed = move.action === shown.played;
      return { squares: move.squares, lane: lanes[place], rank: index < MOST_MOVES ? index + 1 : 0, label: labels[place], isStrong: index === strong, colour: shown.colour, title: describeMoveValue(move, index, isPlayed) };
    });
    const tries = shown.tries.filter(({ squares }) => !best.some((move) => String(move.squares) === String(squares)));
    stage.showGhosts([...(best.length ? [] : shown.others), ...tries, ...ghosts.toReversed().toSorted((a, b) => a.isStrong - b.isStrong)]);
  }

  function createRow(move, index) {
    const isPlayed = move.action === shown.played;
    const words = describeMoveValue(move, index, isPlayed);
    const row = createButton(
      { "aria-label": words, title: words },
      () => choose(index),
      html("b", { class: "rank" }, index < MOST_MOVES ? String(index + 1) : ""),
      shown.moves.some(({ cells }) => cells.length) ? html("span", { class: "shape" }, move.cells.length ? drawMove(move.cells) : "") : "",
      html("span", { class: "move-name" }, html("span", {}, move.name), ...rowNotes(move, index, isPlayed).map((note) => html("small", {}, note))),
      html("span", { class: "value" }, ...rowValue(move, shown.isByPoints)),
    );
    // Where the list moves below a pointer at rest, the pointer enters a row, but does not move.
    for (const type of ["pointermove", "focus"]) row.addEventListener(type, () => raise(index));
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
    /** Hide the list; the board shows these ghosts. */
    hide(others) {
      node.hidden = true;
      [shown, listed, raised] = [{ ...shown, at: null, moves: [], others, tries: [] }, "", null];
      list.replaceChildren();
      draw();
    },
    /**
     * Show the moves of a decision.
     * @param {{at: number, moves: object[], played: string, colour: string, isByPoints: boolean, isOnBoard: boolean, asked: string | null,
     *   others: object[], tries: object[], note: string, valuing: string, player: string, players: string}} state `played` and `asked` are actions: that of the game, and the one that
     *   What if was asked about last; `colour` is that of the ghosts; `others` are ghosts without a number, where no move is on the board, and `tries` those of moves that a person has tried; `note` stands in place of moves; `valuing` is the text of the button that values more moves, empty without one; `players` says who plays on
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
      if (more) [more.hidden, more.disabled, more.textContent] = [!state.valuing, state.valuing !== COMPARE, state.valuing];
      const now = JSON.stringify([state.at, state.moves, state.isByPoints]);
      if (now !== listed) list.replaceChildren(...state.moves.map(createRow)); // unchanged rows keep the focus
      listed = now;
      draw();
    },
  };
}
