/*
 * The address of the page, which names the current ply, and the addresses of other pages.
 */

/**
 * Create the object that reads and writes the parameter `ply` of the address. It writes a moment after the last step,
 * because browsers refuse more than a few such changes per second.
 */
function createAddress(game, options) {
  const numbers = game.steps.map((step) => step.ply);
  const fallback = numbers.indexOf(options.ply);
  const parameters = new Map(); // other parameters of the address
  let waiting = null;
  let timer = 0;
  const place = {
    /** The ply that the address names; null if it names none. */
    get named() {
      const text = new URLSearchParams(location.search).get("ply");
      if (text === null || !/^-?\d{1,9}$/.test(text)) return null;
      return place.indexOf(Number(text));
    },
    /** Return the text of another parameter of the address; null if it has none. */
    parameter: (name) => new URLSearchParams(location.search).get(name),
    indexOf: (ply) => numbers.indexOf(ply),
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
    write(at) {
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
