/*
 * The address of the page, which names the current ply, and the addresses of other pages.
 */

import { START } from "./scene.js";

/**
 * Create the object that reads and writes the parameter `ply` of the address. It writes a moment after the last step,
 * because browsers refuse more than a few such changes per second. A guest neither reads nor writes the address.
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
      const text = place.parameter("ply");
      if (text === null || !/^-?\d{1,9}$/.test(text)) return null;
      return place.indexOf(Number(text));
    },
    /** Return the text of another parameter of the address; null if it has none. */
    parameter: (name) => (options.isGuest ? null : new URLSearchParams(location.search).get(name)),
    /** Return the step of a ply; a number beyond the end leads to the last one. */
    indexOf: (ply) => numbers.indexOf(Math.min(ply, lastNumber)),
    first: fallback,
    link(at) {
      const url = new URL(location.href);
      if (at === START && fallback === START) url.searchParams.delete("ply");
      else url.searchParams.set("ply", String(numbers[at] ?? START));
      for (const [name, value] of parameters) {
        if (value === null) url.searchParams.delete(name);
        else url.searchParams.set(name, value);
      }
      return url.href;
    },
    remember: (name, value) => parameters.set(name, value),
    /** Return the address of the what-if from a ply on; at the start it is that of the first ply. */
    whatif: (at) => place.whatifAt(numbers[Math.max(0, at)] ?? 0),
    whatifAt(ply, action) {
      if (!options.whatif || game.gameId === null) return null;
      const url = new URL(options.whatif, location.href.replace(/[?#].*$/, "").replace(/\/$/, ""));
      if (url.origin !== location.origin) return null;
      const query = { run: game.run, game: game.gameId, ply, ...(action ? { action } : {}) };
      for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value));
      return url.href;
    },
    /** Return the address at which people play on from a position; null if this page has none, and at the end of the game. */
    playOn(at) {
      if (!options.play || game.gameId === null || at >= game.steps.length - 1) return null;
      const url = new URL(options.play, location.href.replace(/[?#].*$/, "").replace(/\/$/, ""));
      if (url.origin !== location.origin) return null;
      url.search = new URLSearchParams({ run: game.run, game: String(game.gameId), ply: String((numbers[at] ?? START) + 1) }).toString();
      return url.href;
    },
    /** Return the address of the page What if for the query of a question; null if this page has none. */
    whatifLink(query) {
      const address = query ? place.whatifAt(0) : null;
      if (!address) return null;
      const url = new URL(address);
      url.search = query;
      return url.href;
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
        // Inside a notebook the page has no address of its own, so the ply is not stored.
      }
      waiting = null;
    },
  };
  if (!options.isNext) place.first = place.named ?? fallback;
  return place;
}
