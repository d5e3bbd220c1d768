/*
 * The stage: the positions of cards and boards, and the size of squares.
 */

import { createBoardView } from "./boards.js";
import { html, roundToTenth } from "./draw.js";
import { hasGain, seatGain } from "./moves.js";
import { formatSigned } from "./numbers.js";
import { createSeatView, createTrayView } from "./seats.js";

const SIDE_PIXELS = { least: 13, most: 46, readable: 15 };

/** Create one element with the views of all boards, seats and trays. */
export function createStageView(game) {
  const boards = game.boards.filter((board) => board.size).map((board) => createBoardView(game, board));
  const trays = game.trays.filter((tray) => tray.pieces.length).map((tray) => ({ tray, ...createTrayView(game, tray) }));
  const seats = game.seats.map((_, seat) =>
    createSeatView(
      game,
      seat,
      boards.filter(({ board }) => board.seat === seat),
      trays.filter(({ tray }) => tray.seat === seat),
    ),
  );
  const shared = boards.filter(({ board }) => board.seat === null);
  const cards = html("div", { class: "cards" }, ...seats.map(({ node }) => node));
  const common = trays.filter(({ tray }) => tray.seat === null);
  if (common.length) cards.append(html("div", { class: "seat common" }, ...common.map(({ node }) => node)));
  const node = html("div", { class: "stage", "data-kind": shared.length ? "shared" : "own" });
  if (shared.length) node.append(html("div", { class: "shared" }, ...shared.map((view) => view.node)));
  node.append(cards);
  let turns = 0;

  /** Show the points of a move beside it, if the move scored squares that were filled before. */
  function showGain(at, step) {
    const text = step && hasGain(game, at) ? formatSigned(seatGain(game, at)) : "";
    for (const view of boards) view.showGain(step?.changes[0]?.[0] ?? -1, text);
  }

  const views = { node, cards, seats, trays, shared, own: boards.filter(({ board }) => board.seat !== null) };
  const scroller = shared.length ? node.firstChild : node; // the cards stand below shared boards
  let wholeHeight = 0; // of the boards without zoom
  let first = null; // the seat whose card is to be seen without scrolling
  let isFolded = false; // on phones and with zoom, rows of cards are below the edge of the window

  /** Where rows would be out of view, let the row with the first card stand above the others, which keep their order. */
  function orderCards() {
    const columns = Number(cards.style.getPropertyValue("--columns")) || 1;
    const rows = Math.ceil(cards.children.length / columns);
    const row = isFolded && !shared.length && seats[first] ? Math.floor([...cards.children].indexOf(seats[first].node) / columns) : 0;
    [...cards.children].forEach((card, index) => { card.style.order = row ? String((Math.floor(index / columns) - row + rows) % rows) : ""; });
  }

  return {
    node,
    /** The part with the boards, which scrolls while they are zoomed. */
    scroller,
    /** @param {{width: number, height: number, isPhone: boolean, zoom: number}} room in pixels; a zoom of 1 is the normal size */
    layout(room) {
      for (const view of boards) view.setCompact(room.isPhone);
      scroller.toggleAttribute("data-zoomed", room.zoom > 1);
      if (shared.length) layoutSharedBoards(views, room);
      else layoutOwnBoards(views, room);
      isFolded = room.isPhone || room.zoom > 1;
      orderCards();
      if (room.zoom <= 1) wholeHeight = scroller.offsetHeight;
      scroller.style.setProperty("--window", `${Math.max(wholeHeight, 0.55 * innerHeight)}px`);
    },
    get turns() {
      return turns;
    },
    /** Turn a shared board by a quarter, or else show the next seat first; return a message about it. */
    turn() {
      turns += 1;
      for (const view of shared) view.turn(turns % 4);
      if (shared.length) return turns % 4 ? `Board turned by ${90 * (turns % 4)}\u00b0.` : "Board as printed.";
      const start = turns % Math.max(1, seats.length);
      cards.prepend(...[...seats.slice(start), ...seats.slice(0, start)].map((seat) => seat.node));
      orderCards();
      return seats.length ? `${game.seats[start].name} is first.` : "";
    },
    putFirst(seat) {
      if (seat === undefined || seat === first) return;
      first = seat;
      orderCards();
    },
    views: boards,
    /** The view of the board of the player who moves, or of a shared one. */
    get lead() {
      return boards.find(({ board }) => board.seat === first) ?? boards[0];
    },
    /** Return the view of a board. */
    viewOf: (board) => boards.find((view) => view.board === board) ?? null,
    show(position, touched, at, step, isFresh) {
      for (const view of boards) view.show(position.squares, touched, step, isFresh);
      showGain(at, step);
      for (const view of seats) view.show(at, step);
      for (const view of trays) view.show(at);
    },
    showGhosts(ghosts) {
      for (const view of boards) view.showGhosts(ghosts);
    },
  };
}

