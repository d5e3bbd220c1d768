/*
 * The address of the page, which names the current ply, and the addresses of other pages.
 */

import { START } from "./scene.js";

/**
 * Create the object that reads and writes the parameter `move` of the address, which counts plies from 1; 0 is the start. Where the
 * address asks a what-if question (`questionKeys`), it does so at the move of this question only.
 * It writes a moment after the last step, because browsers refuse more than a few such changes per second. A guest neither reads
 * nor writes the address.
 */
export function createAddress(game, options) {
  const numbers = game.steps.map((step) => step.ply);
  const lastNumber = numbers.at(-1) ?? START;
  const fallback = numbers.indexOf(options.ply);
  const parameters = new Map(); // other parameters of the address
  const questionKeys = options.questionKeys ?? [];
  const page = location.pathname;
  let asked = { at: START, entries: [] }; // the question of the address
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
    /** True if the address is about this game: *Back* may have led to another game or page. */
    get isHere() {
      const [run, number] = ["run", "game-number"].map(place.parameter);
      return location.pathname === page && (run ?? game.run) === game.run && (number === null || game.gameId === null || Number(number) === game.gameId + 1);
    },
    /** Return what the address asks: the query of a question, an empty one for the panel alone, or null. */
    readQuestion() {
      keepQuestion(location.search, place.named ?? 0);
      if (!asked.entries.length) return null;
      return asked.entries.some(([key]) => key !== "whatif") ? location.search.slice(1) : "";
    },
    /** Return the step of a ply; a number beyond the end leads to the last one. */
    indexOf: (ply) => numbers.indexOf(Math.min(ply, lastNumber)),
    first: fallback,
    link(at) {
      const url = new URL(location.href);
      for (const key of questionKeys) url.searchParams.delete(key);
      const isAsked = asked.entries.length > 0 && Math.max(0, at) === asked.at; // at the start, the panel asks about the first move
      if (at === START && fallback === START && !isAsked) url.searchParams.delete("move");
      else url.searchParams.set("move", String((numbers[isAsked ? asked.at : at] ?? START) + 1));
      for (const [name, value] of parameters) {
        if (value === null) url.searchParams.delete(name);
        else url.searchParams.set(name, value);
      }
      if (isAsked) for (const [key, value] of asked.entries) url.searchParams.append(key, value);
      return url.href;
    },
    remember: (name, value) => parameters.set(name, value),
    /** Return the address at which people play on from a position; null if this page has none, and at the end of the game. */
    playOn(at) {
      if (!options.play || game.gameId === null || at >= game.steps.length - 1) return null;
      return pageAddress(options.play, gameQuery(game.run, game.gameId, (numbers[at] ?? START) + 1));
    },
    /** Return the address of the what-if about another action at a ply; null outside of the pages. */
    whatifAt(ply, action) {
      if (!options.play || game.gameId === null) return null;
      return pageAddress("replay", { ...gameQuery(game.run, game.gameId, ply), action, quick: 1 });
    },
    /** Return the address of the same question about many games; null inside of other pages. */
    manyLink: (query) => (query && !options.isGuest ? pageAddress("whatif", query) : null),
    /** Return the address of the first game of a run before a ply. */
    replayLink: (run, ply) => pageAddress("replay", gameQuery(run, 0, ply)),
    /** Let the address ask a question about a step, once it names this step; *Back* leads to the question before. */
    ask(query, at) {
      place.flush();
      keepQuestion(query, at);
      const link = place.link(at);
      if (!options.isGuest && Math.max(0, place.named ?? START) === at && link !== location.href) history.pushState(history.state, "", link);
    },
    /** Let the address ask nothing. */
    leaveQuestion() {
      asked.entries = [];
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
      } catch {
        // Inside a notebook the page has no address of its own.
      }
      waiting = null;
    },
  };
  if (!options.isNext) place.first = place.named ?? fallback;
  return place;

  function keepQuestion(query, at) {
    asked = { at, entries: [...new URLSearchParams(query)].filter(([key]) => questionKeys.includes(key)) };
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
