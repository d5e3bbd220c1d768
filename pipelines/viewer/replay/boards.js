/*
 * Boards: the printed part is drawn once; a ply changes only the squares that it touches.
 */

import { cellsPath, colourClass, drawMark, outlinePath, RING_PATHS, roundToTenth, svg, UNIT, VARIANTS } from "./draw.js";
import { markOfKey, squareName } from "./scene.js";

const GUTTER = 17; // room for row and column labels, in drawing units
const WIDE = { columns: 12, gutter: 22 }; // of boards with more columns, whose squares are so small on phones that their labels need more room
const NOTE = 15; // room for the notes beside the labels
const RIM = 3; // room for the outline of a square at the edge
const BADGE = 17; // pixels of the number of a ghost; on small squares it is as large as its square

/**
 * Create the view of a board.
 * @returns {{node: Element, board: object, resize: Function, show: Function}}
 */
export function createBoardView(game, board) {
  const width = board.columns * UNIT;
  const height = board.rows * UNIT;
  let isCompact = false;
  const corner = (cell) => [(cell % board.columns) * UNIT, (board.rows - 1 - Math.floor(cell / board.columns)) * UNIT];
  const isOwn = (square) => square >= board.first && square < board.first + board.size;
  const labels = new Map();
  const layers = {
    wash: svg("path", { class: "wash" }),
    marks: svg("g"),
    glow: svg("path", { class: "glow" }),
    halo: svg("path", { class: "halo" }),
    fresh: svg("path", { class: "fresh" }),
    ghosts: svg("g"),
    aim: svg("g"),
    badges: svg("g"),
    gain: svg("g"),
  };
  const drawing = svg(
    "g",
    {},
    drawGrid(board, corner),
    drawAxes(board, height),
    layers.wash,
    drawLabels(board, corner, labels),
    layers.marks,
    layers.glow,
    layers.halo,
    layers.fresh,
    layers.ghosts,
    layers.aim,
    layers.badges,
    layers.gain,
  );
  const node = svg("svg", { class: "board", role: "img" }, drawing);
  let visible = null; // the part of the plane that is visible
  let quarters = 0;
  let side = UNIT;
  const shown = new Map();

  function redraw(square, key, isFresh) {
    const old = shown.get(square);
    if (old && old.key === key) return;
    old?.node.remove();
    shown.delete(square);
    const mark = key ? game.marks[markOfKey(key)] : null;
    labels.get(square - board.first)?.classList.toggle("crossed", mark?.glyph === "cross");
    if (!mark) return;
    const [x, y] = corner(square - board.first);
    const drawn = drawMark(mark, key, (square * 7 + (square >> 3)) % VARIANTS);
    drawn.setAttribute("transform", `translate(${x} ${y})`);
    if (isFresh) drawn.classList.add("is-new");
    layers.marks.append(drawn);
    shown.set(square, { key, node: drawn });
  }

  /** Return the part of the plane that the board needs when it is not turned: its squares and the texts beside them. */
  function plainBox() {
    const gutter = isCompact && board.columns > WIDE.columns ? WIDE.gutter : GUTTER;
    const before = (board.rowLabels.some(Boolean) ? gutter : RIM) + (!isCompact && board.rowNotes.some(Boolean) ? NOTE + 9 : 0);
    const below = (board.columnLabels.some(Boolean) ? gutter : RIM) + (!isCompact && board.columnNotes.some(Boolean) ? NOTE - 4 : 0);
    return { x: -before, y: -RIM, width: before + width + RIM, height: RIM + height + below };
  }

  /** Return the place of a badge on a square; with words, it is moved along the rows of the screen until it lies within the board. */
  function placeBadge([x, y], text) {
    const reach = (badgeWidth(text) / 2) * Math.min(UNIT / BADGE, UNIT / side) - UNIT / 2;
    return quarters % 2 ? [x, keepInside(y, height, reach)] : [keepInside(x, width, reach), y];
  }

  const view = {
    node,
    board,
    /** Pixels of a square. */
    get side() {
      return side;
    },
    /** On phones, a board has no notes beside its labels. */
    setCompact(newIsCompact) {
      if (newIsCompact === isCompact) return;
      isCompact = newIsCompact;
      node.toggleAttribute("data-compact", isCompact);
      view.turn(quarters);
    },
    /** Width and height of the board with its labels, in squares. */
    get across() {
      return visible.width / UNIT;
    },
    get upwards() {
      return visible.height / UNIT;
    },
    /** Turn the board clockwise by quarter turns; texts stay upright. */
    turn(newQuarters) {
      quarters = newQuarters;
      visible = rotateBox(plainBox(), quarters, width / 2, height / 2);
      drawing.setAttribute("transform", `rotate(${90 * quarters} ${width / 2} ${height / 2})`);
      node.style.setProperty("--upright", `${-90 * quarters}deg`);
      node.setAttribute("viewBox", `${visible.x} ${visible.y} ${visible.width} ${visible.height}`);
    },
    /** Set the size of a square in pixels. */
    resize(newSide) {
      side = newSide;
      node.setAttribute("width", String(roundToTenth(visible.width * (side / UNIT))));
      node.setAttribute("height", String(roundToTenth(visible.height * (side / UNIT))));
      node.style.setProperty("--pixel", (UNIT / side).toFixed(3));
      node.style.setProperty("--badge", Math.min(UNIT / BADGE, UNIT / side).toFixed(2));
    },
    /** Show a position. `touched` are the squares that may have changed, `step` is the last ply. */
    show(squares, touched, step, isFresh) {
      for (const square of touched) if (isOwn(square)) redraw(square, squares[square], isFresh);
      const changed = (step?.changes ?? []).map(([square]) => square).filter(isOwn);
      const corners = changed.map((square) => corner(square - board.first));
      const outline = outlinePath(corners);
      layers.wash.setAttribute("d", cellsPath(corners));
      layers.halo.setAttribute("d", outline);
      layers.fresh.setAttribute("d", outline);
      layers.glow.setAttribute("d", outlinePath((step?.glow ?? []).filter(isOwn).map((square) => corner(square - board.first))));
      node.setAttribute("aria-label", describeBoard(game, board, squares, changed));
    },
    /** Return the point under a pointer as [columns, rows] from the lower left corner; null outside the board. */
    pointAt(event) {
      const matrix = drawing.getScreenCTM();
      if (!matrix) return null;
      const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
      const point = [x / UNIT, board.rows - y / UNIT];
      return point[0] >= 0 && point[0] < board.columns && point[1] > 0 && point[1] < board.rows ? point : null;
    },
    /** Show where a shape may lie and the placement that is aimed at; null removes both. */
    showAim(aim) {
      node.toggleAttribute("data-aim", Boolean(aim));
      layers.aim.replaceChildren(...(aim ? drawAim(aim, (square) => corner(square - board.first)) : []));
    },
    /** Show what a move scored on one of its squares. */
    showGain(square, text) {
      layers.gain.replaceChildren(...(text && isOwn(square) ? [drawGain(corner(square - board.first), text)] : []));
    },
    /**
     * Show moves that were not made, the last one on top.
     * @param {{squares: number[], colour?: string, rank?: number, label?: number, text?: string, isStrong?: boolean, isCovered?: boolean, title?: string}[]} ghosts
     *   with a `rank`, the ghost bears this number on the square `label`, and `text` behind it; one that `isCovered` overlaps a
     *   better one, so it is only its number until it is strong
     */
    showGhosts(ghosts) {
      const own = ghosts.filter(({ squares }) => squares.some(isOwn));
      const place = (square) => corner(square - board.first);
      layers.ghosts.replaceChildren(...own.map((ghost) => drawGhost(ghost, ghost.squares.filter(isOwn).map(place))));
      layers.badges.replaceChildren(...own.filter(({ rank }) => rank).map((ghost) => drawBadge(ghost, placeBadge(place(ghost.label), ghost.text))));
    },
  };
  view.turn(0);
  return view;
}

