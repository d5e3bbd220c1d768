/*
 * Drawing: nodes, pen strokes, outlines. Data reaches the page as text nodes and attribute values only.
 */

const SVG = "http://www.w3.org/2000/svg";
const UNIT = 24; // side of a square in drawing units

/**
 * Make an HTML element.
 * @param {string} tag
 * @param {Record<string, string | number | boolean | null>} attributes null and false are left out
 * @param {...(Node | string)} children strings become text
 */
function html(tag, attributes = {}, ...children) {
  return finished(document.createElement(tag), attributes, children);
}

/** Make an SVG element; like `html`. */
function svg(tag, attributes = {}, ...children) {
  return finished(document.createElementNS(SVG, tag), attributes, children);
}

function finished(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== false) element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children);
  return element;
}

/** Set a text only if it differs: an unchanged live region is not read aloud again. */
function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Class names that give an element the shades of a colour. */
const paintOf = (colour) => `c c-${colour}`;

const round1 = (number) => Math.round(number * 10) / 10;

/** A smooth path through points (Catmull-Rom, as cubic curves). */
function smoothPath(points) {
  const at = (index) => points[Math.max(0, Math.min(points.length - 1, index))];
  let path = `M${points[0].map(round1)}`;
  for (let index = 0; index < points.length - 1; index += 1) {
    const [a, b, c, d] = [at(index - 1), at(index), at(index + 1), at(index + 2)];
    const first = [b[0] + (c[0] - a[0]) / 6, b[1] + (c[1] - a[1]) / 6];
    const second = [c[0] - (d[0] - b[0]) / 6, c[1] - (d[1] - b[1]) / 6];
    path += `C${first.map(round1)} ${second.map(round1)} ${c.map(round1)}`;
  }
  return path;
}

/** A ring as a pen draws it: a little oval, its end passing its beginning. */
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

/** A cross as a pen draws it: two strokes, never quite straight. */
function crossPath(variant) {
  const wobble = (step) => round1(0.9 * Math.sin(variant * 2.4 + step * 1.9));
  const stroke = (x, y, x2, y2, step) =>
    `M${x + wobble(step)} ${y + wobble(step + 1)}Q${12 + wobble(step + 2)} ${12 - wobble(step)} ${x2 + wobble(step + 3)} ${y2 + wobble(step + 4)}`;
  return stroke(4.9, 5, 19.1, 19.2, 0) + stroke(19, 4.8, 5, 19.2, 5);
}

const VARIANTS = 6;
const RINGS = Array.from({ length: VARIANTS }, (_, variant) => ringPath(variant));
const CROSSES = Array.from({ length: VARIANTS }, (_, variant) => crossPath(variant));
const HATCH = "M0 8L8 0M0 16L16 0M0 24L24 0M8 24L24 8M16 24L24 16";

/**
 * Draw a mark on a square whose top left corner is (0, 0).
 * @param {{glyph: string, colour: string, letter: string}} mark
 * @param {number} key what the square shows (`keyOf`)
 * @param {number} variant any number: how the pen trembled
 */
function drawMark(mark, key, variant) {
  const group = svg("g", { class: `mark ${mark.glyph} ${paintOf(mark.colour)}` });
  const letter = () => svg("text", { class: "letter", x: 12, y: 12 }, mark.letter);
  switch (mark.glyph) {
    case "circle":
      group.append(svg("path", { class: "pen", d: RINGS[variant % VARIANTS], pathLength: 1 }));
      break;
    case "cross":
      group.append(svg("path", { class: "pen", d: CROSSES[variant % VARIANTS], pathLength: 1 }));
      break;
    case "gap":
      group.append(svg("rect", { width: UNIT, height: UNIT }), svg("path", { d: HATCH }));
      break;
    case "block":
      group.append(...blockParts(joinsOfKey(key)));
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

/** One square of a piece: open towards its neighbours of the same piece, with a line towards everything else. */
function blockParts(joins) {
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
 * The outline of a set of cells as a path.
 * @param {Iterable<[number, number]>} corners top left corners in drawing units
 */
function outlinePath(corners) {
  const there = new Set([...corners].map(([x, y]) => `${x} ${y}`));
  let path = "";
  for (const text of there) {
    const [x, y] = text.split(" ").map(Number);
    if (!there.has(`${x} ${y - UNIT}`)) path += `M${x} ${y}h${UNIT}`;
    if (!there.has(`${x} ${y + UNIT}`)) path += `M${x} ${y + UNIT}h${UNIT}`;
    if (!there.has(`${x - UNIT} ${y}`)) path += `M${x} ${y}v${UNIT}`;
    if (!there.has(`${x + UNIT} ${y}`)) path += `M${x + UNIT} ${y}v${UNIT}`;
  }
  return path;
}

const cellsPath = (corners) => [...corners].map(([x, y]) => `M${x} ${y}h${UNIT}v${UNIT}h${-UNIT}z`).join("");

/** A small drawing of a shape: its squares at `side` pixels each, marks on them as on the sheet. */
function drawShape(cells, side, attributes) {
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
    const strokes = mark === "o" ? RINGS : mark === "x" ? CROSSES : null;
    if (strokes) square.append(svg("path", { class: "pen", d: strokes[column % VARIANTS] }));
    drawing.append(square);
  }
  return drawing;
}
