/*
 * Boards: the printed part is drawn once; a step changes only the squares it touches.
 */

const GUTTER = 17; // room for row and column labels, in drawing units
const NOTE = 15; // and for the notes beside them
const RIM = 3; // room for the outline of a square at the edge

/**
 * One board.
 * @returns {{node: Element, board: object, resize: Function, show: Function}}
 */
function boardView(game, board) {
  const width = board.columns * UNIT;
  const height = board.rows * UNIT;
  const before = (board.rowLabels.some(Boolean) ? GUTTER : RIM) + (board.rowNotes.some(Boolean) ? NOTE + 9 : 0);
  const below = (board.columnLabels.some(Boolean) ? GUTTER : RIM) + (board.columnNotes.some(Boolean) ? NOTE - 4 : 0);
  const box = { x: -before, y: -RIM, width: before + width + RIM, height: RIM + height + below };
  const corner = (cell) => [(cell % board.columns) * UNIT, (board.rows - 1 - Math.floor(cell / board.columns)) * UNIT];
  const labels = new Map();
  const layers = {
    wash: svg("path", { class: "wash" }),
    marks: svg("g"),
    glow: svg("path", { class: "glow" }),
    halo: svg("path", { class: "halo" }),
    fresh: svg("path", { class: "fresh" }),
    ghostHalo: svg("path", { class: "ghost-halo" }),
    ghost: svg("path", { class: "ghost" }),
  };
  const drawing = svg(
    "g",
    {},
    printedSquares(board, corner),
    printedAxes(board, height),
    layers.wash,
    printedLabels(board, corner, labels),
    layers.marks,
    layers.glow,
    layers.halo,
    layers.fresh,
    layers.ghostHalo,
    layers.ghost,
  );
  const node = svg("svg", { class: "board", role: "img" }, drawing);
  let seen = box; // the part of the plane that is seen
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

  const view = {
    node,
    board,
    /** Squares a board is wide and high with its labels: what a layout has to know. */
    get across() {
      return seen.width / UNIT;
    },
    get upwards() {
      return seen.height / UNIT;
    },
    /** Turn by quarters, clockwise; what is written stays upright. */
    turn(quarters) {
      seen = turnedBox(box, quarters, width / 2, height / 2);
      drawing.setAttribute("transform", `rotate(${90 * quarters} ${width / 2} ${height / 2})`);
      node.style.setProperty("--upright", `${-90 * quarters}deg`);
      node.setAttribute("viewBox", `${seen.x} ${seen.y} ${seen.width} ${seen.height}`);
    },
    /** Set the size of a square in pixels. */
    resize(side) {
      node.setAttribute("width", String(round1(seen.width * (side / UNIT))));
      node.setAttribute("height", String(round1(seen.height * (side / UNIT))));
    },
    /** Show a position: `touched` are squares that may differ from before, `step` is the ply that led here. */
    show(squares, touched, step, isFresh) {
      const isOwn = (square) => square >= board.first && square < board.first + board.size;
      for (const square of touched) if (isOwn(square)) redraw(square, squares[square], isFresh);
      const changed = (step?.changes ?? []).map(([square]) => square).filter(isOwn);
      const corners = changed.map((square) => corner(square - board.first));
      const outline = outlinePath(corners);
      layers.wash.setAttribute("d", cellsPath(corners));
      layers.halo.setAttribute("d", outline);
      layers.fresh.setAttribute("d", outline);
      layers.glow.setAttribute("d", outlinePath((step?.glow ?? []).filter(isOwn).map((square) => corner(square - board.first))));
      node.setAttribute("aria-label", boardText(game, board, squares, changed));
    },
    /** Outline the squares of a choice that was not made; other boards' squares are left out. */
    showGhost(squares) {
      const corners = squares.filter((square) => square >= board.first && square < board.first + board.size).map((square) => corner(square - board.first));
      const outline = outlinePath(corners);
      layers.ghostHalo.setAttribute("d", outline);
      layers.ghost.setAttribute("d", outline);
    },
  };
  view.turn(0);
  return view;
}

/** A box after some quarter turns, clockwise, around a point. */
function turnedBox(box, quarters, x, y) {
  if (quarters === 0) return box;
  const { width, height } = box;
  const turned = { x: x - (box.y + height - y), y: y + (box.x - x), width: height, height: width };
  return turnedBox(turned, quarters - 1, x, y);
}

/** The empty grid. Gold and silver squares carry a second frame, so that they are told apart without colour. */
function printedSquares(board, corner) {
  const group = svg("g", { class: "squares" });
  board.fills.forEach((fill, cell) => {
    if (fill === null) return;
    const [x, y] = corner(cell);
    group.append(svg("rect", { class: paintOf(fill), x, y, width: UNIT, height: UNIT }));
    if (fill === "gold" || fill === "silver") {
      group.append(svg("rect", { class: `metal ${paintOf(fill)}`, x: x + 2.5, y: y + 2.5, width: UNIT - 5, height: UNIT - 5 }));
    }
  });
  const there = board.fills.map((fill, cell) => (fill === null ? null : corner(cell))).filter(Boolean);
  group.append(svg("path", { class: "rim", d: outlinePath(there) }));
  return group;
}

function printedLabels(board, corner, labels) {
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

function printedAxes(board, height) {
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

/** A board in words: how many squares carry what, and which have just changed. */
function boardText(game, board, squares, changed) {
  const counts = new Map();
  for (let cell = 0; cell < board.size; cell += 1) {
    const key = squares[board.first + cell];
    if (!key) continue;
    const mark = game.marks[markOfKey(key)];
    const isPen = mark.glyph === "circle" || mark.glyph === "cross" || mark.glyph === "gap";
    const words = isPen ? GLYPH_WORDS[mark.glyph] : `${mark.colour} ${GLYPH_WORDS[mark.glyph]}`;
    counts.set(words, (counts.get(words) ?? 0) + 1);
  }
  const name = (square) => {
    const cell = square - board.first;
    return board.columnLabels[cell % board.columns] + board.rowLabels[Math.floor(cell / board.columns)];
  };
  const content = [...counts].map(([words, count]) => `${count} ${words}`).join(", ") || "empty";
  const now = changed.length ? ` Changed now: ${changed.map(name).join(", ")}.` : "";
  return `${board.name || "Board"}, ${board.columns} by ${board.rows} squares: ${content}.${now}`;
}
