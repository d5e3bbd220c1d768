/*
 * The choice of another move on the board: the legal placements of a shape, and the one that is aimed at.
 */

import { pieceColour } from "./alternatives.js";
import { colourClass, createButton, html, setText } from "./draw.js";
import { keyName } from "./keys.js";
import { drawMove } from "./moves.js";
import { isFinger } from "./zoom.js";

/** Create the buttons of the shapes that can be placed, in a colour if they have one; `select` gets the index of the one that is pressed. */
function createShapeList(groups, colour, selected, select) {
  const list = html("div", { class: colour ? `shapes ${colourClass(colour)}` : "shapes", role: "group", "aria-label": "Shapes" });
  groups.forEach((group, index) => {
    const detail = [group.die && (/^\d+$/.test(group.die) ? `a ${group.die}` : `die ${group.die}`), group.isStruck && "strike"].filter(Boolean).join(", ");
    const count = `${group.placements.length} legal place${group.placements.length === 1 ? "" : "s"}`;
    const label = [group.piece || "cube", detail, count].filter(Boolean).join(", ");
    list.append(createButton({ "aria-pressed": String(index === selected), "aria-label": label, title: label }, () => select(index), drawMove(group.cells, 26), group.isStruck ? html("b", { class: "struck" }, "!") : "", group.die ? html("small", {}, group.die) : ""));
  });
  return list;
}

/** Create the row with the name of the place that is aimed at; `verb` is what the last button does, such as "Try". */
function createAimTools(chooser, isShape, verb, about) {
  return html("div", { class: "aim-tools in-row" }, isShape ? createAimButton("\u21bb", "Turn the shape (R)", () => chooser.turn(1)) : "", html("span", { class: "aim-name", "aria-live": "polite" }), createAimButton(`${verb} it`, `${about} (Enter)`, () => chooser.take(), "try"));
}

/** Create the shapes to choose from, and the row of `createAimTools` below them. */
export function createPlacing(chooser, groups, selected, select, verb, about) {
  const isShape = Boolean(groups[0].piece);
  const shapes = groups.length > 1 || isShape ? [createShapeList(groups, chooser.pieceColour, selected, select)] : [];
  return [...shapes, createAimTools(chooser, isShape, verb, about)];
}

/** Create the bar that has the same on a phone: it stays at the lower edge, near the thumb, while the boards scroll. */
export const createAimBar = () => html("div", { class: "aim-bar", hidden: true });

/** Scroll the lists of shapes inside these nodes, and not the page, until the chosen one is visible. */
export function scrollToShape(...nodes) {
  for (const list of nodes.flatMap((node) => [...node.querySelectorAll(".shapes")])) {
    const chosen = list.querySelector("[aria-pressed=true]");
    if (!chosen) continue;
    list.scrollLeft = chosen.offsetLeft - list.offsetLeft - (list.clientWidth - chosen.offsetWidth) / 2;
    list.scrollTop = chosen.offsetTop - list.offsetTop - (list.clientHeight - chosen.offsetHeight) / 2;
  }
}

/**
 * Show the name of the place that is aimed at in the rows of `createAimTools` inside a node.
 * @param {{played?: string, tried?: string | null}} known the move that was played, and the one whose answer is shown
 */
export function showAimName(node, chooser, { played = "", tried = null } = {}) {
  const { aim } = chooser;
  const note = aim && { [played]: " was played: nothing to try", [tried]: " was tried" }[aim.action];
  for (const row of node.querySelectorAll(".aim-tools")) {
    setText(row.querySelector(".aim-name"), aim ? `${aim.name}${note ?? ""}` : "no place chosen");
    for (const button of row.querySelectorAll("button")) button.setAttribute("aria-disabled", String(!aim));
    row.querySelector(".try").hidden = Boolean(note);
  }
}

const FINGER_PIXELS = 44; // what a finger covers

const distance = ([x, y], [x2, y2]) => Math.hypot(x - x2, y - y2);

/**
 * Return the placements near a point, the best first: those that cover its square, or else those whose middle is near.
 * Placements that lie like `last` come before others that are as near.
 */
function placementsNear(placements, board, point, last) {
  const [column, row] = point.map(Math.floor);
  const square = board.first + row * board.columns + column;
  const cost = (placement) => distance(placement.middle, point) - (placement.outline === last?.outline ? 0.75 : 0);
  const covering = placements.filter(({ squares }) => squares.includes(square));
  const near = covering.length ? covering : placements.filter(({ middle }) => distance(middle, point) < 2.6);
  return near.toSorted((a, b) => cost(a) - cost(b));
}

