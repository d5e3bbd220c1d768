/*
 * The address of the page, which names the current ply, and the addresses of other pages.
 */

import { START } from "./scene.js";

const SEEN_KEY = "reroll-seen-move"; // the run, the game and the ply that this tab of the browser has shown last

/**
 * Create the object that reads and writes the parameter `move` of the address, which counts plies from 1; 0 is the start.
 * It writes a moment after the last step, because browsers refuse more than a few such changes per second. A guest neither reads
 * nor writes the address; it `resumes` at the move that was seen last.
 */
export function createAddress(game, options) {
  const numbers = game.steps.map((step) => step.ply);
  const lastNumber = numbers.at(-1) ?? START;
  const fallback = numbers.indexOf(options.ply);
  const parameters = new Map(); // other parameters of the address
  let waiting = null;
  let timer = 0;
  const place = {
    /** The ply that the address names; null if it names none. */
    get named() {
      const text = place.parameter("move");
      return text === null || !/^-?\d{1,9}$/.test(text) ? null : place.indexOf(Number(text) - 1);
    },
    /** Return the text of another parameter of the address; null if it has none. */
    parameter: (name) => (options.isGuest ? null : new URLSearchParams(location.search).get(name)),
    /** Return the step of a ply; a number beyond the end leads to the last one. */
    indexOf: (ply) => numbers.indexOf(Math.min(ply, lastNumber)),
    first: fallback,
    link(at) {
      const url = new URL(location.href);
      if (at === START && fallback === START) url.searchParams.delete("move");
      else url.searchParams.set("move", String((numbers[at] ?? START) + 1));
      for (const [name, value] of parameters) {
        if (value === null) url.searchParams.delete(name);
        else url.searchParams.set(name, value);
      }
      return url.href;
    },
    remember: (name, value) => parameters.set(name, value),
    /** Return the address of the what-if about another action at a ply; null if this page has none. */
    whatifAt(ply, action) {
      if (!options.whatif || game.gameId === null) return null;
      return pageAddress(options.whatif, { ...gameQuery(game.run, game.gameId, ply), action, quick: 1 });
    },
    /** Return the address at which people play on from a position; null if this page has none, and at the end of the game. */
    playOn(at) {
      if (!options.play || game.gameId === null || at >= game.steps.length - 1) return null;
      return pageAddress(options.play, gameQuery(game.run, game.gameId, (numbers[at] ?? START) + 1));
    },
    /** Return the address of the page What if for the query of a question; null if this page has none. */
    whatifLink: (query) => (query && options.whatif && game.gameId !== null ? pageAddress(options.whatif, query) : null),
    /** Return the address of the same question about many games, on the page that is about a question. */
    manyLink: (query) => (query && options.isQuestion ? pageAddress("whatif", query) : null),
    /** Return the address of the first game of a run before a ply. */
    replayLink: (run, ply) => pageAddress("replay", gameQuery(run, 0, ply)),
    /** Let the address of the page that is about a question ask it. */
    ask(query) {
      const link = new URL(`?${query}`, location.href).href;
      if (options.isQuestion && query && link !== location.href) history.pushState(history.state, "", link);
    },
    write(at) {
      if (options.isGuest) return;
      waiting = at;
      clearTimeout(timer);
      timer = setTimeout(place.flush, 120);
    },
    /** Forget what has not been written, because the address now belongs to something else. */
    forget() {
      clearTimeout(timer);
      waiting = null;
    },
    flush() {
      clearTimeout(timer);
      if (waiting === null) return;
      try {
        const link = place.link(waiting);
        if (link !== location.href) history.replaceState(history.state, "", link);
        sessionStorage.setItem(SEEN_KEY, JSON.stringify([game.run, game.gameId, numbers[waiting] ?? START]));
      } catch {
        // Inside a notebook the page has no address and no storage of its own.
      }
      waiting = null;
    },
  };
  if (!options.isNext) place.first = place.named ?? fallback;
  if (options.resumes) place.first = readSeenMove() ?? fallback;
  return place;

  /** Return the step of this game that was seen last; null for another game, and at its start and its end, where nothing was chosen. */
  function readSeenMove() {
    try {
      const [run, gameId, ply] = JSON.parse(sessionStorage.getItem(SEEN_KEY) ?? "[]");
      const at = run === game.run && gameId === game.gameId ? numbers.indexOf(ply) : START;
      return at === START || at === numbers.length - 1 ? null : at;
    } catch {
      return null;
    }
  }
}

/** Return the query of the address of a game, or of a ply in it. Games and plies are counted from 0 here, from 1 in addresses. */
export function gameQuery(run, gameId, ply = null) {
  return { run, "game-number": gameId + 1, ...(ply === null ? {} : { move: ply + 1 }) };
}

/** Return the address of another page of this site with a query; null if it would lead to another site. */
function pageAddress(page, query) {
  const url = new URL(page, location.href.replace(/[?#].*$/, "").replace(/\/$/, ""));
  url.search = new URLSearchParams(query).toString();
  return url.origin === location.origin ? url.href : null;
}
