/*
 * Boards: the printed part is drawn once; a ply changes only the squares that it touches.
 */

import { cellsPath, colourClass, drawMark, outlinePath, RING_PATHS, roundToTenth, svg, UNIT, VARIANTS } from "./draw.js";
import { markOfKey, squareName } from "./scene.js";

const GUTTER = 17; // room for row and column labels, in drawing units
const WIDE = { columns: 12, gutter: 22 }; // of boards with more columns, whose squares are so small on phones that their labels need more room
const NOTE = 15; // room for the notes beside the labels
const RIM = 3; // room for the outline of a square at the edge
const BADGE = 17; // pixels of the number of a ghost; on small squares it leaves room to see them

/**
 * Create the view of a board.
 * @returns {{node: Element, board: object, resize: Function, show: Function}}
 */
export function createBoardView(game, board) {
  const width = board.columns * UNIT;
  const height = board.rows * UNIT;
  const used = findUsedPart(board);
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
    drawAxes(board, height, used),
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
    const [x, y] = [used.left * UNIT, (board.rows - used.top) * UNIT];
    return { x: x - before, y: y - RIM, width: before + width - x + RIM, height: RIM + height - y + below };
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
      node.style.setProperty("--badge", Math.min((0.8 * UNIT) / BADGE, UNIT / side).toFixed(2));
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
      node.toggleAttribute("data-aim", Boolean(aim?.places.length));
      layers.aim.replaceChildren(...(aim ? drawAim(aim, (square) => corner(square - board.first)) : []));
    },
    /** Show what a move scored on one of its squares. */
    showGain(square, text) {
      layers.gain.replaceChildren(...(text && isOwn(square) ? [drawGain(corner(square - board.first), text)] : []));
    },
    /**
     * Show moves that were not made, the last one on top.
     * @param {{squares: number[], colour?: string, rank?: number, label?: number, mark?: string, lane?: number, isStrong?: boolean, title?: string}[]} ghosts
     *   with a `rank`, the ghost bears this number on the square `label`, or `mark`; its outline lies inside of those with a lower `lane`
     */
    showGhosts(ghosts) {
      const own = ghosts.filter(({ squares }) => squares.some(isOwn));
      const place = (square) => corner(square - board.first);
      const draw = (drawn) => drawn.map((ghost) => drawGhost(ghost, ghost.squares.filter(isOwn).map(place)));
      layers.ghosts.replaceChildren(...draw(own.filter(({ mark }) => !mark)));
      const marked = draw(own.filter(({ mark }) => mark)); // above the places that can be aimed at
      layers.badges.replaceChildren(...marked, ...own.filter(({ rank, mark }) => rank || mark).map((ghost) => drawBadge(ghost, place(ghost.label))));
    },
  };
  view.turn(0);
  return view;
}

function drawAim({ places, aim, colour, isPinned }, corner) {
  const group = svg("g", { class: `aim ${colourClass(colour)}`, "data-pinned": isPinned });
  const legal = [...new Set(places)].map(corner);
  const edge = outlinePath(legal);
  if (edge) group.append(svg("path", { class: "aim-edge under", d: edge }), svg("path", { class: "aim-places", d: cellsPath(legal) }), svg("path", { class: "aim-edge", d: edge }));
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

const LANE = 2.4; // between the outlines of ghosts that overlap
const MOST_LANES = 2; // more outlines within each other cannot be told apart: the others have them only while they are strong

function drawGhost({ rank = 0, lane = 0, isStrong = false, colour = "ink", title = "" }, corners) {
  const outline = outlinePath(corners, isStrong ? 0 : LANE * lane);
  const lines = isStrong || lane < MOST_LANES ? ["ghost-halo", "ghost-line"].map((name) => svg("path", { class: name, d: outline })) : [];
  const parts = [svg("path", { class: "ghost-tint", d: cellsPath(corners) }), ...lines];
  return svg("g", { class: `ghost ${colourClass(colour)}`, "data-rank": rank || null, "data-strong": isStrong }, ...(title ? [svg("title", {}, title)] : []), ...parts);
}

/** Draw the number of a ghost. */
function drawBadge({ rank = 0, mark = String(rank), isStrong = false, title = "" }, [x, y]) {
  const width = BADGE + 6 * (mark.length - 1);
  const badge = svg("g", { class: "badge-body" }, svg("rect", { x: -width / 2, y: -BADGE / 2, width, height: BADGE, rx: BADGE / 2 }), svg("text", { class: "rank", x: 0, y: 0.5 }, mark));
  return svg("g", { class: "ghost ghost-badge", transform: `translate(${x + UNIT / 2} ${y + UNIT / 2})`, "data-rank": rank || null, "data-strong": isStrong }, svg("title", {}, title), svg("circle", { class: "near", r: BADGE }), badge);
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

/** Return the first column and the number of the rows that have squares; what lies outside is not shown. */
function findUsedPart(board) {
  const cells = board.fills.flatMap((fill, cell) => (fill === null ? [] : [cell]));
  return { left: Math.min(board.columns, ...cells.map((cell) => cell % board.columns)), top: 1 + Math.floor(Math.max(0, ...cells) / board.columns) };
}

function drawAxes(board, height, { left, top }) {
  const group = svg("g", { class: "axes" });
  const write = (texts, first, end, place) =>
    texts.forEach((text, at) => {
      if (text && at >= first && at < end) group.append(svg("text", place(at), text));
    });
  const side = left * UNIT;
  write(board.columnLabels, left, board.columns, (column) => ({ x: column * UNIT + 12, y: height + 10 }));
  write(board.rowLabels, 0, top, (row) => ({ class: "row", x: side - 5, y: height - row * UNIT - 12 }));
  write(board.columnNotes, left, board.columns, (column) => ({ class: "note", x: column * UNIT + 12, y: height + 21 }));
  write(board.rowNotes, 0, top, (row) => ({ class: "row note", x: side - GUTTER - 6, y: height - row * UNIT - 12 }));
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