/** Reserve room for the longest status of any seat, so that the boards do not move and stay side by side. */
function reserveStatusLines(seats) {
  const isLong = seats.some((seat) => seat.isLong);
  for (const seat of seats) seat.reserveStatusLines(isLong);
}

const zoomSide = (side, zoom) => Math.max(6, roundToTenth(side * zoom));
const limitSide = (side) => Math.floor(Math.max(SIDE_PIXELS.least, Math.min(SIDE_PIXELS.most, side)));

/**
 * Lay out cards with their own boards: as many side by side as give the largest squares.
 * @param {{width: number, height: number, isPhone: boolean, zoom: number}} room in pixels
 */
function layoutOwnBoards({ node, cards, seats, own, trays }, room) {
  if (!own.length) return;
  const across = Math.max(...own.map((view) => view.across));
  const upwards = Math.max(...own.map((view) => view.upwards));
  const count = cards.children.length;
  const gap = room.width < 600 ? 10 : 16;
  node.style.setProperty("--gap", `${gap}px`);
  for (let pass = 0; pass < 3; pass += 1) {
    reserveStatusLines(seats);
    // The height of a card without its board depends on the width of the board, hence several passes.
    const extra = Math.max(0, ...[...cards.children].map((card) => card.offsetHeight - boardHeight(card)));
    let best = { side: 0, columns: 1 };
    for (let columns = 1; columns <= count; columns += 1) {
      const lines = Math.ceil(count / columns);
      const wide = ((room.width - (columns - 1) * gap) / columns - CARD_PADDING) / across;
      const high = ((room.height - (lines - 1) * gap) / lines - extra) / upwards;
      const side = Math.min(wide, high);
      if (side > best.side) best = { side, columns, wide };
    }
    if (best.side < SIDE_PIXELS.readable) {
      const most = Math.max(1, Math.floor((room.width + gap) / (SIDE_PIXELS.readable * across + CARD_PADDING + gap)));
      const columns = Math.ceil(count / Math.ceil(count / most)); // four cards stand two by two, not three and one
      best = { columns, wide: ((room.width + gap) / columns - gap - CARD_PADDING) / across };
      best.side = Math.min(best.wide, 1.4 * SIDE_PIXELS.readable);
    }
    const chooser = room.zoom > 1 ? null : cards.querySelector("[data-own]");
    const lead = chooser && findLead(room, { count, across, upwards, gap, extra }, best.side);
    cards.toggleAttribute("data-lead", Boolean(lead));
    if (lead) {
      for (const view of own) view.resize(chooser.contains(view.node) ? lead.side : lead.small);
      cards.style.setProperty("--lead", `${Math.ceil(lead.side * across + CARD_PADDING)}px`);
      cards.style.setProperty("--lines", String(lead.lines));
      cards.style.setProperty("--columns", String(lead.columns));
      cards.style.setProperty("--card", `${lead.card}px`);
      continue;
    }
    const side = zoomSide(limitSide(room.isPhone ? best.wide : best.side), room.zoom); // on a phone, people scroll anyway
    for (const view of own) view.resize(side);
    const needed = Math.ceil(side * across + CARD_PADDING);
    const columns = room.zoom > 1 ? Math.max(1, Math.min(best.columns, Math.floor((room.width + gap) / (needed + gap)))) : best.columns;
    cards.style.setProperty("--columns", String(columns));
    // A card with trays uses the available width, so that the trays stay low.
    const free = Math.floor((room.width + gap) / columns - gap);
    cards.style.setProperty("--card", `${trays.length ? Math.max(needed, Math.min(free, needed + 90)) : needed}px`);
  }
}

