/*
 * The stage: where cards and boards stand, and how large squares may be.
 */

const SIDE = { least: 13, most: 46, readable: 15 };

/** The views of all boards, seats and trays, in one element. */
function stageView(game) {
  const boards = game.boards.filter((board) => board.size).map((board) => boardView(game, board));
  const trays = game.trays.filter((tray) => tray.pieces.length).map((tray) => ({ tray, ...trayView(game, tray) }));
  const seats = game.seats.map((_, seat) =>
    seatView(
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
  const views = { node, cards, seats, trays, shared, own: boards.filter(({ board }) => board.seat !== null) };
  return {
    node,
    /** @param {{width: number, height: number, isPhone: boolean, zoom: number}} room in pixels; 1 is no zoom */
    layout(room) {
      node.toggleAttribute("data-zoomed", room.zoom > 1);
      if (shared.length) layoutShared(views, room);
      else layoutOwn(views, room);
    },
    get turns() {
      return turns;
    },
    /** Turn the table by one place: a shared board by a quarter, else the next seat comes first; says what it did. */
    turn() {
      turns += 1;
      for (const view of shared) view.turn(turns % 4);
      if (shared.length) return turns % 4 ? `Board turned by ${90 * (turns % 4)}\u00b0.` : "Board as printed.";
      const first = turns % Math.max(1, seats.length);
      cards.prepend(...[...seats.slice(first), ...seats.slice(0, first)].map((seat) => seat.node));
      return seats.length ? `${game.seats[first].name} comes first.` : "";
    },
    show(position, touched, at, step, isFresh) {
      for (const view of boards) view.show(position.squares, touched, step, isFresh);
      for (const view of seats) view.show(at, step);
      for (const view of trays) view.show(at);
    },
    showGhost(squares) {
      for (const view of boards) view.showGhost(squares);
    },
  };
}

/** Keep room for the longest status of any seat, so that boards stay where they are and beside each other. */
function keepLines(seats) {
  const isLong = seats.some((seat) => seat.isLong);
  for (const seat of seats) seat.keepLines(isLong);
}

const zoomed = (side, zoom) => Math.max(6, Math.round(side * zoom));
const fitting = (side, most = SIDE.most) => Math.floor(Math.max(SIDE.least, Math.min(most, side)));

/**
 * Cards with boards of their own: as many beside each other as give the largest squares.
 * @param {{width: number, height: number, isPhone: boolean, zoom: number}} room in pixels
 */
function layoutOwn({ node, cards, seats, own, trays }, room) {
  if (!own.length) return;
  const across = Math.max(...own.map((view) => view.across));
  const upwards = Math.max(...own.map((view) => view.upwards));
  const count = cards.children.length;
  const gap = room.width < 600 ? 10 : 16;
  node.style.setProperty("--gap", `${gap}px`);
  for (let pass = 0; pass < 3; pass += 1) {
    keepLines(seats);
    // What a card needs beside its board is known only once the board has a width: hence some passes.
    const extra = Math.max(0, ...[...cards.children].map((card) => card.offsetHeight - boardHeight(card)));
    let best = { side: 0, columns: 1 };
    for (let columns = 1; columns <= count; columns += 1) {
      const lines = Math.ceil(count / columns);
      const wide = ((room.width - (columns - 1) * gap) / columns - CARD_PADDING) / across;
      const high = ((room.height - (lines - 1) * gap) / lines - extra) / upwards;
      const side = Math.min(wide, high);
      if (side > best.side) best = { side, columns, wide };
    }
    if (best.side < SIDE.readable) {
      const columns = Math.max(1, Math.floor((room.width + gap) / (SIDE.readable * across + CARD_PADDING + gap)));
      best = { columns: Math.min(columns, count), wide: ((room.width + gap) / Math.min(columns, count) - gap - CARD_PADDING) / across };
      best.side = Math.min(best.wide, 1.4 * SIDE.readable);
    }
    const side = zoomed(fitting(room.isPhone ? best.wide : best.side), room.zoom); // on a phone people scroll anyway
    for (const view of own) view.resize(side);
    const needed = Math.ceil(side * across + CARD_PADDING);
    const columns = room.zoom > 1 ? Math.max(1, Math.min(best.columns, Math.floor((room.width + gap) / (needed + gap)))) : best.columns;
    cards.style.setProperty("--columns", String(columns));
    // A card with trays uses the width there is, so that they stay low.
    const free = Math.floor((room.width + gap) / columns - gap);
    cards.style.setProperty("--card", `${trays.length ? Math.max(needed, Math.min(free, needed + 90)) : needed}px`);
  }
}

const CARD_PADDING = 20;
const boardHeight = (card) => [...card.querySelectorAll(".board")].reduce((sum, board) => sum + Number(board.getAttribute("height") ?? 0), 0);

/** Shared boards: tall ones have the cards beside them, wide ones below. */
function layoutShared({ node, cards, seats, shared, own }, room) {
  const across = Math.max(...shared.map((view) => view.across));
  const upwards = shared.reduce((sum, view) => sum + view.upwards, 0);
  const count = cards.children.length;
  const isBeside = room.width >= 620 && upwards / across > 0.7 && room.zoom <= 1;
  node.toggleAttribute("data-beside", isBeside);
  if (isBeside) {
    let height = room.height;
    for (let pass = 0; pass < 2; pass += 1) {
      const side = fitting(Math.min((room.width - CARD_WIDTH - BESIDE_GAP) / across - 1, (height - CARD_PADDING) / upwards));
      const left = room.width - side * across - CARD_PADDING - BESIDE_GAP;
      const columns = Math.max(1, Math.min(count > 2 ? 2 : 1, Math.floor((left + 16) / (CARD_WIDTH + 16))));
      cards.style.setProperty("--columns", String(columns));
      cards.style.setProperty("--card", `${Math.min(1.5 * CARD_WIDTH, Math.floor((left - (columns - 1) * 16) / columns))}px`);
      for (const view of [...shared, ...own]) view.resize(zoomed(side, room.zoom));
      keepLines(seats);
      height = Math.max(height, cards.offsetHeight); // the board may be as high as the cards are anyway
    }
    return;
  }
  cards.style.setProperty("--columns", String(Math.max(1, Math.min(count, Math.floor(room.width / 175)))));
  cards.style.setProperty("--card", "1fr");
  keepLines(seats);
  // A larger board has the cards below it and starts from the size that it has beside them.
  const below = room.zoom > 1 ? 0 : cards.offsetHeight + 16;
  const high = (room.height - CARD_PADDING - below) / upwards;
  const side = fitting(Math.min((room.width - CARD_PADDING) / across, Math.max(high, SIDE.readable)));
  for (const view of [...shared, ...own]) view.resize(zoomed(side, room.zoom));
}

const CARD_WIDTH = 196;
const BESIDE_GAP = 24;
