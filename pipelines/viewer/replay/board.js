/*
 * One board as a picture: a position of a game or a map of numbers on its squares, and small curves of scores.
 */

import { createBoardView } from "./boards.js";
import { html, roundToTenth, setText, svg, UNIT } from "./draw.js";
import { createMount } from "./mount.js";
import { createPosition, readScene } from "./scene.js";
import { updateTheme } from "./theme.js";
import { asList, asNumber, asRecord, asText, isWithin } from "./values.js";

const READABLE_SIDE = 14; // pixels of a square below which nobody can read what is printed on it
const NUMBER_SIDE = 22; // the same of the number of a square in a map
const COLOUR = /^#[0-9A-Fa-f]{6}$/;

function createPicture(parent, data) {
  const game = readScene(data.scene);
  const root = html("div", { class: "replay picture" });
  const board = game.boards.find(({ size }) => size);
  const size = isWithin(data.size, 40, 1200) ? data.size : 200;
  const view = board ? createBoardView(game, board) : null;
  const heat = view && readHeat(data.heat, board);
  for (const [name, colour] of heat?.colours ?? []) root.style.setProperty(name, colour);
  const stand = view && html("div", { class: "stand in-row" }, view.node);
  parent.append(root);
  if (view) {
    showPosition(game, view, Array.isArray(data.other) ? asList(data.other, board.size) : null);
    root.append(stand, ...(heat ? drawHeat(heat, view, board) : []));
    const title = asText(data.label, 200);
    if (title) view.node.setAttribute("aria-label", `${title} ${view.node.getAttribute("aria-label")}`);
  }
  const curves = readCurves(data.curves);
  if (curves.lines.length) root.append(drawCurves(curves));
  function fit(width) {
    if (!view) return;
    view.resize(Math.max(4, Math.min((width - 2) / view.across, size / view.upwards)));
    view.node.toggleAttribute("data-tiny", view.side < READABLE_SIDE);
    view.node.toggleAttribute("data-numbered", Boolean(heat) && view.side >= NUMBER_SIDE);
    if (!heat) stand.style.minHeight = `var(--board-room, ${Math.min(width, size)}px)`; // beside each other they have one height
  }
  fit(Infinity); // the observer tells the width soon; to ask for it would lay out the page once for every picture
  const observer = new ResizeObserver(([entry]) => requestAnimationFrame(() => fit(entry.contentRect.width)));
  observer.observe(stand ?? root);
  updateTheme(root);
  return {
    setTheme: () => updateTheme(root),
    destroy() {
      observer.disconnect();
      root.remove();
    },
  };
}

/** Show the last position. A list of the squares of a move that was not made, even an empty one, outlines the last move, too. */
function showPosition(game, view, other) {
  const position = createPosition(game);
  const touched = position.go(game.steps.length - 1);
  view.show(position.squares, touched, other ? game.steps.at(-1) : null, false);
  view.showGhosts([{ squares: other ?? [] }]);
}

/* Heat: a number on every square */

function readHeat(raw, board) {
  const heat = asRecord(raw);
  const values = asList(heat.values, board.size);
  if (!values.length) return null;
  const notes = asList(heat.notes, board.size);
  return {
    values: Array.from({ length: board.size }, (_, cell) => (Number.isFinite(values[cell]) ? values[cell] : null)),
    notes: Array.from({ length: board.size }, (_, cell) => asText(notes[cell], 160)),
    outlined: new Set(asList(heat.outlined, board.size)),
    low: asNumber(heat.low),
    high: asNumber(heat.high),
    lowText: asText(heat.low_text, 40),
    highText: asText(heat.high_text, 40),
    numbers: asList(heat.numbers, board.size).map((text) => asText(text, 8)),
    colours: [["--heat", heat.high_colour], ["--below", heat.low_colour]].map(([name, value]) => [name, asText(value, 7)]).filter(([, colour]) => COLOUR.test(colour)),
  };
}