function drawAim({ places, aim, colour, isPinned }, corner) {
  const group = svg("g", { class: `aim ${colourClass(colour)}`, "data-pinned": isPinned });
  const legal = [...new Set(places)].map(corner);
  const edge = outlinePath(legal);
  group.append(svg("path", { class: "aim-edge under", d: edge }), svg("path", { class: "aim-places", d: cellsPath(legal) }), svg("path", { class: "aim-edge", d: edge }));
  if (aim) {
    const corners = aim.squares.map(corner);
    group.append(svg("path", { class: "aim-halo", d: outlinePath(corners) }), svg("path", { class: "aim-shape", d: cellsPath(corners) }), svg("path", { class: "aim-line", d: outlinePath(corners) }));
    for (const square of aim.circled) {
      const [x, y] = corner(square);
      group.append(svg("path", { class: "aim-ring", d: RING_PATHS[0], transform: `translate(${x} ${y})` }));
    }
  }
  return [group];
}

function drawGhost({ rank = 0, isStrong = false, isCovered = false, colour = "ink", title = "" }, corners) {
  const outline = outlinePath(corners);
  const parts = [svg("path", { class: "ghost-tint", d: cellsPath(corners) }), svg("path", { class: "ghost-halo", d: outline }), svg("path", { class: "ghost-line", d: outline })];
  return svg("g", { class: `ghost ${colourClass(colour)}`, "data-rank": rank || null, "data-strong": isStrong, "data-covered": isCovered }, ...(title ? [svg("title", {}, title)] : []), ...parts);
}

/** Return the start of a square in a row of squares, moved so far that what reaches beyond the square ends within the row. */
const keepInside = (start, length, reach) => (reach > 0 ? Math.max(reach, Math.min(length - UNIT - reach, start)) : start);