/** Return the nearest placement in a direction, [columns, rows], or null. */
function placementTowards(placements, from, [right, up]) {
  let best = null;
  let least = Infinity;
  for (const placement of placements) {
    const [x, y] = [placement.middle[0] - from.middle[0], placement.middle[1] - from.middle[1]];
    const along = x * right + y * up;
    if (along < 0.1) continue;
    const aside = Math.abs(x * up - y * right);
    const cost = along + 2.2 * aside + (placement.outline === from.outline ? 0 : 0.4);
    if (cost < least) [best, least] = [placement, cost];
  }
  return best;
}

/** Return the placement that follows another on the same squares: the shape turned, or moved by less than its size. */
function placementTurned(placements, from, count) {
  const here = placements.filter(({ middle, squares }) => distance(middle, from.middle) < 1.6 && squares.some((square) => from.squares.includes(square)));
  const order = here.toSorted((a, b) => a.outline.localeCompare(b.outline) || a.place.localeCompare(b.place));
  return order[(order.indexOf(from) + count + order.length) % order.length] ?? from;
}

const AIM_DIRECTIONS = { ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowLeft: [-1, 0], ArrowDown: [0, -1] };

/**
 * Create the chooser: it draws the placements of one shape on its board and follows pointer and keys.
 * @param {{changed: Function, chosen: Function, missed?: Function}} listeners `changed` after the aim has changed, `chosen` when a placement is taken,
 *   `missed` after a click on a board that hits no place, with the squares that the shape would cover, as [column, row], or null on another board
 * @param {object} zoom that of the stage: where a finger covers several places, the first tap zooms in
 */