function drawHeat(heat, view, board) {
  const layer = svg("g", { class: "heat" });
  const readout = html("p", { class: "readout" }, heat.numbers.some(Boolean) ? "A square that you point at or tap says its interval." : "Point at a square, or tap it, to see its number.");
  const isTwoSided = heat.low < 0; // a map of differences: another colour below 0, none at 0
  const start = isTwoSided ? 0 : heat.low;
  const span = heat.high - start || 1;
  heat.values.forEach((value, cell) => {
    if (board.fills[cell] === null) return;
    const x = (cell % board.columns) * UNIT;
    const y = (board.rows - 1 - Math.floor(cell / board.columns)) * UNIT;
    const share = value === null ? 0 : Math.max(-1, Math.min(1, (value - start) / span));
    const kind = value === null ? "nothing" : share < 0 ? "below" : "value";
    const room = heat.outlined.has(cell) ? 1.5 : 0; // for the outline, which lies inside the square
    const square = svg("rect", { x: x + room, y: y + room, width: UNIT - 2 * room, height: UNIT - 2 * room, class: room ? `${kind} outlined` : kind });
    square.style.fillOpacity = String(Math.round(Math.abs(share) * 90) / 100);
    square.dataset.note = heat.notes[cell];
    square.append(svg("title", {}, heat.notes[cell]));
    layer.append(square);
    if (heat.numbers[cell]) layer.append(svg("text", { x: x + UNIT / 2, y: y + UNIT / 2 }, heat.numbers[cell]));
  });
  view.node.querySelector(".squares").after(layer);
  const showNote = (event) => {
    const note = event.target.closest?.(".heat rect")?.dataset.note;
    if (note) setText(readout, note);
  };
  layer.addEventListener("pointerover", showNote);
  layer.addEventListener("pointerdown", showNote);
  const scale = html("div", { class: "scale in-row soft" }, html("span", {}, heat.lowText), html("span", { class: isTwoSided ? "ramp two" : "ramp" }), html("span", {}, heat.highText));
  return [scale, readout];
}

/* Curves: the distribution of scores, as high as three lines of text */

const CURVE = { width: 200, height: 40 };
const DASHES = { solid: "", dash: "6 3", dot: "1.5 3", dashdot: "6 3 1.5 3", longdash: "10 4", longdashdot: "10 4 2 4" };

function readCurves(raw) {
  const curves = asRecord(raw);
  const lines = asList(curves.lines, 8).map((value) => {
    const line = asRecord(value);
    const colour = asText(line.colour, 7);
    return {
      name: asText(line.name, 120),
      colour: COLOUR.test(colour) ? colour : "#8A8A8A",
      dash: DASHES[line.dash] ?? "",
      shares: asList(line.shares, 120).map(asNumber),
    };
  });
  return { lines, low: asText(curves.low, 40), high: asText(curves.high, 40), alt: asText(curves.alt, 400) };
}

function drawCurves(curves) {
  const most = Math.max(...curves.lines.flatMap((line) => line.shares), 1e-9);
  const drawing = svg("svg", { class: "curves", viewBox: `0 0 ${CURVE.width} ${CURVE.height}`, preserveAspectRatio: "none", role: "img", "aria-label": curves.alt });
  const legend = html("ul", { class: "names soft" });
  for (const line of curves.lines) {
    const step = CURVE.width / Math.max(1, line.shares.length);
    const points = line.shares.map((share, bin) => `${roundToTenth(bin * step)} ${roundToTenth(CURVE.height - 1 - (share / most) * (CURVE.height - 4))}H${roundToTenth((bin + 1) * step)}`);
    const path = `M0 ${CURVE.height - 1}L${points.join("L")}V${CURVE.height - 1}`;
    drawing.append(svg("path", { d: path, stroke: line.colour, fill: line.colour, "stroke-dasharray": line.dash }));
    const sample = svg("svg", { width: 18, height: 8, "aria-hidden": "true" }, svg("path", { d: "M0 4H18", stroke: line.colour, "stroke-dasharray": line.dash }));
    legend.append(html("li", {}, sample, line.name));
  }
  const ends = html("div", { class: "ends soft" }, html("span", {}, curves.low), html("span", {}, curves.high));
  return html("figure", {}, drawing, ends, legend);
}

export default createMount(createPicture);
