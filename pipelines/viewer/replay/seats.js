/*
 * Seats: a card for each seat, with name, strategy, score, status, boards and trays.
 */

import { colourClass, drawShape, html, layFlat, setText, svg } from "./draw.js";
import { formatNumber, formatOrdinal, formatSigned } from "./numbers.js";
import { CHANCE } from "./scene.js";

/** Create a small square in a seat's colour, with its number. */
export const createSeatChip = (game, seat) =>
  html("span", { class: `chip ${colourClass(seat === CHANCE ? "plain" : game.seats[seat].colour)}`, "aria-hidden": "true" }, seat === CHANCE ? "\u2684" : String(seat + 1));

/**
 * Create the card of a seat.
 * @param {object[]} boards views of the boards of this seat
 * @param {object[]} trays views of the trays of this seat
 */
export function createSeatView(game, seat, boards, trays) {
  const { name, strategy, character } = game.seats[seat];
  const score = html("span", { class: "score" });
  const change = html("span", { class: "change soft" });
  const status = html("span", { class: "status" });
  const rank = html("span", { class: "rank" });
  const actorNote = html("span", { class: "unseen" }, "made this move");
  const head = html(
    "header",
    { class: "in-row" },
    createSeatChip(game, seat),
    html("h2", {}, html("span", { class: "name" }, name), strategy ? html("span", { class: "strategy soft", title: strategy }, character) : ""),
    html("span", { class: "points" }, change, score),
  );
  const longest = Math.max(game.startStatus[seat].length, ...game.steps.map((step) => step.status[seat].length));
  const line = html("p", { class: "line soft" }, actorNote, rank, status);
  const node = html("article", { class: `seat ${colourClass(game.seats[seat].colour)}`, "aria-label": name }, head, line);
  node.append(...boards.map((view) => view.node), ...trays.map((view) => view.node));
  return {
    node,
    /** True if the longest status of the game needs two lines. */
    get isLong() {
      return (longest + 4) * 6 > node.clientWidth - 20;
    },
    reserveStatusLines(isLong) {
      line.toggleAttribute("data-long", isLong);
    },
    show(at, step) {
      const scores = step ? step.scores : game.startScores;
      const before = at > 0 ? game.steps[at - 1].scores : game.startScores;
      const isLast = at === game.steps.length - 1 && game.ranks !== null;
      setText(score, formatNumber(scores[seat]));
      setText(change, step && scores[seat] !== before[seat] ? formatSigned(scores[seat] - before[seat]) : "");
      setText(status, (step ? step.status : game.startStatus)[seat]);
      line.title = status.textContent;
      setText(rank, isLast ? describeRank(game.ranks, seat) : "");
      node.toggleAttribute("data-acted", step?.seat === seat);
      node.toggleAttribute("data-winner", isLast && game.ranks[seat] === 1);
      actorNote.hidden = step?.seat !== seat;
    },
  };
}

function describeRank(ranks, seat) {
  const sharing = ranks.filter((rank) => rank === ranks[seat]).length > 1;
  if (ranks[seat] === 1) return sharing ? "\u2605 shared win" : "\u2605 winner";
  return sharing ? `${formatOrdinal(ranks[seat])}, shared` : formatOrdinal(ranks[seat]);
}

/** Create the view of a tray: a set of pieces by group, with the used ones hollow. */
export function createTrayView(game, tray) {
  const isRepeated = tray.seat !== null && (tray.name === game.seats[tray.seat].name || tray.name === "");
  const left = html("span", { class: "left" });
  const title = html("h3", { class: "in-row soft" }, html("span", { class: "swatch" }), html("span", {}, isRepeated ? "Left" : tray.name), left);
  const body = html("div", { class: "groups" });
  const node = html("div", { class: `tray ${colourClass(tray.colour)}`, role: "img" }, title, body);
  const pieces = tray.pieces.map((piece) => ({ piece, node: drawPiece(piece), isSpent: false }));
  for (const group of new Set(tray.pieces.map((piece) => piece.group))) {
    const row = html("div", { class: `group in-row wrap ${group.length > 3 ? "long" : ""}` }, group ? html("span", { class: "group-name soft" }, group) : "");
    row.append(...pieces.filter(({ piece }) => piece.group === group).map((entry) => entry.node));
    body.append(row);
  }
  return {
    node,
    show(at) {
      let count = 0;
      for (const entry of pieces) {
        const isSpent = entry.piece.spentAt <= at;
        if (!isSpent) count += 1;
        if (isSpent !== entry.isSpent) entry.node.classList.toggle("spent", isSpent);
        if (entry.isNow !== (entry.piece.spentAt === at)) entry.node.classList.toggle("spent-now", entry.piece.spentAt === at);
        entry.isSpent = isSpent;
        entry.isNow = entry.piece.spentAt === at;
      }
      setText(left, `${count} of ${pieces.length}`);
      node.setAttribute("aria-label", `${tray.name || "Tray"}: ${count} of ${pieces.length} left`);
    },
  };
}

/** Draw a piece of a tray. */
function drawPiece(piece) {
  const isToken = piece.cells.length === 0;
  const cells = isToken ? [[0, 0, ""]] : layFlat(piece.cells);
  const side = isToken ? 9 : piece.group ? 5 : 6;
  const drawing = drawShape(cells, side, { class: isToken ? "piece token" : "piece" });
  drawing.prepend(svg("title", {}, piece.name));
  return drawing;
}
