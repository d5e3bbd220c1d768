/*
 * Drawing: elements, pen strokes, outlines. Data enters the page only as text nodes and attribute values.
 */

import { isLetteredKey, sidesOfKey } from "./scene.js";

const SVG_NAMESPACE = "http://www.w3.org/2000/svg";
export const UNIT = 24; // side of a square in drawing units

/**
 * Create an HTML element.
 * @param {string} tag
 * @param {Record<string, string | number | boolean | null>} attributes those that are null or false are left out
 * @param {...(Node | string)} children strings become text
 */
export function html(tag, attributes = {}, ...children) {
  return fillElement(document.createElement(tag), attributes, children);
}

/** Create an SVG element; the parameters are those of `html`. */
export function svg(tag, attributes = {}, ...children) {
  return fillElement(document.createElementNS(SVG_NAMESPACE, tag), attributes, children);
}

function fillElement(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== false) element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children);
  return element;
}

/** Create a button; the parameters after the command, which it calls, are those of `html`. */
export function createButton(attributes, command, ...children) {
  const button = html("button", { type: "button", ...attributes }, ...children);
  button.addEventListener("click", command);
  return button;
}

/** Set the text of an element only if it differs, so that screen readers do not read an unchanged live region again. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** The class names that give an element the shades of a colour. */
export const colourClass = (colour) => `c c-${colour}`;

/** Turn a shape onto its long side, which keeps trays low. */
export function layFlat(cells) {
  const [wide, high] = [0, 1].map((axis) => Math.max(...cells.map((cell) => cell[axis])));
  return high > wide ? cells.map(([column, row, mark]) => [row, column, mark]) : cells;
}

export const roundToTenth = (number) => Math.round(number * 10) / 10;

/** Return a smooth path through points (a Catmull-Rom spline as cubic curves). */
function smoothPath(points) {
  const at = (index) => points[Math.max(0, Math.min(points.length - 1, index))];
  let path = `M${points[0].map(roundToTenth)}`;
  for (let index = 0; index < points.length - 1; index += 1) {
    const [a, b, c, d] = [at(index - 1), at(index), at(index + 1), at(index + 2)];
    const first = [b[0] + (c[0] - a[0]) / 6, b[1] + (c[1] - a[1]) / 6];
    const second = [c[0] - (d[0] - b[0]) / 6, c[1] - (d[1] - b[1]) / 6];
    path += `C${first.map(roundToTenth)} ${second.map(roundToTenth)} ${c.map(roundToTenth)}`;
  }
  return path;
}

/** Return the path of a ring as a pen draws it: slightly oval, with overlapping ends. */
function ringPath(variant) {
  const points = [];
  const from = -2.1 + 0.35 * variant;
  for (let step = 0; step <= 14; step += 1) {
    const turn = from + (step / 14) * 6.75;
    const radius = 9.9 - 0.55 * (step / 14) + 0.35 * Math.sin(2 * turn + variant * 1.3);
    points.push([12 + 0.2 * Math.sin(variant * 2) + radius * 1.02 * Math.cos(turn), 12 + radius * Math.sin(turn)]);
  }
  return smoothPath(points);
}

/** Return the path of a cross as a pen draws it: two strokes that are not quite straight. */
function crossPath(variant) {
  const wobble = (step) => roundToTenth(0.9 * Math.sin(variant * 2.4 + step * 1.9));
  const stroke = (x, y, x2, y2, step) =>
    `M${x + wobble(step)} ${y + wobble(step + 1)}Q${12 + wobble(step + 2)} ${12 - wobble(step)} ${x2 + wobble(step + 3)} ${y2 + wobble(step + 4)}`;
  return stroke(4.9, 5, 19.1, 19.2, 0) + stroke(19, 4.8, 5, 19.2, 5);
}

export const VARIANTS = 6;
export const RING_PATHS = Array.from({ length: VARIANTS }, (_, variant) => ringPath(variant));
const CROSS_PATHS = Array.from({ length: VARIANTS }, (_, variant) => crossPath(variant));
const HATCH_PATH = "M0 8L8 0M0 16L16 0M0 24L24 0M8 24L24 8M16 24L24 16";

/**
 * Draw a mark on a square whose top left corner is (0, 0).
 * @param {{glyph: string, colour: string, letter: string}} mark
 * @param {number} key what the square shows (`squareKey`)
 * @param {number} variant any integer: which of the pen strokes is drawn
 */