export function createChooser(game, stage, { changed, chosen, missed = null }, zoom) {
  let seen = null;
  let group = null;
  let aim = null;
  let isPinned = false; // chosen: it stays while the pointer moves
  let lastAim = null; // the last placement of this group that was aimed at: the shape lies like it
  let turned = null; // a placement that was turned to: it stays while the pointer is on it
  let isCovered = false; // by other moves: then the places are drawn only once a person begins to place a shape
  let isPlacing = false;
  const listening = new AbortController();

  function draw() {
    const view = seen?.board ? stage.viewOf(seen.board) : null;
    for (const other of stage.views) if (other !== view) other.showAim(null);
    view?.showAim(group && { places: isResting() ? [] : group.placements.flatMap(({ squares }) => squares), aim, colour: aimColour(), isPinned });
    changed();
  }

  const isResting = () => isCovered && !isPlacing;

  function setPlacing(value) {
    if (isPlacing === value) return;
    isPlacing = value;
    draw();
  }

  const aimColour = () => seen.colour ?? game.seats[seen.seat]?.colour ?? "ink";

  function aimAt(placement, pinned = false) {
    if (placement === aim && pinned === isPinned) return;
    aim = placement;
    lastAim = placement ?? lastAim;
    isPinned = pinned;
    draw();
  }

  function squareUnder(event) {
    const view = stage.viewOf(seen.board);
    const point = view?.node.contains(event.target) ? view.pointAt(event) : null;
    return point ? seen.board.first + Math.floor(point[1]) * seen.board.columns + Math.floor(point[0]) : -1;
  }

  /** Return the placement under a pointer; null away from the board. */
  function placementAt(event) {
    const view = seen?.board && group ? stage.viewOf(seen.board) : null;
    if (!view?.node.contains(event.target)) return null;
    const point = view.pointAt(event);
    return point ? (placementsNear(group.placements, seen.board, point, aim)[0] ?? null) : null;
  }

  /** Tell on which squares the shape would lie if its middle were under a pointer, or that it is another board. */
  function tellMiss(event) {
    const view = stage.viewOf(seen.board);
    const isHere = view?.node.contains(event.target);
    const point = isHere ? view.pointAt(event) : null;
    if (!isHere && event.target.closest?.(".board")) missed(null);
    if (!point) return;
    const { cells } = lastAim ?? group;
    const middle = [0, 1].map((axis) => cells.reduce((sum, cell) => sum + cell[axis], 0) / cells.length);
    missed(cells.map((cell) => [0, 1].map((axis) => Math.round(point[axis] - 0.5 + cell[axis] - middle[axis]))));
  }

  /** Whether a finger covers several places of a shape that lies alike, so that it may mean either. */
  function coversSeveral(event, placement) {
    const view = stage.viewOf(seen.board);
    const middle = placement.squares.length > 1 ? placement.middle : view.pointAt(event);
    return group.placements.filter((other) => other.outline === placement.outline && distance(other.middle, middle) * view.side <= FINGER_PIXELS / 2).length > 1;
  }

  stage.node.addEventListener("pointermove", (event) => {
    if (!group || event.pointerType !== "mouse" || isPinned || isResting()) return;
    if (aim && aim === turned && aim.squares.includes(squareUnder(event))) return;
    aimAt(event.target.closest?.(".ghost-badge") ? null : placementAt(event)); // a press takes the move with the number
  }, { signal: listening.signal });
  stage.node.addEventListener("click", (event) => {
    if (!group) return;
    if (isResting()) {
      if (!stage.viewOf(seen.board)?.node.contains(event.target)) return;
      aimAt(placementAt(event));
      setPlacing(true);
      return;
    }
    const placement = event.pointerType === "touch" ? placementAt(event) : (isPinned ? null : aim) ?? placementAt(event);
    if (!placement) return void (missed && tellMiss(event));
    if (event.pointerType === "touch" && coversSeveral(event, placement) && zoom.closeIn(event, stage.viewOf(seen.board))) return;
    // A finger hides what it points at: the first tap aims, and a tap on the same placement turns it.
    const isOnAim = aim?.squares.includes(squareUnder(event));
    if (event.pointerType === "touch") aimAt(isOnAim ? placementTurned(group.placements, aim, 1) : placement);
    else take(placement);
  }, { signal: listening.signal });

  function take(placement) {
    aimAt(placement, true);
    chosen(placement);
  }

  /** Aim at the placement near a point, or at the first one. */
  function start(near) {
    setPlacing(true);
    aimAt((near && placementsNear(group.placements, seen.board, near, null)[0]) ?? group.placements[0]);
  }

  function move(key, quarterTurns) {
    setPlacing(true);
    let direction = AIM_DIRECTIONS[key];
    for (let count = 0; count < quarterTurns % 4; count += 1) direction = [-direction[1], direction[0]];
    aimAt(placementTowards(group.placements, aim, direction) ?? aim);
  }

  /** Turn the shape that is aimed at; return false without such a shape. */
  function turn(count) {
    if (!aim) return false;
    setPlacing(true);
    turned = placementTurned(group.placements, aim, count);
    aimAt(turned);
    return true;
  }

  return {
    get aim() {
      return aim;
    },
    get group() {
      return group;
    },
    /** The colour of the pieces to choose from, null if they have none. */
    get pieceColour() {
      return pieceColour(game, aimColour());
    },
    get isActive() {
      return group !== null;
    },
    /** Whether the board shows other moves, and neither the places nor a shape that follows the pointer. */
    get isResting() {
      return isResting();
    },
    /** Tell whether a person places a shape. */
    setPlacing,
    /** Tell whether the board shows other moves. */
    setCovered(value) {
      if (isCovered === value) return;
      isCovered = value;
      draw();
    },
    /** Offer the placements of a group; null ends the choice. */
    offer(newSeen, newGroup) {
      if (newSeen === seen && newGroup === group) return;
      const old = aim;
      if (newSeen !== seen) isPlacing = false;
      [seen, group, aim, lastAim, isPinned] = [newSeen, newGroup, null, null, false];
      // The same place is kept where the new shape fits.
      if (old && group) aim = placementsNear(group.placements, seen.board, old.middle, null)[0] ?? null;
      draw();
    },
    aimAt: (placement) => aimAt(placement),
    take: () => aim && take(aim),
    turn,
    /**
     * Return the command of a key; null if the key has none here.
     * @param {{turns: number, selectNext: Function, near: Function}} how `turns` of the board by a quarter; `selectNext` goes
     *   to another shape; `near` returns the point near which the keys begin to aim, or null
     */
    commandOfKey(event, { turns, selectNext, near = () => null }) {
      if (!group || event.ctrlKey || event.metaKey || event.altKey) return null;
      const key = keyName(event);
      if (key === "Enter" && !event.composedPath()[0].matches?.("button, a, summary, select, input")) return () => (aim ? take(aim) : start(near()));
      if (key === "p") return () => selectNext(event.shiftKey ? -1 : 1);
      if (!aim) return null;
      if (key === "Escape") return () => aimAt(null);
      if (key === "r") return () => turn(event.shiftKey ? -1 : 1);
      return Object.hasOwn(AIM_DIRECTIONS, key) ? () => move(key, turns) : null;
    },
    destroy: () => listening.abort(),
  };
}

const PINCH_HINT = "Two fingers make the board larger.";

/** How to point at a place; `verb` is what a click does. */
export function describeAiming(isShape, verb) {
  const press = `then press \u201c${verb[0].toUpperCase()}${verb.slice(1)} it\u201d.`;
  if (isFinger()) return isShape ? `Tap the board: the shape snaps to where it may lie. Tap it again to turn it, ${press} ${PINCH_HINT}` : `Tap a marked square, ${press} ${PINCH_HINT}`;
  return isShape ? `Point at the board: the shape snaps to where it may lie. Click to ${verb} it. Keys: Enter, arrows, R, P.` : `Click a marked square to ${verb} it. Keys: Enter, arrows.`;
}

export function createAimButton(text, label, command, kind = "") {
  return createButton({ class: kind, "aria-label": label, title: label }, command, text);
}