/**
 * Return how the board of the person who chooses can stand beside those of the others, which stand in two columns, or on phones in one;
 * null if that makes its squares less than half as large again as `side`, or those of the others too small.
 */
function findLead(room, { count, across, upwards, gap, extra }, side) {
  if (room.isPhone) {
    const card = Math.floor(0.38 * room.width);
    return { columns: 1, lines: count - 1, card, small: (card - CARD_PADDING) / across, side: (room.width - card - gap - CARD_PADDING) / across };
  }
  const columns = Math.min(2, count - 1);
  const lines = Math.ceil((count - 1) / columns);
  const small = Math.floor(((room.height - (lines - 1) * gap) / lines - extra) / upwards);
  const card = Math.ceil(Math.max(NARROW_CARD_WIDTH, small * across + CARD_PADDING));
  const free = room.width - columns * (card + gap) - CARD_PADDING;
  const large = limitSide(Math.min(free / across, (room.height - extra) / upwards));
  return small >= SIDE_PIXELS.readable && large >= 1.5 * side ? { columns, lines, card, small, side: large } : null;
}

const CARD_PADDING = 20;
const boardHeight = (card) => [...card.querySelectorAll(".board")].reduce((sum, board) => sum + Number(board.getAttribute("height") ?? 0), 0);

/** Lay out shared boards: tall boards have the cards beside them, wide boards below them. */
function layoutSharedBoards({ node, cards, seats, shared, own }, room) {
  const across = Math.max(...shared.map((view) => view.across));
  const upwards = shared.reduce((sum, view) => sum + view.upwards, 0);
  const count = cards.children.length;
  const isBeside = room.width >= 620 && upwards / across > 0.7 && room.zoom <= 1;
  node.toggleAttribute("data-beside", isBeside);
  if (isBeside) {
    const sideIn = (width, height) => Math.min((width - BESIDE_GAP) / across - 1, (height - CARD_PADDING) / upwards);
    const place = (side, least) => {
      const left = room.width - side * across - CARD_PADDING - BESIDE_GAP;
      const columns = Math.max(1, Math.min(count > 2 ? 2 : 1, Math.floor((left + 16) / (least + 16))));
      cards.style.setProperty("--columns", String(columns));
      cards.style.setProperty("--card", `${Math.min(1.5 * CARD_WIDTH, Math.floor((left - (columns - 1) * 16) / columns))}px`);
      for (const view of [...shared, ...own]) view.resize(zoomSide(side, room.zoom));
      reserveStatusLines(seats);
    };
    place(limitSide(sideIn(room.width - CARD_WIDTH, room.height)), CARD_WIDTH);
    // Four cards in one column would push the controls out of the window: two columns of narrow cards make the board smaller.
    const dense = sideIn(room.width - 2 * NARROW_CARD_WIDTH - 16 - CARD_PADDING, room.height);
    if (count > 2 && cards.offsetHeight > room.height && dense >= SIDE_PIXELS.readable) place(limitSide(dense), NARROW_CARD_WIDTH);
    // The board may be as high as the cards.
    else if (cards.offsetHeight > room.height) place(limitSide(sideIn(room.width - CARD_WIDTH, cards.offsetHeight)), CARD_WIDTH);
    return;
  }
  cards.style.setProperty("--columns", String(Math.max(1, Math.min(count, Math.floor(room.width / 175)))));
  cards.style.setProperty("--card", "1fr");
  reserveStatusLines(seats);
  // With zoom the cards stand below the board, and the board starts from its size without zoom.
  const below = room.zoom > 1 ? 0 : cards.offsetHeight + 16;
  const high = (room.height - CARD_PADDING - below) / upwards;
  const wide = (room.width - (room.isPhone ? PHONE_PADDING : CARD_PADDING)) / across;
  const side = room.isPhone ? Math.min(SIDE_PIXELS.most, wide) : limitSide(Math.min(wide, Math.max(high, SIDE_PIXELS.readable)));
  for (const view of [...shared, ...own]) view.resize(zoomSide(side, room.zoom));
}

const PHONE_PADDING = 12; // of a shared board
const CARD_WIDTH = 196;
const NARROW_CARD_WIDTH = 166;
const BESIDE_GAP = 24;