export function drawMark(mark, key, variant) {
  const group = svg("g", { class: `mark ${mark.glyph} ${colourClass(mark.colour)}` });
  const letter = () => svg("text", { class: "letter", x: 12, y: 12 }, mark.letter);
  switch (mark.glyph) {
    case "circle":
      group.append(svg("path", { class: "pen", d: RING_PATHS[variant % VARIANTS], pathLength: 1 }));
      break;
    case "cross":
      group.append(svg("path", { class: "pen", d: CROSS_PATHS[variant % VARIANTS], pathLength: 1 }));
      break;
    case "gap":
      group.append(svg("rect", { width: UNIT, height: UNIT }), svg("path", { d: HATCH_PATH }));
      break;
    case "block":
      group.append(...drawBlock(sidesOfKey(key)));
      if (mark.letter && isLetteredKey(key)) group.append(letter());
      break;
    default: {
      const cube = svg(
        "g",
        { class: "upright" },
        svg("rect", { class: "side", x: 2.5, y: 4, width: 19, height: 18, rx: 2.5 }),
        svg("rect", { class: "top", x: 2.5, y: 2, width: 19, height: 17, rx: 2.5 }),
      );
      if (mark.letter) cube.append(svg("text", { class: "letter", x: 12, y: 10.8 }, mark.letter));
      group.append(cube);
    }
  }
  return group;
}

/** Draw one square of a piece, with a line on every side on which the piece does not continue. */
function drawBlock(joins) {
  const [left, right, below, above] = [1, 2, 4, 8].map((side) => (joins & side) !== 0);
  const x = left ? -0.5 : 0.8;
  const y = above ? -0.5 : 0.8;
  const width = (right ? UNIT + 0.5 : UNIT - 0.8) - x;
  const height = (below ? UNIT + 0.5 : UNIT - 0.8) - y;
  const seams = (left ? `M0 ${above ? 0 : 1}V${below ? UNIT : UNIT - 1}` : "") + (above ? `M${left ? 0 : 1} 0H${right ? UNIT : UNIT - 1}` : "");
  const start = (isJoined) => (isJoined ? 0 : 0.8);
  const end = (isJoined) => (isJoined ? UNIT : UNIT - 0.8);
  const edges =
    (left ? "" : `M0.8 ${start(above)}V${end(below)}`) +
    (right ? "" : `M${UNIT - 0.8} ${start(above)}V${end(below)}`) +
    (above ? "" : `M${start(left)} 0.8H${end(right)}`) +
    (below ? "" : `M${start(left)} ${UNIT - 0.8}H${end(right)}`);
  return [svg("rect", { x, y, width, height }), svg("path", { class: "seam", d: seams }), svg("path", { class: "edge", d: edges })];
}

/**
 * Return the outline of a set of cells as a path.
 * @param {Iterable<[number, number]>} corners top left corners in drawing units
 * @param {number} inset how far inside of the edge of the cells it lies
 */
export function outlinePath(corners, inset = 0) {
  const cells = new Set([...corners].map(([x, y]) => `${x} ${y}`));
  let path = "";
  for (const text of cells) {
    const [x, y] = text.split(" ").map(Number);
    const has = (across, down) => cells.has(`${x + across * UNIT} ${y + down * UNIT}`);
    /** How much longer a side is at an end: at a corner, or where a cell lies diagonally beyond it. */
    const end = (isJoined, isInner) => (isJoined ? Number(isInner) : -1) * inset;
    for (const side of [-1, 1]) {
      const edge = side > 0 ? UNIT - inset : inset;
      const [left, right, above, below] = [end(has(-1, 0), has(-1, side)), end(has(1, 0), has(1, side)), end(has(0, -1), has(side, -1)), end(has(0, 1), has(side, 1))];
      if (!has(0, side)) path += `M${x - left} ${y + edge}h${UNIT + left + right}`;
      if (!has(side, 0)) path += `M${x + edge} ${y - above}v${UNIT + above + below}`;
    }
  }
  return path;
}

export const cellsPath = (corners) => [...corners].map(([x, y]) => `M${x} ${y}h${UNIT}v${UNIT}h${-UNIT}z`).join("");

/** Draw a shape with squares of `side` pixels, with its marks. */
export function drawShape(cells, side, attributes) {
  const width = Math.max(...cells.map(([column]) => column)) + 1;
  const height = Math.max(...cells.map(([, row]) => row)) + 1;
  const drawing = svg("svg", {
    width: width * side + 2,
    height: height * side + 2,
    viewBox: `${-UNIT / side} ${-UNIT / side} ${width * UNIT + (2 * UNIT) / side} ${height * UNIT + (2 * UNIT) / side}`,
    ...attributes,
  });
  for (const [column, row, mark] of cells) {
    const place = `translate(${column * UNIT} ${(height - 1 - row) * UNIT})`;
    const square = svg("g", { transform: place }, svg("rect", { class: "cell", width: UNIT, height: UNIT }));
    const strokes = mark === "o" ? RING_PATHS : mark === "x" ? CROSS_PATHS : null;
    if (strokes) square.append(svg("path", { class: "pen", d: strokes[column % VARIANTS] }));
    drawing.append(square);
  }
  return drawing;
}