/** Pixels of a badge with a number, and with `text` behind it. */
const badgeWidth = (text) => (text ? 24 + 6.3 * text.length : BADGE);

/** Draw the number of a ghost, with its value if it is the one that a person points at. */
function drawBadge({ rank, text, isStrong, isBehind, title }, [x, y]) {
  const width = badgeWidth(text);
  const words = svg("text", { x: 0, y: 0.5 }, svg("tspan", { class: "rank" }, String(rank)), text ? ` \u00b7 ${text}` : "");
  const badge = svg("g", { class: "badge-body" }, svg("rect", { x: -width / 2, y: -BADGE / 2, width, height: BADGE, rx: BADGE / 2 }), words);
  return svg("g", { class: "ghost ghost-badge", transform: `translate(${x + UNIT / 2} ${y + UNIT / 2})`, "data-rank": rank, "data-strong": isStrong, "data-behind": isBehind }, svg("title", {}, title), badge);
}

function drawGain([x, y], text) {
  const width = 8 + 7 * text.length;
  return svg("g", { class: "gain", transform: `translate(${x + 12} ${y - 4})` }, svg("rect", { x: -width / 2, y: -8.5, width, height: 17, rx: 8.5 }), svg("text", { x: 0, y: 0.5 }, text));
}

/** Rotate a box clockwise by quarter turns around a point. */
function rotateBox(box, quarters, x, y) {
  if (quarters === 0) return box;
  const { width, height } = box;
  const turned = { x: x - (box.y + height - y), y: y + (box.x - x), width: height, height: width };
  return rotateBox(turned, quarters - 1, x, y);
}

/** Draw the empty grid. Gold and silver squares have a second frame, so that they differ without colour. */
function drawGrid(board, corner) {
  const group = svg("g", { class: "squares" });
  board.fills.forEach((fill, cell) => {
    if (fill === null) return;
    const [x, y] = corner(cell);
    group.append(svg("rect", { class: colourClass(fill), x, y, width: UNIT, height: UNIT }));
    if (fill === "gold" || fill === "silver") {
      group.append(svg("rect", { class: `metal ${colourClass(fill)}`, x: x + 2.5, y: y + 2.5, width: UNIT - 5, height: UNIT - 5 }));
    }
  });
  const squares = board.fills.map((fill, cell) => (fill === null ? null : corner(cell))).filter(Boolean);
  group.append(svg("path", { class: "rim", d: outlinePath(squares) }));
  return group;
}

function drawLabels(board, corner, labels) {
  const group = svg("g", { class: "labels" });
  board.labels.forEach((label, cell) => {
    if (!label || board.fills[cell] === null) return;
    const [x, y] = corner(cell);
    const text = svg("text", { class: label.length > 1 ? "long" : null, x: x + 12, y: y + 12 }, label);
    labels.set(cell, text);
    group.append(text);
  });
  return group;
}

function drawAxes(board, height) {
  const group = svg("g", { class: "axes" });
  board.columnLabels.forEach((label, column) => {
    if (label) group.append(svg("text", { x: column * UNIT + 12, y: height + 10 }, label));
  });
  board.rowLabels.forEach((label, row) => {
    if (label) group.append(svg("text", { class: "row", x: -5, y: height - row * UNIT - 12 }, label));
  });
  board.columnNotes.forEach((note, column) => {
    if (note) group.append(svg("text", { class: "note", x: column * UNIT + 12, y: height + 21 }, note));
  });
  board.rowNotes.forEach((note, row) => {
    if (note) group.append(svg("text", { class: "row note", x: -GUTTER - 6, y: height - row * UNIT - 12 }, note));
  });
  return group;
}

const GLYPH_WORDS = { circle: "circled", cross: "crossed", gap: "gaps", block: "blocks", cube: "cubes" };

/** Describe a board in words: how many squares show what, and which have just changed. */
function describeBoard(game, board, squares, changed) {
  const counts = new Map();
  for (let cell = 0; cell < board.size; cell += 1) {
    const key = squares[board.first + cell];
    if (!key) continue;
    const mark = game.marks[markOfKey(key)];
    const isPen = mark.glyph === "circle" || mark.glyph === "cross" || mark.glyph === "gap";
    const words = isPen ? GLYPH_WORDS[mark.glyph] : `${mark.colour} ${GLYPH_WORDS[mark.glyph]}`;
    counts.set(words, (counts.get(words) ?? 0) + 1);
  }
  const content = [...counts].map(([words, count]) => `${count} ${words}`).join(", ") || "empty";
  const now = changed.length ? ` Changed now: ${changed.map((square) => squareName(game, square)).join(", ")}.` : "";
  return `${board.name || "Board"}, ${board.columns} by ${board.rows} squares: ${content}.${now}`;
}
