/*
 * Dice: the picture of a die, with pips, a shape or a text.
 */

import { drawShape, html, svg } from "./draw.js";

const PIPS = {
  1: [[1, 1]],
  2: [[0, 0], [2, 2]],
  3: [[0, 0], [1, 1], [2, 2]],
  4: [[0, 0], [2, 0], [0, 2], [2, 2]],
  5: [[0, 0], [2, 0], [1, 1], [0, 2], [2, 2]],
  6: [[0, 0], [0, 1], [0, 2], [2, 0], [2, 1], [2, 2]],
  7: [[0, 0], [0, 1], [0, 2], [1, 1], [2, 0], [2, 1], [2, 2]],
  8: [[0, 0], [0, 1], [0, 2], [1, 0], [1, 2], [2, 0], [2, 1], [2, 2]],
  9: [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2], [2, 0], [2, 1], [2, 2]],
};

export function drawDie(die) {
  const side = 52;
  const isDrawn = die.pips === null && die.cells.length > 0;
  const face = svg("svg", { class: "face", width: side, height: side, viewBox: `0 0 ${side} ${side}`, role: "img", "aria-label": describeDie(die) });
  face.append(svg("rect", { class: "body", x: 1.5, y: 1.5, width: side - 3, height: side - 3, rx: 9 }));
  if (die.pips !== null) {
    for (const [x, y] of PIPS[die.pips]) face.append(svg("circle", { class: "pip", cx: 14 + x * 12, cy: 14 + y * 12, r: 4.2 }));
  } else if (isDrawn) {
    const longest = Math.max(...die.cells.map(([column, row]) => Math.max(column, row))) + 1;
    const drawing = drawShape(die.cells, Math.min(13, 40 / longest));
    drawing.setAttribute("x", String((side - drawing.getAttribute("width")) / 2));
    drawing.setAttribute("y", String((side - drawing.getAttribute("height")) / 2));
    face.append(drawing);
  } else {
    face.append(svg("text", { x: side / 2, y: side / 2 }, die.face.slice(0, 4)));
  }
  // Dice with pips are all alike and stand close together: neither their names nor their states are written.
  const tag = die.state === "open" || die.pips !== null ? "" : die.state;
  const about = html("span", { class: "about" }, isDrawn ? html("b", {}, `${die.name} ${die.face}`) : "");
  if (tag && !die.note) about.append(html("span", { class: "tag" }, tag));
  if (die.note) about.append(html("span", { class: "note" }, die.note));
  return html("div", { class: "die in-row", "data-state": die.state, title: describeDie(die) }, face, about.hasChildNodes() ? about : "");
}

function describeDie(die) {
  const shows = die.face || (die.pips === null ? "" : String(die.pips));
  const state = die.state === "open" ? "" : `, ${die.state}`;
  return `Die ${die.name}: ${shows}${state}${die.note ? `. ${die.note}` : ""}`;
}
